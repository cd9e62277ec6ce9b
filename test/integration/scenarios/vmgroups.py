"""VM groups: their rules hold whenever VMs are placed; the sampler checks them all the time."""

import random

from kit.registry import scenario
from kit.trial import Skip, clock, relative

PARTS = r"role %s of VM group %d"


def apart(**more):
    return ("ANTI_AFFINED", more)


def together(**more):
    return ("AFFINED", more)


def free(**more):
    return (None, more)


def on_one_host(t, vms):
    return len({t.host_of(vm) for vm in vms}) == 1


def waits_for_role(t, vm, role, group, seconds=20):
    t.wait_reason(vm, seconds, PARTS % (role, group))
    t.require(t.look(vm).pending and t.never_ran(vm), "pending and never run", vm)


@scenario("extra-group-together")
def group_together(t):
    """All on one host, later ones too; one that does not fit there waits."""
    t.add_hosts(3, cores=8)
    group = t.group({"db": together()})
    t.begin()
    first = t.members(3, group, "db", cpu=2)
    plain = t.vms(2, "plain", cpu=4)
    t.wait_running(first + plain, 40)
    t.require(on_one_host(t, first), "on one host", *first)
    late = t.members(1, group, "db", cpu=2)
    t.wait_running(late, 30)
    more = t.members(1, group, "db", cpu=2)[0]
    waits_for_role(t, more, "db", group)
    t.delete(first[0])
    t.wait_running([more], 40)
    t.require(on_one_host(t, first[1:] + late + [more]), "on one host", more)


@scenario("extra-group-together-room")
def group_together_room(t):
    """The first of them goes where there is room for all."""
    small = t.add_hosts(2, cores=4)[:]
    large = t.add_hosts(1, cores=12)[-1]
    group = t.group({"db": together()})
    t.begin()
    vms = t.members(3, group, "db", cpu=3.5)
    t.wait_running(vms, 40)
    t.require(all(t.host_of(vm) == large for vm in vms), "on host %d, not %s" % (large, small),
              *vms)


@scenario("extra-group-apart")
def group_apart(t):
    t.add_hosts(3, cores=8)
    group = t.group({"web": apart()})
    t.begin()
    vms = t.members(4, group, "web", cpu=1)
    t.wait(40, "three RUNNING", lambda: len(t.those_running(vms)) == 3, *vms)
    left = [vm for vm in vms if vm not in t.those_running(vms)][0]
    waits_for_role(t, left, "web", group)
    plain = t.vm("plain")
    t.wait_running([plain], 20)
    t.delete([vm for vm in vms if vm != left][0])
    t.wait_running([left], 40)


@scenario("extra-group-hosts")
def group_hosts(t):
    """Lists of hosts and clusters."""
    hosts = t.add_hosts(4, cores=8)
    cluster = t.oned.call("one.cluster.allocate", "c1")
    for host in hosts[2:]:
        t.oned.call("one.cluster.addhost", cluster, host)
    t.oned.call("one.cluster.adddatastore", cluster, 0)
    group = t.group({"here": free(host_affined="%d,%d" % (hosts[1], hosts[3])),
                     "elsewhere": free(host_anti_affined="%d,%d" % (hosts[0], hosts[1])),
                     "cluster": free(galerna_cluster_affined="%d" % cluster),
                     "outside": free(galerna_cluster_anti_affined="%d" % cluster),
                     "nowhere": free(host_affined="%d" % hosts[0],
                                     galerna_cluster_affined="%d" % cluster)})
    t.begin()
    vms = [vm for role in ("here", "elsewhere", "cluster", "outside")
           for vm in t.members(3, group, role)]
    nowhere = t.members(1, group, "nowhere")[0]
    t.wait_running(vms, 60)
    waits_for_role(t, nowhere, "nowhere", group)


@scenario("extra-group-roles")
def group_roles(t):
    """Rules between roles."""
    t.add_hosts(4, cores=8)
    group = t.group({"web": free(), "db": free(), "cache": free(), "log": free()},
                    'AFFINED = "db,cache"\nANTI_AFFINED = "web,log"\n')
    t.begin()
    vms = []
    for role in ("web", "log", "db", "cache", "web", "log", "cache"):
        vms += t.members(1, group, role)
    t.wait_running(vms, 60)


@scenario("extra-group-clusters")
def group_clusters(t):
    """GALERNA_LEVEL: in one cluster, or in different ones."""
    hosts = t.add_hosts(4, cores=4)
    cluster = t.oned.call("one.cluster.allocate", "c1")
    for host in hosts[2:]:
        t.oned.call("one.cluster.addhost", cluster, host)
    t.oned.call("one.cluster.adddatastore", cluster, 0)
    group = t.group({"near": together(galerna_level="CLUSTER"), "far": apart(galerna_level="CLUSTER")})
    t.begin()
    near = t.members(2, group, "near", cpu=3)
    far = t.members(3, group, "far")
    t.wait_running(near, 40)
    t.wait(40, "two RUNNING", lambda: len(t.those_running(far)) == 2, *far)
    left = [vm for vm in far if vm not in t.those_running(far)][0]
    waits_for_role(t, left, "far", group)


