"""What must hold in the end, VM by VM, and the figures of the run."""

import os
import re
import time

from endurance.work import DEADLINE, GROUP, IMMEDIATE, LEASE, ONE_RUN, PLAIN, RESERVATION
from kit.history import overlaps, written
from kit.scheduler import open_book
from kit.trial import ANYTHING

REPORTED = r"late|refus|reject|cannot|can't|denied|missed|passed|over|delay"
LATE = 6        # seconds after which a start is late
AFTER_OUTAGE = 15
TOGETHER = 15   # seconds within which the VMs of a group run
NOW = 15        # seconds within which an immediate lease runs
DISABLED_GRACE = 6
DELETE_RECREATE = 14  # an action in the history: what the VM had done is lost


class Judge:
    def __init__(self, trial, work, sampler, outages):
        self.t = trial
        self.work = work
        self.sampler = sampler
        self.outages = outages
        self.vms = {}
        self.boots, self.restores = driver_orders(trial.backend.driver_logs())
        self.events = book_events(trial.books())
        self.sent = sendings(trial.daemon_outputs())
        self.wrong = []     # (VM, text)
        self.figures = {}   # (kind, word) -> n
        self.lateness = []  # (seconds, VM, excused)
        self.overtime = []

    def run(self):
        for vm_id in self.work.item_of:
            self.vms[vm_id] = self.sampler.finished.get(vm_id) or self.t.look(vm_id)
        for item in self.work.items:
            if item.vms:
                self.item(item)
        self.hosts_disabled()
        return self.wrong

    def require(self, holds, vm, text):
        if not holds:
            self.wrong.append((vm.id, "%s [%s]" % (text, vm)))
        return holds

    def count(self, kind, word):
        self.figures[kind, word] = self.figures.get((kind, word), 0) + 1

    def told(self, item, *words):
        """Is one of these events in the lease's history?"""
        return any(event in words for event, _ in self.events.get(min(item.vms.values()), []))

    def excuse(self, start, until=0):
        """The end of the last outage around that time, or from it until another one; or None."""
        ends = [end for begin, end in self.outages
                if begin <= max(start, until) + LATE and end >= start - 10]
        return max(ends) if ends else None

    # --- one lease ---

    def item(self, item):
        vms = [self.vms[vm] for vm in item.vms.values()]
        self.count(item.kind, "asked for")
        for vm in vms:
            self.unbroken(vm)
            self.orders(item, vm)
        if item.deleted:
            self.count(item.kind, "deleted by users")
        elif item.kind == PLAIN:
            self.plain(vms[0])
        elif item.kind in (LEASE, GROUP):
            self.best_effort(item, vms)
        elif item.kind == DEADLINE:
            self.deadline(item, vms[0])
        elif item.kind == RESERVATION:
            self.reservation(item, vms)
        else:
            self.immediate(item, vms[0])

    def unbroken(self, vm):
        for i, record in enumerate(vm.history):
            self.require(record.sequence == i, vm, "record %d missing in the history" % i)
        for text in overlaps(self.written(vm)):
            self.require(False, vm, text)

    def written(self, vm):
        return written(vm.history) if self.outages else vm.history

    def orders(self, item, vm):
        """What the driver was told is what is in the history, and no more."""
        deployed = len(self.written(vm))
        recovered = self.sampler.recovered.get(vm.id, 0)
        records = deployed + recovered
        boots, restores = self.boots.get(vm.id, 0), self.restores.get(vm.id, 0)
        self.require(boots + restores <= records, vm,
                     "booted %d and restored %d times in %d records" % (boots, restores, records))
        if item.kind in ONE_RUN:
            self.require(boots <= 1 + recovered, vm, "booted %d times" % boots)
            self.require(deployed <= 1 + recovered + item.suspended.count(vm.id), vm,
                         "deployed %d times" % deployed)

    def plain(self, vm):
        self.count(PLAIN, "running" if vm.running else "not running")
        self.require(vm.running, vm, "a plain VM does not run")

    def best_effort(self, item, vms):
        for vm in vms:
            if not self.require(vm.done, vm, "a lease has not ended"):
                continue
            ran = ran_for(vm)
            self.require(ran >= item.duration - 2, vm,
                         "a lease ran %d of %d s" % (ran, item.duration))
            self.overtime.append((ran - item.duration, vm.id))
        self.count(item.kind, "done" if all(vm.done for vm in vms) else "not done")
        if item.kind == GROUP:
            self.together(item, vms)

    def together(self, item, vms):
        """All ran at once for as long as was asked for, and began at once or were sent at once: oned may take
        long to begin some of them."""
        at_once = seconds(at_one_time(map(runs, vms)))
        self.require(at_once >= item.duration - 2, vms[0],
                     "the VMs of a group ran together for %d of %d s" % (at_once, item.duration))
        began = [first_run(vm) for vm in vms]
        if not all(began):
            return
        sent = [self.first_sending(vm) for vm in vms]
        excuse = self.excuse(min(began), max(began))
        apart = max(began) - min(began)
        self.require(min(apart, max(sent) - min(sent)) <= TOGETHER or
                     (excuse and max(sent) <= excuse + TOGETHER), vms[0],
                     "the VMs of a group began %d s apart, and were sent %d s apart" % (
                         apart, max(sent) - min(sent)))

    def first_sending(self, vm):
        return self.sending(vm, next(record for record in vm.history if record.running))

    def deadline(self, item, vm):
        """Its time has run by the deadline, or its user is told."""
        by = vm.submitted + item.ahead
        if not first_run(vm):
            refused = item.refused or vm.message
            self.count(DEADLINE, "missed" if self.told(item, "missed") else "refused")
            self.require(re.search(REPORTED, refused, re.IGNORECASE) or
                         self.told(item, "refused", "missed"), vm,
                         "a lease with a deadline never ran and is not reported")
            return
        self.best_effort(item, [vm])
        late = vm.history[-1].ended - by
        if late > LATE:
            self.count(DEADLINE, "late")
            self.lateness.append((late, vm.id, bool(self.excuse(by))))
            self.require(self.told(item, "late", "missed", "restored", "taken-over") or
                         self.outages_since(vm.submitted), vm,
                         "a lease ended %d s after its deadline" % late)

    def outages_since(self, moment):
        return [begin for begin, until in self.outages if until >= moment]

    def reservation(self, item, vms):
        start = item.start or vms[0].submitted + item.ahead
        began = [first_run(vm) for vm in vms]
        if not any(began):
            refused = item.refused or vms[0].message
            self.count(RESERVATION, "missed" if self.told(item, "missed") else "refused")
            self.require(re.search(REPORTED, refused, re.IGNORECASE) or
                         self.told(item, "refused", "missed", "late"), vms[0],
                         "a reservation never ran and is not reported")
            return
        for vm, at in zip(vms, began):
            if self.require(at, vm, "one VM of a reservation never ran"):
                self.require(at >= start - 1, vm, "a reservation began %g s early" % (start - at))
                self.not_cut_short(vm, start + item.duration)
        self.punctual(item, vms[0], start, max(at or 0 for at in began), LATE)

    def punctual(self, item, vm, start, began, allowed):
        late, excuse = began - start, self.excuse(start)
        if late <= allowed:
            self.count(item.kind, "on time")
            return
        self.lateness.append((late, vm.id, bool(excuse)))
        if self.told(item, "late") or re.search(REPORTED, vm.message, re.IGNORECASE):
            self.count(item.kind, "late, reported")
        elif self.require(excuse and began <= excuse + AFTER_OUTAGE, vm,
                          "a %s began %g s late and nobody says so" % (item.kind, late)):
            self.count(item.kind, "late by an outage")

    def not_cut_short(self, vm, end):
        record = [record for record in vm.history if record.running][-1]
        stopped = record.stopped_running or record.ended
        self.require(stopped >= end - 2, vm, "ended %g s early" % (end - stopped))

    def immediate(self, item, vm):
        began = first_run(vm)
        if not began:
            self.count(IMMEDIATE, "refused")
            self.require(re.search(ANYTHING, item.refused or vm.message), vm,
                         "an immediate lease never ran and has no reason")
            return
        self.not_cut_short(vm, began + item.duration)
        self.punctual(item, vm, vm.submitted, began, NOW)

    # --- hosts ---

    def hosts_disabled(self):
        for host, since, until in self.work.disabled_times:
            for vm in self.vms.values():
                for record in vm.history:
                    sent = self.sending(vm, record)
                    if record.host == host and since + DISABLED_GRACE < sent < until - 1 and \
                            vm.id not in self.work.item_of[vm.id].suspended:
                        self.require(False, vm, "sent to host %d, which was disabled %d s before" %
                                     (host, sent - since))

    def sending(self, vm, record):
        """When the daemon sent the command that began the record: oned may begin it much later."""
        before = max((other.begun for other in vm.history if other.sequence < record.sequence),
                     default=0)
        return max((sent for sent in self.sent.get((vm.id, record.host), [])
                    if before < sent <= record.begun), default=record.begun)

    # --- figures ---

    def summary(self):
        lines = []
        for kind in (PLAIN, LEASE, GROUP, RESERVATION, IMMEDIATE, DEADLINE):
            words = {word: n for (of, word), n in self.figures.items() if of == kind}
            lines.append("%-12s %s" % (kind, ", ".join("%d %s" % (n, word)
                                                      for word, n in words.items())))
        events = {}
        for pairs in self.events.values():
            for event, _ in pairs:
                events[event] = events.get(event, 0) + 1
        lines.append("history      " + ", ".join(
            "%d %s" % (n, event) for event, n in sorted(events.items(), key=lambda p: -p[1])))
        for excused in (False, True):
            worst = max((late for late in self.lateness if late[2] == excused), default=None)
            if worst:
                lines.append("latest start %s: %d s (VM %d)" % (
                    "around an outage" if excused else "without an outage", *worst[:2]))
        if self.overtime:
            lines.append("overtime of leases: %.1f s on average, %d s at most (VM %d)" % (
                sum(over for over, _ in self.overtime) / len(self.overtime), *max(self.overtime)))
        return lines


