#!/bin/sh
# Runs the program as a user does: cli.sh GALERNA DATA MODULES
set -u

galerna=$1
data=$2
modules=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    sed 's/^/    | /' "$work/out" "$work/err"
}

# run CODE ARGUMENT...: the program ends with that code.
run() {
    expected=$1
    shift
    ran="galerna $*"
    "$galerna" "$@" >"$work/out" 2>"$work/err"
    code=$?
    checks=$((checks + 1))
    if [ "$code" -ne "$expected" ]; then
        fail "$ran: exit code $code, expected $expected"
    fi
}

# says out|err TEXT: what was printed holds the text.
says() {
    checks=$((checks + 1))
    if ! grep -qF -e "$2" "$work/$1"; then
        fail "$ran: std$1 does not say: $2"
    fi
}

# says_not out|err|FILE TEXT
says_not() {
    checks=$((checks + 1))
    if grep -qF -e "$2" "$work/$1"; then
        fail "$ran: $1 says: $2"
    fi
}

silent() {
    checks=$((checks + 1))
    if [ -s "$work/$1" ]; then
        fail "$ran: std$1 is not empty"
    fi
}

exists() {
    checks=$((checks + 1))
    if [ ! -s "$1" ]; then
        fail "$ran: $1 was not written"
    fi
}

# A folder holds exactly these names.
holds() {
    folder=$1
    shift
    checks=$((checks + 1))
    found=$(find "$folder" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' ')
    if [ "$found" != "$* " ]; then
        fail "$ran: $folder holds $found, expected $*"
    fi
}

general() {
    run 0 --help
    says out "usage: galerna COMMAND"
    silent err
    "$galerna" --help | sed -n 's/^  \([a-z]* *[a-z]*\)  .*/\1/p' >"$work/commands"
    while read -r noun verb; do
        # shellcheck disable=SC2086 # a verb may be missing
        run 0 "$noun" $verb --help
        says out "usage: galerna $noun${verb:+ $verb}"
        # shellcheck disable=SC2086
        run 0 "$noun" $verb --version
        says out "galerna "
        # shellcheck disable=SC2086
        run 0 help "$noun" $verb
        says out "Exit status:"
    done <"$work/commands"
    checks=$((checks + 1))
    grep -q '^replay' "$work/commands" || fail "--help does not list replay"
    run 0 --version
    says out "galerna "
    run 64
    says err "usage: galerna COMMAND"
    run 64 repaly
    says err "unknown command 'repaly', did you mean 'replay'?"
    run 64 why 7
    says err "unknown command 'why', did you mean 'lease why'?"
    run 64 trace
    says err "missing verb, one of:"
    run 64 trace chekc
    says err "unknown verb 'chekc', did you mean 'check'?"
    run 0 trace --help
    says out "check"
    run 0 help lease list
    says out "usage: galerna lease list"
    says out "GALERNA_SOCKET"
    run 0 help trace
    says out "stats"
    run 64 help leese
    says err "did you mean 'lease'?"
}

wrong_usage() {
    run 64 lease cancel --user "$(printf '\377')" # without its user, it would cancel all
    says err "--user ?: is not valid UTF-8"
    run 64 lease cancel --series "" # nor all that have none
    says err "--series : expected a name"
    run 64 replay
    says err "specify a trace, or a configuration with -c"
    run 64 replay --frobnicate
    says err "Try 'galerna replay --help'"
    run 64 replay -j 0 "$data/small.lwf"
    says err "--parallel 0: expected a whole number from 1 to 1024"
    run 64 replay --policy hosts=greedy "$data/small.lwf"
    says err "expected admission=NAME, preemption=NAME or host-selection=NAME"
}

