"""The OpenNebula under a scenario, and what can be done to its surroundings.

Two kinds: the stand-in (`galerna sandbox`), and real daemons with drivers that read their orders
from files (README.md says which)."""

import ctypes
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import time

from kit.client import Oned, OnedError

# What the scenarios call an action: phase in the stand-in, messages of the driver.
SANDBOX_PHASES = {"deploy": "boot", "save": "save", "restore": "restore", "shutdown": "shutdown",
                  "migrate": "migrate"}
DRIVER_ACTIONS = {"deploy": "DEPLOY", "save": "SAVE", "restore": "RESTORE", "shutdown": "SHUTDOWN",
                  "migrate": "MIGRATE"}


PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def end_with_parent():
    """Between fork and exec: the child is killed when whoever started it is gone."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Missing(Exception):
    """This backend cannot do what the scenario needs."""


HELD = []  # sockets whose names keep other scenarios from this one's ports, also while oned is down


def free_port():
    """A port whose companions 2000 and 4000 further are free as well; this process's until it ends."""
    while True:
        port = random.randrange(20000, 28000)
        name = socket.socket(socket.AF_UNIX)
        try:
            name.bind("\0galerna-test-port-%d" % port)
        except OSError:
            name.close()
            continue
        HELD.append(name)
        if all(not answers(port + more) for more in (0, 2000, 4000)):
            return port


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 0.5).close()
        return True
    except OSError:
        return False


def wait_for(test, seconds, what):
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            raise TimeoutError("%s: not within %g s" % (what, seconds))
        time.sleep(0.1)


class Backend:
    """What both kinds share. `endpoint`, `auth_file` and `oned` are set by the kinds."""

    endpoint = auth_file = oned = None

    def log_in(self):
        with open(self.auth_file, encoding="utf-8") as file:
            self.oned = Oned(self.endpoint, file.read().strip())

    def answering(self):
        try:
            self.oned.call("one.system.version")
            return True
        except (OSError, OnedError):
            return False

    def version(self):
        return self.oned.call("one.system.version")

    def add_host(self, name, cores, memory, attributes=""):
        """A host that is monitored; returns its id."""
        host = self.oned.call("one.host.allocate", self.host_name(name, cores, memory), "dummy",
                              "dummy", -1)
        if attributes:
            self.oned.call("one.host.update", host, attributes, 1)
        self.wait_monitored(host, cores, memory)
        return host

    def report_hardware(self, host, text):
        """The host reports these PCI devices, cores, huge pages and memory nodes: vectors of a
        template, as OpenNebula's probes write them."""
        self.tell_hardware(host, text)
        devices, cores = text.count("PCI ="), text.count("CORE =")

        def reported():
            share = self.oned.document("one.host.info", host).find("HOST_SHARE")
            return len(share.findall("PCI_DEVICES/PCI")) >= devices and \
                len(share.findall("NUMA_NODES/NODE/CORE")) >= cores
        wait_for(reported, 60, "host %d reports its hardware" % host)

    def tell_hardware(self, host, text):
        raise NotImplementedError

    def tell_use(self, vm, cpu, net=0, disk=0):
        """The VM uses that much from now on: 1/100 processors, bytes per second."""
        raise NotImplementedError

    def report_use(self, vm, cpu, net=0, disk=0):
        """The same; the VM has been measured."""
        self.tell_use(vm, cpu, net, disk)

    def wait_monitored(self, host, cores, memory):
        def ready():
            found = self.oned.hosts().get(host)
            return found and found.state == 2 and found.cpu == cores * 100 and \
                found.memory == memory * 1024
        wait_for(ready, 20, "host %d monitored with %g cores and %d MB" % (host, cores, memory))

    def delay(self, method, seconds):
        """The answers of that method take longer."""
        raise Missing("answers cannot be delayed on command")

    def refuse(self, method, code, text, vm):
        """OpenNebula answers calls about that VM with an error."""
        raise Missing("calls cannot be refused on command")

    def lose(self, method):
        """OpenNebula answers calls of that method as usual, and they have no effect."""
        raise Missing("effects cannot be lost on command")

    def driver_logs(self):
        """Files in which the drivers tell what they were ordered; none in the stand-in."""
        return []

    def keep_on_hosts(self):
        """The system datastore's files are on the hosts' own disks, of 2 TB each."""
        raise Missing("hosts do not tell how large their disks are")

    def keep_images(self, free_mb):
        """Disks of images stay on the image datastore, which has so much room."""
        raise Missing("the datastore driver keeps no images")

    def host_name(self, name, cores, memory):
        raise NotImplementedError


