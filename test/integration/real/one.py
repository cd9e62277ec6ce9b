#!/usr/bin/env python3
"""A real oned for the scenarios: an empty installation in a directory, started and stopped.

    one.py --source TREE [--slave] DIRECTORY PORT reset|start|stop|kill

With --slave it is the oned of a slave zone in a federation whose master zone is away.
TREE is OpenNebula's source with oned and onemonitord built in it. The drivers are driver.py beside
this file, so that nothing but these two programs is taken from the tree. README.md says what the
command has to do."""

import argparse
import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import xmlrpc.client

ONED = "src/nebula/oned"
MONITORD = "src/monitor/src/monitor/onemonitord"
MARK = ".galerna-oned"  # only a directory that has it is ever emptied
START_SECONDS = 120
STOP_SECONDS = 30
MONITORD_PORT, GRPC_PORT = 2000, 4000  # further than oned's own

CONFIGURATION = """
LOG = [ SYSTEM = "file", DEBUG_LEVEL = 2, USE_VMS_LOCATION = "NO" ]
HOSTNAME = "localhost"
LISTEN_ADDRESS = "{listen}"
PORT = {port}
GRPC_LISTEN_ADDRESS = "127.0.0.1"
GRPC_PORT = {grpc_port}
MAX_CONN = 120
MAX_CONN_BACKLOG = 240
DB = [ BACKEND = "sqlite", TIMEOUT = 30000 ]
MANAGER_TIMER = 1
MONITORING_INTERVAL_DATASTORE = 5
FEDERATION = [ {federation}, SERVER_ID = {server} ]
IM_MAD = [ NAME = "monitord", EXECUTABLE = "{monitord}", ARGUMENTS = "-c monitord.conf", THREADS = 8 ]
VM_MAD = [ NAME = "dummy", EXECUTABLE = "{driver}", ARGUMENTS = "vm", TYPE = "xml" ]
TM_MAD = [ EXECUTABLE = "{driver}", ARGUMENTS = "transfer" ]
DATASTORE_MAD = [ EXECUTABLE = "{driver}", ARGUMENTS = "datastore" ]
MARKET_MAD = [ EXECUTABLE = "{driver}", ARGUMENTS = "idle" ]
IPAM_MAD = [ EXECUTABLE = "{driver}", ARGUMENTS = "network" ]
HM_MAD = [ EXECUTABLE = "{driver}", ARGUMENTS = "idle" ]
TM_MAD_CONF = [ NAME = "dummy", LN_TARGET = "NONE", CLONE_TARGET = "SYSTEM", SHARED = "YES",
  DS_MIGRATE = "YES" ]
{stock_datastores}
AUTH_MAD_CONF = [ NAME = "core", PASSWORD_CHANGE = "YES", DRIVER_MANAGED_GROUPS = "NO",
  MAX_TOKEN_TIME = "-1" ]
VN_MAD_CONF = [ NAME = "dummy", BRIDGE_TYPE = "linux" ]
"""

# 7.x schedules by itself unless its window never closes.
NO_SCHEDULING = """
SCHED_MAD = [ EXECUTABLE = "{driver}", ARGUMENTS = "idle" ]
SCHED_MAX_WND_TIME = 1000000000
SCHED_MAX_WND_LENGTH = 1000000000
SCHED_RETRY_TIME = 1000000000
DRS_INTERVAL = -1
"""

MONITORD_CONFIGURATION = """
LOG = [ SYSTEM = "FILE", DEBUG_LEVEL = 1 ]
MANAGER_TIMER = 1
MONITORING_INTERVAL_HOST = 3
HOST_MONITORING_EXPIRATION_TIME = 600
VM_MONITORING_EXPIRATION_TIME = 600
NETWORK = [ ADDRESS = "127.0.0.1", MONITOR_ADDRESS = "127.0.0.1", PORT = {port}, THREADS = 2,
  PUBKEY = "", PRIKEY = "" ]
IM_MAD = [ NAME = "dummy", EXECUTABLE = "{driver}", ARGUMENTS = "monitor", THREADS = 0 ]
"""


class Trouble(Exception):
    """What the user is told instead of a traceback."""


