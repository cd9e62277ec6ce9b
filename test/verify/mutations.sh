#!/bin/sh
# Replays cases of all kinds in both modes and tells lies about their records.
#
# usage: mutations.sh GALERNA TEST-VERIFY-MUTATIONS DATA [N]     one of N lies is tried (1: all)
set -eu

galerna=$1 mutations=$2 data=$3 n=${4:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
for case in haizea-1.0/pre-1be-local haizea-1.0/img-migrate haizea-1.0/img-reuse-be \
    haizea-1.0/im-reject haizea-1.0/cancel-active haizea-1.0/cancel-queued haizea-1.0/susp-none \
    haizea-1.0/susp-planned haizea-1.0/pre-cancel-requeue haizea-1.0/real-be haizea-1.0/ar-reject \
    haizea-1.0/adm-noars haizea-1.0/stop-bedone haizea-1.0/migrate-yes \
    haizea-1.1/dl-pre-suspend haizea-1.0/overhead-shutdown haizea-1.0/excl-mixedmem-local \
    haizea-1.0/bf-aggressive random/rnd-0031 random/rnd-0038 \
    random/rnd-0040 random/rnd-0044; do
    for mode in default haizea-1.0; do
        "$galerna" replay --quiet --compatibility "$mode" -c "$data/$case.conf" \
            --record "$folder/$(basename "$case").$mode.json" >"$folder/out" 2>&1 || {
            cat "$folder/out"
            exit 1
        }
    done
done
own=$(dirname "$0")/data
"$galerna" replay --quiet --set scheduling.policy-preemption=priority "$own/wish.lwf" \
    --record "$folder/wish.json"
# Hosts are searched for anew, a whole number of intervals after something ended.
"$galerna" replay --quiet --set scheduling.policy-host-selection=gridway \
    --set scheduling.migration-interval=300 "$own/searches-again.lwf" --record "$folder/searches.json"
"$galerna" verify --no-repeat "$folder/searches.json"
# A lease is preempted, requeued and started again in the second in which its VMs start; one goes on with
# the transfer of another one that was cancelled; one ends during a migration before its last one; one is
# to be suspended in the second in which it starts, and then requeued in it.
for case in restarted-at-once rider-takes-over migrates-again preempted-again-at-once; do
    "$galerna" replay --quiet --compatibility haizea-1.0 -c "$own/$case.conf" \
        --record "$folder/sound" 2>/dev/null
    "$galerna" verify "$folder/sound"
done
"$mutations" "$n" "$folder"/*.json
