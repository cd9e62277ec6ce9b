#!/usr/bin/env python3
"""Kills galernad at every point, spoils every call, and expects the same end.

A story of eleven leases is played against the stand-in for OpenNebula: once undisturbed, which
tells the crash points, then with each disturbance in turn. Exits 0 only if all ended as they must.
README.md tells more."""

import argparse
import concurrent.futures
import os
import random
import shutil
import sys
import tempfile
import threading
import time
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "integration")]

# pylint: disable=wrong-import-position
from cloud import EMPTY, OLDER, SAME, Cloud, Daemon, Watcher
from kit.client import OnedError
from story import Failure, Story

FAULTS = {
    "drop-before": {"count": 2}, "drop-after": {"count": 2}, "truncate": {"count": 2},
    "garble": {"count": 2}, "error-500": {"count": 2}, "duplicate": {"count": 2},
    "delay": {"count": 3, "time": 1500}, "lose": {"count": 2},
}
EFFECTS = ["one.vm.deploy", "one.vm.action", "one.vm.update", "one.document.allocate",
           "one.document.update"]
LOOKS = ["one.vmpool.info", "one.vmpool.infoextended", "one.vmpool.infoset", "one.hostpool.info",
         "one.hostpool.monitoring", "one.zone.raftstatus", "one.datastorepool.info",
         "one.clusterpool.info", "one.userpool.info", "one.acl.info", "one.user.info",
         "one.documentpool.info",
         "one.system.version"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--galernad", required=True, metavar="PATH",
                        help="compiled with crash points")
    parser.add_argument("--galerna", required=True, metavar="PATH", help="for the stand-in")
    parser.add_argument("--version", choices=["6.10", "7.4"], default="7.4")
    parser.add_argument("--points", metavar="N", default="40",
                        help="so many crash points, spread, or 'all'")
    parser.add_argument("--kills", type=int, metavar="N", default=6,
                        help="trials with kills at random times")
    parser.add_argument("--faults", choices=["none", "some", "all"], default="some",
                        help="calls that fail")
    parser.add_argument("--takeovers", metavar="N", default="0",
                        help="so many points around writes to OpenNebula, chosen by the seed, or "
                             "'all': there a galernad with an empty store takes over")
    parser.add_argument("--seeds", type=int, default=0, metavar="N",
                        help="trials with up to three such points each, the first by --seed")
    parser.add_argument("--returns", type=int, default=0, metavar="N",
                        help="trials in which an older store comes back, the first by --seed")
    parser.add_argument("--only", metavar="TEXT", help="disturbances with this in their name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pace", type=int, default=1, choices=[1, 2, 3, 4],
                        help="times longer that the story takes, for slow or busy machines")
    parser.add_argument("--jobs", type=int, default=10, help="trials at once")
    parser.add_argument("--work", metavar="DIR", help="where logs go; default: a new directory")
    return parser.parse_args()


# --- disturbances: each is given the trial before the daemon starts ---

class Undisturbed:
    name = "undisturbed"

    def environment(self, directory):
        return {"GALERNA_CRASH_TRACE": os.path.join(directory, "trace")}

    def begin(self, trial):
        """Called when everything runs."""

    def end(self, trial):
        """Called before the end is judged. Returns what is to be said beside the verdict."""
        return ""


class Point(Undisturbed):
    """The daemon dies when it passes the point of that name for the nth time. What comes before may
    differ from story to story, so the point's number would tell little."""

    def __init__(self, what, nth):
        self.at = "%s:%d" % (what, nth)
        self.name = "%s-%d" % (what.replace(" ", "-"), nth)

    def environment(self, directory):
        return {"GALERNA_CRASH_AT": self.at}

    def end(self, trial):
        return "" if trial.daemon.crashes else "not reached"


class Takeover(Point):
    """The daemon dies at that point, and another one takes its place, with an empty store."""

    def __init__(self, what, nth):
        super().__init__(what, nth)
        self.name = "takeover-" + self.name

    def begin(self, trial):
        trial.daemon.starts = [(EMPTY, {})]


