"""Leases whose times, kind and terms are changed with `galerna lease change`."""

import json

from kit.registry import scenario
from kit.trial import await_state, clock, relative

REFUSED = 2  # exit code
HOLD = 2  # OpenNebula's state of a VM


def change(t, vm, *words):
    """The exit code and the answer, as a program gets it."""
    code, text = t.scheduler.command("lease", "change", str(vm), "--json", *words)
    t.require(code in (0, REFUSED), "the change is answered: %s" % text)
    return code, json.loads(text)


def shown(t, vm):
    """The lease, as a program gets it; empty while galernad starts or does not know it yet."""
    code, text = t.scheduler.command("lease", "show", str(vm), "--json")
    return json.loads(text)["lease"] if code == 0 else {}


@scenario("change-times")
def change_times(t):
    """One host: the first reservation is extended up to the second, which is shifted."""
    t.add_hosts(1, cores=4)
    t.begin()
    first = t.vm("first", cpu=4, haizea={"start": relative(20), "duration": clock(30)})
    second = t.vm("second", cpu=4, haizea={"start": relative(80), "duration": clock(20)})
    begin, later = t.look(first).submitted + 20, t.look(second).submitted + 80
    t.wait_running([first], 30)

    code, answer = change(t, first, "--extend", "10m")
    t.require(code == REFUSED and not answer["accepted"] and answer["in_the_way"] == second,
              "refused because of the second: %s" % answer)
    t.require(45 <= answer["alternative"]["duration"] <= later - begin, "up to it: %s" % answer)
    code, answer = change(t, first, "--extend", "15s", "--dry-run")
    t.require(code == 0 and answer["accepted"], "15 s fit: %s" % answer)
    code, answer = change(t, first, "--extend", "15s")
    t.require(code == 0 and answer["accepted"], "extended: %s" % answer)

    code, answer = change(t, second, "--shift=-40s")
    t.require(code == REFUSED and answer["alternative"] is not None,
              "refused with the next start that fits: %s" % answer)
    code, answer = change(t, second, "--shift", "20s")
    t.require(code == 0, "shifted: %s" % answer)
    t.scheduler.kill()
    t.scheduler.start()
    t.keeps_time(first, begin, 45)
    t.keeps_time(second, later + 20, 20)
    told = t.scheduler.ask("lease", "history", str(second))
    t.require("changed" in told, "the history has it: %s" % told)


@scenario("change-kinds")
def change_kinds(t):
    """One host: leases that wait are promised a start, and give it up for each other."""
    t.add_hosts(1, cores=4)
    t.begin()
    runs = t.vm("runs", cpu=4, haizea={"start": "best_effort", "duration": clock(60)})
    t.wait_running([runs], 30)
    waits = t.vm("waits", cpu=4, haizea={"start": "best_effort", "duration": clock(20)})
    third = t.vm("third", cpu=4, haizea={"start": "best_effort", "duration": clock(20)})
    t.wait(20, "both are expected to start", lambda: shown(t, third).get("expected"))

    code, answer = change(t, waits, "--kind", "reservation")
    t.require(code == 0 and answer["accepted"], "promoted: %s" % answer)
    promised = shown(t, waits)
    t.require(promised["phase"] == "reserved" and promised["promise"] == "contract",
              "its start is promised: %s" % promised)
    code, answer = change(t, third, "--kind", "reservation", "--start", promised["start"])
    t.require(code == REFUSED and answer["alternative"]["start"] > promised["start"],
              "refused with the next start: %s" % answer)
    code, answer = change(t, runs, "--extend", "1m")
    t.require(code == REFUSED and answer["in_the_way"] == waits, "it is in the way: %s" % answer)

    code, answer = change(t, waits, "--kind", "best-effort")
    t.require(code == 0 and shown(t, waits)["phase"] == "waiting", "demoted: %s" % answer)
    code, answer = change(t, third, "--kind", "reservation", "--start", promised["start"],
                          "--preemptible", "no")
    t.require(code == 0 and answer["accepted"], "promoted in its place: %s" % answer)
    code, text = t.scheduler.command("lease", "change", str(waits), "--priority", "5")
    t.require(code == REFUSED and "PRIORITY" in text, "[rights] apply: %s" % text)
    t.scheduler.kill()
    t.scheduler.start()
    t.wait_running([third], 90)
    t.require(shown(t, waits)["phase"] == "waiting", "the other one comes after it")
    t.wait_running([waits], 60)


