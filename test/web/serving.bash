# Sourced by the tests of galerna-web, which are called with GALERNAD GALERNA GALERNA-WEB FILES; $here is
# this folder.
# shellcheck shell=bash

# shellcheck source-path=SCRIPTDIR/../daemon source=running.bash
. "$here/../daemon/running.bash"
web=$3
files=$4

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start_web LOG OPTION...: in front of galernad and the sandbox.
start_web() {
    local log=$1
    shift
    "$web" --socket "$work/state/control.sock" --endpoint "http://127.0.0.1:$port/RPC2" \
        --files "$files" "$@" >"$work/$log" 2>&1 &
}
