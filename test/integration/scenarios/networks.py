"""NICs with NETWORK_MODE=auto get networks: suitable ones, with free addresses."""

import time

from kit.registry import scenario
from kit.trial import Skip

PUBLIC = 'SCHED_REQUIREMENTS = "KIND=\\"public\\""'


def network(t, name, size, more=""):
    """A new network in cluster 0."""
    subnet = int(time.monotonic() * 1000) % 250
    return t.oned.call(
        "one.vn.allocate",
        'NAME = "%s"\nVN_MAD = "dummy"\nBRIDGE = "br0"\n%s\n'
        'AR = [ TYPE = "IP4", IP = "10.%d.0.1", SIZE = "%d" ]' % (name, more, subnet, size), -1)


def nic(more=""):
    return 'NIC = [ NETWORK_MODE = "auto"%s ]\n' % (", " + more if more else "")


def networks_of(t, vm):
    """The networks of its NICs, None for one without."""
    document = t.oned.document("one.vm.info", vm)
    texts = [found.findtext("NETWORK_ID") for found in document.findall("TEMPLATE/NIC")]
    return [int(text) if text else None for text in texts]


def used(t, network_id):
    return int(t.oned.document("one.vn.info", network_id).findtext("USED_LEASES"))


@scenario("networks-auto")
def networks_auto(t):
    """Requirements, ranks, several NICs, addresses that run out and come back."""
    t.add_hosts(2)
    public = network(t, "public", 3, 'KIND = "public"')
    private = network(t, "private", 20, 'KIND = "private"')
    t.begin()
    plain = t.vm("plain", more=nic())
    ranked = t.vm("ranked", more=nic('SCHED_RANK = "-ID"'))
    both = t.vm("both", more=nic() + nic(PUBLIC))
    t.wait_running([plain, ranked, both], 30)
    t.require(networks_of(t, ranked) == [public], "the NIC has the network it ranks first", ranked)
    t.require(networks_of(t, both) == [private, public],
              "the NIC that can choose leaves the only suitable network to the other", both)
    free = 3 - used(t, public)
    fitting = t.vms(free, "fitting", more=nic(PUBLIC))
    t.wait_running(fitting, 30)
    waiting = t.vm("waiting", more=nic(PUBLIC))
    other = t.vm("other", more=nic())
    t.wait_running([other], 30)
    t.require(networks_of(t, other) == [private], "in the network with free addresses", other)
    t.wait_reason(waiting, 30, "has no free address")
    t.throughout(5, "not placed", lambda: t.never_ran(waiting), waiting)
    t.delete(ranked)
    t.wait_running([waiting], 60, "RUNNING after an address came free")
    t.deployed_once(plain, both, other, waiting, *fitting)


@scenario("networks-auto-race")
def networks_auto_race(t):
    """Many VMs at once: no more are sent than there are addresses, and none is lost."""
    t.add_hosts(4)
    few = network(t, "few", 4)
    t.begin()
    vms = t.vms(10, "v", more=nic())
    t.wait(40, "four RUNNING", lambda: len(t.those_running(vms)) == 4, *vms)
    t.throughout(15, "no more than four run", lambda: len(t.those_running(vms)) == 4, *vms)
    t.require(used(t, few) == 4, "all addresses are used")
    for vm in [vm for vm in vms if t.look(vm).running]:
        t.delete(vm)
    t.wait(60, "four others RUNNING", lambda: len(t.those_running(vms)) == 4, *vms)


@scenario("networks-auto-impossible")
def networks_auto_impossible(t):
    """The reason names what is missing; others are not held up."""
    t.add_hosts(2)
    network(t, "one", 5, 'KIND = "private"')
    t.begin()
    nowhere = t.vm("nowhere", more=nic(PUBLIC))
    two = t.vm("two", more=nic() + nic())
    broken = t.vm("broken", more=nic('SCHED_REQUIREMENTS = "KIND = = 1"'))
    other = t.vm("other", more=nic())
    t.wait_running([other], 30)
    t.wait_reason(nowhere, 30, "meet its SCHED_REQUIREMENTS")
    t.wait_reason(two, 30, "too few networks")
    t.wait_reason(broken, 30, "SCHED_REQUIREMENTS of a NIC")
    t.throughout(6, "not placed",
                 lambda: all(map(t.never_ran, [nowhere, two, broken])), nowhere, two, broken)