@scenario("change-hold")
def change_hold(t):
    """Leases on hold give up their room, and get it again if it is still free."""
    t.add_hosts(1, cores=4)
    t.begin()
    queued = t.vm("queued", cpu=8, haizea={"start": "best_effort", "duration": clock(10)})
    first = t.vm("first", cpu=4, haizea={"start": relative(50), "duration": clock(20)})
    second = t.vm("second", cpu=4, haizea={"start": relative(80), "duration": clock(20)})
    begin = t.look(first).submitted + 50
    t.wait(20, "both are reserved",
           lambda: [shown(t, vm).get("phase") for vm in (first, second)] == ["reserved"] * 2)
    code, text = t.scheduler.command("lease", "hold", str(first), str(second), str(queued))
    t.require(code == 0, "all are held: %s" % text)
    for vm in (first, second, queued):
        await_state(t, vm, HOLD)
    t.scheduler.kill()
    t.scheduler.start()
    other = t.vm("other", cpu=4, haizea={"start": relative(70), "duration": clock(30)})
    t.wait(20, "their room is free for others",
           lambda: shown(t, other).get("phase") == "reserved")

    code, text = t.scheduler.command("lease", "release", str(first))
    t.require(code == 0, "released: %s" % text)
    t.wait(10, "it is reserved again", lambda: shown(t, first).get("phase") == "reserved")
    code, text = t.scheduler.command("lease", "release", str(second))
    t.require(code == REFUSED and "stays on hold" in text and "Next possible start" in text,
              "the other one has its room: %s" % text)
    t.throughout(5, "it stays on hold", lambda: t.look(second).state == HOLD)
    code, text = t.scheduler.command("lease", "show", str(second))
    t.require("On hold until it is released" in text, "what it waits for is told: %s" % text)
    code, text = t.scheduler.command("lease", "hold", str(second))
    t.require(code == 1 and "is parked" in text, "it is held already: %s" % text)
    code, answer = change(t, second, "--shift", "40s")
    t.require(code == 0 and answer["accepted"], "it is shifted on hold: %s" % answer)
    code, text = t.scheduler.command("lease", "release", str(second))
    t.require(code == 0, "released with its later start: %s" % text)
    t.keeps_time(first, begin, 20)
    t.keeps_time(second, t.look(second).submitted + 120, 20)
    told = t.scheduler.ask("lease", "history", str(first))
    t.require("held" in told and "released" in told, "the history has it: %s" % told)
    code, text = t.scheduler.command("lease", "release", str(queued))
    t.require(code == 0, "released though no host is large enough: %s" % text)
    t.wait_reason(queued, 15, "Waiting: no host it may use has enough CPU")
    told = t.scheduler.ask("lease", "history", str(queued))
    t.require("hold" not in told.split("releasing")[-1], "no word of the hold: %s" % told)


def rewrite(t, vm, **terms):
    """Its owner changes the attribute of a VM."""
    text = ", ".join('%s = "%s"' % (name.upper(), value) for name, value in terms.items())
    t.oned.call("one.vm.update", vm, "HAIZEA = [ %s ]" % text, 1)


@scenario("change-attribute")
def change_attribute(t):
    """Owners change their leases by the attribute, and are told in the VM what does not hold."""
    t.add_hosts(1, cores=4)
    t.begin()
    first = t.vm("first", cpu=4, haizea={"start": "best_effort", "duration": clock(70)})
    t.wait_running([first], 30)
    second = t.vm("second", cpu=4, haizea={"start": "best_effort", "duration": clock(20)})
    t.wait(20, "it waits", lambda: shown(t, second).get("expected"))

    rewrite(t, second, start=relative(120), duration=clock(20))
    t.wait(20, "promoted", lambda: shown(t, second).get("phase") == "reserved")
    promised = t.look(second).submitted + 120
    rewrite(t, first, start=relative(300), duration=clock(70))
    t.wait(40, "a running lease keeps its start, and its owner is told",
           lambda: "Change refused: lease %d has already started" % first in t.look(first).message)
    rewrite(t, first, start="best_effort", duration=clock(70))
    t.wait(40, "nothing is refused any more", lambda: "refused" not in t.look(first).message)
    rewrite(t, first, start="best_effort", duration=clock(600))
    t.wait(40, "the refusal is told in the VM",
           lambda: "Change refused: lease %d" % second in t.look(first).message)
    t.require("longest possible duration" in t.look(first).message, "with the nearest: " +
              t.look(first).message)
    t.require(shown(t, first)["duration"] == 70, "the lease goes on as it was")
    told = t.scheduler.ask("lease", "history", str(first))
    t.require(told.count("change-refused") == 2, "the history has each refusal once: %s" % told)
    t.scheduler.kill()
    t.scheduler.start()

    rewrite(t, first, start="best_effort", duration=clock(80))
    t.wait(40, "extended", lambda: shown(t, first).get("duration") == 80)
    t.wait(20, "nothing is refused", lambda: "refused" not in t.look(first).message)
    rewrite(t, second, start=relative(120), duration=clock(20), priority="9")
    t.wait(20, "rights apply", lambda: "PRIORITY" in t.look(second).message)
    rewrite(t, second, start="tomorrow", duration=clock(20))
    t.wait(20, "what cannot be read is told", lambda: "START" in t.look(second).message)
    rewrite(t, second, start=relative(120), duration=clock(20))
    t.wait(20, "it is as it was", lambda: "refused" not in t.look(second).message)
    t.keeps_time(second, promised, 20)


