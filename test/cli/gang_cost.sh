#!/usr/bin/env bash
# Instructions to suspend and resume a lease of 10 VMs on each host, one VM after the other: they are
# proportional to the hosts. Skipped without valgrind.
#
#   gang_cost.sh GALERNA
set -euo pipefail
galerna=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

command -v valgrind >/dev/null || exit 77

trace() {
    local hosts=$1

    cat <<END
<?xml version="1.0"?>
<lease-workload name="gang"><site><resource-types names="CPU Memory"/><nodes>
<node-set numnodes="$hosts"><res type="CPU" amount="1000"/><res type="Memory" amount="10240"/></node-set>
</nodes></site><lease-requests>
<lease-request arrival="00:00:00.00"><lease id="1" preemptible="true"><nodes>
<node-set numnodes="$((10 * hosts))"><res type="CPU" amount="100"/><res type="Memory" amount="64"/></node-set>
</nodes><start/><duration time="1000:00:00.00"/><software><none/></software></lease></lease-request>
<lease-request arrival="00:00:01.00"><lease id="2" preemptible="false"><nodes>
<node-set numnodes="$hosts"><res type="CPU" amount="1000"/><res type="Memory" amount="1024"/></node-set>
</nodes><start><exact time="500:00:00.00"/></start><duration time="01:00:00.00"/>
<software><none/></software></lease></lease-request>
</lease-requests></lease-workload>
END
}

# Sets `counted`, the instructions of all processes of the replay.
count() {
    trace "$1" >"$scratch/gang.lwf"
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
        --log-file="$scratch/log.%p" "$galerna" replay --json "$scratch/gang.lwf" \
        --policy preemption=ar-preempts-everything \
        --set scheduling.suspendresume-exclusion=global >"$scratch/summary"
    grep -q '"suspensions":1,' "$scratch/summary"
    counted=$(($(sed -n 's/.*I *refs: *//p' "$scratch"/log.* | tr -d , | paste -sd +)))
    rm "$scratch"/log.*
}

count 1
least=$counted
count 100
few=$((counted - least))
count 400
many=$((counted - least))
echo "100 hosts: $few instructions; 400 hosts: $many"
((many < 5 * few))
