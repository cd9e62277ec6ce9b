#!/usr/bin/env bash
# Haizea's XML-RPC interface: off unless it is asked for with a session, on the loopback interface only
# (haizea.py makes the calls).
#
#   haizea.sh GALERNAD GALERNA GALERNA-WEB FILES (a directory)
set -euo pipefail

here=$(dirname "$0")
# shellcheck source-path=SCRIPTDIR source=serving.bash
. "$here/serving.bash"

start_oned --hosts 2
start_galernad
until_true answers

does='what galerna-web refuses to do'
refuses() {
    ends_with 1 "$1" "$web" --files "$files" --socket x --endpoint http://127.0.0.1/RPC2 \
        --listen "127.0.0.1:$(free_port)" "${@:2}"
}
refuses 'must be used together' --haizea 127.0.0.1:42493
refuses 'must be used together' --haizea-auth "$work/auth"
refuses 'not an address of the loopback interface' --haizea 0.0.0.0:42493 --haizea-auth "$work/auth"
refuses "--haizea-auth: $work/none: No such file" --haizea 127.0.0.1:42493 --haizea-auth "$work/none"
echo 'no session' >"$work/empty"
refuses 'user:password' --haizea 127.0.0.1:42493 --haizea-auth "$work/empty"

does='calls'
haizea_port=$(free_port)
start_web web --listen "127.0.0.1:$(free_port)" --haizea "127.0.0.1:$haizea_port" --haizea-auth "$work/auth"
until_said web "serving Haizea's XML-RPC interface on"
python3 "$here/haizea.py" "http://127.0.0.1:$haizea_port" || fail "$(cat "$work/web")"
said web ' oneadmin POST /api/v1/leases: 201$' || fail "the log does not say who requests"

does='a session that is not valid'
echo 'oneadmin:wrong' >"$work/wrong"
wrong_port=$(free_port)
start_web other --listen "127.0.0.1:$(free_port)" --haizea "127.0.0.1:$wrong_port" --haizea-auth "$work/wrong"
until_said other "serving Haizea's XML-RPC interface on"
python3 "$here/haizea.py" "http://127.0.0.1:$wrong_port" --denied || fail "$(cat "$work/other")"
