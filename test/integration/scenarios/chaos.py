"""Mixed work for three minutes while the scheduler, or OpenNebula too, is killed and started."""

import random
import re
import time

from kit.client import OnedError
from kit.registry import scenario
from kit.trial import Failure, clock

SECONDS = 180
PLAIN, LEASE, RESERVATION = "plain", "lease", "reservation"
LCM_INIT, RETRY, DELETE_RECREATE = 0, 2, 4
REPORTED = r"late|refus|reject|cannot|can't|could not|denied|missed|passed|over|delay"


class Chaos:
    def __init__(self, t, with_oned, seed):
        self.t = t
        self.with_oned = with_oned
        self.random = random.Random(seed)
        self.work = {}  # VM -> (kind, duration, start)
        self.deleted = set()
        self.recovered = set()  # (VM, LCM state)
        self.outages = []  # (from, until) of scheduler or OpenNebula
        self.next_work = self.next_blow = time.time() + 3

    def run(self):
        end = time.time() + SECONDS
        while time.time() < end:
            if time.time() >= self.next_work:
                self.try_work()
                self.next_work = time.time() + self.random.uniform(1.0, 3.0)
            if time.time() >= self.next_blow:
                self.blow()
                self.next_blow = time.time() + self.random.uniform(4, 18)
            self.t.pause(0.2)

    def try_work(self):
        try:
            self.add_work()
        except (OSError, OnedError) as error:
            self.t.tell("no work added: %s" % error)

    def add_work(self):
        kinds = [kind for kind, _, _ in self.work.values()]
        plain = [vm for vm, about in self.work.items()
                 if about[0] == PLAIN and vm not in self.deleted]
        choice = self.random.random()
        if choice < 0.12 and len(plain) > 3:
            vm = self.random.choice(plain)
            self.deleted.add(vm)
            self.t.delete(vm)
        elif choice < 0.35 and len(plain) < 10:
            self.work[self.t.vm("plain%d" % len(kinds))] = (PLAIN, 0, 0)
        elif choice < 0.7 and kinds.count(LEASE) < 30:
            duration = self.random.randint(10, 25)
            vm = self.t.vm("lease%d" % len(kinds), cpu=2, haizea={
                "start": "best_effort", "duration": clock(duration), "preemptible": "yes"})
            self.work[vm] = (LEASE, duration, 0)
        elif kinds.count(RESERVATION) < 20:
            ahead, duration = self.random.randint(20, 45), self.random.randint(8, 15)
            vm = self.t.vm("ar%d" % len(kinds), cpu=4, haizea={
                "start": "+" + clock(ahead), "duration": clock(duration)})
            self.work[vm] = (RESERVATION, duration, self.t.look(vm).submitted + ahead)

    def blow(self):
        """kill -9 and restart of the scheduler, or of OpenNebula."""
        begin = time.time()
        if self.with_oned and self.random.random() < 0.4:
            hard = self.random.random() < 0.5
            self.t.tell("OpenNebula %s" % ("killed" if hard else "stopped"))
            self.t.sampler.may_be_away = True
            self.t.backend.stop_oned(kill=hard)
            time.sleep(self.random.uniform(0, 4))
            self.t.backend.start_oned()
            time.sleep(1.5)
            self.t.sampler.may_be_away = False
        else:
            self.t.tell("scheduler killed")
            self.t.scheduler.kill()
            time.sleep(self.random.uniform(0, 3))
            self.t.scheduler.start()
        self.outages.append((begin, time.time()))

    # --- afterwards ---

    def recover_stuck(self):
        """An OpenNebula that was killed does not go on with what it had begun: its operator does as
        Galerna says."""
        for vm in self.t.all_vms().values():
            told = re.search(r"onevm recover --retry (\d+)", vm.message)
            if not told or vm.done or (vm.id, vm.lcm) in self.recovered:
                continue  # one that is DONE keeps its last message
            self.recovered.add((vm.id, vm.lcm))
            self.t.tell("operator recovers %s" % vm)
            self.t.oned.call("one.vm.recover", int(told.group(1)),
                             RETRY if vm.lcm != LCM_INIT else DELETE_RECREATE)

    def settle(self):
        """Until nothing is left to do."""
        t = self.t

        def settled():
            self.recover_stuck()
            pool = t.all_vms()
            return all(pool[vm].ended if kind == LEASE else
                       pool[vm].running or vm in self.deleted if kind == PLAIN else
                       pool[vm].ended or not pool[vm].active and time.time() > start + duration + 15
                       for vm, (kind, duration, start) in self.work.items())
        try:
            t.wait(200, "everything has ended that must", settled)
        except Failure:
            pass  # said below, VM by VM

    def judge(self):
        """All that is wrong in the end, one text each."""
        wrong, on_time = [], 0
        reservations = 0
        for vm, (kind, duration, start) in self.work.items():
            try:
                self.t.unbroken(vm)
                if kind == LEASE:
                    self.lease(vm, duration)
                elif kind == PLAIN and vm not in self.deleted:
                    self.t.require(self.t.look(vm).running, "a plain VM does not run", vm)
                    self.deployed_once(vm)
                elif kind == RESERVATION:
                    reservations += 1
                    on_time += self.reservation(vm, start)
            except Failure as failure:
                wrong.append(str(failure))
        if on_time * 2 < reservations:
            wrong.append("%d of %d reservations on time" % (on_time, reservations))
        self.t.tell("%d VMs, %d reservations, %d on time" % (len(self.work), reservations, on_time))
        return wrong

    def deployed_once(self, vm):
        if vm not in {recovered for recovered, _ in self.recovered}:
            self.t.deployed_once(vm)

    def lease(self, vm, duration):
        found = self.t.look(vm)
        self.t.require(found.ended, "a lease has not ended", vm)
        ran = sum((record.stopped_running or record.ended) - record.running
                  for record in found.history if record.running)
        self.t.require(ran >= duration - 2, "a lease ran %d of %d s" % (ran, duration), vm)

    def reservation(self, vm, start):
        """Whether it was on time; a Failure when it was not and nothing excuses it."""
        t, began = self.t, self.t.began(vm)
        message = t.look(vm).message
        if not began:
            t.require(re.search(REPORTED, message, re.IGNORECASE),
                      "a reservation never ran and is not reported", vm)
            return False
        self.deployed_once(vm)
        t.require(began >= start - 1, "a reservation began %g s early" % (start - began), vm)
        if began <= start + 6:
            return True
        if re.search(REPORTED, message, re.IGNORECASE):
            return False
        ends = [until for begin, until in self.outages if begin <= start + 6 and until >= start - 6]
        t.require(ends and began <= max(ends) + 15, "a reservation began %g s late" %
                  (began - start), vm)
        return False


def chaos(t, with_oned):
    t.settings = "stuck-after: 15"
    t.add_hosts(4, cores=8)
    t.begin()
    work = Chaos(t, with_oned, seed=int(time.time()))
    work.run()
    work.settle()
    wrong = work.judge()
    if wrong:
        raise Failure("%d wrong: %s" % (len(wrong), "; ".join(wrong[:6])))


@scenario("chaos-scheduler")
def chaos_scheduler(t):
    chaos(t, False)


@scenario("chaos-oned")
def chaos_oned(t):
    chaos(t, True)
