"""VMs that are moved: to better hosts when those become free, and off hosts they must leave."""

import time

from kit.client import LCM_UNKNOWN
from kit.registry import scenario
from kit.trial import clock, relative
from scenarios.drains import moment
from scenarios.hosts import DISABLE, happened

POWEROFF = 8
POWEROFF_MIGRATE = 48  # an action of history records

SETTINGS = """host-policy: modules
[scheduling]
policy-host-selection: gridway
migration-interval: 20
migration-mode: %s
[simulation]
imagetransfer-bandwidth: 1000
[policy gridway]
bandwidth: 100
"""


def moves_to_the_fast_host(t, mode):
    """A slow and a fast host; the fast one is full until its lease is deleted."""
    t.settings = SETTINGS % mode
    slow, fast = t.add_hosts(2, cores=4, attributes=["MFLOPS = 500", "MFLOPS = 2000"])
    t.begin()
    busy = t.running_vm("busy", cpu=4, haizea={"start": "now", "duration": clock(600)})
    t.require(t.look(busy).host == fast, "on the fast host", busy)
    vms = [t.vm("mover", cpu=2, haizea={"start": "best_effort", "duration": clock(900),
                                        "terms": "migratable"}),
           t.vm("stays", cpu=2, haizea={"start": "best_effort", "duration": clock(900)})]
    t.wait_running(vms, 20)
    t.pause(8)
    t.require(all(t.look(vm).host == slow for vm in vms), "on the slow host", *vms)
    t.delete(busy)
    t.wait(40, "moved to the fast host",
           lambda: t.look(vms[0]).running and t.look(vms[0]).host == fast, vms[0])
    t.throughout(30, "stays there", lambda: t.look(vms[0]).host == fast and
                 t.look(vms[1]).host == slow, *vms)
    t.require(len(t.look(vms[0]).history) == 2, "moved once", vms[0])
    t.require(len(t.look(vms[1]).history) == 1, "never moved", vms[1])
    t.unbroken(*vms)
    return vms


@scenario("extra-moves-live")
def moves_live(t):
    mover = moves_to_the_fast_host(t, "live")[0]
    shown = t.scheduler.control(command="lease-show", lease=mover)["lease"]
    t.require(abs(moment(shown["end"]) - t.began(mover) - 900) < 5, "ends when it was to end", mover)


@scenario("extra-moves-cold")
def moves_cold(t):
    moves_to_the_fast_host(t, "cold")


@scenario("extra-moves-fail")
def moves_fail(t):
    """A migration that fails leaves the VM where it was; its lease runs on, and a reservation for the
    fast host is kept."""
    t.settings = SETTINGS % "live"
    slow, fast = t.add_hosts(2, cores=4, attributes=["MFLOPS = 500", "MFLOPS = 2000"])
    t.begin()
    busy = t.running_vm("busy", cpu=4, haizea={"start": "now", "duration": clock(600)})
    mover = t.running_vm("mover", cpu=2, haizea={"start": "best_effort", "duration": clock(900),
                                                 "terms": "migratable"})
    t.require(t.look(busy).host == fast and t.look(mover).host == slow, "each on its host", mover)
    t.backend.fail("migrate", vm=mover)
    t.delete(busy)
    t.pause(25)
    t.require(t.look(mover).running and t.look(mover).host == slow, "runs where it was", mover)
    reserved = t.vm("reserved", cpu=4, haizea={"start": relative(25), "duration": clock(20)},
                    requirements='ID="%d"' % fast)
    t.keeps_time(reserved, t.look(reserved).submitted + 25, 20)


@scenario("extra-moves-reserved")
def moves_reserved(t):
    """The fast host is promised to somebody else: nobody moves there for the meantime."""
    t.settings = SETTINGS % "live"
    slow, fast = t.add_hosts(2, cores=4, attributes=["MFLOPS = 500", "MFLOPS = 2000"])
    t.begin()
    busy = t.running_vm("busy", cpu=4, haizea={"start": "now", "duration": clock(600)})
    mover = t.running_vm("mover", cpu=2, haizea={"start": "best_effort", "duration": clock(900),
                                                 "terms": "migratable"})
    t.require(t.look(busy).host == fast and t.look(mover).host == slow, "each on its host", mover)
    t.delete(busy)
    reserved = t.vm("reserved", cpu=4, haizea={"start": relative(30), "duration": clock(20)},
                    requirements='ID="%d"' % fast)
    t.keeps_time(reserved, t.look(reserved).submitted + 30, 20)
    t.require(len(t.look(mover).history) <= 2, "moved once at most", mover)


