#!/usr/bin/env bash
# Two daemons and one OpenNebula: the second one ends with 3, a dead or sleeping one is followed.
#
#   guard.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=several.bash
. "$(dirname "$0")/several.bash"

# A second one on the same machine, under the same name: at once. On the same state: at once.
start first 127.0.0.1
acts first 10
start same 127.0.0.1
ends same 3 5
says same "in use by another galernad, process ${pid[first]}"
start first-again localhost first
ends first-again 3 5
says first-again "$work/first"

# A second one that reaches it by another name, as one on another machine does.
start second localhost
ends second 3 20
says second 'another galernad is active on this OpenNebula: instance'
alive first || fail "the first one has ended"
acts first 10

# A lock that other users could take keeps nobody out: the mark tells.
chmod 777 "$work/run"
start same 127.0.0.1
ends same 3 20
says same 'other users may write to it'
says same 'another galernad is active on this OpenNebula: instance'
chmod 700 "$work/run"

# A dead one is followed when its mark has stood still for a while.
kill -KILL "${pid[first]}"
wait "${pid[first]}" 2>/dev/null || true
start second localhost
acts second 40
says second 'another galernad is registered in OpenNebula'

# One that was asleep so long that another took its place ends when it wakes up.
kill -STOP "${pid[second]}"
start first 127.0.0.1
acts first 40
kill -CONT "${pid[second]}"
ends second 3 10
acts first 10

# One that ends in good order is followed at once.
kill -TERM "${pid[first]}"
ends first 0 10
start second localhost
acts second 10
kill -TERM "${pid[second]}"
ends second 0 10

# While OpenNebula confirms the mark and loses it, a start does not hang: nothing is sent, and status says why.
call sandbox.fault 'FAULT = [ KIND = "lose", METHOD = "one.document.update", COUNT = "-1" ]'
start third localhost third "$work/auth" 'timeout: 2'
for _ in $(seq 100); do
    "$galerna" status --state-dir "$work/third" >"$work/status" 2>&1 || true
    ! grep -q 'until OpenNebula has the mark' "$work/status" || break
    sleep 0.1
done
grep -q 'until OpenNebula has the mark' "$work/status" || fail "status says: $(cat "$work/status")"
! grep -q deploy "$work/third.log" || fail "commands are sent without the mark"
call sandbox.clear -1
acts third 15
