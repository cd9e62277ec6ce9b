#!/usr/bin/env bash
# galernad with policy modules that do what no module may: it answers all the while, loses nothing,
# names the module and what it did, plans on with the built-in default, and does not load the module
# again, after a restart either, until 'galerna policy enable'.
#
#   offences.sh GALERNAD GALERNA MODULES
#
# With OFFENCES=all it tries each offence of each kind of module in create, in the first call and
# after the thousandth, which takes most of an hour.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"
modules=$3
chmod 755 "$work" # modules in it are loaded by another user

# conf OPTION... SECTION: the policies of [scheduling], and the options of the module.
conf() {
    cat >"$work/conf" <<END
[simulation]
resources: 4  CPU:400 Memory:8192
[daemon]
policy-call-limit: 2
planner-memory: 128
[rights]
max-reservations: 2000
max-cloud-time: unlimited
max-share: unlimited
max-ahead: 60:00:00:00
[opennebula]
poll-interval: 1
host-policy: modules
[galerna]
module-path: $modules
END
    printf '%s\n' "$@" >>"$work/conf"
}

# Its code is not 0 when something is wrong, such as a plan that a module has just ended.
status() {
    local text
    text=$(timeout 10 "$galerna" status --state-dir "$work/state" "$@") || [ -n "$text" ] || return 1
    printf '%s\n' "$text"
}

# request ARGUMENT...: a lease of one VM; prints its number.
request() {
    lease request --cpu 1 --memory 512 --wait 0 "$@" --json | grep -oE '"lease": [0-9]+' | grep -oE '[0-9]+'
}

is_out_of_service() {
    # its time may not have come yet; the daemon answers in any case
    status --json >"$work/status" || fail "it does not answer"
    grep -qF "\"out_of_service\": \"$1" "$work/status" && grep -qE '^ +"word": "[a-z-]+"' "$work/status"
}

says_reason() {
    lease show "$1" --json 2>/dev/null | grep -q "$2"
}

# a new place for each offence, with the module of that kind
begin() {
    rm -rf "$work/state"
    : >"$work/log"
}

# offends KIND DOES IN SAID [AFTER]: what is out of service afterwards, and that it goes on. Without
# AFTER it offends in one of the first calls.
offends() {
    local kind=$1 in=$3 said=$4 after=${5:-2} first second
    [ "$kind:$after" != preemption:2 ] || after=0
    does="$kind $2 in $in after $after calls"
    begin
    conf '[scheduling]' "policy-$kind: offends-$kind" "[policy offends-$kind]" "does: $2" "in: $in" \
        "after: $after"
    [ "$2" != leak ] || sed -i 's/^policy-call-limit: .*/policy-call-limit: 30/' "$work/conf"
    start_simulated
    first=$(request)
    [ "$kind" = admission ] || until_true is "$first" running
    [ "$after" -lt 1000 ] || # calls: room is found for a thousand, or asked for of 'first'
        request --cpu 4 --count "$([ "$kind" = preemption ] && echo 4 || echo 1)" --start +1h \
            --duration 10m --repeat hourly --times 1000 >/dev/null
    case $kind in
    preemption) request --cpu 4 --count 4 --start now --duration 60s >/dev/null ;;
    *) for _ in 1 2 3; do request >/dev/null; sleep 0.2; done ;;
    esac
    until_true is_out_of_service "$said"
    status >"$work/text"
    grep -q "offends-$kind" "$work/text" || fail "status does not name it"
    grep -qF "policy offends-$kind is out of service: it $said" "$work/log" || fail "the log does not say it"
    lease history >"$work/text"
    grep -qF "offends-$kind: it $said" "$work/text" || fail "the history does not say it"
    second=$(request)
    if [ "$kind" = admission ]; then
        until_true says_reason "$second" policy-out-of-service
    else
        until_true is "$second" running
        until_true is "$first" running # nothing is lost
    fi
    grep -q '"planners_ended": 1' "$work/status" || fail "more than one planner has ended"
    stop_galernad
    start_simulated # it is not loaded again
    is_out_of_service "$said" || fail "a restart puts it back in service"
    if [ "$kind" != admission ]; then
        until_true is "$(request)" running
    fi
    grep -q '"planners_ended": 0' "$work/status" || fail "it was loaded after a restart"
    stop_galernad
}

