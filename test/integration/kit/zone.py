"""A zone of three front-ends: real daemons in network namespaces of their own, joined by a bridge.

Needs root, `ip` with namespaces, and OpenNebula's source with oned built in it."""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import time

from kit.backend import Real, wait_for
from kit.client import Oned, OnedError
from real.one import Installation

PORT = 2633
DATASTORES = 3  # those that oned begins with
LEADER = 3  # the state of one.zone.raftstatus
ELECTION_SECONDS = 180
ELECTED, REPLICATES, REPLICATED = ("oned is now the leader", "Replicating log to followers",
                                   "Leader log replicated")

RAFT = """
RAFT = [ LIMIT_PURGE = 100000, LOG_RETENTION = 2000000, LOG_PURGE_TIMEOUT = 60,
  ELECTION_TIMEOUT_MS = 5000, BROADCAST_TIMEOUT_MS = 500, XMLRPC_TIMEOUT_MS = 1000 ]
"""


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError("ip %s: %s" % (" ".join(words), done.stderr.strip()))


class Network:
    """A bridge and a namespace for each front-end. Addresses are of the range for benchmarks."""

    def __init__(self, count):
        self.mark = "%d" % (os.getpid() % 100000)
        self.prefix = "198.18.%d." % (os.getpid() % 250)
        self.bridge = "glb" + self.mark
        self.count = count
        ip("link", "add", self.bridge, "type", "bridge")
        ip("addr", "add", self.prefix + "254/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")
        for i in range(count):
            name, port = self.namespace(i), self.port(i)
            ip("netns", "add", name)
            ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", port, "master", self.bridge, "up")
            ip("-n", name, "addr", "add", self.address(i) + "/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")

    def namespace(self, i):
        return "gl%s-%d" % (self.mark, i)

    def port(self, i):
        return "gl%sp%d" % (self.mark, i)

    def address(self, i):
        return self.prefix + str(i + 1)

    def cut(self, i, is_cut):
        ip("link", "set", self.port(i), "down" if is_cut else "up")

    def close(self):
        for i in range(self.count):
            with contextlib.suppress(RuntimeError):
                ip("netns", "del", self.namespace(i))
        with contextlib.suppress(RuntimeError):
            ip("link", "del", self.bridge)


class FrontEnd(Installation):
    """One oned of the zone; what a galernad beside it needs."""

    listen = "0.0.0.0"

    def __init__(self, source, directory, network, number):
        super().__init__(source, directory, PORT)
        self.number = number
        self.network = network
        self.address = network.address(number)
        self.prefix = ("ip", "netns", "exec", network.namespace(number))
        self.endpoint = "http://localhost:%d/RPC2" % PORT  # as seen from beside it
        self.auth_file = self.path("one_auth")
        self.oned = None

    def outside(self):
        return "http://%s:%d/RPC2" % (self.address, PORT)

    def configure(self):
        super().configure()
        with open(self.path("etc", "oned.conf"), "a", encoding="utf-8") as file:
            file.write(RAFT)

    def log_in(self):
        with open(self.auth_file, encoding="utf-8") as file:
            self.oned = Oned(self.outside(), file.read().strip(), timeout=3)

    def send(self, signal_number):
        pid = self.pid()
        if pid:
            os.kill(pid, signal_number)

    def elected(self):
        """(When it was elected last, when it accepted writes after that), in seconds since 1970, by its
        log; 0: not yet. In between it replicates its own log, and refuses them."""
        times = {}
        with open(self.path("var", "oned.log"), encoding="utf-8", errors="replace") as file:
            for line in file:
                for text in (ELECTED, REPLICATES, REPLICATED):
                    if text in line:
                        times[text] = time.mktime(time.strptime(line[:24]))
        elected, replicated = times.get(ELECTED, 0), times.get(REPLICATED, 0)
        if times.get(REPLICATES, 0) < elected:
            return elected, elected
        return elected, replicated if replicated >= elected else 0

    def raft(self):
        """(term, leads); (-1, False): it does not answer."""
        try:
            status = self.oned.document("one.zone.raftstatus")
        except (OSError, OnedError):
            return -1, False
        return int(status.findtext("TERM")), int(status.findtext("STATE")) == LEADER


