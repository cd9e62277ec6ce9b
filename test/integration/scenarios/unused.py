"""Leases whose VMs do nothing end early (unused-after)."""

import json
import os

from kit.registry import scenario
from kit.trial import clock, relative

SETTINGS = """unused-after: 12
unused-cpu: 10
end-warning: 10
[notify file]
on: end
program: %s
"""


def notices(t):
    """A program that keeps notices, each in a file: several come at once. Its path, and the folder."""
    program, told = (os.path.join(t.directory, name) for name in ("notice", "told"))
    os.mkdir(told)
    with open(program, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\ncat >'%s'/$$\n" % told)
    os.chmod(program, 0o755)
    return program, told


@scenario("unused")
def unused(t):
    """An unused reservation gives its host back; leases that are kept or used again go on."""
    t.add_hosts(1, cores=4)
    program, told = notices(t)
    t.settings = SETTINGS % program
    t.begin()
    idle = t.vm("idle", haizea={"start": relative(15), "duration": clock(3600)})
    used = t.vm("used", haizea={"start": "best_effort", "duration": clock(3600)})
    kept = t.vm("kept", haizea={"start": "best_effort", "duration": clock(3600), "keep": "yes"})
    plain = t.vm("plain")
    t.wait_running([used, kept, plain], 30)
    t.wait_running([idle], 40)
    for vm in (idle, used, kept, plain):
        t.backend.tell_use(vm, 2)
    waits = t.vm("waits", cpu=1, haizea={"start": "best_effort", "duration": clock(600)})

    t.wait(60, "its owner is told", lambda: "are unused" in t.look(used).message, used)
    t.backend.tell_use(used, 60)
    t.wait(60, "it is used again", lambda: "are unused" not in t.look(used).message, used)
    t.wait_ended(idle, t.began(idle) + 90)
    t.wait_running([waits], 30)
    leases = []
    for notice in os.listdir(told):
        with open(os.path.join(told, notice), encoding="utf-8") as file:
            leases.append(json.load(file)["lease"])
    t.require(sorted(leases) == sorted([idle, used]), "each owner has one notice: %s" % leases)
    t.throughout(5, "the others go on",
                 lambda: all(t.look(vm).running for vm in (used, kept, plain)), used, kept, plain)
    history = t.scheduler.ask("lease", "history", str(idle))
    t.require("unused" in history and "it ended before its time" in history,
              "the history says why: %s" % history)
    history = t.scheduler.ask("lease", "history", str(used))
    t.require("does not end early" in history, "and that of the other: %s" % history)
