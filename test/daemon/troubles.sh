#!/usr/bin/env bash
# OpenNebula without hosts, and OpenNebula that does not answer: galernad waits for the next poll and
# does not repeat itself, status says what is wrong and since when.
#
#   troubles.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source=test/daemon/running.bash
. "$(dirname "$0")/running.bash"

# status CODE TEXT: within 20 s it ends with CODE and says TEXT.
status() {
    local got
    for _ in $(seq 200); do
        got=0
        "$galerna" status --state-dir "$work/state" >"$work/status" 2>&1 || got=$?
        [ "$got" -ne "$1" ] || ! grep -qE -- "$2" "$work/status" || return 0
        sleep 0.1
    done
    fail "status ends with $got and says: $(cat "$work/status")"
}

start_oned --hosts 1
printf '[daemon]\nlog-level: debug\n' >>"$work/conf"
oned call one.host.delete 0 >/dev/null
oned submit --cpu 1 --memory 128 >/dev/null
start_galernad
until_said log 'planning failed: OpenNebula has no hosts'
status 1 '^problem +OpenNebula has no hosts \(since [0-9-]+ '
sleep 5
[ "$(wc -l <"$work/log")" -lt 100 ] || fail "$(wc -l <"$work/log") lines within 5 s"
"$galerna" status --json --state-dir "$work/state" >"$work/json" && fail "status --json finds nothing wrong"
grep -q '"of": "plan"' "$work/json" || fail "$(cat "$work/json")"
read -r _ _ _ _ _ _ _ _ _ _ _ _ _ user system _ <"/proc/$daemon/stat"
[ "$((user + system))" -lt "$(getconf CLK_TCK)" ] || fail "it is busy with nothing"

# As soon as there is a host, the VM runs, and nothing is wrong.
oned call one.host.allocate late dummy dummy 0 >/dev/null
until_said log 'deploy accepted'
status 0 '^leases '

kill -KILL "$sandbox"
status 1 '^problem +.*(connect|127.0.0.1).* \(since [0-9-]+ '
status 1 '^problem +commands suspended until OpenNebula has the mark of this galernad again'
! grep -q '^front-end' "$work/status" || fail "its own mark is another galernad: $(cat "$work/status")"
for command in 'queue' 'lease list' 'lease why 0' 'host list'; do
    # shellcheck disable=SC2086 # several words
    "$galerna" $command --state-dir "$work/state" >/dev/null 2>"$work/err"
    grep -qE 'may be outdated: OpenNebula does not answer: .* \(since [0-9-]+ ' "$work/err" ||
        fail "galerna $command says: $(cat "$work/err")"
done
stop_galernad