wrong_input() {
    run 1 replay "$work/none.lwf"
    says err "$work/none.lwf"
    silent out
    run 1 replay "$data/siteless.lwf"
    says err "--site 144,cpu=100,memory=1024"
    run 64 replay "$data/siteless.lwf" --site 4,cpu=100
    says err "--site: hosts have no memory"
    run 64 replay "$data/small.lwf" --set scheduling.backfiling=off
    says err "did you mean 'backfilling'?"
    run 64 replay "$data/siteless.lwf" --site 4,cpu=100,cpu=200,memory=512
    says err "cpu is given twice"
    run 64 trace stats "$data/small.lwf" --hosts 0
    says err "--hosts 0: expected a whole number from 1"
    run 64 trace stats "$data/small.lwf" --processors-per-node 0
    says err "--processors-per-node 0: expected a whole number, 1 or more, or 'log'"
    run 1 replay "$data/small.lwf" --policy host-selection=pacq
    says err "did you mean 'pack'?"
    silent out
    checks=$((checks + 1))
    ! grep -q accept-all "$work/err" || fail "$ran: policies of another kind are named"
    : >"$work/mine.so"
    (cd "$work" && "$galerna" policy check mine.so >out) || true
    says out "did you mean './mine.so'?"
    run 64 replay "$data/siteless.lwf" --site 4,cpu=100,memry=512
    says err "is 'memry' a misspelling of it?"
    run 1 replay "$data/small.lwf" --record "$work/one" --events "$work/one"
    says err "cannot be used for two outputs"
    if [ -c /dev/full ]; then
        run 1 trace convert "$data/small.lwf" -o /dev/full
        says err "/dev/full: cannot be written: No space left on device"
    fi
    echo '; a log without jobs' >"$work/idle.swf"
    run 0 replay "$work/idle.swf" --site 1,cpu=100,memory=1024
    says err "the trace has no leases"
    run 1 replay "$data/small.lwf" --results -
    says err "--results: a database cannot be written to standard output; specify a file"
    cp "$data/small.lwf" "$work/read.lwf"
    ln -sf read.lwf "$work/read.csv"
    run 1 replay "$work/read.lwf" --jobs "$work/read.csv"
    says err "$work/read.csv: is an input as well; choose another file for the output"
    run 1 trace convert "$work/read.lwf" -o "$work/read.lwf"
    says err "$work/read.lwf: is an input as well"
    run 1 trace generate --with "$work/read.lwf" --stream poisson,jobs=1 -o "$work/read.lwf"
    says err "$work/read.lwf: is an input as well"
    run 0 replay -q "$work/read.lwf" --results "$work/read.db"
    run 1 report "$work/read.db" -o "$work/read.db"
    says err "$work/read.db: is an input as well"
    cp "$data/small.conf" "$work/read.conf"
    run 1 replay -c "$work/read.conf" "$work/read.lwf" --record "$work/read.conf"
    says err "$work/read.conf: is an input as well"
    cmp "$data/small.lwf" "$work/read.lwf" || fail "the trace was replaced"
    cmp "$data/small.conf" "$work/read.conf" || fail "the configuration was replaced"
    run 1 replay - - < "$data/small.lwf"
    says err "2 runs cannot all read standard input"
    run 0 replay - < "$data/small.lwf"
    says out "standard-input"
    run 64 replay "$data/small.lwf" --compatibility haizea
    says err "expected one of default, haizea-1.0"
    run 1 replay "$data/small.lwf" --policy host-selection=gredy
    says err "did you mean 'greedy'?"
    run 1 replay -c "$work/none.conf"
    says err "cannot open the configuration file"
    sed 's/^backfilling.*/backfilling: sometimes/' "$data/small.conf" >"$work/bad.conf"
    run 1 replay -c "$work/bad.conf"
    says err "$work/bad.conf:12: scheduling.backfilling is 'sometimes', expected one of"
    sed 's/^mode.*/mode: opennebula/' "$data/small.conf" >"$work/live.conf"
    run 1 replay -c "$work/live.conf"
    says err "general.mode is opennebula"
    run 64 replay -c "$data/small.conf" --set scheduling.backfilling=sometimes
    says err "--set: scheduling.backfilling is 'sometimes', expected one of"
    says err "Try 'galerna replay --help'"
    run 64 replay "$data/small.lwf" --set backfilling
    says err "expected section.option=value"
    run 64 sandbox --hots 3
    says err "unknown option '--hots', did you mean '--hosts'?"
    run 64 experiment run suspent --out "$work/never"
    says err "did you mean 'suspend'?"
    run 64 experiment run gridway --out "$work/never" --set iteration=3
    says err "did you mean 'iterations'?"
    run 64 experiment run gridway --out "$work/never" --set iterations=2.5
    says err "expected a whole number, 2 to 50"
    run 64 experiment run gridway --out "$work/never" --logs "$data"
    says err 'experiment gridway does not read logs'
    run 1 experiment run backfilling --out "$work/no-logs" --logs "$data" -q
    says err 'KTH-SP2-1996-2.1-cln.swf'
    run 1 experiment run backfilling --out "$work/no-logs" --logs "$work/no/such" -q
    says err "$work/no/such: cannot be read: No such file or directory"
    run 64 experiment run all --out "$work/never" --set iterations=3
    says err "--set requires a single experiment"
    run 64 experiment list suspent
    says err "did you mean 'suspend'?"
    run 1 experiment run gridway --out "$data/small.lwf"
    says err "cannot write: "
    [ ! -e "$work/never" ] || fail "a folder was made for nothing"
    head -c 900 "$data/small.lwf" >"$work/cut.lwf"
    run 1 replay "$work/cut.lwf"
    says err "$work/cut.lwf:"
    run 1 replay "$data/small.lwf" --record "$work/no/such/folder.json"
    says err "$work/no/such/folder.json: cannot be written: No such file or directory"
    run 64 replay "$data/small.lwf" --set simulation.resources=in-tracefile --site 0,cpu=1,memory=1
    says err "0 hosts"
}

