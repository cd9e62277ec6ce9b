#!/usr/bin/env bash
# The Python client: it is what make_client.py makes, its example runs, and it reports errors.
#
#   client.sh GALERNAD GALERNA GALERNA-WEB FILES CLIENT (directories)
set -euo pipefail

here=$(dirname "$0")
# shellcheck source-path=SCRIPTDIR source=serving.bash
. "$here/serving.bash"
client=$5
export PYTHONPATH=$client PYTHONDONTWRITEBYTECODE=1

python3 "$client/make_client.py" "$files/openapi.json" >"$work/made.py"
cmp "$work/made.py" "$client/galerna_client.py" ||
    fail "openapi.json has changed; in web/: client/make_client.py files/openapi.json >client/galerna_client.py"

start_oned --hosts 2
start_galernad
until_true answers
http_port=$(free_port)
start_web web --listen "127.0.0.1:$http_port"
until_said web 'serving HTTP on'
url=http://127.0.0.1:$http_port
session=$(cat "$work/auth")
GALERNA_SESSION=$session python3 "$client/example.py" "$url" >"$work/example" ||
    fail "$(cat "$work/example" "$work/web")"
for text in '^accepted: ' '^lease 0 runs on \[' 'is cancelled$'; do
    grep -q "$text" "$work/example" || fail "$(cat "$work/example")"
done
! grep -q 'no more time' "$work/example" || fail "$(cat "$work/example")"
python3 "$here/client.py" "$url" "$session" || fail "$(cat "$work/web")"
