"""Hosts that an operator sets aside for the leases of a course with `galerna host book`."""

import time
import xml.etree.ElementTree as ElementTree

from kit.registry import scenario
from kit.trial import clock, local_time, relative
from scenarios.drains import listed
from scenarios.promises import lose_store

STUDENT, STUDENTS = 1, 1  # ids of a user and its group


def student(t, name, cpu=1, haizea=None):
    """A VM of the course's group."""
    vm = t.vm(name, cpu=cpu, hold=True, haizea=haizea)
    t.oned.call("one.vm.chown", vm, STUDENT, STUDENTS)
    t.oned.action("release", vm)
    return vm


def lease(booking, duration=None, **more):
    haizea = dict(more, start=more.get("start", "best_effort"), booking=booking)
    if duration:
        haizea["duration"] = clock(duration)
    return haizea


def group_name(t):
    return next(group.find("NAME").text
                for group in t.oned.document("one.grouppool.info").iter("GROUP")
                if group.find("ID").text == str(STUDENTS))


def book(t, hosts, begin, end, *words):
    return t.scheduler.ask("host", "book", *map(str, hosts), "--name", "course", "--from",
                           local_time(begin), "--until", local_time(end), "--groups",
                           group_name(t), *words)


@scenario("booking")
def booking(t):
    """A course books two of four hosts: others go elsewhere or wait, its students use them, and
    nothing of theirs stays."""
    hosts = t.add_hosts(4, cores=4)
    booked, others = set(hosts[:2]), hosts[2:]
    t.begin()
    outside = t.running_vm("outside", cpu=2, requirements='ID="%d"' % hosts[0])
    t.oned.call("one.vm.update", outside, 'SCHED_REQUIREMENTS=""', 1)
    t.pause(3)
    begin = int(time.time()) + 25
    end = begin + 75
    text = book(t, hosts[:2], begin, end)
    t.require("booked for 'course'" in text and "moves to host" in text, "it is said: %s" % text)
    later = student(t, "later", haizea=lease("course", 20))
    endless = student(t, "endless", haizea=lease("course", preemptible="no"))
    preemptible = student(t, "preemptible", haizea=lease("course", preemptible="yes"))
    stranger = t.vm("stranger", haizea=lease("course", 20))
    nowhere = student(t, "nowhere", haizea=lease("curse", 20))
    t.wait_reason(endless, 15, r"it has no end, but booking 'course' does")
    t.wait_reason(stranger, 15, r"booking 'course' admits neither user '\w+' nor group '\w+'")
    t.wait_reason(nowhere, 15, r"booking 'curse' does not exist")
    t.require(all(t.refused(vm) for vm in (endless, stranger, nowhere)), "refused")
    t.throughout(begin - time.time() - 1, "not before it begins", lambda: t.never_ran(later), later)
    t.wait_running([later, preemptible, outside], 15)
    t.require({t.look(vm).host for vm in (later, preemptible)} <= booked, "inside", later)
    t.require(t.look(outside).host in others, "who was there has left", outside)
    t.require([listed(t, host)["state"] for host in hosts] == ["booked"] * 2 + ["on"] * 2,
              "the list says so")
    filling = t.vms(2, "filling", cpu=3)
    t.wait(15, "one fits beside", lambda: any(t.look(vm).running for vm in filling), *filling)
    waits = next(vm for vm in filling if not t.look(vm).running)
    t.require(all(t.look(vm).host in others for vm in filling if t.look(vm).running), "outside")
    t.scheduler.kill()
    t.scheduler.start()
    t.throughout(end - time.time() - 3, "the outsider waits though the hosts are idle",
                 lambda: t.never_ran(waits), waits)
    t.wait(20, "the preemptible one is suspended", lambda: not t.look(preemptible).active,
           preemptible)
    t.wait_running([waits], 30)
    t.require(t.look(waits).host in booked, "the hosts are used again", waits)
    t.wait_reason(preemptible, 20, r"booking 'course' does not exist or has ended")
    t.require(all(not drain for host in hosts for drain in listed(t, host)["drains"]), "it is over")


@scenario("booking-stays")
def booking_stays(t):
    """A VM that cannot leave a booked host counts inside; a reservation inside keeps its time."""
    host = t.add_hosts(1, cores=4)[0]
    t.begin()
    stays = t.running_vm("stays", cpu=2, requirements='ID="%d"' % host)
    t.pause(3)
    begin = int(time.time()) + 10
    book(t, [host], begin, begin + 3600)
    small = student(t, "small", cpu=1, haizea=lease("course", 3000))
    start = begin + 25
    reserved = student(t, "reserved", cpu=1,
                       haizea=lease("course", 20, start=relative(start - time.time())))
    large = student(t, "large", cpu=3, haizea=lease("course", 60))
    late = student(t, "late", cpu=1, haizea=lease("course", 60, start=relative(7200)))
    t.wait_reason(late, 15, r"no host of booking 'course' is booked from .* for as long")
    t.wait_running([small], begin - time.time() + 15)
    t.wait(40, "the reservation has run", lambda: t.look(reserved).running, reserved)
    t.require(time.time() > start - 8, "not early", reserved)
    t.throughout(6, "no room beside the VM that stays", lambda: t.never_ran(large), large)
    t.require(t.look(stays).running, "it stays", stays)
    t.delete(stays)
    t.wait_running([large], 60)


