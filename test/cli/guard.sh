#!/usr/bin/env bash
# Replays whose policy module crashes, leaves or does not return: they end, name the module, and
# leave no files behind that are not complete.
#
#   guard.sh GALERNA DATA MODULES
set -euo pipefail

galerna=$1
data=$(cd "$2" && pwd)
module=$3/offends-host-selection.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail() {
    echo "$1"
    sed 's/^/    | /' "$work/err"
    status=1
}

# configure DOES IN AFTER
configure() {
    cat "$data/small.conf" - >"$work/conf" <<EOC
[policy offends-host-selection]
does: $1
in: $2
after: $3
EOC
    sed -i "s|small.lwf|$data/small.lwf|" "$work/conf"
}

replay() {
    "$galerna" replay -c "$work/conf" --policy "host-selection=$module" -q "$@" 2>"$work/err"
}

# ended WHAT CODE EXPECTED TEXT
ended() {
    [ "$2" -eq "$3" ] || fail "$1: exit code $2 instead of $3"
    grep -qF -- "$4" "$work/err" || fail "$1: '$4' is not said"
    [ -z "$(ls -A "$work/out")" ] || fail "$1: files remain: $(ls -A "$work/out")"
}

mkdir "$work/out"
configure crash call 1
code=0
replay --jobs "$work/out/j.csv" --record "$work/out/r.json" || code=$?
ended crash $code 1 "policy module 'offends-host-selection' crashed: Segmentation fault when it was called for score"
code=0
replay -j 2 "$data/small.lwf" "$data/small.lwf" --jobs "$work/out/" || code=$?
ended 'crash in several replays' $code 1 "policy module 'offends-host-selection' crashed"

# ends_by SIGNAL WHAT TEXT: the replay is signalled once its module hangs.
ends_by() {
    local code=0
    rm -f "$work/err"
    (OFFENDER_TELLS=yes exec "$galerna" replay -c "$work/conf" --policy "host-selection=$module" -q \
        --jobs "$work/out/j.csv" 2>"$work/err") &
    until grep -qsx hangs "$work/err" || ! kill -0 $!; do
        sleep 0.1
    done
    kill "-$1" $!
    wait $! || code=$?
    ended "$1 $2" $code 130 "$3"
}

for signal in INT TERM; do
    configure hang create 0
    ends_by $signal 'at the first try' 'interrupted during the trial of policy modules'
    configure hang call 1
    ends_by $signal 'in a call' \
        "policy module 'offends-host-selection' did not return when it was called for score"
done
exit $status
