#!/usr/bin/env bash
# galernad --simulate: ended and killed, it goes on with the hosts, VMs and leases it had; what
# cannot go together is refused.
#
#   simulate.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"

conf() {
    printf '[simulation]\nresources: %s\n[scheduling]\npolicy-preemption: ar-preempts-everything\n' \
        "$1" >"$work/conf"
    printf 'suspend-rate: 1024\nresume-rate: 1024\n[opennebula]\npoll-interval: 1\n' >>"$work/conf"
}

# becomes LEASE PHASE
becomes() {
    until_true is "$@"
}

# refuses CODE TEXT ARGUMENT...
refuses() {
    ends_with "$1" "$2" timeout 20 "$galernad" --foreground -c "$work/conf" "${@:3}"
}

conf '2  CPU:400 Memory:8192'
start_simulated
lease request --cpu 1 --memory 512 --duration 1m --dry-run >"$work/out" ||
    fail "a dry run of what fits now: $(cat "$work/out")"
grep -qE '^The lease would be accepted and start at .* \(now, estimate\)\.$' "$work/out" ||
    fail "not said that it would start now: $(cat "$work/out")"
grep -qE '^It would run on host host-[01]\.$' "$work/out" || fail "not said where: $(cat "$work/out")"
# VMs of several sizes.
lease request --cpu 1 --memory 512 --also 1x4/2G --duration 1m --dry-run >"$work/out" ||
    fail "a dry run of two sizes: $(cat "$work/out")"
grep -qE '^It would run on hosts host-[01], host-[01]\.$' "$work/out" ||
    fail "not said where both sizes are: $(cat "$work/out")"
ends_with 2 'hold at most 2 when empty (4.00 CPU and 2048 MB each)' \
    lease request --cpu 1 --memory 512 --also 3x4/2G
lease request --cpu 3 --memory 512 --count 2 --also 2x3/1G --duration 1m --when >"$work/out" ||
    fail "no start of fewer VMs is found: $(cat "$work/out")"
grep -qE ', 2 VMs, for 1m00s:$' "$work/out" || fail "not half of each size: $(cat "$work/out")"
head -n 1 "$work/out" | grep -q '^No start of the whole request is possible .*do not hold all of them' ||
    fail "not said first that all VMs never start: $(cat "$work/out")"
lease request --cpu 3 --memory 512 --count 2 --also 2x3/1G --duration 1m --when --json >"$work/out"
grep -q '"refusal": .*do not hold all of them' "$work/out" ||
    fail "programs are not told that all VMs never start: $(cat "$work/out")"
lease request --cpu 4 --memory 2048 --count 2 --duration 10m --preemptible >"$work/out"
becomes 0 running
"$galerna" host timeline 0 --json --state-dir "$work/state" | grep -qE '"vm": [01]' ||
    fail "the timeline does not say which VM runs"
ends_with 1 'host -4294967296 does not exist' "$galerna" host timeline --state-dir "$work/state" -- -4294967296
# Sooner if lease 0 makes room, later if none does; smaller ones are not sooner.
lease request --cpu 4 --memory 2048 --count 2 --duration 1m --when >"$work/out" ||
    fail "no start is found: $(cat "$work/out")"
grep -qE ', for 1m00s, if 1 lease makes room:$' "$work/out" ||
    fail "not said how many make room: $(cat "$work/out")"
grep -qE '^It would run on hosts host-[01], host-[01]\.$' "$work/out" ||
    fail "not said where: $(cat "$work/out")"
grep -qE '^Lease 0 would be suspended at' "$work/out" ||
    fail "not said who makes room: $(cat "$work/out")"
grep -qE ', for 1m00s:$' "$work/out" || fail "no start without others: $(cat "$work/out")"
[ "$(grep -c 'for 1m00s' "$work/out")" -eq 2 ] || fail "too many choices: $(cat "$work/out")"
lease request --cpu 4 --memory 2048 --count 2 --duration 1m --when --json | grep -q '"refusal"' &&
    fail "a start of the whole request is told as refused"
ends_with 2 'hold at most 2' lease request --cpu 4 --memory 2048 --count 9 --duration 1m --when
lease request --cpu 4 --memory 2048 --count 2 --duration 5s --start +40s >"$work/out"
becomes 2 reserved
private=$(find "$work/state" -perm /077)
[ -z "$private" ] || fail "others may use $private"
stop_galernad

