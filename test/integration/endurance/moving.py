"""Rebalancing under load: what operators and users add to the mixed work so that VMs have to move, and
what must hold then."""

import json
import re
import time

from endurance.judge import Judge
from endurance.work import LEASE, ONE_RUN, PLAIN, Work
from kit.groups import role_text

INTERVAL = 15       # seconds between plans
MOST_MOVES = 4      # of one plan
DEVICES = 2         # of each host
PINNED_EVERY = 5    # one host of these is for pinned VMs
DRAINED = 2         # hosts at a time
STOPPED, SUSPENDED, POWEROFF, UNDEPLOYED = 4, 5, 8, 9
OFF = {STOPPED: "stop", SUSPENDED: "suspend", POWEROFF: "poweroff", UNDEPLOYED: "undeploy"}
WEIGHTS = ["CPU_WEIGHT", "MEMORY_WEIGHT", "CPU_USAGE_WEIGHT", "NET_WEIGHT", "DISK_WEIGHT"]
SETTINGS = "\nrebalance-interval: %d" % INTERVAL
PIN_POLICY = 'PIN_POLICY = "PINNED"'
TOPOLOGY = 'VCPU = "2"\nTOPOLOGY = [ PIN_POLICY = "THREAD", HUGEPAGE_SIZE = "2" ]\n'
DEVICE = 'VENDOR = "10de", DEVICE = "20f1", CLASS = "0302"'


