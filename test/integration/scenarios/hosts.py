"""Hosts that are taken out of service, break, fail to boot VMs or are slow to."""

import time

from kit.registry import scenario
from kit.trial import ANYTHING, clock, relative

DISABLE, ENABLE, OFFLINE = 1, 0, 2


def reservations_lose_hosts(t, take_away):
    """Two reservations of a host each, and one host left of three."""
    hosts = t.add_hosts(3, cores=8)
    t.begin()
    vms = t.vms(2, "ar", cpu=8, haizea={"start": relative(40), "duration": clock(60)})
    starts = [t.look(vm).submitted + 40 for vm in vms]
    t.pause(8)
    before = {vm: t.look(vm).message for vm in vms}
    gone, left = hosts[:2], hosts[2]
    for host in gone:
        take_away(host)
    t.wait(20, "two hosts out of service",
           lambda: all(t.oned.hosts()[host].state != 2 for host in gone))
    t.throughout(max(starts) + 10 - time.time(), "nothing goes to the others",
                 lambda: all(t.look(vm).host in (None, left) for vm in vms), *vms)
    for vm in vms:
        found = t.look(vm)
        t.require(found.running and found.host == left or
                  found.message and found.message != before[vm],
                  "runs on the third host or has a new message", vm)
    t.require(any(t.look(vm).running for vm in vms), "one of them runs", *vms)


@scenario("host-disabled")
def host_disabled(t):
    reservations_lose_hosts(t, lambda host: t.oned.call("one.host.status", host, DISABLE))


@scenario("host-error-reservation")
def host_error_reservation(t):
    reservations_lose_hosts(t, lambda host: t.backend.break_host(host, True))


@scenario("boot-failure")
def boot_failure(t):
    hosts = t.add_hosts(3, attributes=["LIKED = 0", "LIKED = 10", "LIKED = 0"])
    bad = hosts[1]
    t.backend.fail("deploy", host=bad)
    t.begin()
    began = time.time()
    others = t.vms(4, "other", requirements='ID="%d" | ID="%d"' % (hosts[0], hosts[2]))
    prefers = t.vm("prefers", more='SCHED_RANK = "LIKED"\n')
    pinned = t.vm("pinned", requirements='ID="%d"' % bad)
    t.wait_running(others, 30, "VMs for other hosts RUNNING")
    t.wait(40, "the pinned VM has a reason", lambda: t.reason(pinned, ANYTHING), pinned)
    t.pause_until(began + 40)
    tries = t.backend.deploys(pinned)
    tries = len(t.look(pinned).history) if tries is None else tries
    t.require(1 <= tries <= 10, "tried at most 10 times, not %d" % tries, pinned)
    t.wait(began + 90 - time.time(), "retried elsewhere or has a reason",
           lambda: t.look(prefers).running or t.reason(prefers, ANYTHING), prefers)


@scenario("slow-deploy")
def slow_deploy(t):
    t.add_hosts(3, cores=8)
    slow = t.vm("slow", hold=True)
    t.backend.slow("deploy", 20, vm=slow)
    t.begin()
    t.oned.action("release", slow)
    t.wait(10, "the slow VM is being deployed", lambda: t.look(slow).active, slow)
    others = t.vms(5, "quick")
    t.wait_running(others, 14, "five others RUNNING meanwhile")
    t.require(not t.look(slow).running, "the slow one is still booting", slow)
    t.wait_running([slow], 40)
    t.deployed_once(slow, *others)


@scenario("extra-host-flushed")
def host_flushed(t):
    """A host is disabled and its VMs marked to be moved: they keep running somewhere."""
    hosts = t.add_hosts(2, cores=8)
    t.begin()
    vms = t.vms(2, "v", cpu=2, requirements='ID="%d"' % hosts[0])
    t.wait_running(vms, 20)
    t.oned.call("one.host.status", hosts[0], DISABLE)
    for vm in vms:
        t.oned.action("resched", vm)
    other = t.running_vm("other", cpu=2)
    t.require(t.look(other).host == hosts[1], "on the host in service", other)
    t.pause(15)
    for vm in vms:
        found = t.look(vm)
        t.require(found.running, "keeps running", vm)


