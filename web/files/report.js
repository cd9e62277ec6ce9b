// The report of finished runs, from the data in the page, which report/page.h describes. Times are
// milliseconds since the start of a run, but seconds in the data.
"use strict";

const given = JSON.parse(element("data").textContent);
const shown = given.runs.filter((run) => run.hosts);
const onHosts = shown.filter((run) => run.bars); // a sweep may have kept only the leases
const USES = { VM: "running", Withdrawn: "lost" }; // others: planned
const OVERHEADS = new Set(["SUSPEND", "RESUME", "SHUTDOWN"]);

// Runs with the same name are distinguished by their files.
for (const [run, name] of given.runs.map((one) => [one, one.name]))
    if (given.runs.filter((one) => one.title === name || one.name === name).length > 1)
        Object.assign(run, { title: name, name: `${name} (${run.file})` });

let current = onHosts[0];

// A duration: "12 s", "7 min", "2 h 3 min", "1 d 4 h".
function span(seconds) {
    if (seconds === null || seconds === undefined)
        return "–";
    const whole = Math.round(seconds), minutes = Math.floor(whole / 60);
    if (whole < 60)
        return `${whole} s`;
    if (whole < 3600)
        return `${minutes} min`;
    return whole < 86400 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
        : `${Math.floor(whole / 86400)} d ${Math.floor(minutes / 60) % 24} h`;
}

// A time since the start of the run: "03:12", "1 d 03:12".
function moment(milliseconds) {
    if (!isFinite(milliseconds) || milliseconds === null)
        return "not known";
    const minutes = Math.floor(milliseconds / 60e3), days = Math.floor(minutes / 1440);
    const two = (number) => String(number).padStart(2, "0");
    return `${days ? `${days} d ` : ""}${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`;
}

const whenOf = (seconds) => (seconds === null ? "–" : moment(1000 * seconds));

const page = {
    now: () => 1000 * current.figures.end_time,
    say: moment,
    tick: (when, distance) => (distance < DAY ? moment(when) : `day ${Math.floor(when / DAY)}`),
    zone: () => 0,
    follow: () => {},
    drawn: () => {},
    filtered: () => {},
    home: () => {
        view.from = 0;
        view.span = Math.max(60e3, page.now());
    },
    open: openPast,
};

// --- comparison -------------------------------------------------------------------------------

const number = (digits) => (value) => value.toFixed(digits);
const FIGURES = [["waiting_mean", "Mean wait", span], ["waiting_median", "Median wait", span],
    ["waiting_p95", "Wait, 95 %", span], ["waiting_p99", "Wait, 99 %", span],
    ["waiting_max", "Longest wait", span],
    ["bounded_slowdown_mean", "Mean bounded slowdown", number(2)],
    ["bounded_slowdown_p95", "Bounded slowdown, 95 %", number(2)],
    ["utilization", "Utilization", (value) => `${(100 * value).toFixed(1)} %`],
    ["queue_mean", "Mean queue", number(1)], ["fairness", "Fairness", number(3)],
    ["preempted_suspend", "Suspended", number(0)], ["preempted_requeue", "Requeued", number(0)],
    ["preempted_cancel", "Cancelled to make room", number(0)],
    ["migrations", "Migrations", number(0)],
    ["makespan", "Makespan", span], ["end_time", "End", span]];

function figureCell(run, [name, , text]) {
    const value = run.figures[name], first = given.runs[0].figures[name];
    const cell = make("td", {}, value === null || value === undefined ? "–" : text(value));
    if (run !== given.runs[0] && first && value !== null && value !== undefined) {
        const change = Math.round(100 * (value - first) / first);
        cell.append(" ", make("small", {}, `${change > 0 ? "+" : ""}${change || 0} %`));
    }
    return cell;
}

function drawFigures() {
    const used = FIGURES.filter(([name]) => given.runs.some((run) =>
        run.figures[name] !== null && run.figures[name] !== undefined));
    const head = make("tr", {}, ...["Run", "Status", ...used.map(([, title]) => title)]
        .map((title) => make("th", { scope: "col" }, title)));
    const rows = given.runs.map((run) => make("tr", {}, make("th", { scope: "row" }, run.name),
        make("td", {}, run.status), ...used.map((figure) => figureCell(run, figure))));
    element("figures").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
    element("figures-note").textContent = `Of completed best-effort leases.${given.runs.length > 1
        ? " Percentages compare with the first run." : ""}${given.left_out
        ? ` ${given.left_out} more runs are omitted.` : ""}`;
}

// --- curves -----------------------------------------------------------------------------------