@scenario("change-limits")
def change_limits(t):
    """[rights] limits how often, how much and how late a lease is changed."""
    t.add_hosts(1, cores=4)
    t.settings = "[rights]\nmax-changes: 2\nmax-extension: 60\nchange-before: 50"
    t.begin()
    vm = t.vm("vm", cpu=4, haizea={"start": "best_effort", "duration": clock(60)})
    late = t.vm("late", cpu=4, haizea={"start": relative(200), "duration": clock(40)})
    t.wait_running([vm], 30)

    def refused(which, rule, *words):
        code, text = t.scheduler.command("lease", "change", str(which), *words)
        t.require(code == REFUSED and rule in text, "refused by %s: %s" % (rule, text))

    refused(vm, "max-extension", "--extend", "61s")
    code, answer = change(t, vm, "--extend", "60s")
    t.require(code == 0, "extended: %s" % answer)
    refused(vm, "max-extension", "--extend", "1s")
    code, answer = change(t, vm, "--shorten", "10s")
    t.require(code == 0, "shortened: %s" % answer)
    refused(vm, "max-changes", "--shorten", "1s")
    code, answer = change(t, late, "--shorten", "1s")
    t.require(code == 0, "changed before it starts: %s" % answer)
    t.wait_ended(vm, t.began(vm) + 125)


@scenario("change-size")
def change_size(t):
    """One host: leases are resized up to the room that is promised to others, all VMs or none."""
    t.add_hosts(1, cores=8)
    t.begin()
    first = t.vm("first", cpu=2, haizea={"start": relative(60), "duration": clock(20)})
    group = [t.vm("group", cpu=1, haizea={"start": relative(60), "duration": clock(20),
                                          "group": "g", "group_size": "2"}) for _ in range(2)]
    begin = t.look(first).submitted + 60
    t.wait(20, "both are reserved",
           lambda: [shown(t, vm).get("phase") for vm in (first, group[0])] == ["reserved"] * 2)
    code, answer = change(t, first, "--cpu", "7")
    t.require(code == REFUSED and answer["alternative"]["start"],
              "no room beside the group, but later: %s" % answer)
    t.require(t.look(first).cpu == 2, "it is as it was")
    code, answer = change(t, group[0], "--cpu", "2", "--memory", "256", "--extend", "5s")
    t.require(code == 0 and "cpu 2 instead of 1" in answer["text"], "resized: %s" % answer)
    t.require([t.look(vm).cpu for vm in group] == [2, 2], "OpenNebula has resized both")
    made = shown(t, group[0])
    t.require((made["cpu"], made["memory"], made["duration"]) == (4, 512, 25), "all of it: %s" % made)
    code, answer = change(t, first, "--cpu", "5")
    t.require(code == REFUSED, "the group needs more now: %s" % answer)
    code, answer = change(t, first, "--cpu", "4")
    t.require(code == 0 and t.look(first).cpu == 4, "as much as there is: %s" % answer)
    code, text = t.scheduler.command("lease", "change", str(first), "--cpu", "4")
    t.require(code not in (0, REFUSED) and "nothing to change" in text,
              "it has that size: %s" % text)
    told = t.scheduler.ask("lease", "history", str(first))
    t.require("cpu 4 instead of 2" in told, "the history has it: %s" % told)
    for vm in (first, *group):
        t.keeps_time(vm, begin, 20 if vm == first else 25)


@scenario("change-size-refused")
def change_size_refused(t):
    """OpenNebula refuses one VM of two another size: both have the size they had."""
    t.add_hosts(1, cores=8)
    t.begin()
    group = [t.vm("group", cpu=1, haizea={"start": relative(60), "duration": clock(20),
                                          "group": "g", "group_size": "2"}) for _ in range(2)]
    t.wait(20, "it is accepted", lambda: shown(t, group[0]).get("accepted"))
    t.oned.call("one.vm.lock", group[1], 4, False)
    code, text = t.scheduler.command("lease", "change", str(group[0]), "--cpu", "2")
    t.require(code == 1 and "cannot be resized" in text, "refused: %s" % text)
    t.wait(10, "both as they were", lambda: [t.look(vm).cpu for vm in group] == [1, 1])
    t.require(shown(t, group[0])["cpu"] == 2, "the lease too")


@scenario("extra-resize-reserved")
def resize_reserved(t):
    """The owner of a reserved VM resizes it beyond the room: the others keep their promises."""
    t.add_hosts(1, cores=8)
    t.begin()
    greedy = t.vm("greedy", cpu=4, haizea={"start": relative(40), "duration": clock(20)})
    other = t.vm("other", cpu=4, haizea={"start": relative(40), "duration": clock(20)})
    begin = t.look(other).submitted + 40
    t.wait(20, "both are reserved",
           lambda: [shown(t, vm).get("phase") for vm in (greedy, other)] == ["reserved"] * 2)
    t.oned.call("one.vm.resize", greedy, "CPU = 6", False)
    t.keeps_time(other, begin, 20)
    t.never_ran(greedy)
    t.wait(20, "its owner is told why", lambda: t.look(greedy).message)
