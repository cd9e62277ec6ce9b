#!/usr/bin/env bash
# A zone of two front-ends, and what keeps a galernad from acting or has to be told: another configuration,
# a later version, no leader, dry-run, an oned that does not answer.
#
#   front_ends_passive.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=zone.bash
. "$(dirname "$0")/zone.bash"

start_first

# With the key of the other front-end galernad reports the configuration as the only problem.
differs='has another configuration'
mkdir -m 700 "$work/second"
cp "$work/first/promise.key" "$work/second/promise.key"
start_follower second 'retry-limit: 3'
sleep 4
status second "Raft term 5)"
! grep -q "another key" "$work/second.log" || fail "the same key is taken for another one"
says second "$differs"
checks 'wrong .*galerna.conf differs'
checks 'right .*the promise key is the same'
sed -i '/retry-limit/d' "$work/second.conf"
kill -HUP "${pid[second]}"
sleep 2
"$galerna" status --state-dir "$work/second" >"$work/status" || fail "the same configuration differs"
checks 'right .*galerna.conf is the same'

# Beside a galernad of a later version, also one that is gone, this one does not act, and says why.
kill -KILL "${pid[first]}"
wait "${pid[first]}" 2>/dev/null || true
call one.document.update 0 'VERSION=99 PLACE=elsewhere' 1
elect 16 other
before=$(deployed second)
"$galerna" sandbox submit --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" \
    --cpu 0.1 --memory 16 >/dev/null
sleep 15
[ "$(deployed second)" = "$before" ] || fail "it acts beside a galernad with other rules"
"$galerna" status --state-dir "$work/second" >"$work/status" && fail "status does not fail"
grep -q 'newer version' "$work/status" || fail "status does not say that another one is newer"
kill -KILL "${pid[second]}" # the same when it is started beside that mark
wait "${pid[second]}" 2>/dev/null || true
start second localhost second "$work/other"
sleep 5
"$galerna" status --state-dir "$work/second" >"$work/status" && fail "status does not fail"
grep -q 'newer version' "$work/status" || fail "a start does not say that another one is newer"
call one.document.delete 0
acts second 10

# An oned without the other servers of its zone has no leader, and its galernad waits.
call sandbox.raft 1 17
sleep 3
status second ", candidate"
alive second || fail "the second one does not wait for its oned to lead"

# With dry-run it does not claim to act, although its oned leads.
kill -KILL "${pid[second]}"
wait "${pid[second]}" 2>/dev/null || true
elect 18 other
start second localhost second "$work/other" 'dry-run: yes'
sleep 4
status second "leader in Raft term 18; galernad sends no commands (dry-run is on)$"
kill -KILL "${pid[second]}"
wait "${pid[second]}" 2>/dev/null || true
start second localhost second "$work/other"
sleep 12

# While its oned does not answer, another front-end may have been elected: galernad does not claim to act.
status second "leader in Raft term 18; galernad acts"
kill -KILL "${pid[sandbox]}"
wait "${pid[sandbox]}" 2>/dev/null || true
sleep 4
status second 'role unknown; galernad stands by$'
