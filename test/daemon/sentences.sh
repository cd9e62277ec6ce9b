#!/usr/bin/env bash
# galernad beside the sandbox: what it tells of hosts and leases is so, and helps.
#
#   sentences.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"
export COLUMNS=300

# tells TEXT ARGUMENT...: within 40 s 'galerna ARGUMENT...' says so.
told() {
    "$galerna" "${@:2}" --state-dir "$work/state" >"$work/out" 2>&1 && said out "$1"
}
tells() {
    until_true told "$@"
}

start_oned --hosts 2 --cpu 4 --memory 4096
start_galernad
until_true answers

does='CSV without a line'
for list in 'lease list --all' queue usage; do
    # shellcheck disable=SC2086 # several words
    "$galerna" $list --output csv --state-dir "$work/state" >"$work/empty ${list%% *}"
done

does='VMs that their users turned off'
vm=$(oned submit --cpu 1 --memory 128)
until_true is "$vm" running
host=$(lease show "$vm" --json | tr -d ' \n' | grep -oE '"hosts":\[[0-9]+' | grep -oE '[0-9]+$')
for action in suspend poweroff; do
    oned call one.vm.action "$action" "$vm" >/dev/null
    until_true is "$vm" parked
    tells "^parked +$vm +oneadmin +$vm .* 1 +128$" host show "$host"
    tells "parked" host timeline "$host"
    oned call one.vm.action resume "$vm" >/dev/null
    until_true is "$vm" running
done
does='a VM that OpenNebula cannot monitor'
oned call sandbox.vm "$vm" unknown >/dev/null
tells "^unknown +$vm +oneadmin +$vm .* 1 +128$" host show "$host"
oned call sandbox.vm "$vm" running >/dev/null
tells "^running +$vm +oneadmin +$vm .* 1 +128$" host show "$host"
oned call one.vm.action terminate "$vm" >/dev/null
until_true is "$vm" ended

does='a requirement that hosts with room do not meet'
full=$(oned submit --cpu 4 --memory 128)
until_true is "$full" running
host=$(lease show "$full" --json | tr -d ' \n' | grep -oE '"hosts":\[[0-9]+' | grep -oE '[0-9]+$')
vm=$(oned submit --cpu 1 --memory 128 --attribute "SCHED_REQUIREMENTS=\"CURRENT_VMS=$full\"")
tells "room for 0 now on host $host, the only one of 2 that it may use \(1 does not meet SCHED_REQUIREMENTS CURRENT_VMS=$full at present\) " lease why "$vm"
free=$(oned submit --cpu 1 --memory 128 --attribute 'SCHED_REQUIREMENTS="FREE_CPU>500"')
tells 'do not meet SCHED_REQUIREMENTS FREE_CPU>500 at present' lease why "$free"
oned call one.vm.action terminate "$vm" >/dev/null
oned call one.vm.action terminate "$free" >/dev/null

does='a VM with a value that cannot be read'
vm=$(oned submit --cpu 1 --memory 128 --attribute 'DISK=[SIZE="10G"]')
tells 'its DISK/SIZE cannot be read: correct the template and create the VM again' lease why "$vm"
until_true said log "lease $vm is not placed: its DISK/SIZE cannot be read"
[ "$(grep -c "lease $vm is not placed" "$work/log")" -eq 1 ] || fail "it is logged more than once"
oned call one.vm.action terminate "$vm" >/dev/null

does='a VM group that excludes hosts with room'
group=$(oned call one.vmgroup.allocate "NAME=\"g\" ROLE=[NAME=\"r\",HOST_AFFINED=\"$host\"]")
vm=$(oned submit --cpu 1 --memory 128 --attribute "VMGROUP=[VMGROUP_ID=\"$group\",ROLE=\"r\"]")
tells "room for 0 now on host $host, the only one of 2 that it may use \(1 [a-z ]*VM group [^;]*\) " lease why "$vm"
oned call one.vm.action terminate "$vm" >/dev/null

does='a VM whose owner has been deleted'
next=$((vm + 1))
oned call sandbox.fault "FAULT=[KIND=\"refuse\",METHOD=\"one.vm.deploy\",VM=\"$next\",CODE=\"512\",TEXT=\"[one.vm.deploy] User [0] : User not found.\",COUNT=\"-1\"]" >/dev/null
vm=$(oned submit --cpu 1 --memory 128)
[ "$vm" -eq "$next" ] || fail "VM $vm instead of $next"
tells "deploy \(a quota, a lock, a network or a deleted owner\): .*User not found" lease why "$vm"
oned call sandbox.clear -1 >/dev/null
oned call one.vm.action terminate "$vm" >/dev/null

does='a host that is disabled'
oned call one.host.status "$((1 - host))" 1 >/dev/null
vm=$(oned submit --cpu 1 --memory 128)
tells "room for 0 now on host $host, the only one of 2 that it may use \(1 is disabled, offline or in error\) " lease why "$vm"
oned call one.host.status "$((1 - host))" 0 >/dev/null
until_true is "$vm" running
oned call one.vm.action terminate "$vm" >/dev/null

