#!/usr/bin/env python3
"""Mixed work for an hour while the daemon and OpenNebula are killed and started at random.

No VM may be lost or deployed twice, no host be over capacity, and every accepted reservation starts
on time or is reported. Prints figures; exits 0 only if all of that holds. See README.md."""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
from endurance.judge import Judge
from endurance.moving import (PIN_POLICY, PINNED_EVERY, SETTINGS, MovingJudge, MovingWork,
                              hardware)
from endurance.watch import GentleSampler, Scales
from endurance.work import DEADLINE, GROUP, IMMEDIATE, LEASE, PLAIN, RESERVATION, Work
from kit.backend import Real, Sandbox, wait_for
from kit.client import OnedError
from kit.scheduler import Scheduler
from kit.trial import Failure, Trial

CORES, MEMORY = 8, 16384  # of each host
RIGHTS = "\n[rights]\nmax-reservations: unlimited\nmax-cloud-time: unlimited\n"
SETTLE = 600  # seconds at most until the last lease has ended


def span(text):
    """"4-30" or "off"."""
    if text == "off":
        return None
    least, most = map(float, text.split("-"))
    return least, most


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--vms", type=int, default=1000, help="unfinished ones at a time")
    parser.add_argument("--backend", choices=["sandbox", "real"], default="sandbox")
    parser.add_argument("--version", choices=["6.10", "7.4"], default="6.10",
                        help="of the sandbox")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--oned", metavar="COMMAND",
                        help="for --backend real: with {directory}, {port} and {action} in it")
    parser.add_argument("--galernad", metavar="PATH", required=True, help="the daemon on trial")
    parser.add_argument("--galerna", metavar="PATH", required=True)
    parser.add_argument("--kill-daemon", type=span, default="4-30", metavar="SECONDS",
                        help="kill -9 and restart galernad so often, or off")
    parser.add_argument("--kill-oned", type=span, default="60-120", metavar="SECONDS",
                        help="stop or kill OpenNebula so often, or off")
    parser.add_argument("--rebalance", action="store_true",
                        help="VMs move, too: the cluster is rebalanced, hosts are drained, VMs have "
                        "devices and VM groups (endurance/moving.py)")
    parser.add_argument("--setting", action="append", metavar="LINE", default=[],
                        help="a line for [opennebula] of the configuration")
    parser.add_argument("--work", metavar="DIR", help="where logs go; default: a new directory")
    options = parser.parse_args()
    if options.backend == "real" and not options.oned:
        parser.error("--backend real needs --oned")
    return options


class Blows(threading.Thread):
    """Strikes one of the two at random times until told to stop.

    The thread stays: what it started would die with it (see kit/backend.py)."""

    def __init__(self, trial, every, seed, strike):
        super().__init__(daemon=True)
        self.trial = trial
        self.every = every
        self.random = random.Random(seed)
        self.strike = strike
        self.outages = []
        self.error = None
        self.stopping = threading.Event()
        self.stopped = threading.Event()

    def run(self):
        self.strike_often()
        self.stopped.set()
        threading.Event().wait()

    def strike_often(self):
        while not self.stopping.wait(self.random.uniform(*self.every)):
            begin = time.time()
            try:
                self.strike(self.trial, self.random)
            except Exception as error:  # pylint: disable=broad-except
                self.error = str(error) or repr(error)
                return
            self.outages.append((begin, time.time()))

    def stop(self):
        self.stopping.set()
        self.stopped.wait()


def strike_daemon(trial, dice):
    with trial.striking:
        trial.check_daemon()
        trial.tell("galernad killed")
        trial.scheduler.kill()
        time.sleep(dice.uniform(0, 3))
        trial.scheduler.start()


def strike_oned(trial, dice):
    hard = dice.random() < 0.5
    trial.tell("OpenNebula %s" % ("killed" if hard else "stopped"))
    trial.sampler.may_be_away = True
    trial.backend.stop_oned(kill=hard)
    trial.sampler.killed = time.time()
    time.sleep(dice.uniform(0, 4))
    trial.backend.start_oned()
    time.sleep(2)
    trial.sampler.may_be_away = False


