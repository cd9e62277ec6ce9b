#!/usr/bin/env bash
# The calendar in Chromium, wide and narrow, by keyboard, in the dark, while leases come and go
# (page.py drives it). Exits with 77 where chromium is not installed.
#
#   page.sh GALERNAD GALERNA GALERNA-WEB FILES (a directory)
set -euo pipefail

command -v chromium >/dev/null || {
    echo "page.sh: skipped: chromium is not installed"
    exit 77
}
here=$(dirname "$0")
# shellcheck source-path=SCRIPTDIR source=serving.bash
. "$here/serving.bash"

start_oned --hosts 2
start_galernad
until_true answers
lease request --cpu 2 --memory 512 --duration 1h --name first
lease request --cpu 1 --memory 512 --duration 1h --start +1h --count 2 --name booked
until_true is 0 running
until_true is 1 reserved
lease request --cpu 8 --memory 512 --duration 1h --count 2 --name queued
until_true is 3 waiting
http_port=$(free_port)
start_web web --listen "127.0.0.1:$http_port"
until_said web 'serving HTTP on'
python3 "$here/page.py" "127.0.0.1:$http_port" "$(cat "$work/auth")" "$work" \
    "http://127.0.0.1:$port/RPC2" || fail "$(cat "$work/web")"
