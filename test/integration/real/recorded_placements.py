#!/usr/bin/env python3
"""Builds the pools of recorded placements again on a real oned, has galernad place them, and compares
with what the stock scheduler did.

    recorded_placements.py --source TREE --galernad PATH --work DIR CASE...

A CASE is a folder with the recording's setup.json (the calls that made the pool), sched.conf,
placement.json (where VMs were sent), hostpool.info.xml and hostpool.monitoring.xml (what hosts
reported). Each VM is the same; or tied: on another host that stock ranked alike; or best: on the
host with stock's highest rank among those that stock allowed and that have room, when ranks follow
each VM (stock's stay those of the cycle, and MAX_HOST spreads VMs); or documented: DOCUMENTED has the
rule of doc/differences-from-opennebula.md; or it differs: exit code 1."""

import argparse
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]

import stock_placements  # noqa: E402
from kit.backend import wait_for  # noqa: E402
from kit.client import OnedError  # noqa: E402
from kit.scheduler import Scheduler  # noqa: E402

TOTAL_MB, FREE_MB = 4796800, 3333260  # of a datastore that says nothing else
EACH_NIC = "packing and striping of networks are updated after each NIC"
ALLOCATED = "allocated space is subtracted until it is measured again"
DOCUMENTED = {
    "ds-local": {9: ALLOCATED},
    "ds-packing": {6: "packing of datastores is updated after each VM", 8: ALLOCATED},
    "ds-requirements": {8: "a rank with a syntax error is ignored"},
    "limit-max-vm": dict.fromkeys(range(1, 11), "all VMs are considered, the oldest first"),
    "nic-auto": {7: EACH_NIC, 9: EACH_NIC, 12: EACH_NIC},
    "numa-pinned": {14: "which NUMA node keeps enough free cores depends on the VMs before"},
    "rank-arith": {36: "a rank with a syntax error is ignored"},
    "req-malformed": {13: "a blank requirement is none"},
    "resched-poweroff-stop": {0: "VMs marked RESCHED are planned ahead of waiting ones"},
}


class Replay(stock_placements.Stand):
    """An oned with what the recorded ones had: network 0, and a datastore 0 that is shared."""

    def __init__(self, given, folder):
        super().__init__(given, os.path.basename(folder))
        self.folder = folder
        self.recorded = {host.findtext("NAME"): host
                         for host in self.read("hostpool.info").findall("HOST")}
        self.measured = {each.findtext("ID"): each
                         for each in self.read("hostpool.monitoring").findall("MONITORING")}
        self.room = {}  # datastore -> MB that it must report
        self.monitored = set()  # hosts that do not fail
        self.call("one.datastore.update", 0, 'TM_MAD = "dummy"', 1)
        self.report_room(0, "")
        self.call("one.vn.allocate", 'NAME = "lab"\nVN_MAD = "dummy"\nBRIDGE = "br0"\n'
                  'AR = [ TYPE = "IP4", IP = "10.0.0.1", SIZE = "60000" ]', -1)

    def read(self, name):
        return ElementTree.parse(os.path.join(self.folder, name + ".xml")).getroot()

    def report_room(self, datastore, template):
        """The recorded ones have it in an attribute."""
        found = re.search(r'LAB_FREE_MB="(\d+)"', template)
        free = int(found.group(1)) if found else FREE_MB
        self.installation.write("faults/ds/%d" % datastore, "total_mb=%d free_mb=%d used_mb=%d" % (
            TOTAL_MB, free, TOTAL_MB - free))
        if "LOCAL" not in template.upper():
            self.room[datastore] = free

    def report_host(self, name):
        """What the recorded host reported."""
        host = self.recorded[name]
        measured = self.measured.get(host.findtext("ID"))
        used = {kind: int(measured.findtext("CAPACITY/USED_" + kind) if measured is not None else 0)
                for kind in ("CPU", "MEMORY")}
        cores, gib = map(int, re.search(r"c(\d+)m(\d+)", name).groups())
        fails = host.findtext("STATE") in ("3", "5")
        if not fails:
            self.monitored.add(name)
        text = "cores=%d memory_mb=%d used_cpu=%d used_mb=%d" % (
            cores, gib * 1024, used["CPU"], used["MEMORY"] // 1024)
        self.installation.write("faults/hosts/" + name, text + (" error=yes" if fails else ""))
        os.makedirs(self.installation.path("faults", "hardware"), exist_ok=True)
        self.installation.write("faults/hardware/" + name, hardware(host.find("HOST_SHARE")))

    def replay(self):
        with open(os.path.join(self.folder, "setup.json"), encoding="utf-8") as file:
            steps = json.load(file)["steps"]
        for step in steps:
            if "wait" in step:
                self.await_step(step["wait"])
            elif "call" in step:
                self.repeat(step)

    def repeat(self, step):
        method, words = step["call"], step["args"]
        if method == "one.host.allocate":
            self.report_host(words[0])
        elif method == "one.datastore.allocate":
            words = [words[0].replace("dummylocal", "local"), *words[1:]]
            self.report_room(step["result"], words[0])
        elif method == "one.datastore.update":
            self.report_room(words[0], words[1])
        try:
            made = self.call(method, *words)
        except OnedError:
            made = None  # recorded refusals have no result
        if made != step.get("result"):
            raise RuntimeError("%s%s: %s, not %s" % (method, words, made, step.get("result")))

    def await_step(self, what):
        vms = re.match(r"VMs \[(.*)\] running", what)
        state = re.match(r"VM (\d+) state (\d+)", what)
        if vms:
            wait_for(lambda: all(self.oned.vm(int(vm)).running for vm in vms.group(1).split(", ")),
                     60, what)
        elif state:
            vm, wanted = map(int, state.groups())
            wait_for(lambda: self.oned.vm(vm).state == wanted, 60, what)
        else:
            wait_for(self.is_monitored, 90, what)

    def is_monitored(self):
        hosts = {host.findtext("NAME"): host
                 for host in self.oned.document("one.hostpool.info").findall("HOST")}
        stores = {int(store.findtext("ID")): store
                  for store in self.oned.document("one.datastorepool.info").findall("DATASTORE")}
        measured = {each.findtext("ID") for each in
                    self.oned.document("one.hostpool.monitoring", 0).findall("MONITORING")}
        return all(host.findtext("STATE") == ("2" if name in self.monitored else "3") and
                   (name not in self.monitored or host.findtext("ID") in measured)
                   for name, host in hosts.items()) and \
            all(int(stores[each].findtext("FREE_MB")) == free
                for each, free in self.room.items() if stores[each].findtext("STATE") == "0")

    def place(self, galernad):
        """galernad with the recorded sched.conf, until nothing changes: the VMs by id."""
        galerna = os.path.join(os.path.dirname(galernad), "galerna")
        command = [galerna, "config", "import", os.path.join(self.folder, "sched.conf")]
        settings = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL).stdout
        settings = settings.partition("[opennebula]\n")[2].partition("\n[")[0]
        more = "\n".join(line for line in settings.split("\n")
                         if not line.startswith(("#", "endpoint", "timeout", "answer-limit")))
        scheduler = Scheduler(galernad, self.installation.directory, self, more=more)
        scheduler.start()
        try:
            self.settle()
        finally:
            scheduler.clean_up()
        pool = self.oned.document("one.vmpool.infoextended", -2, -1, -1, -1)
        return {vm.findtext("ID"): vm for vm in pool.findall("VM")}