@scenario("extra-host-deleted")
def host_deleted(t):
    """The host on which a reservation was to run is deleted before its start."""
    hosts = t.add_hosts(2, cores=8)
    t.begin()
    busy = t.running_vm("busy", cpu=8, haizea={"start": "now", "duration": clock(25)})
    vm = t.vm("ar", cpu=8, haizea={"start": relative(40), "duration": clock(20)})
    start = t.look(vm).submitted + 40
    t.pause(6)
    empty = hosts[1] if t.look(busy).host == hosts[0] else hosts[0]
    t.oned.call("one.host.delete", empty)
    t.keeps_time(vm, start, 20)


@scenario("extra-host-offline")
def host_offline(t):
    hosts = t.add_hosts(2, cores=8)
    t.begin()
    t.oned.call("one.host.status", hosts[0], OFFLINE)
    vms = t.vms(2, "full", cpu=8)
    t.throughout(15, "nothing goes to a host that is offline",
                 lambda: all(t.look(vm).host in (None, hosts[1]) for vm in vms), *vms)
    t.require(len(t.those_running(vms)) == 1, "one of them runs", *vms)
    t.oned.call("one.host.status", hosts[0], ENABLE)
    t.wait_running(vms, 40, "both RUNNING after the host is back")


@scenario("extra-history-damaged")
def history_damaged(t):
    """oned was killed between writing a VM's history record and the VM: it can never deploy this VM. The
    lease fails and says so; others run."""
    t.settings = "retry-backoff: 1\nretry-limit: 3"
    t.add_hosts(1, cores=8)
    vm = t.vm("damaged", cpu=2, hold=True)
    t.backend.refuse("one.vm.deploy", 0x2000,
                     "[one.vm.deploy] Cannot update virtual machine history", vm)
    t.begin()
    t.oned.action("release", vm)
    t.wait(60, "it is held", lambda: t.look(vm).state_name == "HOLD", vm)
    t.wait_reason(vm, 20, r"history in OpenNebula.s database may be damaged")
    t.require(t.backend.refused() == 3, "refused %d times" % t.backend.refused(), vm)
    t.running_vm("other", cpu=2)


@scenario("extra-refusals")
def refusals(t):
    """Deploys that are refused for a quota, a lock or a fault of OpenNebula's keep no room from others,
    are tried again in time and no more often."""
    t.settings = "retry-backoff: 4"
    t.add_hosts(2, cores=8)
    vms = t.vms(2, "refused", cpu=8, hold=True)
    t.backend.refuse("one.vm.deploy", 0x0200, "[one.vm.deploy] User [2] : limit of 1 reached for "
                     "RUNNING_VMS quota in VM with ID: %d" % vms[0], vms[0])
    t.backend.refuse("one.vm.deploy", 0x2000, "[one.vm.deploy] Internal error: cannot update the "
                     "database", vms[1])
    t.begin()
    for vm in vms:
        t.oned.action("release", vm)
    t.wait_reason(vms[0], 20, r"quota.*again at")
    t.wait_reason(vms[1], 20, r"nternal.*again at")
    began = time.time()
    others = t.vms(2, "other", cpu=8)
    t.wait_running(others, 15, "RUNNING where they would be")
    t.pause(30 - (time.time() - began))
    t.require(t.backend.refused() <= 7, "refused %d times" % t.backend.refused(), *vms)
    t.backend.heal()
    for vm in others:
        t.delete(vm)
    t.wait_running(vms[1:], 40, "RUNNING when OpenNebula works again")
    t.wait_running(vms, 60, "RUNNING within a minute when the quota allows it")


@scenario("extra-locked")
def locked(t):
    """OpenNebula lets nobody do anything with it, not even write its message."""
    t.add_hosts(1, cores=8)
    vm = t.vm("locked", cpu=8)
    t.oned.call("one.vm.lock", vm, 4, False)
    t.begin()
    other = t.running_vm("other", cpu=8)
    t.wait(15, "it is said that it is locked", lambda: "locked" in t.scheduler.reason(vm), vm)
    t.delete(other)
    t.throughout(10, "not placed while it is locked", lambda: t.never_ran(vm), vm)
    t.oned.call("one.vm.unlock", vm)
    t.wait_running([vm], 20, "RUNNING when it is unlocked")


