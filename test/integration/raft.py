#!/usr/bin/env python3
"""Mixed work in a Raft zone of three real oned with a galernad each, while the leader is troubled.

The leader's oned, its galernad or both are killed, its oned or both stand still, its network is cut, or one
galernad after the other is restarted, from an older version if there is one, at random.
At the end all stores are deleted at once. No VM may be deployed twice, no start be repeated in haste, no host
be over capacity, and every accepted reservation starts on time or is reported. Needs root. See README.md."""

import argparse
import glob
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
from endurance.watch import GentleSampler
from kit.client import OnedError
from kit.deposed import last_orders
from kit.raft_log import disputed_vms
from kit.scheduler import Scheduler
from kit.trial import Failure
from kit.zone import Zone
from soak import RIGHTS, Blows, Soak, span

STRIKES = ("oned", "galernad", "both", "deaf", "still", "cut", "restart")
GRACE = 5  # seconds until what a deposed galernad has sent counts as carried out
ACTS_SECONDS = 60  # until a galernad acts after an election
PAUSE = 10  # seconds until a start without effect is repeated for the second time (retry-backoff)
ACTS, START = "active beside the leader", r"VM \d+: deploy accepted"
SENT = r"VM \d+: [^:]*\(lease \d+: "
STARTS = re.compile(r"^(\S+ \S+) VM (\d+): deploy (on host \d+|accepted)", re.MULTILINE)
ACCEPTED = re.compile(r"^(\S+ \S+) VM (\d+): (deploy|stop|suspend) accepted", re.MULTILINE)
LOST = (r"vanished|back from DONE|went back from record|changed its host silently|records|record \d+ missing|"
        r"booted \d+ times|deployed \d+ times|never ran|does not run|has not ended|lease ran \d+ of|"
        r"ran together for \d+ of")
ORDERED = r"booted (\d+) and restored (\d+) times in (\d+) records"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--source", required=True, metavar="TREE",
                        help="OpenNebula's source with oned and onemonitord built in it")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--vms", type=int, default=1000, help="unfinished ones at a time")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--galernad", metavar="PATH", required=True, help="the daemon on trial")
    parser.add_argument("--galerna", metavar="PATH", required=True)
    parser.add_argument("--older", metavar="PATH",
                        help="the version of the daemon to begin with, until it is restarted")
    parser.add_argument("--strike", type=span, default="40-80", metavar="SECONDS",
                        help="between the end of one trouble and the next")
    parser.add_argument("--only", action="append", choices=STRIKES,
                        help="troubles to try; default: all")
    parser.add_argument("--setting", action="append", metavar="LINE", default=[],
                        help="a line for [opennebula] of the configuration")
    parser.add_argument("--work", metavar="DIR", help="where logs go; default: a new directory")
    parser.set_defaults(rebalance=False)
    return parser.parse_args()


class ZoneSampler(GentleSampler):
    def poll(self):
        try:
            self.oned.prove()
        except (OSError, OnedError) as error:
            self.tell("-- not looked: %s" % error)
            return
        super().poll()