@scenario("booking-magnetic")
def booking_magnetic(t):
    """A magnetic booking takes leases of its group that do not name it. It is not drained
    meanwhile. When it is ended, others use its host."""
    booked, other = t.add_hosts(2, cores=4)
    t.begin()
    t.running_vm("busy", cpu=4, requirements='ID="%d"' % other)
    now = int(time.time())
    book(t, [booked], now, now + 600, "--magnetic")
    mine = student(t, "mine", cpu=2, haizea={"start": "best_effort", "duration": clock(300)})
    t.wait_running([mine], 20)
    t.require(t.look(mine).host == booked, "inside", mine)
    stranger = t.vm("stranger", cpu=2, haizea={"start": "best_effort", "duration": clock(300)})
    t.wait_reason(stranger, 15)
    code, text = t.scheduler.command("host", "drain", str(booked))
    t.require(code == 1 and "booked for 'course'" in text, "not drained: %s" % text)
    code, text = t.scheduler.command("host", "book", str(booked), "--name", "other", "--until", "+1h",
                                     "--users", "somebody")
    t.require(code == 1 and "booked for 'course'" in text, "nor booked: %s" % text)
    shown = t.scheduler.ask("host", "show", str(booked))
    t.require("booking" in shown and "for 'course'" in shown and "running" in shown,
              "the host says so: %s" % shown)
    t.require("groups %s, magnetic" % group_name(t) in t.scheduler.ask("status"), "the status, too")
    t.throughout(5, "the stranger waits", lambda: t.never_ran(stranger), stranger)
    t.scheduler.ask("host", "unbook", "course")
    t.wait_running([stranger], 20)
    t.require(t.look(mine).running and t.look(mine).host == booked, "who was inside runs on", mine)
    code, text = t.scheduler.command("host", "unbook", "course")
    t.require(code == 1 and "does not exist" in text, "nothing to end: %s" % text)


def ask_as(t, user, command, **request):
    """What the control socket answers to a user who is not an operator, as galerna-web asks it."""
    def answer():
        try:
            told = t.scheduler.control(command=command, caller={"user": user}, **request)
        except OSError:
            return None
        return None if told.get("code") == "not-ready" else told
    return t.wait(30, "galernad answers", answer)


def owned(t, user):
    """The bookings that the user sees, with their owners."""
    return [(one["name"], one["owner"]) for one in ask_as(t, user, "booking-list")["bookings"]]


def utc(instant):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(instant))


