# Sourced by the tests of a zone of two front-ends: the stand-in tells them apart by the user, oneadmin and
# other. The two daemons are `first` and `second`.
# shellcheck shell=bash

# shellcheck source-path=SCRIPTDIR source=several.bash
. "$(dirname "$0")/several.bash"

elect() { # TERM USER
    call sandbox.raft 3 "$1" "$2"
}

status() { # NAME TEXT, part of the line about front-ends
    "$galerna" status --state-dir "$work/$1" >"$work/status" || true # 1: there is a problem
    grep -q "^front-end .*$2" "$work/status" || {
        cat "$work/status" >&2
        fail "$1: status does not say '$2'"
    }
}

deployed() {
    grep -c 'deploy' "$work/$1.log" || true
}

checks() { # TEXT: galerna setup --check says so of the second one
    { cat "$work/second.conf" && printf '\npromise-key: %s\n' "$work/second/promise.key"; } \
        >"$work/check.conf"
    "$galerna" setup --check -c "$work/check.conf" >"$work/check" || true
    grep -q "$1" "$work/check" || {
        cat "$work/check" >&2
        fail "setup does not say '$1'"
    }
}

# start_first: it acts.
start_first() {
    elect 5 oneadmin
    start first 127.0.0.1
    acts first 15
}

# start_follower NAME [LINE]: beside an oned that does not lead, and says so.
start_follower() {
    : >"$work/$1.log"
    start "$1" localhost "$1" "$work/other" "${2:-}"
    for _ in $(seq 150); do
        ! grep -qF 'does not lead its zone' "$work/$1.log" || return 0
        sleep 0.1
    done
    fail "$1 does not say that its oned does not lead"
}

echo other:secret >"$work/other"
chmod 600 "$work/other"
call one.user.allocate other secret core
call one.user.chgrp 2 0
