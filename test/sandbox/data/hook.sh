#!/bin/sh
# A hook that notes the state of the VM or host it is given, and that both ways agree.
document=$(printf '%s' "$1" | base64 -d)
[ "$document" = "$(base64 -d)" ] || document=differs
printf '%s\n' "$document" |
    sed -n 's|^<\([A-Z]*\)><ID>\([0-9]*\)</ID>.*</NAME>.*<STATE>\([0-9]*\)</STATE>\(<LCM_STATE>\([0-9]*\)</LCM_STATE>\)\{0,1\}.*|\1 \2 \3 \5|p; s/^differs/differs/p' \
        >>"$ONED_TEST_OUTPUT"
