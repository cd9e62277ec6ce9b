# Sourced by the tests with several galernads and one OpenNebula, which they reach by two names, so that
# the lock of this machine does not keep them apart. $1 and $2 are galernad and galerna.
# shellcheck shell=bash

galernad=$1
galerna=$2
work=$(mktemp -d)
declare -A pid=()
unset ONE_XMLRPC ONE_AUTH GALERNA_SOCKET STATE_DIRECTORY NOTIFY_SOCKET
export RUNTIME_DIRECTORY=$work/run
mkdir -m 700 "$work/run"

finish() {
    kill -KILL "${pid[@]}" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "$(basename "$0"): $*" >&2
    tail -n 20 "$work"/*.log >&2
    exit 1
}

# start NAME HOST [STATE [AUTH [LINE]]]; $sections: further sections of the configuration.
sections=
start() {
    printf '%s\n[opennebula]\nendpoint: http://%s:%s/RPC2\nauth-file: %s\npoll-interval: 1\n%s\n' \
        "$sections" "$2" "$port" "${4:-$work/auth}" "${5:-}" >"$work/$1.conf"
    "$galernad" --foreground --state-dir "$work/${3:-$1}" -c "$work/$1.conf" >>"$work/$1.log" 2>&1 &
    pid[$1]=$!
}

alive() {
    kill -0 "${pid[$1]}" 2>/dev/null
}

# ends NAME CODE SECONDS
ends() {
    local got=0
    for _ in $(seq "$(($3 * 10))"); do
        alive "$1" || break
        sleep 0.1
    done
    alive "$1" && fail "$1 still runs after $3 s"
    wait "${pid[$1]}" || got=$?
    [ "$got" -eq "$2" ] || fail "$1: exit code $got instead of $2"
}

# acts NAME SECONDS: a VM that is created now runs; NAME says that it has started it.
acts() {
    local before vm
    before=$(grep -c deploy "$work/$1.log" 2>/dev/null || true)
    vm=$("$galerna" sandbox submit --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" \
        --cpu 1 --memory 128)
    for _ in $(seq "$(($2 * 10))"); do
        [ "$(grep -c deploy "$work/$1.log" || true)" -le "${before:-0}" ] || return 0
        sleep 0.1
    done
    fail "$1 does not start $vm within $2 s"
}

says() {
    grep -qF -- "$2" "$work/$1.log" || fail "$1 does not say: $2"
}

# call METHOD ARGUMENT...
call() {
    "$galerna" sandbox call --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" "$@" >/dev/null
}

"$galerna" sandbox --port 0 --hosts 2 --auth "$work/auth" >"$work/ready" &
pid[sandbox]=$!
for _ in $(seq 100); do
    port=$(grep -oE '127.0.0.1:[0-9]+' "$work/ready" 2>/dev/null) && break
    sleep 0.1
done
port=${port#*:}