one_run() {
    run 0 replay "$data/small.lwf"
    says out "Best-effort leases"
    says out "2:30:00 (9,000 s)"
    silent err
    run 0 replay --json "$data/small.lwf"
    says out '"schema":"galerna-summary"'
    says out '"end_time":9000'
    run 0 replay --quiet "$data/small.lwf"
    silent out
    run 0 replay "$data/siteless.lwf" --site 4,cpu=100,memory=1024 --json
    says out '"end_time":9000'
    run 0 replay -c "$data/small.conf" --compatibility haizea-1.0 --json
    says out '"end_time":9000'
    run 0 replay "$data/small.lwf" --set simulation.stop-when=besteffort-done --json
    says out '"end_time":7200'
    run 0 replay "$data/small.lwf" --policy admission=no-ars --json
    says out '"end_time":4800'
    run 0 replay --list-options
    says out "[scheduling]"
    says out "suspendresume-exclusion: one of local, global (default: local)"
}

outputs() {
    mkdir "$work/one"
    run 0 replay -q "$data/small.lwf" --record "$work/one/r.json" --jobs "$work/one/j.csv" \
        --events "$work/one/e.jsonl" --gantt "$work/one/g.svg" --results "$work/one/r.db"
    holds "$work/one" e.jsonl g.svg j.csv r.db r.json
    for file in e.jsonl g.svg j.csv r.db r.json; do
        exists "$work/one/$file"
    done
    run 0 replay -q "$data/small.lwf" --jobs -
    says out "job_id,workload_name"
    run 0 replay "$data/small.lwf" --jobs -
    says out "job_id,workload_name"
    says err "Best-effort leases"

    # A run that fails leaves what was there before.
    echo before >"$work/one/j.csv"
    run 1 replay -q "$work/cut.lwf" --site 4,cpu=100,memory=1024 --jobs "$work/one/j.csv"
    checks=$((checks + 1))
    [ "$(cat "$work/one/j.csv")" = before ] || fail "a failed run changed the file"
    run 1 replay -q "$data/small.lwf" --results "$work/one/r.json"
    says err "$work/one/r.json"
    holds "$work/one" e.jsonl g.svg j.csv r.db r.json

    checks=$((checks + 1))
    if [ -c /dev/full ] && "$galerna" replay "$data/small.lwf" >/dev/full 2>"$work/err"; then
        fail "a full disk is no success"
    fi
}

