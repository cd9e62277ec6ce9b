"""What users and operators do to VMs behind the scheduler's back."""

import time

from kit.client import OnedError
from kit.registry import scenario
from kit.trial import await_state, clock, relative
from scenarios.drains import listed

STATE_STOPPED, STATE_SUSPENDED, STATE_POWEROFF, STATE_UNDEPLOYED = 4, 5, 8, 9


def lease(duration, preemptible="yes"):
    return {"start": "best_effort", "duration": clock(duration), "preemptible": preemptible}


def user_puts_aside(t, action, state):
    """One of two halves of a host is put aside by its user and comes back."""
    t.add_hosts(1, cores=8)
    t.begin()
    mine = t.running_vm("mine", cpu=4, haizea=lease(3600))
    ends = None
    if action == "poweroff":
        ends = t.vm("ends", cpu=1, haizea=lease(20))
        t.wait_running([ends], 15)
        end = t.began(ends) + 20
    t.oned.action(action, mine)
    await_state(t, mine, state)
    fits = t.vm("fits", cpu=3)
    too_much = t.vm("too-much", cpu=4)
    t.wait_running([fits], 15, "others are placed")
    t.throughout(20, "stays as its user put it", lambda: t.look(mine).state == state, mine)
    t.require(t.never_ran(too_much), "not placed on capacity that is its user's", too_much)
    t.require(listed(t, t.hosts[0])["cpu_used"] >= 7, "the list of hosts counts it")
    if ends:
        t.wait_ended(ends, end + 10)
        t.not_cut_short(ends, end)
    t.oned.action("resume", mine)
    t.wait_running([mine], 15, "RUNNING after its user resumed it")
    t.throughout(8, "runs on", lambda: t.look(mine).running, mine)


@scenario("user-suspends")
def user_suspends(t):
    user_puts_aside(t, "suspend", STATE_SUSPENDED)


@scenario("user-powers-off")
def user_powers_off(t):
    user_puts_aside(t, "poweroff", STATE_POWEROFF)


def user_gives_up(t, action, state):
    """The VM gives its host back; another takes it; when resumed it waits for room."""
    t.add_hosts(1, cores=8)
    t.begin()
    mine = t.running_vm("mine", cpu=8)
    t.oned.action(action, mine)
    await_state(t, mine, state)
    t.throughout(10, "stays as its user put it", lambda: t.look(mine).state == state, mine)
    other = t.running_vm("other", cpu=8)
    t.oned.action("resume", mine)
    t.throughout(12, "waits for room", lambda: t.look(mine).pending, mine)
    t.delete(other)
    t.wait_running([mine], 30, "RUNNING when there is room again")
    t.unbroken(mine)


@scenario("extra-user-stops")
def user_stops(t):
    user_gives_up(t, "stop", STATE_STOPPED)


@scenario("extra-user-undeploys")
def user_undeploys(t):
    user_gives_up(t, "undeploy", STATE_UNDEPLOYED)


@scenario("extra-hold-release")
def hold_release(t):
    t.add_hosts(1)
    t.begin()
    held = t.vm("held", hold=True)
    pending = t.vm("other", cpu=64)
    t.oned.action("hold", pending)
    t.throughout(12, "a held VM is left alone", lambda: t.look(held).state == 2, held)
    t.oned.action("release", held)
    t.wait_running([held], 15, "RUNNING after release")
    t.deployed_once(held)
    t.require(t.look(pending).state == 2, "still held", pending)


@scenario("extra-operator-migrates")
def operator_migrates(t):
    """Room is counted where VMs are, not where they were sent."""
    a, b = t.add_hosts(2, cores=8)
    t.begin()
    vm = t.running_vm("moved", cpu=8, requirements='ID="%d" | ID="%d"' % (a, b))
    source = t.look(vm).host
    target = b if source == a else a
    t.oned.call("one.vm.migrate", vm, target, True, False, -1, 0)
    t.wait(10, "moved", lambda: t.look(vm).running and t.look(vm).host == target, vm)
    second = t.running_vm("second", cpu=8)
    t.require(t.look(second).host == source, "on the host that was left", second)
    third = t.vm("third", cpu=8)
    t.throughout(10, "no room for a third", lambda: t.never_ran(third), third)


