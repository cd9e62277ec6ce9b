#!/usr/bin/env bash
# galerna sweep from outside.
#
#   sweep.sh GALERNA FOLDER-OF-EXAMPLES MODULE, with an option "does" which has the value "no-id"
set -euo pipefail

galerna=$1
examples=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$examples"/*.sweep "$examples"/*.conf "$examples"/*.lwf "$scratch"
cd "$scratch"

fail() {
    echo "$1"
    exit 1
}

# code COMMAND...: standard output and errors into out and err
code() {
    local status=0

    "$@" >out 2>err || status=$?
    echo "$status"
}

# The example runs as it is described.
[ "$(code "$galerna" sweep policies.sweep --list)" = 0 ] || fail "--list fails: $(cat err)"
cells=$(($(wc -l <out) - 1))
grep -q "= $cells replays" policies.sweep || fail "the example does not have $cells cells"
[ "$(code "$galerna" sweep policies.sweep)" = 0 ] || fail "the example fails: $(cat err)"
grep -q "^$cells of $cells cells, $cells of them new, in policies.db" out || fail "$(tail -n 1 out)"
[ ! -s err ] || fail "the example warns: $(cat err)"
"$galerna" sweep policies.sweep --csv >first.csv
[ "$(wc -l <first.csv)" -eq $((cells + 1)) ] || fail "lines of CSV: $(wc -l <first.csv)"
sed 's/^seeds: 1-3/seeds: 1/' policies.sweep >seed.sweep
"$galerna" sweep seed.sweep --jobs 3 >out
"$galerna" sweep seed.sweep --csv | cut -d , -f 2- | tail -n +2 >second.csv
awk -F , '$6 == 1' first.csv | cut -d , -f 2- | cmp - second.csv || fail "computed again, the table is another one"
if grep -qE '(cpu|memory)_|seconds' <<<"$(head -n 1 first.csv)"; then
    fail "the table tells how long the machine took"
fi

# The same figures as those of a replay.
cat >day.sweep <<END
[sweep]
keep: nothing
[trace day]
file: working-day.lwf
[policies]
preemption: ar-preempts-everything
END
"$galerna" sweep day.sweep --json >sweep.json
"$galerna" sweep day.sweep --again --json | cmp - sweep.json || fail "--again gives another table"
"$galerna" replay working-day.lwf --policy preemption=ar-preempts-everything --json >replay.json
for figure in end_time makespan suspensions utilization haizea_slowdown_mean queue_mean; do
    in_sweep=$(grep -oE "\"$figure\": ?[0-9.]+" sweep.json | grep -oE '[0-9.]+$')
    in_replay=$(grep -oE "\"$figure\": ?[0-9.]+" replay.json | grep -oE '[0-9.]+$')
    if [ -z "$in_sweep" ] || [ "$in_sweep" != "$in_replay" ]; then
        fail "$figure: sweep $in_sweep, replay $in_replay"
    fi
done

# A second sweep into the same results ends, and leaves the first one its lock.
mkdir held.db.cells
exec 9>held.db.cells/lock
flock -n 9
[ "$(code "$galerna" sweep day.sweep --results held.db)" = 1 ] || fail "two sweeps at a time: $(cat out)"
grep -q "another galerna sweep is writing the same results" err || fail "two sweeps at a time: $(cat err)"
[ -e held.db.cells/lock ] || fail "the second sweep removed the lock of the first"
exec 9>&-

# A trace with generated requests in between, under Haizea's configuration.
cat >both.sweep <<END
[sweep]
configuration: haizea.conf
seeds: 1 2
[trace both]
file: working-day.lwf
streams: poisson,jobs=10,gap=10m,time=1h
[trace alone]
file: working-day.lwf
END
[ "$(code "$galerna" sweep both.sweep --csv)" = 0 ] || fail "both.sweep fails: $(cat err)"
[ "$(grep -c ',both,' out)" -eq 2 ] || fail "both.sweep: $(cat out)"
requested() { # TRACE
    awk -F, -v trace="$1" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        $2 == trace { print $column["local_requested"] + $column["external_requested"]; exit }' out
}
[ "$(requested both)" -eq $(($(requested alone) + 10)) ] || fail "requests: $(requested both)"

# Ctrl-C: what is finished is kept.
cat >long.sweep <<END
[sweep]
seeds: 1-20
keep: nothing
[trace t]
streams: typeless,jobs=1500,nodes=64,gap-factor=0.3
[set]
simulation.resources: 64,cpu=100,memory=1024
END
"$galerna" sweep long.sweep --jobs 2 2>err >out &
process=$!
wait_for_file() {
    for _ in $(seq 1200); do
        [ -s "$1" ] && return
        sleep 0.05
    done
    fail "no $1 after a minute"
}
wait_for_file long.db
kill -INT "$process"
status=0
wait "$process" || status=$?
[ "$status" -eq 130 ] || fail "exit code $status after an interrupt: $(cat err)"
grep -qE "interrupted with [0-9]+ of 20 cells done" err || fail "interrupted: $(cat err)"
done_before=$(grep -oE '[0-9]+ of 20' err | cut -d ' ' -f 1)
[ "$(code "$galerna" sweep long.sweep)" = 0 ] || fail "resumed: $(cat err)"
grep -q "^20 of 20 cells, $((20 - done_before)) of them new" out || fail "$(tail -n 1 out)"

