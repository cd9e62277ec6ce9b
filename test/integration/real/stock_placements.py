#!/usr/bin/env python3
"""Places the same random pools with mm_sched and with galernad, on two real oneds, and prints the VMs
that are somewhere else.

    stock_placements.py --source TREE --mm-sched PROGRAM --galernad PATH --work DIR
        [--kind KIND]... [--seeds FIRST-LAST]

Hosts, datastores and networks have different PRIORITYs, and the policies are fixed, so that no choice
is a tie. TREE may be of 6.10 or 7.x: mm_sched of 6.10 schedules both. Exit code 1: there are
differences; doc/differences-from-opennebula.md says which are meant."""

import argparse
import os
import random
import subprocess
import sys
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")]

import one  # noqa: E402
from kit.client import Oned, OnedError  # noqa: E402
from kit.scheduler import Scheduler  # noqa: E402
from scenarios.devices import gpu, numa  # noqa: E402

one.START_SECONDS = 120  # on a busy machine
QUIET = 8  # seconds without a change: nothing more will happen
LONGEST = 90

SCHED_CONF = """
MESSAGE_SIZE = 1073741824
TIMEOUT = 60
ONE_XMLRPC = "http://127.0.0.1:%d/RPC2"
SCHED_INTERVAL = 1
MAX_VM = 100000
MAX_DISPATCH = 100000
MAX_HOST = 1000
LIVE_RESCHEDS = 1
COLD_MIGRATE_MODE = 0
MEMORY_SYSTEM_DS_SCALE = 0
DIFFERENT_VNETS = YES
DEFAULT_SCHED = [ POLICY = 4 ]
DEFAULT_DS_SCHED = [ POLICY = 3 ]
DEFAULT_NIC_SCHED = [ POLICY = 3 ]
LOG = [ SYSTEM = "file", DEBUG_LEVEL = 5 ]
"""

GALERNA = """actions-in-all: 1000
actions-per-host: 1000
host-policy: fixed
datastore-policy: fixed
network-policy: fixed"""


