#!/usr/bin/env bash
# galernad at its start: what it refuses, what it says, exit codes.
#
#   start.sh GALERNAD MODULE
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"
export HOME=$work

# stop STATE: ends the galernad that has locked it.
stop() {
    local pid
    pid=$(cat "$work/$1/lock")
    kill -TERM "$pid"
    tail --pid "$pid" -f /dev/null
}

kill_detached() {
    local lock
    for lock in "$work"/*/lock; do
        [ ! -s "$lock" ] || kill -KILL "$(cat "$lock")" 2>/dev/null || true
    done
}
trap 'kill_detached; finish' EXIT

# refuses CODE TEXT ARGUMENT...: it ends with CODE, says TEXT, and leaves no state behind.
refuses() {
    ends_with "$1" "$2" timeout 20 "$galernad" --state-dir "$work/state" "${@:3}"
    [ ! -e "$work/state/store.db" ] || fail "$*: it has made a store"
}

# says TEXT: the last one said this, too.
says() {
    grep -qF -- "$1" "$work/out" || fail "'$1' is not said"
}

conf() {
    printf '%s\n' "$@" >"$work/conf"
}

# A policy that cannot be loaded is not replaced by another one.
mkdir -m 700 "$work/modules"
conf '[galerna]' "module-path: $work/modules" '[scheduling]' 'policy-admission: my-limits'
for when in --check-configuration --foreground ''; do
    # shellcheck disable=SC2086 # empty is no argument
    refuses 78 "unknown policy 'my-limits'" -c "$work/conf" $when
    says "$work/modules"
done
echo 'no library' >"$work/modules/my-limits.so"
chmod 600 "$work/modules/my-limits.so"
refuses 78 "$work/modules/my-limits.so" -c "$work/conf" --foreground
conf '[scheduling]' "policy-host-selection: $work/gone.so"
refuses 78 "$work/gone.so" -c "$work/conf" --foreground
conf '[scheduling]' 'policy-admission: limits' '[limits]' 'max-vms: many'
refuses 78 "$work/conf:" -c "$work/conf" --foreground

# The configuration: a wrong name, a wrong value, no such file.
conf '[opennebula]' 'pol-interval: 10'
refuses 78 "$work/conf:2" -c "$work/conf" --foreground
says "poll-interval"
conf '[opennebula]' 'poll-interval: soon'
refuses 78 "$work/conf:2" -c "$work/conf" --foreground
refuses 78 "$work/none.conf" -c "$work/none.conf" --foreground

conf '[scheduling]' 'policy-admission: accept-all'
"$galernad" --check-configuration -c "$work/conf" >"$work/out" 2>&1 || fail "a sound configuration"
says "is valid"

refuses 64 '--nonsense' --nonsense
refuses 64 'unexpected argument' file.conf

# In the background it returns when it runs, or has failed, with the code that says so.
# returns CODE TEXT ARGUMENT...
returns() {
    (cd "$work" && ends_with "$1" "$2" timeout 60 "$galernad" "${@:3}")
}

[ -e /var/lib/one/.one/one_auth ] || returns 4 'no session for OpenNebula' --state-dir none
touch "$work/file"
returns 1 'is not a directory' --simulate --state-dir file

# A relative path is relative to where it was typed; a new directory is made private.
mkdir -m 755 "$work/new"
returns 0 'simulated hosts: ' --simulate --state-dir new
[ "$(stat -c %a "$work/new")" = 700 ] || fail "the new state directory is not private"
[ -S "$work/new/control.sock" ] || fail "the state directory is not where it was typed"
returns 3 "$work/new is in use by another galernad" --simulate --state-dir new
stop new
chmod 755 "$work/new"
returns 1 'is accessible to other users' --simulate --state-dir new

# After that, the terminal is left alone. A bare chroot has no terminals.
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    script -qec "'$galernad' --simulate --state-dir '$work/tty'" /dev/null >"$work/out" </dev/null
    says "log file: $work/tty/galernad.log"
    stop tty
    grep -qF 'stopping; VMs stay as they are' "$work/tty/galernad.log" || fail "the log does not continue in its file"
else
    echo "no pseudo-terminal here: not tried on a terminal"
fi

# A module and a configuration, named relatively.
mkdir -p "$work/conf.d/mine"
printf '[daemon]\nplanner-user: %s\n[scheduling]\npolicy-admission: ./conf.d/mine/accept-all.so\n' \
    "$(id -un)" >"$work/conf.d/conf"
cp "$2" "$work/conf.d/mine/accept-all.so"
chmod 700 "$work/conf.d/mine/accept-all.so"
returns 0 'simulated hosts: ' --simulate --state-dir moved -c conf.d/conf
stop moved

# Real or simulated: a directory belongs to what has answered first.
conf '[opennebula]' 'endpoint: http://127.0.0.1:9/RPC2'
echo 'oneadmin:secret' >"$work/auth"
chmod 600 "$work/auth"
ONE_AUTH=$work/auth timeout -s TERM 2 "$galernad" --foreground --state-dir "$work/either" \
    -c "$work/conf" >"$work/out" 2>&1 || [ $? -eq 124 ] || fail "it does not wait for OpenNebula"
says 'trying again'
ONE_AUTH=$work/auth returns 4 'OpenNebula does not answer (--foreground keeps trying): ' --state-dir either -c conf
returns 0 'simulated hosts: ' --simulate --state-dir either
until_said out "scheduling 4 simulated hosts"
stop either
returns 78 'has the leases of simulated hosts' --state-dir either -c conf

# What may be better later is restarted by systemd: it does not end as a wrong configuration does.
(ulimit -n 17 && refuses 1 'Too many open files' --simulate --foreground)
