"""The processes of a trial: a stand-in for OpenNebula and a galernad that may be killed."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import xml.etree.ElementTree as ElementTree
import xml.parsers.expat
import xmlrpc.client

from kit.client import Oned, OnedError, vm_from
from kit.sampler import Sampler

CRASH_EXIT = 137  # CRASH_POINT_EXIT of util/crash_point.h
SAME, EMPTY, OLDER = "same", "empty", "older"  # stores with which galernad is started again
HOSTS, CORES, MEMORY = 2, 8, 8192

CONFIGURATION = """[galerna]

[opennebula]
endpoint: %(endpoint)s
auth-file: %(auth)s
promise-key: %(key)s
poll-interval: 1
retry-backoff: 1
end-warning: 2
timeout: 5

[daemon]
record: %(record)s
log-level: debug

[scheduling]
policy-preemption: ar-preempts-everything
suspend-rate: 256
resume-rate: 256
"""


class Cloud:
    """A sandbox of two hosts whose operations take some tenths of a second."""

    def __init__(self, galerna, directory, version):
        self.auth = os.path.join(directory, "one_auth")
        with open(os.path.join(directory, "sandbox.log"), "ab") as log:
            self.process = subprocess.Popen(
                [galerna, "sandbox", "--port", "0", "--json", "--auth", self.auth,
                 "--opennebula", version, "--hosts", str(HOSTS), "--cpu", str(CORES),
                 "--memory", str(MEMORY), "--boot-time", "0.3", "--save-time", "0.4",
                 "--restore-time", "0.3", "--shutdown-time", "0.2", "--seed", "1"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                start_new_session=True)
        self.endpoint = json.loads(self.process.stdout.readline())["endpoint"]
        with open(self.auth, encoding="utf-8") as file:
            self.oned = Site(self.endpoint, file.read().strip())
        self.oned.hosts()

    def fault(self, **words):
        """Orders a failure. The site no longer asks by the method that fails."""
        self.oned.avoid = words["method"]
        text = ", ".join('%s = "%s"' % (name.upper(), value) for name, value in words.items())
        self.oned.call("sandbox.fault", "FAULT = [ %s ]" % text)

    def hits(self):
        """How often ordered failures have happened."""
        pool = self.oned.document("sandbox.faults")
        return sum(int(hit.text) for hit in pool.findall("FAULT/HITS"))

    def heal(self):
        self.oned.call("sandbox.clear", -1)
        self.oned.avoid = None

    def close(self):
        self.process.kill()
        self.process.wait(10)
        self.process.stdout.close()


class Site(Oned):
    """OpenNebula as the trial itself asks it, around the method that is made to fail."""

    avoid = None
    known = 0  # VMs that were made

    def vms(self, state=-2):
        if self.avoid != "one.vmpool.infoextended":
            return super().vms(state)
        ids = ",".join(map(str, range(self.known + 2)))  # one is made by galernad
        pool = self.document("one.vmpool.infoset", ids, True)
        return {vm.id: vm for vm in map(vm_from, pool.findall("VM"))}

    def hosts(self):
        """They do not change: one look is enough."""
        if not hasattr(self, "hosts_seen"):
            self.hosts_seen = super().hosts()
        return self.hosts_seen

    def allocate(self, template):
        vm = self.call("one.vm.allocate", template, False)
        self.known = vm + 1
        return vm

    def act(self, verb, vm, states):
        """A user's action, asked for until its effect is seen."""
        for _ in range(20):
            try:
                self.action(verb, vm)
            except (OSError, OnedError, xml.parsers.expat.ExpatError, xmlrpc.client.Error):
                pass
            for _ in range(10):
                found = self.vms()[vm]
                if found.state in states:
                    return
                time.sleep(0.1)
        raise OnedError("%s of VM %d has no effect" % (verb, vm))


