"""Promises outlive the store: they are in OpenNebula, signed."""

import os
import time
import xml.etree.ElementTree as ElementTree

from kit.registry import scenario
from kit.trial import clock, local_time, relative

KEPT = ("kind", "submitted", "start", "deadline", "duration", "group")


def attribute(t, vm):
    document = ElementTree.fromstring(t.oned.call("one.vm.info", vm))
    return document.findtext("USER_TEMPLATE/GALERNA_PROMISE") or ""


def write(t, vm, text):
    t.oned.call("one.vm.update", vm, 'GALERNA_PROMISE = "%s"' % text, 1)


def lease_of(t, vm):
    return t.scheduler.control(command="lease-show", lease=vm).get("lease", {})


def lose_store(t):
    t.tell("kill -9, the store is deleted")
    t.scheduler.kill()
    for name in os.listdir(t.scheduler.state):
        if name.startswith("store."):
            os.unlink(os.path.join(t.scheduler.state, name))


def kept_of(t, leases):
    return {vm: {key: lease_of(t, vm).get(key) for key in KEPT} for vm in leases}


@scenario("promises-without-store")
def promises_without_store(t):
    """Reservations, a suspended lease with time left, a deadline, a group and the queue: all as before
    after the store was deleted."""
    hosts = t.add_hosts(2, cores=8)
    t.begin()
    preempted = t.running_vm("preempted", cpu=4, requirements='ID="%d"' % hosts[0], haizea={
        "start": "best_effort", "duration": clock(60), "preemptible": "yes"})
    t.running_vm("busy", cpu=8, requirements='ID="%d"' % hosts[1],
                 haizea={"start": "best_effort", "duration": clock(55)})
    deadline = t.vm("deadline", cpu=8, haizea={"deadline": relative(280), "duration": clock(20),
                                               "preemptible": "yes"})
    begun = t.vm("begun", cpu=8, requirements='ID="%d"' % hosts[0],
                 haizea={"start": relative(20), "duration": clock(40)})
    start = int(time.time()) + 100
    reserved = t.vm("reserved", cpu=8, haizea={"start": local_time(start),
                                                    "duration": clock(20)})
    group = t.vms(2, "group", cpu=8, haizea={"start": "best_effort", "duration": clock(25),
                                             "group": "g", "group_size": "2"})
    queued = t.vms(2, "queued", cpu=8, haizea={"start": "best_effort", "duration": clock(25),
                                               "preemptible": "no"})
    t.wait_running([begun], 50)
    t.wait(20, "suspended", lambda: t.look(preempted).state in (4, 5), preempted)
    t.pause(8)
    leases = [preempted, deadline, begun, reserved, group[0]] + queued
    before = kept_of(t, leases)
    lose_store(t)
    t.oned.call("one.vm.update", reserved, 'HAIZEA = [ START = "best_effort", DURATION = '
                '"00:00:01" ]', 1)  # too late: the promise counts
    t.scheduler.start()
    t.wait(20, "all leases are restored", lambda: "restored" in t.scheduler.output())
    t.pause(4)
    after = kept_of(t, leases)
    for vm in leases:
        t.require(after[vm] == before[vm], "kept %s, not %s" % (before[vm], after[vm]), vm)
        t.require("restored" in str(t.scheduler.events(vm)) or
                  "adopted" in str(t.scheduler.events(vm)), "its history says it", vm)
    t.require(lease_of(t, preempted)["phase"] == "waiting", "waits to be resumed", preempted)
    t.require(lease_of(t, group[0])["vms"] == 2, "the group has both members", *group)
    t.require("restored" in t.scheduler.ask("status"), "status says it")
    t.keeps_time(reserved, start, 20)
    t.wait(150, "the deadline is met", lambda: t.look(deadline).done, deadline)
    t.wait(120, "the suspended lease has run its time", lambda: t.look(preempted).done, preempted)
    ran = sum(record.stopped_running - record.running for record in t.look(preempted).history)
    t.require(55 <= ran <= 75, "it ran %d s of its 60" % ran, preempted)
    t.wait(120, "the queue has run", lambda: all(t.began(vm) for vm in group + queued), *queued)
    t.require(t.began(queued[0]) <= t.began(queued[1]), "in its order", *queued)
    t.unbroken(begun, reserved)


@scenario("held-without-store")
def held_without_store(t):
    """A VM that is held since its lease was refused keeps the reason after the store was deleted, as
    long as the VM shows that it is such a reason."""
    t.add_hosts(1, cores=8)
    t.begin()
    vm = t.vm("refused", cpu=64, haizea={"start": "now", "duration": clock(60)})
    t.wait(30, "refused and held", lambda: t.look(vm).state == 2 and t.look(vm).message.startswith("Refused: "), vm)
    told = t.look(vm).message
    lose_store(t)
    t.scheduler.start()
    t.wait(60, "connected again", lambda: t.scheduler.output().count("connected to OpenNebula") == 2)
    t.pause(6)
    t.require(lease_of(t, vm).get("phase") == "parked", "it is adopted", vm)
    t.require(t.look(vm).message == told, "it says why: %s" % t.look(vm).message, vm)
    t.require(lease_of(t, vm)["members"][0]["message"] == told, "galernad knows it", vm)
    t.oned.call("one.vm.update", vm, 'GALERNA_MESSAGE = ""', 1)
    lose_store(t)
    t.scheduler.start()
    t.wait(60, "nothing tells that it lasts", lambda: not t.look(vm).message, vm)


@scenario("promises-damaged")
def promises_damaged(t):
    """What owners write over promises is said and repaired once, and changes no lease."""
    t.add_hosts(2, cores=8)
    t.begin()
    start = int(time.time()) + 75
    vms = [t.vm("ar%d" % i, cpu=4, haizea={"start": local_time(start), "duration": clock(15)})
           for i in range(3)]
    t.wait(15, "each has its promise", lambda: all(attribute(t, vm) for vm in vms), *vms)
    good = [attribute(t, vm) for vm in vms]
    t.pause(7)
    t.require([attribute(t, vm) for vm in vms] == good, "polls write nothing")
    damages = ("", good[0], good[2][:-9] + "A" * 9)
    for vm, damage in zip(vms, damages):
        write(t, vm, damage)
    t.wait(15, "each is repaired", lambda: all(
        attribute(t, vm) not in ("", damage) for vm, damage in zip(vms, damages)), *vms)
    for vm in vms:
        t.require([event for event, _ in t.scheduler.events(vm)].count("promise-damaged") == 1,
                  "the history says it once: %s" % t.scheduler.events(vm), vm)
        t.require("was overwritten" in t.scheduler.ask("lease", "show", str(vm)), "show says it", vm)
    t.tell("damaged again: no war")
    for vm in vms:
        write(t, vm, "mine")
    t.pause(8)
    t.require([attribute(t, vm) for vm in vms] == ["mine"] * 3, "repaired once for each change")
    t.tell("one is good, one is a copy, one is forged, and the store is gone")
    lose_store(t)
    write(t, vms[0], good[0])
    write(t, vms[1], good[0])
    t.scheduler.start()
    for vm in vms:
        t.keeps_time(vm, start, 15)  # requested again, they are given the same
    events = [[event for event, _ in t.scheduler.events(vm)] for vm in vms]
    t.require("restored" in events[0], "the good one is kept: %s" % events[0], vms[0])
    for vm, told in zip(vms[1:], events[1:]):
        t.require("requested" in told and "restored" not in told, "asked again: %s" % told, vm)