def vector(name, element, *skip):
    return "%s = [ %s ]\n" % (name, ", ".join(
        '%s = "%s"' % (each.tag, each.text) for each in element if each.tag not in skip))


def hardware(share):
    """What a host with that HOST_SHARE reports besides its capacity."""
    text = "".join(vector("PCI", each, "VMID") for each in share.findall("PCI_DEVICES/PCI"))
    text += "".join(vector("DS", each) for each in share.findall("DATASTORES/DS"))
    text += "".join("DS_LOCATION_%s_MB = %s\n" % (word, share.findtext("DATASTORES/%s_DISK" % name))
                    for word, name in (("TOTAL", "MAX"), ("FREE", "FREE"), ("USED", "USED")))
    for node in share.findall("NUMA_NODES/NODE"):
        number = node.findtext("NODE_ID")
        for core in node.findall("CORE"):
            text += 'CORE = [ NODE_ID = "%s", ID = "%s", CPUS = "%s" ]\n' % (
                number, core.findtext("ID"), re.sub(r":-?\d+", "", core.findtext("CPUS")))
        for page in node.findall("HUGEPAGE"):
            text += 'HUGEPAGE = [ NODE_ID = "%s", SIZE = "%s", PAGES = "%s", FREE = "%s" ]\n' % (
                number, page.findtext("SIZE"), page.findtext("PAGES"), page.findtext("PAGES"))
        total = node.findtext("MEMORY/TOTAL")
        text += 'MEMORY_NODE = [ NODE_ID = "%s", TOTAL = "%s", DISTANCE = "%s", FREE = "%s", ' \
            'USED = "0" ]\n' % (number, total, node.findtext("MEMORY/DISTANCE"), total)
    return text


def place_of(vm):
    """Host and datastore (None: it waits), and the networks of its automatic NICs."""
    last = vm.findall("HISTORY_RECORDS/HISTORY")
    waits = not last or vm.findtext("STATE") == "1"
    nets = [nic.findtext("NETWORK_ID") for nic in vm.findall("TEMPLATE/NIC")
            if nic.findtext("NETWORK_MODE") == "auto"]
    return (None, None, nets) if waits else (
        int(last[-1].findtext("HID")), int(last[-1].findtext("DS_ID")), nets)


