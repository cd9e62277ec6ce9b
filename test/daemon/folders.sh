#!/bin/sh
# The folders of daemon/ use only those before them, in the order of doc/architecture.md; all know the
# daemon that they are parts of. live/ and planner/ count as one: live/ tells the planner what happens
# to leases, planner/ reads them.
#
#   folders.sh FOLDER-OF-SOURCES
set -eu
cd "$1"
status=0
before='daemon/daemon\.h'
for unit in base store 'live|planner' record control services http metrics notify; do
    before="$before|daemon/($unit)/"
    for folder in $(echo "$unit" | tr '|' ' '); do
        if grep -n '^#include "daemon/' daemon/"$folder"/*.[ch] | grep -vE "#include \"($before)"; then
            status=1
        fi
    done
done
[ $status -eq 0 ] || echo "these includes go up: move what both need down"
exit $status