class Stand:
    """An empty OpenNebula, its pool, and what a scheduler makes of it."""

    def __init__(self, given, name):
        self.installation = one.Installation(given.source, os.path.join(given.work, name),
                                             given.port)
        self.installation.reset()
        self.port = given.port
        self.datastores = 99  # the number of the last one that was there
        with open(self.installation.path("one_auth"), encoding="utf-8") as file:
            self.oned = Oned("http://127.0.0.1:%d/RPC2" % given.port, file.read().strip())
        self.endpoint = self.oned.endpoint
        self.auth_file = self.installation.path("one_auth")

    def call(self, *words):
        return self.oned.call(*words)

    def host(self, name, cores, memory, text, cluster=-1, hardware=""):
        self.installation.write("faults/hosts/" + name, "cores=%s memory_mb=%d" % (cores, memory))
        if hardware:
            os.makedirs(self.installation.path("faults", "hardware"), exist_ok=True)
            self.installation.write("faults/hardware/" + name, hardware)
        number = self.call("one.host.allocate", name, "dummy", "dummy", cluster)
        self.call("one.host.update", number, text, 1)
        return number

    def datastore(self, name, priority, text, free=1000000):
        """A shared system datastore in cluster 0 with that many MB free; what it reports is there before
        it is monitored."""
        self.datastores += 1
        self.installation.write("faults/ds/%d" % self.datastores,
                                "total_mb=1000000 free_mb=%d used_mb=%d" % (free, 1000000 - free))
        made = self.call("one.datastore.allocate",
                         'NAME = "%s"\nTYPE = "SYSTEM_DS"\nTM_MAD = "dummy"\nPRIORITY = "%d"\n%s' % (
                             name, priority, text), -1)
        assert made == self.datastores
        return made

    def wait_hosts(self, enabled):
        """Until they, and the datastores, have been monitored."""
        end = time.monotonic() + 60
        while any(not int(each.findtext("TOTAL_MB")) for each in
                  self.oned.document("one.datastorepool.info").findall("DATASTORE")
                  if each.findtext("TYPE") == "1" and each.findtext("STATE") == "0"):
            if time.monotonic() > end:
                raise one.Trouble("datastores are not monitored")
            time.sleep(0.5)
        while any(self.oned.hosts()[host].state != 2 for host in enabled):
            if time.monotonic() > end:
                raise one.Trouble("hosts are not monitored")
            time.sleep(0.5)

    def state(self):
        """Of each VM: state, host, datastore, networks; and whether all of them stay as they are."""
        pool = self.oned.document("one.vmpool.infoextended", -2, -1, -1, -1)
        found, settled = {}, True
        for vm in pool.findall("VM"):
            state, lcm = vm.findtext("STATE"), vm.findtext("LCM_STATE")
            last = vm.findall("HISTORY_RECORDS/HISTORY")
            on = last[-1] if last and state in ("3", "5", "8") else None
            nets = [nic.findtext("NETWORK_ID") for nic in vm.findall("TEMPLATE/NIC")]
            found[vm.findtext("NAME")] = (
                "%s/%s" % (state, lcm) if state == "3" and lcm != "3" else state,
                on.findtext("HOSTNAME") if on is not None else None,
                on.findtext("DS_ID") if on is not None else None, tuple(nets),
                vm.findtext("USER_TEMPLATE/SCHED_MESSAGE"))
            settled = settled and (state != "3" or lcm == "3")
        return found, settled

    def settle(self):
        end = time.monotonic() + LONGEST
        before, since = None, time.monotonic()
        while time.monotonic() < end:
            found, settled = self.state()
            seen = {name: vm[:4] for name, vm in found.items()}
            if seen != before or not settled:
                before, since = seen, time.monotonic()
            if time.monotonic() - since > QUIET:
                break
            time.sleep(0.5)
        return self.state()[0]

    def stock(self, program):
        """With mm_sched, until nothing changes."""
        self.installation.write("etc/sched.conf", SCHED_CONF % self.port)
        environment = dict(os.environ, ONE_LOCATION=self.installation.directory,
                           ONE_AUTH=self.auth_file, ONE_XMLRPC=self.endpoint)
        with open(self.installation.path("sched.out"), "wb") as output:
            process = subprocess.Popen([program], env=environment, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=output,
                                       cwd=self.installation.directory)
        try:
            return self.settle()
        finally:
            process.kill()
            process.wait()

    def galerna(self, program):
        scheduler = Scheduler(program, self.installation.directory, self, more=GALERNA)
        scheduler.start()
        try:
            return self.settle()
        finally:
            scheduler.clean_up()


# --- pools ---------------------------------------------------------------------------------------

ATTRIBUTES = ("RACK", "ZONE", "FAST", "SLOTS", "COST")
VALUES = ('"r1"', '"r2"', '""', '"3"', '"10"', '"2.5"', '"yes"', '"R1"', '"10 GB"')


def comparison(chance):
    name = chance.choice(ATTRIBUTES + ("FREE_CPU", "TOTAL_MEM", "CLUSTER_ID", "NAME", "ID",
                                       "RUNNING_VMS", "CLUSTER", "PLACE", "NOTHING"))
    value = chance.choice(("r1", "r*", "r2", "", "3", "10", "2.5", "yes", "h1", "h*", "[rR]1", "0", "101",
                           "-1", "400"))
    if chance.random() < 0.4 and value and value.lstrip("-").replace(".", "").isdigit():
        return "%s %s %s" % (name, chance.choice("=<>") if chance.random() < 0.8 else "!=", value)
    return '%s%s"%s"' % (name, chance.choice(("=", "=", "!=", "@>")), value)


def requirement(chance, depth=2):
    if depth == 0 or chance.random() < 0.45:
        return comparison(chance)
    if chance.random() < 0.2:
        return "!(%s)" % requirement(chance, depth - 1)
    return "%s %s %s" % (chance.choice(("(%s)", "%s")) % requirement(chance, depth - 1),
                         chance.choice("&&|"), requirement(chance, depth - 1))


def quoted(text):
    return text.replace('"', '\\"')


def rank(chance):
    return chance.choice(("ID", "-ID", "COST * 10 + ID", "SLOTS - ID", "(ID - 3) * (ID - 2) * 10 + ID",
                          "MAX_CPU / 100 * 10 + ID", "-(ID * 2)", "NOTHING + ID", "2 * ID + COST"))


