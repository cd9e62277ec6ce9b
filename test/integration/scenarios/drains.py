"""Hosts that an operator empties with `galerna host drain`, at once or in a maintenance window."""

import datetime
import json
import time

from kit.registry import scenario
from kit.trial import clock, local_time, relative
from scenarios.hosts import happened

LIVE_MIGRATE, POWEROFF_MIGRATE = 2, 48  # actions in the history of a VM


def drain(t, host, *words):
    """The answer, as a program gets it."""
    code, text = t.scheduler.command("host", "drain", str(host), "--json", *words)
    t.require(code == 0, "the drain is accepted: %s" % text)
    return json.loads(text)


def moment(text):
    """Seconds since 1970 of a time in an answer."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def listed(t, host):
    """The line of `galerna host list`; one without a state while galernad starts."""
    code, text = t.scheduler.command("host", "list", "--json")
    hosts = json.loads(text)["hosts"] if code == 0 else []
    return next((line for line in hosts if line["host"] == host), {"state": None})


def empties(t, host, vms, seconds):
    t.wait(seconds, "the host is empty, all run elsewhere",
           lambda: all(t.look(vm).running and t.look(vm).host != host for vm in vms), *vms)
    t.wait(15, "the list says so", lambda: listed(t, host)["state"] == "drained")


@scenario("drain-host")
def drain_host(t):
    """A full host with room elsewhere; nothing goes there until the drain ends."""
    hosts = t.add_hosts(3, cores=4)
    t.begin()
    vms = t.vms(4, "v", cpu=1, requirements='ID="%d"' % hosts[0])
    t.wait_running(vms, 20)
    for vm in vms:
        t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
    t.pause(3)
    dry = drain(t, hosts[0], "--dry-run")
    t.require(dry["dry_run"] and sorted(vm["vm"] for vm in dry["vms"]) == sorted(vms),
              "a dry run names them: %s" % dry)
    t.throughout(6, "and moves none", lambda: all(t.look(vm).host == hosts[0] for vm in vms), *vms)
    t.require(listed(t, hosts[0])["state"] == "on", "the host takes VMs")
    answer = drain(t, hosts[0])
    t.require(not answer["dry_run"] and len(answer["vms"]) == 4, "all are named: %s" % answer)
    empties(t, hosts[0], vms, 60)
    waits = t.vm("waits", cpu=1, requirements='ID="%d"' % hosts[0])
    t.wait_reason(waits, 15, r"drained")
    others = t.vms(4, "other", cpu=1)
    t.wait_running(others, 20)
    t.require(all(t.look(vm).host != hosts[0] for vm in others), "not on the drained host", *others)
    t.scheduler.ask("host", "undrain", str(hosts[0]))
    t.wait_running([waits], 20)
    t.require(all(len(t.look(vm).history) == 2 for vm in vms), "each moved once", *vms)
    t.unbroken(*vms)


@scenario("drain-starting")
def drain_starting(t):
    """A dry run says of VMs that are being deployed what a drain does with them when they run."""
    hosts = t.add_hosts(2, cores=4)
    t.backend.slow("deploy", 12)
    t.begin()
    at_0 = 'ID="%d"' % hosts[0]
    vm = t.vm("v", requirements=at_0)
    short = t.vm("short", requirements=at_0, haizea={"duration": clock(60)})
    both = [vm, short]
    t.wait(15, "both are being deployed", lambda: all(t.look(each).active for each in both), *both)
    for each in both:
        t.oned.call("one.vm.update", each, 'SCHED_REQUIREMENTS=""', 1)
    t.pause(3.5)
    said = {line["vm"]: line for line in drain(t, hosts[0], "--dry-run")["vms"]}
    t.require(all(line["what"] == "moves" and line["to"] == hosts[1] and
                  line["why"].startswith("when it runs") for line in said.values()) and len(said) == 2,
              "a dry run says where they go: %s" % said, vm)
    later = drain(t, hosts[0], "--from", "+00:10:00", "--dry-run")["vms"]
    said = {line["vm"]: line["what"] for line in later}
    t.require(said == {vm: "moves", short: "ends"}, "and which of them ends before: %s" % said)
    drain(t, hosts[0])
    empties(t, hosts[0], both, 60)


@scenario("drain-without-room")
def drain_without_room(t):
    """Two of three VMs find no room: they are named, their messages say why, and they move when
    there is room."""
    hosts = t.add_hosts(2, cores=4)
    t.begin()
    busy = t.running_vm("busy", cpu=3, requirements='ID="%d"' % hosts[1])
    vms = t.vms(3, "v", cpu=1, requirements='ID="%d"' % hosts[0])
    t.wait_running(vms, 20)
    for vm in vms:
        t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
    t.pause(3)
    said = drain(t, hosts[0], "--from", "+1s", "--dry-run")
    t.require(all(vm["at"] >= said["now"] for vm in said["vms"]),
              "none would have had to leave before: %s" % said)
    drain(t, hosts[0])
    t.wait(30, "one has moved", lambda: [t.look(vm).host for vm in vms].count(hosts[1]) == 1, *vms)
    left = [vm for vm in vms if t.look(vm).host == hosts[0]]
    t.wait(20, "two stay and say why",
           lambda: all(t.reason(vm, r"no other host that it may use has room") for vm in left), *left)
    said = drain(t, hosts[0], "--dry-run")["vms"]
    t.require(sorted(vm["vm"] for vm in said if vm["what"] == "stays") == sorted(left),
              "a dry run names them: %s" % said)
    line = listed(t, hosts[0])
    t.require(line["state"] == "draining" and sorted(vm["vm"] for vm in line["staying"]) == sorted(left),
              "the list names them: %s" % line)
    status = t.scheduler.ask("status")
    t.require(all("VM %d" % vm in status for vm in left) and
              "cannot leave host %d: must leave its host (host %d is drained)" % (hosts[0], hosts[0]) in status,
              "the status says why: %s" % status)
    t.require(all(t.look(vm).running for vm in vms), "all run", *vms)
    t.delete(busy)
    empties(t, hosts[0], vms, 60)


@scenario("drain-suspends")
def drain_suspends(t):
    """Preemptible leases without room elsewhere, or without another host that they may use, are
    suspended, and resumed where there is room."""
    hosts = t.add_hosts(2, cores=4)
    t.begin()
    busy = t.running_vm("busy", cpu=4, requirements='ID="%d"' % hosts[1])
    vm = t.running_vm("v", cpu=2, haizea={"duration": clock(600), "preemptible": "yes"})
    bound = t.running_vm("bound", cpu=1, requirements='ID="%d"' % hosts[0],
                         haizea={"duration": clock(600), "preemptible": "yes"})
    t.require(t.look(vm).host == hosts[0], "on the other host", vm)
    t.pause(3)
    said = drain(t, hosts[0])["vms"]
    t.require([one["what"] for one in said] == 2 * ["suspended"], "it is said: %s" % said, vm, bound)
    t.wait(30, "suspended", lambda: not t.those_running([vm, bound]), vm, bound)
    t.throughout(8, "not resumed there", lambda: not t.those_running([vm, bound]), vm, bound)
    t.delete(busy)
    t.wait(40, "resumed on the other host",
           lambda: t.look(vm).running and t.look(vm).host == hosts[1], vm)


@scenario("drain-suspends-once")
def drain_suspends_once(t):
    """Without room elsewhere, preemptible leases run on until there is just time to suspend them, and
    none is resumed in what is left until the drain begins."""
    hosts = t.add_hosts(2, cores=4)
    t.begin()
    busy = t.running_vm("busy", cpu=4, requirements='ID="%d"' % hosts[1])
    stays = t.vm("stays", memory=8192, requirements='ID="%d"' % hosts[0])
    vms = [t.vm("v%d" % i, memory=128, haizea={"duration": clock(600), "preemptible": "yes"})
           for i in range(3)]
    t.wait_running(vms + [stays], 30)
    t.pause(3)
    begin = time.time() + 60
    said = drain(t, hosts[0], "--from", local_time(begin), "--until", local_time(begin + 15))["vms"]
    t.require(sorted(vm["what"] for vm in said) == ["stays"] + 3 * ["suspended"],
              "it is said: %s" % said, *vms)
    t.require(all(moment(vm["at"]) > begin - 30 for vm in said if vm["what"] == "suspended"),
              "the times are those of the suspensions: %s" % said, *vms)
    t.throughout(begin - 30 - time.time(), "they run on", lambda: len(t.those_running(vms)) == 3,
                 *vms)
    t.wait(30, "suspended in time", lambda: not t.those_running(vms), *vms)
    t.throughout(begin - time.time(), "not resumed", lambda: not t.those_running(vms), *vms)
    t.require(all(len(t.look(vm).history) == 1 for vm in vms), "suspended once", *vms)
    t.wait_running(vms + [busy], 50, "they go on after the drain")


@scenario("drain-before-preemption")
def drain_before_preemption(t):
    """A lease that makes room for a reservation after the drain of its host leaves before the drain."""
    host = t.add_hosts(1, cores=4)[0]
    t.begin()
    vm = t.running_vm("v", cpu=2, haizea={"duration": clock(600), "preemptible": "yes"})
    begin = time.time() + 40
    reserved = t.vm("reserved", cpu=4, haizea={"start": local_time(begin + 60), "duration": clock(30)})
    t.wait(20, "it is to make room for the reservation",
           lambda: "for lease %d" % reserved in t.scheduler.ask("lease", "why", str(vm)), vm)
    drain(t, host, "--from", local_time(begin), "--until", local_time(begin + 40))
    t.wait_reason(vm, 15, r"to be suspended at .* until another host", "suspended for the drain")
    t.require(listed(t, host)["staying"] == [], "it does not stay")
    t.pause_until(begin + 2)
    t.throughout(36, "nothing runs on the drained host", lambda: not t.look(vm).active, vm)
    t.keeps_time(reserved, begin + 60, 30)
    t.wait_running([vm], 40)


@scenario("drain-reservation")
def drain_reservation(t):
    """A reservation planned on the host starts in time on another one."""
    hosts = t.add_hosts(2, cores=4)
    t.begin()
    busy = t.running_vm("busy", cpu=4, haizea={"start": "now", "duration": clock(20)})
    vm = t.vm("ar", cpu=4, haizea={"start": relative(40), "duration": clock(20)})
    start = t.look(vm).submitted + 40
    t.wait_reason(vm, 10, "Reserved: starts at")
    t.pause(4)
    drain(t, hosts[1] if t.look(busy).host == hosts[0] else hosts[0])
    t.keeps_time(vm, start, 20)
    t.require(t.look(vm).host == t.look(busy).host, "on the host that is not drained", vm)


@scenario("drain-before-reservation")
def drain_before_reservation(t):
    """The room where VMs will go in a window is not promised to a reservation that is requested
    after the drain."""
    hosts = t.add_hosts(2, cores=4)
    t.begin()
    vm = t.running_vm("runs", cpu=2, requirements='ID="%d"' % hosts[0])
    t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
    t.pause(3)
    begin = time.time() + 75
    drain(t, hosts[0], "--from", local_time(begin))
    t.pause(3)
    late = t.vm("late", cpu=4, haizea={"start": relative(100), "duration": clock(20)})
    t.wait(15, "the reservation is refused", lambda: t.refused(late), late)
    t.require(t.look(vm).host == hosts[0], "before the VM moves", vm)
    t.wait(begin + 10 - time.time(), "the VM leaves in time",
           lambda: t.look(vm).running and t.look(vm).host == hosts[1], vm)
    t.unbroken(vm)


@scenario("drain-window")
def drain_window(t):
    """A window to come: a short lease still runs there before it, one without end goes elsewhere,
    what runs there leaves in time, and after it the host is used again."""
    hosts = t.add_hosts(2, cores=4)
    t.begin()
    vm = t.running_vm("runs", cpu=1, requirements='ID="%d"' % hosts[0])
    t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
    t.pause(3)
    begin = time.time() + 60
    drain(t, hosts[0], "--from", local_time(begin), "--until", local_time(begin + 25))
    t.require(listed(t, hosts[0])["state"] == "on", "not drained yet")
    t.require("drain" in t.scheduler.ask("host", "timeline", str(hosts[0])), "the timeline has it")
    endless = t.running_vm("endless", cpu=2)
    t.require(t.look(endless).host == hosts[1], "not where it could not stay", endless)
    short = t.running_vm("short", cpu=3, haizea={"start": "now", "duration": clock(15)})
    t.require(t.look(short).host == hosts[0], "where there is time for it", short)
    t.wait(begin + 5 - time.time(), "the VM has left by then",
           lambda: t.look(vm).running and t.look(vm).host == hosts[1], vm)
    late = t.vm("late", cpu=4, requirements='ID="%d"' % hosts[0],
                haizea={"start": "best_effort", "duration": clock(60)})
    t.throughout(begin + 22 - time.time(), "waits for its end", lambda: t.never_ran(late), late)
    t.wait_running([late], 30)
    t.wait(20, "the drain is over", lambda: listed(t, hosts[0])["drain_from"] is None)


@scenario("drain-windows")
def drain_windows(t):
    """Two windows on one host: used between them, not by what does not fit there; each has its
    own end."""
    host, other = t.add_hosts(2, cores=4)
    t.begin()
    t.running_vm("busy", cpu=4, requirements='ID="%d"' % other)
    begin = time.time() + 20
    drain(t, host, "--from", local_time(begin), "--until", local_time(begin + 15))
    drain(t, host, "--from", local_time(begin + 60), "--until", local_time(begin + 3600))
    t.scheduler.ask("host", "drain", str(host), "--from", local_time(begin + 7200), "--until",
                    local_time(begin + 7260), "--repeat", "weekly", "--times", "2")
    t.require([len(line["drains"]) for line in (listed(t, host), listed(t, other))] == [4, 0],
              "all are listed")
    text = t.scheduler.ask("host", "drain", "--list")
    t.require(local_time(begin + 3600) in text and local_time(begin + 7260 + 7 * 86400) in text,
              "for people too: %s" % text)
    vms = [t.vm("v%d" % i, cpu=2, requirements='ID="%d"' % host,
                haizea={"start": "best_effort", "duration": clock(seconds)})
           for i, seconds in enumerate((25, 1800))]
    t.wait(begin + 5 - time.time() + 40, "the short one runs between the windows",
           lambda: t.look(vms[0]).running, *vms)
    t.require(time.time() > begin + 14, "not before the first is over", *vms)
    t.throughout(8, "the long one waits", lambda: t.never_ran(vms[1]), vms[1])
    t.scheduler.ask("host", "undrain", str(host), "--at", local_time(begin + 100))
    t.wait_running([vms[1]], 40)
    t.require(len(listed(t, host)["drains"]) == 2, "others stay")
    t.scheduler.ask("host", "undrain", str(host), "--all")
    t.require(listed(t, host)["drains"] == [], "all are ended")
    code, text = t.scheduler.command("host", "undrain", str(host))
    t.require(code == 1 and "not drained" in text, "nothing to end: %s" % text)
    code, text = t.scheduler.command("host", "drain", str(host), "--repeat", "daily")
    t.require(code == 64 and "requires --from" in text, "incomplete: %s" % text)
    code, text = t.scheduler.command("host", "drain", str(host), "--from", "+1h", "--until", "+3h",
                                     "--repeat", "hourly", "--times", "3")
    t.require(code == 64 and "before the next" in text, "windows overlap: %s" % text)


@scenario("drain-restart")
def drain_restart(t):
    """galernad is killed in the middle of a drain, and goes on."""
    hosts = t.add_hosts(2, cores=8)
    t.settings = "actions-in-all: 1"
    t.begin()
    vms = t.vms(4, "v", cpu=1, requirements='ID="%d"' % hosts[0])
    t.wait_running(vms, 60)
    for vm in vms:
        t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
        t.backend.slow("migrate", 4, vm=vm)
    t.pause(3)
    drain(t, hosts[0])
    t.wait(40, "the first has moved", lambda: any(t.look(vm).running and t.look(vm).host == hosts[1]
                                                  for vm in vms), *vms)
    t.scheduler.kill()
    t.scheduler.start()
    empties(t, hosts[0], vms, 90)
    t.require(all(len(t.look(vm).history) == 2 for vm in vms), "each moved once", *vms)


@scenario("drain-fails")
def drain_fails(t):
    """A migration fails, live and cold: the VM runs on, its history has it, and it moves later."""
    hosts = t.add_hosts(2, cores=8)
    t.settings = "retry-backoff: 3"
    t.begin()
    vm = t.running_vm("v", cpu=1, requirements='ID="%d"' % hosts[0])
    t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
    t.backend.fail("migrate", vm=vm)
    t.pause(3)
    drain(t, hosts[0])
    t.wait(30, "the history has it", lambda: happened(t, vm, "move-failed"), vm)
    t.require(t.look(vm).host == hosts[0], "still there", vm)
    t.backend.heal()
    empties(t, hosts[0], [vm], 60)


@scenario("drain-cpu-model")
def drain_cpu_model(t):
    """A VM with the CPU of its host is not migrated live to a host with another one."""
    hosts = t.add_hosts(2, cores=8)
    for host, model in zip(hosts, ("Xeon", "EPYC")):
        t.oned.call("one.host.update", host, 'MODELNAME="%s"' % model, 1)
    t.begin()
    own = 'CPU_MODEL = [ MODEL = "host-passthrough" ]\n'
    here = 'ID="%d"' % hosts[0]
    special = t.running_vm("special", cpu=1, requirements=here, more=own)
    plain = t.running_vm("plain", cpu=1, requirements=here)
    for vm in (special, plain):
        t.oned.call("one.vm.update", vm, 'SCHED_REQUIREMENTS=""', 1)
    t.pause(3)
    said = {vm["vm"]: vm for vm in drain(t, hosts[0])["vms"]}
    t.require("CPU_MODEL" in said[special]["why"] and not said[plain]["why"], "it is said: %s" % said)
    empties(t, hosts[0], [special, plain], 60)
    t.require(any("powered off meanwhile" in text for text in happened(t, special, "moving")),
              "the history says why", special)
    actions = {vm: [int(record.findtext("ACTION")) for record in
                    t.oned.document("one.vm.info", vm).findall("HISTORY_RECORDS/HISTORY")]
               for vm in (special, plain)}
    t.require(actions[special][0] == POWEROFF_MIGRATE and actions[plain][0] == LIVE_MIGRATE,
              "as said: %s" % actions, special, plain)


@scenario("drain-groups")
def drain_groups(t):
    """Hosts with VMs of VM groups are emptied one after the other: VMs that are apart stay apart, and
    VMs that are together go to one host, one after the other."""
    hosts = t.add_hosts(4, cores=8)
    group = t.group({"web": ("ANTI_AFFINED", {})})
    pair = t.group({"db": ("AFFINED", {})})
    t.sampler.has_groups = False  # the pair is apart between its two migrations
    t.begin()
    web = t.members(3, group, "web", cpu=1)
    t.wait_running(web, 30)
    db = t.members(2, pair, "db", cpu=3)
    t.wait_running(db, 30)
    t.pause(3)
    for host in hosts:
        there = [vm for vm in web + db if t.look(vm).host == host]
        drain(t, host)
        t.throughout(2, "web apart", lambda: len({t.look(vm).host for vm in web}) == 3, *web)
        empties(t, host, there, 60)
        t.require(len({t.look(vm).host for vm in web}) == 3, "web apart", *web)
        t.require(len({t.look(vm).host for vm in db}) == 1, "db together", *db)
        t.scheduler.ask("host", "undrain", str(host))
    t.unbroken(*web, *db)
