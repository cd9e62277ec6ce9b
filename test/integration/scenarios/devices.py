"""PCI devices, pinned CPUs, NUMA nodes and huge pages: given once, over time, and taken back."""

import json
import random

from kit.registry import scenario
from kit.trial import clock, relative

DEVICE = r"PCI device"
TOPOLOGY = r"NUMA node"
PINNED = 'PIN_POLICY = "PINNED"'


def gpu(slot, device="20f1", node=0):
    """A GPU as a host reports it."""
    return ('PCI = [ ADDRESS = "0000:%02d:00:0", SHORT_ADDRESS = "%02d:00.0", DOMAIN = "0000", '
            'BUS = "%02d", SLOT = "00", FUNCTION = "0", VENDOR = "10de", DEVICE = "%s", '
            'CLASS = "0302", TYPE = "10de:%s:0302", NUMA_NODE = "%d" ]\n'
            % (slot, slot, slot, device, device, node))


def address(slot):
    return "0000:%02d:00:0" % slot


def numa(nodes=2, cores=4, threads=2, pages=1024, memory=8 << 20):
    """NUMA nodes as a host reports them; pages of 2 MB, memory in KB."""
    text = ""
    for node in range(nodes):
        for core in range(node * cores, (node + 1) * cores):
            cpus = ",".join(str(core + i * cores * nodes) for i in range(threads))
            text += 'CORE = [ NODE_ID = "%d", ID = "%d", CPUS = "%s" ]\n' % (node, core, cpus)
        others = " ".join(str(other) for other in range(nodes) if other != node)
        text += 'HUGEPAGE = [ NODE_ID = "%d", SIZE = "2048", PAGES = "%d" ]\n' % (node, pages)
        text += 'MEMORY_NODE = [ NODE_ID = "%d", TOTAL = "%d", DISTANCE = "%d %s" ]\n' % (
            node, memory, node, others)
    return text


def wants(device="20f1"):
    """A VM's request for a GPU."""
    return 'PCI = [ VENDOR = "10de", DEVICE = "%s", CLASS = "0302" ]\n' % device


def pinned(policy, cpus, more=""):
    return 'VCPU = "%d"\nTOPOLOGY = [ PIN_POLICY = "%s"%s ]\n' % (cpus, policy, more)


def leased(seconds, **more):
    return {"start": "best_effort", "duration": clock(seconds), "preemptible": "yes", **more}


@scenario("devices")
def devices(t):
    """Each device once; who comes too late is told, and follows when one is free."""
    first, second, _ = t.add_hosts(3)
    t.backend.report_hardware(first, gpu(1) + gpu(2))
    t.backend.report_hardware(second, gpu(1))
    t.begin()
    vms = [t.running_vm("gpu%d" % i, more=wants()) for i in range(3)]
    t.require(sorted((t.look(vm).host, tuple(t.look(vm).devices)) for vm in vms) ==
              [(first, (address(1),)), (first, (address(2),)), (second, (address(1),))],
              "each GPU is used once", *vms)
    late = t.vm("late", more=wants())
    other = t.vm("other", more=wants("1db6"))
    plain = t.vms(3, "plain")
    t.wait_running(plain, 30)
    for vm in (late, other):
        t.wait_reason(vm, 20, DEVICE)
    t.wait_reason(late, 20, "in use")
    t.wait_reason(other, 20, "1db6")
    t.throughout(6, "never placed", lambda: t.never_ran(late) and t.never_ran(other), late, other)
    t.delete(vms[0])
    t.wait_running([late], 30, "RUNNING after a GPU was freed")
    t.deployed_once(late, *plain)


@scenario("devices-reserved")
def devices_reserved(t):
    """A reservation of the GPU holds it: only what ends before may use it in the meantime."""
    host = t.add_hosts(1)[0]
    t.backend.report_hardware(host, gpu(1))
    t.begin()
    reserved = t.vm("ar", more=wants(), haizea={"start": relative(60), "duration": clock(20)})
    start = t.look(reserved).submitted + 60
    t.pause(6)
    unlimited = t.vm("unlimited", more=wants())
    plain = t.vm("plain")
    t.wait_running([plain], 15)
    short = t.vm("short", more=wants(), haizea=leased(10))
    t.wait_running([short], 20)
    t.wait_ended(short, start, "ended before the reservation")
    t.wait_reason(unlimited, 10)
    t.require(t.never_ran(unlimited), "waits for the end of the reservation", unlimited)
    t.keeps_time(reserved, start, 20)
    t.wait_running([unlimited], 30, "RUNNING after the reservation")
    t.deployed_once(plain)


@scenario("devices-elsewhere")
def devices_elsewhere(t):
    """The reservation names its host by address; a VM that would overlap goes to the other GPU."""
    hosts = t.add_hosts(2)
    for host in hosts:
        t.backend.report_hardware(host, gpu(1))
    t.begin()
    reserved = t.vm("ar", more='PCI = [ SHORT_ADDRESS = "01:00.0" ]\n',
                    requirements='ID="%d"' % hosts[0],
                    haizea={"start": relative(45), "duration": clock(20)})
    start = t.look(reserved).submitted + 45
    t.pause(6)
    other = t.running_vm("other", more=wants())
    t.require(t.look(other).host == hosts[1], "on the other host", other)
    t.keeps_time(reserved, start, 20)
    t.deployed_once(other)