class Crashes(Undisturbed):
    """The daemon dies several times, each time at a point around a write to OpenNebula, and may be
    replaced by one with an empty store."""

    def __init__(self, seed, writes):
        dice = random.Random(seed)
        self.name = "seed-%d" % seed
        self.points = [dice.choice(writes)]
        self.points += [(name, dice.randint(1, 1 + nth // 2)) for name, nth in  # counted anew
                        dice.sample(writes, dice.randint(0, 2))]
        self.stores = [EMPTY if dice.random() < 0.5 else SAME for _ in self.points]

    def environment(self, directory):
        return {"GALERNA_CRASH_AT": "%s:%d" % self.points[0]}

    def begin(self, trial):
        after = [{"GALERNA_CRASH_AT": "%s:%d" % point} for point in self.points[1:]] + [{}]
        trial.daemon.starts = list(zip(self.stores, after))

    def end(self, trial):
        return "%d of %d points, %d takeovers" % (trial.daemon.crashes, len(self.points),
                                                  trial.daemon.takeovers)


class Returns(Crashes):
    """The store of the first crash comes back at the second: that of a front-end that was away while
    another one acted, or a backup."""

    def __init__(self, seed, writes):
        super().__init__(seed, writes)
        dice = random.Random("older %d" % seed)
        self.name = "older-%d" % seed
        self.points = [dice.choice(writes)]
        self.points += [(name, dice.randint(1, 1 + nth // 2)) for name, nth in
                        dice.sample(writes, dice.randint(1, 2))]
        self.stores = [dice.choice((SAME, EMPTY)), OLDER, dice.choice((SAME, EMPTY, OLDER))]

    def end(self, trial):
        return "%s, %d returns" % (super().end(trial), trial.daemon.returns)


class Kills(Undisturbed):
    """The daemon is killed at any time, several times."""

    def __init__(self, seed):
        self.name = "kills-%d" % seed
        self.random = random.Random(seed)

    def environment(self, directory):
        return {}

    def begin(self, trial):
        threading.Thread(target=self.run, args=(trial.daemon,), daemon=True).start()

    def run(self, daemon):
        for _ in range(5):
            if daemon.stopping.wait(self.random.uniform(0.5, 4)):
                return
            daemon.kill()

    def end(self, trial):
        return "%d kills" % trial.daemon.crashes


class Fault(Undisturbed):
    """Calls of a method fail in some way, then no more."""

    def __init__(self, kind, method):
        self.kind = kind
        self.method = method
        self.name = "%s-%s" % (kind, method)

    def environment(self, directory):
        return {}

    def prepare(self, cloud):
        cloud.fault(kind=self.kind, method=self.method, **FAULTS[self.kind])

    def end(self, trial):
        hits = trial.cloud.hits()
        trial.cloud.heal()
        return "" if hits else "not met"


def disturbances(options, trace):
    """What is tried, in an order that mixes the kinds."""
    chosen = [Point(*point) for point in points(options.points, trace)]
    chosen += [Takeover(*point) for point in takeovers(options.takeovers, options.seed, trace)]
    chosen += [Crashes(options.seed + i, writes(trace)) for i in range(options.seeds)]
    chosen += [Returns(options.seed + i, writes(trace)) for i in range(options.returns)]
    chosen += [Kills(options.seed + i) for i in range(options.kills)]
    kinds = list(FAULTS)
    if options.faults != "none":
        every = options.faults == "all"
        chosen += [Fault(kind, method) for method in EFFECTS[:None if every else 2]
                   for kind in kinds]
        chosen += [Fault(kind, method) for i, method in enumerate(LOOKS + EFFECTS[2:])
                   for j, kind in enumerate(kind for kind in kinds if kind != "lose")
                   if every and method in LOOKS or not every and j == i % (len(kinds) - 1)]
    return [one for one in chosen if not options.only or options.only in one.name]


def points(wanted, trace):
    """Names of crash points, and which pass: one of each name, the others at equal distances."""
    passes, places = [], {}
    for name in trace:
        places.setdefault(name, []).append(len(passes))
        passes.append((name, len(places[name])))
    if wanted == "all":
        return passes
    if wanted == "0":
        return []
    chosen = set()
    for numbers in places.values():
        chosen.add(numbers[len(numbers) // 2])
    spare = int(wanted) - len(chosen)
    chosen.update(len(trace) * i // (spare + 1) for i in range(1, spare + 1))
    return [passes[number] for number in sorted(chosen)]


WRITES = ("command", "message", "mark", "answer", "VM is made")


def writes(trace):
    """Points just before and after writes to OpenNebula."""
    return [point for point in points("all", trace)
            if point[0].endswith(WRITES) or point[0].split(" ")[0] in WRITES]


def takeovers(wanted, seed, trace):
    passes = writes(trace)
    if wanted == "all":
        return passes
    return random.Random(seed).sample(passes, min(int(wanted), len(passes)))


# --- trials ---

class Trial:
    """One story with one disturbance."""

    def __init__(self, options, disturbance, directory):
        if os.path.exists(os.path.join(directory, "story.txt")):
            shutil.rmtree(directory)  # of an earlier run
        os.makedirs(directory)
        self.cloud = self.daemon = self.watcher = None
        self.story = open(os.path.join(directory, "story.txt"), "w", encoding="utf-8")
        try:
            self.cloud = Cloud(options.galerna, directory, options.version)
            if hasattr(disturbance, "prepare"):
                disturbance.prepare(self.cloud)
            self.daemon = Daemon(options.galernad, directory, self.cloud,
                                 disturbance.environment(directory))
            self.watcher = Watcher(self.cloud.oned, self.story, period=0.4)
            self.daemon.start()
            self.watcher.start()
        except Exception:
            self.close()
            raise

    def close(self):
        if self.daemon:
            self.daemon.close()
        if self.watcher and self.watcher.is_alive():
            self.watcher.stop()
        if self.cloud:
            self.cloud.close()
        self.story.close()


def run_one(options, disturbance, directory):
    """(name, problems, note, seconds)"""
    began = time.monotonic()
    trial, note, problems = None, "", []
    try:
        trial = Trial(options, disturbance, directory)
        story = Story(trial.cloud, trial.daemon, trial.watcher, options.galerna, options.pace)
        disturbance.begin(trial)
        try:
            story.play()
        except (Failure, OnedError) as failure:
            problems.append(str(failure))
        trial.daemon.stop()
        trial.watcher.stop()
        note = disturbance.end(trial)
        problems += [trial.daemon.failure] if trial.daemon.failure else []
        problems += story.judge()
    except Exception as error:  # pylint: disable=broad-except
        problems.append("the trial broke: %r" % error)
        with open(os.path.join(directory, "traceback.txt"), "w", encoding="utf-8") as file:
            traceback.print_exc(file=file)
    finally:
        if trial:
            trial.close()
    return disturbance.name, problems, note, time.monotonic() - began


def tell(name, problems, note, seconds):
    print("%-44s %s %4.0f s  %s" % (name, "FAIL" if problems else "PASS", seconds,
                                    "; ".join(problems[:4]) or note), flush=True)


def main():
    options = arguments()
    options.galerna = os.path.abspath(options.galerna)
    options.galernad = os.path.abspath(options.galernad)
    work = os.path.abspath(options.work or tempfile.mkdtemp(prefix="galerna-crash-"))
    first = run_one(options, Undisturbed(), os.path.join(work, "undisturbed"))
    tell(*first)
    if first[1]:
        return 1
    with open(os.path.join(work, "undisturbed", "trace"), encoding="utf-8") as file:
        trace = file.read().splitlines()
    print("%d crash points of %d kinds" % (len(trace), len(set(trace))))
    failed = 0
    chosen = disturbances(options, trace)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(run_one, options, one, os.path.join(work, one.name)) for one in chosen]
        for run in concurrent.futures.as_completed(runs):
            failed += bool(run.result()[1])
            tell(*run.result())
    print("%d of %d failed; logs in %s" % (failed, len(chosen), work))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
