#!/usr/bin/env bash
# galernad at its start: what it refuses, what it says, exit codes.
#
#   start.sh GALERNAD
set -euo pipefail

galernad=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ONE_XMLRPC ONE_AUTH GALERNA_SOCKET STATE_DIRECTORY RUNTIME_DIRECTORY NOTIFY_SOCKET
export HOME=$work

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
