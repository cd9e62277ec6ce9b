#!/usr/bin/env bash
# The clock is set while galernad is not running. A time namespace in which the steady clock is an
# hour ahead stands for a wall clock that was set back by an hour: lengths of time stay as they are.
#
#   clocks_down.sh GALERNAD GALERNA
#
# Ends with 77 where there are no time namespaces.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"

ahead=()
for way in -T -rT; do
    if unshare "$way" --boottime 3600 true 2>/dev/null; then
        ahead=(unshare "$way" --boottime 3600)
        break
    fi
done
if [ "${#ahead[@]}" -eq 0 ]; then
    echo "clocks_down.sh: there are no time namespaces"
    exit 77
fi

# field NAME: of lease 0.
field() {
    "$galerna" lease show 0 --state-dir "$work/state" --json 2>/dev/null |
        sed -n "s/^ *\"$1\": \"\(.*\)\".*/\1/p" | head -n 1
}

# ends SECONDS: lease 0 runs, and ends so many seconds after $end, which is the end it had first; the
# machine may be slow, and wrong clocks would make it an hour.
ends() {
    local off
    [ "$(field phase)" = running ] || fail "the lease is $(field phase)"
    off=$(($(date -d "$(field end)" +%s) - end - $1))
    [ "${off#-}" -le 20 ] || fail "the lease ends $((off + $1)) s later, not $1"
}

start_oned --hosts 2
start_galernad
oned submit --cpu 1 --memory 128 --haizea START=now,DURATION=02:00:00 >"$work/vm"
for _ in $(seq 200); do
    [ "$(field phase)" != running ] || break
    sleep 0.1
done
end=$(date -d "$(field end)" +%s)
ends 0
stop_galernad

under=("${ahead[@]}")
start_galernad
until_said log 'the clock was set back by (1h00m|59m[0-9]*s) while galernad was not running'
until_said log 'connected to OpenNebula'
ends -3600
"$galerna" status --state-dir "$work/state" >"$work/status"
grep -qE '^clock of this machine +was set back by 1h00m while galernad was not running,' "$work/status" ||
    fail "status: $(cat "$work/status")"
"$galerna" status --json --state-dir "$work/state" | grep -q '"word": "stopped"' || fail "no word for when it was set"
stop_galernad

under=()
start_galernad
until_said log 'the clock was set forward by (1h00m|59m[0-9]*s) while galernad was not running'
until_said log 'connected to OpenNebula'
ends 0
stop_galernad

start_galernad
until_said log 'connected to OpenNebula'
ends 0
! grep -qE "was set (back|forward)" "$work/log" || fail "the clock was not set"
