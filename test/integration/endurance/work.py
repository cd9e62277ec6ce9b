"""The mixed work of an endurance run: what users ask for, and what they and operators do to it."""

import random
import time
from dataclasses import dataclass, field

from kit.client import ALL_BUT_DONE, OnedError
from kit.trial import clock, local_time

PLAIN, LEASE, GROUP = "plain", "lease", "group"
RESERVATION, IMMEDIATE, DEADLINE = "reservation", "immediate", "deadline"
ONE_RUN = (PLAIN, RESERVATION, IMMEDIATE)  # booted once, never stopped by the scheduler

PLAIN_SHARE = 0.3  # of all VMs
KINDS = [(LEASE, 0.66), (GROUP, 0.06), (RESERVATION, 0.16), (IMMEDIATE, 0.06), (DEADLINE, 0.06)]
SUBMITTED_PER_SECOND = 20
HOLD, SUSPENDED = 2, 5
NO_EFFECT = 120    # seconds until users take an accepted suspension for lost
AGAIN = 15         # seconds until they repeat an accepted resumption: a slow oned carries out both
REFUSED_KEPT = 20  # seconds until its user deletes a refused VM


@dataclass
class Item:
    """Something a user asked for: one VM, or the VMs of a group."""
    kind: str
    names: list
    duration: int = 0
    ahead: int = 0   # seconds from submission to start, or to the deadline
    start: int = 0   # 0: follows from ahead
    vms: dict = field(default_factory=dict)  # name -> id
    deleted: float = 0
    suspended: list = field(default_factory=list)  # VM ids, once for each time
    refused: str = ""
    held_since: float = 0

    @property
    def complete(self):
        return len(self.vms) == len(self.names)


