#!/bin/sh
# Tests reach what they test through its public headers: those that the files of a part share among
# themselves are included by no test.
# usage: public_headers.sh SOURCE-FOLDER
set -eu
cd "$1"
if grep -rnE --include='*.[ch]' '#include ".*(_inside|engine_state)\.h"' test; then
    echo "public_headers: use the part's public header, or what test/ has for it"
    exit 1
fi
