#!/usr/bin/env python3
"""Every query of the page about results, run on replays, gives the figures of the summary.

    queries.py GALERNA SOURCES
"""
import json
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

MEASURES = ("waiting_time", "turnaround_time", "slowdown", "bounded_slowdown")
FIGURES = ("mean", "median", "p95", "p99", "max")


def queries(page):
    """Heading -> query, of every SQL block."""
    found = {}
    heading = None
    for part in re.finditer(r"^#+ ([^\n]*)$|^```sql\n(.*?)^```", page, re.M | re.S):
        if part[1]:
            heading = part[1]
        else:
            assert heading not in found, f"two queries below '{heading}'"
            found[heading] = part[2]
    return found


def write_log(path):
    """A log of four users, some of whose jobs never fit."""
    numbers = random.Random(4)
    lines = ["; MaxProcs: 8"]
    submit = 0
    for job in range(1, 301):
        submit += numbers.randrange(120)
        run = numbers.choice((1, 4, 60, 900, 5000))
        processors = 12 if job % 50 == 0 else numbers.randint(1, 8)
        fields = [-1] * 18
        fields[0:5] = job, submit, -1, run, processors
        fields[7:9] = processors, run * numbers.randint(1, 3)
        fields[10:12] = 1, job * job % 5
        lines.append(" ".join(map(str, fields)))
    path.write_text("\n".join(lines) + "\n")


def same(what, ours, summary):
    assert abs(ours - summary) <= 1e-9 * max(1, abs(summary)), f"{what}: {ours}, not {summary}"


def percentile(values, share):
    return sorted(values)[(len(values) * share + 99) // 100 - 1]


def check_groups(rows, leases):
    """Rows of (group, n, figures) against the values of each group."""
    assert {row[0] for row in rows} == set(leases), "groups"
    for group, n, mean, median, p95, p99, most in rows:
        values = leases[group]
        assert n == len(values), f"group {group}: {n}, not {len(values)}"
        same(f"mean of {group}", mean, sum(values) / n)
        for figure, share in ((median, 50), (p95, 95), (p99, 99), (most, 100)):
            same(f"percentile {share} of {group}", figure, percentile(values, share))


def grouped(database, query):
    groups = {}
    for group, value in database.execute(query):
        groups.setdefault(group, []).append(value)
    return groups


def hours_of(end):
    return [min(end, 3600 * (hour + 1)) - 3600 * hour for hour in range(-(-end // 3600))]


def check_distributions(database, ask, run):
    for measure, n, *figures in ask("Distributions"):
        same(f"leases of {measure}", n, run[measure]["leases"])
        for name, figure in zip(FIGURES, figures):
            same(f"{measure} {name}", figure, run[measure][name])
    assert [row[0] for row in ask("Distributions")] == sorted(MEASURES)
    served = "kind = 'Best-effort' AND state = 'Done'"
    check_groups(ask("Distributions over time"),
                 grouped(database, f"SELECT submit / 3600, bounded_slowdown FROM leases "
                                   f"WHERE {served}"))
    on_hosts = {}
    for host, lease, value in database.execute(
            f"SELECT host, l.id, waiting_time FROM (SELECT * FROM leases WHERE {served}) l, "
            f"reservations r, reservation_hosts h "
            f"WHERE r.lease = l.id AND h.reservation = r.id AND r.kind = 'VM'"):
        on_hosts.setdefault(host, {})[lease] = value
    check_groups(ask("Distributions per host"),
                 {host: list(values.values()) for host, values in on_hosts.items()})


def check_time_series(database, ask, run):
    hours = hours_of(run["end_time"])
    end = run["end_time"]
    capacity = dict(database.execute("SELECT id, cpu FROM hosts"))
    site = sum(capacity.values())

    rows = ask("Utilization over time")
    assert [row[0] for row in rows] == list(range(len(hours))), "an hour is missing"
    same("utilization over time", sum(u * hours[h] for h, u in rows) / end, run["utilization"])

    rows = ask("Utilization per host")
    assert [row[0] for row in rows] == sorted(capacity), "a host is missing"
    same("utilization per host", sum(u * capacity[h] for h, u in rows) / site, run["utilization"])

    both = ask("Utilization per host and over time")
    for host, utilization in rows:
        same(f"host {host} over time", sum(u * hours[h] for h, of, u in both if of == host) / end,
             utilization)

    rows = ask("Queue length over time")
    assert [row[0] for row in rows] == list(range(len(hours))), "an hour is missing"
    same("queue over time", sum(mean * hours[h] for h, mean, _ in rows) / end, run["queue_mean"])
    longest = database.execute("SELECT max(value) FROM counters WHERE counter = 'Queue size'")
    same("longest queue", max(row[2] for row in rows), longest.fetchone()[0])


def check_run_row(database, run):
    columns = database.execute("SELECT * FROM run")
    row = dict(zip([column[0] for column in columns.description], columns.fetchone()))
    for measure in MEASURES:
        for name in FIGURES:
            same(f"run.{measure} {name}", row[f"{measure.removesuffix('_time')}_{name}"],
                 run[measure][name])
    for name in ("utilization", "queue_mean", "haizea_slowdown_mean", "suspensions"):
        same(f"run.{name}", row[name], run[name])


def check(galerna, page, arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/run.db"
        done = subprocess.run([galerna, "replay", *arguments, "--results", path, "--json"],
                              check=True, capture_output=True, text=True)
        run = json.loads(done.stdout)["runs"][0]
        database = sqlite3.connect(path)
        asked = set()

        def ask(heading):
            asked.add(heading)
            return database.execute(page[heading]).fetchall()

        check_run_row(database, run)
        check_distributions(database, ask, run)
        check_time_series(database, ask, run)
        users, fairness = ask("Fairness between users")[0]
        same("users", users, run["fairness"]["users"])
        if users:
            same("fairness", fairness, run["fairness"]["jain_bounded_slowdown"])
        assert dict(ask("Reasons for refusals")) == run["refused"], run["refused"]
        assert asked == set(page), f"not checked: {set(page) - asked}"
        database.close()
        return run


def main():
    galerna, sources = sys.argv[1], pathlib.Path(sys.argv[2])
    page = queries((sources / "doc/results-schema.md").read_text())
    day = str(sources / "conf/examples/working-day.lwf")

    run = check(galerna, page, [day, "--policy", "preemption=ar-preempts-everything"])
    assert run["suspensions"] > 0 and run["refused"], "the day disturbs nobody"
    assert not run["suspended_jobs"], "a trace of leases is no log"
    run = check(galerna, page, [day, "--policy", "preemption=ar-preempts-everything",
                                "--set", "scheduling.suspension=none"])
    assert run["preemptions"]["requeue"] > 0, "the day requeues nobody"
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log.swf"
        write_log(log)
        run = check(galerna, page, [str(log)])
        assert run["suspensions"] > 0 and run["suspended_jobs"], "the log's jobs are suspended"
        run = check(galerna, page, [str(log), "--as-jobs"])
        assert run["suspensions"] == 0 and not run["suspended_jobs"]
        assert run["fairness"]["users"] == 3 and run["refused"] == {"too-big": 6}, run


main()