class Installation:
    address = listen = "127.0.0.1"
    federation = 'MODE = "STANDALONE", ZONE_ID = 0'
    server = -1  # in a zone of several
    prefix = ()  # words before oned's command

    def __init__(self, source, directory, port):
        self.source = os.path.abspath(source)
        self.directory = os.path.abspath(directory)
        self.port = port
        self.pid_file = self.path("oned.pid")

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def program(self, name):
        path = os.path.join(self.source, name)
        if not os.access(path, os.X_OK):
            raise Trouble("%s is missing: --source must be OpenNebula's source tree with oned and "
                          "onemonitord built in it" % path)
        return path

    # --- files ---

    def reset(self):
        self.lay_out()
        self.start()

    def lay_out(self):
        self.program(ONED), self.program(MONITORD)
        self.kill()
        self.empty()
        for name in ("etc", "lib/mads", "share", "var/lock", "var/vms", "var/remotes",
                     "var/datastores", "faults/hosts", "faults/vm", "faults/ds"):
            os.makedirs(self.path(name))
        self.write("one_auth", "oneadmin:%s\n" % secrets.token_hex(8))
        driver = self.path("lib", "mads", "driver")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver.py")
        self.write("lib/mads/driver", '#!/bin/sh\nexec "%s" -B "%s" "$1" "%s"\n' % (
            sys.executable, script, self.directory), 0o755)
        self.configure()

    def configure(self):
        driver = self.path("lib", "mads", "driver")
        words = {"listen": self.listen, "federation": self.federation, "server": self.server,
                 "port": self.port,
                 "grpc_port": self.port + GRPC_PORT, "driver": driver,
                 "monitord": self.program(MONITORD), "stock_datastores": stock_datastores()}
        text = CONFIGURATION.format(**words)
        if os.path.isdir(os.path.join(self.source, "src", "schedm")):
            text += NO_SCHEDULING.format(**words)
        self.write("etc/oned.conf", text)
        self.write("etc/monitord.conf", MONITORD_CONFIGURATION.format(
            port=self.port + MONITORD_PORT, driver=driver))

    def federate(self, mode, zone, *more):
        self.federation = ", ".join(['MODE = "%s"' % mode, "ZONE_ID = %d" % zone, *more])
        self.configure()

    def url(self):
        return "http://%s:%d/RPC2" % (self.address, self.port)

    def give_database(self, other):
        """To an installation that does not run, with the administrator's name and password."""
        for name in ("one_auth", "var/one.db"):
            shutil.copy(self.path(name), other.path(name))
        shutil.copytree(self.path("var", ".one"), other.path("var", ".one"), dirs_exist_ok=True)

    def empty(self):
        if os.path.isdir(self.directory) and os.listdir(self.directory) and \
                not os.path.exists(self.path(MARK)):
            raise Trouble("%s has files that are not of this program; it is left alone" %
                          self.directory)
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory, mode=0o700)
        self.write(MARK, "")

    def write(self, name, text, mode=0o600):
        with open(self.path(name), "w", encoding="utf-8",
                  opener=lambda path, flags: os.open(path, flags, mode)) as file:
            file.write(text)

    # --- processes: oned, and its drivers in the same process group ---

    def keep_log(self):
        """oned begins its log anew."""
        with contextlib.suppress(FileNotFoundError), open(self.path("var", "oned.log"), "rb") as log:
            with open(self.path("var", "oned.log.before"), "ab") as before:
                shutil.copyfileobj(log, before)

    def start(self):
        if not os.path.exists(self.path("etc", "oned.conf")):
            raise Trouble("%s is no installation; reset makes one" % self.directory)
        if self.pid():
            raise Trouble("oned runs already in %s" % self.directory)
        with contextlib.suppress(FileNotFoundError):  # left by one that was killed
            os.unlink(self.path("var", "lock", ".lock"))
        self.keep_log()
        environment = dict(os.environ, ONE_LOCATION=self.directory, HOME=self.directory,
                           ONE_AUTH=self.path("one_auth"),
                           ONE_XMLRPC="http://127.0.0.1:%d/RPC2" % self.port)
        with open(self.path("oned.out"), "ab") as output:
            process = subprocess.Popen([*self.prefix, self.program(ONED), "-f"], env=environment,
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                       start_new_session=True, cwd=self.directory)
        self.write("oned.pid", "%d %s\n" % (process.pid, birth(process.pid)))
        end = time.monotonic() + START_SECONDS
        while not answers(self.address, self.port):
            if process.poll() is not None:
                self.kill()
                raise Trouble("oned ended with %d: %s" % (process.returncode, self.complaint()))
            if time.monotonic() > end:
                self.kill()
                raise Trouble("oned does not answer after %d s: %s" % (
                    START_SECONDS, self.complaint()))
            time.sleep(0.05)

    def complaint(self):
        """The last lines of what oned said."""
        lines = []
        for name in ("oned.out", "var/oned.log"):
            with contextlib.suppress(OSError), \
                    open(self.path(name), encoding="utf-8", errors="replace") as file:
                lines += [line.strip() for line in file][-4:]
        return " | ".join(lines) or "it said nothing"

    def pid(self):
        """Of the running oned, or None. Its birth tells it from another process of that number."""
        try:
            with open(self.pid_file, encoding="utf-8") as file:
                pid, born = file.read().split()
        except (OSError, ValueError):
            return None
        return int(pid) if birth(int(pid)) == born else None

    def stop(self):
        pid = self.pid()
        if pid:
            os.kill(pid, signal.SIGTERM)
            self.wait_gone(STOP_SECONDS)
        self.kill()

    def kill(self):
        """oned and whatever of its drivers is left."""
        try:
            with open(self.pid_file, encoding="utf-8") as file:
                group = int(file.read().split()[0])
        except (OSError, ValueError, IndexError):
            return
        for process in members(group, self.directory):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        end = time.monotonic() + STOP_SECONDS
        while members(group, self.directory):
            if time.monotonic() > end:
                raise Trouble("processes of oned's group %d cannot be killed" % group)
            time.sleep(0.02)
        os.unlink(self.pid_file)

    def wait_gone(self, seconds):
        end = time.monotonic() + seconds
        while self.pid() and time.monotonic() < end:
            time.sleep(0.05)