# The run of a record is repeated: from its own inputs, or from a configuration.
repeated() {
    run 0 replay -c "$data/small.conf" --quiet --record "$work/run.json"
    run 0 verify -c "$data/small.conf" "$work/run.json"
    says out "clean"
    sed 's/"Memory":\([0-9]*\)/"Memory":1\1/g' "$work/run.json" >"$work/other.json"
    cmp -s "$work/run.json" "$work/other.json" && fail "the record is as it was"
    run 0 verify "$work/other.json" # of a run with more memory in all places
    run 1 verify -c "$data/small.conf" "$work/other.json"
    says out "repeated: host 1: site.1.Memory: the record has 1"
    run 1 verify -c "$data/small.conf" --set scheduling.shutdown-time=60 "$work/run.json"
    says out "repeated: "
    run 1 verify -c "$work/none.conf" "$work/run.json"
    run 64 verify --site 4,cpu=100,memory=512 "$work/run.json"
    says err "--site and --set require -c or --trace"
    run 64 verify --no-repeat -c "$data/small.conf" "$work/run.json"
    run 1 verify --trace "$data/small.lwf" "$work/run.json"
    run 0 replay --quiet "$data/small.lwf" --record "$work/small.json"
    run 0 verify --json --trace "$data/small.lwf" - <"$work/small.json"
}

# unsorted_request SUBMISSION START: of a VM for a minute
unsorted_request() {
    cat <<END
<lease-request arrival="$1"><lease preemptible="true"><nodes><node-set numnodes="1">
<res type="CPU" amount="100"/><res type="Memory" amount="1024"/></node-set></nodes>
<start>$2</start><duration time="00:01:00"/><software><none/></software></lease></lease-request>
END
}

# As in Haizea, a request behind a later one is taken when something happens: here, when the run ends
# in front of the later one.
repeated_unsorted() {
    {
        echo '<lease-workload name="unsorted"><lease-requests>'
        unsorted_request 00:00:00 ""
        unsorted_request 01:00:00 '<exact time="02:00:00"/>'
        unsorted_request 00:00:20 '<exact time="00:10:00"/>'
        echo '</lease-requests></lease-workload>'
    } >"$work/unsorted.lwf"
    run 0 replay -q --compatibility haizea-1.0 --set simulation.stop-when=besteffort-done \
        --site 1,cpu=100,memory=1024 "$work/unsorted.lwf" --record "$work/unsorted.json"
    run 0 verify "$work/unsorted.json"
}

# What a record cannot prove by itself, its run once more does, and what it cannot is said.
repeated_from_record() {
    run 0 verify "$work/run.json"
    says out "clean"
    says_not out "not checked"
    sed 's/"suspend-rate":32/"suspend-rate":33/' "$work/run.json" >"$work/lie.json"
    run 1 verify "$work/lie.json"
    says out "galerna.settings.suspend-rate: the record has 33, the repeated run 32"
    run 0 verify --no-repeat "$work/lie.json"
    says out "not checked: whether the run gives the same record again: --no-repeat"
    run 0 verify --no-repeat --json "$work/lie.json"
    says out "the same record again: --no-repeat"
    sed 's/"policy-host-selection","greedy"/"policy-host-selection","mine"/' "$work/run.json" \
        >"$work/lie.json"
    run 1 verify "$work/lie.json"
    says out "not repeated (see --no-repeat): the policy module is not loaded (specify --policy-path, or -c)"
    says out "unknown policy 'mine' (available: "
    says out "greedy"
    run 0 verify --no-repeat "$work/lie.json"
    python3 - "$work/run.json" >"$work/lie.json" <<'END'
import json, sys
record = json.load(open(sys.argv[1]))
del record["galerna"]["inputs"]
record["galerna"]["version"] = 3
json.dump(record, sys.stdout)
END
    run 1 verify "$work/lie.json" # stripped of what it is checked with
    says out "repeated: the run was not repeated (see --no-repeat): the record does not contain its inputs"
    run 0 verify --no-repeat "$work/lie.json"
    run 0 verify --partial "$work/lie.json"
    says out "not checked: whether the run gives the same record again: the record does not contain"
    run 0 verify -c "$data/small.conf" "$work/lie.json"
    sed "s|\"policy-host-selection\",\"greedy\"|\"policy-host-selection\",\"$work/greedy.so\"|" \
        "$work/run.json" >"$work/lie.json"
    run 1 verify "$work/lie.json"
    says out "scheduling.policy-host-selection names a file"
    sed 's/"steps":[0-9]*/"steps":1000000000/' "$work/run.json" >"$work/lie.json"
    run 1 verify "$work/lie.json"
    says out "galerna.inputs.steps: the record has 1000000000, the repeated run "
    sed 's/"steps":[0-9]*/"steps":2/' "$work/run.json" >"$work/lie.json"
    run 1 verify --limit 100 "$work/lie.json"
    says out "galerna.inputs.steps: the record has 2, the repeated run 3"
    sed 's/"status":"ok"/"status":"interrupted"/; s/"ending":"[a-z]*"/"ending":"interrupted"/' \
        "$work/run.json" >"$work/lie.json"
    run 1 verify "$work/lie.json"
    says out "status: the record has \"interrupted\", the repeated run \"ok\""
    sed 's/"vms":\[\[[0-9]*,/"vms":[[4000000000,/' "$work/run.json" >"$work/lie.json"
    run 1 verify "$work/lie.json"
    says out "no run has such inputs: "
}

