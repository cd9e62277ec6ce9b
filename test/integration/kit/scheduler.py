"""galernad as a process: its configuration, its state, its life and its death."""

import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import time

from kit.backend import end_with_parent

CONFIGURATION = """[general]
mode: opennebula

[opennebula]
endpoint: %(endpoint)s
poll-interval: 3
%(more)s
"""


def open_book(path):
    """A daemon's database, to be read; closed at the end of a with."""
    return contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=10))


class Scheduler:
    """One galernad. Its output goes to DIRECTORY/NAME.log."""

    def __init__(self, program, directory, backend, name="galernad", state=None, more="",
                 auth_file=None, prefix=()):
        self.program = program
        self.prefix = prefix  # words before the command
        self.name = name
        self.directory = directory
        self.state = state or os.path.join(directory, name + "-state")
        self.log = os.path.join(directory, name + ".log")
        self.configuration = os.path.join(directory, name + ".conf")
        self.environment = dict(os.environ, ONE_XMLRPC=backend.endpoint,
                                ONE_AUTH=auth_file or backend.auth_file,
                                RUNTIME_DIRECTORY=directory)
        self.process = None
        self.starts = 0
        self.ending = False
        os.makedirs(self.state, mode=0o700, exist_ok=True)
        with open(self.configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION % {"endpoint": backend.endpoint, "more": more})

    def start(self):
        assert not self.alive(), "galernad is started already"
        self.ending = False
        self.starts += 1
        with open(self.log, "ab") as output:
            output.write(b"--- start %d at %s\n" % (self.starts, time.strftime("%H:%M:%S").encode()))
            output.flush()
            self.process = subprocess.Popen(
                [*self.prefix, self.program, "--foreground", "-c", self.configuration,
                 "--state-dir", self.state],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True, preexec_fn=end_with_parent)

    def control(self, **request):
        """What the control socket answers."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(os.path.join(self.state, "control.sock"))
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile() as answer:
                return json.loads(answer.readline())

    def wake(self):
        """What OpenNebula's hook does."""
        return self.control(command="wake")

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def left_by_itself(self):
        return self.process is not None and not self.ending and self.process.poll() is not None

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait(10)

    def send(self, signal_number):
        self.ending = True
        if self.alive():
            self.process.send_signal(signal_number)

    def terminate(self, seconds):
        """SIGTERM; returns the exit code, or None when it still runs after that many seconds."""
        self.send(signal.SIGTERM)
        return self.wait(seconds)

    def wait(self, seconds):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def clean_up(self):
        if self.alive():
            self.terminate(5)
        if self.alive():
            self.kill()

    def book(self):
        """Its database, to be read; closed at the end of a with."""
        return open_book(os.path.join(self.state, "store.db"))

    def events(self, lease):
        """What its book tells of a lease, oldest first: (event, text)."""
        with self.book() as book:
            return book.execute("SELECT event, text FROM event WHERE lease = ? ORDER BY number",
                                (lease,)).fetchall()

    def reason(self, lease):
        """Why a lease is where it is."""
        shown = self.control(command="lease-show", lease=lease).get("lease", {})
        return (shown.get("reason") or {}).get("text", "")

    def command(self, *words):
        """`galerna WORDS` for it: its exit code, and what it prints."""
        galerna = os.path.join(os.path.dirname(self.program), "galerna")
        ended = subprocess.run([galerna, *words, "--state-dir", self.state], timeout=30, text=True,
                               check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return ended.returncode, ended.stdout

    def ask(self, *words):
        return self.command(*words)[1]

    def output(self):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def tail(self, lines=8):
        return " | ".join(self.output().strip().split("\n")[-lines:])
