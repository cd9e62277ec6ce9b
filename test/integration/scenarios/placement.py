"""Plain VMs are placed where they fit and where they may be."""

from kit.registry import scenario
from kit.trial import CAPACITY, REQUIREMENT, clock, relative


@scenario("plain-one")
def plain_one(t):
    t.add_hosts(2)
    t.begin()
    vm = t.vm("one")
    t.wait_running([vm], 30)
    t.pause(6)
    t.deployed_once(vm)


@scenario("plain-pack")
def plain_pack(t):
    t.add_hosts(4, cores=8)
    t.begin()
    small = t.vms(10, "small", cpu=1)
    large = t.vms(10, "large", cpu=2)
    t.wait_running(small + large, 60)
    t.deployed_once(*small, *large)
    more = t.vms(3, "more", cpu=2)
    t.throughout(15, "at most one of three more runs", lambda: len(t.those_running(more)) <= 1,
                 *more)
    for vm in large[:3]:
        t.delete(vm)
    t.wait_running(more, 40, "RUNNING after three others were deleted")
    t.deployed_once(*small, *large[3:], *more)


@scenario("plain-too-big")
def plain_too_big(t):
    t.add_hosts(2, cores=8, memory=16384)
    t.begin()
    wide = t.vm("wide", cpu=64)
    fat = t.vm("fat", memory=256 * 1024)
    other = t.vm("other")
    t.wait_running([other], 30)
    reserved = t.vm("reserved", cpu=64, haizea={"start": relative(600), "duration": clock(60)})
    group = t.vms(3, "group", cpu=6, haizea={"start": "best_effort", "duration": clock(60),
                                             "group": "g", "group_size": "3"})
    for vm, what in ((wide, "enough CPU: at most 8.00 CPU"), (fat, "enough memory: at most .* 16384 MB"),
                     (reserved, "enough CPU: at most 8.00 CPU"),
                     (group[0], "3 VMs requested, but all hosts together hold at most 2")):
        t.wait_reason(vm, 30, what)
    t.require(t.refused(reserved), "a reservation that no host can hold is refused", reserved)
    for vm in (wide, fat):
        t.wait_reason(vm, 30, CAPACITY)
        t.require(t.look(vm).pending and t.never_ran(vm), "pending and never run", vm)


@scenario("requirements")
def requirements(t):
    hosts = t.add_hosts(4, attributes=['RACK = "r2"', 'RACK = "r1"', 'RACK = "r2"', 'RACK = "r1"'])
    t.begin()
    racked = t.vms(6, "racked", requirements='RACK="r1"')
    by_id = t.vms(2, "by-id", requirements='ID="%d"' % hosts[1])
    nowhere = t.vm("nowhere", requirements='RACK="r9"')
    t.wait_running(racked + by_id, 30)
    for vm in racked:
        t.require(t.look(vm).host in (hosts[1], hosts[3]), "on a host of rack r1", vm)
    for vm in by_id:
        t.require(t.look(vm).host == hosts[1], "on host %d" % hosts[1], vm)
    t.wait_reason(nowhere, 30, REQUIREMENT)
    t.throughout(6, "never placed", lambda: t.never_ran(nowhere), nowhere)


@scenario("requirements-precedence")
def requirements_precedence(t):
    """One precedence, left to right: (0 or 1) and 1."""
    hosts = t.add_hosts(3)
    t.begin()
    text = 'ID="%d" | ID="%d" & ID="%d"' % (hosts[0], hosts[1], hosts[1])
    vms = t.vms(4, "v", requirements=text)
    t.wait_running(vms, 30)
    for vm in vms:
        t.require(t.look(vm).host == hosts[1], "on host %d" % hosts[1], vm)


@scenario("requirements-malformed")
def requirements_malformed(t):
    t.add_hosts(2)
    t.begin()
    broken = [t.vm("open", requirements='RACK="r1" & ('), t.vm("twice", requirements='RACK = = 1')]
    other = t.vm("other")
    t.wait_running([other], 30)
    for vm in broken:
        t.wait_reason(vm, 30, REQUIREMENT)
    t.throughout(6, "not placed", lambda: all(map(t.never_ran, broken)), *broken)


