#!/usr/bin/env bash
# galernad beside the sandbox: a VM whose template has not been read since it ran resumes only on a host
# that its requirements allow.
#
#   requirements.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"

start_oned --hosts 3 --cpu 20 --memory 16384 --save-time 0
sed -i 's/^poll-interval:.*/poll-interval: 10/' "$work/conf"
start_galernad
until_true answers

suspended=$(oned submit --cpu 20 --memory 128 --haizea 'DURATION=01:00:00,PREEMPTIBLE=YES' \
    --attribute 'SCHED_REQUIREMENTS="ID=0"')
# With more running leases than are read in each poll, most templates are not read.
last=$(oned submit --count 40 --cpu 0.5 --memory 64 --haizea 'DURATION=01:00:00' \
    --attribute 'SCHED_REQUIREMENTS="ID=1"' | tail -n 1)
until_true is "$suspended" running
until_true is "$last" running
reserved=$(oned submit --cpu 20 --memory 128 --haizea 'START=+00:00:15,DURATION=01:00:00' \
    --attribute 'SCHED_REQUIREMENTS="ID=0"')
until_true is "$reserved" running
lease history "$suspended" >"$work/out"
said out 'suspended +for lease' || fail 'nothing was suspended'
! said out 'resuming' || fail 'a VM resumes on a host that its requirements forbid'
sleep 12 # the template has been read
lease history "$suspended" >"$work/out"
! said out 'resuming' || fail 'a VM resumes on a host that its requirements forbid'

# While OpenNebula does not answer, none can be read: a request that needs them does not wait for them.
kill -KILL "$sandbox"
until_true said log 'cannot read OpenNebula'
timeout 60 "$galerna" host drain 1 --from +2h --dry-run --state-dir "$work/state" >"$work/out" 2>&1 ||
    fail "galerna host drain ends with $? and says: $(cat "$work/out")"
said out 'may be outdated: OpenNebula does not answer' || fail "$(cat "$work/out")"