@scenario("extra-locked-end")
def locked_end(t):
    """Its time is over, and its owner has locked it: others are not held back, and it ends when it is
    unlocked, over a restart, too."""
    t.settings = "unlock: no"
    t.add_hosts(3, cores=8)
    t.begin()
    vm = t.running_vm("locked", cpu=8, haizea={"duration": clock(8)})
    t.oned.call("one.vm.lock", vm, 4, False)
    t.wait(25, "it is said that it is locked", lambda: "is locked" in t.scheduler.reason(vm), vm)
    t.running_vm("other", cpu=8)
    t.scheduler.kill()
    t.scheduler.start()
    t.running_vm("another", cpu=8, seconds=15)
    t.throughout(5, "runs as long as it is locked", lambda: t.look(vm).running, vm)
    t.oned.call("one.vm.unlock", vm)
    t.wait(20, "ended when it is unlocked", lambda: t.look(vm).ended, vm)


@scenario("extra-unlock")
def unlock(t):
    """Locked VMs are unlocked when their time is over and for a reservation, and not for a lease in
    the queue."""
    t.add_hosts(2, cores=8)
    t.backend.slow("save", 1)
    t.begin()
    over = t.running_vm("over", cpu=8, haizea={"duration": clock(8)})
    way = t.running_vm("way", cpu=8, haizea={"start": "best_effort", "duration": clock(3600),
                                             "preemptible": "yes"})
    for vm in (over, way):
        t.oned.call("one.vm.lock", vm, 4, False)
    t.wait(20, "ended when its time is over", lambda: t.look(over).ended, over)
    waits = t.running_vm("waits", cpu=8)
    t.throughout(5, "not disturbed", lambda: t.look(way).running, way)
    reserved = t.vm("ar", cpu=8, haizea={"start": relative(15), "duration": clock(10)})
    t.wait_reason(way, 25, "Galerna unlocked this VM")
    t.keeps_time(reserved, t.look(reserved).submitted + 15, 10)
    for vm in (over, way):
        t.require("unlocked" in [event for event, _ in t.scheduler.events(vm)], "history", vm)
    t.wait_running([way], 40, "RUNNING again")
    t.require(t.look(waits).running, "not disturbed", waits)


@scenario("extra-datastore-full")
def datastore_full(t):
    """A volatile disk for which the system datastore has no room."""
    t.add_hosts(1)
    t.backend.fill_datastores(1000)
    t.begin()
    big = t.vm("big", more='DISK = [ TYPE = "fs", SIZE = 50000 ]\n')
    small = t.vm("small")
    t.wait_running([small], 30)
    t.wait_reason(big, 30, r"datastore|disk|storage")
    t.throughout(6, "not placed", lambda: t.never_ran(big), big)
    t.backend.fill_datastores(1900000)
    t.wait_running([big], 60, "RUNNING once there is room")


@scenario("extra-datastore-promised")
def datastore_promised(t):
    """Room goes to one VM only, although OpenNebula's figure stays as it was measured."""
    t.add_hosts(3)
    t.backend.fill_datastores(30000)
    t.begin()
    vms = t.vms(3, "big", more='DISK = [ TYPE = "fs", SIZE = 20000 ]\n')
    t.wait(30, "one of them runs", lambda: t.those_running(vms), *vms)
    t.throughout(20, "and no other one", lambda: len(list(filter(t.began, vms))) == 1, *vms)
    for vm in vms:
        if not t.began(vm):
            t.wait_reason(vm, 10, r"datastore.* room for 20000 MB")
    t.backend.fill_datastores(90000)
    t.wait_running(vms, 60, "RUNNING once there is room")


def image(size, **more):
    """A disk of an image, as OpenNebula describes it in the VM's template."""
    return "DISK = [ %s ]\n" % ", ".join(
        '%s = "%s"' % item for item in {"image_id": 0, "datastore_id": 1, "size": size,
                                        "clone_target": "SELF", "ln_target": "NONE",
                                        **more}.items())


