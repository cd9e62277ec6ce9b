#!/usr/bin/env bash
# galerna setup against the stand-in for OpenNebula: what is right, what is wrong, exit codes.
#
#   setup.sh GALERNA
set -euo pipefail

galerna=$1
work=$(mktemp -d)
sandbox=
unset ONE_XMLRPC ONE_AUTH GALERNA_SOCKET

finish() {
    if [ -n "$sandbox" ]; then
        kill "$sandbox" 2>/dev/null || true
        wait "$sandbox" 2>/dev/null || true
    fi
    sandbox=
}
trap 'finish; rm -rf "$work"' EXIT

fail() {
    echo "setup.sh: $*" >&2
    cat "$work/out" "$work/err" >&2
    exit 1
}

# sandbox ARGUMENT...: start one; $endpoint is where it is.
start() {
    finish
    "$galerna" sandbox --port 0 --hosts 2 --auth "$work/auth" "$@" >"$work/ready" &
    sandbox=$!
    for _ in $(seq 100); do
        endpoint=$(grep -oE 'http://[^ ,]+' "$work/ready") && break
        sleep 0.1
    done
    [ -n "$endpoint" ] || fail "the sandbox does not start"
}

# expect CODE TEXT ARGUMENT...: run setup; it ends with CODE and says TEXT on either stream.
expect() {
    local code=$1 text=$2 got=0
    shift 2
    printf '[opennebula]\nendpoint: %s\nauth-file: %s\n' "$endpoint" "$work/auth" >"$work/conf"
    "$galerna" setup -c "$work/conf" "$@" >"$work/out" 2>"$work/err" || got=$?
    [ "$got" -eq "$code" ] || fail "setup $*: exit code $got instead of $code"
    grep -qF -- "$text" "$work/out" "$work/err" || fail "setup $*: '$text' is not said"
}

start --opennebula 7.4 --configuration 'SCHED_MAD=[ARGUMENTS="-t 15 -p galerna -o galerna"]'
expect 0 'OpenNebula 7.4'
expect 0 'oned leaves placement to Galerna'

start --opennebula 7.4 --configuration 'SCHED_MAD=[ARGUMENTS="-t 15 -p rank -o one_drs"]
DRS_INTERVAL=600'
expect 0 '-p galerna -o galerna'
expect 0 ' 1. place and optimize are not in'
[ "$(grep -c 'systemctl restart opennebula' "$work/out")" -eq 1 ] || fail "oned is restarted twice"
# The files, the configuration, the restart, galernad: in this order.
grep -oE 'install -o oneadmin -m|SCHED_MAD = |systemctl restart|systemctl enable' "$work/out" \
    >"$work/steps"
printf '%s\n' 'install -o oneadmin -m' 'SCHED_MAD = ' 'systemctl restart' 'systemctl enable' |
    cmp - "$work/steps" || fail "the steps are in another order"
expect 1 'install -o oneadmin' --check
expect 1 'SCHED_MAD has -p rank' --check
GALERNA_SOCKET=$work/none expect 1 'wrong           galernad       galernad does not run on this machine' --check
grep -q 'systemctl enable --now galernad' "$work/out" || fail "how to start galernad is not said"
deep=$work/$(printf 'd%.0s' {1..120}) # longer than the address of a socket may be
mkdir "$deep"
(cd "$deep" && exec python3 -c '
import socket
server = socket.socket(socket.AF_UNIX)
server.bind("socket")
server.listen()
client, _ = server.accept()
client.recv(4096)
client.sendall(b"{\"ok\": true}\n")
client.recv(1)') &
for _ in $(seq 100); do [ -S "$deep/socket" ] || sleep 0.1; done
GALERNA_SOCKET=$deep/socket expect 1 "right           galernad       galernad runs ($deep/socket)" --check
expect 1 '"right": false' --check --json
expect 1 'DRS_INTERVAL is 600 s' --check
[ ! -s "$work/err" ] || fail "something on standard error"

start --opennebula 6.10
expect 0 'OpenNebula 6.10'

start --opennebula 6.10 --submit-on-hold
expect 1 'VM_SUBMIT_ON_HOLD' --check

echo oneadmin:wrong-secret >"$work/auth"
chmod 600 "$work/auth"
expect 1 'authenticated'
if grep -q wrong-secret "$work/out" "$work/err"; then
    fail "the password is told"
fi

expect 64 'mutually exclusive' --apply --revert
expect 64 '--apply and --json are mutually exclusive' --apply --json
expect 64 'Try' --nonsense
expect 64 'unexpected argument' 7.4
expect 0 'usage:' --help

finish
expect 1 'no connection'
