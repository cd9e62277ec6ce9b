"""VMs that move between the hosts of a cluster, so that these are evenly used, or fewer are used."""

import json

from kit.client import OnedError
from kit.registry import scenario
from kit.trial import clock, relative

BALANCE = 'ONE_DRS = [ POLICY = "balance", AUTOMATION = "manual", CPU_WEIGHT = "1" ]'


def settle(t, text):
    """The cluster of the hosts is to be rebalanced so; galernad has read it."""
    t.oned.call("one.cluster.update", 0, text, 1)


def plan(t, *words):
    """The answer, as a program gets it."""
    code, text = t.scheduler.command("host", "rebalance", "0", "--json", *words)
    t.require(code == 0, "galernad has a plan: %s" % text)
    return json.loads(text)


def crowd(t, host, count, **about):
    """VMs on one host that may use the others, too."""
    vms = t.vms(count, "v", requirements='ID="%d"' % host, **about)
    t.wait_running(vms, 20)
    for vm in vms:
        t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
    t.pause(12)
    return vms


def hosts_of(t, vms):
    return sorted(t.look(vm).host for vm in vms if t.look(vm).running)


@scenario("rebalance-balance")
def rebalance_balance(t):
    """A plan is shown, applied, and a second one finds nothing. VMs that are off, stopped or
    undeployed do not hinder it."""
    hosts = t.add_hosts(2, cores=8)
    settle(t, BALANCE)
    t.begin()
    vms = crowd(t, hosts[0], 7, cpu=1)
    for vm, action in zip(vms, ("stop", "undeploy", "poweroff-hard")):
        t.oned.call("one.vm.action", action, vm)
    off, vms = vms[:3], vms[3:]
    t.wait(30, "three are off", lambda: not any(t.look(vm).running for vm in off), *off)
    t.pause(12)
    dry = plan(t, "--dry-run")
    t.require(dry["state"] == "planned" and len(dry["moves"]) == 2 and
              all(move["to"] == hosts[1] for move in dry["moves"]), "two are to move: %s" % dry)
    t.throughout(5, "a dry run moves none",
                 lambda: all(t.look(vm).host == hosts[0] for vm in vms), *vms)
    answer = plan(t)
    t.require(answer["state"] == "applied", "it is applied: %s" % answer)
    t.wait(60, "two are on each host",
           lambda: hosts_of(t, vms) == [hosts[0]] * 2 + [hosts[1]] * 2, *vms)
    t.pause(12)
    t.require(plan(t)["moves"] == [], "nothing is left to do")
    t.unbroken(*vms)


@scenario("rebalance-pack")
def rebalance_pack(t):
    """The least used host is emptied; one with a VM in the way is not."""
    hosts = t.add_hosts(3, cores=8)
    settle(t, 'ONE_DRS = [ POLICY = "pack", AUTOMATION = "manual", CPU_WEIGHT = "0.5", '
              'MEMORY_WEIGHT = "0.5" ]')
    t.begin()
    many = t.vms(3, "many", cpu=1, requirements='ID="%d"' % hosts[0])
    few = t.vms(2, "few", cpu=1, requirements='ID="%d"' % hosts[1])
    pinned = t.running_vm("pinned", cpu=1, requirements='ID="%d"' % hosts[2])
    t.wait_running(many + few, 20)
    for vm in few:
        t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
    t.pause(12)
    answer = plan(t)
    t.require(sorted(move["vm"] for move in answer["moves"]) == few, "two move: %s" % answer)
    t.wait(60, "they are beside the others", lambda: hosts_of(t, few) == [hosts[0]] * 2, *few)
    t.require(t.look(pinned).host == hosts[2], "this one may go nowhere", pinned)
    t.pause(12)
    t.require(plan(t)["moves"] == [], "nothing is left to do")