# The promise is kept over two restarts, and what made room for it goes on.
start_simulated
becomes 0 running
becomes 2 reserved
kill -KILL "$daemon"
wait "$daemon" 2>/dev/null || true
start_simulated
becomes 2 running
becomes 0 waiting
becomes 2 ended
becomes 0 running
grep -qE "suspended +for lease 2, .* left to run" <<<"$(lease history 0)" ||
    fail "the history does not say for which lease it was suspended: $(lease history 0)"
grep -qE 'VM 0: (stop|suspend) on host [01] \(lease 0: .*lease 2' "$work/log" ||
    fail "the log does not say for which lease VM 0 is suspended"
stop_galernad

conf '3  CPU:400 Memory:8192'
refuses 1 'has 2 hosts, but simulation.resources has 3' --simulate --state-dir "$work/state"
conf '2  CPU:400 Memory:8192'
refuses 78 'has the leases of simulated hosts' --state-dir "$work/state"
mv "$work/state/simulated.db" "$work/gone"
refuses 78 'is missing' --simulate --state-dir "$work/state"
conf 'many  CPU:400'
refuses 78 'simulation.resources: expected a number of hosts' --simulate --state-dir "$work/other"

# A lease of high priority waits for leases without end: what is kept for it is told.
held() {
    "$galerna" host show 0 --state-dir "$work/state" | grep -E "^held +2 .* 1 +4096$" >"$work/out"
}
rm -rf "$work/state"
conf '2  CPU:400 Memory:8192'
printf '[rights]\nmax-priority: 10\n' >>"$work/conf"
start_simulated
for number in 0 1; do
    lease request --cpu 3 --memory 100 --duration unlimited >"$work/out"
    becomes $number running
done
lease request --cpu 4 --memory 4096 --duration unlimited --priority 5 >"$work/out"
lease request --cpu 1 --memory 10 --duration 10m >"$work/out"
becomes 3 running
lease request --cpu 1 --memory 10 --duration 10m >"$work/out"
until_true held
becomes 4 waiting

# The log names the orders of operators, and promises.
logs() {
    until_true grep -qE "^[0-9: -]+ $1" "$work/log"
}
lease change 4 --duration 20m >"$work/out"
lease hold 4 >"$work/out"
lease release 4 >"$work/out"
"$galerna" host drain 1 --from +1h --state-dir "$work/state" >"$work/out"
"$galerna" host drain 1 --from +2h --dry-run --state-dir "$work/state" >"$work/out"
grep -qE '^Warning: this replaces the drain of host 1 from 20.* until further notice\.$' "$work/out" ||
    fail "it is not said that a drain begins later: $(cat "$work/out")"
"$galerna" host drain 1 --from +10m --dry-run --state-dir "$work/state" >"$work/out"
! grep -q '^Warning' "$work/out" || fail "nothing is lost: $(cat "$work/out")"
"$galerna" host undrain 1 --state-dir "$work/state" >"$work/out"
logs 'lease 2 accepted: starts 20.*'
logs 'lease 4 changed: duration 20m instead of 10m, by .* \(uid [0-9]+\)$'
logs 'lease 4 held by .* \(uid [0-9]+\)$'
logs 'lease 4 released: its VMs are pending again$'
logs 'host-drained: host 1 from 20.* until further notice, by .*'
logs 'host-undrained: host 1, by .*'

# Whoever asks a galernad that hangs is told that the command waits.
kill -STOP "$daemon"
timeout 8 "$galerna" status --state-dir "$work/state" >"$work/out" 2>&1 || true
kill -CONT "$daemon"
grep -qx 'galerna: still waiting for galernad to answer' "$work/out" ||
    fail "not said that the command waits: $(cat "$work/out")"

# On a terminal of 4 rows, a list that is repeated keeps its head.
keeps_head() {
    python3 - "$galerna" "$work/state" >"$work/out" <<'END' || fail "no list on a terminal"
import fcntl, os, pty, signal, struct, sys, termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 4, 40, 0, 0))
    os.execv(sys.argv[1], ["galerna", "lease", "list", "--watch", "1", "--state-dir", sys.argv[2]])