@scenario("extra-group-weight")
def group_weight(t):
    """With a weight, rules are preferences: kept where that is possible."""
    t.settings = "host-policy: packing"
    t.add_hosts(3, cores=4)
    group = t.group({"web": apart(galerna_weight="5"), "db": together(galerna_weight="5")})
    t.begin()
    web = []
    for _ in range(3):
        web += t.members(1, group, "web")
        t.wait_running(web, 30)
    t.require(len({t.host_of(vm) for vm in web}) == 3, "on three hosts", *web)
    fourth = t.members(1, group, "web")
    t.wait_running(fourth, 30)
    db = t.members(2, group, "db", cpu=1)
    t.wait_running(db, 30)
    t.require(on_one_host(t, db), "on one host", *db)
    more = t.members(2, group, "db", cpu=3)
    t.wait(30, "one more RUNNING", lambda: t.those_running(more), *more)


@scenario("extra-group-host-fails")
def group_host_fails(t):
    """A VM whose host failed starts again on another one, apart from the others."""
    hosts = t.add_hosts(3, cores=8)
    group = t.group({"web": apart()})
    t.begin()
    vms = t.members(2, group, "web")
    t.wait_running(vms, 30)
    lost, kept = vms
    bad = t.host_of(lost)
    t.backend.break_host(bad, True)
    t.sampler.expected.add((lost, "unknown"))
    t.wait(30, "host %d in ERROR" % bad, lambda: t.oned.hosts()[bad].state == 3)
    t.pause(6)  # galernad has seen it
    t.oned.call("one.vm.recover", lost, 4)  # what the fault tolerance hook does
    third = [host for host in hosts if host not in (bad, t.host_of(kept))][0]
    t.wait(60, "RUNNING on host %d" % third,
           lambda: t.look(lost).running and t.host_of(lost) == third, lost)
    fresh = t.members(1, group, "web")[0]
    waits_for_role(t, fresh, "web", group)


@scenario("extra-group-reserved")
def group_reserved(t):
    """A reservation of VMs that are apart, among others of their role and other leases."""
    t.add_hosts(4, cores=4)
    group = t.group({"web": apart()})
    t.begin()
    alone = t.members(1, group, "web")[0]
    t.wait_running([alone], 20)
    fill = t.vms(4, "fill", cpu=2, haizea={"start": "best_effort", "duration": clock(600),
                                           "preemptible": "yes"})
    t.wait_running(fill, 30)
    vms = t.members(3, group, "web", cpu=3, haizea={
        "start": relative(30), "duration": clock(25), "group": "set", "group_size": 3})
    start = t.look(vms[0]).submitted + 30
    late = t.members(1, group, "web")[0]  # each host is taken, now or then
    for vm in vms:
        t.keeps_time(vm, start, 25, late=8)
    t.wait_running([late], 40)
    t.wait_running(fill, 60)


@scenario("extra-group-preempted")
def group_preempted(t):
    """A suspended VM is resumed where its rules hold, whoever started meanwhile."""
    t.settings = "suspend-with: stop"
    hosts = t.add_hosts(2, cores=4)
    group = t.group({"web": apart()})
    t.begin()
    first = t.members(1, group, "web", cpu=2, haizea={
        "start": "best_effort", "duration": clock(120), "preemptible": "yes"})[0]
    t.wait_running([first], 20)
    home = t.host_of(first)
    reserved = t.vm("reserved", cpu=4, requirements='ID="%d"' % home,
                    haizea={"start": relative(15), "duration": clock(25)})
    other = t.members(1, group, "web", cpu=3)[0]
    t.keeps_time(reserved, t.look(reserved).submitted + 15, 25, late=8)
    t.wait_running([first, other], 60)
    t.require(t.host_of(first) != t.host_of(other), "apart, of hosts %s" % hosts, first, other)


@scenario("extra-group-migrates")
def group_migrates(t):
    """Galerna's own migrations keep the rules."""
    t.settings = """host-policy: modules
[scheduling]
policy-host-selection: gridway
migration-interval: 10
migration-mode: live
[simulation]
imagetransfer-bandwidth: 1000
[policy gridway]
bandwidth: 100
"""
    slow, fast = t.add_hosts(2, cores=4, attributes=["MFLOPS = 500", "MFLOPS = 2000"])
    group = t.group({"web": apart()})
    t.begin()
    moves = {"start": "best_effort", "duration": clock(900), "terms": "migratable"}
    vms = t.members(2, group, "web", haizea=moves)
    t.wait_running(vms, 20)
    plain = t.vm("plain", cpu=3, haizea=moves)
    t.wait_running([plain], 20)
    t.throughout(40, "stay apart", lambda: t.host_of(vms[0]) != t.host_of(vms[1]), *vms)
    t.require({t.host_of(vm) for vm in vms} == {slow, fast}, "one on each host", *vms)