class Soak(Trial):
    """A trial whose sampler is gentle and whose blows come by themselves."""

    sampler_kind = GentleSampler

    def __init__(self, options, backend, directory):
        super().__init__(backend, os.path.abspath(options.galernad), directory, options.setting)
        self.options = options
        self.sampler = self.sampler_kind(self.oned, self.story)
        self.sampler.has_groups = options.rebalance
        self.work = (MovingWork if options.rebalance else Work)(self.oned, self.sampler, options.vms,
                                                                options.seed)
        self.scales = None
        self.blows = []
        self.striking = threading.Lock()

    def prepare_hosts(self):
        names = ["h%d" % i for i in range(self.options.hosts)]
        for name in names:
            self.oned.call("one.host.allocate", self.backend.host_name(name, CORES, MEMORY),
                           "dummy", "dummy", -1)
        wait_for(lambda: sum(host.state == 2 and host.cpu == CORES * 100
                             for host in self.oned.hosts().values()) == len(names), 120,
                 "%d hosts monitored" % len(names))
        if self.options.rebalance:
            self.prepare_hardware()
            self.work.backend = self.backend
            self.settings += SETTINGS

    def prepare_hardware(self):
        """Hosts for pinned VMs are in a cluster of their own: OneDRS of 7.x refuses clusters with them."""
        pinned = self.oned.call("one.cluster.allocate", "pinned")
        self.oned.call("one.cluster.adddatastore", pinned, 0)
        for host in self.oned.hosts():
            self.backend.tell_hardware(host, hardware(CORES, MEMORY))
            if host % PINNED_EVERY == 0:
                self.oned.call("one.host.update", host, PIN_POLICY, 1)
                self.oned.call("one.cluster.addhost", pinned, host)

    def prepare(self):
        self.prepare_hosts()
        self.work.scheduler = self.scheduler = Scheduler(
            self.galernad, self.directory, self.backend, more=self.settings + RIGHTS)
        self.scales = Scales(self.scheduler, os.path.abspath(self.options.galerna),
                             os.path.join(self.directory, "scales.csv"))
        self.scheduler.start()
        self.sampler.start()
        self.scales.start()
        for every, strike in ((self.options.kill_daemon, strike_daemon),
                              (self.options.kill_oned, strike_oned)):
            if every:
                self.blows.append(Blows(self, every, self.options.seed + len(self.blows), strike))

    def run(self):
        end = time.time() + 60 * self.options.minutes
        for blows in self.blows:
            blows.start()
        next_line = time.time() + 60
        while time.time() < end:
            self.work.turn()
            self.check_blows()
            time.sleep(0.2)
            if time.time() > next_line:
                next_line += 60
                print(self.line(), flush=True)
        for blows in self.blows:
            blows.stop()
        self.check_blows()

    def check_blows(self):
        for blows in self.blows:
            if blows.error:
                raise Failure(blows.error)
        if self.striking.acquire(blocking=False):
            try:
                self.check_daemon()
            finally:
                self.striking.release()

    def check_daemon(self):
        if self.scheduler.left_by_itself():
            raise Failure("galernad exited by itself with %s: %s" % (
                self.scheduler.process.returncode, self.scheduler.tail()))

    def line(self):
        vms = list(self.sampler.seen.values())
        return "%s %d VMs, %d running, %d pending, %d stopped, %d over; %d violations" % (
            time.strftime("%H:%M:%S"), len(vms), sum(vm.running for vm in vms),
            sum(vm.pending for vm in vms), sum(vm.state == 4 for vm in vms),
            len(self.sampler.finished), len(self.sampler.violations))

    def settle(self):
        """No more work and no more blows: until all that can end has ended."""
        self.work.stop()
        end = time.time() + SETTLE
        while time.time() < end:
            self.work.turn()
            try:
                self.work.undo_due(everything=True)
            except (OSError, OnedError) as error:
                self.tell("not undone: %s" % error)
            self.check_blows()
            if self.work.idle() and not self.unsettled():
                break
            time.sleep(1)
        time.sleep(5)

    def look(self, vm):
        """As it was last seen if OpenNebula has lost it, or cannot read its records."""
        try:
            return super().look(vm)
        except OnedError as error:
            last = self.sampler.seen.get(vm) or self.sampler.lost.get(vm)
            if not last or "Error getting virtual machine" not in str(error):
                raise
            return last

    def unsettled(self):
        """VMs that have not come to what they must come to."""
        vms, finished = self.sampler.seen, self.sampler.finished
        left = []
        for vm_id, item in self.work.item_of.items():
            vm = vms.get(vm_id)
            if vm_id in finished or vm is None:
                continue
            if item.deleted or item.kind in (LEASE, GROUP, RESERVATION, IMMEDIATE, DEADLINE) or \
                    item.kind == PLAIN and not vm.running:
                left.append(vm)
        return left

    def books(self):
        """The stores of all daemons."""
        return [os.path.join(self.scheduler.state, "store.db")]

    def daemon_outputs(self):
        """What all daemons have logged."""
        return [self.scheduler.output()]

    def figures(self):
        """Lines about the daemon and what was done to it."""
        struck = [name for name, every in (("galernad", self.options.kill_daemon),
                                           ("OpenNebula", self.options.kill_oned)) if every]
        return self.scales.summary() + [
            "%s was killed or stopped %d times" % (name, len(blows.outages))
            for name, blows in zip(struck, self.blows)]

    def history(self, vm):
        item = self.work.item_of.get(vm)
        lease = min(item.vms.values()) if item else vm
        done = subprocess.run([self.options.galerna, "lease", "history", str(lease),
                               "--state-dir", self.scheduler.state], capture_output=True,
                              text=True, check=False)
        return done.stdout + done.stderr

    def more_wrong(self):
        """What the judge does not look at: (VM, text)."""
        return []

    def lost_by_opennebula(self, vms, text):  # pylint: disable=unused-argument
        """Why that is OpenNebula's own fault, or ""."""
        return ""

    def judge(self):
        """Prints all; returns how many violations there are."""
        outages = [outage for blows in self.blows for outage in blows.outages]
        judge = (MovingJudge if self.options.rebalance else Judge)(self, self.work, self.sampler,
                                                                    outages)
        found = [(named_vms(text), text) for text in self.sampler.violations]
        found += [({vm}, text) for vm, text in judge.run() + self.more_wrong()]
        violations = 0
        for vms, text in found:
            excuse = self.lost_by_opennebula(vms, text)
            violations += not excuse
            print("%s %s" % ("OPENNEBULA" if excuse else "VIOLATION", text))
            print("\n".join(map(self.history, sorted(vms)[:3])) + excuse)
        print("\n".join(judge.summary() + self.figures()))
        print(", ".join("%d %s" % (n, what) for what, n in sorted(self.work.deeds.items())))
        print("%d VMs recovered by the operator after oned was killed; %d looks, the slowest %.1f s"
              % (sum(self.sampler.recovered.values()), self.sampler.polls, self.sampler.slowest))
        return violations


def named_vms(violation):
    return {int(vm) for vm in re.findall(r"\b(\d+) '", violation)}


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    directory = os.path.abspath(options.work or tempfile.mkdtemp(prefix="galerna-soak-"))
    os.makedirs(directory, exist_ok=True)
    print("seed %d, logs in %s" % (options.seed, directory), flush=True)
    backend = Sandbox(options.galerna, directory, options.version) \
        if options.backend == "sandbox" else Real(options.oned, directory)
    soak = None
    try:
        if options.backend == "real":
            backend.slow("save", 1)
        soak = Soak(options, backend, directory)
        soak.prepare()
        soak.run()
        soak.settle()
        soak.scales.stop()
        violations = soak.judge()
    except Failure as failure:
        print("VIOLATION %s" % failure)
        violations = 1
    finally:
        for blows in soak.blows if soak else []:
            if blows.is_alive():
                blows.stop()
        if soak:
            soak.close()
        backend.close()
    print("%d violations" % violations)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
