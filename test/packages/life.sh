#!/usr/bin/env bash
# The life of the Debian packages on a machine that systemd has booted: installed, started, upgraded
# while leases run and are promised, removed, installed again, purged; and the switch from OpenNebula's
# own scheduler and back. Changes the machine that it runs on: for a container only.
#
#   life.sh FIRST SECOND     directories with the packages of two versions
set -euo pipefail

first=$1
second=$2

fail() {
    echo "life.sh: $*" >&2
    journalctl --no-pager --unit galernad | tail -n 40 >&2
    exit 1
}

# becomes LEASE PHASE SECONDS
becomes() {
    for _ in $(seq "$(($3 * 5))"); do
        ! galerna lease show "$1" --json 2>/dev/null | grep -q "\"phase\": \"$2\"" || return 0
        sleep 0.2
    done
    fail "lease $1 does not become $2: $(galerna lease show "$1" 2>&1)"
}

process() {
    systemctl show --property MainPID --value galernad
}

# switch VERSION: an OpenNebula (the stand-in) is handed over to Galerna, which starts a VM, and back.
switch() {
    cat >/usr/local/bin/oned <<END
#!/bin/sh
exec galerna sandbox --opennebula $1 --hosts 2 --auth /var/lib/one/.one/one_auth \\
    --configuration "\$(sed 's/#.*//' /etc/one/oned.conf)"
END
    chmod +x /usr/local/bin/oned
    printf '[Service]\nUser=oneadmin\nExecStart=/usr/local/bin/oned\n' >/usr/lib/systemd/system/opennebula.service
    printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' \
        >/usr/lib/systemd/system/opennebula-scheduler.service
    printf 'DRS_INTERVAL = 600\nSCHED_MAD = [\n  EXECUTABLE = "one_sched",\n  ARGUMENTS = "-p rank"\n]\n' \
        >/etc/one/oned.conf
    cp /etc/one/oned.conf /etc/one/oned.conf.before
    systemctl daemon-reload
    systemctl start opennebula
    [ "$1" = 7.4 ] && rm /usr/lib/systemd/system/opennebula-scheduler.service && systemctl daemon-reload
    [ "$1" = 7.4 ] || systemctl start opennebula-scheduler
    for _ in $(seq 50); do
        galerna setup --json >/dev/null 2>&1 && break
        sleep 0.2
    done
    ! galerna setup --check || fail "the check finds nothing wrong before the switch to $1"
    galerna setup --apply || fail "no switch with $1"
    sleep 1
    galerna setup --check || fail "the check finds something wrong after the switch with $1"
    systemctl is-active --quiet galernad || fail "galernad does not run after the switch with $1"
    galerna lease request --cpu 1 --memory 128
    galerna setup --revert || fail "no way back with $1"
    ! systemctl is-active --quiet galernad || fail "galernad runs after the way back with $1"
    [ "$1" = 7.4 ] || systemctl is-active --quiet opennebula-scheduler || fail "the old scheduler does not run"
    cmp /etc/one/oned.conf.before /etc/one/oned.conf || fail "oned.conf is not as it was"
    systemctl stop opennebula opennebula-scheduler 2>/dev/null || true
    rm -rf /var/lib/galerna
}

dpkg --install "$first"/*.deb
! systemctl is-active --quiet galernad || fail "the installation starts galernad by itself"
id oneadmin >/dev/null 2>&1 || useradd --system --create-home --home-dir /var/lib/one oneadmin

mkdir -p /etc/galerna /etc/systemd/system/galernad.service.d
printf '[simulation]\nresources: 2  CPU:400 Memory:8192\n[opennebula]\npoll-interval: 1\n' \
    >/etc/galerna/galerna.conf
printf '[Service]\nExecStart=\nExecStart=galernad --foreground --simulate\nWatchdogSec=6\n' \
    >/etc/systemd/system/galernad.service.d/simulate.conf
systemctl daemon-reload
systemctl enable --now galernad || fail "galernad does not start"
galerna status || fail "status finds a problem"
systemctl reload galernad || fail "galernad does not reload"
cp /etc/galerna/galerna.conf /root/right.conf
echo nonsense >>/etc/galerna/galerna.conf
! systemctl reload galernad || fail "a reload with a wrong configuration succeeds"
systemctl is-active --quiet galernad || fail "a wrong configuration stops galernad"
mv /root/right.conf /etc/galerna/galerna.conf

galerna lease request --cpu 1 --memory 512 --duration 1h
becomes 0 running 20
galerna lease request --cpu 1 --memory 512 --duration 1h --start +45s
becomes 1 reserved 20

before=$(process)
dpkg --install "$second"/*.deb || fail "the upgrade fails"
[ "$(process)" != "$before" ] || fail "the upgrade leaves the old galernad running"
systemctl is-active --quiet galernad || fail "galernad does not run after the upgrade"
becomes 0 running 10
becomes 1 reserved 10
becomes 1 running 60
galerna lease show 1
# A galernad that is killed is replaced, and one that does nothing any longer, by systemd's watchdog.
for signal in KILL STOP; do
    before=$(process)
    kill -"$signal" "$before"
    for _ in $(seq 150); do
        [ "$(process)" != "$before" ] && systemctl is-active --quiet galernad && break
        sleep 0.2
    done
    [ "$(process)" != "$before" ] || fail "galernad is not replaced after SIG$signal"
    becomes 1 running 20
done

dpkg --remove galerna-web galernad
! pgrep -x galernad >/dev/null || fail "galernad runs after its removal"
[ -d /var/lib/galerna ] || fail "a removal loses the leases"
dpkg --install "$second"/galernad_*.deb "$second"/galerna-web_*.deb
systemctl start galernad
becomes 0 running 20

systemctl disable --now galernad
rm -rf /etc/systemd/system/galernad.service.d /etc/galerna /var/lib/galerna
mkdir -p /etc/one /var/lib/one/.one /var/lib/one/remotes/scheduler
echo oneadmin:opennebula >/var/lib/one/.one/one_auth
chown -R oneadmin /var/lib/one
switch 6.10
switch 7.4

dpkg --purge galerna-web galernad galerna galerna-policies galerna-dev galerna-doc
[ ! -e /var/lib/galerna ] || fail "a purge leaves /var/lib/galerna"
left=$(find /usr -iname '*galerna*' -not -path '*/systemd/*')
[ -z "$left" ] || fail "a purge leaves $left"
echo "life.sh: passed"
