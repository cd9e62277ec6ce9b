#!/usr/bin/env bash
# Notices reach each receiver once: by mail, webhook and program, over failures, and when galernad is
# killed before or while they are handed over. What users write harms nobody.
#
#   notify.sh GALERNAD GALERNA
set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=running.bash
. "$(dirname "$0")/running.bash"
command -v python3 >/dev/null || exit 77
echo 'a secret' >"$work/key"

# sendmail fails while there is a file "down"; it keeps its arguments and what it reads.
cat >"$work/sendmail" <<END
#!/bin/sh
[ ! -e '$work/down' ] || exit 75
{ echo "arguments: \$*"; cat; } >"$work/new.\$\$"
mv "$work/new.\$\$" "$work/mail.\$\$"
END
# A program waits while there is a file "wait".
cat >"$work/program" <<END
#!/bin/sh
cat >>'$work/told'
echo >>'$work/told'
while [ -e '$work/wait' ]; do sleep 0.1; done
END
chmod +x "$work/sendmail" "$work/program"
"$(dirname "$0")/webhook.py" "$work/key" 2 "$work/posts" >"$work/webhook" &
until_said webhook '^[0-9]+$'

start_oned --boot-time 0 --hosts 2 --cpu 4 --memory 4096
cat >>"$work/conf" <<END
end-warning: 0:59:55
retry-limit: 1
[notify people]
mail: owner, ops@example.org
from: galerna@example.org
sendmail: $work/sendmail
retry-pause: 3
[notify hook]
on: start, end
webhook: http://127.0.0.1:$(cat "$work/webhook")/galerna
key-file: $work/key
retry-pause: 1
[notify program]
on: refusal
program: $work/program
[scheduling]
policy-preemption: ar-preempts-everything
END
oned call one.user.update 0 'EMAIL="anna@example.org"' 1 >"$work/out"

# mails TO TEXT: how many there are.
mails() {
    local mail n=0
    for mail in "$work"/mail.*; do
        [ ! -e "$mail" ] || ! head -n 1 "$mail" | grep -q "^arguments: -i -- $1\$" ||
            ! grep -qE -- "$2" "$mail" || n=$((n + 1))
    done
    echo "$n"
}

# mailed N TO TEXT
mailed() {
    [ "$(mails "$2" "$3")" -eq "$1" ]
}

# posted N TEXT: so many requests were accepted.
posted() {
    [ "$(grep '^204' "$work/posts" 2>/dev/null | grep -cE "$2")" -eq "$1" ]
}

# A notice that is being handed over when galernad is killed is not told again.
stopped_between_attempts() {
    answers
    kill -STOP "$daemon"
    ! pgrep -P "$daemon" galerna-notify >"$work/out" || { kill -CONT "$daemon" && false; }
}

does='a start'
touch "$work/down"
start_galernad
until_true answers
oned submit --cpu 1 --memory 128 --haizea 'DURATION=01:00:00' \
    --name $'evil\nBcc: mallory@example.org' >"$work/vm"
until_true posted 1 '"event":"start"'
until_true posted 1 '"event":"end"'
[ "$(grep -c '^503' "$work/posts")" -eq 2 ] || fail "the webhook is not tried again"
! grep -q '^4' "$work/posts" || fail "a signature or an id is wrong"
for event in start end; do
    until_said log "retrying the notice '$event' by .notify people.: .* exit code 75"
done

does='a kill while mail waits'
until_true stopped_between_attempts
kill -KILL "$daemon"
wait "$daemon" || true
rm "$work/down"
start_galernad
for to in anna@example.org ops@example.org; do
    until_true mailed 1 "$to" '^Subject: Galerna: lease 0: started$'
    until_true mailed 1 "$to" '^Subject: Galerna: lease 0: ends soon$'
done
grep -qhE '^(Running|Starting)' "$work"/mail.* || fail "no line says what the lease is doing"
grep -h -A20 '^Subject: Galerna: lease 0: ends soon$' "$work"/mail.* | grep -qE '^End +[0-9-]+ [0-9:]+$' ||
    fail "the end is missing"
grep -qhE '^Time +[0-9-]+ [0-9:]+$' "$work"/mail.* || fail "the time is not as in other texts"
! grep -h '^Bcc' "$work"/mail.* || fail "a name becomes a header"
grep -h '^Name' "$work"/mail.* | grep -q 'evil Bcc: mallory@example.org' || fail "the name is missing"
grep -qh '^From: galerna@example.org$' "$work"/mail.* || fail "From is missing"

does='a change and an end'
lease change 0 --extend 1h >"$work/out"
until_true mailed 1 ops@example.org '^Subject: Galerna: lease 0: changed$'
grep -qh '^Changed. Running until ' "$work"/mail.* || fail "its new end is missing"
lease cancel 0 >"$work/out"
until_true mailed 1 ops@example.org '^Subject: Galerna: lease 0: ended$'
grep -qh '^Ended: cancelled by ' "$work"/mail.* || fail "who cancelled it is missing"

does='a kill while a program is told'
touch "$work/wait"
oned submit --cpu 1 --memory 128 --haizea 'START=nonsense' >"$work/vm"
until_said told '"event":"refusal"'
kill -KILL "$daemon"
wait "$daemon" || true
start_galernad
until_said log "the notice 'refusal' for .notify program. may not have arrived"
rm "$work/wait"

does='an address that is none'
oned call one.user.update 0 'EMAIL="anna@example.org -oQ/tmp"' 1 >"$work/out"
stop_galernad
start_galernad
until_true answers
oned submit --cpu 1 --memory 128 --haizea 'START=nonsense' >"$work/vm"
until_true mailed 1 ops@example.org "^Subject: Galerna: lease $(cat "$work/vm"): refused$"
! grep -l "lease $(cat "$work/vm"):" "$work"/mail.* | xargs grep -q 'anna' || fail "it is used"
until_true grep -q "\"lease\":$(cat "$work/vm")," "$work/told"

does='a preemption that is dropped'
one='SCHED_REQUIREMENTS="NAME=\"host0001\""'
victim=$(oned submit --cpu 4 --memory 128 --attribute "$one" --haizea DURATION=09:00:00,PREEMPTIBLE=yes)
until_true is "$victim" running
other=$(oned submit --cpu 4 --memory 128 --attribute "$one" --haizea START=+01:00:00,DURATION=00:10:00)
until_true mailed 1 ops@example.org "^Running, to be suspended for lease $other at "
lease cancel "$other" >"$work/out"
until_true mailed 1 ops@example.org '^It keeps its hosts after all. Running until '

does='a lease that cannot be started'
oned call sandbox.fault 'FAULT=[KIND=fail,PHASE=boot,COUNT=-1]' >"$work/out"
failed=$(oned submit --cpu 1 --memory 128 --attribute 'SCHED_REQUIREMENTS="NAME=\"host0000\""')
until_true mailed 1 ops@example.org "^Subject: Galerna: lease $failed: ended$"
until_true mailed 1 ops@example.org "^Failed: VM $failed could not be started"

does='the end of it'
posted 1 '"event":"start".*"lease":0,' || fail "a webhook is told twice"
[ "$(grep -c '"lease":1,' "$work/told")" -eq 1 ] || fail "a program is told twice"
for to in anna@example.org ops@example.org; do
    mailed 1 "$to" 'lease 0: started$' || fail "$to is told twice"
done
stop_galernad

does='errors of the configuration'
sed -i 's/^mail: .*/mail: ops@example.org, x y@z/' "$work/conf"
ends_with 78 'addresses or the word owner' "$galernad" --check -c "$work/conf"
