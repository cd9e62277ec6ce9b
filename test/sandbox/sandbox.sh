#!/bin/sh
# Runs the stand-in for OpenNebula as a user does: sandbox.sh GALERNA
set -u

galerna=$1
work=$(mktemp -d) || exit 1
server=
trap '[ -n "$server" ] && kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

check() {
    what=$1
    shift
    "$@" || {
        failures=$((failures + 1))
        echo "FAILED: $what"
        sed 's/^/    | /' ready err 2>/dev/null
    }
}

start() {
    rm -f ready # else the address of the last server may be read before this one's shell empties the file
    "$galerna" sandbox --port 0 --auth auth --state pool.db --hosts 3 "$@" >ready 2>err &
    server=$!
    for _ in $(seq 150); do
        grep -qs http ready && break
        sleep 0.2
    done
    ONE_XMLRPC=$(sed 's|.*\(http://[^/]*/RPC2\).*|\1|' ready)
    ONE_AUTH=$work/auth
    export ONE_XMLRPC ONE_AUTH
}

states() {
    "$galerna" sandbox show --json | sed -n '/"vms": \[/,$s/.*"state": "\([A-Z_]*\)".*/\1/p' | xargs
}

# A state that comes within half a minute.
becomes() {
    for _ in $(seq 150); do
        [ "$(states)" = "$1" ] && return 0
        sleep 0.2
    done
    echo "states: $(states)"
    return 1
}

start --opennebula 6.10
check "one line when it is ready" [ "$(wc -l <ready)" -eq 1 ]
check "the line names version and user" grep -q "^ready: OpenNebula 6.10 at http://127.0.0.1:[0-9]*/RPC2, user oneadmin, credentials in auth$" ready
check "credentials are private" [ "$(stat -c %a auth)" = 600 ]
check "credentials" [ "$(cat auth)" = oneadmin:opennebula ]
check "ids of VMs" [ "$("$galerna" sandbox submit --count 2 --name web --cpu 2 --haizea 'START=+00:01:00,DURATION=00:02:00' | xargs)" = "0 1" ]
check "ids as JSON" [ "$("$galerna" sandbox submit --json --hold)" = "[2]" ]
check "a deploy" [ "$("$galerna" sandbox call one.vm.deploy 0 1 true)" = 0 ]
check "states" becomes "RUNNING PENDING HOLD"
check "the template" sh -c "'$galerna' sandbox call one.vm.info 1 | grep -q '<HAIZEA><DURATION>.*00:02:00.*<START>.*+00:01:00'"
"$galerna" sandbox show >shown
check "a table of hosts" grep -q "host0001 *MONITORED *2.00/8.00 *1024/16384 *1$" shown
check "a table of VMs" grep -q "web-0 *oneadmin *RUNNING *1 *2.00" shown
"$galerna" sandbox call one.vm.deploy 9 0 2>err
check "a refusal" [ $? -eq 1 ]
check "its text" grep -qF 'Error getting virtual machine [9].' err

kill -9 "$server"
wait "$server" 2>/dev/null
cat >faults <<'END'
# once
FAULT = [ KIND = "refuse", METHOD = "one.vm.deploy", TEXT = "Not now" ]
END
start --opennebula 6.10 --json --faults faults --boot-time never
check "one line as JSON" grep -q '^{"endpoint":"http://127.0.0.1:[0-9]*/RPC2","opennebula":"6.10","user":"oneadmin","auth":"auth","pid":[0-9]*}$' ready
check "states after a crash" becomes "RUNNING PENDING HOLD"

"$galerna" sandbox call one.vm.deploy 1 0 2>err
check "a fault of the file" grep -qF 'one.vm.deploy: Not now' err
check "it happens once" [ "$("$galerna" sandbox call one.vm.deploy 1 0)" = 1 ]
check "a boot that never ends" becomes "RUNNING BOOT HOLD"
sleep 1
check "it has not ended" [ "$(states)" = "RUNNING BOOT HOLD" ]

kill "$server"
wait "$server"
check "it ends when told to" [ $? -eq 0 ]
server=

"$galerna" sandbox show 2>err
check "nobody answers" [ $? -eq 1 ]
for wrong in --nonsense "--opennebula 5.0" "--hosts x" "--port 65536" "--boot-time -1" "--clock-rate x" \
    "--opennebula 6.10 --place /bin/true" extra "submit --count 0" "submit extra" "show extra" call; do
    # shellcheck disable=SC2086 # words
    "$galerna" sandbox $wrong >ready 2>err
    check "sandbox $wrong is a wrong command line" [ $? -eq 64 ]
done
"$galerna" sandbox --port 0 --state pool.db --opennebula 7.4 >ready 2>err
check "the pool of another version" [ $? -eq 1 ]
"$galerna" sandbox --port 0 --faults none >ready 2>err
check "no such file of faults" [ $? -eq 1 ]
for verb in "" show submit call; do
    # shellcheck disable=SC2086 # words
    "$galerna" sandbox $verb --help >ready 2>err
    check "help on sandbox $verb" grep -q '^usage: galerna sandbox' ready
done

[ "$failures" -eq 0 ] || exit 1
echo "all checks passed"
