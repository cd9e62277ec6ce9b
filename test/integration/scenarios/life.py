"""The daemon's own life: started twice, with a wrong password, ended, killed, away."""

import os
import re
import signal
import time

from kit.registry import scenario
from kit.scheduler import Scheduler
from kit.trial import Failure, clock, local_time, relative


@scenario("missed-while-away")
def missed_while_away(t):
    t.add_hosts(3, cores=8)
    t.begin()
    ends = t.running_vm("ends", cpu=2, haizea={"start": "best_effort", "duration": clock(25)})
    begins = t.vm("begins", cpu=8, haizea={"start": relative(25), "duration": clock(120)})
    passes = t.vm("passes", cpu=8, haizea={"start": relative(15), "duration": clock(10)})
    t.pause(7)
    before = {vm: t.look(vm).message for vm in (begins, passes)}
    t.tell("kill -9, away for 40 s")
    t.scheduler.kill()
    time.sleep(40)
    t.scheduler.start()

    def reported(vm):
        return t.look(vm).message not in ("", before[vm])
    t.wait(20, "the reservation that should have begun runs or is reported",
           lambda: t.look(begins).running or reported(begins), begins)
    t.wait(20, "the reservation that has passed is reported", lambda: reported(passes), passes)
    t.wait(20, "the lease past its end is ended", lambda: t.look(ends).ended, ends)
    t.throughout(10, "what has passed is not run", lambda: t.never_ran(passes), passes)


def refused_to_start(t, scheduler, seconds, pattern):
    """Exits non-zero in time and says why."""
    scheduler.start()
    code = scheduler.wait(seconds)
    t.require(code is not None, "%s still runs after %g s: %s" % (scheduler.name, seconds,
                                                                  scheduler.tail()))
    t.require(code != 0, "%s exits with 0" % scheduler.name)
    t.require(code > 0, "%s ended by signal %d" % (scheduler.name, -code))
    t.require(re.search(pattern, scheduler.output(), re.IGNORECASE),
              "%s does not say why: %s" % (scheduler.name, scheduler.tail()))


@scenario("second-scheduler")
def second_scheduler(t):
    t.add_hosts(1)
    t.begin()
    t.running_vm("before")
    reasons = r"already|another|other|second|in use|locked|running"
    for name, state in (("same-opennebula", None), ("same-state", t.scheduler.state)):
        second = Scheduler(t.galernad, t.directory, t.backend, name=name, state=state)
        t.more_schedulers.append(second)
        refused_to_start(t, second, 20, reasons)
        t.running_vm("after-" + name, seconds=15)
    t.scheduler.kill()
    t.scheduler.start()
    t.running_vm("after-kill")
    t.tell("kill -9, then one with a new state")
    t.scheduler.kill()
    fresh = Scheduler(t.galernad, t.directory, t.backend, name="fresh-state")
    t.more_schedulers.append(fresh)
    fresh.start()
    t.running_vm("after-fresh", seconds=40)
    t.require(fresh.alive(), "the new one goes on: " + fresh.tail())


@scenario("wrong-password")
def wrong_password(t):
    t.add_hosts(1)
    secret = "Tr0ub4dor-and-3"
    auth = os.path.join(t.directory, "wrong_auth")
    with open(auth, "w", encoding="utf-8") as file:
        file.write("oneadmin:%s\n" % secret)
    os.chmod(auth, 0o600)
    daemon = Scheduler(t.galernad, t.directory, t.backend, name="wrong", auth_file=auth)
    t.more_schedulers.append(daemon)
    daemon.start()
    with open("/proc/%d/cmdline" % daemon.process.pid, encoding="utf-8") as file:
        t.require(secret not in file.read(), "the password is on the command line")
    code = daemon.wait(30)
    t.require(code is not None and code > 0, "exits non-zero within 30 s, not %s" % code)
    words = daemon.output().lower()
    t.require(any(word in words for word in ("credential", "authenticat", "password")),
              "says that it is about credentials: " + daemon.tail())
    t.require(secret not in daemon.output(), "the password is in the output")
    for folder, _, names in os.walk(daemon.state):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    t.require(secret.encode() not in file.read(), "the password is in " + name)


