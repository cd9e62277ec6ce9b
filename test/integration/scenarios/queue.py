"""Leases that wait their turn, and groups."""

import re
import time

from kit.registry import scenario
from kit.trial import clock, relative


def best_effort(duration, preemptible="no"):
    return {"start": "best_effort", "duration": clock(duration), "preemptible": preemptible}


@scenario("group")
def group(t):
    hosts = t.add_hosts(4, cores=8)
    t.begin()
    busy = t.running_vm("busy", cpu=8, requirements='ID="%d"' % hosts[3])
    about = {"cpu": 8, "haizea": dict(best_effort(600), group="g1", group_size=4)}
    members = t.vms(2, "member-a", **about)
    t.throughout(12, "two members alone are not started",
                 lambda: all(map(t.never_ran, members)), *members)
    members += t.vms(2, "member-b", **about)
    t.throughout(15, "four wait while three hosts are free",
                 lambda: all(map(t.never_ran, members)), *members)
    t.delete(busy)
    t.wait_running(members, 40, "all RUNNING when the fourth host is free")
    times = [t.began(vm) for vm in members]
    t.require(max(times) - min(times) <= 5, "within 5 s of each other", *members)
    t.require(len({t.look(vm).host for vm in members}) == 4, "on four hosts", *members)
    t.deployed_once(*members)


@scenario("extra-group-not-worth-starting")
def group_not_worth_starting(t):
    """A group that could run for 12 s only before a reservation on its hosts is started
    after it."""
    t.add_hosts(2, cores=8)
    t.begin()
    reserved = t.vms(2, "ar", cpu=8, haizea={"start": relative(30), "duration": clock(10),
                                             "group": "ar", "group_size": "2"})
    t.wait(20, "accepted", lambda: all(t.reason(vm, "starts|reserved") for vm in reserved),
           *reserved)
    members = t.vms(2, "member", cpu=8, memory=512,
                    haizea=dict(best_effort(60, "yes"), group="g1", group_size=2))
    t.throughout(max(1, t.look(reserved[0]).submitted + 28 - time.time()), "not started before it",
                 lambda: all(map(t.never_ran, members)), *members)
    for vm in reserved:
        t.keeps_time(vm, t.look(reserved[0]).submitted + 30, 10)
    t.wait_running(members, 60, "RUNNING after it")


@scenario("extra-group-member-fails")
def group_member_fails(t):
    """The member whose boot fails is started on another host, the others stay where they are."""
    hosts = t.add_hosts(4, cores=8)
    t.backend.fail("deploy", host=hosts[0])
    t.begin()
    members = t.vms(3, "member", cpu=8, haizea=dict(best_effort(600), group="g1", group_size=3))
    t.wait_running(members, 60, "all RUNNING, none on the host where boots fail")
    t.require(hosts[0] not in [t.look(vm).host for vm in members], "not on that host", *members)
    t.require(sum(len(t.look(vm).history) for vm in members) <= 4, "one was tried twice", *members)


def group_given_up(t, action, over):
    """One member starts nowhere. What of its group runs, and what starts only after it failed,
    is ended by `end-action` with a reason, and its host is free. The rest is held, and starts with its
    group when its owner has released it."""
    t.settings = "retry-limit: 2\nretry-backoff: 2\nend-action: %s" % action
    hosts = t.add_hosts(3, cores=8)
    about = {"cpu": 8, "haizea": dict(best_effort(600), group="g1", group_size=3)}
    runs, slow, bad = members = [
        t.vm(name, requirements='ID="%d"' % host, hold=True, **about)
        for name, host in zip(("runs", "slow", "bad"), hosts)]
    t.backend.slow("deploy", 20, vm=slow)
    t.backend.fail("deploy", vm=bad)
    t.begin()
    for vm in members:
        t.oned.action("release", vm)
    t.wait_running([runs], 20)
    t.wait_reason(bad, 40, r"failed: VM %d could not be started.*ended" % bad)
    t.require("again" not in t.look(bad).message, "is not tried again", bad)
    t.require(not t.look(slow).running, "is still on its way", slow)
    t.wait(15, "the member that ran is ended", lambda: over(t.look(runs)), runs)
    t.wait(40, "the one that was on its way is ended", lambda: over(t.look(slow)), slow)
    t.wait(15, "the one that failed is held", lambda: t.look(bad).state == 2, bad)
    told = [text for event, text in t.scheduler.events(runs) if event == "ending"]
    t.require(sorted(re.findall(r"VM (\d+)", " ".join(told))) == sorted(map(str, (runs, slow))),
              "history tells of both: %s" % told, *members)
    if action == "poweroff":
        return
    for host in hosts[:2]:
        t.running_vm("after-%d" % host, seconds=15, cpu=8, requirements='ID="%d"' % host,
                     haizea=best_effort(10))
    t.backend.heal()
    t.oned.action("release", bad)
    members = [bad] + [t.vm("again-%d" % host, requirements='ID="%d"' % host, **about)
                       for host in hosts[:2]]
    t.wait_running(members, 60, "the released one and two new ones RUNNING")


