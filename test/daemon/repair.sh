#!/usr/bin/env bash
# A store that is damaged while galernad is down is refused with exit status 65 and is not changed;
# after galernad --repair, which says what is lost, galernad adopts the VMs again and goes on.
#
#   repair.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"

start_oned --hosts 2
start_galernad
for name in one two; do
    oned submit --cpu 1 --memory 128 --attribute "HAIZEA=[DURATION=\"1:00:00\"]" \
        --attribute "NAME=\"$name\"" >"$work/out"
done
until_said log 'VM 0: deploy accepted'
until_said log 'VM 1: deploy accepted'
kill -KILL "$daemon"
wait "$daemon" 2>/dev/null || true

# The end of the log is cut off, which SQLite alone does not notice: ten pages, as a daemon that is
# killed may have written its last commit and not yet counted it.
truncate -s -41200 "$work/state/store.db-wal"
before=$(cksum "$work"/state/store.{db,db-wal,seal})
for _ in 1 2; do
    code=0
    timeout 60 "$galernad" --foreground --state-dir "$work/state" -c "$work/conf" >"$work/log" 2>&1 ||
        code=$?
    [ $code -eq 65 ] || fail "exit status $code"
    until_said log 'store.db is damaged: .*commits are missing.*galernad --repair'
done
[ "$(cksum "$work"/state/store.{db,db-wal,seal})" = "$before" ] || fail "what is refused is changed"

"$galernad" --repair --state-dir "$work/state" -c "$work/conf" >"$work/repaired" 2>&1 ||
    fail "not repaired: $(cat "$work/repaired")"
until_said repaired 'the last commits are lost \([0-9]+ of [0-9]+\)'
until_said repaired 'the damaged store is kept as .*/state/store.db.damaged-1'
"$galernad" --repair --state-dir "$work/state" -c "$work/conf" >"$work/repaired"
[ "$(cat "$work/repaired")" = "The store is intact." ] || fail "again: $(cat "$work/repaired")"

start_galernad
until_said log 'scheduling OpenNebula'
until_true is 0 running
until_true is 1 running
stop_galernad