does='hosts that have the PCI device of a VM'
oned call sandbox.host "$host" 'PCI=[ADDRESS="0000:01:00:0",SHORT_ADDRESS="01:00.0",VENDOR="10de",DEVICE="20f1",CLASS="0302"]' >/dev/null
vm=$(oned submit --cpu 1 --memory 128 --attribute 'PCI=[VENDOR="10de",CLASS="0302"]')
tells "no host with the PCI devices that a VM requires \(vendor 10de, class 0302\) has room: only host $host has them" lease why "$vm"
other=$(oned submit --cpu 4 --memory 128)
until_true is "$other" running
tells "room for 0 now on host $host, the only one of 2 that it may use \(1 has no PCI device vendor 10de, class 0302\) " lease why "$vm"
oned call one.vm.action terminate "$vm" >/dev/null
oned call one.vm.action terminate "$other" >/dev/null

does='a reservation on a drained host'
only="host $((1 - host)), the only one"
reserve=(oned submit --cpu 1 --memory 128 --attribute "SCHED_REQUIREMENTS=\"ID=$((1 - host))\"" --haizea "START=+01:00:00,DURATION=00:10:00")
"$galerna" host drain "$((1 - host))" --until +5h --state-dir "$work/state" >/dev/null
tells "$only of 2 that it may use \(.*\): host $((1 - host)) is drained until 2" lease why "$("${reserve[@]}")"
"$galerna" host drain "$((1 - host))" --state-dir "$work/state" >/dev/null
tells "$only that it may use, is drained: an operator is emptying it" lease why "$("${reserve[@]}")"
"$galerna" host undrain "$((1 - host))" --state-dir "$work/state" >/dev/null

does='a latest start'
oned submit --cpu 4 --memory 128 --attribute "SCHED_REQUIREMENTS=\"ID=$((1 - host))\"" \
    --haizea "START=+00:10:00,DURATION=02:00:00" >/dev/null
vm=$(oned submit --cpu 4 --memory 128 --attribute "SCHED_REQUIREMENTS=\"ID=$((1 - host))\"" \
    --haizea "LATEST=+00:30:00,DURATION=01:00:00")
tells 'must end by 2[0-9: -]+, but the earliest possible end is 2[0-9: -]+: its latest start is 2' lease why "$vm"
ends_with 2 ': its latest start is 2' "$galerna" lease request --dry-run --count 2 --cpu 4 --memory 128 \
    --latest +30m --duration 1h --state-dir "$work/state"
oned call one.vm.action terminate-hard "$((vm - 1))" >/dev/null
until_true is "$((vm - 1))" ended

does='room that does not last'
"$galerna" host book "$((1 - host))" --name course --users oneadmin --from +30m --until +5h \
    --state-dir "$work/state" >/dev/null
first=$(oned submit --cpu 1 --memory 128 --haizea DURATION=02:00:00) # has a place in the future
tells "Waiting for room on host $((1 - host)) \(booked for 'course'\)" lease why "$first"
vm=$(oned submit --cpu 1 --memory 128 --haizea DURATION=02:00:00)
tells "1 VM requested, but the room now free does not last: host $((1 - host)) is booked for 'course' from " lease why "$vm"
once=$(oned submit --cpu 1 --memory 128 --haizea START=now,DURATION=02:00:00)
tells "Refused: .* does not last: host $((1 - host)) is booked for 'course' from " lease why "$once"

does='a lease that is held and released'
"$galerna" host unbook course --state-dir "$work/state" >/dev/null
held=$(oned submit --cpu 1 --memory 128 --haizea "START=+01:00:00,DURATION=00:10:00")
until_true is "$held" reserved
for pause in 0 0.4 0.8 1.2 1.6 2; do # its template is read meanwhile
    lease hold "$held" >/dev/null
    sleep "$pause"
    ends_with 0 'is released' lease release "$held"
    until_true is "$held" reserved
done
ends_with 1 "lease $once is over (refused): to request it again, release its VMs" lease release "$once"
! grep "release .*on hold until" "$work/log" || fail "a release is logged so"

does='CSV with lines'
vm=$(oned submit --cpu 1 --memory 128 --attribute 'SCHED_REQUIREMENTS="FREE_CPU>5000"')
until_true is "$vm" waiting
for list in 'lease list --all' queue usage; do
    # shellcheck disable=SC2086 # several words
    "$galerna" $list --output csv --state-dir "$work/state" >"$work/out"
    [ "$(wc -l <"$work/out")" -gt 1 ] || fail "$list is empty"
    head -n 1 "$work/out" | cmp - "$work/empty ${list%% *}" || fail "$list: the empty list has another header"
done

does='a booking beside a host that is out of service'
oned call one.host.status 1 1 >/dev/null
tells_out() {
    "$galerna" host book --name lab --count 2 --users oneadmin --from +6h --until +7h --dry-run \
        --state-dir "$work/state" >"$work/out" 2>&1 || true
    grep -qF "free for the whole time; 1 is disabled, offline or in error" "$work/out"
}
until_true tells_out
tells 'Warning: not in service: host 1 \(disabled\); no VM starts on a host until it is back in service.' \
    host book 1 --name lab --users oneadmin --from +6h --until +7h --dry-run
tells 'back in service; no OpenNebula user has this name or primary group: anan,labb.' \
    host book 1 --name lab --users oneadmin,anan --groups labb --from +6h --until +7h --dry-run
tells '"out_of_service": \[$' host book 1 --name lab --users oneadmin --from +6h --until +7h --dry-run --json
stop_galernad