def hosts(stand, chance, count, hardware=None):
    """Some in a second cluster, some with reserved capacity; returns their ids."""
    cluster = stand.call("one.cluster.allocate", "second")
    stand.call("one.datastore.enable", 0, False)
    system = stand.datastore("shared", 1, "")
    stand.call("one.cluster.adddatastore", cluster, system)
    stand.call("one.cluster.update", cluster, 'PLACE = "north"\nRESERVED_CPU = "%s"' %
               chance.choice(("", "10%", "100", "-50%")), 1)
    made = []
    for i in range(count):
        text = 'PRIORITY = "%d"\n' % (100 * (1 + (i * 7) % 11) + i)
        for name in ATTRIBUTES:
            if chance.random() < 0.6:
                text += "%s = %s\n" % (name, chance.choice(VALUES))
        if chance.random() < 0.3:
            text += 'RESERVED_CPU = "%s"\n' % chance.choice(("50", "25%", "-100", "-50%", "0", "x"))
        if chance.random() < 0.3:
            text += 'RESERVED_MEM = "%s"\n' % chance.choice(("1048576", "50%", "-25%"))
        made.append(stand.host("h%d" % i, chance.choice((2, 4, 8)), chance.choice((4096, 8192, 16384)),
                               text, cluster if chance.random() < 0.4 else -1,
                               hardware(chance, i) if hardware else ""))
    return made


def vm(stand, number, chance, text, cpu=None, memory=None):
    return stand.call("one.vm.allocate", 'NAME = "v%02d"\nCPU = "%s"\nMEMORY = "%d"\n%s' % (
        number, cpu or chance.choice(("0.5", "1", "1", "2", "3")),
        memory or chance.choice((256, 512, 1024, 3000)), text), True)


def release(stand, vms, enabled):
    stand.wait_hosts(enabled)
    for each in vms:
        stand.call("one.vm.action", "release", each)


def requirements(stand, chance):
    made = hosts(stand, chance, 6)
    vms = []
    for i in range(28):
        text = ""
        if chance.random() < 0.8:
            text += 'SCHED_REQUIREMENTS = "%s"\n' % quoted(requirement(chance))
        if chance.random() < 0.5:
            text += 'SCHED_RANK = "%s"\n' % rank(chance)
        vms.append(vm(stand, i, chance, text, cpu="0.1", memory=64))
    release(stand, vms, made)


def capacity(stand, chance):
    made = hosts(stand, chance, 5)
    vms = []
    for i in range(30):
        text = ""
        if chance.random() < 0.5:
            text += 'USER_PRIORITY = "%s"\n' % chance.choice(("1", "2", "5", "-1", "2.5", "x", ""))
        if chance.random() < 0.3:
            text += 'SCHED_RANK = "%s"\n' % rank(chance)
        if chance.random() < 0.2:
            text += 'VCPU = "4"\n'
        vms.append(vm(stand, i, chance, text))
    off = chance.choice(made)
    stand.wait_hosts(made)
    stand.call("one.host.status", off, 1)
    release(stand, vms, [host for host in made if host != off])


def storage(stand, chance):
    made = hosts(stand, chance, 4)
    for i in range(3):
        free = chance.choice((2000, 10000, 50000))
        limit = 'LIMIT_MB = "%d"\n' % (1000000 - free + chance.choice((1000, 20000)))
        stand.datastore("sys%d" % i, 10 * i + 5, 'KIND = "%s"\n%s' % (
            chance.choice(("ssd", "disk")), limit if chance.random() < 0.4 else ""), free)
    vms = []
    for i in range(16):
        text = ""
        if chance.random() < 0.6:
            text += 'DISK = [ TYPE = "fs", SIZE = "%d" ]\n' % chance.choice((100, 1500, 4000, 30000))
        if chance.random() < 0.5:
            text += 'SCHED_DS_REQUIREMENTS = "%s"\n' % quoted(chance.choice(
                ('KIND="ssd"', 'KIND="disk"', 'NAME="sys1"', "FREE_MB > 5000", 'KIND!="ssd"', "ID = 100",
                 'KIND="none"')))
        if chance.random() < 0.3:
            text += 'SCHED_DS_RANK = "%s"\n' % chance.choice(("ID", "-ID", "PRIORITY * 2"))
        vms.append(vm(stand, i, chance, text, cpu="0.1", memory=64))
    release(stand, vms, made)


