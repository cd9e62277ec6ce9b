#!/usr/bin/env bash
# Two daemons and one OpenNebula: the second one ends with 3, a dead or sleeping one is followed.
# They reach it by two names, so that the lock of this machine does not keep them apart.
#
#   guard.sh GALERNAD GALERNA
set -euo pipefail

galernad=$1
galerna=$2
work=$(mktemp -d)
declare -A pid=()
unset ONE_XMLRPC ONE_AUTH GALERNA_SOCKET STATE_DIRECTORY NOTIFY_SOCKET
export RUNTIME_DIRECTORY=$work/run
mkdir -m 700 "$work/run"

finish() {
    kill -KILL "${pid[@]}" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "guard.sh: $*" >&2
    tail -n 20 "$work"/*.log >&2
    exit 1
}

# start NAME HOST [STATE [AUTH]]
start() {
    printf '[opennebula]\nendpoint: http://%s:%s/RPC2\nauth-file: %s\npoll-interval: 1\n' \
        "$2" "$port" "${4:-$work/auth}" >"$work/$1.conf"
    "$galernad" --foreground --state-dir "$work/${3:-$1}" -c "$work/$1.conf" >>"$work/$1.log" 2>&1 &
    pid[$1]=$!
}

alive() {
    kill -0 "${pid[$1]}" 2>/dev/null
}

# ends NAME CODE SECONDS
ends() {
    local got=0
    for _ in $(seq "$(($3 * 10))"); do
        alive "$1" || break
        sleep 0.1
    done
    alive "$1" && fail "$1 still runs after $3 s"
    wait "${pid[$1]}" || got=$?
    [ "$got" -eq "$2" ] || fail "$1: exit code $got instead of $2"
}

# acts NAME SECONDS: a VM that is created now runs; NAME says that it has started it.
acts() {
    local before vm
    before=$(grep -c deploy "$work/$1.log" 2>/dev/null || true)
    vm=$("$galerna" sandbox submit --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" \
        --cpu 1 --memory 128)
    for _ in $(seq "$(($2 * 10))"); do
        [ "$(grep -c deploy "$work/$1.log" || true)" -le "${before:-0}" ] || return 0
        sleep 0.1
    done
    fail "$1 does not start $vm within $2 s"
}

says() {
    grep -qF -- "$2" "$work/$1.log" || fail "$1 does not say: $2"
}

"$galerna" sandbox --port 0 --hosts 2 --auth "$work/auth" >"$work/ready" &
pid[sandbox]=$!
for _ in $(seq 100); do
    port=$(grep -oE '127.0.0.1:[0-9]+' "$work/ready" 2>/dev/null) && break
    sleep 0.1
done
port=${port#*:}

# A second one on the same machine, under the same name: at once. On the same state: at once.
start first 127.0.0.1
acts first 10
start same 127.0.0.1
ends same 3 5
says same "in use by another galernad, process ${pid[first]}"
start first-again localhost first
ends first-again 3 5
says first-again "$work/first"

# A second one that reaches it by another name, as one on another machine does.
start second localhost
ends second 3 20
says second 'another galernad acts on this OpenNebula: instance'
alive first || fail "the first one has ended"
acts first 10

# A lock that other users could take keeps nobody out: the mark tells.
chmod 777 "$work/run"
start same 127.0.0.1
ends same 3 20
says same 'other users may write to it'
says same 'another galernad acts on this OpenNebula: instance'
chmod 700 "$work/run"

# A dead one is followed when its mark has stood still for a while.
kill -KILL "${pid[first]}"
wait "${pid[first]}" 2>/dev/null || true
start second localhost
acts second 40
says second 'another galernad is registered in OpenNebula'

# One that was asleep so long that another took its place ends when it wakes up.
kill -STOP "${pid[second]}"
start first 127.0.0.1
acts first 40
kill -CONT "${pid[second]}"
ends second 3 10
acts first 10

# One that ends in good order is followed at once.
kill -TERM "${pid[first]}"
ends first 0 10
start second localhost
acts second 10
kill -TERM "${pid[second]}"
ends second 0 10

# A zone of two front-ends: the stand-in tells them apart by the user. Both run; the one beside the
# leader acts, the other one watches, and says so.
call() {
    "$galerna" sandbox call --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" "$@" \
        >/dev/null
}
elect() { # TERM USER
    call sandbox.raft 3 "$1" "$2"
}
status() { # NAME KEY VALUE
    "$galerna" status --state-dir "$work/$1" >"$work/status" || true # 1: there is a problem
    grep -qE "^opennebula $2 +$3( |$)" "$work/status" || {
        cat "$work/status" >&2
        fail "$1: $2 is not $3"
    }
}
deployed() {
    grep -c 'deploy' "$work/$1.log" || true
}
echo other:secret >"$work/other"
chmod 600 "$work/other"
call one.user.allocate other secret core
call one.user.chgrp 2 0
elect 5 oneadmin
start first 127.0.0.1
acts first 15
start second localhost second "$work/other"
sleep 12
alive second || fail "the second one does not wait for its oned to lead"
says second 'does not lead its zone'
status second role follower
status second 'acts' no
status second 'acting server' 0
status second 'acting raft term' 5
status first role leader
status first 'acts' yes
says second 'signs promises with another key' # each has made its own
"$galerna" status --state-dir "$work/second" >"$work/status" && fail "status does not fail"
grep -q 'signs promises with another key' "$work/status" ||
    fail "status does not say that the keys differ"

# An election: the other one acts within 10 s, the deposed one watches.
elect 6 other
acts second 10
status first role follower
before=$(deployed first)
acts second 5
[ "$(deployed first)" = "$before" ] || fail "a deposed galernad sends commands"

# A process that stood still during an election, with its clock, sends nothing when it goes on.
before=$(deployed second)
kill -STOP "${pid[second]}"
elect 7 oneadmin
acts first 10
sleep 20
kill -CONT "${pid[second]}"
acts first 5
acts first 5
[ "$(deployed second)" = "$before" ] || fail "a galernad that woke up sends commands"
alive second || fail "a galernad that was deposed in its sleep ends"

# Deposed in the middle of commands, and back: each VM is deployed once.
for term in 8 9 10; do
    for _ in 1 2 3 4 5 6; do
        "$galerna" sandbox submit --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" \
            --cpu 0.1 --memory 16 >/dev/null
    done
    sleep "0.$((term % 4))"
    elect "$term" "$([ $((term % 2)) = 0 ] && echo other || echo oneadmin)"
    sleep 10
done
twice=$(grep -ohE 'VM [0-9]+: deploy accepted' "$work/first.log" "$work/second.log" | sort | uniq -d)
[ -z "$twice" ] || fail "deployed twice: $twice"
acts second 10

# The leader's galernad is gone: none acts until another front-end leads.
kill -KILL "${pid[second]}"
wait "${pid[second]}" 2>/dev/null || true
elect 11 oneadmin
acts first 10

# With the key of the other front-end there is no complaint.
cp "$work/first/promise.key" "$work/second/promise.key"
: >"$work/second.log"
start second localhost second "$work/other"
sleep 4
status second 'acting raft term' 11
! grep -q "another key" "$work/second.log" || fail "the same key is taken for another one"

# An oned that the others are gone from follows nobody, and its galernad waits.
call sandbox.raft 1 12
sleep 3
status first role candidate
alive first || fail "the first one does not wait for its oned to lead"
