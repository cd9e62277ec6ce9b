#!/usr/bin/env bash
# The HTTP API: galerna-web in front of galernad and the sandbox, over HTTP and HTTPS, with users of
# different rights (api.py makes the requests, paths.py and walk.py the bad ones, by described.py, slow.py
# the slow ones).
#
#   api.sh GALERNAD GALERNA GALERNA-WEB FILES (a directory)
set -euo pipefail

here=$(dirname "$0")
# shellcheck source-path=SCRIPTDIR source=serving.bash
. "$here/serving.bash"

start_oned --hosts 2
printf '[rights user:anna]\nmax-booked-hosts: 1\n' >>"$work/conf"
start_galernad
until_true answers

does='what galerna-web refuses to do'
ends_with 1 'not a loopback address' "$web" --listen 0.0.0.0:1 --files "$files" --socket x --endpoint \
    http://127.0.0.1/RPC2
ends_with 1 'must be used together' "$web" --certificate x --files "$files" --socket x --endpoint \
    http://127.0.0.1/RPC2
ends_with 1 'index.html: cannot be read' "$web" --files "$work" --socket x --endpoint http://127.0.0.1/RPC2
ends_with 1 'is not an address' "$web" --listen here --certificate "$files/openapi.json" --key \
    "$files/openapi.json" --files "$files" --socket x --endpoint http://127.0.0.1/RPC2

does='HTTP'
http_port=$(free_port)
start_web web --listen "127.0.0.1:$http_port"
plain=$!
until_said web 'serving HTTP on'
python3 "$here/api.py" "http://127.0.0.1:$http_port" "http://127.0.0.1:$port/RPC2" "$work/auth" ||
    fail "$(cat "$work/web")"
said web ' anna DELETE /api/v1/leases/.*: 200$' || fail "the log has no cancellation by anna"
! grep -q secret "$work/web" || fail "the log has a password"
! grep -q ' HEAD ' "$work/web" || fail "the log has a request that changes nothing"
[ "$("$galerna" lease history --json --state-dir "$work/state" | grep -c 'anna (OpenNebula)')" -ge 1 ] ||
    fail "the history does not say who"

does='every path, and a random walk'
http_port=$(free_port)
start_web walk --listen "127.0.0.1:$http_port" --rate 10000
walker=$!
until_said walk 'serving HTTP on'
python3 "$here/walk.py" "http://127.0.0.1:$http_port" "http://127.0.0.1:$port/RPC2" "$work/auth" 2>"$work/walked" ||
    fail "$(cat "$work/walked")"
python3 "$here/paths.py" "http://127.0.0.1:$http_port" "http://127.0.0.1:$port/RPC2" "$work/auth" 2>"$work/walked" ||
    fail "$(cat "$work/walked")"
does='slow clients'
python3 "$here/slow.py" "http://127.0.0.1:$http_port" "http://127.0.0.1:$port/RPC2" "$work/auth" 2>"$work/walked" ||
    fail "$(cat "$work/walked")"
kill "$walker"
wait "$walker" || fail "after a random walk, galerna-web ends with $?"

does='the end'
kill "$plain"
wait "$plain" || fail "galerna-web ends with $?"

does='HTTPS'
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$work/key" -out "$work/certificate" 2>/dev/null
https_port=$(free_port)
start_web secure --listen "0.0.0.0:$https_port" --certificate "$work/certificate" --key "$work/key"
until_said secure 'serving HTTPS on'
python3 "$here/api.py" "https://127.0.0.1:$https_port" "http://127.0.0.1:$port/RPC2" "$work/auth" \
    --certificate "$work/certificate" || fail "$(cat "$work/secure")"

does='galernad is away'
stop_galernad
python3 "$here/api.py" "https://127.0.0.1:$https_port" "http://127.0.0.1:$port/RPC2" "$work/auth" \
    --certificate "$work/certificate" --away || fail "$(cat "$work/secure")"