@scenario("rebalance-limit")
def rebalance_limit(t):
    """MIGRATION_THRESHOLD limits a plan; made at an interval, it waits to be applied or dropped."""
    hosts = t.add_hosts(2, cores=8)
    settle(t, 'ONE_DRS = [ POLICY = "balance", AUTOMATION = "partial", CPU_WEIGHT = "1", '
              'MIGRATION_THRESHOLD = "1" ]')
    t.settings = "rebalance-interval: 5"
    t.begin()
    vms = crowd(t, hosts[0], 6, cpu=1)
    t.wait(40, "a plan of one move is ready", lambda: plan(t, "--dry-run")["state"] == "ready")
    t.require(len(plan(t, "--dry-run")["moves"]) == 1, "the limit is respected")
    t.require(plan(t, "--drop")["state"] == "dropped", "it is dropped")
    t.require(hosts_of(t, vms) == [hosts[0]] * 6, "none has moved", *vms)
    t.wait(40, "the next one is ready", lambda: plan(t, "--dry-run")["state"] == "ready")
    t.require(plan(t)["state"] == "applied", "it is applied")
    t.wait(60, "one has moved", lambda: hosts_of(t, vms).count(hosts[1]) == 1, *vms)
    t.throughout(12, "no other moves", lambda: hosts_of(t, vms).count(hosts[1]) == 1, *vms)


@scenario("rebalance-full")
def rebalance_full(t):
    """Applied without an operator, until there is nothing left to do."""
    hosts = t.add_hosts(2, cores=8)
    t.settings = "rebalance-interval: 5"
    t.begin()
    vms = crowd(t, hosts[0], 6, cpu=1)
    settle(t, 'ONE_DRS = [ POLICY = "balance", AUTOMATION = "full", CPU_WEIGHT = "1", '
              'HOST_MIGRATION_THRESHOLD = "2" ]')
    t.wait(120, "three are on each host",
           lambda: hosts_of(t, vms) == [hosts[0]] * 3 + [hosts[1]] * 3, *vms)
    t.pause(20)
    t.require(sum(len(t.look(vm).history) == 2 for vm in vms) == 3, "three moved once", *vms)
    t.unbroken(*vms)


@scenario("rebalance-reservation")
def rebalance_reservation(t):
    """An accepted reservation keeps the whole host that the VMs would have moved to."""
    hosts = t.add_hosts(2, cores=8)
    settle(t, BALANCE)
    t.begin()
    vm = t.vm("ar", cpu=7, requirements='ID="%d"' % hosts[1],
              haizea={"start": relative(75), "duration": clock(20)})
    start = t.look(vm).submitted + 75
    t.wait_reason(vm, 10, "Reserved: starts at")
    vms = crowd(t, hosts[0], 6, cpu=1)
    answer = plan(t)
    t.require(len(answer["moves"]) <= 1, "one has room beside it: %s" % answer)
    t.keeps_time(vm, start, 20)
    t.require(hosts_of(t, vms).count(hosts[1]) == len(answer["moves"]), "no more moved", *vms)


@scenario("rebalance-vmgroup")
def rebalance_vmgroup(t):
    """VMs of a VM group stay with the others."""
    t.add_hosts(2, cores=8)
    settle(t, BALANCE)
    group = t.group({"web": ("AFFINED", {})})
    t.begin()
    vms = t.members(4, group, "web", cpu=1)
    t.wait_running(vms, 20)
    t.pause(12)
    t.require(len(set(hosts_of(t, vms))) == 1, "together", *vms)
    t.require(plan(t)["moves"] == [], "none is torn from the others")


@scenario("rebalance-restart")
def rebalance_restart(t):
    """What is left of an applied plan is done after galernad was killed."""
    hosts = t.add_hosts(2, cores=8)
    settle(t, BALANCE)
    t.settings = "actions-in-all: 1"
    t.begin()
    vms = crowd(t, hosts[0], 6, cpu=1)
    t.require(len(plan(t)["moves"]) == 3, "three are to move")
    t.scheduler.kill()
    t.scheduler.start()
    t.wait(30, "the plan is known", lambda: t.scheduler.command(
        "host", "rebalance", "0", "--dry-run", "--json")[0] == 0)
    answer = plan(t, "--dry-run")
    t.require(answer["state"] == "applied" and len(answer["moves"]) == 3 and
              any(host["before"] > host["after"] for host in answer["hosts"]),
              "it is applied: %s" % answer)
    t.wait(90, "three are on each host",
           lambda: hosts_of(t, vms) == [hosts[0]] * 3 + [hosts[1]] * 3, *vms)
    t.wait(30, "the plan is over", lambda: plan(t, "--dry-run")["state"] == "planned")
    t.require(all(len(t.look(vm).history) <= 2 for vm in vms), "each moved once at most", *vms)
    t.unbroken(*vms)