# A sample: test/planner/test_offences.c tries each in each call.
offends admission crash call 'crashed (Segmentation fault) when it was called for admit'
offends host-selection leave call 'ended the process with status 0 when it was called for score'
offends host-selection fork call 'made system call'
offends admission hang call 'did not return within 2000 ms when it was called for admit' 1000
offends host-selection raise call 'crashed (Terminated) when it was called for score'
offends host-selection signal-parent event 'made system call'
offends host-selection close event 'made system call'
offends host-selection read call 'made system call'
offends host-selection alarm create 'made system call'
offends host-selection limit call 'made system call'
offends host-selection leak call "used up the planner's memory"
offends host-selection leak create "used up the planner's memory" 0
offends preemption write-const may-preempt 'crashed (Segmentation fault) when it was called for may_preempt'
offends host-selection jump call ''
offends admission crash create 'crashed (Segmentation fault) when it was created'

# What is said of each offence; of a jump, whatever it leads to.
all_offences() {
    cat <<'END'
crash crashed (Segmentation fault)
hang did not return within 2000 ms
stop did not return within 2000 ms
leave ended the process with status 0
fork made system call
raise crashed (Terminated)
signal-parent made system call
close made system call
alarm made system call
limit made system call
leak used up the planner's memory
write-const crashed (Segmentation fault)
catch made system call
jump
connect made system call
read made system call
receive made system call
END
}

if [ "${OFFENCES:-}" = all ]; then
    for kind in admission preemption host-selection; do
        in=$([ "$kind" = preemption ] && echo may-preempt || echo call)
        while read -r offence text <&3; do
            offends "$kind" "$offence" create "$text" 0
            offends "$kind" "$offence" "$in" "$text" 0
            offends "$kind" "$offence" "$in" "$text" 1000
        done 3< <(all_offences)
    done
fi

# A module that writes to what it is given breaks what the engine uses later.
does='scribbles'
begin
conf '[scheduling]' 'policy-admission: offends-admission' '[policy offends-admission]' 'does: scribble'
start_simulated
request >/dev/null
until_true is_out_of_service 'was the last module called each time the planner failed'
until_true says_reason "$(request)" policy-out-of-service
stop_galernad

# Leases that an admission policy keeps out are asked about again when it is back, and immediate
# ones refused: its outage accepts nothing.
does='back in service'
begin
conf '[scheduling]' 'policy-admission: offends-admission' '[policy offends-admission]' 'does: crash' 'after: 0'
start_simulated
waiting=$(request)
until_true is_out_of_service 'crashed'
until_true says_reason "$waiting" policy-out-of-service
is "$waiting" waiting || fail "it is not kept waiting"
immediate=$(request --start now --duration 60s)
until_true is "$immediate" refused
"$galerna" policy enable accept-all --state-dir "$work/state" 2>"$work/err" &&
    fail "what is in service can be enabled"
sed -i 's/does: crash/does: nothing/' "$work/conf"
stop_galernad
start_simulated
is_out_of_service 'crashed' || fail "it is back without being told to"
"$galerna" policy enable offends-admission --state-dir "$work/state" >/dev/null || fail "it cannot be enabled"
! is_out_of_service 'crashed' || fail "it is still out of service"
until_true is "$waiting" running
stop_galernad

# A policy that refuses everything slowly is slow, not broken.
does='refuses slowly'
begin
conf '[scheduling]' 'policy-admission: offends-admission' '[policy offends-admission]' 'does: refuse-slowly' \
    'sleeps: 150'
start_simulated
for _ in $(seq 14); do last=$(request); done
until_true is "$last" refused
lease list --all --json | grep -qE '"phase": "(running|starting|waiting)"' && fail "it has let one in"
is_out_of_service '' && fail "slowness is no offence"
stop_galernad

