# Sourced by the tests of galerna-web, after ../daemon/running.bash; $web and $files are set.
# shellcheck shell=bash

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start_web LOG OPTION...: in front of galernad and the sandbox.
start_web() {
    local log=$1
    shift
    # shellcheck disable=SC2154 # the test sets them
    "$web" --socket "$work/state/control.sock" --endpoint "http://127.0.0.1:$port/RPC2" \
        --files "$files" "$@" >"$work/$log" 2>&1 &
}
