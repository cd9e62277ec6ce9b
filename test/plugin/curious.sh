#!/usr/bin/env bash
# What modules may ask since ABI 1.4 is answered alike in a replay and by galernad: local time, names,
# the leases of a user, and why a host does not fit.
#
#   curious.sh GALERNAD GALERNA MODULES
set -euo pipefail

# shellcheck source=test/daemon/running.bash
. "$(dirname "$0")/../daemon/running.bash"
modules=$3
chmod 755 "$work" # modules in it are loaded by another user

# logged TEXT...: each is in the log.
logged() {
    for text in "$@"; do
        grep -qF -- "curious: $text" "$work/log" || fail "'$text' is not logged"
    done
}

lease_request() {
    cat <<EOL
<lease-request arrival="$2"><lease id="$1" user="7" preemptible="true"><nodes>
<node-set numnodes="1"><res type="CPU" amount="$3"/><res type="Memory" amount="512"/></node-set>
</nodes><start/><duration time="01:00:00"/><software><none/></software></lease></lease-request>
EOL
}

{
    echo '<lease-workload name="t"><lease-requests>'
    lease_request 1 00:00:00 400
    lease_request 2 00:30:00 400
    lease_request 3 12:00:00 200
    echo '</lease-requests></lease-workload>'
} >"$work/trace"

"$galerna" replay "$work/trace" -v --site 1,cpu=100,memory=1024+1,cpu=400,memory=1024 \
    --policy admission="$modules/curious.so" >"$work/log" 2>&1
logged "no local time" "lease 1 user - group - leases 1:0" "lease 2 user - group - leases 1:1 2:0" \
    "lease 3 user - group - leases 3:0" "lease 1 hosts 2,CPU 0,- 4,-" "lease 2 hosts 2,CPU 1,CPU 4,-"
"$galerna" replay "$work/trace" -v --site 1,cpu=100,memory=1024+1,cpu=400,memory=1024 \
    --policy admission="$modules/curious.so" --set 'simulation.starttime=2006-11-25 13:00:00' \
    >"$work/log" 2>&1
logged "2006-11-25 13:00:00 day 6 zone '' 0" "2006-11-26 01:00:00 day 0 zone '' 0"

cat >"$work/conf" <<EOC
[simulation]
resources: 1  CPU:400 Memory:8192
[scheduling]
policy-admission: curious
[daemon]
log-level: debug
[galerna]
module-path: $modules
EOC
rm "$work/log"
TZ=ABC-02 start_simulated
for cpu in 4 2; do
    lease request --cpu "$cpu" --memory 512 --duration 10m --wait 0 >/dev/null
    until_said log "lease $((cpu == 4 ? 0 : 1)) hosts"
done
logged "lease 0 user oneadmin group oneadmin leases 0:0" "lease 0 hosts 0,- 4,-" \
    "lease 1 user oneadmin group oneadmin leases 0:" "lease 1 hosts 1,CPU 4,-"
grep -q "curious: $(TZ=ABC-02 date +%Y)-.* zone 'ABC' 7200" "$work/log" ||
    fail "the zone is not that of galernad"
