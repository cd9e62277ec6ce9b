#!/usr/bin/env python3
"""A federation of two real zones, each with one front-end: the slave zone is scheduled while its master
zone is there, cut off, back, and killed.

A VM is created every few seconds; a reservation and a deadline lease fall into the time in which the
master is away, and so does the loss of the store. With --minutes, the troubles come at random, those of
the slave zone's own oned and galernad as well. Prints how long VMs waited for their start.
Needs root. See README.md."""

import argparse
import contextlib
import os
import random
import signal
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
from kit.backend import Real, wait_for
from kit.client import OnedError
from kit.scheduler import Scheduler
from kit.trial import Failure, Trial, clock, local_time
from kit.zone import FrontEnd, Network
from real.one import found_federation

EVERY = 4     # seconds between two VMs
WAITED = 15   # seconds at most for the start of a VM
AHEAD, DURATION = 60, 20
OWN = 45      # seconds at most for what an outage of the slave zone's own daemons hits
DEAF, PROMISE_EVERY = 6, 45


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--source", required=True, metavar="TREE",
                        help="OpenNebula's source with oned and onemonitord built in it")
    parser.add_argument("--galernad", metavar="PATH", required=True, help="the daemon on trial")
    parser.add_argument("--seconds", type=int, default=120, help="of each phase, at least 90")
    parser.add_argument("--minutes", type=float, help="troubles at random for so long, instead of phases")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--work", metavar="DIR", help="where logs go; default: a new directory")
    return parser.parse_args()


class Federation(Real):
    """The backend is the slave zone; the master zone comes and goes."""

    def __init__(self, source, directory):  # pylint: disable=super-init-not-called
        self.directory = os.path.join(directory, "slave")
        self.network = Network(2)
        self.slave, self.master = (FrontEnd(source, os.path.join(directory, name), self.network, i)
                                   for i, name in enumerate(("slave", "master")))
        self.endpoint, self.auth_file = self.slave.endpoint, self.slave.auth_file
        try:
            self.found()
        except BaseException:
            self.close()
            raise

    def found(self):
        self.slave.lay_out()
        self.slave.start()
        self.slave.log_in()
        self.oned = self.slave.oned
        wait_for(self.answering, 30, "oned answers")
        self.oned.call("one.datastore.update", 0, 'TM_MAD = "dummy"', 1)
        self.write("ds/0", "total_mb=2000000 free_mb=1900000 used_mb=100000")
        self.slave.stop()
        self.master.lay_out()
        found_federation(self.master, self.slave)
        self.master.log_in()
        self.slave.start()
        self.master.start()
        wait_for(self.answering, 30, "oned answers")

    def federated(self):
        """The last index of the federated log that the slave zone has."""
        return int(self.oned.document("one.zone.raftstatus").findtext("FEDLOG_INDEX"))

    def close(self):
        for front_end in (self.slave, self.master):
            with contextlib.suppress(Exception):
                front_end.kill()
        self.network.close()