def stock_place(recorded):
    waits = recorded["state"] == 1
    nets = [None if nic["network"] is None else str(nic["network"]) for nic in recorded["nics"]
            if nic.get("mode") == "auto"]
    return (None, None, nets) if waits else (recorded["host"], recorded["datastore"], nets)


class Room:
    """What is left of the recorded hosts, and their ranks, after each VM."""

    def __init__(self, stand):
        with open(os.path.join(stand.folder, "matches.json"), encoding="utf-8") as file:
            self.matches = json.load(file)["cycles"][0]["vms"]
        self.free, self.more = {}, {}
        for host in stand.recorded.values():
            share = host.find("HOST_SHARE")
            number = int(host.findtext("ID"))
            self.free[number] = [
                int(share.findtext("MAX_" + kind)) - int(share.findtext(kind + "_USAGE"))
                for kind in ("CPU", "MEM")]
            self.more[number] = 0  # VMs that have come

    def fits(self, vm, host):
        return all(free >= need for free, need in zip(self.free[host], needs(vm)))

    def ranks(self, vm):
        """Of the hosts that stock allowed and that have room."""
        match = self.matches.get(vm.findtext("ID"), {"hosts": []})
        found = match.get("host_ranks", {"expression": "", "ranks": []})
        factor = re.search(r"(-?) ?(?:(\d+) \* )?RUNNING_VMS", found["expression"])
        each = int(factor.group(1) + (factor.group(2) or "1")) if factor else 0
        ranks = {host: rank + each * self.more[host] for host, rank in found["ranks"]}
        return {host: ranks.get(host, 0) for _, host in match["hosts"] if self.fits(vm, host)}

    def take(self, vm, host):
        """Is that the best host (None: is there none)?"""
        ranks = self.ranks(vm)
        if host is None:
            return not ranks
        best = host in ranks and ranks[host] == max(ranks.values())
        self.free[host] = [free - need for free, need in zip(self.free[host], needs(vm))]
        self.more[host] += 1
        return best


def needs(vm):
    template = vm.find("TEMPLATE")
    return (round(float(template.findtext("CPU")) * 100), int(template.findtext("MEMORY")) * 1024)


def verdict(case, recorded, vm, is_best):
    ours, theirs = place_of(vm), stock_place(recorded)
    if ours == theirs:
        return "same"
    placed = None not in (ours[0], theirs[0])
    if placed and ours[1:] == theirs[1:] and ours[0] in recorded.get("equally_ranked_hosts", []):
        return "tied"
    if is_best and (not placed or ours[1:] == theirs[1:]):
        return "best"
    return "documented" if int(vm.findtext("ID")) in DOCUMENTED.get(case, {}) else "differs"


def compare(given, folder):
    """Prints the VMs that are neither same nor tied; how many have each verdict."""
    case = os.path.basename(folder)
    with open(os.path.join(folder, "placement.json"), encoding="utf-8") as file:
        recorded = json.load(file)["vms"]
    stand = Replay(given, folder)
    try:
        stand.replay()
        vms = stand.place(given.galernad)
    finally:
        stand.installation.kill()
    counts = dict.fromkeys(("same", "tied", "best", "documented", "differs"), 0)
    lines, room = [], Room(stand)
    for number, theirs in sorted(recorded.items(), key=lambda each: int(each[0])):
        ours = place_of(vms[number])
        waited = number in room.matches or stock_place(theirs)[0] is None
        found = verdict(case, theirs, vms[number], waited and room.take(vms[number], ours[0]))
        counts[found] += 1
        if found in ("documented", "differs"):
            why = DOCUMENTED[case][int(number)] if found == "documented" else \
                vms[number].findtext("USER_TEMPLATE/SCHED_MESSAGE") or theirs["sched_message"] or ""
            lines.append("  VM %s '%s' %s: stock %s, galerna %s (%s)" % (
                number, theirs["name"], found, stock_place(theirs), ours, why))
    print("%s: %s" % (case, ", ".join("%d %s" % (n, word) for word, n in counts.items() if n)))
    print("".join(line + "\n" for line in lines), end="", flush=True)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True)
    parser.add_argument("--galernad", required=True, metavar="PATH")
    parser.add_argument("--work", required=True)
    parser.add_argument("--port", type=int, default=24633)
    parser.add_argument("cases", nargs="+", metavar="CASE")
    given = parser.parse_args()
    given.galernad = os.path.abspath(given.galernad)
    sums = {}
    for folder in given.cases:
        for word, n in compare(given, os.path.abspath(folder)).items():
            sums[word] = sums.get(word, 0) + n
    print(", ".join("%d %s" % (n, word) for word, n in sums.items()))
    return 1 if sums["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