# request ARRIVAL START DURATION: a request of 1 VM, for a trace.
request() {
    echo "<lease-request arrival='$1'><lease preemptible='true'><nodes><node-set numnodes='1'>"
    echo "<res type='CPU' amount='100'/><res type='Memory' amount='512'/></node-set></nodes>"
    echo "<start>$2</start><duration time='$3'/><software><none/></software></lease></lease-request>"
}

# A rule may stop a run at a time for which something was planned, or before the last request.
stopped() {
    {
        echo "<lease-workload name='stopped'><lease-requests>"
        request 00:00:00 "" 00:10:00
        request 00:00:00 "<exact time='00:05:00'/>" 01:00:00
        request 03:00:00 "<exact time='04:00:00'/>" 01:00:00
        echo "</lease-requests></lease-workload>"
    } >"$work/stopped.lwf"
    for rule in besteffort-submitted besteffort-done; do
        run 0 replay -q "$work/stopped.lwf" --site 2,cpu=100,memory=1024 \
            --set "simulation.stop-when=$rule" --record "$work/stopped.json"
        run 0 verify "$work/stopped.json"
        sed "s/$rule/all-leases-done/" "$work/stopped.json" >"$work/lie.json"
        run 1 verify "$work/lie.json"
    done
    {
        echo "<lease-workload name='none'><lease-requests>"
        request 00:01:00 "<exact time='00:05:00'/>" 01:00:00
        echo "</lease-requests></lease-workload>"
    } >"$work/only-ar.lwf"
    run 0 replay -q "$work/only-ar.lwf" --site 2,cpu=100,memory=1024 \
        --set simulation.stop-when=besteffort-submitted --record "$work/only-ar.json"
    run 0 verify "$work/only-ar.json"
    run 0 trace check "$work/only-ar.lwf"
    says out ", 1 lease, 0 errors"
}

# Options of policies that no run uses are named.
unused_options() {
    run 0 replay -q "$data/small.lwf" --set policy.limits.vms=5
    says err "--set policy.limits.vms has no effect: the policy is not used"
    run 0 replay -q "$data/small.lwf" --set policy.Limits.vms=5 --policy admission=accept-all,limits
    silent err
}

# Jobs of a log that make no lease are counted.
jobs_without_a_lease() {
    printf '; SWF\n1 0 0 5 1 -1 -1 1 6 -1 1 1 1 1 1 1 -1 -1\n2 0 0 5 1 -1 -1 1 6 -1 2 1 1 1 1 1 -1 -1\n' \
        >"$work/log.swf"
    run 0 trace check "$work/log.swf"
    says out "log.swf: 2 jobs; without a lease: 1 partial execution"
    run 0 trace stats "$work/log.swf"
    says out "  log: 2 jobs; without a lease: 1 partial execution"
    run 0 trace convert "$work/log.swf"
    says err "log.swf: 1 lease of 2 jobs; without a lease: 1 partial execution"
    run 0 trace convert - <"$work/log.swf"
    says out 'lease-workload name="standard-input"'
    run 0 trace check "$work/log.swf" --json
    says out '"schema": "galerna-trace-check"'
    says out '"jobs": 2'
    run 0 trace stats "$work/log.swf" --json
    says out '"schema": "galerna-trace-stats"'
}