@scenario("extra-moves-restart")
def moves_restart(t):
    """A VM on its way when the daemon is killed arrives as was planned, and is not sent again."""
    t.settings = SETTINGS % "cold"
    slow, fast = t.add_hosts(2, cores=4, attributes=["MFLOPS = 500", "MFLOPS = 2000"])
    t.begin()
    busy = t.running_vm("busy", cpu=4, haizea={"start": "now", "duration": clock(600)})
    mover = t.running_vm("mover", cpu=2, haizea={"start": "best_effort", "duration": clock(900),
                                                 "terms": "migratable"})
    t.require(t.look(busy).host == fast and t.look(mover).host == slow, "each on its host", mover)
    t.backend.slow("save", 12, vm=mover)
    t.delete(busy)
    t.wait(40, "on its way", lambda: t.look(mover).host == fast, mover)
    t.scheduler.kill()
    t.scheduler.start()
    t.wait(30, "runs on the fast host", lambda: t.look(mover).running and
           t.look(mover).host == fast, mover)
    t.pause(8)
    t.require(len(t.look(mover).history) == 2, "moved once", mover)
    told = [text for event, text in t.scheduler.events(mover) if event == "moved"]
    t.require(len(told) == 1 and "not on" not in told[0], "its arrival is expected: %s" % told, mover)


@scenario("resched")
def resched(t):
    """A VM that runs and one that is off are marked: both go to the other host, and neither loses
    what it is."""
    t.add_hosts(2, cores=4)
    t.begin()
    vms = [t.running_vm("runs", cpu=1), t.running_vm("off", cpu=1)]
    t.oned.action("poweroff", vms[1])
    t.wait(20, "is off", lambda: t.look(vms[1]).state == POWEROFF, vms[1])
    before = {vm: t.look(vm).host for vm in vms}
    for vm in vms:
        t.oned.action("resched", vm)
    t.wait(40, "both are on the other host",
           lambda: all(t.look(vm).host not in (None, before[vm]) for vm in vms), *vms)
    t.wait(20, "one runs, the other one is off",
           lambda: t.look(vms[0]).running and t.look(vms[1]).state == POWEROFF, *vms)
    t.throughout(10, "both stay there",
                 lambda: all(t.look(vm).host != before[vm] for vm in vms), *vms)
    for vm in vms:
        t.require(len(t.look(vm).history) == 2, "moved once", vm)


@scenario("resched-without-room")
def resched_without_room(t):
    """No other host has room: the VM stays, its message says why, and it moves when there is."""
    t.add_hosts(2, cores=4)
    t.begin()
    vms = [t.running_vm("a", cpu=4), t.running_vm("b", cpu=4)]
    t.oned.action("resched", vms[0])
    t.wait_reason(vms[0], 30, r"no other host that it may use has room")
    t.require(t.look(vms[0]).running, "runs on", vms[0])
    host = t.look(vms[0]).host
    t.delete(vms[1])
    t.wait(40, "moved when the other host is free",
           lambda: t.look(vms[0]).running and t.look(vms[0]).host != host, vms[0])
    t.wait(20, "the message is gone", lambda: "room" not in (t.look(vms[0]).message or ""), vms[0])


@scenario("resched-requirements")
def resched_requirements(t):
    """No other host meets the VM's requirements."""
    hosts = t.add_hosts(2, cores=4)
    t.begin()
    vm = t.running_vm("a", requirements='ID="%d"' % hosts[0])
    t.oned.action("resched", vm)
    t.wait_reason(vm, 30, r"must leave host %d: no other usable host" % hosts[0])
    t.require(t.look(vm).running, "runs on", vm)
    t.oned.action("unresched", vm)
    t.wait(30, "the message is gone", lambda: not t.look(vm).message, vm)


