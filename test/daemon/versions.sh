#!/usr/bin/env bash
# A zone of two front-ends that are upgraded one after the other, and back: galernads of two versions
# agree on what was promised, or the older one says that it stays passive.
#
#   versions.sh GALERNAD GALERNA NEWER_GALERNAD
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=zone.bash
. "$(dirname "$0")/zone.bash"
older=$1 newer=$3

begin() { # GALERNAD first|second
    galernad=$1
    case $2 in
    first) start first 127.0.0.1 first "$work/auth" "promise-key: $work/key" ;;
    *) start "$2" localhost "$2" "$work/other" "promise-key: $work/key" ;;
    esac
}
stop() { # NAME: in good order
    kill -TERM "${pid[$1]}"
    ends "$1" 0 20
}
reserve() { # AHEAD
    "$galerna" sandbox submit --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" --cpu 1 \
        --memory 128 --haizea "START=+$1,DURATION=00:05:00"
}
shows() { # NAME TEXT COMMAND...: galerna tells that within 15 s
    local name=$1 text=$2
    shift 2
    for _ in $(seq 75); do
        "$galerna" "$@" --state-dir "$work/$name" >"$work/shown" 2>&1 || true
        ! grep -q -- "$text" "$work/shown" || return 0
        sleep 0.2
    done
    cat "$work/shown" >&2
    fail "$name: $* does not say '$text'"
}
started() { # VM
    cat "$work"/*.log | grep -c "VM $1: deploy accepted" || true
}
stays_passive() { # NAME: elected, it starts nothing, and says why
    local before
    before=$(grep -c deploy "$work/$1.log" || true)
    "$galerna" sandbox submit --endpoint "http://127.0.0.1:$port/RPC2" --auth "$work/auth" --cpu 1 \
        --memory 128 >/dev/null
    sleep 10
    [ "$(grep -c deploy "$work/$1.log" || true)" = "$before" ] ||
        fail "$1 acts beside a newer version"
    shows "$1" 'newer version' status
    ! "$galerna" status --state-dir "$work/$1" >/dev/null || fail "$1: status does not fail"
}

od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >"$work/key"
echo >>"$work/key"
chmod 600 "$work/key"
elect 5 oneadmin
begin "$older" first
acts first 15
early=$(reserve 00:01:20)
shows first '(contract)' lease show "$early"

# The newer one reads what the older one has promised, and acts when its front-end is elected.
begin "$newer" second
shows second '(contract)' lease show "$early"
elect 6 other
acts second 15
late=$(reserve 00:01:30)
shows second '(contract)' lease show "$late"

# The older one changes no promise of the newer one, and does not act after it.
elect 7 oneadmin
stays_passive first
! grep -q 'ignored and rewritten' "$work"/*.log || fail "a promise of another version was rewritten"

# Upgraded, it does. What both have promised begins on time, once.
stop first
begin "$newer" first
acts first 15
for vm in "$early" "$late"; do
    for _ in $(seq 100); do
        [ "$(started "$vm")" -eq 0 ] || break
        sleep 1
    done
    [ "$(started "$vm")" -eq 1 ] || fail "VM $vm was started $(started "$vm") times"
    shows first running lease show "$vm"
    ! grep -q -i 'late\|missed' "$work/shown" || fail "VM $vm is late: $(cat "$work/shown")"
done

# Back to the older version: the newer one releases its mark. Without a store, the older one leaves
# leases alone whose promises it cannot read, and says how many.
stop first
stop second
rm -r "$work/first"
begin "$older" first
acts first 20
shows first '1 VM is not scheduled here' status
[ "$(started "$late")" -eq 1 ] || fail "VM $late was started again"
