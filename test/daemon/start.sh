#!/usr/bin/env bash
# galernad at its start: what it refuses, what it says, exit codes.
#
#   start.sh GALERNAD MODULE
set -euo pipefail

galernad=$1
work=$(mktemp -d)
unset ONE_XMLRPC ONE_AUTH GALERNA_SOCKET STATE_DIRECTORY NOTIFY_SOCKET
export HOME=$work RUNTIME_DIRECTORY=$work

# stop STATE: ends the galernad that has locked it.
stop() {
    local pid
    pid=$(cat "$work/$1/lock")
    kill -TERM "$pid"
    tail --pid "$pid" -f /dev/null
}

finish() {
    local lock
    for lock in "$work"/*/lock; do
        [ ! -s "$lock" ] || kill -KILL "$(cat "$lock")" 2>/dev/null || true
    done
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "start.sh: $*" >&2
    cat "$work/out" >&2
    exit 1
}

# refuses CODE TEXT ARGUMENT...: it ends with CODE, says TEXT, and leaves no state behind.
refuses() {
    local code=$1 text=$2 got=0
    shift 2
    timeout 20 "$galernad" --state-dir "$work/state" "$@" >"$work/out" 2>&1 || got=$?
    [ "$got" -eq "$code" ] || fail "$*: exit code $got instead of $code"
    grep -qF -- "$text" "$work/out" || fail "$*: '$text' is not said"
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
says "in order"

refuses 64 '--nonsense' --nonsense
refuses 64 'unexpected argument' file.conf

# In the background it returns when it runs, or has failed, with the code that says so.
# returns CODE TEXT ARGUMENT...
returns() {
    local code=$1 text=$2 got=0
    shift 2
    (cd "$work" && timeout 60 "$galernad" "$@" >out 2>&1) || got=$?
    [ "$got" -eq "$code" ] || fail "$*: exit code $got instead of $code"
    says "$text"
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
returns 1 'can be used by others' --simulate --state-dir new

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
returns 0 'simulated hosts: ' --simulate --state-dir either
stop either
returns 78 'has the leases of simulated hosts' --state-dir either -c conf

# What may be better later is restarted by systemd: it does not end as a wrong configuration does.
(ulimit -n 17 && refuses 1 'Too many open files' --simulate --foreground)
