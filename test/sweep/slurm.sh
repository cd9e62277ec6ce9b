#!/usr/bin/env bash
# A sweep as a job array of a real Slurm gives the same table as a local run; it can be collected
# later, and what a cancelled job left undone is found and done.
#
#   with_slurm.sh slurm.sh GALERNA
set -euo pipefail

program=$1
scratch=$(mktemp -d)
waiting=

stop() {
    [ -z "$waiting" ] || kill "$waiting" 2>/dev/null || true
    rm -rf "$scratch"
}
trap stop EXIT
cd "$scratch"

fail() {
    echo "$1"
    exit 1
}

# Nothing is waited for without an end, also where Slurm or the sweep under test hangs.
galerna() {
    timeout --kill-after=5 120 "$program" "$@"
}

slurm() {
    timeout --kill-after=5 30 "$@"
}

# wait_for SECONDS WHAT COMMAND...
wait_for() {
    local end=$((SECONDS + $1)) what=$2
    shift 2

    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || fail "after a long wait: $what"
        sleep 0.2
    done
}

no_job_is_left() {
    [ -z "$(slurm squeue --noheader)" ]
}

# The number that Slurm gave the job array of the sweep with these results.
job_of() {
    cat "$1.cells/job"
}

describe() {
    cat >"$1" <<END
[sweep]
seeds: 1-3

[trace made]
streams: poisson,jobs=$2,gap=10m,time=1h,vms=1:12,class=suspendable
    poisson,jobs=10,gap=2h,time=1h,vms=4:12,class=local

[policies]
preemption: no-preemption ar-preempts-everything

[set]
simulation.resources: 16,cpu=100,memory=1024

[slurm]
job-name: a test
time: 10
END
}

# Where the folder's name needs care.
mkdir "it's 50% full"
cd "it's 50% full"

describe grid.sweep 40
galerna sweep grid.sweep --results local.db --jobs 2 --csv >local.csv
[ "$(wc -l <local.csv)" -eq 7 ] || fail "the local run has not six cells"

galerna sweep grid.sweep --engine slurm --results slurm.db --csv >slurm.csv
cmp local.csv slurm.csv || fail "Slurm gave another table"
[ ! -e slurm.db.cells ] || fail "the folder of the cells is still there"

# Nothing is left to do: no job is submitted.
galerna sweep grid.sweep --engine slurm --results slurm.db --csv 2>err >again.csv
cmp local.csv again.csv || fail "the table changed"
[ ! -s err ] || fail "a job was submitted again: $(cat err)"

# Submitted now, collected later.
galerna sweep grid.sweep --engine slurm --results later.db --no-wait
wait_for 90 "jobs are in the queue" no_job_is_left
galerna sweep grid.sweep --results later.db --collect --csv >later.csv
cmp local.csv later.csv || fail "what was collected later is another table"

# One cell at a time; a job that waits is cancelled; what it has not done is said, and then done.
cat >>grid.sweep <<END
begin: now+1hour
END
galerna sweep grid.sweep --cell 2 --results part.db
galerna sweep grid.sweep --engine slurm --results part.db --no-wait
if galerna sweep grid.sweep --engine slurm --results part.db 2>err; then
    fail "a second job was submitted"
fi
grep -q "in the queue" err || fail "no word of the job in the queue: $(cat err)"
if galerna sweep grid.sweep --results part.db --collect 2>err >out; then
    fail "five missing cells are no failure"
fi
grep -q "5 of 6 cells have no result yet" err || fail "wrong count: $(cat err)"
timeout --kill-after=5 120 "$program" sweep grid.sweep --engine slurm --results wait.db 2>err &
waiting=$!
wait_for 60 "no job is submitted" test -s wait.db.cells/job
slurm scancel "$(job_of wait.db)"
status=0
wait "$waiting" || status=$?
waiting=
[ "$status" -eq 1 ] || fail "the exit code after a cancelled job is $status: $(cat err)"
grep -q "6 of 6 cells left no result" err || fail "no word of the cancelled job: $(cat err)"
slurm scancel "$(job_of part.db)"
galerna sweep grid.sweep --results part.db --csv >part.csv
cmp local.csv part.csv || fail "Slurm's cells and local ones gave another table"

# sbatch says what is wrong with its options.
sed -i 's/^time: 10/time: soon/' grid.sweep
if galerna sweep grid.sweep --engine slurm --results bad.db 2>err; then
    fail "sbatch took a time that is none"
fi
grep -q "sbatch rejected the job" err || fail "no word of sbatch: $(cat err)"
echo "Slurm and a local run agree"
