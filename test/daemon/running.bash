# Sourced by the tests that run galernad beside the sandbox: a work directory, both programs, and
# what they say. $1 and $2 are galernad and galerna.
# shellcheck shell=bash

galernad=$1
galerna=$2
work=$(mktemp -d)
pids=()
unset ONE_XMLRPC ONE_AUTH GALERNA_SOCKET STATE_DIRECTORY NOTIFY_SOCKET
export RUNTIME_DIRECTORY=$work

finish() {
    kill -KILL "${pids[@]}" 2>/dev/null || true
    wait
    ! mountpoint -q "$work/state" || umount "$work/state"
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "$(basename "$0"): $*" >&2
    "$galerna" lease list --state-dir "$work/state" >&2 || true
    tail -n 30 "$work/log" >&2
    exit 1
}

# until_said FILE TEXT: within 20 s.
until_said() {
    for _ in $(seq 200); do
        ! grep -qE -- "$2" "$work/$1" 2>/dev/null || return 0
        sleep 0.1
    done
    fail "$1 does not say: $2"
}

# start_oned OPTION...: a sandbox, and a configuration for it.
start_oned() {
    "$galerna" sandbox --port 0 --auth "$work/auth" "$@" >"$work/ready" &
    pids+=($!)
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
    pids+=("$daemon")
}

stop_galernad() {
    kill "$daemon"
    wait "$daemon" || fail "galernad ends with $?"
}

# oned WHAT ARGUMENT...: galerna sandbox WHAT.
oned() {
    "$galerna" sandbox "$1" --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" "${@:2}"
}