@scenario("extra-rank-malformed")
def rank_malformed(t):
    """Placed without it, and its user is told, over a restart too."""
    t.add_hosts(2)
    t.begin()
    vm = t.vm("v", more='SCHED_RANK = "FREE_CPU * ("\n')
    t.wait_running([vm], 30)
    t.wait_reason(vm, 12, "SCHED_RANK")
    t.scheduler.kill()
    t.scheduler.start()
    t.throughout(10, "still told", lambda: t.reason(vm, "SCHED_RANK"), vm)


@scenario("host-added")
def host_added(t):
    t.add_hosts(1, cores=8)
    t.begin()
    vm = t.vm("wide", cpu=16)
    t.wait_reason(vm, 30, CAPACITY)
    host = t.add_hosts(1, cores=16)[-1]
    t.wait_running([vm], 40)
    t.require(t.look(vm).host == host, "on the new host", vm)


@scenario("host-error")
def host_error(t):
    good, bad = t.add_hosts(2, cores=8)
    t.backend.break_host(bad, True)
    t.wait(20, "host %d in ERROR" % bad, lambda: t.oned.hosts()[bad].state == 3)
    t.begin()
    vms = t.vms(2, "full", cpu=8)
    t.wait(30, "one of two RUNNING", lambda: len(t.those_running(vms)) == 1, *vms)
    t.throughout(12, "nothing goes to a host in error",
                 lambda: all(t.look(vm).host in (None, good) for vm in vms), *vms)
    t.backend.break_host(bad, False)
    t.wait(20, "host %d back" % bad, lambda: t.oned.hosts()[bad].state == 2)
    t.wait_running(vms, 40, "both RUNNING after the host is back")


@scenario("figures-change")
def figures_change(t):
    """Requirements on figures that monitoring changes are met soon after a host meets them."""
    hosts = t.add_hosts(2, cores=8)
    t.begin()
    busy = [t.running_vm("busy-%d" % host, cpu=1, requirements='ID="%d"' % host) for host in hosts]
    t.pause(6)  # until the hosts are read again
    alone = t.vm("alone", requirements="RUNNING_VMS<1")
    roomy = t.vm("roomy", requirements="CPU_USAGE<50")
    for vm in (alone, roomy):
        t.wait_reason(vm, 30, REQUIREMENT)
    t.throughout(6, "never placed", lambda: t.never_ran(alone), alone)
    t.delete(busy[1])
    t.wait_running([alone], 15, "RUNNING soon after a host without VMs is there")
    t.delete(busy[0])
    t.wait_running([roomy], 15, "RUNNING soon after nothing is allocated on a host")


@scenario("requirements-company")
def requirements_company(t):
    """VMs that must not be, and must be, on the host of another one; all wait at the beginning."""
    t.add_hosts(3)
    rank = 'SCHED_RANK = "-ID"\n'
    anchor = t.vm("anchor", more=rank)
    apart = t.vm("apart", requirements="CURRENT_VMS!=%d" % anchor, more=rank)
    follower = t.vm("follower", requirements="CURRENT_VMS=%d" % apart)
    t.begin()
    t.wait_running([anchor, apart, follower], 60)
    t.require(t.look(apart).host != t.look(anchor).host, "on another host", anchor, apart)
    t.require(t.look(follower).host == t.look(apart).host, "on the same host", apart, follower)
    t.deployed_once(anchor, apart, follower)


@scenario("requirements-company-moves")
def requirements_company_moves(t):
    """A VM that must not be on the host of another one, which migrates to the only host with room."""
    t.add_hosts(1)
    t.begin()
    anchor = t.running_vm("anchor")
    apart = t.vm("apart", requirements="CURRENT_VMS!=%d" % anchor)
    t.scheduler.ask("host", "drain", str(t.hosts[0]))
    t.pause(8)
    t.add_hosts(1)
    t.wait(60, "the other one has moved",
           lambda: t.look(anchor).running and t.look(anchor).host == t.hosts[1], anchor, apart)
    t.require(t.never_ran(apart), "it waits", apart)
    t.scheduler.ask("host", "undrain", str(t.hosts[0]))
    t.wait_running([apart], 60)
    t.require(t.look(apart).host == t.hosts[0], "on the other host", anchor, apart)
    t.deployed_once(apart)
