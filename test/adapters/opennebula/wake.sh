#!/usr/bin/env bash
# galernad hears of a new VM at once, though it polls once a minute only: through the `place` driver
# of 7.x, and through the hook of 6.x.
#
#   wake.sh GALERNA GALERNAD GALERNA-WAKE FOLDER-OF-SCRIPTS
set -euo pipefail

galerna=$1
galernad=$2
export GALERNA_WAKE=$3
scripts=$4
work=$(mktemp -d)
export GALERNA_SOCKET=$work/state/control.sock
unset ONE_XMLRPC ONE_AUTH
processes=()

finish() {
    local process

    for process in "${processes[@]}"; do
        kill "$process" 2>/dev/null || true
        wait "$process" || true
    done
    processes=()
}
trap 'finish; rm -rf "$work"' EXIT

fail() {
    echo "wake.sh: $*" >&2
    tail -n 20 "$work"/*.log >&2
    exit 1
}

# await TENTHS COMMAND...
await() {
    local left=$1
    shift
    until "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 0.1
    done
}

deployed() {
    grep -q 'VM 0: deploy' "$work/galernad.log"
}

# hears VERSION SANDBOX-ARGUMENT...
hears() {
    local version=$1
    shift

    rm -rf "$work/state" "$work/auth" "$work"/*.log
    "$galerna" sandbox --opennebula "$version" --port 0 --hosts 1 --auth "$work/auth" "$@" \
        >"$work/sandbox.log" 2>&1 &
    processes=($! "${processes[@]}")
    await 100 grep -q ready "$work/sandbox.log" || fail "the sandbox does not start"
    endpoint=$(grep -oE 'http://[^ ,]+' "$work/sandbox.log")
    printf '[opennebula]\nendpoint: %s\nauth-file: auth\npoll-interval: 60\n' "$endpoint" \
        >"$work/conf"
    RUNTIME_DIRECTORY=$work "$galernad" --foreground -c "$work/conf" --state-dir "$work/state" >"$work/galernad.log" 2>&1 &
    processes=($! "${processes[@]}")
    await 200 "$galerna" status || fail "galernad does not start"
    sleep 1 # the poll of the start is over
    "$galerna" sandbox submit --endpoint "$endpoint" --auth "$work/auth" >/dev/null
    await 100 deployed || fail "OpenNebula $version: the VM was not deployed in 10 s"
    finish
}

hears 7.4 --place "$scripts/place" --window-time 1
hears 6.10 --hook "$scripts/hook"
