"""Looks at OpenNebula every second and notes whatever must never be."""

import threading
import time

from kit.client import LCM_INIT, LCM_STATES, LCM_UNKNOWN, VM_STATES, OnedError
from kit.groups import broken_rules, read_groups

CPU_TOLERANCE = 0.001


def moves_now(vm):
    """oned has begun the record of the new host; devices and CPUs are those of the former one."""
    return vm.lcm == LCM_INIT or vm.running and not vm.history[-1].running


class Sampler(threading.Thread):
    """Runs until stop(); violations and the story of what changed are in its lists.

    `expected` is a set of (vm id, kind) that the scenario itself brings about."""

    def __init__(self, oned, story, period=1.0):
        super().__init__(daemon=True)
        self.oned = oned
        self.story = story
        self.period = period
        self.violations = []
        self.seen = {}
        self.polls = 0
        self.may_be_away = False
        self.has_groups = False  # rules of VM groups are to be kept
        self.expected = set()
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.wait(self.period):
            self.poll()

    def stop(self):
        self.stopping.set()
        self.join()

    def poll(self):
        try:
            hosts, vms = self.oned.hosts(), self.oned.vms()
            if any(vm.active and vm.history and vm.host not in hosts for vm in vms.values()):
                hosts = self.oned.hosts()  # one that was added between the two calls
            broken = broken_rules(read_groups(self.oned), hosts, vms) if self.has_groups else []
        except (OSError, OnedError) as error:
            if not self.may_be_away:
                self.violation("OpenNebula does not answer: %s" % error)
            return
        self.polls += 1
        self.judge(hosts, vms)
        for text in broken:
            self.violation(text)

    def violation(self, text):
        if text not in self.violations:
            self.violations.append(text)
            self.tell("VIOLATION " + text)

    def tell(self, text):
        self.story.write("%s %s\n" % (time.strftime("%H:%M:%S"), text))
        self.story.flush()

    def judge(self, hosts, vms):
        """One look: what is, and how it came from what was."""
        self.capacity(hosts, vms)
        self.units(vms)
        for vm in vms.values():
            self.state(hosts, vm)
            before = self.seen.get(vm.id)
            if before is None or str(before) != str(vm):
                self.tell(str(vm))
            if before is not None:
                self.change(before, vm)
        for vm_id, before in self.seen.items():
            if vm_id not in vms:
                self.violation("VM %s has vanished" % before)
        self.seen = vms

    def capacity(self, hosts, vms):
        cpu, memory = {}, {}
        for vm in vms.values():
            if vm.takes_capacity and vm.history:
                cpu[vm.host] = cpu.get(vm.host, 0) + vm.cpu * 100
                memory[vm.host] = memory.get(vm.host, 0) + vm.memory * 1024
        for host in hosts.values():
            on_it = [str(vm) for vm in vms.values() if vm.takes_capacity and vm.host == host.id]
            if cpu.get(host.id, 0) > host.cpu + CPU_TOLERANCE and ("cpu", host.id) not in self.expected:
                self.violation("host %s has %g of %g CPU in use by: %s" % (
                    host.name, cpu[host.id], host.cpu, "; ".join(on_it)))
            if memory.get(host.id, 0) > host.memory and ("memory", host.id) not in self.expected:
                self.violation("host %s has %d of %d KB in use by: %s" % (
                    host.name, memory[host.id], host.memory, "; ".join(on_it)))

    def units(self, vms):
        """No device and no pinned CPU of a host is in use twice."""
        users = {}
        for vm in vms.values():
            if not vm.takes_capacity or not vm.history or moves_now(vm):
                continue
            for unit in ["device " + address for address in vm.devices] + \
                    ["CPU " + cpu for cpu in vm.cpus]:
                other = users.setdefault((vm.host, unit), vm)
                if other is not vm:
                    self.violation("%s of host %d is in use by %s and %s" % (unit, vm.host, other,
                                                                              vm))

    def state(self, hosts, vm):
        if vm.state not in VM_STATES or vm.active and vm.lcm not in LCM_STATES:
            self.violation("VM %s is in a state with no name: %d/%d" % (vm, vm.state, vm.lcm))
        if vm.active and vm.lcm == LCM_UNKNOWN and (vm.id, "unknown") not in self.expected:
            self.violation("VM %s is in state UNKNOWN" % vm)
        if vm.active and not vm.history:
            self.violation("VM %s is active without a host" % vm)
        if vm.active and vm.history and vm.host not in hosts:
            self.violation("VM %s is active on a host that is gone" % vm)

    def change(self, before, vm):
        if before.done and not vm.done:
            self.violation("VM %s is back from DONE" % vm)
        was = before.history[-1] if before.history else None
        now = vm.history[-1] if vm.history else None
        if was and (not now or now.sequence < was.sequence):
            self.violation("history of VM %s went back from record %d" % (vm, was.sequence))
        elif was and now.sequence == was.sequence and now.host != was.host:
            self.violation("VM %s changed its host silently from %d" % (vm, was.host))
