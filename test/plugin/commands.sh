#!/bin/sh
# commands.sh GALERNA MODULES: `galerna policy list|show|check` as a user meets them.
set -eu
galerna=$1
modules=$2
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# expect STATUS TEXT ARGUMENTS...: the exit status, and the text in what was printed.
expect()
{
    status=$1
    text=$2
    shift 2
    code=0
    "$galerna" policy "$@" > "$out" 2>&1 || code=$?
    if [ "$code" -ne "$status" ] || ! grep -qF -- "$text" "$out"; then
        echo "galerna policy $*: status $code, expected $status and '$text':"
        cat "$out"
        exit 1
    fi
}

expect 0 "host-selection  greedy" list
expect 0 '"schema": "galerna-policies"' list --json
expect 64 "unexpected argument 'x'" list x
expect 0 "order = oldest-first or youngest-first" show ar-preempts-everything
expect 0 "Default: youngest-first; with compatibility haizea-1.0: oldest-first" show AR_preempts_everything
expect 0 '"name": "max-age"' show --json ar-preempts-everything
expect 1 "did you mean 'greedy'?" show gredy
expect 64 "missing argument: NAME|FILE.so..." show
expect 64 "missing argument: NAME|FILE.so..." check
for policy in accept-all no-ars pacp racp aacp cacp limits no-preemption ar-preempts-everything \
    mov mlip moml priority no-policy greedy gridway pack spread; do
    expect 0 "the schedule is reproducible" check "$policy"
    expect 0 "the schedule is reproducible" check --compatibility haizea-1.0 "$policy"
done
expect 0 '"holds": true' check --json greedy
expect 0 "the schedule is reproducible" check "$modules/chooser.so"
expect 1 "do not make enough room" check "$modules/chooser.so" --set how=too-few
expect 1 "gave score -5, outside" check "$modules/hosts.so" --set score=-5
expect 1 "(what NaN becomes as an integer), outside" check "$modules/hosts.so" \
    --set score=-9223372036854775808
expect 1 "option score is 'x', expected a whole number" check "$modules/hosts.so" --set score=x
expect 1 "crashed in a trial: Segmentation fault when it is loaded" check "$modules/crash-on-load.so"
expect 1 "two instances give different answers to the same call" check "$modules/forgetful.so"
for module in scribbler scribbler-batch scribbler-site; do
    expect 1 "writes to its input" check "$modules/$module.so"
done
expect 1 "choose writes to its input" check "$modules/chooser.so" --set how=writes
expect 1 "writes more scores or choices than requested" check "$modules/chooser.so" --set how=extra
expect 0 "the schedule is reproducible" check "$modules/careless.so"
expect 1 "admit writes to its input" check "$modules/careless.so" --set does=writes
while read -r does text; do
    expect 1 "$text; a policy must not change the process" check "$modules/careless.so" --set does="$does"
done <<END
closes opens or closes files
ignores changes how signals are handled
moves changes the working directory
masks changes the umask
rounds changes the rounding of floating-point numbers
times sets a timer
forks starts processes
END
grep -q __asan_init "$galerna" ||
    expect 0 "bytes allocated, probably a leak" check "$modules/careless.so" --set does=leaks
expect 0 "the schedule is reproducible" check "$modules/careless.so" --set does=talks
expect 1 "estimate gave -5 milliseconds" check "$modules/estimates.so"
for what in no-id no-text bad-id; do
    expect 1 "refused 1 time without the id or the text of a reason" check "$modules/careless.so" \
        --set does=$what
done
expect 1 "crashed in a trial: Segmentation fault when it answers random calls" check "$modules/crash-in-score.so"
expect 1 "prints to standard output, which is for results; use host->log()" check "$modules/prints.so"

# Results stay apart from what a module prints.
folder=$(mktemp -d)
trap 'rm -rf "$out" "$folder"' EXIT
cat > "$folder/prints.sweep" <<END
[sweep]
seeds: 1-2
[trace t]
streams: typeless,jobs=5,nodes=4
site: 4,cpu=100,memory=1024
[policies]
host-selection: $modules/prints.so
END
"$galerna" trace generate --seed 1 --site 4,cpu=100,memory=1024 --stream typeless,jobs=5,nodes=4 \
    -o "$folder/t.lwf"
set -- --policy host-selection="$modules/prints.so"
for command in "policy check --json $modules/prints.so" "policy show --json $modules/prints.so" \
    "replay --json --jobs /dev/stderr $folder/t.lwf $*" "replay --jobs - $folder/t.lwf $*" \
    "replay --json $folder/t.lwf $folder/t.lwf $*" \
    "sweep --csv --results $folder/prints.db $folder/prints.sweep"; do
    # shellcheck disable=SC2086 # words
    "$galerna" $command > "$out" 2> "$folder/errors" || :
    if grep -qE '^(scores|loaded|unloaded)$' "$out" || ! [ -s "$out" ]; then
        echo "galerna $command mixes what a module prints with its results:"
        cat "$out"
        exit 1
    fi
    grep -q '^loaded$' "$folder/errors" || {
        echo "galerna $command: what the module prints is lost"
        exit 1
    }
done

expect 1 "exited with status 0 in a trial when it answers random calls" check "$modules/leaves.so"
if [ "$(grep -c 'ok     module' "$out")" -ne 1 ]; then
    echo "what was found before a module left is printed again:"
    cat "$out"
    exit 1
fi
expect 1 "when it reads leases_present, which it does not declare" \
    check "$modules/undeclared.so"
expect 1 "vetoes every host in 2000 random calls" check "$modules/hosts.so" --set score=-1
for policy in ar-preempts-everything mlip moml mov priority; do
    "$galerna" policy check "$policy" > "$out"
    if grep -q " 0 preempted" "$out"; then
        echo "the trace of galerna policy check has nothing preempted with $policy:"
        cat "$out"
        exit 1
    fi
done

code=0
"$galerna" replay --json "$folder/t.lwf" --policy host-selection="$modules/leaves.so" \
    > "$out" 2> "$folder/errors" || code=$?
if [ $code -ne 1 ] || [ -s "$out" ] ||
    ! grep -q "policy module 'leaves' ended the process when it was called for score" "$folder/errors"; then
    echo "a module that ends a replay: status $code"
    cat "$folder/errors"
    exit 1
fi

# Texts of modules are one line of UTF-8, and end with "..." when they are cut.
"$galerna" trace generate --seed 1 --site 12,cpu=100,memory=1024 --stream poisson,jobs=1,vms=12 \
    -o "$folder/large.lwf"
"$galerna" replay -q --record - "$folder/large.lwf" --policy admission="$modules/careless.so" \
    --set policy.careless.does=talks > "$out"
grep -q '"refused: policy careless: caf   \[31mred *\.\.\.' "$out" || {
    echo "the text of a module: $(grep -o 'refused: policy careless[^"]*' "$out")"
    exit 1
}

expect 1 "groups: expected NAME:USERS:LIMIT=N at 'students'" check limits --set groups=students
expect 1 "alpha is 'x', expected median, minimum, maximum or a number" check moml --set alpha=x
expect 1 "option external-gap is '-1', expected a number, 0" check pacp --set external-gap=-1

GALERNA_POLICY_PATH=$modules
export GALERNA_POLICY_PATH
expect 1 "wrong-magic.so: is not a policy module" list
expect 1 "chooser" list