class RaftSoak(Soak):
    """The endurance test in a zone; `schedulers` has the galernad of each front-end."""

    sampler_kind = ZoneSampler

    def __init__(self, options, zone, directory):
        super().__init__(options, zone, directory)
        self.zone = zone
        self.strikes = []  # (what, election; after it: oned writes, a galernad acts, first command)
        self.schedulers = []
        self.restarts = 0
        self.disputed = {}  # VM -> what OpenNebula's front-ends do not agree on
        self.late = {}  # VM -> which starts oned carried out when another front-end led
        self.last_orders = {}  # VM -> what an oned ordered that could not record it any more

    def prepare(self):
        self.prepare_hosts()
        for front_end in self.zone.front_ends:
            name = "galernad%d" % front_end.number
            directory = os.path.join(self.directory, name)
            os.makedirs(directory)
            self.schedulers.append(Scheduler(
                os.path.abspath(self.options.older or self.galernad), directory, front_end,
                name=name, prefix=front_end.prefix,
                more="%s\npromise-key: %s\n%s" % (self.settings, self.zone.key, RIGHTS)))
        self.scheduler, *self.more_schedulers = self.schedulers
        for scheduler in self.schedulers:
            scheduler.start()
        self.sampler.start()
        self.blows.append(Blows(self, self.options.strike, self.options.seed, strike))

    def check_daemon(self):
        for scheduler in self.schedulers:
            if scheduler.left_by_itself():
                raise Failure("%s exited by itself with %s: %s" % (
                    scheduler.name, scheduler.process.returncode, scheduler.tail()))

    def count(self, pattern):
        """How often each galernad has logged that."""
        return [len(re.findall(pattern, output)) for output in self.daemon_outputs()]

    def sent_twice(self):
        """VMs with more starts, by all galernad, than history records. One that had no effect, since
        OpenNebula lost it, is sent again."""
        sent, again = Counter(), Counter()
        for output in self.daemon_outputs():
            sent.update(map(int, re.findall(r"VM (\d+): deploy accepted", output)))
            again.update(map(int, re.findall(r"VM (\d+) of .* had no effect; deploy is sent again", output)))
        vms = {**self.sampler.seen, **self.sampler.finished}
        return [(vm, "VM %s has %d records, but %d starts were sent" % (vm, len(records), n))
                for vm, n in sent.items() if vm in vms
                for records in [self.records(vms[vm])] if n > len(records) + again[vm]]

    def go_on(self, scheduler, front_end):
        """Its clock stood still while another front-end was elected: what it was about to send, and
        what its picture of OpenNebula asks for, must not leave."""
        before = self.count(SENT)[front_end.number]
        scheduler.process.send_signal(signal.SIGCONT)
        for _ in range(10):
            time.sleep(0.5)
            if self.zone.leader() is front_end:
                return  # elected anew
        sent = self.count(SENT)[front_end.number] - before
        if sent:
            self.sampler.violation("%s sent %d commands after it had stood still" % (
                scheduler.name, sent))

    def records(self, vm):
        return vm.history if vm.done else self.look(vm.id).history

    def books(self):
        return sorted(path for scheduler in self.schedulers
                      for path in glob.glob(os.path.join(scheduler.state, "**", "store.db"),
                                            recursive=True))

    def daemon_outputs(self):
        return [scheduler.output() for scheduler in self.schedulers]

    def restart(self):
        """The next galernad in turn, in good order, with the version on trial."""
        scheduler = self.schedulers[self.restarts % len(self.schedulers)]
        self.restarts += 1
        if scheduler.terminate(10) != 0:
            raise Failure("%s does not end: %s" % (scheduler.name, scheduler.tail()))
        scheduler.program = self.galernad
        scheduler.start()
        return scheduler

    def lose_stores(self):
        """All at once. They are kept aside: what they tell is judged."""
        with self.striking:
            self.tell("all stores are deleted")
            begin = time.time()
            for scheduler in self.schedulers:
                scheduler.kill()
            for scheduler in self.schedulers:
                aside = os.path.join(scheduler.state, "before")
                os.makedirs(aside)
                for path in glob.glob(os.path.join(scheduler.state, "store.*")):
                    shutil.move(path, aside)
                scheduler.start()
            self.blows[0].outages.append((begin, time.time() + ACTS_SECONDS / 2))

    def more_wrong(self):
        self.disputed = disputed_vms([front_end.path("var", "one.db")
                                      for front_end in self.zone.front_ends])
        print("OpenNebula's front-ends do not agree on %d VMs" % len(self.disputed))
        self.late = late_starts(self.daemon_outputs())
        print("%d VMs were started long after oned was told to: %s" % (len(self.late), self.late))
        self.last_orders = last_orders([front_end.path("var", "oned.log")
                                        for front_end in self.zone.front_ends], self.zone.driver_logs())
        return self.sent_twice() + hurried_starts(self.daemon_outputs())

    def lost_by_opennebula(self, vms, text):
        """A VM of which the front-ends do not have the same records may look as if it had never been, or were
        in an older state. One of these, or one that an oned starts long after it was told to, may be on a host
        whose room galernad gave away. An oned that is deposed may order what it cannot record. Nothing else is
        forgiven."""
        items = [self.work.item_of[vm] for vm in vms if vm in self.work.item_of]  # the answer may have been lost
        mates = vms.union(*(item.vms.values() for item in items))
        ordered = re.search(ORDERED, text)
        if ordered:
            boots, restores, records = map(int, ordered.groups())
            why = self.evidence(vms, self.last_orders)
            return "\n".join(why if len(why) >= boots + restores - records else
                             self.evidence(vms, self.disputed))
        if " in use by: " in text:
            return "\n".join(self.evidence(vms, self.late) + self.evidence(vms, self.disputed))
        return "\n".join(self.evidence(mates, self.disputed)) if re.search(LOST, text) else ""

    @staticmethod
    def evidence(vms, reasons):
        return ["VM %d: %s" % (vm, why) for vm in sorted(vms) for why in reasons.get(vm, [])]

    def figures(self):
        lines = ["%-9s election %5s s; after it: oned accepts writes %5s s, a galernad acts %5s s, "
                 "first command %5s s" % (what, *("%.1f" % at if at >= 0 else "-" for at in times))
                 for what, *times in self.strikes]
        return lines + ["starts by each galernad: %s" % self.count(START)]


