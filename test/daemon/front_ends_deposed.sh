#!/usr/bin/env bash
# A zone of two front-ends whose leader is deposed in the middle of commands and of writes, or ends: each
# VM is deployed once, and no promise takes the place of a later one.
#
#   front_ends_deposed.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=zone.bash
. "$(dirname "$0")/zone.bash"

start_first
start_follower second

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
start_follower second

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