def first_run(vm):
    return next((record.running for record in vm.history if record.running), 0)


def runs(vm):
    """When it ran, from and until, without that whose work is lost."""
    spans = []
    for record in vm.history:
        if record.action == DELETE_RECREATE:
            spans = []
        elif record.running:
            spans.append((record.running, record.stopped_running or record.ended))
    return spans


def at_one_time(all_spans):
    """What is in the spans of all."""
    first, *others = all_spans
    for spans in others:
        both = [(max(one[0], other[0]), min(one[1], other[1])) for one in first for other in spans]
        first = [(begin, end) for begin, end in both if begin < end]
    return first


def seconds(spans):
    return sum(end - begin for begin, end in spans)


def ran_for(vm):
    return seconds(runs(vm))


def driver_orders(paths):
    """How many times the drivers were told to boot and to restore each VM."""
    boots, restores = {}, {}
    for path in filter(os.path.exists, paths):
        with open(path, encoding="utf-8") as file:
            for words in map(str.split, file):
                if len(words) > 5 and words[1] == "vm" and words[5] == "begin":
                    orders = {"DEPLOY": boots, "RESTORE": restores}.get(words[2])
                    if orders is not None:
                        orders[int(words[3])] = orders.get(int(words[3]), 0) + 1
    return boots, restores


def sendings(outputs):
    """(VM, host) -> when the daemons sent commands for it there."""
    sent = {}
    for output in outputs:
        for when, vm, host in re.findall(r"^(\S+ \S+) VM (\d+): deploy on host (\d+) ", output,
                                         re.MULTILINE):
            sent.setdefault((int(vm), int(host)), []).append(
                time.mktime(time.strptime(when, "%Y-%m-%d %H:%M:%S")))
    return sent


def book_events(paths):
    """Lease -> its events; read from the daemons' own books."""
    events = {}
    for path in paths:
        with open_book(path) as book:
            for lease, event, text in book.execute(
                    "SELECT lease, event, text FROM event ORDER BY number"):
                events.setdefault(lease, []).append((event, text))
    return events