@scenario("rebalance-traffic")
def rebalance_traffic(t):
    """VMs of equal size are told apart by their traffic; one that is blocked stays."""
    hosts = t.add_hosts(2, cores=8)
    settle(t, 'ONE_DRS = [ POLICY = "balance", AUTOMATION = "manual", NET_WEIGHT = "1" ]')
    t.begin()
    vms = crowd(t, hosts[0], 4, cpu=1)
    for vm, net in zip(vms, (0, 1000000, 0, 1000000)):
        t.backend.report_use(vm, 10, net=net)
    t.oned.call("one.vm.update", vms[3], 'ONEDRS_BLOCKED = "YES"', 1)
    t.pause(12)
    answer = plan(t)
    t.require([move["vm"] for move in answer["moves"]] == [vms[1]], "one moves: %s" % answer)
    t.require([host["before"] for host in answer["hosts"]] == [100, 0] and
              [host["after"] for host in answer["hosts"]] == [50, 50],
              "half of the traffic with it: %s" % answer)
    t.wait(60, "it is there", lambda: hosts_of(t, vms) == [hosts[0]] * 3 + [hosts[1]], *vms)
    t.pause(12)
    t.require(plan(t)["moves"] == [], "nothing is left to do")


@scenario("rebalance-use")
def rebalance_use(t):
    """Without weights the CPU that VMs use counts, not what they requested."""
    hosts = t.add_hosts(2, cores=8)
    settle(t, 'ONE_DRS = [ POLICY = "balance", AUTOMATION = "manual" ]')
    t.begin()
    vms = crowd(t, hosts[0], 2, cpu=0.5) + crowd(t, hosts[0], 2, cpu=2)
    for vm, cpu in zip(vms, (200, 200, 1, 1)):
        t.backend.report_use(vm, cpu)
    t.pause(12)
    answer = plan(t)
    t.require(len(answer["moves"]) == 1 and answer["moves"][0]["vm"] in vms[:2],
              "one of those that use CPU moves: %s" % answer)


@scenario("rebalance-settings")
def rebalance_settings(t):
    """A plan is made by what the cluster's template says at that moment; one that is malformed is
    named, and none is made."""
    hosts = t.add_hosts(2, cores=8)
    settle(t, BALANCE)
    t.begin()
    crowd(t, hosts[0], 6, cpu=1)
    for limit in (2, 1):
        settle(t, 'ONE_DRS = [ POLICY = "balance", AUTOMATION = "manual", CPU_WEIGHT = "1", '
                  'HOST_MIGRATION_THRESHOLD = "%d" ]' % limit)
        answer = plan(t, "--dry-run")
        t.require(len(answer["moves"]) == limit, "as many as the limit: %s" % answer)
    try:
        settle(t, 'ONE_DRS = [ POLICY = "balance", AUTOMATION = "manual", '
                  'HOST_MIGRATION_THRESHOLD = "few" ]')
    except OnedError as error:
        t.require("HOST_MIGRATION_THRESHOLD" in str(error), "OpenNebula 7.4 itself names it")
        return
    code, text = t.scheduler.command("host", "rebalance", "0")
    t.require(code == 1 and "ONE_DRS/HOST_MIGRATION_THRESHOLD is 'few'" in text,
              "it is named: %d %s" % (code, text))


@scenario("rebalance-drain-ahead")
def rebalance_drain_ahead(t):
    """Hosts that are drained each week are balanced until an hour before: VMs without an end, and those
    that end in time. A host that is drained sooner gets only the latter."""
    hosts = t.add_hosts(2, cores=8)
    settle(t, BALANCE)
    t.begin()
    vms = crowd(t, hosts[0], 6, cpu=1)
    drain = ("host", "drain", str(hosts[1]), "--until")
    code, text = t.scheduler.command(*drain, "+40m", "--from", "+30m")
    t.require(code == 0, "host %d is drained soon: %s" % (hosts[1], text))
    t.require(plan(t, "--dry-run")["moves"] == [], "nothing goes there")
    t.scheduler.command("host", "undrain", str(hosts[1]))
    for host, begin in zip(hosts, (24, 48)):
        code, text = t.scheduler.command("host", "drain", str(host), "--from", "+%dh" % begin,
                                         "--until", "+%dh" % (begin + 1), "--repeat", "weekly",
                                         "--times", "5")
        t.require(code == 0, "host %d is drained each week: %s" % (host, text))
    answer = plan(t)
    t.require(len(answer["moves"]) == 3, "half of them move: %s" % answer)
    t.wait(90, "three are on each host",
           lambda: hosts_of(t, vms) == [hosts[0]] * 3 + [hosts[1]] * 3, *vms)
    t.running_vm("late", cpu=1)
    t.unbroken(*vms)