def networks(stand, chance):
    made = hosts(stand, chance, 4)
    for i in range(4):
        number = stand.call(
            "one.vn.allocate",
            'NAME = "n%d"\nVN_MAD = "dummy"\nBRIDGE = "br0"\nPRIORITY = "%d"\nKIND = "%s"\n'
            'AR = [ TYPE = "IP4", IP = "10.%d.0.1", SIZE = "%d" ]' % (
                i, 10 * ((i * 3) % 5), chance.choice(("a", "b")), i, chance.choice((1, 3, 50))), -1)
        if chance.random() < 0.5:
            stand.call("one.cluster.addvnet", 100, number)
    time.sleep(2)
    vms = []
    for i in range(14):
        text = ""
        for _ in range(chance.choice((1, 1, 2, 3))):
            more = ""
            if chance.random() < 0.4:
                more += ', SCHED_REQUIREMENTS = "%s"' % quoted(chance.choice(
                    ('KIND="a"', 'KIND="b"', "ID > 1", 'NAME="n2"')))
            if chance.random() < 0.3:
                more += ', SCHED_RANK = "%s"' % chance.choice(("ID", "-ID"))
            text += 'NIC = [ NETWORK_MODE = "auto"%s ]\n' % more
        vms.append(vm(stand, i, chance, text, cpu="0.1", memory=64))
    release(stand, vms, made)


def hardware(stand, chance):
    def reports(chance, i):
        text = "".join(gpu(slot, chance.choice(("20f1", "1db6")), slot % 2)
                       for slot in range(1, 1 + chance.choice((0, 2, 3))))
        return text + (numa(cores=chance.choice((2, 4)), pages=chance.choice((256, 1024)))
                       if i % 2 else "")

    made = hosts(stand, chance, 5, reports)
    for host in made[1::2]:
        if chance.random() < 0.7:
            stand.call("one.host.update", host, 'PIN_POLICY = "PINNED"', 1)
    vms = []
    for i in range(18):
        text, cpu = "", "1"
        if chance.random() < 0.4:
            for _ in range(chance.choice((1, 1, 2))):
                text += chance.choice((
                    'PCI = [ VENDOR = "10de", DEVICE = "20f1", CLASS = "0302" ]\n',
                    'PCI = [ CLASS = "0302" ]\n', 'PCI = [ SHORT_ADDRESS = "01:00.0" ]\n',
                    'PCI = [ DEVICE = "1db6" ]\n'))
        if chance.random() < 0.6:
            cpu = chance.choice(("1", "2", "4"))
            more = chance.choice(("", "", ', HUGEPAGE_SIZE = "2"', ', SOCKETS = "1"', ', CORES = "1"',
                                  ', THREADS = "1"', ', NODE_AFFINITY = "1"'))
            policy = "NONE" if "AFFINITY" in more else chance.choice(("CORE", "THREAD", "SHARED"))
            text += 'VCPU = "%s"\nTOPOLOGY = [ PIN_POLICY = "%s"%s ]\n' % (cpu, policy, more)
        vms.append(vm(stand, i, chance, text, cpu=cpu, memory=256))
    release(stand, vms, made)


def groups(stand, chance):
    made = hosts(stand, chance, 5)
    ids = []
    for i in range(2):
        text = 'NAME = "g%d"\n' % i
        for role in "abc":
            text += 'ROLE = [ NAME = "%s"%s%s ]\n' % (
                role, chance.choice(("", ', POLICY = "AFFINED"', ', POLICY = "ANTI_AFFINED"')),
                chance.choice(("", "", ', HOST_AFFINED = "%d,%d"' % tuple(chance.sample(made, 2)),
                               ', HOST_ANTI_AFFINED = "%d"' % chance.choice(made))))
        text += chance.choice(("", 'ANTI_AFFINED = "a,b"\n', 'AFFINED = "a,b"\n', 'ANTI_AFFINED = "b,c"\n'))
        try:
            ids.append(stand.call("one.vmgroup.allocate", text))
        except OnedError as error:  # oned refuses rules that contradict each other
            print("  group %d: %s" % (i, error))
    vms = []
    for i in range(12):
        text = ""
        if ids and chance.random() < 0.8:
            text = 'VMGROUP = [ VMGROUP_ID = "%d", ROLE = "%s" ]\n' % (chance.choice(ids),
                                                                      chance.choice("abc"))
        vms.append(vm(stand, i, chance, text, cpu="0.5", memory=128))
    release(stand, vms, made)


