#!/usr/bin/env python3
"""A federation of two real zones, each with one front-end: the slave zone is scheduled while its master
zone is there, cut off, back, and killed.

A VM is created every few seconds; a reservation and a deadline lease fall into the time in which the
master is away, and so does the loss of the store. Prints how long VMs waited for their start.
Needs root. See README.md."""

import argparse
import contextlib
import os
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


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--source", required=True, metavar="TREE",
                        help="OpenNebula's source with oned and onemonitord built in it")
    parser.add_argument("--galernad", metavar="PATH", required=True, help="the daemon on trial")
    parser.add_argument("--seconds", type=int, default=120, help="of each phase, at least 90")
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
