"""What the front-ends of a Raft zone do not agree on, by their databases.

oned can lose records that a majority has written (doc/high-availability.md): a leader that was deposed, and
comes back, applies records of its own that nobody else has, never those of the new leader at the same places of
the log; and it may make the new leader overwrite its log. VMs in such records are not what they were."""

import base64
import contextlib
import re
import sqlite3
import time
import zlib

PENDING = 200  # the last records of the log: some front-ends have yet to apply them
VM_OF = {"vm_pool": re.compile(r"<ID>(\d+)</ID>|VALUES \((\d+)"), "history": re.compile(r"<OID>(\d+)</OID>")}


def open_database(path):
    return contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=30))


def statement(stored):
    """The log has long statements compressed."""
    try:
        return zlib.decompress(base64.b64decode(stored, validate=True)).decode(errors="replace")
    except ValueError:
        return stored
    except zlib.error:
        return stored


def vm_in(text):
    """Of a statement about one VM, or None."""
    table = re.match(r"\s*\w+(?: INTO| FROM)?\s+(\w+)", text)
    found = VM_OF[table.group(1)].search(text) if table and table.group(1) in VM_OF else None
    return int(next(filter(None, found.groups()))) if found else None


def read_log(path):
    """Place in the log -> (term, statement, when applied; 0: never)."""
    with open_database(path) as opened:
        return {place: record for place, *record in opened.execute(
            "SELECT log_index, term, sqlcmd, timestamp FROM logdb WHERE log_index > 0")}


def odd_records(databases):
    """Yields (VM, why) of statements in records that differ, or that a front-end lacks or has never applied."""
    logs = [read_log(path) for path in databases]
    for place in range(max(min(log) for log in logs), min(max(log) for log in logs) - PENDING):
        records = [log.get(place) for log in logs]
        there = [record for record in records if record]
        differ = len({tuple(record[:2]) for record in there}) > 1
        without = [i for i, record in enumerate(records) if not (record and record[2])]
        if not differ and not without:
            continue
        when = time.strftime("%H:%M:%S", time.localtime(max((record[2] for record in there), default=0)))
        for text in {statement(record[1]) for record in there}:
            yield vm_in(text), "record %d of %s: terms %s, not applied by %s" % (
                place, when, sorted({record[0] for record in there}), without)


def different_states(databases):
    """Yields (VM, why) where one database has the VM in another state than another, or not at all."""
    tables = []
    for path in databases:
        with open_database(path) as opened:
            tables.append(dict(opened.execute("SELECT oid, state FROM vm_pool")))
    for vm in sorted(set().union(*tables)):
        states = [table.get(vm) for table in tables]
        if len(set(states)) > 1:
            yield vm, "states in the databases: %s" % states


def half_written(path):
    """Yields (VM, why) where oned wrote a record of the history and lost what the VM had of it: it refuses to
    deploy the VM from then on, or shows the record's host."""
    with open_database(path) as opened:
        last = dict(opened.execute("SELECT vid, MAX(seq) FROM history GROUP BY vid"))
        for vm, body in opened.execute("SELECT oid, body FROM vm_pool"):
            known = max(map(int, re.findall(r"<SEQ>(\d+)</SEQ>", statement(body))), default=-1)
            if last.get(vm, -1) != known:
                yield vm, "record %d of its history is in the database, and it knows %d" % (
                    last.get(vm, -1), known)


def disputed_vms(databases):
    """VM -> what the front-ends do not agree on, or have in part, once nothing changes any more."""
    vms = {}
    for vm, why in [*odd_records(databases), *different_states(databases), *half_written(databases[0])]:
        if vm is not None:
            vms.setdefault(vm, []).append(why)
    return vms
