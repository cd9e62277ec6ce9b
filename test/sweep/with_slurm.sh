#!/usr/bin/env bash
# Run a command with a Slurm of one machine that exists only for it: keys, state, sockets and ports
# of its own, two processors. Ends with 77 (skipped) where Slurm is not installed or cannot run.
#
#   [SLURM_NODES=20] [SLURM_CPUS=4] [SLURM_SCHEDULING=PARAMETERS] with_slurm.sh COMMAND [ARGUMENT]...
set -euo pipefail
nodes=${SLURM_NODES:-1}

PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch squeue scancel; do
    if ! command -v "$program" >/dev/null; then
        echo "skipped: there is no $program (Debian: slurm-wlm, munge)"
        exit 77
    fi
done
if [ "$(id -u)" -ne 0 ]; then
    echo "skipped: slurmd must be started as root"
    exit 77
fi

scratch=$(mktemp -d)
processes=()

stop() {
    local process i

    # Only with this Slurm: another one has the jobs of somebody else.
    if [ "${SLURM_CONF:-}" = "$scratch/slurm.conf" ]; then
        timeout 10 scancel --user="$(id -un)" >/dev/null 2>&1 || true
    fi
    for process in "${processes[@]}"; do
        kill "$process" 2>/dev/null || true
    done
    # One that does not end when asked is not waited for.
    for ((i = 0; i < 50; i++)); do
        kill -0 "${processes[@]}" 2>/dev/null || break
        sleep 0.2
    done
    for process in "${processes[@]}"; do
        kill -KILL "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap stop EXIT

give_up() {
    echo "$1"
    tail -n 20 "$scratch"/*.log 2>/dev/null || true
    exit 1
}

# wait_for SECONDS COMMAND...
wait_for() {
    local end=$((SECONDS + $1))
    shift

    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.2
    done
}

mkdir -m 700 "$scratch/munge" "$scratch/state" "$scratch/spool"
chmod 755 "$scratch" "$scratch/munge"
head -c 1024 /dev/urandom >"$scratch/munge/key"
chmod 400 "$scratch/munge/key"
# --force: its folder lies below one that everybody may write to.
munged --foreground --force --key-file="$scratch/munge/key" --socket="$scratch/munge/socket" \
    --pid-file="$scratch/munge/pid" --log-file="$scratch/munge.log" \
    --seed-file="$scratch/munge/seed" >"$scratch/munged.log" 2>&1 &
processes+=($!)
wait_for 20 test -S "$scratch/munge/socket" || give_up "munged does not start"

host=$(hostname -s)
# Below the ephemeral ports, of which any connection may use one.
port=$((20000 + $$ % 12000))
cat >"$scratch/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$scratch/munge/socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool/%n
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd-%n.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=${SLURM_SCHEDULING-sched_interval=1,bf_interval=1,defer}
ReturnToService=2
SlurmdParameters=config_overrides
MinJobAge=10
END
for ((i = 1; i <= nodes; i++)); do
    echo "NodeName=node$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=${SLURM_CPUS:-2} State=UNKNOWN"
done >>"$scratch/slurm.conf"
echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP" >>"$scratch/slurm.conf"
export SLURM_CONF=$scratch/slurm.conf

slurmctld -D -f "$SLURM_CONF" >"$scratch/slurmctld.out.log" 2>&1 &
processes+=($!)
for ((i = 1; i <= nodes; i++)); do
    slurmd -D -f "$SLURM_CONF" -N "node$i" >"$scratch/slurmd$i.out.log" 2>&1 &
    processes+=($!)
done
is_idle() {
    [ "$(timeout 10 sinfo --noheader --Node --states=idle --format=%N | wc -l)" -eq "$nodes" ]
}
wait_for $((60 + nodes)) is_idle || give_up "Slurm does not start"

"$@"
