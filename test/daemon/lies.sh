#!/usr/bin/env bash
# An OpenNebula that lies in well-formed answers: galernad answers all the while, loses no lease, sends
# no command because of a lie, and goes on when it hears the truth again.
#
#   lies.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"
command -v python3 >/dev/null || exit 77

start_oned --hosts 2 --cpu 4 --memory 4096 --boot-time 0
# The liar never reads half a word.
tell() {
    echo "$1" >"$work/next"
    mv "$work/next" "$work/lie"
}

tell none
"$(dirname "$0")/liar.py" "$port" "$work/lie" >"$work/liar" &
until_said liar '^[0-9]+$'
sed -i "s/^endpoint: .*/endpoint: http:\/\/127.0.0.1:$(cat "$work/liar")\/RPC2/" "$work/conf"
start_galernad
until_true answers

plain=$(oned submit --cpu 1 --memory 128)
runs=$(oned submit --cpu 1 --memory 128 --haizea DURATION=05:00:00)
books=$(oned submit --cpu 2 --memory 128 --haizea START=+02:00:00,DURATION=01:00:00)
waits=$(oned submit --cpu 4 --memory 128 --haizea DURATION=01:00:00,EARLIEST=+03:00:00)
all_is_well() {
    is "$plain" running && is "$runs" running && is "$books" reserved && is "$waits" waiting
}
until_true all_is_well

commands=$(grep -c ' accepted' "$work/log")

for lie in twice negative vanished renumbered emptied backwards future foreign; do
    does=$lie
    tell "$lie"
    for _ in $(seq 5); do # a poll a second
        sleep 1
        timeout 10 "$galerna" lease list --all --state-dir "$work/state" >"$work/out" || fail "it does not answer"
    done
    kill -0 "$daemon" || fail "galernad has ended"
    case $lie in
    twice) until_said log 'VM [01]: OpenNebula contradicts itself: its history record 0 is of host' ;;
    backwards) until_said log 'VM [01]: OpenNebula contradicts itself: it has 0 history records, and had 1' ;;
    foreign) until_said log 'cannot read OpenNebula: .*its root is <HTML>' ;;
    esac
    tell none
    until_true all_is_well
    [ "$(grep -c ' accepted' "$work/log")" -eq "$commands" ] || fail "a command was sent"
done
"$galerna" status --json --state-dir "$work/state" >"$work/status" || true
grep -q '"planners_ended": 0' "$work/status" || fail "a planner has ended"
stop_galernad
