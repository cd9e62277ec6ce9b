#!/usr/bin/env bash
# Dry runs of requests, changes and drains that come while a policy module is slow wait, and after
# two seconds are answered with "busy"; the answers that the planner gives them later are dropped.
#
#   busy.sh GALERNAD GALERNA MODULES
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"
chmod 755 "$work" # modules in it are loaded by another user
cat >"$work/conf" <<END
[simulation]
resources: 2  CPU:400 Memory:8192
[scheduling]
policy-admission: offends-admission
[policy offends-admission]
does: refuse-slowly
sleeps: 1000
after: 1
[opennebula]
poll-interval: 1
[galerna]
module-path: $3
END

is_refused() {
    ! lease request --cpu 1 --memory 512 --dry-run >"$work/out" 2>&1 && grep -q 'nobody at all' "$work/out"
}

start_simulated
lease request --cpu 1 --memory 512 --duration 1h >/dev/null
until_true is 0 running

asked=()
for i in {1..10}; do # more than the planner answers while galerna asks again
    lease request --cpu 1 --memory 512 --dry-run >"$work/request-$i" 2>&1 &
    asked+=($!)
    lease change 0 --extend 10m --dry-run >"$work/change-$i" 2>&1 &
    asked+=($!)
    "$galerna" host drain host-0 --dry-run --state-dir "$work/state" >"$work/drain-$i" 2>&1 &
    asked+=($!)
done
for question in "${asked[@]}"; do
    wait "$question" || true
done
grep -q 'the planner is busy' "$work"/{request,change,drain}-* || fail "none was answered with busy"
sleep 2 # the planner's answers arrive, and OpenNebula is polled again
until_true is_refused # although it is asked again and again meanwhile
is 0 running || fail "the lease does not run"
stop_galernad