class LeadingOned(Oned):
    """Calls go to the oned that leads; another one is looked for when it fails."""

    def __init__(self, front_ends):
        super().__init__(front_ends[0].outside(), front_ends[0].oned.session)
        self.front_ends = front_ends
        self.proved = ""
        self.proofs = 0

    def find(self):
        """The front-end that leads in the latest term, or None."""
        found = [(*front_end.raft(), front_end) for front_end in self.front_ends
                 if front_end.pid()]
        found = [(term, front_end.number, front_end) for term, leads, front_end in found if leads]
        return max(found)[2] if found else None

    def prove(self):
        """A new leader answers from what it has applied of its log; of all of it once it has written. One that
        was deposed answers, too."""
        if not any(front_end.outside() == self.endpoint and front_end.raft()[1]
                   for front_end in self.front_ends):
            self.follow()
        endpoint = self.endpoint
        if endpoint != self.proved:
            self.proofs += 1  # oned never ends a write that its own log lost, and keeps the datastore locked
            self.call("one.datastore.update", self.proofs % DATASTORES, 'PROVED = "%d"' % time.time(), 1)
            self.proved = endpoint

    def call(self, method, *arguments):
        try:
            return super().call(method, *arguments)
        except (OSError, OnedError):
            self.follow()
            raise

    def follow(self):
        leader = self.find()
        if leader and leader.outside() != self.endpoint:
            self.endpoint = leader.outside()
            self.local = type(self.local)()  # connections of all threads


class Zone(Real):
    """Three real oned in one Raft zone. Their drivers obey the same files."""

    def __init__(self, source, directory, count=3):  # pylint: disable=super-init-not-called
        self.directory = os.path.join(directory, "zone")
        os.makedirs(self.directory)
        for name in ("hosts", "vm", "ds"):
            os.makedirs(self.path(name))
        self.write("ds/0", "total_mb=2000000 free_mb=1900000 used_mb=100000")
        self.key = os.path.join(self.directory, "promise.key")
        with open(self.key, "w", encoding="utf-8",
                  opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(secrets.token_hex(32) + "\n")
        self.network = Network(count)
        self.front_ends = [FrontEnd(source, os.path.join(self.directory, "one%d" % i),
                                    self.network, i) for i in range(count)]
        self.auth_file = self.front_ends[0].auth_file
        try:
            self.found()
        except BaseException:
            self.close()
            raise

    def found(self):
        """The first oned makes the zone by itself; the others begin with its database."""
        first = self.front_ends[0]
        for front_end in self.front_ends:
            front_end.lay_out()
            shutil.rmtree(front_end.path("faults"))
            os.symlink(os.path.join(self.directory, "faults"), front_end.path("faults"))
        first.start()
        first.log_in()
        wait_for(lambda: first.raft()[0] >= 0, 30, "oned answers")
        first.oned.call("one.datastore.update", 0, 'TM_MAD = "dummy"', 1)
        for front_end in self.front_ends:
            first.oned.call("one.zone.addserver", 0, 'SERVER = [ NAME = "one%d", ENDPOINT = "%s" ]'
                            % (front_end.number, front_end.outside()))
        first.stop()
        for front_end in self.front_ends:
            front_end.server = front_end.number
            front_end.configure()
            if front_end is not first:
                first.give_database(front_end)
            front_end.log_in()
            front_end.start()
        self.oned = LeadingOned(self.front_ends)
        self.wait_leader()

    def leader(self):
        return self.oned.find()

    def wait_leader(self, but=None):
        """Until one leads that is not `but`."""
        found = []

        def leads():
            leader = self.leader()
            if leader is not None and leader is not but:
                found.append(leader)
            return found
        wait_for(leads, ELECTION_SECONDS, "an election")
        self.oned.endpoint = found[0].outside()
        return found[0]

    def driver_logs(self):
        return [front_end.path("var", "driver.log") for front_end in self.front_ends]

    # --- troubles ---

    def kill_oned(self, front_end):
        front_end.kill()

    def deafen(self, front_end, is_deaf):
        front_end.send(signal.SIGSTOP if is_deaf else signal.SIGCONT)

    def cut(self, front_end, is_cut):
        self.network.cut(front_end.number, is_cut)

    def close(self):
        for front_end in self.front_ends:
            self.deafen(front_end, False)
            with contextlib.suppress(Exception):
                front_end.kill()
        time.sleep(0.5)
        self.network.close()