@scenario("booking-of-a-user")
def booking_of_a_user(t):
    """A teacher books hosts that are free, within limits; others cannot be affected and not change
    it. It survives a restart; the teacher shortens it, and what is inside leaves in time."""
    t.settings = "[rights user:teacher]\nmax-booked-hosts: 2\nmax-duration: 7200"
    hosts = t.add_hosts(3, cores=4)
    t.begin()
    busy = t.running_vm("busy", cpu=1, requirements='ID="%d"' % hosts[0])
    t.pause(3)
    now = int(time.time())
    course = {"name": "course", "groups": [group_name(t)]}

    def book_as(user, **request):
        asked = dict({"from": utc(now), "until": utc(now + 3600), "booking": course}, **request)
        return ask_as(t, user, "host-book", **asked)

    def refused(answer, code, part):
        t.require(not answer["ok"] and answer["code"] == code and part in answer["error"],
                  "%s %s: %s" % (code, part, answer))

    refused(book_as("student", count=1), "refused", "only operators may book hosts")
    refused(book_as("teacher", count=3), "refused", "at most 2 are allowed (max-booked-hosts)")
    refused(book_as("teacher", count=1, until=utc(now + 8000)), "refused", "max-duration")
    answer = book_as("teacher", hosts=hosts[:2])
    t.require(answer["accepted"] is False and "VM %d would still be" % busy in answer["text"] and
              answer["alternative"]["hosts"] == hosts[1:], "others stay: %s" % answer)
    answer = book_as("teacher", count=2, dry_run=True)
    t.require(answer["accepted"] and answer["hosts"] == hosts[1:], "tried: %s" % answer)
    reserved = t.vm("reserved", cpu=4, requirements='ID="%d"' % hosts[2],
                    haizea={"start": relative(1800), "duration": clock(600)})
    t.wait(15, "the reservation is accepted",
           lambda: "reserved" in t.scheduler.ask("lease", "show", str(reserved)), reserved)
    answer = book_as("teacher", hosts=hosts[1:])
    t.require(answer["accepted"] is False and answer["word"] in ("in-the-way", "host-in-use"),
              "a promise holds: %s" % answer)
    answer = book_as("teacher", count=1)
    t.require(answer["accepted"] and answer["hosts"] == [hosts[1]], "booked: %s" % answer)
    inside = student(t, "inside", haizea=lease("course", 1200))
    later = student(t, "later", haizea=lease("course", 600, start=relative(1800)))
    t.wait_running([inside], 20)
    t.require(t.look(inside).host == hosts[1], "inside", inside)
    t.wait(15, "a reservation inside",
           lambda: "reserved" in t.scheduler.ask("lease", "show", str(later)), later)
    refused(ask_as(t, "student", "host-unbook", booking="course"), "denied", "only be changed by")
    refused(ask_as(t, "other", "host-book", count=1, until=utc(now + 60), booking=course),
            "denied", "only be changed by")
    t.scheduler.kill()
    t.scheduler.start()
    t.wait(20, "the owner still has it", lambda: owned(t, "teacher") == [("course", "teacher")])
    t.require(owned(t, "stranger") == [], "not for strangers")
    t.wait(20, "the list has the owner",
           lambda: "teacher" in t.scheduler.ask("host", "book", "--list"))
    t.wait_running([inside], 20)
    end = int(time.time()) + 900
    answer = ask_as(t, "teacher", "host-unbook", booking="course", at=utc(end), dry_run=True)
    t.require(answer["unplaced"] == [later], "a promise inside: %s" % answer)
    t.require([one["vm"] for one in answer["vms"]] == [inside], "who is inside: %s" % answer)
    t.require(ask_as(t, "teacher", "host-unbook", booking="course")["unplaced"] == [later], "ended")
    t.wait_reason(later, 20, r"booking 'course' does not exist or has ended")
    t.require(t.look(inside).running, "who is inside runs on", inside)
    t.require(owned(t, "teacher") == [], "it is over")


def shown_by(t, host):
    document = ElementTree.fromstring(t.oned.call("one.host.info", host))
    return document.findtext("TEMPLATE/GALERNA_DRAINS") or ""


@scenario("booking-without-store")
def booking_without_store(t):
    """A booking, a drain and the promises inside outlive the store; what has ended does not return."""
    t.settings = "[rights user:teacher]\nmax-booked-hosts: 2"
    hosts = t.add_hosts(4, cores=4)
    t.begin()
    t.wait(40, "the hosts are seen", lambda: "h3" in t.scheduler.ask("host", "list"))
    now = int(time.time())
    booked = ask_as(t, "teacher", "host-book", hosts=hosts[:2], until=utc(now + 3600),
                    booking={"name": "course", "groups": [group_name(t)]})
    t.require(booked.get("accepted"), "booked: %s" % booked)
    t.scheduler.ask("host", "drain", str(hosts[2]), "--from", local_time(now + 7200))
    t.scheduler.ask("host", "drain", str(hosts[3]))
    inside = student(t, "inside", haizea=lease("course", 1200))
    later = student(t, "later", haizea=lease("course", 600, start=relative(900)))
    t.wait_running([inside], 30)
    t.wait(15, "a reservation inside",
           lambda: "reserved" in t.scheduler.ask("lease", "show", str(later)), later)
    t.wait(60, "the hosts show it", lambda: all("course" in shown_by(t, host) for host in hosts[:2])
           and all(";" in shown_by(t, host) for host in hosts[2:]))
    t.scheduler.ask("host", "undrain", str(hosts[3]))
    t.wait(60, "the end, too", lambda: ";" not in shown_by(t, hosts[3]))
    t.pause(3)
    lose_store(t)
    t.scheduler.start()
    t.wait(30, "the owner still has it", lambda: owned(t, "teacher") == [("course", "teacher")])
    t.wait_running([inside], 20)
    t.require(t.look(inside).host in hosts[:2], "inside", inside)
    t.wait(30, "the promise inside holds",
           lambda: "reserved" in t.scheduler.ask("lease", "show", str(later)), later)
    t.require([len(listed(t, host)["drains"]) for host in hosts] == [1, 1, 1, 0], "what was there")
    stranger = t.vms(3, "stranger", cpu=4)
    t.wait(30, "others have the other hosts", lambda: any(t.look(vm).running for vm in stranger))
    t.require({t.look(vm).host for vm in stranger if t.look(vm).running} <= set(hosts[2:]),
              "only these", *stranger)