@scenario("extra-datastore-images")
def datastore_images(t):
    """Disks that are cloned on the image datastore (CLONE_TARGET=SELF) need room there, all of a VM
    together, and the room goes to one VM only; others do not."""
    t.add_hosts(2)
    t.backend.keep_images(3000)
    t.begin()
    elsewhere = t.vm("elsewhere", more=image(5000, clone="YES", clone_target="SYSTEM"))
    persistent = t.vm("persistent", more=image(5000, clone="NO"))
    t.wait_running([elsewhere, persistent], 30)
    two_disks = t.vm("two_disks", more=2 * image(1600, clone="YES"))
    linked = t.vm("linked", more=image(5000, clone="NO", ln_target="SELF"))
    t.wait_reason(two_disks, 30, r"image datastore 1 has no room for 3200 MB .*: 3000 MB are free")
    t.wait_reason(linked, 30, r"image datastore 1 has no room for 5000 MB")
    vms = t.vms(3, "cloned", more=image(2000, clone="YES"))
    t.wait(30, "one of them runs", lambda: t.those_running(vms), *vms)
    t.throughout(10, "and no other one", lambda: len(list(filter(t.began, vms))) == 1, *vms)
    for vm in vms:
        if not t.began(vm):
            t.wait_reason(vm, 10, r"image datastore 1 has no room for 2000 MB .*: 1000 MB are")
    t.backend.keep_images(18000)
    t.wait_running([*vms, two_disks, linked], 60, "RUNNING once there is room")


@scenario("extra-datastore-reserved")
def datastore_reserved(t):
    """A reservation is promised although the image datastore is full at present, says so until there
    is room, and starts."""
    t.add_hosts(1)
    t.backend.keep_images(3000)
    t.begin()
    way = {"start": "+00:01:30", "duration": "00:05:00"}
    reserved = t.vm("reserved", haizea=way, more=image(5000, clone="YES"))
    t.wait_reason(reserved, 30, r"Reserved: starts at .*At present: image datastore 1 has no room "
                                 r"for 5000 MB")
    t.backend.keep_images(18000)
    t.wait_reason(reserved, 75, r"Reserved: starts at [^.]*$")
    t.wait_running([reserved], 60)


@scenario("extra-datastore-local")
def datastore_local(t):
    """The disks of the hosts: 2 TB each, of which two VMs of 1.5 TB do not share one."""
    hosts = t.add_hosts(2)
    t.backend.keep_on_hosts()
    t.begin()
    vms = t.vms(3, "big", more='DISK = [ TYPE = "fs", SIZE = 1500000 ]\n')
    t.wait(60, "one runs on each host",
           lambda: {t.look(vm).host for vm in t.those_running(vms)} == set(hosts), *vms)
    t.throughout(15, "and the third waits", lambda: len(list(filter(t.began, vms))) == 2, *vms)
    for vm in vms:
        if not t.began(vm):
            t.wait_reason(vm, 10, r"datastore")
    deleted = next(vm for vm in vms if t.began(vm))
    t.delete(deleted)
    t.wait_running([vm for vm in vms if vm != deleted], 60, "RUNNING when one is deleted")


@scenario("extra-boots-never-end")
def boots_never_end(t):
    """30 VMs hang in boot on 3 of 6 hosts, more than may be under way at once: the others are placed
    as if nothing were, and nobody is sent there any more."""
    t.settings = "actions-in-all: 8\nstuck-after: 5"
    bad = list(t.add_hosts(3, cores=16, attributes='RACK = "bad"'))
    good = list(t.add_hosts(3, cores=16, attributes='RACK = "good"'))[3:]
    for host in bad:
        t.backend.slow("deploy", 600, host=host)
    t.begin()
    hanging = t.vms(30, "hangs", requirements='RACK="bad"')
    t.wait(20, "eight of them boot", lambda: len([vm for vm in hanging if t.began(vm)]) >= 8 or
           len([vm for vm in hanging if t.look(vm).active]) >= 8, *hanging)
    t.pause(8)
    fine = t.vms(6, "fine", cpu=2, requirements='RACK="good"')
    t.wait_running(fine, 15)
    anywhere = t.vms(8, "anywhere")
    t.wait_running(anywhere, 15)
    for vm in anywhere:
        t.require(t.look(vm).host in good, "not on a host where VMs hang", vm)
    for vm in hanging:
        if not t.look(vm).active:
            t.wait_reason(vm, 10, r"quarantined")
    for vm in hanging:
        if t.look(vm).active:
            t.wait_reason(vm, 10, r"not finished an operation .* onevm recover --retry %d" % vm)
    reservation = t.vm("reserved", cpu=4, requirements='RACK="good"',
                       haizea={"start": relative(10), "duration": clock(10)})
    t.keeps_time(reservation, t.look(reservation).submitted + 10, 10)