@scenario("resched-fails")
def resched_fails(t):
    """A live migration fails: it is said, and the VM is moved cold later."""
    t.settings = "retry-backoff: 4"
    t.add_hosts(2, cores=4)
    t.begin()
    vm = t.running_vm("a")
    host = t.look(vm).host
    t.backend.fail("migrate", vm=vm)
    t.oned.action("resched", vm)
    t.wait(30, "the history has it", lambda: happened(t, vm, "move-failed"), vm)
    t.require(t.look(vm).host == host, "runs where it was", vm)
    t.backend.heal()
    t.wait(60, "moved", lambda: t.look(vm).running and t.look(vm).host != host, vm)


@scenario("resched-off")
def resched_off(t):
    """Running VMs are powered off for the move, as the settings say."""
    t.settings = "live-rescheds: no\ncold-moves: poweroff"
    t.add_hosts(2, cores=4)
    t.begin()
    vm = t.running_vm("a")
    host = t.look(vm).host
    t.oned.action("resched", vm)
    t.wait(60, "moved", lambda: t.look(vm).running and t.look(vm).host != host, vm)
    first = t.oned.document("one.vm.info", vm).find("HISTORY_RECORDS/HISTORY")
    t.require(int(first.findtext("ACTION")) == POWEROFF_MIGRATE, "powered off for the move", vm)


@scenario("resched-unknown")
def resched_unknown(t):
    """A host fails, and its VMs are marked: OpenNebula's hook for fault tolerance does so with -m. They
    boot on another host."""
    hosts = t.add_hosts(2, cores=4)
    t.begin()
    vms = [t.running_vm(name, requirements='ID="%d"' % hosts[0]) for name in ("a", "b")]
    for vm in vms:
        t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
        t.sampler.expected.add((vm, "unknown"))
    t.backend.break_host(hosts[0], True)
    t.wait(30, "UNKNOWN", lambda: all(t.look(vm).lcm == LCM_UNKNOWN for vm in vms), *vms)
    t.pause(4)  # galernad has seen it
    for vm in vms:
        t.oned.action("resched", vm)
    t.wait(60, "they run on the other host",
           lambda: all(t.look(vm).running and t.look(vm).host == hosts[1] for vm in vms), *vms)
    t.unbroken(*vms)


@scenario("resched-flush")
def resched_flush(t):
    """What `onehost flush` does: the host is disabled, and each of its VMs marked."""
    hosts = t.add_hosts(3, cores=8)
    t.begin()
    vms = t.vms(5, "v", cpu=1, requirements='ID="%d"' % hosts[0])
    others = t.vms(2, "kept", cpu=2, requirements='ID="%d"' % hosts[1])
    t.wait_running(vms + others, 30)
    for vm in vms:
        t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS="ID!=%d"' % hosts[1], 1)
    t.oned.call("one.host.status", hosts[0], DISABLE)
    for vm in vms:
        t.oned.action("resched", vm)
    t.wait(90, "all run on the third host",
           lambda: all(t.look(vm).running and t.look(vm).host == hosts[2] for vm in vms), *vms)
    t.require(all(len(t.look(vm).history) == 1 for vm in others), "the others stay", *others)
    t.unbroken(*vms)


@scenario("in-front")
def in_front(t):
    """A plain VM runs on a reserved host until shortly before the reservation, then on another one. A
    restart of galernad in between changes nothing."""
    t.settings = "start-in-front: 40"
    hosts = t.add_hosts(2, cores=4)
    t.begin()
    here, there = ['ID="%d"' % host for host in hosts]
    reserved = t.vm("ar", cpu=4, requirements=here,
                    haizea={"start": relative(110), "duration": clock(20)})
    start = t.look(reserved).submitted + 110
    busy = t.vm("busy", cpu=4, requirements=there, haizea={"duration": clock(30)})
    t.wait_running([busy], 20)
    plain = t.running_vm("plain", cpu=2, memory=128)
    t.require(t.look(plain).host == hosts[0], "on the reserved host", plain)
    t.wait(10, "the history says so", lambda: happened(t, plain, "in-front"), plain)
    t.scheduler.kill()
    t.scheduler.start()
    later = t.vm("later", cpu=4, memory=128)
    t.wait(max(1, start - time.time()), "moved in time",
           lambda: t.look(plain).running and t.look(plain).host == hosts[1], plain)
    t.keeps_time(reserved, start, 20)
    t.require(t.never_ran(later) or t.look(later).host == hosts[0], "its room was kept", later)
    t.require(len(t.look(plain).history) == 2, "moved once", plain)
    t.unbroken(plain)
