#!/usr/bin/env bash
# galernad beside the sandbox: a request is not refused by access rules that are older than it is.
#
#   rights.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"

# call SESSION METHOD ARGUMENT...: prints the answer; #5: a number.
call() {
    python3 - "$port" "$@" <<'EOF'
import sys, xmlrpc.client
port, session, method, *arguments = sys.argv[1:]
server = xmlrpc.client.ServerProxy(f"http://127.0.0.1:{port}/RPC2")
ok, answer, *_ = getattr(server, method)(
    session, *[int(a[1:]) if a.startswith("#") else a for a in arguments])
assert ok, answer
print(answer)
EOF
}
admin() { call "$(cat "$work/auth")" "$@"; }
anna() { call anna:secret "$@"; }

# reserves: prints the VM.
reserves() {
    anna one.vm.allocate 'NAME=r
CPU=1
MEMORY=128
GALERNA=[START="+00:00:20",DURATION="01:00:00"]'
}

# allows HOST: to the group users, MANAGE
allows() { admin one.acl.addrule 200000001 "210000000$1" 2 >/dev/null; }

start_oned --hosts 2 --cpu 1 --memory 1024
admin one.user.allocate anna secret core >/dev/null
rules=$(admin one.acl.info | tr -d '\n ' | sed 's/<ACL>/\n/g' | grep '<RESOURCE>2400000000' |
    grep -oE '<ID>[0-9]+' | grep -oE '[0-9]+')
for rule in $rules; do admin one.acl.delrule "#$rule" >/dev/null; done
start_galernad
until_true answers

does='without an older rule no host is allowed'
allows 0
first=$(reserves)
until_true is "$first" reserved

does='by the older rules another lease takes the only host'
allows 1
second=$(reserves)
until_true is "$second" reserved
! said log 'refused' || fail 'it was refused at first'

does='no host has room'
third=$(reserves)
until_true is "$third" refused
stop_galernad