@scenario("extra-resize")
def resize(t):
    """A powered-off VM grows into what was free."""
    t.add_hosts(1, cores=8)
    t.begin()
    grows = t.running_vm("grows", cpu=2)
    t.oned.action("poweroff", grows)
    await_state(t, grows, STATE_POWEROFF)
    t.oned.call("one.vm.resize", grows, "CPU = 6", False)
    t.pause(5)
    other = t.vm("other", cpu=4)
    t.throughout(10, "not placed on what the grown VM needs", lambda: t.never_ran(other), other)
    t.oned.action("resume", grows)
    t.wait_running([grows], 15)
    small = t.running_vm("small", cpu=2, seconds=15)
    t.deployed_once(small)


@scenario("extra-delete-recreate")
def delete_recreate(t):
    t.add_hosts(1, cores=8)
    t.begin()
    vm = t.running_vm("again", cpu=8)
    t.oned.call("one.vm.recover", vm, 4)
    t.wait(30, "RUNNING again after being recreated",
           lambda: t.look(vm).running and len(t.look(vm).history) == 2, vm)
    t.delete(vm)
    lease = t.running_vm("lease", cpu=8, haizea={"start": "best_effort", "duration": clock(25)})
    t.pause(12)
    t.oned.call("one.vm.recover", lease, 4)
    t.wait(60, "DONE", lambda: t.look(lease).done, lease)
    last = t.look(lease).history[-1]
    t.require(last.ended - last.running >= 23, "its work was lost, so it has its whole time again",
              lease)


HOSTILE = [
    'HAIZEA = [ START = "%s" ]' % ("9" * 60000),
    'HAIZEA = [ DURATION = "99999999999999999999:00:00", START = "best_effort" ]',
    'HAIZEA = [ START = "+00:00:10", GROUP = "g", GROUP_SIZE = "4294967297" ]',
    'HAIZEA = [ START = "best_effort", GROUP = "../../x;rm -rf", GROUP_SIZE = "2" ]',
    'HAIZEA = [ START = "now", DURATION = "00:00:20", PRIORITY = "99999999999999999999" ]',
    'HAIZEA = [ START = "\x1b[2J\x1b]0;gone\x07", DURATION = "x" ]',
    'HAIZEA = [ START = "]]></START></HAIZEA></USER_TEMPLATE></VM>", DURATION = "x" ]',
    'HAIZEA = "text"',
    'HAIZEA = [ %s ]' % ", ".join('KEY%d = "%d"' % (i, i) for i in range(2000)),
    "\n".join('HAIZEA = [ START = "best_effort", DURATION = "00:00:%02d" ]' % (i % 60)
              for i in range(300)),
    "\n".join('ATTRIBUTE%d = "%s"' % (i, "v" * 20) for i in range(5000)),
    'SCHED_REQUIREMENTS = "%sID = 1%s"' % ("(" * 20000, ")" * 20000),
    'SCHED_REQUIREMENTS = "%s"' % " | ".join("ID = %d" % i for i in range(8000)),
    'SCHED_REQUIREMENTS = "NAME = \\"%s\\""' % ("*a" * 5000),
    'SCHED_REQUIREMENTS = "A = \\"]]>\\" \x01\x02%n%s"',
    'SCHED_RANK = "%s1"' % ("-" * 50000),
    'SCHED_RANK = "1/0 * 99999999999999999999 / 0"',
    'SCHED_DS_REQUIREMENTS = "%s"' % " | ".join("ID = %d" % i for i in range(8000)),
    'SCHED_MESSAGE = "%s"' % ("you were placed " * 3000),
    'USER_PRIORITY = "1e400"',
    'DISK = [ TYPE = "fs", SIZE = "9223372036854775807" ]',
]


