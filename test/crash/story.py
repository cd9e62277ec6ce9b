"""What happens in every trial, and how it must end whatever goes wrong on the way.

Two hosts of 8 cores. `best` fills one of them, so the reservation, which needs a host of its own,
has to preempt it: the other host has a plain VM that nobody may disturb."""

import time

from cloud import CORES

RESERVED_AHEAD, RESERVED = 6, 4  # seconds, at the usual pace
LATE = 2                         # seconds after which a start must have been reported
PATIENCE = 25                    # seconds for a step, at the usual pace

# The leases: phase at the end, seconds that each VM runs, records of its history.
EXPECTED = {
    "best": ("ended", 12, 2),
    "plain": ("running", None, 1),
    "now": ("ended", 4, 1),
    "group": ("ended", 5, 1),
    "user": ("ended", 6, 2),
    "cancelled": ("ended", None, 1),
    "reserved": ("ended", RESERVED, 1),
    "refused": ("refused", 0, 0),
    "malformed": ("refused", 0, 0),
    "deadline": ("ended", 3, 1),
    "requested": ("ended", 3, 1),
}
FINAL = ("ended", "refused", "failed", "missed")
ROOM = ("ended", 5, 1)      # what was refused for it, if that is lost and asked again


class Failure(Exception):
    """The end is not what it must be."""


