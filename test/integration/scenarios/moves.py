"""VMs that run on migratable terms go to better hosts when those become free."""

from kit.registry import scenario
from kit.trial import clock, relative

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
    moves_to_the_fast_host(t, "live")


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
    t.require(len(told) == 1 and "as planned" in told[0], "its arrival is expected: %s" % told, mover)
