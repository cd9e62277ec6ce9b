#!/usr/bin/env bash
# The disk with the store is full: nothing is promised or sent, status and request say
# so; when it can be written again, all that waited is done, once.
#
#   full.sh GALERNAD GALERNA
#
# Ends with 77 where no small file system can be mounted.
set -euo pipefail

if [ "${3:-}" != mounted ]; then
    for way in -rm -m; do
        if unshare "$way" sh -c 'mount -t tmpfs -o size=1m tmpfs /mnt' 2>/dev/null; then
            exec unshare "$way" "$0" "$1" "$2" mounted
        fi
    done
    echo "full.sh: no file system can be mounted"
    exit 77
fi

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"

submit() {
    oned submit --cpu 1 --memory 128 --attribute "FILL=\"$(printf '%0500d' 0)\"" >"$work/out"
}

start_oned --hosts 2
mkdir -m 700 "$work/state"
mount -t tmpfs -o size=1m,mode=700 tmpfs "$work/state"
start_galernad
submit
until_said log 'VM 0: deploy accepted'

head -c 2M /dev/zero >"$work/state/filler" 2>/dev/null || true
submit
submit
until_said log 'cannot write state, commands suspended: .*/store.db'
if "$galerna" status --state-dir "$work/state" >"$work/status"; then
    fail "status finds nothing wrong"
fi
grep -qE '^problem +.*/store.db: cannot write' "$work/status" || fail "status: $(cat "$work/status")"
if "$galerna" lease request --cpu 1 --memory 128 --state-dir "$work/state" >"$work/out" 2>&1; then
    fail "a lease is promised: $(cat "$work/out")"
fi
grep -qF 'so nothing is changed: ' "$work/out" || fail "request: $(cat "$work/out")"
for command in 'lease cancel 0' 'host drain 0' 'lease hold 1'; do
    # shellcheck disable=SC2086 # several words
    "$galerna" $command --state-dir "$work/state" >"$work/out" 2>&1 && fail "galerna $command changes something"
    grep -qF 'so nothing is changed: ' "$work/out" || fail "galerna $command: $(cat "$work/out")"
done
sleep 3
[ "$(grep -c 'cannot write state' "$work/log")" -eq 1 ] || fail "it is said again and again"
if grep -qE 'VM [12]: deploy' "$work/log"; then
    fail "commands go out that are not written down"
fi

rm "$work/state/filler"
until_said log 'state is writable again, commands resumed'
until_said log 'VM 1: deploy accepted'
until_said log 'VM 2: deploy accepted'
[ "$(grep -c 'deploy accepted' "$work/log")" -eq 3 ] || fail "a VM is deployed twice"
grep -qE 'by .*uid|drained' "$work/log" && fail "what was refused is done: $(cat "$work/log")"
"$galerna" status --state-dir "$work/state" >"$work/status" || fail "status: $(cat "$work/status")"