# A module that logs in each call what no log can hold.
does='logs'
begin
conf '[scheduling]' 'policy-host-selection: offends-host-selection' '[policy offends-host-selection]' 'does: log'
start_simulated
until_true is "$(request)" running
until_true grep -qF "policy modules logged 1000 lines within a minute, the last one in a call of 'offends-host-selection'" "$work/log"
until_true is "$(request)" running
[ "$(grep -cF 'policy offends-host-selection: line' "$work/log")" -le 2000 ] || fail "all its lines are in the log"
stop_galernad

# answers_until COMMAND...: status is asked all the while; how many answers come depends on the machine.
answers_until() {
    local answered=0 longest=0 began took
    while ! "$@"; do
        began=$(date +%s%N)
        status >/dev/null || fail "it does not answer"
        took=$((($(date +%s%N) - began) / 1000000))
        [ "$took" -le "$longest" ] || longest=$took
        answered=$((answered + 1))
        [ "$answered" -le 2000 ] || fail "never: $*"
        sleep 0.02
    done
    echo "$does: $answered answers, the slowest in $longest ms (with the start of galerna)"
    [ "$answered" -ge 1 ] || fail "it does not answer before that"
}

# says N TEXT: the log, N times or more.
says() {
    [ "$(grep -cF "$2" "$work/log")" -ge "$1" ]
}

# While a module hangs in a call, questions are answered, however long the call takes.
does='hangs in a call'
begin
conf '[scheduling]' 'policy-admission: offends-admission' '[policy offends-admission]' 'does: hang'
start_simulated
request >/dev/null
answers_until says 1 'is out of service'
stop_galernad

# At the start: it answers while the module hangs.
does='hangs at the start'
begin
conf '[scheduling]' 'policy-host-selection: offends-host-selection' '[policy offends-host-selection]' 'does: hang' \
    'in: create'
sed -i 's/^policy-call-limit: .*/policy-call-limit: 8/' "$work/conf"
start_simulated
! says 1 'is out of service' || fail "it does not answer before the module is out of service"
is_out_of_service 'is still being loaded' || until_true is_out_of_service 'is still being loaded'
until_true is "$(request)" running
until_true is_out_of_service 'did not return within 8000 ms when it was created'
stop_galernad

# A reload of a module that hangs when it is created: the old one plans on, and stays.
does='hangs in a reload'
begin
mkdir -p "$work/modules"
cp "$modules/offends-host-selection.so" "$work/modules"
conf '[scheduling]' 'policy-host-selection: offends-host-selection'
sed -i "s|^module-path: .*|module-path: $work/modules|" "$work/conf"
start_simulated
until_true is "$(request)" running
cp "$modules/hanging/offends-host-selection.so" "$work/modules/new"
mv "$work/modules/new" "$work/modules/offends-host-selection.so"
kill -HUP "$daemon"
lease=$(request)
until_true is "$lease" running
! says 1 'policy modules stay' || fail "the lease waited until the reload was over"
answers_until says 1 'cannot reload; the old configuration and policy modules stay in effect'
! is_out_of_service '' || fail "a trial puts it out of service"

# A planner that ends is started again with it: built-in defaults plan until it is ready or ends.
does='hangs in a restart'
pkill -KILL -P "$daemon" galerna-planner # also the one that was tried, if it has not ended yet
until_true says 1 'offends-host-selection is still being loaded'
lease=$(request)
until_true is "$lease" running
! says 1 'is out of service' || fail "the lease waited until the module was out of service"
is_out_of_service 'is still being loaded' || fail "status does not say that it is being loaded"
answers_until is_out_of_service 'did not return within 2000 ms when it was created'

# The same with galerna policy enable, which says what happened.
does='hangs when it is enabled'
"$galerna" policy enable offends-host-selection --state-dir "$work/state" 2>"$work/err" &
enabling=$!
lease=$(request)
until_true is "$lease" running
is_ended() { ! kill -0 "$enabling" 2>/dev/null; }
answers_until is_ended
! wait "$enabling" || fail "it is enabled"
grep -qF 'did not return within 2000 ms when it was created' "$work/err" || fail "$(cat "$work/err")"
is_out_of_service 'did not return' || fail "it is back in service"
stop_galernad