class Work:
    """Keeps as many VMs alive as it is told, until stop."""

    def __init__(self, oned, sampler, target, seed):
        self.oned = oned
        self.sampler = sampler
        self.target = target
        self.random = random.Random(seed)
        self.items = []
        self.item_of = {}   # VM -> Item
        self.to_submit = []  # (item, name, template, again)
        self.to_delete = []
        self.to_resume = []  # (when, VM, its last record at the suspension)
        self.resumed = {}    # VM -> when that was accepted
        self.disabled = {}   # host -> when to enable it
        self.disabled_times = []  # [host, from, until]
        self.next_deed = time.time() + 30
        self.next_due = time.time()
        self.deeds = {}
        self.adding = True

    # --- one turn ---

    def turn(self):
        """What is due now. Calls that fail are made again later."""
        try:
            self.do_due()
        except (OSError, OnedError) as error:
            self.sampler.tell("-- not done: %s" % error)

    def do_due(self):
        self.submit_due()
        self.users_clean_up()
        self.undo_due()
        if self.adding and time.time() >= self.next_deed:
            self.next_deed = time.time() + self.random.uniform(1, 4)
            self.deed()

    def submit_due(self):
        budget = SUBMITTED_PER_SECOND * min(2.0, max(0.0, time.time() - self.next_due))
        if budget < 1:
            return
        self.next_due = time.time()
        for _ in range(int(budget)):
            if not self.to_submit:
                if not self.adding or self.alive() >= self.target:
                    return
                self.invent()
            item, name, template, again = self.to_submit[0]
            vm = self.find(name) if again else None
            if vm is None:
                self.to_submit[0] = (item, name, template, True)  # its answer may be lost
                vm = self.oned.call("one.vm.allocate", template, False)
            self.to_submit.pop(0)
            item.vms[name] = vm
            self.item_of[vm] = item

    def find(self, name):
        for vm in self.oned.vms(ALL_BUT_DONE).values():
            if vm.name == name:
                return vm.id
        return None

    def alive(self):
        return sum(vm not in self.sampler.finished for vm in self.item_of) + len(self.to_submit)

    # --- new work ---

    def invent(self):
        plain = sum(item.kind == PLAIN and not item.deleted for item in self.items)
        if plain < PLAIN_SHARE * self.target and self.random.random() < 0.6:
            kind = PLAIN
        else:
            kinds, weights = zip(*KINDS)
            kind = self.random.choices(kinds, weights)[0]
        number, dice = len(self.items), self.random
        name = "%s%d" % (kind, number)
        item = Item(kind, [name])
        lease, cpu = {}, 1.0
        if kind == PLAIN:
            cpu = dice.choice([0.5, 1])
        elif kind == RESERVATION:
            item.ahead, item.duration = dice.randint(60, 300), dice.randint(20, 90)
            cpu = dice.choice([2, 4, 8])
            lease["start"] = "+" + clock(item.ahead)
            if dice.random() < 0.5:
                item.start = int(time.time()) + item.ahead
                lease["start"] = local_time(item.start)
            if item.start and cpu < 8 and dice.random() < 0.4:
                item.names = ["%s-%d" % (name, i) for i in range(dice.randint(2, 3))]
        elif kind == IMMEDIATE:
            item.duration = dice.randint(20, 120)
            cpu = dice.choice([1, 2])
            lease["start"] = "now"
        elif kind == DEADLINE:
            item.duration = dice.randint(20, 90)
            item.ahead = item.duration + dice.randint(120, 400)
            cpu = dice.choice([1, 2])
            lease.update(deadline="+" + clock(item.ahead), preemptible="yes")
        else:
            item.duration = dice.randint(20, 300)
            cpu = dice.choice([0.5, 1, 1, 2])
            lease.update(start="best_effort", preemptible="yes")
            if kind == GROUP:
                item.names = ["%s-%d" % (name, i) for i in range(dice.randint(2, 6))]
        if len(item.names) > 1:
            lease.update(group=name, group_size=len(item.names))
        if item.duration:
            lease["duration"] = clock(item.duration)
        self.items.append(item)
        for each in item.names:
            text = 'NAME = "%s"\nCPU = %g\nMEMORY = %d\n' % (each, cpu, 512 * max(1, int(cpu)))
            if lease:
                text += "HAIZEA = [ %s ]\n" % ", ".join(
                    '%s = "%s"' % (key.upper(), value) for key, value in lease.items())
            self.to_submit.append((item, each, text, False))

    # --- what users and operators do ---

    def users_clean_up(self):
        """Who was refused deletes the VM after a while."""
        now, seen = time.time(), self.sampler.seen
        for vm in list(seen.values()):
            item = self.item_of.get(vm.id)
            if item is None or vm.state != HOLD:
                continue
            if not item.held_since:
                item.held_since, item.refused = now, vm.message
            elif now - item.held_since > REFUSED_KEPT:
                item.refused = vm.message or item.refused
                self.oned.action("terminate-hard", vm.id)

    def undo_due(self, everything=False):
        now = time.time()
        for vm in list(self.to_delete):
            if self.oned.vm(vm).done or self.accepted("terminate-hard", vm):
                self.to_delete.remove(vm)
        for when, vm, record in list(self.to_resume):
            if when <= now or everything:
                found = self.oned.vm(vm)
                if self.has_to_resume(found):
                    if now > self.resumed.get(vm, 0) + AGAIN and self.accepted("resume", vm):
                        self.resumed[vm] = now
                    continue  # until it is seen: an oned that is cut off may lose it
                if found.active and not found.running:
                    continue  # saving takes long, or until the operator recovers it
                if found.running and found.history[-1].sequence == record and now < when + NO_EFFECT:
                    continue  # oned accepted the suspension and has yet to begin it
                self.to_resume.remove((when, vm, record))
        for host, when in list(self.disabled.items()):
            if when <= now or everything:
                self.oned.call("one.host.status", host, 0)
                self.disabled.pop(host)
                for span in self.disabled_times:
                    if span[0] == host and not span[2]:
                        span[2] = now

    def accepted(self, action, vm):
        """Not while the VM boots, for example: the others are not to wait for that."""
        try:
            self.oned.action(action, vm)
        except OnedError as error:
            self.sampler.tell("-- not done: %s" % error)
            return False
        return True

    def has_to_resume(self, vm):
        return vm.state == SUSPENDED

    def deed(self):
        deeds = [self.delete_plain, self.delete_plain, self.delete_waiting, self.suspend,
                 self.suspend, self.disable_host]
        self.random.choice(deeds)()

    def pick(self, kinds, test):
        fitting = [vm for vm in list(self.sampler.seen.values())
                   if vm.id in self.item_of and self.item_of[vm.id].kind in kinds and
                   not self.item_of[vm.id].deleted and test(vm)]
        return self.random.choice(fitting) if fitting else None

    def count(self, what, text):
        self.deeds[what] = self.deeds.get(what, 0) + 1
        self.sampler.tell("-- " + text)

    def delete(self, vm, what):
        if vm:
            self.item_of[vm.id].deleted = time.time()
            self.count(what, "user deletes %s" % vm)
            self.to_delete.extend(self.item_of[vm.id].vms.values())

    def delete_plain(self):
        self.delete(self.pick([PLAIN], lambda vm: vm.running), "plain VMs deleted")

    def delete_waiting(self):
        self.delete(self.pick([LEASE, GROUP, RESERVATION], lambda vm: vm.pending and
                              self.item_of[vm.id].complete), "waiting leases deleted")

    def suspend(self):
        vm = self.pick([PLAIN, LEASE], lambda vm: vm.running)
        if vm and not any(vm.id == other for _, other, _ in self.to_resume):
            self.item_of[vm.id].suspended.append(vm.id)
            self.to_resume.append((time.time() + self.random.uniform(10, 40), vm.id,
                                   vm.history[-1].sequence))
            self.oned.action("suspend", vm.id)  # may come to pass although no answer comes
            self.count("VMs suspended by users", "user suspends %s" % vm)

    def disable_host(self):
        hosts = [host for host in self.oned.hosts() if host not in self.disabled]
        if len(self.disabled) < 5 and hosts:
            host = self.random.choice(hosts)
            self.oned.call("one.host.status", host, 1)
            self.disabled[host] = time.time() + self.random.uniform(20, 60)
            self.disabled_times.append([host, time.time(), 0])
            self.count("hosts disabled", "operator disables host %d" % host)

    def stop(self):
        """Nothing more; what users and operators changed for a while is undone at once."""
        self.adding = False

    def idle(self):
        return not self.to_submit and not self.to_delete and not self.to_resume and not self.disabled
