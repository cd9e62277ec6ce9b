#!/usr/bin/env python3
"""Shows two faults of oned 7.4 itself, whatever plans its scheduler makes: OpenNebula #7639, #7382.

    stock_isolation.py --source TREE --work DIR

A stock oned with its default limits runs plans of the simplest scheduler (driver.py, Place). Prints
what becomes of other VMs beside one that boots for long, and one that can never be deployed."""

import argparse
import os
import sys
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]

import one  # noqa: E402
from kit.client import Oned  # noqa: E402

WATCHED = 90  # seconds
one.NO_SCHEDULING = """
SCHED_MAD = [ EXECUTABLE = "{driver}", ARGUMENTS = "place" ]
SCHED_MAX_WND_TIME = 3
SCHED_MAX_WND_LENGTH = 7
SCHED_RETRY_TIME = 6
MAX_ACTIONS_PER_HOST = 1
MAX_ACTIONS_PER_CLUSTER = 30
ACTION_TIMEOUT = 300
DRS_INTERVAL = -1
"""


class Stock:
    def __init__(self, source, directory, port):
        self.installation = one.Installation(source, directory, port)
        self.installation.reset()
        with open(self.installation.path("one_auth"), encoding="utf-8") as file:
            self.oned = Oned("http://127.0.0.1:%d/RPC2" % port, file.read().strip())

    def host(self, name):
        self.installation.write("faults/hosts/" + name, "cores=16 memory_mb=65536")
        self.oned.call("one.host.allocate", name, "dummy", "dummy", -1)
        while any(host.state != 2 for host in self.oned.hosts().values()):
            time.sleep(0.5)

    def vm(self, name, more=""):
        return self.oned.call("one.vm.allocate",
                              'NAME = "%s"\nCPU = 1\nMEMORY = 512\n%s' % (name, more), False)

    def slow(self, vm, seconds):
        self.installation.write("faults/vm/DEPLOY@vm%d" % vm, "delay=%d" % seconds)

    def running(self, vms, seconds):
        """Seconds until all run, or None; and how many run at the end."""
        begun = time.monotonic()
        while True:
            count = sum(self.oned.vm(vm).running for vm in vms)
            passed = time.monotonic() - begun
            if count == len(vms):
                return passed, count
            if passed > seconds:
                return None, count
            time.sleep(1)


def tell(what, answer, n):
    passed, count = answer
    print("%s: %s" % (what, "%d of %d others run after %d s" % (count, n, WATCHED)
                      if passed is None else "all %d others run after %d s" % (n, passed)),
          flush=True)


def slow_boot(stock):
    for name in ("first", "second"):
        stock.host(name)
    slow = stock.vm("slow")
    stock.slow(slow, WATCHED + 60)
    while not stock.oned.vm(slow).history:
        time.sleep(0.5)
    others = [stock.vm("other%d" % i) for i in range(4)]
    tell("beside a VM that boots for %d s (#7639)" % (WATCHED + 60),
         stock.running(others, WATCHED), 4)


def never_deployed(stock):
    """oned refuses it each time: another VM has its VNC port."""
    stock.host("only")
    port = 'GRAPHICS = [ TYPE = "vnc", PORT = "5950" ]\n'
    stock.running([stock.vm("holder", port)], 60)
    failing = stock.vm("failing", port)
    time.sleep(12)
    others = [stock.vm("other%d" % i) for i in range(4)]
    answer = stock.running(others, WATCHED)
    tell("beside a VM whose deployment is refused each time (#7382; it %s)" %
         ("was deployed" if stock.oned.vm(failing).history else "was not deployed"), answer, 4)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--port", type=int, default=23633)
    given = parser.parse_args()
    for i, trial in enumerate((slow_boot, never_deployed)):
        stock = Stock(given.source, os.path.join(given.work, trial.__name__), given.port + i)
        try:
            trial(stock)
        finally:
            stock.installation.stop()


if __name__ == "__main__":
    main()