@scenario("extra-hostile-templates")
def hostile_templates(t):
    """Whatever owners write into their templates: others are placed at once, messages are clean."""
    t.add_hosts(4, cores=8)
    t.begin()
    t.running_vm("first")
    vms = []
    for i, text in enumerate(HOSTILE):
        for copy in range(3):
            try:
                vms.append(t.vm("hostile%d-%d" % (i, copy), cpu=0.01, memory=1, more=text + "\n"))
            except OnedError as error:  # oned itself refuses some
                t.tell("template %d: %s" % (i, str(error)[:100]))
    t.running_vm("other", seconds=10)
    t.pause(8)
    t.running_vm("last", seconds=10)
    for vm in vms:
        message = t.look(vm).message
        t.require(message.isascii() and message.isprintable(), "a message in plain words", vm)
        t.require(len(message) < 400, "a short message", vm)
    reason = t.look(vms[0]).message
    t.require("START" in reason, "the first is told what is wrong with its START", vms[0])


@scenario("extra-order-refused")
def order_refused(t):
    """galerna lease request creates nothing that the rules forbid or no host can hold, a dry run names
    the rule, and the VMs of a lease that is refused later go when it is cancelled."""
    t.settings = "[rights]\nmax-vms: 16"
    t.add_hosts(2, cores=4)
    t.begin()
    t.running_vm("plain", cpu=4)
    request = ("lease", "request", "--memory", "512", "--cpu")
    for more, text in ((("1", "--count", "30"), "the lease has 30 VMs, at most 16 are allowed"),
                       (("5",), "no host is large enough"),
                       (("4", "--count", "3"), "hosts together hold at most 2")):
        code, out = t.scheduler.command(*request, *more)
        t.require(code == 2 and text in out, "refused, and why: %d %s" % (code, out))
        code, out = t.scheduler.command(*request, *more, "--dry-run")
        t.require(code == 2 and text in out, "so is a dry run: %d %s" % (code, out))
    t.require(len(t.all_vms()) == 1, "no VM was created", *t.all_vms())
    code, out = t.scheduler.command(*request, "4", "--count", "2", "--start", "now")
    t.require(code == 2 and "room" in out, "no room now: %d %s" % (code, out))
    held = [vm for vm in t.all_vms() if vm != 0]
    t.require(len(held) == 2, "its VMs are there", *held)
    code, out = t.scheduler.command("lease", "cancel", str(min(held)))
    t.require(code == 0, "it can be cancelled: " + out)
    t.wait(15, "its VMs are gone", lambda: not any(t.look(vm) and t.look(vm).state != 6
                                                   for vm in held), *held)


@scenario("extra-reservation-cancelled")
def reservation_cancelled(t):
    """A lease that is to be suspended says for which lease; it stays when that one is cancelled."""
    t.settings = "[scheduling]\nsuspend-rate: 1024\nresume-rate: 1024"
    t.add_hosts(1, cores=4)
    t.begin()
    victim = t.running_vm("victim", cpu=4, haizea=lease(3600))
    wanted = t.vm("wanted", cpu=4, haizea={"start": relative(25), "duration": clock(60)})
    start = t.look(wanted).submitted + 25
    t.wait_reason(victim, 10, "Running, to be suspended for lease %d at " % wanted)
    code, out = t.scheduler.command("lease", "cancel", str(wanted))
    t.require(code == 0, "it is cancelled: " + out)
    t.wait(10, "the message is gone", lambda: not t.look(victim).message, victim)
    t.throughout(start + 5 - time.time(), "it runs on", lambda: t.look(victim).running, victim)
    t.require(any(event == "kept" for event, _ in t.scheduler.events(victim)), "in its history")
