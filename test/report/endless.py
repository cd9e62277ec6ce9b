#!/usr/bin/env python3
"""Makes databases that are no results, although they look so: endless-*.db in the current folder.

  endless.py RESULTS SWEEP
"""

import shutil
import sqlite3
import struct
import sys

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
results, sweep = sys.argv[1:]


def change(source, name, script):
    path = f"endless-{name}.db"
    shutil.copy(source, path)
    database = sqlite3.connect(path)
    database.executescript(script)
    database.close()
    return path


def view(table):
    return (f"ALTER TABLE {table} RENAME TO old;"
            f"CREATE VIEW {table} AS {ENDLESS} SELECT old.* FROM old, n;")


def tree(path):
    """A table in which each page of the upper levels has one and the same child many times."""
    database = sqlite3.connect(path)
    size = database.execute("PRAGMA page_size").fetchone()[0]
    root = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'hosts'").fetchone()[0]
    database.close()
    with open(path, "r+b") as file:
        file.seek((root - 1) * size)
        top = bytearray(file.read(size))
        assert top[0] == 5, "no upper level"
        cells = [struct.unpack_from(">H", top, 12 + 2 * i)[0] for i in range(struct.unpack_from(">H", top, 3)[0])]
        leaf = struct.unpack_from(">I", top, 8)[0]
        pages = [root] + [struct.unpack_from(">I", top, cell)[0] for cell in cells[:12]]
        for page, child in zip(pages, pages[1:] + [leaf]):
            for at in [8] + cells:
                struct.pack_into(">I", top, at, child)
            file.seek((page - 1) * size)
            file.write(top)


for table in ("run", "leases", "reservations", "reservation_hosts", "counters"):
    change(results, table, view(table))
change(sweep, "cells", view("cells"))
change(results, "virtual", "ALTER TABLE leases RENAME TO old; CREATE VIRTUAL TABLE leases USING fts5(id, kind)")
change(sweep, "trigger", f"CREATE TRIGGER endless AFTER UPDATE ON cells BEGIN "
       f"DELETE FROM axes WHERE axis < (SELECT max(i) FROM ({ENDLESS} SELECT i FROM n)); END")
tree(change(results, "tree", "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)"
            "INSERT INTO hosts (id, cpu, memory, disk, net_in, net_out) SELECT i, 1, 1, 1, 1, 1 FROM n"))
tree(change(sweep, "grid-tree", "DROP TABLE IF EXISTS hosts; CREATE TABLE hosts (cell, id);"
            "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)"
            "INSERT INTO hosts SELECT i, i FROM n"))