@scenario("extra-group-given-up")
def group_given_up_terminates(t):
    group_given_up(t, "terminate", lambda vm: vm.done)


@scenario("extra-group-given-up-poweroff")
def group_given_up_powers_off(t):
    group_given_up(t, "poweroff", lambda vm: vm.state == 8)


@scenario("extra-group-shrinks")
def group_shrinks(t):
    """A member that is deleted is not waited for when the group was complete before."""
    t.add_hosts(2, cores=8)
    t.begin()
    busy = t.running_vm("busy", cpu=8)
    members = t.vms(2, "member", cpu=8, haizea=dict(best_effort(600), group="g1", group_size=2))
    t.wait_reason(members[0], 15, "[Ww]ait")
    t.delete(members[1])
    t.wait_running([members[0]], 30, "the rest of the group starts on the host that is free")
    t.require(t.look(busy).running, "nobody is disturbed", busy)


@scenario("extra-group-rejoins")
def group_rejoins(t):
    """A member that was refused by itself joins its group when its owner has mended and released
    it."""
    t.add_hosts(2, cores=8)
    t.begin()
    about = dict(best_effort(600), group="g1", group_size=2)
    good = t.vm("good", cpu=8, haizea=about)
    bad = t.vm("bad", cpu=8, haizea=dict(about, duration="forever"))
    t.wait(20, "refused", lambda: t.refused(bad) and t.look(bad).state == 2, bad)
    t.throughout(4, "the other waits for it", lambda: t.never_ran(good), good)
    t.oned.call("one.vm.update", bad, "HAIZEA = [ %s ]" % ", ".join(
        '%s = "%s"' % (key.upper(), value) for key, value in about.items()), 1)
    t.oned.action("release", bad)
    t.wait_running([good, bad], 30, "both RUNNING")
    t.require(abs(t.began(good) - t.began(bad)) <= 5, "together", good, bad)


@scenario("extra-modules-remember")
def modules_remember(t):
    """What a module counts live it counts after a restart, too: a user may have two leases."""
    t.settings = "[scheduling]\npolicy-admission: limits\n[policy limits]\nleases: 2"
    t.add_hosts(2, cores=8)
    t.begin()
    first = t.running_vm("first", haizea=best_effort(3600))
    second = t.running_vm("second", haizea=best_effort(3600))
    t.scheduler.kill()
    t.scheduler.start()
    third = t.vm("third", haizea=best_effort(3600))
    t.wait(20, "the third is refused after a restart", lambda: t.refused(third), third)
    t.require(t.reason(third, "leases at a time.*may have 2"), "for being one too many", third)
    t.delete(first)
    t.wait(20, "the first is over", lambda: t.look(first).done, first)
    t.pause(4)
    t.running_vm("fourth", haizea=best_effort(3600))
    t.require(t.look(second).running, "runs on", second)


@scenario("weekly-budget")
def weekly_budget(t):
    """A user may use one VM-hour in a week: what was used and promised counts, over a restart, too."""
    t.settings = "[scheduling]\npolicy-admission: limits\n[policy limits]\nvm-hours: 1"
    t.add_hosts(2, cores=8)
    t.begin()
    first = t.running_vm("first", haizea=best_effort(2400))
    second = t.vm("second", haizea=best_effort(1800))
    t.wait(20, "the second is refused", lambda: t.refused(second), second)
    t.require(t.reason(second, "VM-hours requested in a week.*promised; room from 20"),
              "for the budget, with when there is room", second)
    t.scheduler.kill()
    t.scheduler.start()
    third = t.vm("third", haizea=best_effort(1800))
    t.wait(20, "so is the third after a restart", lambda: t.refused(third), third)
    t.delete(first)
    t.wait(20, "the first is over", lambda: t.look(first).done, first)
    t.pause(4)
    t.running_vm("fourth", haizea=best_effort(1800))