@scenario("networks-auto-suspended")
def networks_auto_suspended(t):
    """A preempted VM keeps its address when it resumes, on another host too."""
    t.add_hosts(1, cores=4)
    network(t, "net", 5)
    t.begin()
    vm = t.running_vm("v", cpu=4, more=nic(),
                      haizea={"start": "best_effort", "duration": "00:10:00", "preemptible": "yes"})
    before = networks_of(t, vm)
    urgent = t.vm("urgent", cpu=4, haizea={"start": "+00:00:15", "duration": "00:00:20"})
    t.wait_running([urgent], 60)
    t.wait_running([vm], 90, "RUNNING again")
    t.require(networks_of(t, vm) == before and before != [None], "the same network", vm)


@scenario("networks-auto-resched")
def networks_auto_resched(t):
    """A VM in a network without a free address can move; the address counts once: OpenNebula #5052."""
    hosts = t.add_hosts(2)
    one = network(t, "one", 1)
    t.begin()
    vm = t.running_vm("v", more=nic())
    before = t.look(vm).host
    t.oned.action("resched", vm)
    t.wait(60, "RUNNING on the other host", lambda: t.look(vm).running and
           t.look(vm).host == sum(hosts) - before, vm)
    t.require(networks_of(t, vm) == [one] and used(t, one) == 1, "it keeps its only address", vm)
    late = t.vm("late", more=nic())
    t.wait_reason(late, 30, "has no free address")
    t.delete(vm)
    t.wait_running([late], 60, "RUNNING after the address came free")
    t.deployed_once(late)


@scenario("networks-auto-cluster")
def networks_auto_cluster(t):
    """A VM with an automatic NIC leaves its host only for hosts in a cluster of its network."""
    first, second, west = t.add_hosts(3, cores=4)
    cluster = t.oned.call("one.cluster.allocate", "west")
    t.oned.call("one.cluster.addhost", cluster, west)
    t.oned.call("one.cluster.adddatastore", cluster, 0)
    network(t, "lab", 5)
    t.begin()
    filler = t.running_vm("filler", cpu=4, requirements='ID="%d"' % second)
    vm = t.running_vm("v", cpu=1, more=nic())
    t.require(t.look(vm).host == first, "in the cluster of the network", vm)
    t.pause(6)
    t.scheduler.ask("host", "drain", str(first))
    t.wait_reason(vm, 15, "must leave its host .*no other host")
    t.throughout(8, "it stays", lambda: t.look(vm).host == first, vm)
    t.require("refused" not in t.scheduler.ask("lease", "history", str(vm)), "nothing was tried", vm)
    t.delete(filler)
    t.wait(40, "it moves to the host in that cluster", lambda: t.look(vm).host == second, vm)


@scenario("networks-cluster-added")
def networks_cluster_added(t):
    """A waiting VM can use a cluster that its network joins later: OpenNebula #1204."""
    host = t.add_hosts(1)[0]
    lab = network(t, "lab", 5)
    cluster = t.oned.call("one.cluster.allocate", "west")
    t.oned.call("one.cluster.addhost", cluster, host)
    t.oned.call("one.cluster.adddatastore", cluster, 0)
    t.begin()
    vm = t.vm("v", more='NIC = [ NETWORK_ID = "%d" ]\n' % lab)
    text = t.oned.document("one.vm.info", vm).findtext("TEMPLATE/AUTOMATIC_REQUIREMENTS")
    if "CLUSTER_ID" not in text:
        raise Skip("this OpenNebula does not write clusters into requirements")
    t.wait_reason(vm, 30, "AUTOMATIC_REQUIREMENTS")
    t.throughout(5, "not placed", lambda: t.never_ran(vm), vm)
    t.oned.call("one.cluster.addvnet", cluster, lab)
    t.wait_running([vm], 40, "RUNNING after its network joined the cluster")