@scenario("devices-preemption")
def devices_preemption(t):
    """Who makes room is the lease that has the right GPU, and it resumes with one of its kind."""
    host = t.add_hosts(1)[0]
    t.backend.report_hardware(host, gpu(1) + gpu(2, "1db6"))
    t.begin()
    small = t.running_vm("small", more=wants("1db6"), haizea=leased(600))
    large = t.running_vm("large", more=wants(), haizea=leased(600))
    plain = t.running_vm("plain", haizea=leased(600))
    t.pause(4)
    vm = t.vm("ar", more=wants(), haizea={"start": relative(30), "duration": clock(15)})
    t.keeps_time(vm, t.look(vm).submitted + 30, 15)
    t.wait_running([large], 40, "RUNNING again")
    t.require(t.look(large).devices == [address(1)], "with a GPU of its kind", large)
    t.require(len(t.look(large).history) == 2, "stopped once", large)
    t.deployed_once(small, plain)
    t.unbroken(large)


@scenario("devices-resume")
def devices_resume(t):
    """A lease that made room resumes on the other host, with the GPU there."""
    hosts = t.add_hosts(2)
    for host in hosts:
        t.backend.report_hardware(host, gpu(1))
    t.begin()
    first = t.running_vm("first", more=wants(), haizea=leased(600))
    home = t.look(first).host
    other = [host for host in hosts if host != home][0]
    now = t.vm("now", more=wants(), requirements='ID="%d"' % home,
               haizea={"start": relative(25), "duration": clock(60)})
    t.keeps_time(now, t.look(now).submitted + 25, 60)
    t.require(t.look(first).running and t.look(first).host == other, "on the other host", first)
    t.require(t.look(first).devices == [address(1)], "with the GPU there", first)
    t.unbroken(first)


@scenario("devices-restart")
def devices_restart(t):
    """What running VMs hold is known to a scheduler that was not there."""
    host = t.add_hosts(1)[0]
    t.backend.report_hardware(host, gpu(1) + gpu(2))
    t.begin()
    vm = t.running_vm("first", more=wants())
    t.scheduler.kill()
    t.scheduler.start()
    others = [t.vm("second", more=wants()), t.vm("third", more=wants())]
    t.wait(30, "one of two RUNNING", lambda: len(t.those_running(others)) == 1, *others)
    t.throughout(10, "the other waits", lambda: len(t.those_running(others)) == 1, *others)
    t.deployed_once(vm)


@scenario("pinned")
def pinned_cpus(t):
    """Cores and threads are never shared, whatever the mix; what is deleted makes room."""
    first, second, _ = t.add_hosts(3, attributes=[PINNED, PINNED, ""])
    for host in (first, second):
        t.backend.report_hardware(host, numa())
    t.begin()
    plain = t.vm("plain")
    vms = [t.vm("core%d" % i, more=pinned("CORE", 2)) for i in range(3)]
    vms += [t.vm("thread%d" % i, more=pinned("THREAD", 4)) for i in range(2)]
    vms.append(t.vm("shared", more=pinned("SHARED", 2)))
    t.wait_running(vms + [plain], 40)
    t.require(t.look(plain).host not in (first, second), "not on a pinned host", plain)
    t.require(all(t.look(vm).host in (first, second) for vm in vms), "on a pinned host", *vms)
    wide = t.vm("wide", more=pinned("CORE", 16))
    t.wait_reason(wide, 20, TOPOLOGY + "|CPU")
    t.deployed_once(*vms)


@scenario("pinned-full")
def pinned_full(t):
    """A VM waits while its cores are in use, though there are CPUs left."""
    host = t.add_hosts(1, attributes=PINNED)[0]
    t.backend.report_hardware(host, numa(nodes=2, cores=2))
    t.begin()
    vms = [t.running_vm("core%d" % i, more=pinned("CORE", 1)) for i in range(3)]
    late = t.vm("late", more=pinned("CORE", 2))
    t.wait_reason(late, 20, TOPOLOGY)
    t.throughout(6, "never placed", lambda: t.never_ran(late), late)
    alone = [vm for vm in vms if [t.look(other).nodes for other in vms].count(t.look(vm).nodes) == 1]
    t.delete(alone[0])
    t.wait_running([late], 30, "RUNNING when a node is free")
    t.deployed_once(late)


@scenario("pinned-near")
def pinned_near(t):
    """A pinned VM runs on the NUMA node of its device (one/7408, one/7077)."""
    host = t.add_hosts(1, attributes=PINNED)[0]
    t.backend.report_hardware(host, gpu(1, node=0) + gpu(2, node=1) + numa())
    t.begin()
    vms = [t.running_vm("near%d" % i, more=pinned("CORE", 2) + wants()) for i in range(2)]
    for vm in vms:
        found = t.look(vm)
        node = "0" if found.devices == [address(1)] else "1"
        t.require(found.nodes == [node], "pinned to node %s, where its device is" % node, vm)
    t.deployed_once(*vms)