// Draws, over a logarithmic scale, the share of leases with at most a given value.
function distribution(title, name, least, text) {
    const at = (value) => Math.log10(Math.max(least, value));
    const series = shown.map((run) => ({ name: run.name,
        points: (run[name] ?? []).map((value, i, all) => [at(value), i / (all.length - 1)]) }));
    const until = Math.max(at(least) + 1, ...series.flatMap((one) => one.points.slice(-1))
        .map(([value]) => value));
    return chart(title, series.map((one) => ({ ...one,
        points: one.points.length ? [...one.points, [until, 1]] : [] })),
    { from: at(least), until, most: 1 }, { x: (value) => text(10 ** value), y: () => "100 %" });
}

function overTime(title, name, most, text) {
    const until = Math.max(...shown.map((run) => run.figures.end_time));
    return chart(title, shown.map((run) => ({ name: run.name,
        points: (run[name] ?? []).map((value, i, all) =>
            [run.figures.end_time * i / all.length, value]) })), { from: 0, until, most },
    { x: span, y: text });
}

function drawCurves() {
    element("curves-key").replaceChildren(chartKey(shown.map((run) => run.name)));
    element("curves").replaceChildren(
        distribution("Share of leases that waited at most", "waiting", 1, span),
        distribution("Share of leases with a bounded slowdown of at most", "slowdown", 1,
            number(1)),
        overTime("Utilization", "utilization", 1, () => "100 %"),
        overTime("Leases in the queue", "queue", undefined, number(1)));
    element("curves-note").textContent = shown.length < given.runs.length
        ? `Curves and hosts of the ${shown.length} runs of which the leases are kept; of ${
            given.details} at most.` : "";
}

// --- hosts ------------------------------------------------------------------------------------

// Parses "0-3 7" as numbers.
const hostsOf = (text) => text.split(" ").filter(Boolean).flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
});

function barsOf(run) {
    const leases = new Map(run.leases.map(([id, kind, user, vms, submit, start, end, wait, slowdown,
        state, reason]) => [id, { lease: id, name: kind, kind, user: user ?? "", user_group: "",
        vms, submit, start, end, wait, slowdown, activity: state, reason }]));
    return run.bars.map(([id, kind, from, until, hosts]) => {
        const lease = leases.get(id), use = OVERHEADS.has(kind) ? "planned" : USES[kind];
        return { lease, kind, use: use === "running" && lease.kind === "AR" ? "reserved" : use,
            from: 1000 * from, until: 1000 * (until ?? run.figures.end_time),
            hosts: hostsOf(hosts) };
    }).sort((a, b) => a.from - b.from);
}

function openPast(lease) {
    openLease(lease, [["User", lease.user], ["Kind", lease.kind], ["VMs", lease.vms],
        ["Submitted", whenOf(lease.submit)], ["Began", whenOf(lease.start)], ["Ended", whenOf(lease.end)],
        ["Waited", span(lease.wait)], ["Bounded slowdown", lease.slowdown?.toFixed(2)],
        ["Reason", lease.reason === "planned" ? null : lease.reason]]);
    element("lease-history").replaceChildren(...data.bars.filter((bar) => bar.lease === lease)
        .map((bar) => make("li", {}, `${moment(bar.from)} to ${moment(bar.until)}: ${bar.kind} on ${
            bar.hosts.length > 8 ? `${bar.hosts.length} hosts` : bar.hosts.join(" ")}`)));
}

function choose(run) {
    current = run;
    const bars = barsOf(run);
    data = { bars, byHost: index(bars),
        hosts: run.hosts.map(([id, cpu]) => ({ host: id, name: `host ${id}`, cpu })) };
    element("hosts-note").textContent = run.bars_left_out
        ? `${run.bars_left_out} intervals on hosts are omitted: those with the least use of capacity.`
        : "";
    const whole = Math.max(60e3, page.now());
    offer([["1 hour", HOUR], ["6 hours", 6 * HOUR], ["1 day", DAY], ["1 week", 7 * DAY],
        ["1 month", 30 * DAY]].filter(([, length]) => length < whole)
        .concat([["whole run", whole]]));
    home();
}

element("title").textContent = document.title = given.title;
element("state").textContent = given.runs.length === 1 ? "1 run" : `${given.runs.length} runs`;
drawFigures();
element("curves").closest("section").hidden = shown.length === 0;
element("hosts").hidden = onHosts.length === 0;
element("run").append(...onHosts.map((run, i) => make("option", { value: i }, run.name)));
element("run").onchange = (event) => choose(onHosts[event.target.value]);
if (shown.length)
    drawCurves();
if (onHosts.length)
    choose(onHosts[0]);