class Watcher(Sampler):
    """The sampler of the scenarios; `seen` is waited for."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.told = set()  # VMs that were seen on hold with a reason
        self.late = set()  # VMs that were seen to be reported as late

    def poll(self):
        try:
            super().poll()
            self.told.update(vm.id for vm in self.seen.values() if vm.state == 2 and vm.message)
            self.late.update(vm.id for vm in self.seen.values() if "Late: " in vm.message)
        except (xml.parsers.expat.ExpatError, ElementTree.ParseError) as error:
            self.violation("OpenNebula answers nonsense: %s" % error)


class Daemon(threading.Thread):
    """galernad; whenever a crash point or kill() ends it, it is started again, now without."""

    def __init__(self, program, directory, cloud, environment):
        super().__init__(daemon=True)
        self.program = program
        self.directory = directory
        self.cloud = cloud
        self.log = os.path.join(directory, "galernad.log")
        self.configuration = os.path.join(directory, "galerna.conf")
        self.environment = environment
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.killed = None  # when
        self.crashes = 0
        self.failure = None
        self.starts = []  # after each crash: with which store, SAME, EMPTY or OLDER; with which environment
        self.takeovers = 0  # by one with another store
        self.returns = 0    # of the older one among them
        self.older = None  # a copy of the store as it was at the first crash, for OLDER
        self.ended = []  # when it was killed: seconds since 1970
        self.begin_state("")
        self.process = self.launch(environment)

    def begin_state(self, mark, older=None):
        """A state directory, empty or a copy of an older one, and the key that all front-ends share."""
        self.state = os.path.join(self.directory, "state" + mark)
        self.record = os.path.join(self.directory, "record%s.lwf" % mark)
        if older:
            shutil.copytree(older, self.state)
        else:
            os.makedirs(self.state, mode=0o700)
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION % {
                "endpoint": self.cloud.endpoint, "auth": self.cloud.auth, "record": self.record,
                "key": os.path.join(self.directory, "promise.key")})

    def launch(self, environment):
        with open(self.log, "ab") as output:
            output.write(b"--- start at %s\n" % time.strftime("%H:%M:%S").encode())
            output.flush()
            return subprocess.Popen(
                [self.program, "--foreground", "-c", self.configuration, "--state-dir", self.state],
                env=dict(os.environ, RUNTIME_DIRECTORY=os.path.dirname(self.state),
                         **environment),
                stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, start_new_session=True)

    def run(self):
        while not self.stopping.is_set():
            code = self.process.poll()
            with self.lock:
                if code is None or self.stopping.is_set():
                    pass
                elif code == CRASH_EXIT or self.killed:
                    self.crashes += 1
                    self.ended.append(self.killed or os.path.getmtime(self.log))  # a point is told
                    self.killed = None
                    self.process = self.launch(self.next_start())
                else:
                    self.failure = "galernad ended by itself with %d: %s" % (code, self.tail())
                    return
            time.sleep(0.05)

    def next_start(self):
        store, environment = self.starts.pop(0) if self.starts else (SAME, {})
        if any(later == OLDER for later, _ in self.starts) and not self.older:
            self.put_away()
        if store != SAME:
            self.takeovers += 1
            self.returns += store == OLDER
            self.begin_state("-%d" % (self.takeovers + 1), self.older if store == OLDER else None)
        return environment

    def put_away(self):
        """A copy of the store as it is now."""
        self.older = os.path.join(self.directory, "older")
        shutil.copytree(self.state, self.older, ignore=lambda _, names: [
            name for name in names if name.endswith(".sock")])

    def kill(self):
        with self.lock:
            if self.process.poll() is None:
                self.killed = time.time()
                self.process.send_signal(signal.SIGKILL)
                self.process.wait(10)

    def stop(self):
        """SIGTERM. A crash point on the way is met by another start."""
        self.stopping.set()
        self.join()
        for _ in range(2):
            if self.process.poll() is None:
                self.process.terminate()
            code = self.process.wait(10)
            if code == 0:
                return
            if code != CRASH_EXIT:
                break
            self.crashes += 1
            self.process = self.launch({})
            self.wait_until_begun()
        self.failure = self.failure or "galernad ends with %d: %s" % (code, self.tail())

    def wait_until_begun(self):
        """It says something once it handles signals; on a loaded machine that takes seconds."""
        for _ in range(100):
            time.sleep(0.1)
            if not self.text().rstrip().splitlines()[-1].startswith("--- start at"):
                return

    def close(self):
        self.stopping.set()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def away(self):
        """When it did not act: from each end to the second in which the next one has read OpenNebula."""
        starts = self.text().split("--- start at ")[2:]
        found = [re.search("(.{19}) connected to OpenNebula", start) for start in starts]
        back = [time.mktime(time.strptime(one[1], "%Y-%m-%d %H:%M:%S")) + 1 if one else None
                for one in found] + [None]
        later = self.ended[1:] + [time.time()]
        return [(end, back[i] or later[i]) for i, end in enumerate(self.ended)]

    def tail(self):
        return " | ".join(self.text().strip().split("\n")[-4:])

    def ask(self, galerna, *words):
        return subprocess.run([galerna, *words, "--state-dir", self.state], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=20,
                              check=False)

    def ask_trace(self, galerna):
        """What is wrong with the record, or nothing."""
        checked = subprocess.run([galerna, "trace", "check", self.record], text=True,
                                 stdin=subprocess.DEVNULL, capture_output=True, timeout=20,
                                 check=False)
        return checked.stdout + checked.stderr if checked.returncode else ""

    def rows(self, query):
        """What is in the book on disk; [] before there is one."""
        path = os.path.join(self.state, "store.db")
        try:
            book = sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=5)
        except sqlite3.OperationalError:
            return []
        try:
            book.row_factory = sqlite3.Row
            return [dict(row) for row in book.execute(query)]
        except sqlite3.OperationalError:
            return []
        finally:
            book.close()