signal.alarm(20)
text = b""
while text.count(b"more lines") < 2:
    text += os.read(terminal, 4096)
os.kill(pid, signal.SIGTERM)
sys.stdout.buffer.write(text.split(b"\033[H\033[2J")[1].replace(b"\r", b""))
END
    [ "$(wc -l <"$work/out")" -eq 3 ] || fail "not 3 lines on 4 rows: $(cat "$work/out")"
    head -n 1 "$work/out" | grep -q '^LEASE ' || fail "the list has no head: $(cat "$work/out")"
    grep -qx '(4 more lines)' "$work/out" || fail "not said how many lines are missing: $(cat "$work/out")"
}
if python3 -c "import os; os.openpty()" 2>/dev/null; then # a bare chroot has no terminals
    keeps_head
fi
# What the decision about the lease consists of; of one that runs there is none to tell.
lease why 2 --trace >"$work/out" || fail "no trace: $(cat "$work/out")"
grep -qE '^  2 have too little free CPU: host-0, host-1$' "$work/out" ||
    fail "the trace does not say why no host fits: $(cat "$work/out")"
said out '^  preemption ar-preempts-everything: allow it to preempt\? No \(([0-9]+ times, )?[0-9.]+ us\)$' ||
    fail "the trace does not say what the policies were asked: $(cat "$work/out")"
[ "$(grep -c 'allow it to preempt' "$work/out")" -eq 1 ] || fail "one question more than once: $(cat "$work/out")"
becomes 2 waiting
ends_with 1 'lease 3 is running: its start has already been decided' lease why 3 --trace
stop_galernad

# The only device is promised to a reservation: a later VM that requests it waits; others run.
rm -rf "$work/state"
conf '2  CPU:400 Memory:8192
hardware: PCI=[HOST="host-1", VENDOR="10de", CLASS="0302"]
templates: PCI=[VENDOR="10de"]'
start_simulated
lease request --template 0 --cpu 1 --memory 512 --start +15s --duration 5s >"$work/out" ||
    fail "the reservation of a device: $(cat "$work/out")"
lease request --template 0 --cpu 1 --memory 512 --duration 5m >"$work/out"
lease request --cpu 1 --memory 512 --duration 5m >"$work/out"
becomes 2 running
becomes 1 waiting
becomes 0 running
lease show 0 | grep -E '^ +0 +1 ' >/dev/null || fail "it does not run where the device is: $(lease show 0)"
becomes 1 running
is 0 ended || fail "the device has two VMs"
stop_galernad

# Two VMs that keep apart have two hosts; a third one waits for one of them.
rm -rf "$work/state"
conf '2  CPU:400 Memory:8192
templates: VMGROUP=[NAME="web", POLICY="ANTI_AFFINED"]'
start_simulated
for _ in 0 1 2; do
    lease request --template 0 --cpu 1 --memory 512 --duration 5m >"$work/out"
done
becomes 0 running
becomes 1 running
becomes 2 waiting
[ "$(lease show 0 | grep -cE '^ +0 +0 ')" != "$(lease show 1 | grep -cE '^ +1 +0 ')" ] ||
    fail "two VMs that keep apart are on one host: $(lease show 0; lease show 1)"
lease cancel 0 >"$work/out"
becomes 2 running
stop_galernad

# Two of the three networks suit, with one address each: a third VM waits for one of them.
rm -rf "$work/state"
conf '2  CPU:400 Memory:8192
templates: NIC=[NETWORK_MODE="auto", SCHED_REQUIREMENTS="KIND!=lan"]
networks: NETWORK=[NAME="a", SIZE="9", KIND="lan"] NETWORK=[NAME="b", SIZE="1", KIND="wan"]
    NETWORK=[NAME="c", SIZE="1", KIND="dmz"]'
start_simulated
for _ in 0 1 2; do
    lease request --template 0 --cpu 1 --memory 512 --duration 5m >"$work/out"
done
becomes 0 running
becomes 1 running
becomes 2 waiting
lease cancel 0 >"$work/out"
becomes 2 running
stop_galernad
conf '2  CPU:400 Memory:8192
hardware: PCI=[HOST="host-2"]'
refuses 78 'simulation.hardware: PCI/HOST' --simulate --state-dir "$work/state"