# Durations follow from the original or the actual ones by the overheads of the configuration.
overheads() {
    for mode in default haizea-1.0; do
        run 0 replay -q -c "$data/small.conf" --compatibility "$mode" --record "$work/over.json" \
            --set tracefile.add-overhead=all --set tracefile.runtime-slowdown-overhead=5 \
            --set tracefile.bootshutdown-overhead=30
        run 0 verify "$work/over.json"
        # The second lease has an actual run time of 1200 s; its duration appears in three places.
        sed 's/"duration_known":12[0-9]*/"duration_known":1100/g' "$work/over.json" >"$work/lie.json"
        run 1 verify "$work/lie.json"
        [ "$mode" = default ] || says out "is not the original one with overheads"
    done
}

# A module of one's own is found in the folders that are given, never in one that the record names.
repeated_with_modules() {
    mkdir "$work/modules"
    cp "$modules/pack.so" "$work/modules/pack.so"
    run 0 replay -c "$data/small.conf" --quiet --policy "host-selection=$work/modules/pack.so*2" \
        --record "$work/own.json"
    says_not "own.json" "$work"
    run 0 verify --policy-path "$work/modules" "$work/own.json"
    says_not out "not checked"
}

# The peak is that of the run, not of the large program that started it.
peak_memory() {
    ran="galerna replay --json, started by a large program"
    python3 -c 'import os, sys; memory = b"x" * (1 << 29); os.execv(sys.argv[1], sys.argv[1:])' \
        "$galerna" replay --json "$data/small.lwf" >"$work/out" 2>"$work/err"
    peak=$(sed -n 's/.*"peak_memory_kb": *\([0-9]*\).*/\1/p' "$work/out")
    checks=$((checks + 1))
    if [ "${peak:-0}" -le 1000 ] || [ "$peak" -ge 524288 ]; then fail "$ran: peak $peak KB"; fi
}

several_runs() {
    mkdir "$work/many" "$work/many/deep"
    cp "$data/small.lwf" "$work/many/deep/other.lwf"
    cp "$data/small.lwf" "$work/many/deep/small.lwf"
    run 0 replay "$data/small.lwf" "$work/many/deep/other.lwf" "$work/many/deep/small.lwf"
    checks=$((checks + 1))
    head -n 1 "$work/out" | grep -q 'small  *other  *small-2' || fail "$ran: order of the columns"
    rm -r "$work/many/deep"

    run 0 replay "$data/small.lwf" "$data/siteless.lwf" --site 4,cpu=100,memory=1024 \
        --jobs "$work/many/" --events "$work/many/%s.events" --record "$work/many/r.json"
    holds "$work/many" r-siteless.json r-small.json siteless.csv siteless.events small.csv \
        small.events
    run 0 replay -j 1 -c "$data/small.conf" -c "$data/small.conf" --json
    says out '"name":"small-2"'
    run 1 replay "$data/small.lwf" "$data/siteless.lwf" --jobs -
    says err "2 runs cannot all write to standard output"
    run 1 replay "$data/siteless.lwf" "$data/small.lwf" --json
    says err "siteless: "
    says out '"name":"small"'
    run 0 replay -c "$data/small.conf" "$data/small.lwf"
    says out "small_small"

    cat >"$work/multi.conf" <<EOF
[multi]
tracedir: $data
tracefiles: small.lwf
[common:galerna]
[off:scheduling]
backfilling: off
[on:scheduling]
backfilling: aggressive
EOF
    run 0 replay -c "$work/multi.conf"
    says out "off_small"
    says out "on_small"
}

# A trace that takes long: more work than the site can do, so the queue grows.
long_trace() {
    awk 'BEGIN {
        print "; MaxProcs: 64"
        for (i = 1; i <= 200000; i++)
            print i, i * 20, -1, 3000 + i % 977, 1 + i % 13, -1, -1, 1 + i % 13, 9000 - i % 1009,
                -1, 1, 1, 1, -1, -1, -1, -1, -1
    }' >"$work/long.swf"
}

