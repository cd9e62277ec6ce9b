#!/usr/bin/env bash
# A zone of two front-ends. Both run galernad; the one beside the leader acts, the other one watches, and
# says so. Elections, and a daemon that slept through one.
#
#   front_ends.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=zone.bash
. "$(dirname "$0")/zone.bash"

cat >"$work/tell" <<END
#!/bin/sh
grep -o '"lease":[0-9]*' >>'$work/told'
END
chmod +x "$work/tell"
sections=$(printf '[notify program]\non: start\nprogram: %s/tell' "$work")
start_first
start_follower second
sleep 12
alive second || fail "the second one does not wait for its oned to lead"
status second ", follower"
status second "galernad stands by"
status second "(server 0, Raft term 5)"
"$galerna" lease list --state-dir "$work/second" 2>"$work/err" >/dev/null
grep -q 'may be outdated: this oned does not lead its zone (follower) (since' "$work/err" ||
    fail "the list of a follower says: $(cat "$work/err")"
"$galerna" lease list --state-dir "$work/first" 2>"$work/err" >/dev/null
! grep -q outdated "$work/err" || fail "the list of the leader says: $(cat "$work/err")"
status first ", leader"
status first "galernad acts"
says second 'signs promises with another key' # each has made its own
"$galerna" status --state-dir "$work/second" >"$work/status" && fail "status does not fail"
grep -q 'signs promises with another key' "$work/status" ||
    fail "status does not say that the keys differ"
checks 'wrong .*promise.key is not the key'

# A lease that ends while it watches, which may be for months, is in its store and no longer in memory.
short=$("$galerna" sandbox submit --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" \
    --cpu 0.1 --memory 16 --haizea DURATION=00:00:02)
for _ in $(seq 150); do
    "$galerna" status --state-dir "$work/second" >"$work/status" || true
    "$galerna" lease history "$short" --state-dir "$work/second" >"$work/history" 2>&1 || true
    ! grep -q ' ended' "$work/history" || grep -q '^leases .* ended' "$work/status" || break
    sleep 0.1
done
grep -q ' ended' "$work/history" || fail "the end of a lease is not in the store of a follower"
! grep -q '^leases .* ended' "$work/status" || fail "a follower keeps the leases that have ended"

# An election: the other one acts within 10 s, the deposed one watches.
elect 6 other
acts second 10
status first ", follower"
for _ in $(seq 100); do # all leases that were started
    [ "$(sort -u "$work/told" | wc -l)" -lt 3 ] || break
    sleep 0.1
done
[ "$(sort -u "$work/told" | wc -l)" -eq 3 ] || fail "a start was not told: $(cat "$work/told")"
twice=$(sort "$work/told" | uniq -d)
[ -z "$twice" ] || fail "told by both front-ends: $twice"
before=$(deployed first)
acts second 5
[ "$(deployed first)" = "$before" ] || fail "a deposed galernad sends commands"

# A process that stood still during an election, with its clock, sends nothing when it goes on.
before=$(deployed second)
kill -STOP "${pid[second]}"
elect 7 oneadmin
acts first 10
sleep 20
kill -CONT "${pid[second]}"
acts first 5
acts first 5
[ "$(deployed second)" = "$before" ] || fail "a galernad that woke up sends commands"
alive second || fail "a galernad that was deposed in its sleep ends"