def late_starts(outputs):
    """VM -> starts that oned answered so long after they were sent that another galernad may have acted."""
    late = {}
    for output in outputs:
        sent = {}
        for when, vm, rest in STARTS.findall(output):
            moment = time.mktime(time.strptime(when, "%Y-%m-%d %H:%M:%S"))
            if rest != "accepted":
                sent[vm] = (moment, rest)
            elif moment - sent.get(vm, (moment, ""))[0] > GRACE:
                late.setdefault(int(vm), []).append("deploy %s accepted %d s after it was sent, at %s" % (
                    sent[vm][1], moment - sent[vm][0], when))
    return late


def hurried_starts(outputs):
    """Of VMs that one galernad started three times within the pause, and has not suspended meanwhile:
    (VM, text). OpenNebula may lose the first start, not the pause."""
    hurried = {}
    for output in outputs:
        accepted = {}
        for when, vm, what in ACCEPTED.findall(output):
            times = accepted.setdefault(int(vm), [])
            if what != "deploy":
                times.clear()
                continue
            times.append(time.mktime(time.strptime(when, "%Y-%m-%d %H:%M:%S")))
            if len(times) > 2 and times[-1] - times[-3] < PAUSE - 1:
                hurried[int(vm)] = "VM %s was started three times within %d s, the last time at %s" % (
                    vm, times[-1] - times[-3], when)
    return list(hurried.items())


def next_line(soak, number, before):
    """When the galernad of that front-end logs again what it had logged so often, a pair of a pattern
    and the counts; at most in ACTS_SECONDS, 0: it did not (another one may have been elected)."""
    pattern, counts = before
    for _ in range(ACTS_SECONDS * 5):
        if soak.count(pattern)[number] > counts[number]:
            return time.time()
        time.sleep(0.2)
    return 0


def strike(soak, dice):
    """One trouble, until all is well again."""
    what = dice.choice(soak.options.only or STRIKES)
    with soak.striking:
        soak.check_daemon()
        zone, sampler = soak.zone, soak.sampler
        leader = zone.wait_leader()
        scheduler = soak.schedulers[leader.number]
        soak.tell("%s of one%d" % (what, leader.number))
        begun = time.time()
        before = [(pattern, soak.count(pattern)) for pattern in (ACTS, SENT)]
        if what == "restart" and soak.restart() is not scheduler:
            return
        sampler.may_be_away = True
        if what in ("galernad", "both"):
            scheduler.kill()
        if what in ("oned", "both"):
            zone.kill_oned(leader)
            sampler.killed = time.time()
        elif what in ("deaf", "still"):
            if what == "still":
                scheduler.process.send_signal(signal.SIGSTOP)
            zone.deafen(leader, True)
        elif what == "cut":
            zone.cut(leader, True)
        now_leads = leader
        if what not in ("galernad", "restart"):
            now_leads = zone.wait_leader(but=leader)
            sampler.killed = time.time()  # its drivers begin with nothing
            soak.tell("one%d leads" % now_leads.number)
        if what == "galernad":
            time.sleep(dice.uniform(0, 4))
            scheduler.start()
        times = [next_line(soak, now_leads.number, one) for one in before]
        elected, writes = (max(at, begun) for at in now_leads.elected())
        soak.strikes.append((what, elected - begun, *(at - elected for at in (writes, *times))))
        time.sleep(dice.uniform(0, 10))
        if what in ("oned", "both"):
            leader.start()
        elif what in ("deaf", "still"):
            zone.deafen(leader, False)
            if what == "still":
                soak.go_on(scheduler, leader)
        elif what == "cut":
            zone.cut(leader, False)
        if what == "both":
            scheduler.start()
        time.sleep(3)
        zone.wait_leader()
        sampler.may_be_away = False


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    directory = os.path.abspath(options.work or tempfile.mkdtemp(prefix="galerna-raft-"))
    os.makedirs(directory, exist_ok=True)
    print("seed %d, logs in %s" % (options.seed, directory), flush=True)
    zone = Zone(options.source, directory)
    soak = None
    try:
        zone.slow("save", 1)
        soak = RaftSoak(options, zone, directory)
        soak.prepare()
        soak.run()
        soak.lose_stores()
        soak.settle()
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
        zone.close()
    print("%d violations" % violations)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
