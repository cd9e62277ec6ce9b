#!/usr/bin/env bash
# galernad --simulate: ended and killed, it goes on with the hosts, VMs and leases it had; what
# cannot go together is refused.
#
#   simulate.sh GALERNAD GALERNA
set -euo pipefail

galernad=$1
galerna=$2
work=$(mktemp -d)
daemon=
unset ONE_XMLRPC ONE_AUTH GALERNA_SOCKET STATE_DIRECTORY RUNTIME_DIRECTORY NOTIFY_SOCKET

finish() {
    [ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "simulate.sh: $*" >&2
    cat "$work/log" >&2
    exit 1
}

conf() {
    printf '[simulation]\nresources: %s\n[scheduling]\npolicy-preemption: ar-preempts-everything\n' \
        "$1" >"$work/conf"
    printf 'suspend-rate: 1024\nresume-rate: 1024\n[opennebula]\npoll-interval: 1\n' >>"$work/conf"
}

lease() {
    "$galerna" lease "$@" --state-dir "$work/state"
}

start() {
    "$galernad" --simulate --foreground --state-dir "$work/state" -c "$work/conf" >>"$work/log" 2>&1 &
    daemon=$!
    for _ in $(seq 100); do
        ! lease list >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    fail "it does not start"
}

# becomes LEASE PHASE
becomes() {
    for _ in $(seq 400); do
        ! lease show "$1" --json | grep -q "\"phase\": \"$2\"" || return 0
        sleep 0.1
    done
    fail "lease $1 does not become $2"
}

# refuses CODE TEXT ARGUMENT...
refuses() {
    local code=$1 text=$2 got=0
    shift 2
    timeout 20 "$galernad" --foreground -c "$work/conf" "$@" >"$work/out" 2>&1 || got=$?
    [ "$got" -eq "$code" ] || fail "$*: exit code $got instead of $code: $(cat "$work/out")"
    grep -qF -- "$text" "$work/out" || fail "$*: '$text' is not said, but: $(cat "$work/out")"
}

conf '2  CPU:400 Memory:8192'
start
lease request --cpu 4 --memory 2048 --count 2 --duration 10m --preemptible >"$work/out"
becomes 0 running
"$galerna" host timeline 0 --json --state-dir "$work/state" | grep -qE '"vm": [01]' ||
    fail "the timeline does not say which VM runs"
lease request --cpu 4 --memory 2048 --count 2 --duration 5s --start +40s >"$work/out"
becomes 2 reserved
private=$(find "$work/state" -perm /077)
[ -z "$private" ] || fail "others may use $private"
kill -TERM "$daemon"
wait "$daemon" || fail "it ends with $?"

# The promise is kept over two restarts, and what made room for it goes on.
start
becomes 0 running
becomes 2 reserved
kill -KILL "$daemon"
wait "$daemon" 2>/dev/null || true
start
becomes 2 running
becomes 0 waiting
becomes 2 ended
becomes 0 running
grep -qE "suspended +for lease 2, .* left to run" <<<"$(lease history 0)" ||
    fail "the history does not say for which lease it was suspended: $(lease history 0)"
grep -qE 'VM 0: (stop|suspend) on host [01] \(lease 0: .*lease 2' "$work/log" ||
    fail "the log does not say for which lease VM 0 is suspended"
kill -TERM "$daemon"
wait "$daemon" || fail "it ends with $?"
daemon=

conf '3  CPU:400 Memory:8192'
refuses 1 'has 2 hosts, simulation.resources 3' --simulate --state-dir "$work/state"
conf '2  CPU:400 Memory:8192'
refuses 78 'has the leases of simulated hosts' --state-dir "$work/state"
mv "$work/state/simulated.db" "$work/gone"
refuses 78 'is gone' --simulate --state-dir "$work/state"
conf 'many  CPU:400'
refuses 78 'simulation.resources: expected a number of hosts' --simulate --state-dir "$work/other"