def hardware(cores, memory):
    """What a host has, as it reports it: devices; two NUMA nodes, half of the memory in pages."""
    devices = "".join(
        'PCI = [ ADDRESS = "0000:%02d:00:0", SHORT_ADDRESS = "%02d:00.0", DOMAIN = "0000", '
        'BUS = "%02d", SLOT = "00", FUNCTION = "0", TYPE = "10de:20f1:0302", %s ]\n'
        % (slot, slot, slot, DEVICE) for slot in range(1, DEVICES + 1))
    threads = "".join('CORE = [ NODE_ID = "%d", ID = "%d", CPUS = "%d,%d" ]\n' % (
        core * 2 // cores, core, core, core + cores) for core in range(cores))
    nodes = "".join('HUGEPAGE = [ NODE_ID = "%d", SIZE = "2048", PAGES = "%d" ]\n'
                    'MEMORY_NODE = [ NODE_ID = "%d", TOTAL = "%d", DISTANCE = "%d %d" ]\n' % (
                        node, memory // 8, node, memory * 512, node, 1 - node) for node in (0, 1))
    return devices + threads + nodes


class MovingWork(Work):
    """The mixed work; some VMs are in VM groups or have devices, users turn VMs off for a while, and
    operators drain hosts and change how the cluster is rebalanced."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.scheduler = self.backend = None
        self.group = []     # further members of the last VM group, as templates
        self.drained = {}   # host -> when the drain ends
        self.next_policy = 0

    def invent(self):
        super().invent()
        item, name, text, again = self.to_submit[-1]
        dice = self.random.random()
        if item.kind == PLAIN and dice < 0.4:
            text += self.membership()
        elif item.kind in (PLAIN, LEASE) and dice < 0.5:
            text += "PCI = [ %s ]\n" % DEVICE
        elif item.kind in (PLAIN, LEASE) and dice < 0.6:
            text += TOPOLOGY
        self.to_submit[-1] = (item, name, text, again)

    def membership(self):
        """Of the last group, until it has all its VMs: three together, or five apart."""
        if not self.group:
            policy, size = self.random.choice([("AFFINED", 3), ("ANTI_AFFINED", 5)])
            group = self.oned.call("one.vmgroup.allocate", 'NAME = "g%d"\n%s' % (
                len(self.items), role_text("r", policy)))
            self.group = size * ['VMGROUP = [ VMGROUP_ID = "%d", ROLE = "r" ]\n' % group]
        return self.group.pop()

    def do_due(self):
        super().do_due()
        if time.time() > self.next_policy:
            self.rebalance(self.random.choice(["balance", "balance", "pack"]) if self.adding
                           else "balance")
            self.next_policy = time.time() + self.random.uniform(60, 150)

    def rebalance(self, policy):
        weights = self.random.sample(WEIGHTS, 2)
        self.oned.call("one.cluster.update", 0, 'ONE_DRS = [ POLICY = "%s", AUTOMATION = "full", '
                       'HOST_MIGRATION_THRESHOLD = "%d", %s ]' % (policy, MOST_MOVES, ", ".join(
                           '%s = "0.5"' % weight for weight in weights)), 1)
        self.count("policies set", "operator sets %s by %s" % (policy, " and ".join(weights)))

    def stop(self):
        super().stop()
        self.next_policy = 0

    def undo_due(self, everything=False):
        super().undo_due(everything)
        for host, when in list(self.drained.items()):
            if when <= time.time() or everything:
                if self.scheduler.command("host", "undrain", str(host))[0] == 0:
                    self.drained.pop(host)

    def has_to_resume(self, vm):
        return vm.state in OFF

    def deed(self):
        deeds = [self.delete_plain, self.delete_waiting, self.suspend, self.turn_off, self.turn_off,
                 self.disable_host, self.drain, self.apply, self.work_hard, self.work_hard]
        self.random.choice(deeds)()

    def work_hard(self):
        """VMs use more or less than they requested."""
        vm = self.pick([PLAIN, LEASE], lambda vm: vm.running)
        if vm:
            self.backend.tell_use(vm.id, self.random.randrange(200),
                                  *(self.random.randrange(10000000) for _ in range(2)))
            self.count("changes of use", "the use of %s changes" % vm)

    def turn_off(self):
        vm = self.pick([PLAIN], lambda vm: vm.running)
        if vm and not any(vm.id == other for _, other, _ in self.to_resume):
            state = self.random.choice([STOPPED, POWEROFF, UNDEPLOYED])
            self.item_of[vm.id].suspended.append(vm.id)
            self.oned.action(OFF[state], vm.id)
            self.to_resume.append((time.time() + self.random.uniform(20, 90), vm.id,
                                   vm.history[-1].sequence))
            self.count("VMs turned off by users", "user does %s to %s" % (OFF[state], vm))

    def drain(self):
        hosts = [host for host in self.oned.hosts() if host not in self.disabled and
                 host not in self.drained]
        if len(self.drained) < DRAINED and hosts:
            host = self.random.choice(hosts)
            code, text = self.scheduler.command("host", "drain", str(host))
            if code == 0:
                self.drained[host] = time.time() + self.random.uniform(30, 90)
                self.count("hosts drained", "operator drains host %d: %s" % (host, text.strip()))

    def apply(self):
        """A plan that an operator asks for, or the one that is applied."""
        code, text = self.scheduler.command("host", "rebalance", "0", "--json")
        if code == 0:
            plan = json.loads(text)
            self.count("plans asked for", "operator's plan: %s" % plan["moves"])
            if len(plan["moves"]) > MOST_MOVES:
                self.sampler.violation("a plan moves %d VMs" % len(plan["moves"]))
        elif self.adding:
            self.count("plans refused", "no plan: %s" % text.strip())

    def idle(self):
        return super().idle() and not self.drained


class MovingJudge(Judge):
    """VMs may have moved: within the limits of plans, and no more often than the book says."""

    def run(self):
        self.limits()
        return super().run()

    def orders(self, item, vm):
        booted = self.boots.get(vm.id, 0)
        records = len(self.written(vm))
        orders = booted + self.restores.get(vm.id, 0)
        off = item.suspended.count(vm.id) + self.sampler.recovered.get(vm.id, 0)
        self.require(orders <= records, vm, "booted and restored %d times in %d records" %
                     (orders, records))
        if item.kind in ONE_RUN:
            self.require(booted <= 1 + off + self.moves_of(item, vm), vm, "booted %d times" % booted)
            self.require(records <= 1 + off + self.moves_of(item, vm), vm,
                         "has %d records, was off or recovered %d times and moved %d times" % (
                             records, off, self.moves_of(item, vm)))

    def moves_of(self, item, vm):
        """One that is under way at the end counts."""
        events = [event for event, text in self.events.get(min(item.vms.values()), [])
                  if event in ("moving", "moved", "move-failed") and text.startswith("VM %d " % vm.id)]
        return events.count("moved") + (events[-1:] == ["moving"])

    def limits(self):
        """Between two plans no VM moves twice for the first one, and no more VMs than it has."""
        allowed, moving = 0, set()
        with self.t.scheduler.book() as book:
            events = book.execute("SELECT event, text FROM event WHERE event IN ('rebalanced', "
                                  "'moving') ORDER BY number").fetchall()
        for event, text in events:
            if event == "rebalanced":
                allowed, moving = int(re.search(r": (\d+) VM", text).group(1)), set()
                self.count("plan", "applied")
                if allowed > MOST_MOVES:
                    self.sampler.violation("too many: %s" % text)
            elif "is rebalanced" in text:
                moving.add(text.split()[1])
                self.count("plan", "moves begun")
                if len(moving) > allowed:
                    self.sampler.violation("%d VMs of a plan for %d: %s" % (len(moving), allowed,
                                                                            text))
        for line in self.t.scheduler.output().splitlines():
            if "is not rebalanced" in line:
                self.sampler.violation(line)

    def summary(self):
        words = {word: n for (of, word), n in self.figures.items() if of == "plan"}
        return super().summary() + ["plans        " + ", ".join(
            "%d %s" % (n, word) for word, n in words.items())]
