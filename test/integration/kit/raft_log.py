"""What the front-ends of a Raft zone do not agree on, by their databases.

oned can lose records that a majority has written (doc/high-availability.md): a leader that was deposed, and
comes back, applies records of its own that nobody else has, never those of the new leader at the same places of
the log; and it may make the new leader overwrite its log. VMs in such records are not what they were."""

import base64
import contextlib
import re
import sqlite3
import zlib

PENDING = 200  # the last records of the log: some front-ends have yet to apply them
VM_OF = {"vm_pool": re.compile(r"<ID>(\d+)</ID>|VALUES \((\d+)"), "history": re.compile(r"VALUES \((\d+)")}


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


def odd_records(databases):
    """Yields statements of records that differ, or that a front-end has never applied."""
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(open_database(path)) for path in databases]
        end = min(one.execute("SELECT MAX(log_index) FROM logdb").fetchone()[0] for one in opened)
        rows = [one.execute("SELECT log_index, term, sqlcmd, timestamp FROM logdb WHERE log_index > 0 "
                            "AND log_index < ? ORDER BY log_index", (end - PENDING,)) for one in opened]
        for records in zip(*rows):
            if len({record[:3] for record in records}) > 1 or not all(record[3] for record in records):
                yield from {statement(record[2]) for record in records}


def different_states(databases):
    """VMs that one database has in another state than another, or not at all."""
    tables = []
    for path in databases:
        with open_database(path) as opened:
            tables.append(dict(opened.execute("SELECT oid, state FROM vm_pool")))
    return {vm for table in tables for vm in table if len({one.get(vm) for one in tables}) > 1}


def disputed_vms(databases):
    """VMs of which the front-ends do not have the same records, once nothing changes any more."""
    vms = {vm_in(text) for text in odd_records(databases)} | different_states(databases)
    return vms - {None}