class Story:
    def __init__(self, cloud, daemon, watcher, galerna, pace=1):
        self.requested = False
        self.missed = ""  # the phase of the reservation, when no daemon was there to start it
        self.cancelled = None  # when that was asked for first
        self.pace = pace  # how many times longer everything takes: for slow machines
        self.oned = cloud.oned
        self.daemon = daemon
        self.watcher = watcher
        self.galerna = galerna
        self.vms = {}
        self.problems = []

    # --- words ---

    def make(self, name, cpu=1, memory=128, **terms):
        text = 'NAME = "%s"\nCPU = %d\nMEMORY = %d\n' % (name, cpu, memory)
        if terms:
            text += "HAIZEA = [ %s ]\n" % ", ".join(
                '%s = "%s"' % (key.upper(), value) for key, value in terms.items())
        vm = self.oned.allocate(text)
        self.vms.setdefault(name, []).append(vm)
        return vm

    def seconds(self, number):
        return "00:00:%02d" % (number * self.pace)

    def wait(self, what, test):
        patience = PATIENCE * self.pace
        end = time.monotonic() + patience
        while True:
            if self.daemon.failure:
                raise Failure(self.daemon.failure)
            answer = test()
            if answer:
                return answer
            if time.monotonic() > end:
                raise Failure("%s: not within %d s [%s]; %s" % (
                    what, patience, self.scene(), self.daemon.tail()))
            time.sleep(0.1)

    def scene(self):
        return "; ".join(str(vm) for _, vm in sorted(self.watcher.seen.items()))

    def found(self, vm):
        return self.watcher.seen.get(vm)

    def runs(self, vm):
        found = self.found(vm)
        return found is not None and found.running

    def done(self, vm):
        found = self.found(vm)
        return found is not None and found.done

    def is_missed(self, vm):
        """An acceptance that OpenNebula did not show yet may be lost with the store: then it is refused."""
        found = self.found(vm)
        message = found.message if found is not None and found.state == 2 else ""
        self.missed = ("missed" if "could not be started before" in message
                       else "refused" if "has passed" in message else "")
        return bool(self.missed)

    def expected(self, name):
        if self.missed and name == "refused" and self.daemon.takeovers and self.done(
                self.vms[name][0]):
            return ROOM
        return (self.missed, 0, 0) if self.missed and name == "reserved" else EXPECTED[name]

    # --- the story ---

    def play(self):
        best = self.make("best", cpu=CORES, duration=self.seconds(12), preemptible="yes")
        self.wait("best runs", lambda: self.runs(best))
        plain = self.make("plain")
        self.wait("plain runs", lambda: self.runs(plain))
        reserved = self.make("reserved", cpu=CORES, start="+" + self.seconds(RESERVED_AHEAD),
                             duration=self.seconds(RESERVED), preemptible="no")
        self.make("refused", cpu=CORES, start="now", duration=self.seconds(5))
        self.make("malformed", start="yesterday", duration=self.seconds(5))
        self.make("now", start="now", duration=self.seconds(4))
        for _ in range(2):
            self.make("group", duration=self.seconds(5), group="g", group_size=2)
        user = self.make("user", duration=self.seconds(6), preemptible="no")
        cancelled = self.make("cancelled", duration="00:05:00")
        self.wait("user runs", lambda: self.runs(user))
        self.oned.act("suspend", user, {5})
        self.wait("cancelled runs", lambda: self.runs(cancelled))
        self.wait("galerna lease cancel", lambda: self.cancel(cancelled))
        self.make("deadline", duration=self.seconds(3), start="best_effort",
                  deadline=clock(time.time() + 30 * self.pace))
        self.wait("galerna lease request", self.request)
        time.sleep(self.pace)
        self.oned.act("resume", user, {3})
        self.wait("the reservation is over", lambda: self.done(reserved) or self.is_missed(reserved))
        self.wait("every lease is over", self.is_over)

    def cancel(self, vm):
        """Again until it is answered: the daemon may be away, or die before it answers."""
        self.cancelled = self.cancelled or time.time()
        asked = self.daemon.ask(self.galerna, "lease", "cancel", str(vm))
        return asked.returncode == 0 or "already" in asked.stderr

    def request(self):
        """Through the daemon, which may be away, or die with the VM made and nothing said."""
        time.sleep(0.5 * self.pace)  # the watcher has seen what there is
        made = [vm.id for vm in self.watcher.seen.values() if vm.name == "requested"]
        if not made and not self.requested:
            asked = self.daemon.ask(self.galerna, "lease", "request", "--name", "requested",
                                    "--cpu", "1", "--memory", "128", "--wait", "0",
                                    "--duration", "%ds" % (3 * self.pace))
            self.requested = asked.returncode == 0  # it is on its way
        if not made:
            return False
        self.vms["requested"] = made
        self.oned.known = max(self.oned.known, made[-1] + 1)
        return True

    def phases(self):
        return {row["id"]: row for row in self.daemon.rows("SELECT * FROM lease")}

    def is_over(self):
        """The book is read when OpenNebula shows the end, and meanwhile to repeat what was lost."""
        ended = all(self.done(vm) for name, vms in self.vms.items() for vm in vms
                    if self.expected(name)[0] == "ended")
        if not ended and not self.daemon.takeovers:
            return False
        rows = self.phases()
        if self.daemon.takeovers:
            self.cancel_again(rows)
        return ended and all(self.is_as_expected(name, rows[vms[0]]) if vms[0] in rows
                             else self.was_over(name, vms) for name, vms in self.vms.items())

    def is_as_expected(self, name, lease):
        """What was refused is a VM on hold for a daemon that begins with nothing."""
        expected = self.expected(name)[0]
        return lease["phase"] == expected or (
            self.daemon.takeovers and expected in ("refused", "missed") and
            lease["phase"] == "parked")

    def was_over(self, name, vms):
        """A lease that ended before its store was lost."""
        state = {"ended": 6, "refused": 2, "missed": 2}.get(self.expected(name)[0])
        return self.daemon.takeovers and all(
            self.found(vm) and self.found(vm).state == state for vm in vms)

    def cancel_again(self, rows):
        """A cancellation that no VM shows yet is lost with the store: its user sees that."""
        for vm in self.vms.get("cancelled", []):
            if vm in rows and rows[vm]["phase"] not in FINAL + ("ending",):
                self.cancel(vm)

    # --- the end ---

    def require(self, holds, text):
        if not holds:
            self.problems.append(text)

    def judge(self):
        """All that is wrong with the end."""
        rows = self.phases()
        for name, vms in self.vms.items():
            lease = rows.get(vms[0])
            if not lease and not self.was_over(name, vms):
                self.problems.append("%s (VM %d) is not in the book" % (name, vms[0]))
                continue
            if lease:
                self.require(self.is_as_expected(name, lease), "%s is %s, not %s (%s)" % (
                    name, lease["phase"], self.expected(name)[0], lease["reason"]))
            self.require(len(vms) == 1 + (name == "group"), "%s has VMs %s" % (name, vms))
            for vm in vms:
                self.judge_vm(name, lease, self.oned.vm(vm))
        self.judge_reservation(rows)
        self.problems += self.watcher.violations
        checked = self.daemon.ask_trace(self.galerna)
        self.require(not checked, "the record is not sound: %s" % checked)
        return self.problems

    def judge_vm(self, name, lease, vm):
        phase, duration, records = self.expected(name)
        duration = duration and duration * self.pace
        ran = sum(record.stopped_running - record.running for record in vm.history
                  if record.running and record.stopped_running)
        if name == "best" and self.stays(vm):
            records = 1
        self.require(len(vm.history) == records, "VM %s has %d records of history, not %d" % (
            vm, len(vm.history), records))
        for i, record in enumerate(vm.history):
            self.require(record.sequence == i, "VM %s: record %d is missing" % (vm, i))
            if i + 1 < len(vm.history):
                self.require(0 < record.ended <= vm.history[i + 1].begun,
                             "VM %s: records %d and %d overlap" % (vm, i, i + 1))
        if phase == "running":
            self.require(vm.running, "VM %s does not run" % vm)
        elif phase == "ended":
            self.require(vm.done, "VM %s is not DONE" % vm)
            least, most = self.booked(name, vm, ran)
            says = lease["accumulated"] if lease else least
            self.require(least - 2 * self.pace <= says <= most + 2 * self.pace,
                         "VM %s ran %d s, %d to %d of them in its time, the book says %d" % (
                             vm, ran, least, most, says))
        else:
            untold = self.daemon.takeovers and vm.id not in self.watcher.told
            self.require(vm.state == 2 and (vm.message or untold),
                         "VM %s is not on hold with a reason" % vm)
        if duration and name != "reserved":
            self.require(duration - 1 <= ran <= duration + self.slack(),
                         "VM %s ran %d s, not %d" % (vm, ran, duration))

    def stays(self, best):
        """Did nothing have to make room? The reservation was missed, or began after its end."""
        if len(best.history) > 1 or "reserved" not in self.vms:
            return False
        reserved = self.oned.vm(self.vms["reserved"][0]).history
        return self.missed or (
            reserved and best.history[0].stopped_running <= reserved[0].running)

    def booked(self, name, vm, ran):
        """Seconds, at least and at most, that the book says: those in the lease's time. What a VM runs
        longer because the daemon is away, or dies with its cancellation, is not charged."""
        if name == "cancelled":
            return min(ran, self.cancelled - vm.history[0].running), ran
        if name == "reserved":
            end = vm.submitted + (RESERVED_AHEAD + RESERVED) * self.pace
            ran -= sum(max(0, record.stopped_running - max(end, record.running))
                       for record in vm.history if record.running)
        elif EXPECTED[name][1]:
            ran = min(ran, EXPECTED[name][1] * self.pace)
        return ran, ran

    def slack(self):
        """Seconds that a lease may run longer: a daemon that is away ends nothing."""
        return 2 * self.pace + sum(end - begin for begin, end in self.daemon.away())

    def judge_reservation(self, rows):
        if "reserved" not in self.vms:
            return  # the story did not come so far
        vm = self.oned.vm(self.vms["reserved"][0])
        lease = rows.get(vm.id)
        if self.missed:
            self.require(self.was_away(vm), "the reservation was missed, but galernad was there")
            return
        ran = [record for record in vm.history if record.running]
        if not ran:
            self.problems.append("the reservation did not run")
            return
        lease = lease or {"start": vm.submitted + RESERVED_AHEAD * self.pace,
                          "late": False}  # lost with the store, after its end
        start, began, ended = lease["start"], ran[0].running, ran[-1].stopped_running
        length = RESERVED * self.pace
        self.require(start == vm.submitted + RESERVED_AHEAD * self.pace, "the reservation was moved")
        self.require(began >= start - 1, "the reservation began %d s early" % (start - began))
        self.require(began <= start + LATE or lease["late"] or vm.id in self.watcher.late,
                     "the reservation began %d s late, not reported" % (began - start))
        self.require(ended >= start + length - 1, "the reservation was cut short by %d s" % (
            start + length - ended))
        self.require(ended <= start + length + self.slack(), "the reservation ran %d s over" % (
            ended - start - length))

    def was_away(self, vm):
        """Was there no daemon for long enough to start the reservation in its time? That takes a
        suspension, a boot, and the polls that show them."""
        start = vm.submitted + RESERVED_AHEAD * self.pace
        end, at, longest = start + RESERVED * self.pace, start, 0
        for begin, back in self.daemon.away():
            longest = max(longest, min(begin, end) - at)
            at = max(at, back)
        return max(longest, end - at) < (RESERVED - 1) * self.pace


def clock(moment):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))

