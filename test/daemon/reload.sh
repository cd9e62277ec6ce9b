#!/usr/bin/env bash
# SIGHUP: galernad takes over what may change while it runs, says what needs a restart, and changes
# nothing when the configuration has an error or a module cannot be loaded.
#
#   reload.sh GALERNAD GALERNA MODULE (accept-all) LIMITS (the module limits) PLANNER NEWER_PLANNER
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"
chmod 755 "$work" # the planner may run as another user
mkdir "$work/modules"
cp "$3" "$4" "$work/modules"

# conf LOG-LEVEL PLAN-LIMIT [LINE]
conf() {
    cat >"$work/conf" <<END
[simulation]
resources: 2  CPU:400 Memory:8192
[scheduling]
policy-admission: $work/modules/accept-all.so
[opennebula]
poll-interval: 1
[daemon]
log-level: $1
plan-limit: $2
${3:-}
END
}

# reloads TEXT: on SIGHUP galernad logs it.
reloads() {
    : >"$work/log"
    kill -HUP "$daemon"
    until_said log "$1"
}

# is_talkative: a command is logged.
is_talkative() {
    local id
    : >"$work/log"
    lease request --cpu 1 --memory 512 --duration 1m >"$work/out"
    id=$(grep -oE '^Lease [0-9]+' "$work/out" | head -n 1)
    until_true is "${id#Lease }" running
    said log 'deploy'
}

conf info 60
start_simulated
reloads 'configuration reloaded, changed: nothing'
is_talkative || fail "commands are not logged"

does='an error'
conf warning x
reloads 'cannot reload; .*plan-limit is .x'
is_talkative || fail "a configuration with an error takes effect"

does='a broken module'
conf warning 60
mv "$work/modules" "$work/kept"
reloads 'cannot reload; the old configuration'
is_talkative || fail "the configuration takes effect without the module"
mv "$work/kept" "$work/modules"

does='a change'
conf warning 30 'history-keep: 1:00:00:00'
reloads 'changed: daemon.log-level, daemon.history-keep$'
said log 'changes in the configuration that need a restart of galernad: daemon.plan-limit$' || fail "no word of plan-limit"
! is_talkative || fail "the new log level does not count"

does='a change and back'
conf info 60
reloads 'changed: daemon.log-level, daemon.history-keep$'
! said log 'need a restart' || fail "plan-limit is as it was at the start"
is_talkative || fail "the old log level does not count"

does='options of a module'
conf info 60 '[policy limits]
vms: 1'
sed -i 's/accept-all.so/limits.so/' "$work/conf"
reloads 'changed: scheduling.policy-admission, policy limits.vms$'
ends_with 2 'VMs: 2 requested' lease request --cpu 1 --memory 512 --duration 1m --count 2
sed -i 's/^vms: 1/vms: 2/' "$work/conf"
reloads 'changed: policy limits.vms$'
ends_with 0 'requested: VMs 7, 8' lease request --cpu 1 --memory 512 --duration 1m --count 2

does='a wrong option of a module'
sed -i 's/^vms: 2/vmss: 3/' "$work/conf"
reloads 'cannot reload; .*vmss'

does='levels of the log'
log() {
    "$galerna" log --state-dir "$work/state" "$@"
}
ends_with 64 "unknown level or subsystem 'debugg', did you mean 'debug'?" log debugg
ends_with 64 "unknown level or subsystem 'plannr', did you mean 'planner'?" log debug plannr
log debug planner >"$work/out"
said out '^planner +debug$' || fail "the level is not shown"
said out '^leases +info$' || fail "the level of all subsystems is set"
"$galerna" host drain 1 --state-dir "$work/state" >/dev/null
until_said log 'debug: rebuilding the plan: 1 host'
"$galerna" host undrain 1 --state-dir "$work/state" >/dev/null
log configured >"$work/out"
! said out debug || fail "the configured level does not count again"

does='JSON'
conf info 60 'log-format: json'
reloads '"level":"info","subsystem":"daemon","message":"configuration reloaded'
is_talkative || fail "commands are not logged"
said log '"subsystem":"commands","lease":[0-9]+,"vm":[0-9]+,"message":"VM [0-9]+: deploy' ||
    fail "lease and VM are no members"
stop_galernad

# A package upgrade replaces the files under a running galernad: the planner that runs plans on; when it
# has ended, nothing is planned, no module is blamed, and galernad says what to do.
does='a planner of another version'
conf info 60
mkdir -p "$work/sbin" "$work/libexec/galerna"
cp "$galernad" "$work/sbin/galernad"
ln -s "$(dirname "$galernad")/../lib" "$work/lib" # the default policies
galernad=$work/sbin/galernad
install_planner() {
    cp "$1" "$work/libexec/galerna/new"
    mv "$work/libexec/galerna/new" "$work/libexec/galerna/galerna-planner"
}
newer='galerna-planner is version 99.0.0 .*, this galernad is [0-9.]+ .*: restart galernad'
status_says() {
    timeout 10 "$galerna" status --state-dir "$work/state" >"$work/out" 2>&1 || true
    said out "$1"
}
said_often() { [ "$(grep -cE -- "$newer" "$work/log")" -ge 4 ]; }
rm -r "$work/state" # full of VMs
install_planner "$5"
start_simulated
install_planner "$6"
reloads "cannot reload; .*$newer"
is_talkative || fail "the planner that runs is lost"
: >"$work/log"
pkill -KILL -P "$daemon" galerna-planner
until_true status_says 'restart galernad'
until_true said_often
id=$(lease request --cpu 1 --memory 512 --duration 1m --wait 0 --json | grep -oE '"lease": [0-9]+')
id=${id#*: }
is "$id" waiting || fail "it does not answer, or plans"
! said log 'out of service' || fail "a module is blamed"
install_planner "$5"
until_true is "$id" running
! status_says 'restart galernad' || fail "the problem stays"
! said log 'out of service' || fail "a module is blamed"
stop_galernad
install_planner "$6"
ends_with 78 'galerna-planner is version 99.0.0' timeout 30 "$galernad" --simulate --foreground \
    --state-dir "$work/state" -c "$work/conf"

# A planner that ends before it loads a module, as when a library is missing: the same.
does='a planner that cannot start'
printf '#!/bin/sh\necho "libx.so.1: cannot open shared object file" >&2\nexit 127\n' >"$work/broken"
chmod +x "$work/broken"
broken='galerna-planner cannot be used: it ended the process with status 127; it wrote: libx.so.1: cannot open'
install_planner "$5"
start_simulated
install_planner "$work/broken"
: >"$work/log"
pkill -KILL -P "$daemon" galerna-planner
until_true status_says "$broken"
newer=$broken
until_true said_often
! said log 'out of service' || fail "a module is blamed"
rm "$work/libexec/galerna/galerna-planner"
install_planner "$5"
recovered() { ! status_says "$broken"; }
until_true recovered
! said log 'out of service' || fail "a module is blamed"
stop_galernad
install_planner "$work/broken"
ends_with 78 "$broken" timeout 30 "$galernad" --simulate --foreground --state-dir "$work/state" -c "$work/conf"
