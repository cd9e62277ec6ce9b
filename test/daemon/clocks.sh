#!/usr/bin/env bash
# OpenNebula's clock is an hour ahead and is set back while leases run: relative starts and lengths
# are right by the clock that everybody else looks at.
#
#   clocks.sh GALERNAD GALERNA
set -euo pipefail

galernad=$1
galerna=$2
work=$(mktemp -d)
pids=()
unset ONE_XMLRPC ONE_AUTH GALERNA_SOCKET STATE_DIRECTORY RUNTIME_DIRECTORY NOTIFY_SOCKET

finish() {
    kill -KILL "${pids[@]}" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "clocks.sh: $*" >&2
    "$galerna" lease list --state-dir "$work/state" >&2 || true
    tail -n 30 "$work/log" >&2
    exit 1
}

oned() {
    "$galerna" sandbox "$1" --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" "${@:2}"
}

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

"$galerna" sandbox --port 0 --hosts 2 --auth "$work/auth" --clock-offset 3600 >"$work/ready" &
pids+=($!)
for _ in $(seq 100); do
    port=$(grep -oE '127.0.0.1:[0-9]+' "$work/ready" 2>/dev/null) && break
    sleep 0.1
done
port=${port#*:}
printf '[opennebula]\nendpoint: http://127.0.0.1:%s/RPC2\nauth-file: %s\npoll-interval: 1\n' \
    "$port" "$work/auth" >"$work/conf"
"$galernad" --foreground --state-dir "$work/state" -c "$work/conf" >"$work/log" 2>&1 &
pids+=($!)
for _ in $(seq 100); do
    grep -qF 'is seen' "$work/log" 2>/dev/null && break
    sleep 0.1
done
grep -qE 'clock is (3599|3600|3601) s ahead of ours' "$work/log" || fail "the difference is not noticed"

begun=$(date +%s)
oned submit --cpu 1 --memory 128 --haizea START=now,DURATION=00:00:25 >"$work/vm"
oned submit --cpu 1 --memory 128 --haizea START=+00:00:15,DURATION=00:00:15 >"$work/vm"
becomes 0 running 0
oned call sandbox.clock -1 -5000 >"$work/vm"
becomes 1 running 14
becomes 0 ended 24
becomes 1 ended 28
grep -qE 'clock was set by -[45][0-9]{3} s' "$work/log" || fail "the jump is not noticed"