@scenario("huge-pages")
def huge_pages(t):
    """Pages of a node are counted; a VM may ask for a node, or leave it open (one/7366)."""
    host = t.add_hosts(1)[0]
    t.backend.report_hardware(host, numa(pages=512))
    t.begin()
    topology = 'VCPU = "1"\nTOPOLOGY = [ HUGEPAGE_SIZE = "2"%s ]\n'
    vms = [t.running_vm("here", memory=1024, more=topology % ', NODE_AFFINITY = "1"'),
           t.running_vm("any", memory=1024, more=topology % "")]
    t.require([t.look(vm).nodes for vm in vms] == [["1"], ["0"]], "one on each node", *vms)
    late = t.vm("late", memory=512, more=topology % "")
    plain = t.vm("plain", memory=1024)
    t.wait_running([plain], 20)
    t.wait_reason(late, 20, TOPOLOGY)
    t.delete(vms[0])
    t.wait_running([late], 30, "RUNNING when pages are free")
    t.deployed_once(plain)


@scenario("hardware-too-much")
def too_much(t):
    """A request beyond all measure gets a reason, and holds up nobody else's."""
    host = t.add_hosts(1)[0]
    t.backend.report_hardware(host, gpu(1))
    t.begin()
    odd = [(t.vm("many", more=100 * wants()), "more than 64 PCI devices"),
           (t.vm("wide", more=pinned("THREAD", 4000)), "more than 1024 CPUs")]
    vm = t.vm("gpu", more=wants())
    t.wait_running([vm], 30)
    for each, reason in odd:
        t.wait_reason(each, 20, reason)
        t.require(t.never_ran(each), "never placed", each)


@scenario("devices-mixed")
def devices_mixed(t):
    """Leases of all kinds with devices, cores and pages, for a minute, over deaths of the scheduler:
    nothing is in use twice, reservations begin in time, and everything is done in the end."""
    draw = random.Random(7)
    hosts = t.add_hosts(4, cores=16, memory=32768, attributes=[PINNED, PINNED, "", ""])
    for host in hosts:
        t.backend.report_hardware(host, gpu(1) + gpu(2, "1db6", node=1) + numa())
    t.begin()
    requests = [wants(), wants("1db6"), wants() + wants("1db6"), pinned("CORE", 2),
                pinned("THREAD", 4), pinned("CORE", 2) + wants(),
                'TOPOLOGY = [ HUGEPAGE_SIZE = "2" ]\n']
    ends, reserved = [], []
    for i in range(30):
        haizea = leased(draw.randint(5, 15), preemptible=draw.choice(["yes", "no"]))
        ends.append(t.vm("lease%d" % i, more=draw.choice(requests), haizea=haizea))
        if i % 6 == 5:
            vm = t.vm("ar%d" % i, more=draw.choice(requests[:6]),
                      haizea={"start": relative(45), "duration": clock(10)})
            reserved.append((vm, t.look(vm).submitted + 45))
        if i % 10 == 9:
            t.scheduler.kill()
            t.scheduler.start()
        t.pause(1)
    for vm, start in reserved:
        t.wait(60, "over or refused", lambda vm=vm: t.look(vm).ended or t.refused(vm), vm)
        began = t.began(vm)
        t.require(began is None or start - 1 <= began <= start + 10, "began in time", vm)
    t.wait(180, "all leases are over",
           lambda: all(t.look(vm).ended for vm in ends), *ends)
    t.unbroken(*ends)


@scenario("devices-drain")
def devices_drain(t):
    """VMs with GPUs leave a drained host, powered off meanwhile, also those of one lease with several
    VMs; who stays keeps its GPU, and who finds none is told."""
    first, second, third = t.add_hosts(3)
    for host in (first, second, third):
        t.backend.report_hardware(host, gpu(1))
    t.begin()
    pair = t.vms(2, "pair", more=wants(), requirements='ID="%d" | ID="%d"' % (first, second),
                 haizea=leased(600, group="g", group_size="2"))
    t.wait_running(pair, 40)
    for vm in pair:
        t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
    t.pause(3)
    moves, stays = sorted(pair, key=lambda vm: t.look(vm).host != first)
    said = json.loads(t.scheduler.ask("host", "drain", str(first), "--json"))["vms"]
    t.require(said[0]["what"] == "moves" and "powered off meanwhile" in said[0]["why"],
              "it is said: %s" % said)
    t.wait(60, "it has left", lambda: t.look(moves).running and t.look(moves).host == third, *pair)
    t.require(t.look(stays).host == second and t.look(moves).devices == [address(1)],
              "each with its GPU", *pair)
    t.pause(3)
    said = json.loads(t.scheduler.ask("host", "drain", str(third), "--json"))["vms"]
    t.require([vm["what"] for vm in said] == ["suspended"], "no GPU is free: %s" % said)
