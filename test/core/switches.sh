#!/bin/sh
# Each switch of core/behaviour.h is looked at in exactly one place of the sources.
# usage: switches.sh SOURCE-FOLDER
set -eu
cd "$1"
switches=$(sed -n 's/^    bool \([a-z0-9_]*\);.*/\1/p' core/behaviour.h)
[ "$(echo "$switches" | wc -l)" -ge 20 ] || { echo "switches: cannot read core/behaviour.h"; exit 1; }
folders=$(find . -mindepth 1 -maxdepth 1 -type d ! -name build ! -name test ! -name '.*')
bad=0
for switch in $switches; do
    places=$(grep -rnE --include='*.[ch]' "(behaviour(\.|->)$switch)\>" $folders || true)
    [ "$(printf '%s' "$places" | grep -c .)" -eq 1 ] && continue
    echo "$switch is looked at in these places, not in one:"
    echo "$places"
    bad=1
done
exit $bad