class FederationTrial(Trial):
    def __init__(self, options, backend, directory):
        super().__init__(backend, os.path.abspath(options.galernad), directory)
        self.options = options
        self.seconds = options.seconds
        self.phases = []  # (name, its VMs, records of the federated log)

    def begin(self):
        self.scheduler = Scheduler(self.galernad, self.directory, self.backend,
                                   prefix=self.backend.slave.prefix)
        self.sampler.start()
        self.scheduler.start()

    def phase(self, name):
        """VMs come, one after the other."""
        self.tell(name)
        vms, end, before = [], time.time() + self.seconds, self.backend.federated()
        while time.time() < end - WAITED:
            vms.append(self.vm("v%d" % len(vms), cpu=0.05, memory=16))
            self.pause(EVERY)
        self.wait_running(vms, 2 * WAITED)
        self.phases.append((name, vms, self.backend.federated() - before))
        print("%s %s, federated log %+d" % (time.strftime("%H:%M:%S"), self.waited(vms, name),
                                            self.phases[-1][2]), flush=True)

    def waited(self, vms, name):
        waits = sorted(self.began(vm) - self.look(vm).submitted for vm in vms)
        return "master %-12s %2d VMs started after %d s (median), %d s at most" % (
            name + ":", len(waits), statistics.median(waits), waits[-1])

    def promises(self):
        """A reservation and a deadline lease, for a time that is still to come."""
        self.start = int(time.time()) + self.seconds + AHEAD
        self.reserved = self.vm("reserved", cpu=4, haizea={
            "start": local_time(self.start), "duration": clock(DURATION)})
        self.by = self.start + 4 * DURATION
        self.deadline = self.vm("deadline", cpu=4, haizea={
            "deadline": local_time(self.by), "duration": clock(DURATION), "preemptible": "yes"})

    def judge_promises(self):
        late = self.began(self.reserved) - self.start
        over = self.look(self.deadline).history[-1].ended - self.by
        print("reservation began %+d s after its start, deadline lease ended %+d s after its deadline"
              % (late, over))
        self.require(0 <= late <= 6 and over <= 6, "both are kept", self.reserved, self.deadline)

    def lose_store(self):
        self.tell("kill -9, the store is deleted")
        self.scheduler.kill()
        for name in os.listdir(self.scheduler.state):
            if name.startswith("store."):
                os.unlink(os.path.join(self.scheduler.state, name))
        self.scheduler.start()

    def run(self):
        self.add_hosts(3)
        self.begin()
        if self.options.minutes:
            self.run_at_random()
            return
        self.promises()
        self.phase("there")
        self.backend.network.cut(self.backend.master.number, True)
        self.phase("cut off")
        self.judge_promises()
        self.backend.network.cut(self.backend.master.number, False)
        self.phase("back")
        self.promises()
        self.backend.master.kill()
        self.phase("killed")
        self.lose_store()
        self.phase("still killed")
        self.judge_promises()
        slowest = max(self.began(vm) - self.look(vm).submitted for _, vms, _ in self.phases for vm in vms)
        self.require(slowest <= WAITED, "a VM waited %d s" % slowest)
        self.require(not any(records for _, _, records in self.phases), "nothing is federated")

    # --- at random ---

    def trouble(self, what):
        """Until it is over, a generator: each step is a moment to wait for."""
        master, slave, network = self.backend.master, self.backend.slave, self.backend.network
        if what == "cut":
            network.cut(master.number, True)
            yield
            network.cut(master.number, False)
        elif what == "still":
            master.send(signal.SIGSTOP)
            yield
            master.send(signal.SIGCONT)
        elif what == "killed":
            master.kill()
            yield
            master.start()
        elif what == "store":
            self.lose_store()
            yield
        elif what == "galernad":
            self.scheduler.kill()
            self.scheduler.start()
            yield
        else:
            self.sampler.may_be_away = True
            slave.send(signal.SIGSTOP)
            self.pause(DEAF)
            slave.send(signal.SIGCONT)
            self.pause(EVERY)
            self.sampler.may_be_away = False
            yield

    def run_at_random(self):
        """Up to one trouble of the master zone and one of the slave zone at a time."""
        dice, end = random.Random(self.options.seed), time.time() + 60 * self.options.minutes
        kinds = (("cut", "still", "killed"), ("store", "galernad", "deaf"))
        now, due, done, own = [None, None], [0, time.time() + 20], [], []
        vms, reserved, deadlines, before = [], [], [], self.backend.federated()
        next_promise = 0
        while time.time() < end or now[0]:
            for i, names in enumerate(kinds):
                if time.time() < due[i] or time.time() > end and not now[i]:
                    continue
                if now[i]:
                    self.tell("over: %s" % now[i][0])
                    next(now[i][1], None)
                    now[i] = None
                else:
                    what = dice.choice(names)
                    done.append(what)
                    self.tell("trouble: %s" % what)
                    begun = time.time()
                    now[i] = (what, self.trouble(what))
                    next(now[i][1])
                    if i:
                        own.append((begun, time.time()))
                due[i] = time.time() + dice.uniform(20, 60)
            if time.time() > end:
                continue
            vms.append(self.vm("v%d" % len(vms), cpu=0.02, memory=16, haizea={
                "duration": clock(2 * DURATION), "preemptible": "no"}))
            if time.time() > next_promise:
                next_promise = time.time() + PROMISE_EVERY
                start = int(time.time()) + AHEAD
                reserved.append((start, self.vm("r%d" % len(reserved), cpu=4, haizea={
                    "start": local_time(start), "duration": clock(DURATION)})))
                deadlines.append((start + 6 * DURATION, self.vm("d%d" % len(deadlines), cpu=4, haizea={
                    "deadline": local_time(start + 6 * DURATION), "duration": clock(DURATION),
                    "preemptible": "yes"})))
            self.pause(EVERY)
        self.wait(AHEAD + 8 * DURATION, "all leases end", lambda: all(
            self.look(vm).done for vm in vms + [vm for _, vm in reserved + deadlines]))
        self.judge_random(vms, reserved, deadlines, own)
        federated = self.backend.federated() - before
        print("%d troubles: %s; federated log %+d" % (
            len(done), ", ".join("%d %s" % (done.count(k), k) for names in kinds for k in names), federated))
        self.require(not federated, "nothing is federated")

    def judge_random(self, vms, reserved, deadlines, own):
        def is_hit(begin, late):
            return any(begin - WAITED < after + WAITED and begin + late > first for first, after in own)

        wrong = []
        looks = {vm: self.look(vm) for vm in vms + [vm for _, vm in reserved + deadlines]}
        waits = sorted((self.began(vm) - looks[vm].submitted, vm) for vm in vms)
        lates = sorted((self.began(vm) - start, vm) for start, vm in reserved)
        overs = sorted((looks[vm].history[-1].ended - by, vm) for by, vm in deadlines)
        starts = {vm: start for start, vm in reserved}
        for late, vm in waits:
            if late > (OWN if is_hit(looks[vm].submitted, WAITED) else WAITED):
                wrong.append("VM %d waited %d s" % (vm, late))
        for late, vm in lates:
            if late < 0 or late > (OWN if is_hit(starts[vm], WAITED) else 6):
                wrong.append("reservation %d began %+d s after its start" % (vm, late))
        wrong += ["deadline lease %d ended %+d s after its deadline" % (vm, over) for over, vm in overs if over > 6]
        wrong += ["VM %d has %d records" % (vm, len(looks[vm].history)) for vm in vms + list(starts)
                  if len(looks[vm].history) != 1]
        print("%d VMs started after %d s (median), %d s at most" % (
            len(waits), statistics.median(late for late, _ in waits), waits[-1][0]))
        print("%d reservations began %d s (median), %d s at most after their start; %d deadline leases ended "
              "%+d s at most after their deadlines" % (
                  len(lates), statistics.median(late for late, _ in lates), lates[-1][0], len(overs), overs[-1][0]))
        self.require(not wrong, "; ".join(wrong))


def main():
    options = arguments()
    directory = os.path.abspath(options.work or tempfile.mkdtemp(prefix="galerna-federation-"))
    os.makedirs(directory, exist_ok=True)
    print("logs in %s" % directory, flush=True)
    trial, federation = None, Federation(options.source, directory)
    try:
        trial = FederationTrial(options, federation, directory)
        trial.run()
        print("PASS")
        return 0
    except (Failure, OnedError) as failure:
        print("FAIL %s" % failure)
        return 1
    finally:
        if trial:
            trial.close()
        federation.close()


if __name__ == "__main__":
    sys.exit(main())
