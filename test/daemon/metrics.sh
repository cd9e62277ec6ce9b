#!/usr/bin/env bash
# /metrics, /healthz and /readyz of galernad: their text, what they count, when it is not ready, and
# clients that send nothing, slowly, or garbage.
#
#   metrics.sh GALERNAD GALERNA MONITORING (a directory)
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"
monitoring=$3
here=$(dirname "$0")
http_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$http_port

get() {
    python3 "$here/ask.py" "$url$1" "${@:2}"
}

# status PATH OPTION...: the number only.
status() {
    get "$@" --status || true
}

# value SAMPLE: of a metric with its labels.
value() {
    get /metrics | awk -v name="$1" '$1 == name { print $2 }'
}

# counts NUMBER SAMPLE
counts() {
    [ "$(value "$2")" = "$1" ]
}

# has_status NUMBER PATH OPTION...
has_status() {
    [ "$(status "${@:2}")" = "$1" ]
}

does='metrics'
cat >"$work/conf" <<END
[simulation]
resources: 2  CPU:400 Memory:8192
[scheduling]
policy-preemption: ar-preempts-everything
suspend-rate: 1024
resume-rate: 1024
[opennebula]
poll-interval: 1
[http]
listen: 127.0.0.1:$http_port
END
start_simulated
until_true has_status 200 /readyz
has_status 200 /healthz || fail "/healthz: $(status /healthz)"
lease request --cpu 4 --memory 2048 --count 2 --duration 10m --preemptible >"$work/out"
until_true counts 1 'galerna_leases{type="best-effort",state="running"}'
lease request --cpu 4 --memory 2048 --count 2 --duration 10m --start +8s >"$work/out"
until_true counts 1 'galerna_leases{type="reservation",state="running"}'
counts 1 'galerna_queue_leases' || fail "the queue has $(value galerna_queue_leases) leases"
counts 1 'galerna_preemptions_total{how="suspend"}' || fail "the preemption was not counted"
counts 4 'galerna_commands_total{command="deploy",outcome="accepted"}' || fail "not 4 deploys"
counts 4 'galerna_command_duration_seconds_count{command="deploy"}' || fail "not 4 latencies"
[ "$(value 'galerna_prediction_error_seconds_count{operation="start",took="shorter"}')" -ge 1 ] ||
    fail "no error of an estimate"
[ "$(value 'galerna_policy_calls_total{policy="accept-all",kind="admission"}')" -ge 2 ] ||
    fail "no calls of the admission policy"

does='the text'
get /metrics --accept 'application/openmetrics-text; version=1.0.0' >"$work/metrics"
python3 "$here/openmetrics.py" --uses "$monitoring/galerna.rules.yml" \
    "$monitoring/galerna-dashboard.json" <"$work/metrics" || fail "not OpenMetrics"
if command -v promtool >/dev/null; then
    get /metrics | promtool check metrics || fail "promtool check metrics"
    promtool check rules "$monitoring/galerna.rules.yml" || fail "promtool check rules"
fi
has_status 404 /nothing || fail "/nothing: $(status /nothing)"
has_status 405 /metrics --method POST || fail "POST: $(status /metrics --method POST)"
has_status 200 /metrics --method HEAD || fail "HEAD: $(status /metrics --method HEAD)"

does='the planner ends'
pkill -KILL -P "$daemon" galerna-planner
until_true counts 1 galerna_planner_restarts_total
until_true has_status 200 /readyz

does='hostile clients'
python3 - "$http_port" "$daemon" <<'END' || fail "galernad suffers from them"
import os, socket, sys, time

port, daemon = int(sys.argv[1]), sys.argv[2]

def connect():
    client = socket.create_connection(("127.0.0.1", port))
    client.settimeout(30)
    return client

def cpu():
    with open(f"/proc/{daemon}/stat") as file:
        return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

def ended(client):
    try:
        while client.recv(4096):
            pass
    except ConnectionResetError:
        pass

for garbage in (b"\0" * 4096, b"GET /metrics HTTP/9.9\r\n\r\n", os.urandom(4096) + b"\r\n\r\n",
                b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n"):
    client = connect()
    try:
        client.sendall(garbage)
        client.shutdown(socket.SHUT_WR)
    except OSError:
        pass # refused while it was sent
    ended(client)
silent = [connect() for _ in range(40)]
slow = connect()
before, began = cpu(), time.monotonic()
for byte in b"GET / HTTP/1.1\r\nA: aaaaaaaaaaaaaaaaaaa":
    try:
        slow.send(bytes([byte]))
    except OSError:
        break
    if time.monotonic() - began > 8:
        break
    time.sleep(0.5)
assert cpu() - before < 2, "it spins"
for client in silent:
    client.close()
slow.close()
END
until_true has_status 200 /metrics
lease list >/dev/null || fail "the control socket does not answer"
stop_galernad

does='OpenNebula is down'
rm -rf "$work/state"
start_oned --hosts 2
printf '[http]\nlisten: 127.0.0.1:%s\n' "$http_port" >>"$work/conf"
start_galernad
until_true has_status 200 /readyz
kill -KILL "$sandbox"
until_true has_status 503 /readyz
get /readyz | grep -q '^OpenNebula does not answer: ' || fail "the reason is: $(get /readyz)"
has_status 200 /healthz || fail "/healthz: $(status /healthz)"
counts 0 galerna_ready || fail "galerna_ready is $(value galerna_ready)"
kill "$daemon"
