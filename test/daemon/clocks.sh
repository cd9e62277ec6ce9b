#!/usr/bin/env bash
# OpenNebula's clock is an hour ahead and is set back while leases run: relative starts and lengths
# are right by the clock that everybody else looks at.
#
#   clocks.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"

# phase LEASE
phase() {
    "$galerna" lease show "$1" --state-dir "$work/state" --json 2>/dev/null |
        sed -n 's/^ *"phase": "\([a-z]*\)".*/\1/p' | head -n 1
}

# becomes LEASE PHASE SECONDS: it gets there, and not before so many seconds after $begun. How long it
# takes beyond them is the machine's affair; wrong clocks would make it an hour.
becomes() {
    local took
    while [ "$(phase "$1")" != "$2" ]; do
        took=$(($(date +%s) - begun))
        [ "$took" -le 100 ] || fail "lease $1 is $(phase "$1"), not $2, after $took s"
        sleep 0.2
    done
    took=$(($(date +%s) - begun))
    [ "$took" -ge "$3" ] || fail "lease $1 is $2 after $took s already"
}

start_oned --hosts 2 --clock-offset 3600
start_galernad
until_said log 'connected to OpenNebula'
grep -qE 'clock is (59m59s|1h00m) ahead of this machine' "$work/log" || fail "the difference is not noticed"

begun=$(date +%s)
oned submit --cpu 1 --memory 128 --haizea START=now,DURATION=00:00:25 >"$work/vm"
oned submit --cpu 1 --memory 128 --haizea START=+00:00:15,DURATION=00:00:15 >"$work/vm"
becomes 0 running 0
until_true is 1 reserved
# Of the third, galernad hears after the clock was set.
kill -STOP "$daemon"
oned submit --cpu 1 --memory 128 --haizea START=+00:00:15,DURATION=00:00:15 >"$work/vm"
oned call sandbox.clock -1 -5000 >"$work/vm"
kill -CONT "$daemon"
becomes 1 running 14
becomes 2 running 14
becomes 0 ended 24
becomes 1 ended 28
grep -qE 'clock was set back by 1h[0-9]{2}m and now is [0-9]+m[0-9]{2}s behind this machine' "$work/log" || fail "the jump is not noticed"
