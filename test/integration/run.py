#!/usr/bin/env python3
"""Runs the scenarios: galernad against an OpenNebula, each scenario with one of its own.

Prints a line for each: name, PASS, FAIL or SKIP with the reason, seconds. Exits 0 only if nothing
failed. See README.md."""

import argparse
import concurrent.futures
import ctypes
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position,unused-import
from kit.backend import Missing, Real, Sandbox
from kit.registry import SCENARIOS
from kit.trial import Failure, Skip, Trial
import scenarios.placement
import scenarios.devices
import scenarios.networks
import scenarios.isolation
import scenarios.reservations
import scenarios.queue
import scenarios.unused
import scenarios.users
import scenarios.hosts
import scenarios.moves
import scenarios.drains
import scenarios.bookings
import scenarios.rebalancing
import scenarios.changes
import scenarios.life
import scenarios.promises
import scenarios.vmgroups
import scenarios.chaos


PR_SET_PDEATHSIG = 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--list", action="store_true", help="name the scenarios")
    parser.add_argument("--only", action="append", metavar="NAME", default=[],
                        help="this one; may be repeated")
    parser.add_argument("--skip", action="append", metavar="NAME", default=[], help="not this one")
    parser.add_argument("--no-extra", action="store_true", help="not those named extra-*")
    parser.add_argument("--galernad", metavar="PATH", help="the daemon on trial")
    parser.add_argument("--backend", choices=["sandbox", "real"], default="sandbox")
    parser.add_argument("--galerna", metavar="PATH", help="for the sandbox")
    parser.add_argument("--version", choices=["6.10", "7.4"], default="6.10",
                        help="of the sandbox")
    parser.add_argument("--oned", metavar="COMMAND",
                        help="for --backend real: with {directory}, {port} and {action} in it")
    parser.add_argument("--setting", action="append", metavar="LINE", default=[],
                        help='a line for [opennebula] of the configuration, as "enforce: no"')
    parser.add_argument("--jobs", type=int, default=4, help="scenarios at once")
    parser.add_argument("--once-more", action="store_true",
                        help="try those that failed again, one at a time: on a busy machine the "
                             "scenarios' own clocks are late; both outcomes are printed")
    parser.add_argument("--repeat", type=int, default=1, help="each so many times")
    parser.add_argument("--work", metavar="DIR",
                        help="where logs go, and replace those of an earlier run; default: a new one")
    options = parser.parse_args()
    if not options.list:
        if not options.galernad:
            parser.error("--galernad is missing")
        needed = "galerna" if options.backend == "sandbox" else "oned"
        if not getattr(options, needed):
            parser.error("--backend %s needs --%s" % (options.backend, needed))
    for name in options.only + options.skip:
        if name not in SCENARIOS:
            parser.error("no scenario is called %s" % name)
    return options


def make_backend(options, directory):
    if options.backend == "sandbox":
        return Sandbox(options.galerna, directory, options.version)
    return Real(options.oned, directory)


def die_with_parent():
    """A worker ends its scenario, and what it started, when the main process is gone."""
    def end(*_):
        raise SystemExit

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def clear(directory):
    """Removes what an earlier run left: its store has leases of another OpenNebula, whose VMs have
    the same numbers. The installation of oned is emptied by its own command."""
    os.makedirs(directory, exist_ok=True)
    for entry in os.scandir(directory):
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "oned":
                shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def run_one(name, directory, options):
    """One scenario in a process of its own: (name, verdict, reason, seconds)."""
    clear(directory)
    began = time.monotonic()
    backend = trial = None
    verdict, reason = "PASS", ""
    ended = False
    try:
        backend = make_backend(options, directory)
        trial = Trial(backend, os.path.abspath(options.galernad), directory, options.setting)
        SCENARIOS[name](trial)
        if trial.sampler.is_alive():
            trial.pause(1.5)
        trial.check()
    except SystemExit:
        ended = True
    except (Skip, Missing) as skip:
        verdict, reason = "SKIP", str(skip)
    except Failure as failure:
        verdict, reason = "FAIL", str(failure)
    except Exception as error:  # pylint: disable=broad-except
        verdict, reason = "FAIL", "the scenario broke: %r" % error
        with open(os.path.join(directory, "traceback.txt"), "w", encoding="utf-8") as file:
            traceback.print_exc(file=file)
    finally:
        for thing in (trial, backend):
            try:
                if thing:
                    thing.close()
            except Exception as error:  # pylint: disable=broad-except
                verdict, reason = "FAIL", reason or "cannot be cleaned up: %r" % error
        if ended:
            os._exit(1)  # the pool would give a worker that returns the next scenario
    return name, verdict, reason, time.monotonic() - began


def run_all(runs, options, jobs):
    """Runs pairs of a scenario and its folder, prints the outcomes, gives the pairs that failed."""
    failed = []
    with concurrent.futures.ProcessPoolExecutor(
            max_workers=jobs, initializer=die_with_parent) as pool:
        futures = {pool.submit(run_one, *run, options): run for run in runs}
        for future in concurrent.futures.as_completed(futures):
            name, verdict, reason, seconds = future.result()
            if verdict == "FAIL":
                failed.append(futures[future])
            print("%-28s %s %5.0f s%s" % (name, verdict, seconds, "  " + reason if reason else ""),
                  flush=True)
    return failed


def main():
    options = arguments()
    names = [name for name in options.only or SCENARIOS
             if name not in options.skip and not (options.no_extra and name.startswith("extra-"))]
    if options.list:
        print("\n".join(names))
        return 0
    work = os.path.abspath(options.work or tempfile.mkdtemp(prefix="galerna-integration-"))
    runs = [(name, os.path.join(work, name + ("-%d" % (i + 1) if options.repeat > 1 else "")))
            for i in range(options.repeat)
            for name in sorted(names, key=lambda name: not name.startswith("chaos"))]
    failed = run_all(runs, options, options.jobs)
    if options.once_more and failed:
        failed = run_all([(name, folder + "-once-more") for name, folder in failed], options, 1)
    print("%d of %d failed; logs in %s" % (len(failed), len(runs), work))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