imported() {
    cat >"$work/sched.conf" <<END
MAX_VM = 5000
MAX_DISPATCH = 30 # per cycle
DIFFERENT_VNETS = YES
DEFAULT_SCHED = [
    POLICY = 3,
    RANK = "FREE_CPU - 2"
]
DEFAULT_DS_SCHED = [ POLICY = 1, RANK = "FREE_MB" ]
END
    run 0 config import "$work/sched.conf"
    says out "actions-in-all: 30"
    says out "# sched.conf:6"
    says out "rank: FREE_CPU - 2"
    says out "different-networks: YES"
    says err "sched.conf:1: MAX_VM = 5000: not needed: all waiting VMs are considered"
    says err "sched.conf:8: datastore-rank is omitted: POLICY is not 2 (custom)"
    run 0 config import "$work/sched.conf" -o "$work/new.conf"
    silent out
    exists "$work/new.conf"
    echo "DEFAULT_SCHED = [ POLICY = 9 ]" >"$work/bad.conf"
    run 1 config import "$work/sched.conf" "$work/bad.conf"
    says err "bad.conf:1: DEFAULT_SCHED/POLICY = 9: invalid: host-policy takes one of"
    echo "MAX_VM" >"$work/bad.conf"
    run 1 config import "$work/bad.conf"
    says err "bad.conf: line 1: expected ="
    run 64 config import
}

generated() {
    set -- --site 8,cpu=100,memory=1024 --stream typeless,jobs=40,nodes=8,class=local+suspendable
    run 0 trace generate "$@" -o "$work/a.lwf"
    silent out
    run 0 trace generate "$@" --output "$work/b.lwf"
    checks=$((checks + 1))
    cmp -s "$work/a.lwf" "$work/b.lwf" || fail "$ran: twice gives different bytes"
    run 0 trace generate "$@" --seed 2
    checks=$((checks + 1))
    ! cmp -s "$work/a.lwf" "$work/out" || fail "$ran: another seed gives the same"
    run 0 trace check "$work/a.lwf"
    says out "40 leases, 0 errors, 0 warnings"
    run 0 replay "$work/a.lwf"
    run 0 trace generate --with "$work/a.lwf" --stream reservations,rho=0.2,delta=1h,vms=2 \
        --name both -o "$work/c.lwf"
    run 0 trace check "$work/c.lwf"
    says out "0 errors, 0 warnings"
    checks=$((checks + 1))
    grep -q 'lease-workload name="both"' "$work/c.lwf" || fail "$ran: the name is not there"
    grep -q -e '--seed 1 --with a.lwf --stream reservations,rho=0.2' "$work/c.lwf" ||
        fail "$ran: the file does not tell how it was made"
    # A pipe is read once: opened again, it would wait for a second writer. Job 3 is suspended.
    mkfifo "$work/pipe"
    printf '%s -1 1 -1 -1 -1 -1 -1 -1 -1\n' "1 0 0 100 1 -1 -1 1 100" "2 1 0 100 2 -1 -1 2 100" \
        "3 2 0 900 1 -1 -1 1 900" >"$work/gap.swf"
    run 0 replay "$work/gap.swf" --site 2,cpu=100,memory=1024
    says out "gap: leases were suspended 1 time (scheduling.suspension)"
    cat "$work/gap.swf" >"$work/pipe" &
    checks=$((checks + 1))
    timeout 60 "$galerna" replay "$work/pipe" --site 2,cpu=100,memory=1024 >"$work/out" 2>"$work/err" ||
        fail "a pipe is read twice"
    grep -q 'Suspensions *[1-9]' "$work/out" || fail "a pipe: nothing was suspended"
    run 0 trace generate --list-keys
    says out "run-shape-1"
    run 64 trace generate
    says err "no --stream is given"
    run 64 trace generate --stream typeless,jbs=3
    says err "did you mean 'jobs'?"
    run 64 trace generate --stream poisson,jobs=3 --seed -1
    says err "--seed -1: expected a whole number"
    run 64 trace generate poisson,jobs=3
    says err "unexpected argument 'poisson,jobs=3'"
    run 1 trace generate --stream reservations,rho=0.2,span=1d -o "$work/d.lwf"
    says err "specify the site"
    run 1 trace generate --stream poisson,jobs=3 --with "$work/none.lwf"
    says err "none.lwf"
    run 1 trace generate --stream poisson,jobs=3 -o "$work/no/such/folder.lwf"
    says err "folder.lwf: cannot be written"
}