@scenario("sigterm")
def sigterm(t):
    t.add_hosts(2)
    t.begin()
    vms = t.vms(3, "v")
    vms.append(t.vm("lease", haizea={"start": "best_effort", "duration": clock(3600),
                                     "preemptible": "yes"}))
    t.wait_running(vms, 30)
    code = t.scheduler.terminate(10)
    t.require(code is not None, "still there 10 s after SIGTERM")
    t.require(code == 0, "exits with %s: %s" % (code, t.scheduler.tail()))
    t.throughout(10, "VMs are left running", lambda: len(t.those_running(vms)) == 4, *vms)


@scenario("extra-restart-keeps-reservation")
def restart_keeps_reservation(t):
    """A promise outlives the daemon that made it; nobody is started twice."""
    t.add_hosts(1, cores=8)
    t.begin()
    start = int(time.time()) + 45
    vm = t.vm("ar", cpu=8, haizea={"start": local_time(start), "duration": clock(20)})
    t.pause(6)
    for _ in range(3):
        t.scheduler.kill()
        t.scheduler.start()
        t.pause(6)
    late = t.vm("late", cpu=8)
    t.keeps_time(vm, start, 20)
    t.require((t.began(late) or start + 20) >= start + 20, "did not wait", late)
    t.deployed_once(vm)


@scenario("extra-opennebula-away")
def opennebula_away(t):
    """OpenNebula stops for a while: the scheduler stays and goes on."""
    t.add_hosts(2, cores=8)
    t.begin()
    t.running_vm("before")
    passes = t.vm("passes", haizea={"start": relative(12), "duration": clock(5)})
    t.wait_reason(passes, 10, "Reserved: starts at")
    t.sampler.may_be_away = True
    t.backend.stop_oned()
    time.sleep(20)
    t.require(t.scheduler.alive(), "galernad stays: " + t.scheduler.tail())
    t.backend.start_oned()
    t.pause(2)
    t.sampler.may_be_away = False
    t.running_vm("after", seconds=40)
    t.wait_reason(passes, 20, "Missed: it could not be started")
    t.require(t.never_ran(passes), "what has passed is not run", passes)


@scenario("extra-stopped-process")
def stopped_process(t):
    """SIGSTOP for 30 s, as on a machine that stands still: then it catches up."""
    t.add_hosts(1, cores=8)
    t.begin()
    vm = t.running_vm("ends", cpu=8, haizea={"start": "best_effort", "duration": clock(15)})
    waits = t.vm("waits", cpu=8)
    os.kill(t.scheduler.process.pid, signal.SIGSTOP)
    time.sleep(30)
    os.kill(t.scheduler.process.pid, signal.SIGCONT)
    t.wait(15, "ended", lambda: t.look(vm).ended, vm)
    t.wait_running([waits], 20)
    if t.look(vm).history[0].ended < t.began(vm) + 13:
        raise Failure("ended early")


@scenario("lost-effects")
def lost_effects(t):
    """OpenNebula accepts a start that never happens, as it does when it loses the leadership of its zone:
    it is not sent again and again, and the VM runs once OpenNebula is sound."""
    t.add_hosts(1, cores=8)
    t.backend.lose("one.vm.deploy")
    t.begin()
    vm = t.vm("lost")
    t.wait(15, "the start is accepted", lambda: "deploy accepted" in t.scheduler.output(), vm)
    t.pause(15)
    sent = t.scheduler.output().count("VM %d: deploy on" % vm)
    t.require(2 <= sent <= 3, "sent %d times within 15 s" % sent, vm)
    t.require("had no effect; deploy is sent again" in t.scheduler.output(), "the log says it", vm)
    t.backend.heal()
    t.wait_running([vm], 30)
    t.deployed_once(vm)