class Sandbox(Backend):
    """The stand-in, one process for each scenario."""

    def __init__(self, program, directory, version):
        self.auth_file = os.path.join(directory, "one_auth")
        self.port = free_port()
        self.endpoint = "http://127.0.0.1:%d/RPC2" % self.port
        self.log = os.path.join(directory, "sandbox.log")
        self.command = [program, "sandbox", "--listen", "127.0.0.1", "--port", str(self.port),
                        "--opennebula", version, "--hosts", "0", "--auth", self.auth_file,
                        "--state", os.path.join(directory, "sandbox.db")]
        self.process = None
        self.start_oned()

    def close(self):
        self.stop_oned(kill=True)

    def start_oned(self):
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=output, start_new_session=True,
                                            preexec_fn=end_with_parent)
        # Who answers may be somebody else on that port: ours has written its file by then.
        wait_for(lambda: self.process.poll() is not None or
                 (os.path.exists(self.auth_file) and answers(self.port)), 15,
                 "galerna sandbox answers")
        if self.process.poll() is not None:
            with open(self.log, encoding="utf-8") as file:
                raise RuntimeError("galerna sandbox ended: " + file.read()[-500:])
        self.log_in()

    def stop_oned(self, kill=False):
        if self.process.poll() is None:
            (self.process.kill if kill else self.process.terminate)()
            self.process.wait(10)

    def host_name(self, name, cores, memory):
        """The capacity is in the name, in whole cores and GB."""
        return "c%dm%d-%s" % (cores, memory // 1024, name)

    def fault(self, **words):
        text = ", ".join('%s = "%s"' % (name.upper(), value) for name, value in words.items())
        self.oned.call("sandbox.fault", "FAULT = [ %s ]" % text)

    def slow(self, action, seconds, **where):
        self.fault(kind="slow", phase=SANDBOX_PHASES[action], time=int(seconds * 1000), count=-1,
                   **where)

    def fail(self, action, **where):
        self.fault(kind="fail", phase=SANDBOX_PHASES[action], count=-1, **where)

    def heal(self):
        self.oned.call("sandbox.clear", -1)

    def delay(self, method, seconds):
        self.fault(kind="delay", method=method, time=int(seconds * 1000), count=-1)

    def refuse(self, method, code, text, vm):
        self.fault(kind="refuse", method=method, code=code, text=text, vm=vm, count=-1)

    def lose(self, method):
        self.fault(kind="lose", method=method, count=-1)

    def refused(self):
        """How often orders to refuse were obeyed."""
        pool = self.oned.document("sandbox.faults")
        return sum(int(hit.text) for hit in pool.findall("FAULT/HITS"))

    def tell_hardware(self, host, text):
        self.oned.call("sandbox.host", host, text)

    def tell_use(self, vm, cpu, net=0, disk=0):
        self.oned.call("sandbox.use", vm, "CPU=%d\nNETRX_BW=0\nNETTX_BW=%d\nDISKRDBYTES_BW=0\n"
                       "DISKWRBYTES_BW=%d\n" % (cpu, net, disk))

    def break_host(self, host, broken):
        self.oned.call("sandbox.host", host, "break" if broken else "repair")

    def fill_datastores(self, free_mb):
        self.oned.call("sandbox.datastore", 0, free_mb)

    def keep_images(self, free_mb):
        self.oned.call("sandbox.datastore", 1, free_mb)

    def keep_on_hosts(self):
        self.oned.call("one.datastore.update", 0, 'SHARED = "NO"', 1)

    def deploys(self, vm):
        return None


class Real(Backend):
    """A real oned, started and stopped by a command and troubled through files."""

    def __init__(self, command, directory):
        self.directory = os.path.join(directory, "oned")
        self.port = free_port()
        self.command = command
        self.endpoint = "http://127.0.0.1:%d/RPC2" % self.port
        self.auth_file = os.path.join(self.directory, "one_auth")
        os.makedirs(self.directory, exist_ok=True)
        self.run("reset")
        self.log_in()
        wait_for(self.answering, 15, "oned answers")
        self.oned.call("one.datastore.update", 0, 'TM_MAD = "dummy"', 1)
        self.write("ds/0", "total_mb=2000000 free_mb=1900000 used_mb=100000")

    def run(self, action):
        command = self.command.format(directory=shlex.quote(self.directory), port=self.port,
                                      action=action)
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError("%s: %s" % (command, done.stdout + done.stderr))

    def close(self):
        self.run("kill")

    def start_oned(self):
        self.run("start")
        wait_for(self.answering, 15, "oned answers")

    def stop_oned(self, kill=False):
        self.run("kill" if kill else "stop")

    def host_name(self, name, cores, memory):
        self.write("hosts/" + name, "cores=%g memory_mb=%d" % (cores, memory))
        return name

    def path(self, name):
        return os.path.join(self.directory, "faults", name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name) + ".new", "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.rename(self.path(name) + ".new", self.path(name))

    def order(self, action, text, vm=None, host=None):
        name = "vm/" + DRIVER_ACTIONS[action]
        if vm is not None:
            name += "@vm%d" % vm
        elif host is not None:
            name += "@" + self.oned.hosts()[host].name
        self.write(name, text)

    def slow(self, action, seconds, **where):
        self.order(action, "delay=%g" % seconds, **where)

    def fail(self, action, **where):
        self.order(action, "fail=yes message=told_to_fail", **where)

    def heal(self):
        for name in os.listdir(self.path("vm")):
            os.unlink(os.path.join(self.path("vm"), name))

    def tell_hardware(self, host, text):
        self.write("hardware/" + self.oned.hosts()[host].name, text)

    def tell_use(self, vm, cpu, net=0, disk=0):
        host = self.oned.hosts()[self.oned.vm(vm).host].name
        self.write("use/vm%d" % vm, "host=%s cpu=%d net=%d disk=%d" % (host, cpu, net, disk))

    def report_use(self, vm, cpu, net=0, disk=0):
        super().report_use(vm, cpu, net, disk)
        wait_for(lambda: len([record for record in self.oned.document(
            "one.vm.monitoring", vm).findall("MONITORING/NETTX") if int(record.text) > 0 or not net])
                 > 2, 60, "VM %d is measured" % vm)

    def break_host(self, host, broken):
        name = "hosts/" + self.oned.hosts()[host].name
        with open(self.path(name), encoding="utf-8") as file:
            text = re.sub(r" *error=yes", "", file.read().strip())
        self.write(name, text + (" error=yes" if broken else ""))

    def fill_datastores(self, free_mb):
        self.write("ds/0", "total_mb=2000000 free_mb=%d used_mb=%d" % (free_mb, 2000000 - free_mb))

        def counted():
            store = self.oned.document("one.datastore.info", 0)
            return int(store.findtext("FREE_MB")) == free_mb
        wait_for(counted, 30, "datastore 0 monitored with %d MB free" % free_mb)

    def driver_logs(self):
        return [os.path.join(self.directory, "var", "driver.log")]

    def deploys(self, vm):
        """How many times the driver was told to boot the VM."""
        try:
            with open(os.path.join(self.directory, "var", "driver.log"), encoding="utf-8") as file:
                words = [line.split() for line in file]
        except OSError:
            return 0
        return sum(1 for word in words if word[1:3] == ["vm", "DEPLOY"] and word[3] == str(vm)
                   and word[5] == "begin")