def resched(stand, chance):
    """VMs that run, are off, suspended, stopped, undeployed; marked, resumed or left."""
    made = hosts(stand, chance, 4)
    stand.wait_hosts(made)
    vms = []
    for i in range(12):
        text = ""
        if chance.random() < 0.4:
            text = 'SCHED_REQUIREMENTS = "%s"\n' % quoted(
                chance.choice(("ID < 2", 'NAME="h*"', "CURRENT_VMS = 0", "CURRENT_VMS != 0", "ID != 1")))
        vms.append(vm(stand, i, chance, text, cpu="0.2", memory=128))
    places = {each: chance.choice(made) for each in vms}
    for each in vms:
        stand.call("one.vm.deploy", each, places[each], False, stand.datastores, "")
    stand.settle()
    for each in vms:
        action = chance.choice(("", "", "poweroff-hard", "suspend", "stop", "undeploy-hard"))
        if action:
            stand.call("one.vm.action", action, each)
    stand.settle()
    for each, found in zip(vms, sorted(stand.state()[0].items())):
        if found[1][0] in ("4", "9") and chance.random() < 0.7:
            stand.call("one.vm.action", "resume", each)
        elif found[1][0] in ("3", "8", "5") and chance.random() < 0.6:
            try:
                stand.call("one.vm.action", "resched", each)
            except OnedError as error:
                print("  %s: %s" % (found[0], error))


KINDS = {each.__name__: each for each in (requirements, capacity, storage, networks, hardware, groups,
                                          resched)}


def compare(given, kind, seed):
    """Prints the differences; returns how many VMs are elsewhere, and how many there are."""
    found = []
    for name in ("stock", "galerna"):
        stand = Stand(given, name)
        try:
            KINDS[kind](stand, random.Random("%s %d" % (kind, seed)))
            found.append(stand.stock(given.mm_sched) if name == "stock"
                         else stand.galerna(given.galernad))
            texts = {vm.findtext("NAME"): vm for vm in
                     stand.oned.document("one.vmpool.infoextended", -2, -1, -1, -1).findall("VM")}
        finally:
            stand.installation.kill()
    stock, ours = found
    differ = [name for name in sorted(stock) if stock[name][:4] != ours.get(name, (None,))[:4]]
    print("%s %d: %d VMs, %d differ" % (kind, seed, len(stock), len(differ)), flush=True)
    for name in differ:
        user = texts[name].find("USER_TEMPLATE")
        print("  %s: %s" % (name, " ".join("%s=%s" % (each.tag, each.text) for each in user
                                         if each.tag not in ("SCHED_MESSAGE", "GALERNA_PROMISE"))))
        for whose, seen in (("stock", stock[name]), ("galerna", ours.get(name))):
            print("    %-8s %s" % (whose, seen))
    return len(differ), len(stock)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True)
    parser.add_argument("--mm-sched", required=True, metavar="PROGRAM")
    parser.add_argument("--galernad", required=True, metavar="PATH")
    parser.add_argument("--work", required=True)
    parser.add_argument("--kind", action="append", choices=sorted(KINDS))
    parser.add_argument("--seeds", default="1-3", metavar="FIRST-LAST")
    parser.add_argument("--port", type=int, default=24633)
    given = parser.parse_args()
    given.galernad, given.mm_sched = map(os.path.abspath, (given.galernad, given.mm_sched))
    first, last = (int(number) for number in given.seeds.split("-"))
    differ = count = 0
    for seed in range(first, last + 1):
        for kind in given.kind or KINDS:
            found = compare(given, kind, seed)
            differ, count = differ + found[0], count + found[1]
    print("%d of %d VMs differ" % (differ, count))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