class SlaveZone(Installation):
    """The master zone runs only to found the federation, with the same database."""

    def reset(self):
        super().reset()  # oned founds a federation in a database that exists
        self.stop()
        master = Installation(self.source, self.path("master"), self.port + 1)
        master.lay_out()
        found_federation(master, self)
        self.start()


def found_federation(master, slave):
    """Of two installations that are laid out and do not run; the slave's has a database."""
    master.federate("MASTER", 0)
    slave.give_database(master)
    master.start()
    zone = add_zone(master, 'NAME = "slave"\nENDPOINT = "%s"' % slave.url())
    master.stop()
    slave.federate("SLAVE", zone, 'MASTER_ONED = "%s"' % master.url())
    master.give_database(slave)


def add_zone(master, template):
    """Its number."""
    with open(master.path("one_auth"), encoding="utf-8") as file:
        session = file.read().strip()
    answer = xmlrpc.client.ServerProxy(master.url()).one.zone.allocate(session, template)
    if not answer[0]:
        raise Trouble("the slave zone cannot be added: %s" % answer[1])
    return answer[1]


def stock_datastores():
    """The drivers that the datastores of an empty database name; the scenarios use the dummy."""
    return "".join('TM_MAD_CONF = [ NAME = "%s", LN_TARGET = "SYSTEM", CLONE_TARGET = "SYSTEM", '
                   'SHARED = "NO", DS_MIGRATE = "YES" ]\n' % name for name in ("ssh", "local")) + \
        "".join('DS_MAD_CONF = [ NAME = "%s", REQUIRED_ATTRS = "", PERSISTENT_ONLY = "NO" ]\n' % name
                for name in ("dummy", "fs"))


def stat_fields(pid):
    """The fields of /proc/PID/stat that follow the program's name; [] when it is gone or dead."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return []
    return [] if fields[0] in "ZX" else fields


def birth(pid):
    """When the process was started, in the kernel's ticks, or "" when it does not run."""
    fields = stat_fields(pid)
    return fields[19] if fields else ""


def members(group, directory):
    """The processes of a process group that were started for that installation."""
    found = []
    for name in os.listdir("/proc"):
        fields = stat_fields(int(name)) if name.isdigit() else []
        if fields and int(fields[2]) == group:
            with contextlib.suppress(OSError), open("/proc/%s/environ" % name, "rb") as file:
                if b"ONE_LOCATION=%s" % os.fsencode(directory) in file.read().split(b"\0"):
                    found.append(int(name))
    return found


def answers(address, port):
    try:
        socket.create_connection((address, port), 0.5).close()
        return True
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--source", required=True, metavar="TREE",
                        help="OpenNebula's source with oned and onemonitord built in it")
    parser.add_argument("--slave", action="store_true",
                        help="a slave zone in a federation whose master zone is away")
    parser.add_argument("directory")
    parser.add_argument("port", type=int)
    parser.add_argument("action", choices=["reset", "start", "stop", "kill"])
    options = parser.parse_args()
    kind = SlaveZone if options.slave else Installation
    installation = kind(options.source, options.directory, options.port)
    try:
        getattr(installation, options.action)()
    except (Trouble, OSError) as trouble:
        print("one.py: %s" % trouble, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
