#!/usr/bin/env bash
# A zone of two front-ends: the stand-in tells them apart by the user. Both run; the one beside the
# leader acts, the other one watches, and says so.
#
#   front_ends.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=several.bash
. "$(dirname "$0")/several.bash"

checks() { # TEXT: galerna setup --check says so of the second one
    { cat "$work/second.conf" && printf '\npromise-key: %s\n' "$work/second/promise.key"; } \
        >"$work/check.conf"
    "$galerna" setup --check -c "$work/check.conf" >"$work/check" || true
    grep -q "$1" "$work/check" || {
        cat "$work/check" >&2
        fail "setup does not say '$1'"
    }
}
call() {
    "$galerna" sandbox call --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" "$@" \
        >/dev/null
}
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
echo other:secret >"$work/other"
chmod 600 "$work/other"
call one.user.allocate other secret core
call one.user.chgrp 2 0
cat >"$work/tell" <<END
#!/bin/sh
grep -o '"lease":[0-9]*' >>'$work/told'
END
chmod +x "$work/tell"
sections=$(printf '[notify program]\non: start\nprogram: %s/tell' "$work")
elect 5 oneadmin
start first 127.0.0.1
acts first 15
start second localhost second "$work/other"
sleep 12
alive second || fail "the second one does not wait for its oned to lead"
says second 'does not lead its zone'
status second ", follower"
status second "galernad stands by"
status second "(server 0, Raft term 5)"
"$galerna" lease list --state-dir "$work/second" 2>"$work/err" >/dev/null
grep -q 'may be outdated: this oned does not lead its zone (follower) (since' "$work/err" ||
    fail "the list of a follower says: $(cat "$work/err")"
"$galerna" lease list --state-dir "$work/first" 2>"$work/err" >/dev/null
! grep -q outdated "$work/err" || fail "the list of the leader says: $(cat "$work/err")"
status first ", leader"
status first "galernad acts"
says second 'signs promises with another key' # each has made its own
"$galerna" status --state-dir "$work/second" >"$work/status" && fail "status does not fail"
grep -q 'signs promises with another key' "$work/status" ||
    fail "status does not say that the keys differ"
checks 'wrong .*promise.key is not the key'

# A lease that ends while it watches, which may be for months, is in its store and no longer in memory.
short=$("$galerna" sandbox submit --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" \
    --cpu 0.1 --memory 16 --haizea DURATION=00:00:02)
for _ in $(seq 150); do
    "$galerna" status --state-dir "$work/second" >"$work/status" || true
    "$galerna" lease history "$short" --state-dir "$work/second" >"$work/history" 2>&1 || true
    ! grep -q ' ended' "$work/history" || grep -q '^leases .* ended' "$work/status" || break
    sleep 0.1
done
grep -q ' ended' "$work/history" || fail "the end of a lease is not in the store of a follower"
! grep -q '^leases .* ended' "$work/status" || fail "a follower keeps the leases that have ended"

# An election: the other one acts within 10 s, the deposed one watches.
elect 6 other
acts second 10
status first ", follower"
for _ in $(seq 100); do # all leases that were started
    [ "$(sort -u "$work/told" | wc -l)" -lt 3 ] || break
    sleep 0.1
done
[ "$(sort -u "$work/told" | wc -l)" -eq 3 ] || fail "a start was not told: $(cat "$work/told")"
twice=$(sort "$work/told" | uniq -d)
[ -z "$twice" ] || fail "told by both front-ends: $twice"
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

# With the key of the other front-end galernad reports the configuration as the only problem.
differs='has another configuration'
cp "$work/first/promise.key" "$work/second/promise.key"
: >"$work/second.log"
start second localhost second "$work/other" 'retry-limit: 3'
sleep 4
status second "Raft term 11)"
! grep -q "another key" "$work/second.log" || fail "the same key is taken for another one"
says second "$differs"
checks 'wrong .*galerna.conf differs'
checks 'right .*the promise key is the same'
sed -i '/retry-limit/d' "$work/second.conf"
kill -HUP "${pid[second]}"
sleep 2
"$galerna" status --state-dir "$work/second" >"$work/status" || fail "the same configuration differs"
checks 'right .*galerna.conf is the same'

# OpenNebula does not answer the first write of the new leader: galernad gives it up and writes again.
call sandbox.fault 'FAULT = [ KIND = "delay", METHOD = "one.document.update", TIME = "30000", COUNT = "1" ]'
elect 12 other
acts second 15
elect 13 oneadmin
acts first 10

# oned takes more than a second to say that it leads, as it may while another front-end does not answer.
call sandbox.fault 'FAULT = [ KIND = "delay", METHOD = "one.zone.raftstatus", TIME = "1200", COUNT = "-1" ]'
acts first 10
call sandbox.clear -1

# Stopped while its promises wait for a connection: none of them takes the place of what the next
# leader's galernad has promised.
elect 14 other
acts second 10
call sandbox.fault 'FAULT = [ KIND = "delay", METHOD = "one.vm.update", TIME = "5000", COUNT = "-1" ]'
"$galerna" sandbox submit --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" --count 40 \
    --cpu 0.1 --memory 16 --haizea EARLIEST=+01:00:00,DURATION=00:01:00 >/dev/null
sleep 2.5
kill -STOP "${pid[second]}"
call sandbox.clear -1
elect 15 oneadmin
acts first 10
sleep 5
kill -CONT "${pid[second]}"
sleep 5
! grep 'GALERNA_PROMISE is an older one' "$work/first.log" ||
    fail "a galernad that woke up writes promises"
alive second || fail "a galernad that was deposed while it wrote ends"

# Beside a galernad of a later version, also one that is gone, this one does not act, and says why.
kill -KILL "${pid[first]}"
wait "${pid[first]}" 2>/dev/null || true
call one.document.update 0 'VERSION=99 PLACE=elsewhere' 1
elect 16 other
before=$(deployed second)
"$galerna" sandbox submit --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" \
    --cpu 0.1 --memory 16 >/dev/null
sleep 15
[ "$(deployed second)" = "$before" ] || fail "it acts beside a galernad with other rules"
"$galerna" status --state-dir "$work/second" >"$work/status" && fail "status does not fail"
grep -q 'newer version' "$work/status" || fail "status does not say that another one is newer"
kill -KILL "${pid[second]}" # the same when it is started beside that mark
wait "${pid[second]}" 2>/dev/null || true
start second localhost second "$work/other"
sleep 5
"$galerna" status --state-dir "$work/second" >"$work/status" && fail "status does not fail"
grep -q 'newer version' "$work/status" || fail "a start does not say that another one is newer"
call one.document.delete 0
acts second 10
# An oned that the others are gone from follows nobody, and its galernad waits.
call sandbox.raft 1 17
sleep 3
status second ", candidate"
alive second || fail "the second one does not wait for its oned to lead"

# With dry-run it does not claim to act, although its oned leads.
kill -KILL "${pid[second]}"
wait "${pid[second]}" 2>/dev/null || true
elect 18 other
start second localhost second "$work/other" 'dry-run: yes'
sleep 4
status second "leader in Raft term 18; galernad sends no commands (dry-run is on)$"
kill -KILL "${pid[second]}"
wait "${pid[second]}" 2>/dev/null || true
start second localhost second "$work/other"
sleep 12

# While its oned does not answer, another front-end may have been elected: galernad does not claim to act.
status second "leader in Raft term 18; galernad acts"
kill -KILL "${pid[sandbox]}"
wait "${pid[sandbox]}" 2>/dev/null || true
sleep 4
status second 'role unknown; galernad stands by$'
