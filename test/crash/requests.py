#!/usr/bin/env python3
"""Kills galernad at random while leases are requested: what was accepted is there at the end.

Simulated hosts, one client, SIGKILL at random moments. A request whose answer never came may have been
accepted or not; one that was answered with a lease must be in the list, with all its VMs."""

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

CONFIGURATION = """[simulation]
resources: 16  CPU:800 Memory:16384
[opennebula]
poll-interval: 1
[daemon]
log-level: warning
[rights]
max-reservations: unlimited
"""
PATIENCE = 60  # seconds until galernad answers again


class Daemon:
    """galernad, started again whenever it was killed."""

    def __init__(self, program, folder):
        self.folder = folder
        self.socket = os.path.join(folder, "state", "control.sock")
        self.command = [program, "--simulate", "--foreground", "--state-dir",
                        os.path.join(folder, "state"), "-c", os.path.join(folder, "conf")]
        self.log = open(os.path.join(folder, "log"), "ab")  # pylint: disable=consider-using-with
        self.lock = threading.Lock()
        self.process = None
        self.kills = 0
        with open(os.path.join(folder, "conf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION)

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=self.log)

    def kill(self):
        with self.lock:
            self.process.kill()
            self.process.wait()
            self.kills += 1
            self.start()

    def stop(self):
        with self.lock:
            self.process.terminate()
            code = self.process.wait(60)
        self.log.close()
        return code

    def ask(self, request, until):
        """The answer; None when the connection broke: it may have been done."""
        while True:
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.settimeout(PATIENCE)
                    connection.connect(self.socket)
                    try:
                        connection.sendall(json.dumps(request).encode() + b"\n")
                        text = b""
                        while not text.endswith(b"\n"):
                            piece = connection.recv(1 << 20)
                            if not piece:
                                return None
                            text += piece
                        return json.loads(text)
                    except OSError:
                        return None
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)


def strike(daemon, dice, kills, pace, over):
    """Kills at random moments, some of them soon after the start."""
    while daemon.kills < kills and not over.wait(dice.uniform(0, 2 * pace)):
        daemon.kill()


def instant(seconds):
    """So many seconds from now."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def request_leases(daemon, dice, requests, over):
    """The leases that were accepted, with their VMs; the unanswered; after the last kill too."""
    accepted, unanswered, refused = {}, 0, {}
    sent = 0
    while sent < requests or not over():
        kind = {"kind": "best-effort", "duration": dice.randint(1, 20)}
        if dice.random() < 0.2:
            kind = {"kind": "reservation", "duration": dice.randint(1, 20),
                    "start": instant(dice.randint(60, 3000))}
        answer = daemon.ask(dict(kind, command="lease-request", cpu=1, memory=64,
                                 count=dice.randint(1, 3)), time.monotonic() + PATIENCE)
        sent += 1
        if answer is None:
            unanswered += 1
        elif answer["ok"]:
            accepted[answer["lease"]] = answer["vms"]
        else:
            refused[answer["error"]] = refused.get(answer["error"], 0) + 1
        time.sleep(dice.uniform(0, 0.05))
    return sent, accepted, unanswered, refused


def missing(daemon, accepted):
    """What was accepted and is not there, or not whole, within a time: VMs must be observed first."""
    until = time.monotonic() + PATIENCE
    while True:
        answer = daemon.ask({"command": "lease-list", "all": True, "limit": 10000}, until)
        there = {lease["lease"]: lease["vms"] for lease in answer["leases"]}
        lost = [lease for lease, vms in accepted.items() if there.get(lease) != len(vms)]
        if not lost or time.monotonic() > until:
            return lost
        time.sleep(0.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--galernad", required=True, metavar="PATH")
    parser.add_argument("--requests", type=int, default=1000, metavar="N")
    parser.add_argument("--kills", type=int, default=100, metavar="N")
    parser.add_argument("--pace", type=float, default=0.6, metavar="SECONDS",
                        help="mean time between kills (default: 0.6)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    over = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(os.path.abspath(options.galernad), folder)
        daemon.start()
        striker = threading.Thread(target=strike, args=(daemon, random.Random(options.seed + 1),
                                                        options.kills, options.pace, over))
        striker.start()
        try:
            sent, accepted, unanswered, refused = request_leases(
                daemon, dice, options.requests, lambda: not striker.is_alive())
        finally:
            over.set()
            striker.join()
        lost = missing(daemon, accepted)
        code = daemon.stop()
        print("%d requests, %d kills: %d accepted, %d unanswered, %d refused, %d lost" % (
            sent, daemon.kills, len(accepted), unanswered, sum(refused.values()), len(lost)))
        for text, n in refused.items():
            print("refused %d times: %s" % (n, text))
        if lost or code or not accepted:
            with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as log:
                print("lost: %s; galernad ended with %s\n%s" % (lost, code, log.read()[-4000:]))
            sys.exit(1)


if __name__ == "__main__":
    main()
