"""Looks at OpenNebula gently, acts as its operator after crashes, and weighs the daemon."""

import json
import os
import subprocess
import threading
import time

from kit.client import ALL_BUT_DONE, LCM_INIT, OnedError
from kit.groups import broken_rules, read_groups
from kit.sampler import Sampler

STUCK = 30  # seconds in one transition after oned was killed: an operator recovers the VM
REUNITED = 30  # seconds for which VMs that move together may be on different hosts
RECOVER_SUCCESS, DELETE_RECREATE = 1, 4
PASSING = {LCM_INIT, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 18, 20, 21, 22, 23, 29, 30, 31, 32, 35,
           43, 45}


class GentleSampler(Sampler):
    """Reads unfinished VMs only; one that is no longer among them must be DONE."""

    def __init__(self, oned, story):
        super().__init__(oned, story)
        self.finished = {}   # id -> Vm with its whole history
        self.lost = {}       # id -> Vm as it was before it vanished
        self.stuck = {}      # id -> (state, since)
        self.recovered = {}  # id -> times
        self.killed = 0.0    # when oned was last killed
        self.slowest = 0.0
        self.broken = {}     # rule of a VM group -> since when

    def run(self):
        pause = self.period
        while not self.stopping.wait(pause):
            begun = time.monotonic()
            self.poll()
            took = time.monotonic() - begun
            self.slowest = max(self.slowest, took)
            pause = max(self.period - took, 0.3, took)

    def poll(self):
        try:
            hosts, vms = self.oned.hosts(), self.oned.vms(ALL_BUT_DONE)
            for vm_id in [vm_id for vm_id in self.seen if vm_id not in vms]:
                self.finish(vm_id)
            self.recover_stuck(vms)
            broken = broken_rules(read_groups(self.oned), hosts, vms) if self.has_groups else []
        except (OSError, OnedError) as error:
            if not self.may_be_away:
                self.violation("OpenNebula does not answer: %s" % error)
            return
        self.polls += 1
        self.judge(hosts, vms)
        self.rules(broken)

    def rules(self, broken):
        """VMs that are to be on one host leave it one after the other."""
        now = time.time()
        self.broken = {text: self.broken.get(text, now) for text in broken}
        for text, since in self.broken.items():
            if "ANTI_AFFINED" in text or now - since > REUNITED:
                self.violation(text)

    def finish(self, vm_id):
        try:
            vm = self.oned.vm(vm_id)
        except OnedError as error:
            if "Error getting virtual machine" not in str(error):
                raise
            self.lost[vm_id] = self.seen.pop(vm_id)
            self.violation("VM %s has vanished" % self.lost[vm_id])
            return
        if vm.done:
            self.finished[vm_id] = vm
            self.tell("%d '%s' DONE" % (vm_id, vm.name))
            self.seen.pop(vm_id)

    def judge(self, hosts, vms):
        before = self.seen
        for vm in vms.values():
            if vm.id in self.finished:
                self.violation("VM %s is back from DONE" % vm)
            was = before.get(vm.id)
            if was is None or (was.state, was.lcm, was.host) != (vm.state, vm.lcm, vm.host):
                self.tell(str(vm))
        self.capacity(hosts, vms)
        self.units(vms)
        for vm in vms.values():
            self.state(hosts, vm)
            if vm.id in before:
                self.change(before[vm.id], vm)
        for vm_id, was in before.items():
            if vm_id not in vms:
                self.violation("VM %s has vanished" % was)
        self.seen = vms

    def recover_stuck(self, vms):
        """Nobody tells oned how operations ended that it had begun before it was killed. One that it had
        not even begun (LCM_INIT) can only be recreated."""
        now, stuck = time.time(), {}
        for vm in vms.values():
            if not vm.active or vm.lcm not in PASSING or not self.killed:
                continue
            about = (vm.lcm, vm.history[-1].sequence if vm.history else -1)
            state, since = self.stuck.get(vm.id, (about, now))
            stuck[vm.id] = (about, since if state == about else now)
            if now - stuck[vm.id][1] > STUCK and not self.may_be_away:
                self.recover(vm)
                stuck.pop(vm.id)
        self.stuck = stuck

    def recover(self, vm):
        """In a slow zone it may have moved on since it was looked at."""
        self.tell("-- operator recovers %s" % vm)
        self.recovered[vm.id] = self.recovered.get(vm.id, 0) + 1
        try:
            self.oned.call("one.vm.recover", vm.id,
                           DELETE_RECREATE if vm.lcm == LCM_INIT else RECOVER_SUCCESS)
        except OnedError as error:
            self.recovered[vm.id] -= 1
            self.tell("-- not recovered: %s" % error)


class Scales(threading.Thread):
    """Notes memory, processor time and files of the daemon every few seconds, in a CSV file."""

    def __init__(self, scheduler, galerna, path):
        super().__init__(daemon=True)
        self.scheduler = scheduler
        self.galerna = galerna
        self.file = open(path, "w", encoding="utf-8")
        self.file.write("time,rss_kb,cpu_s,log_bytes,book_bytes,plans,cycles,leases\n")
        self.begun = time.time()
        self.ended = 0.0
        self.last = {}  # start of the daemon -> (cpu seconds, plans, cycles)
        self.rss = []
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.wait(3):
            self.weigh()

    def stop(self):
        self.stopping.set()
        self.join()
        self.ended = time.time()
        self.file.close()

    def weigh(self):
        process, start = self.scheduler.process, self.scheduler.starts
        try:
            with open("/proc/%d/stat" % process.pid, encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            rss = int(fields[21]) * os.sysconf("SC_PAGE_SIZE") // 1024
        except (OSError, IndexError):
            return
        if not rss:
            return
        figures, leases = self.ask()
        known = self.last.get(start, (0, 0, 0))
        self.last[start] = (max(cpu, known[0]), figures.get("plans", known[1]),
                            figures.get("cycles", known[2]))
        self.rss.append(rss)
        self.file.write("%d,%d,%.2f,%d,%d,%d,%d,%d\n" % (
            time.time(), rss, cpu, size(self.scheduler.log), self.book_size(),
            figures.get("plans", -1), figures.get("cycles", -1), leases))
        self.file.flush()

    def ask(self):
        try:
            done = subprocess.run([self.galerna, "status", "--json", "--state-dir",
                                   self.scheduler.state], capture_output=True, text=True,
                                  check=False, timeout=5)
            answer = json.loads(done.stdout)
            return answer["daemon"]["figures"], sum(answer["leases"].values())
        except (OSError, ValueError, KeyError, subprocess.TimeoutExpired):
            return {}, -1

    def book_size(self):
        return size(os.path.join(self.scheduler.state, "store.db")) + \
            size(os.path.join(self.scheduler.state, "store.db-wal"))

    def summary(self):
        span = self.ended - self.begun
        cpu, plans, cycles = (sum(known[i] for known in self.last.values()) for i in range(3))
        return ["galernad: at most %.1f MB resident, last %.1f MB; %.1f %% of a core" % (
                    max(self.rss, default=0) / 1024, (self.rss or [0])[-1] / 1024,
                    100 * cpu / span),
                "          about %d plans and %d cycles (%.1f and %.1f a minute)" % (
                    plans, cycles, plans * 60 / span, cycles * 60 / span),
                "          log %.1f MB (%.0f KB a minute), store.db %.1f MB" % (
                    size(self.scheduler.log) / 1e6, size(self.scheduler.log) / 1e3 * 60 / span,
                    self.book_size() / 1e6)]


def size(path):
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
