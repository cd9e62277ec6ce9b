"""One scenario at work: hosts, VMs, the scheduler, the sampler, and words to assert with."""

import os
import re
import time

from kit.backend import wait_for
from kit.client import ALL_STATES, OnedError
from kit.groups import role_text
from kit.history import overlaps
from kit.sampler import Sampler
from kit.scheduler import Scheduler

CAPACITY = r"capacit|cpu|cores?\b|memory|\bMB\b|\bGB\b|\bfits?\b|room|too (big|large)|enough"
REQUIREMENT = r"requirement|match|expression|syntax|pars"
REFUSAL = r"refus|reject|denied|deny|cannot|can't|can not"
ANYTHING = r"[A-Za-z]{3}"


class Failure(Exception):
    """The scenario does not hold."""


class Skip(Exception):
    """The scenario cannot be tried here."""


class Trial:
    def __init__(self, backend, galernad, directory, settings=()):
        self.backend = backend
        self.oned = backend.oned
        self.galernad = galernad
        self.directory = directory
        self.settings = "\n".join(settings)
        self.story = open(os.path.join(directory, "story.txt"), "a", encoding="utf-8")
        self.sampler = Sampler(self.oned, self.story)
        self.scheduler = None
        self.more_schedulers = []
        self.hosts = []
        self.groups = []

    def close(self):
        for scheduler in [self.scheduler] + self.more_schedulers:
            if scheduler:
                scheduler.clean_up()
        if self.sampler.is_alive():
            self.sampler.stop()
        self.story.close()

    # --- setting the scene ---

    def add_hosts(self, count, cores=8, memory=16384, attributes=""):
        """More hosts, monitored; attributes is a template, or a list with one for each."""
        for i in range(count):
            text = attributes if isinstance(attributes, str) else attributes[i]
            self.hosts.append(self.backend.add_host("h%d" % len(self.hosts), cores, memory, text))
        return self.hosts

    def begin(self):
        """Start the scheduler and the sampler."""
        self.scheduler = Scheduler(self.galernad, self.directory, self.backend, more=self.settings)
        self.sampler.start()
        self.scheduler.start()

    def tell(self, text):
        self.sampler.tell("-- " + text)

    def vm(self, name, cpu=1, memory=512, haizea=None, requirements=None, hold=False, more=""):
        """A new VM; haizea is a dictionary of the lease's attributes. Returns its id."""
        text = 'NAME = "%s"\nCPU = %g\nMEMORY = %d\n' % (name, cpu, memory)
        if haizea is not None:
            text += "HAIZEA = [ %s ]\n" % ", ".join(
                '%s = "%s"' % (key.upper(), value) for key, value in haizea.items())
        if requirements is not None:
            text += 'SCHED_REQUIREMENTS = "%s"\n' % requirements.replace('"', '\\"')
        return self.oned.call("one.vm.allocate", text + more, hold)

    def vms(self, count, name, **about):
        return [self.vm("%s%d" % (name, i), **about) for i in range(count)]

    def group(self, roles, rules=""):
        """A VM group whose rules are to be kept; roles: name -> (policy, further attributes)."""
        self.sampler.has_groups = True
        text = 'NAME = "g%d"\n' % len(self.groups) + rules
        for name, (policy, more) in roles.items():
            text += role_text(name, policy, **more)
        self.groups.append(self.oned.call("one.vmgroup.allocate", text))
        return self.groups[-1]

    def members(self, count, group, role, **about):
        """VMs with that role."""
        more = 'VMGROUP = [ VMGROUP_ID = "%d", ROLE = "%s" ]\n' % (group, role)
        return [self.vm("%s-%d" % (role, i), more=more, **about) for i in range(count)]

    def host_of(self, vm):
        return self.look(vm).host

    def running_vm(self, name, seconds=30, **about):
        vm = self.vm(name, **about)
        self.wait_running([vm], seconds)
        return vm

    def delete(self, vm):
        """oned refuses it until it has begun what it accepted before (LCM_INIT)."""
        def accepted():
            try:
                self.oned.action("terminate-hard", vm)
            except OnedError as error:
                if "wrong state" not in str(error):
                    raise
                return self.look(vm).done
            return True
        self.wait(5, "OpenNebula accepts the end of the VM", accepted, vm)

    # --- looking ---

    def look(self, vm):
        return self.oned.vm(vm)

    def check(self):
        """What must hold at any moment."""
        if self.sampler.violations:
            raise Failure("; ".join(self.sampler.violations[:3]))
        if self.scheduler and self.scheduler.left_by_itself():
            raise Failure("galernad exited by itself with %s: %s" % (
                self.scheduler.process.returncode, self.scheduler.tail()))

    def describe(self, vms):
        texts = []
        for vm in vms:
            try:
                texts.append(str(self.look(vm)))
            except (OSError, OnedError) as error:
                texts.append("%d: %s" % (vm, error))
        return "; ".join(texts)

    def require(self, holds, text, *vms):
        if not holds:
            raise Failure(text + (" [%s]" % self.describe(vms) if vms else ""))

    def wait(self, seconds, text, test, *vms):
        """Until test() holds, for that long at most; returns what test() answered."""
        end = time.monotonic() + seconds
        while True:
            self.check()
            answer = test()
            if answer:
                return answer
            if time.monotonic() > end:
                raise Failure("%s: not within %g s [%s]" % (text, seconds, self.describe(vms)))
            time.sleep(0.3)

    def throughout(self, seconds, text, test, *vms):
        """test() holds for that long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.check()
            self.require(test(), text, *vms)
            time.sleep(0.5)

    def pause(self, seconds):
        self.throughout(seconds, "", lambda: True)

    def pause_until(self, moment):
        self.pause(max(0, moment - time.time()))

    def all_vms(self):
        return self.oned.vms(ALL_STATES)

    def those_running(self, vms):
        pool = self.all_vms()
        return [vm for vm in vms if pool[vm].running]

    # --- the words of the acceptance ---

    def wait_running(self, vms, seconds, text="RUNNING"):
        self.wait(seconds, text, lambda: len(self.those_running(vms)) == len(vms), *vms)

    def wait_ended(self, vm, moment, text="ended"):
        self.wait(max(0.5, moment - time.time()), text, lambda: self.look(vm).ended, vm)

    def began(self, vm):
        """When oned says that the VM first ran, or None."""
        times = [record.running for record in self.look(vm).history if record.running]
        return times[0] if times else None

    def reason(self, vm, pattern=ANYTHING):
        message = self.look(vm).message
        return message if re.search(pattern, message, re.IGNORECASE) else None

    def wait_reason(self, vm, seconds, pattern=ANYTHING, text="a reason"):
        return self.wait(seconds, "%s (%s)" % (text, pattern), lambda: self.reason(vm, pattern), vm)

    def never_ran(self, vm):
        return not self.look(vm).history

    def refused(self, vm):
        found = self.look(vm)
        if found.history or not re.search(ANYTHING, found.message):
            return False
        return found.state == 2 or found.done or \
            found.pending and re.search(REFUSAL, found.message, re.IGNORECASE)

    def deployed_once(self, *vms):
        for vm in vms:
            found = self.look(vm)
            self.require(len(found.history) == 1, "deployed once, but has %d records" %
                         len(found.history), vm)
            told = self.backend.deploys(vm)
            self.require(told in (None, 1), "booted once, but the driver was told %s times" % told,
                         vm)

    def unbroken(self, *vms):
        """Every VM's history without gap in its numbers and without overlap in time."""
        for vm in vms:
            history = self.look(vm).history
            for i, record in enumerate(history):
                self.require(record.sequence == i, "record %d missing in the history" % i, vm)
            for text in overlaps(history):
                self.require(False, text, vm)

    def keeps_time(self, vm, start, duration, late=5):
        """Waits for the whole of a reservation and asserts that it is kept."""
        self.wait(max(0.5, start + late - time.time()), "RUNNING %g s after its start" % late,
                  lambda: self.began(vm), vm)
        began = self.began(vm)
        self.require(began >= start - 1, "began %g s early" % (start - began), vm)
        self.require(began <= start + late, "began %g s late" % (began - start), vm)
        self.wait_ended(vm, start + duration + 10, "ended within 10 s of its end")
        self.not_cut_short(vm, start + duration)

    def not_cut_short(self, vm, end):
        record = [record for record in self.look(vm).history if record.running][-1]
        stopped = record.stopped_running or record.ended
        self.require(stopped >= end - 2, "ended %g s early" % (end - stopped), vm)


def await_state(trial, vm, state, seconds=10):
    """What a user's own action leads to; a failure here is OpenNebula's, not the scheduler's."""
    wait_for(lambda: trial.look(vm).state == state, seconds, "VM %d in state %d" % (vm, state))


def local_time(moment):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))


def relative(seconds):
    return "+" + clock(seconds)


def clock(seconds):
    return "%02d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)