@scenario("extra-save-never-ends")
def save_never_ends(t):
    """A suspension hangs: what depends on it waits and says so, the rest goes on."""
    t.add_hosts(2, cores=8)
    fill = t.vms(2, "fill", cpu=8, hold=True,
                 haizea={"start": "best_effort", "duration": clock(3600), "preemptible": "yes"})
    t.backend.slow("save", 600, vm=fill[0])
    t.begin()
    for vm in fill:
        t.oned.action("release", vm)
    t.wait_running(fill, 20)
    vms = t.vms(2, "ar", cpu=8, haizea={"start": relative(30), "duration": clock(20)})
    start = t.look(vms[0]).submitted + 30
    t.wait(start + 10 - time.time(), "one of two reservations runs",
           lambda: any(map(t.began, vms)), *vms)
    late = [vm for vm in vms if not t.began(vm)]
    for vm in late:
        t.wait_reason(vm, 15, ANYTHING)
    t.pause(10)


@scenario("extra-save-never-ends-elsewhere")
def save_never_ends_elsewhere(t):
    """The host that a reservation was promised is never left: another one is left for it."""
    t.add_hosts(2, cores=8)
    t.backend.slow("save", 600)
    t.begin()
    fill = t.vms(2, "fill", cpu=8, haizea={"start": "best_effort", "duration": clock(3600),
                                           "preemptible": "yes"})
    t.wait_running(fill, 20)
    reserved = t.vm("ar", cpu=8, haizea={"start": relative(30), "duration": clock(90)})
    start = t.look(reserved).submitted + 30
    t.wait(40, "somebody is asked to leave", lambda: len(t.those_running(fill)) < 2, *fill)
    t.backend.heal()
    stuck = [vm for vm in fill if vm not in t.those_running(fill)]
    t.wait(start + 45 - time.time(), "runs 45 s after its start", lambda: t.began(reserved), reserved)
    t.require(t.look(reserved).host != t.look(stuck[0]).host, "on the other host", reserved)
    t.keeps_time(reserved, start, 90, late=45)


def happened(t, lease, event):
    return [text for name, text in t.scheduler.events(lease) if name == event]


@scenario("extra-only-host-disabled")
def only_host_disabled(t):
    """A reservation whose only host is disabled keeps its start in its message, which is written
    once; the history has it before the start, and that it is planned again."""
    host = t.add_hosts(1, cores=4)[0]
    t.begin()
    vm = t.vm("ar", cpu=4, haizea={"start": relative(30), "duration": clock(20)})
    start = t.look(vm).submitted + 30
    t.wait_reason(vm, 10, "Reserved: starts at")
    t.oned.call("one.host.status", host, DISABLE)
    t.wait_reason(vm, 10, r"Reserved: starts at .*\(contract\)\. At present: ")
    text = t.look(vm).message
    t.throughout(8, "the message stays", lambda: t.look(vm).message == text, vm)
    t.require(not any(word in text for word in ("efused", "  ")), "it is not refused", vm)
    t.require(happened(t, vm, "at-risk"), "the history has it", vm)
    t.oned.call("one.host.status", host, ENABLE)
    t.keeps_time(vm, start, 20)
    t.require(happened(t, vm, "planned-again"), "planned again in the history", vm)


@scenario("extra-host-released")
def host_released(t):
    """The driver's text is told once per failed start; a quarantined host takes VMs again when an
    operator releases it."""
    t.settings = "retry-backoff: 2"
    bad, _ = t.add_hosts(2, cores=8, attributes=['RACK = "bad"', 'RACK = "good"'])
    t.backend.fail("deploy", host=bad)
    t.begin()
    vms = t.vms(2, "x", cpu=1, requirements='RACK="bad"')
    t.wait(30, "a VM waits for a quarantine",
           lambda: any(t.reason(vm, "quarantined") for vm in vms), *vms)
    failed = [text for vm in vms for text in happened(t, vm, "start-failed")]
    t.require(len(failed) == len(set(failed)) and "FAILURE: " in failed[0],
              "each failure is told once, with the driver's text: %s" % failed, *vms)
    t.require("quarantined" in t.scheduler.ask("host", "list"), "the list has it", *vms)
    t.backend.heal()
    t.scheduler.ask("host", "release", str(bad))
    t.wait_running(vms, 20)
