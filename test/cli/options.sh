#!/usr/bin/env bash
# Commands with bad values (options.py) beside a galernad with simulated hosts.
#
#   options.sh GALERNAD GALERNA
set -euo pipefail

here=$(dirname "$0")
# shellcheck source-path=SCRIPTDIR/../daemon source=../daemon/running.bash
. "$here/../daemon/running.bash"

printf '[simulation]\nresources: 4  CPU:400 Memory:8192\n[opennebula]\npoll-interval: 1\n' >"$work/conf"
start_simulated
lease request --cpu 1 --memory 64 >"$work/out"
lease request --cpu 1 --memory 64 --start +1h --duration 1h --name named >"$work/out"
does='commands with bad values'
GALERNA_SOCKET=$work/state/control.sock python3 "$here/options.py" "$galerna" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
until_true is 0 running
stop_galernad