@scenario("fcfs")
def fcfs(t):
    t.add_hosts(1, cores=8)
    t.begin()
    t.running_vm("first", cpu=8, haizea=best_effort(15))
    waiting = []
    for i in range(3):
        waiting.append(t.vm("lease%d" % i, cpu=8, haizea=best_effort(10)))
        t.pause(1)
    t.wait(90, "all three have run", lambda: all(map(t.began, waiting)), *waiting)
    times = [t.began(vm) for vm in waiting]
    t.require(times == sorted(times) and len(set(times)) == 3, "in the order of submission",
              *waiting)


@scenario("backfilling")
def backfilling(t):
    t.add_hosts(1, cores=8)
    t.begin()
    running = t.running_vm("running", cpu=4, haizea=best_effort(45))
    free = t.began(running) + 45
    whole = t.vm("whole", cpu=8, haizea=best_effort(20))
    t.pause(4)
    long = t.vm("long", cpu=4, haizea=best_effort(600))
    t.pause(2)
    short = t.vm("short", cpu=4, haizea=best_effort(12))
    t.wait_running([short], 15, "backfilled")
    t.wait_ended(short, free, "the backfilled one ended")
    t.require(t.never_ran(long), "the long one is not backfilled", long)
    t.wait(free + 15 - time.time(), "the first in the queue starts when the host is free",
           lambda: t.began(whole), whole, running, long)
    t.require(t.never_ran(long), "the long one is not started before the first", long)


@scenario("user-deletes-pending")
def user_deletes_pending(t):
    t.add_hosts(1, cores=8)
    t.begin()
    reserved = t.vm("ar", cpu=8, haizea={"start": "+00:01:00", "duration": "00:10:00"})
    start = t.look(reserved).submitted + 60
    t.pause(6)
    plain = t.vm("plain", cpu=8)
    t.throughout(8, "waits for the reservation", lambda: t.never_ran(plain), plain)
    t.delete(reserved)
    t.wait_running([plain], 30, "RUNNING once the reservation is deleted")
    t.throughout(start + 10 - time.time(), "not disturbed at the former start",
                 lambda: t.look(plain).running, plain)
    t.deployed_once(plain)


@scenario("user-deletes-running")
def user_deletes_running(t):
    t.add_hosts(1, cores=8)
    t.begin()
    first = t.running_vm("first", cpu=8, haizea=best_effort(3600))
    second = t.vm("second", cpu=8, haizea=best_effort(3600))
    t.pause(1)
    third = t.vm("third", cpu=8, haizea=best_effort(3600))
    t.pause(4)
    t.delete(first)
    t.wait_running([second], 30, "the next takes the place")
    t.throughout(15, "not two of them", lambda: t.never_ran(third), third)


def told_start(t, vm):
    """The start that the VM's message tells of, or None."""
    found = re.search(r"Expected to start at (\d+-\d+-\d+ \d+:\d+:\d+) \(estimate\)",
                      t.look(vm).message)
    return found and time.mktime(time.strptime(found.group(1), "%Y-%m-%d %H:%M:%S"))


@scenario("extra-forecast")
def forecast(t):
    t.add_hosts(2, cores=8)
    t.begin()
    t.running_vm("forever", cpu=8, requirements='ID="1"')
    t.running_vm("first", cpu=8, haizea=best_effort(25))
    waiting = [t.vm("lease%d" % i, cpu=8, haizea=best_effort(15),
                    requirements='ID="0"') for i in range(3)]
    stuck = t.vm("stuck", cpu=8, requirements='ID="1"')
    for vm in waiting:
        t.wait(12, "a message with an expected start", lambda vm=vm: told_start(t, vm), vm)
    t.wait_reason(stuck, 12, "without a planned end", "no start for who waits for an unlimited VM")
    told = [told_start(t, vm) for vm in waiting]
    t.require(told[0] + 14 <= told[1] and told[1] + 14 <= told[2], "one after the other", *waiting)
    t.wait(110, "all three have run", lambda: all(map(t.began, waiting)), *waiting)
    for vm, start in zip(waiting, told):
        # Each end takes a few seconds that nobody has planned, and the next waits for all of them.
        t.require(-2 <= t.began(vm) - start <= 15, "began %g s after the first estimate"
                  % (t.began(vm) - start), vm)