# interrupt FILE ARGUMENT...: Ctrl-C once the run has begun, which is when FILE's neighbors appear.
interrupt() {
    ran="galerna replay $* and Ctrl-C"
    "$galerna" replay "$@" >"$work/out" 2>"$work/err" &
    process=$!
    sleep 1
    kill -INT "$process"
    wait "$process"
    code=$?
    checks=$((checks + 1))
    [ "$code" -eq 130 ] || fail "$ran: exit code $code, expected 130"
}

interruption() {
    long_trace
    mkdir "$work/cut"
    set -- --site 64,cpu=100,memory=1024 --set scheduling.backfilling=conservative --json
    interrupt "$work/long.swf" "$@" --jobs "$work/cut/j.csv" --record "$work/cut/r.json"
    says out '"status":"interrupted"'
    holds "$work/cut" j.csv r.json
    exists "$work/cut/j.csv"
    checks=$((checks + 1))
    grep -q '"status": *"interrupted"' "$work/cut/r.json" || fail "the record does not say it"
    interrupt "$work/long.swf" "$work/long.swf" "$work/long.swf" -j 2 "$@" --jobs "$work/cut/"
    says out '"name":"long-2"'
    says err "long-3: not completed"
    holds "$work/cut" j.csv long-2.csv long.csv r.json
}

# Neither a full disk nor a signal leaves parts of files.
nothing_partial() {
    mkdir "$work/full"
    printf 'old' >"$work/full/r.json"
    head -n 1000 "$work/long.swf" >"$work/short.swf"
    for limit in ignored deadly; do
        ran="galerna replay on a full disk ($limit)"
        code=0
        (
            cd "$work/full" || exit
            [ "$limit" = deadly ] || trap '' XFSZ
            ulimit -f 8
            exec "$galerna" replay "$work/short.swf" --site 64,cpu=100,memory=1024 --quiet \
                --record r.json --jobs j.csv --events e.jsonl --gantt g.svg
        ) >"$work/out" 2>"$work/err" || code=$?
        checks=$((checks + 1))
        [ "$code" -ne 0 ] || fail "$ran: no failure"
        holds "$work/full" r.json
        [ "$(cat "$work/full/r.json")" = old ] || fail "$ran: the old record is gone"
    done
    code=0
    ran="galerna replay --results on a full disk"
    (trap '' XFSZ; ulimit -f 8; exec "$galerna" replay "$work/short.swf" \
        --site 64,cpu=100,memory=1024 --quiet --results "$work/full/r.db") \
        >"$work/out" 2>"$work/err" || code=$?
    checks=$((checks + 1))
    [ "$code" -eq 1 ] || fail "$ran: exit code $code, expected 1"
    holds "$work/full" r.json
}

: >"$work/out"
# SIGTERM ends an experiment as Ctrl-C does: without a part of its files.
experiment_ended() {
    ran="galerna experiment run suspend, ended by SIGTERM"
    "$galerna" experiment run suspend --out "$work/experiment" -j 1 -q >"$work/out" 2>"$work/err" &
    while [ ! -d "$work/experiment" ]; do sleep 0.1; done
    kill -TERM $!
    code=0
    wait $! || code=$?
    checks=$((checks + 2))
    [ "$code" -eq 130 ] || fail "$ran: exit code $code, expected 130"
    [ -z "$(find "$work/experiment" -type f)" ] || fail "$ran: $(find "$work/experiment" -type f)"
    says err "interrupted"
}

: >"$work/err"
general
wrong_usage
wrong_input
one_run
outputs
repeated
repeated_unsorted
repeated_from_record
repeated_with_modules
overheads
stopped
unused_options
jobs_without_a_lease
peak_memory
several_runs
imported
generated
interruption
nothing_partial
experiment_ended
echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
