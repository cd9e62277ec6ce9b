# Sourced by the tests that run galernad, beside the sandbox or with simulated hosts: a work directory,
# both programs, and what they say. $1 and $2 are galernad and galerna.
# shellcheck shell=bash

galernad=$1
galerna=$2
work=$(mktemp -d)
unset ONE_XMLRPC ONE_AUTH GALERNA_SOCKET STATE_DIRECTORY NOTIFY_SOCKET
export RUNTIME_DIRECTORY=$work

finish() {
    local running
    running=$(jobs -pr)
    # shellcheck disable=SC2086 # several words
    [ -z "$running" ] || kill -KILL $running 2>/dev/null || true
    wait
    ! mountpoint -q "$work/state" || umount "$work/state"
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "$(basename "$0"): ${does:+$does: }$*" >&2
    [ ! -S "$work/state/control.sock" ] || "$galerna" lease list --all --state-dir "$work/state" >&2 || true
    tail -n 40 "$work/log" "$work/out" >&2 2>/dev/null || true
    exit 1
}

# until_true COMMAND...: within 40 s.
until_true() {
    for _ in $(seq 400); do
        ! "$@" || return 0
        sleep 0.1
    done
    fail "never: $*"
}

said() {
    grep -qE -- "$2" "$work/$1" 2>/dev/null
}

# until_said FILE TEXT
until_said() {
    until_true said "$@"
}

# ends_with CODE TEXT COMMAND...: it ends with CODE and says TEXT.
ends_with() {
    local code=$1 text=$2 got=0
    shift 2
    "$@" >"$work/out" 2>&1 || got=$?
    [ "$got" -eq "$code" ] || fail "$*: exit code $got instead of $code"
    grep -qF -- "$text" "$work/out" || fail "$*: '$text' is not said"
}

lease() {
    "$galerna" lease "$@" --state-dir "$work/state"
}

# is LEASE PHASE
is() {
    lease show "$1" --json 2>/dev/null | grep "\"phase\": \"$2\"" >/dev/null
}

# start_oned OPTION...: a sandbox, whose process is $sandbox, and a configuration for it.
start_oned() {
    "$galerna" sandbox --port 0 --auth "$work/auth" "$@" >"$work/ready" &
    # shellcheck disable=SC2034 # for the tests
    sandbox=$!
    until_said ready '127.0.0.1:[0-9]'
    port=$(grep -oE '127.0.0.1:[0-9]+' "$work/ready")
    port=${port#*:}
    printf '[opennebula]\nendpoint: http://127.0.0.1:%s/RPC2\nauth-file: %s\npoll-interval: 1\n' \
        "$port" "$work/auth" >"$work/conf"
}

# start_galernad: in the background, run by the command "${under[@]}"; its process is $daemon.
under=()
start_galernad() {
    "${under[@]}" "$galernad" --foreground --state-dir "$work/state" -c "$work/conf" >"$work/log" 2>&1 &
    daemon=$!
}

answers() {
    lease list >/dev/null 2>&1
}

# start_simulated: the same with simulated hosts; returns when it answers. The log goes on.
start_simulated() {
    "$galernad" --simulate --foreground --state-dir "$work/state" -c "$work/conf" >>"$work/log" 2>&1 &
    daemon=$!
    until_true answers
}

stop_galernad() {
    kill "$daemon"
    wait "$daemon" || fail "galernad ends with $?"
}

# oned WHAT ARGUMENT...: galerna sandbox WHAT.
oned() {
    "$galerna" sandbox "$1" --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" "${@:2}"
}