@scenario("extra-group-moved-by-user")
def group_moved_by_user(t):
    """A user moves a VM beside another one: it stays, its owner is told, and new VMs keep the
    rules."""
    hosts = t.add_hosts(3, cores=8)
    group = t.group({"web": apart()})
    t.begin()
    vms = t.members(2, group, "web")
    t.wait_running(vms, 30)
    t.sampler.has_groups = False
    t.oned.call("one.vm.migrate", vms[1], t.host_of(vms[0]), True, False, -1, 0)
    t.wait(20, "beside the other", lambda: t.look(vms[1]).running and
           t.host_of(vms[1]) == t.host_of(vms[0]), *vms)
    t.wait_reason(vms[1], 20, "breaks a rule.*role web of VM group %d" % group)
    t.require("VM group rules broken" in t.scheduler.ask("status"), "galerna status says so")
    late = t.members(2, group, "web")
    t.wait_running(late, 30)
    t.require(sorted(t.host_of(vm) for vm in late + vms[:1]) == sorted(hosts), "apart", *late)
    t.require(len(t.look(vms[1]).history) == 2, "nobody moved it again", vms[1])
    t.delete(vms[0])
    t.wait(30, "no longer told", lambda: not t.look(vms[1]).message, vms[1])


@scenario("extra-group-changed")
def group_changed(t):
    """A VM gets into a group while it runs (7.4): rules hold for those placed from then on."""
    if not t.backend.version().startswith("7"):
        raise Skip("VMs cannot be put into groups while they run")
    hosts = t.add_hosts(2, cores=8)
    group = t.group({"web": apart()})
    t.begin()
    old = t.running_vm("old")
    t.oned.call("one.vm.vmgroupadd", old, group, "web")
    vms = t.members(2, group, "web")
    t.wait(40, "one RUNNING", lambda: len(t.those_running(vms)) == 1, *vms)
    left = [vm for vm in vms if vm not in t.those_running(vms)][0]
    waits_for_role(t, left, "web", group)
    t.oned.call("one.vm.vmgroupdel", old)
    t.wait_running([left], 40)
    t.require({t.host_of(vm) for vm in vms} == set(hosts), "on both hosts", *vms)


@scenario("extra-group-restart")
def group_restart(t):
    """Rules hold for VMs that an earlier galernad placed."""
    t.add_hosts(2, cores=8)
    group = t.group({"web": apart(), "db": together()})
    t.begin()
    web = t.members(1, group, "web")
    db = t.members(2, group, "db")
    t.wait_running(web + db, 30)
    t.scheduler.kill()
    web += t.members(2, group, "web")
    db += t.members(2, group, "db")
    t.scheduler.start()
    t.wait_running(db, 40)
    t.wait(40, "two RUNNING", lambda: len(t.those_running(web)) == 2, *web)
    left = [vm for vm in web if vm not in t.those_running(web)][0]
    waits_for_role(t, left, "web", group)


@scenario("extra-group-random")
def group_random(t):
    """VMs of random roles come and go, hosts too; the sampler sees no rule broken."""
    chance = random.Random(20261123)
    hosts = t.add_hosts(5, cores=8)
    groups = [t.group({"web": apart(), "db": together(), "cache": free(), "log": free()},
                      'ANTI_AFFINED = "web,log"\nANTI_AFFINED = "db,web"\n'),
              t.group({"web": apart(host_anti_affined="%d" % hosts[0]), "db": free(),
                       "cache": free(), "log": free()},
                      'AFFINED = "db,cache"\nANTI_AFFINED = "log,web"\n')]
    t.begin()
    vms = []
    for step in range(60):
        terms = {"start": "best_effort", "duration": clock(chance.randint(8, 40)),
                 "preemptible": "yes"}
        if step % 11 == 7:
            terms = {"start": relative(20), "duration": clock(10)}
        vms += t.members(1, chance.choice(groups), chance.choice(["web", "db", "cache", "log"]),
                         cpu=chance.choice([1, 2]), haizea=terms)
        if chance.random() < 0.2:
            victim = chance.choice(vms)
            if not t.look(victim).done:
                t.delete(victim)
                vms.remove(victim)
        if step % 15 == 9:
            t.oned.call("one.host.status", chance.choice(hosts), chance.choice([0, 1]))
        t.pause(1)
    for host in hosts:
        t.oned.call("one.host.status", host, 0)
    t.wait(150, "all over", lambda: all(t.look(vm).ended or t.look(vm).state == 2 or
                                        t.refused(vm) for vm in vms), *vms)