@scenario("extra-notice-during-poll")
def notice_during_poll(t):
    """OpenNebula takes seconds to list all VMs: a VM that a hook tells of does not wait for it."""
    t.settings = "timeout: 20"
    t.add_hosts(1, cores=8)
    t.begin()
    t.running_vm("first")
    t.backend.delay("one.vmpool.info", 9)
    t.pause(4)  # the next poll of everything is under way
    vm = t.vm("new")
    t.scheduler.wake()
    t.wait_running([vm], 4, "RUNNING before that poll is over")
    t.backend.heal()


@scenario("priority")
def priority(t):
    """On a full cloud the highest USER_PRIORITY runs first, with the default policy."""
    hosts = t.add_hosts(1, cores=4)
    t.begin()
    busy = [t.running_vm("busy-%d" % i, cpu=1, requirements='ID="%d"' % hosts[0]) for i in range(4)]
    wishes = (("low", -0.25, 1), ("none", None, 1), ("high", 0.5, 1), ("highest", 0.75, 2))
    vms = {name: t.vm(name, cpu=cpu, more="" if value is None else "USER_PRIORITY = %g" % value)
           for name, value, cpu in wishes}
    for vm in vms.values():
        t.wait_reason(vm, 30, "[Ww]ait")
    order = ("highest", "high", "none")
    for name, gone in zip(order, (busy[:2], busy[2:3], busy[3:])):
        for vm in gone:
            t.throughout(4, "%s alone is next" % name, lambda: all(
                t.never_ran(vms[other]) for other in vms
                if other not in order[:order.index(name)]), *vms.values())
            t.delete(vm)
        t.wait_running([vms[name]], 20, "%s is next" % name)
    t.require(t.never_ran(vms["low"]), "the lowest waits", vms["low"])
    t.delete(vms["none"])
    t.wait_running([vms["low"]], 20, "the lowest comes last")


@scenario("fair-share")
def fair_share(t):
    """On a full cloud the user who has used less goes first, whoever asked first; a restart forgets
    nothing. User 0 is oneadmin, user 1 serveradmin."""
    t.settings = "[scheduling]\nfair-share: users"

    def vm_of(user, name):
        vm = t.vm(name, cpu=1, hold=True)
        t.oned.call("one.vm.chown", vm, user, -1)
        t.oned.action("release", vm)
        return vm

    t.add_hosts(1, cores=4)
    t.begin()
    busy = [t.running_vm("busy-%d" % i, cpu=1) for i in range(4)]
    first = vm_of(0, "first")
    t.wait_reason(first, 30, "[Ww]ait")
    other = vm_of(1, "other")
    t.wait_reason(other, 30, "[Ww]ait")
    t.delete(busy[0])
    t.wait_running([other], 20, "the user without usage is next")
    second = vm_of(1, "second")
    t.wait_reason(second, 30, "[Ww]ait")
    for vm in busy[1:]:
        t.wait_running([vm], 5, "runs on")
    t.scheduler.kill()
    t.scheduler.start()
    t.delete(other)
    t.wait_running([second], 30, "so it is after a restart")
    t.require(t.never_ran(first), "the oldest of the user who has used most waits", first)
    told = t.scheduler.ask("lease", "why", str(first))
    t.require(re.search(r"user \S+ used 0\.\d\d CPU-hours for 1 share", told), "why says so: " + told)
    t.require("USED" in t.scheduler.ask("queue"), "the queue shows usage")
    names = {user.find("ID").text: user.find("NAME").text
             for user in t.oned.document("one.userpool.info").iter("USER")}
    t.require("of %s in " % names["1"] in t.scheduler.ask("status"),
              "so does the status, by name")
    t.delete(busy[1])
    t.wait_running([first], 20, "it comes last")