# Killed in the middle: what was there is kept, and the table is the same in the end.
"$galerna" sweep long.sweep --csv >whole.csv
"$galerna" sweep long.sweep --jobs 2 --results killed.db >out 2>&1 &
process=$!
wait_for_file killed.db
sleep 0.1
kill -KILL "$process"
{ wait "$process" || true; } 2>err
[ "$(code "$galerna" sweep long.sweep --jobs 3 --results killed.db)" = 0 ] ||
    fail "after a kill: $(cat err)"
grep -qE "^20 of 20 cells, [1-9][0-9]* of them new" out || fail "killed too late: $(tail -n 1 out)"
"$galerna" sweep long.sweep --results killed.db --csv >killed.csv
cmp whole.csv killed.csv || fail "after a kill the table is another one"
[ ! -e killed.db.cells ] || fail "after a kill the folder of the cells is still there"

# What is misspelt is said at once, with its line; nothing is computed.
cat >wrong.sweep <<END
[sweep]
seeds: 1-3
[trace t]
streams: poisson,jobs=5
[policies]
preemption: no-preemption prioritty
host-selection: gridway
[set]
simulation.resources: 4,cpu=100,memory=1024
END
refused() { # TEXT [OPTION]...
    [ "$(code "$galerna" sweep wrong.sweep "${@:2}")" = 1 ] || fail "no '$1': $(cat out)"
    grep -q "wrong.sweep:$1" err || fail "expected '$1': $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] || fail "one line is enough: $(cat err)"
    [ ! -s out ] || fail "there is a table: $(cat out)"
    [ ! -e wrong.db ] || fail "there are results"
}
refused "6: policies for preemption: unknown policy 'prioritty', did you mean 'priority'"
refused "6: .*prioritty" --list
refused "6: .*prioritty" --engine slurm
sed -i 's/prioritty/priority/' wrong.sweep
echo "policy gridway.speedz: 1:2" >>wrong.sweep
refused "10: policy gridway has no option 'speedz'"
sed -i 's/speedz: 1:2/speeds: 5:2/' wrong.sweep
refused "7: policy gridway: speeds: host '5' is not among"
sed -i 's/speeds: 5:2/speeds: 4:2/' wrong.sweep
[ "$(code "$galerna" sweep wrong.sweep)" = 0 ] || fail "no longer wrong: $(cat err)"

# An option of a module that only some cells load; of one that none loads.
cat >some.sweep <<END
[sweep]
seeds: 1
[trace t]
streams: poisson,jobs=5
[policies]
admission: accept-all $3
[set]
simulation.resources: 4,cpu=100,memory=1024
policy careless.does: no-id
END
[ "$(code "$galerna" sweep some.sweep)" = 0 ] || fail "an option that some cells use: $(cat err)"
grep -q "^2 of 2 cells" out || fail "an option that some cells use: $(cat out)"
[ "$(code "$galerna" sweep some.sweep --results cells.db --cell 1)" = 0 ] || fail "cell 1: $(cat err)"
sed -i "s/^admission.*/admission: accept-all no-ars/" some.sweep
[ "$(code "$galerna" sweep some.sweep --results none.db)" = 1 ] || fail "no cell uses the option"
grep -q "some.sweep:9: option does of policy 'careless', which no cell of the sweep uses" err ||
    fail "no cell uses the option: $(cat err)"
sed -i "s/^policy careless.does.*/policy limits.users: 5/" some.sweep
[ "$(code "$galerna" sweep some.sweep --results none.db)" = 1 ] || fail "no cell uses limits"

# A module that was built anew makes its cells new, wherever it was found.
mkdir modules
cp "$3" modules
cat >own.sweep <<END
[sweep]
seeds: 1-2
[trace t]
streams: poisson,jobs=5
[policies]
admission: accept-all $(basename "$3" .so)
[set]
simulation.resources: 4,cpu=100,memory=1024
galerna.module-path: $PWD/modules
END
[ "$(code "$galerna" sweep own.sweep)" = 0 ] || fail "a module that is found by name: $(cat err)"
"$galerna" sweep own.sweep | grep -q "^4 of 4 cells, 0 of them new" || fail "the same module is new"
echo >>"modules/$(basename "$3")"
"$galerna" sweep own.sweep | grep -q "^4 of 4 cells, 2 of them new" || fail "a changed module is not new"

# Wrong usage.
[ "$(code "$galerna" sweep)" = 64 ] || fail "no file"
[ "$(code "$galerna" sweep a b)" = 64 ] || fail "two files"
[ "$(code "$galerna" sweep day.sweep --engine grid)" = 64 ] || fail "--engine grid"
[ "$(code "$galerna" sweep day.sweep --no-wait)" = 64 ] || fail "--no-wait alone"
[ "$(code "$galerna" sweep day.sweep --collect --cell 1)" = 64 ] || fail "--collect --cell"
[ "$(code "$galerna" sweep day.sweep --cell 0)" = 64 ] || fail "--cell 0"
[ "$(code "$galerna" sweep day.sweep --cell 9 --results x.db)" = 1 ] || fail "--cell 9"
grep -q "no cell 9" err || fail "--cell 9: $(cat err)"
[ "$(code "$galerna" sweep none.sweep)" = 1 ] || fail "none.sweep"
grep -q "none.sweep: cannot open" err || fail "none.sweep: $(cat err)"
[ "$(code "$galerna" sweep day.sweep --help)" = 0 ] || fail "--help"

# Without Slurm's commands that is said.
if ! PATH=/nowhere "$galerna" sweep day.sweep --engine slurm --again 2>err >out; then
    grep -q "Slurm's commands are required: cannot start sbatch" err ||
        fail "no Slurm: $(cat err)"
else
    fail "a job was submitted without sbatch"
fi
