// The calendar of galerna-web: what its API says about hosts, leases and the queue, drawn over time.
// It only reads. Times are milliseconds since 1970.
"use strict";

const HOUR = 3600e3;
const DAY = 24 * HOUR;
const SPANS = [["1 hour", HOUR], ["6 hours", 6 * HOUR], ["1 day", DAY], ["1 week", 7 * DAY],
    ["1 month", 30 * DAY], ["1 quarter", 91 * DAY]];
const TICKS = [5 * 60e3, 15 * 60e3, HOUR, 3 * HOUR, 6 * HOUR, DAY, 7 * DAY,
    14 * DAY, 30 * DAY];
const OVER = new Set(["ended", "refused", "failed"]);
const AHEAD = new Set(["gathering", "waiting", "reserved"]);
const BEFORE_NOW = 0.25; // the part of the view that is past
const REFRESH = 2000; // at least so long between two readings
const LANE = 24; // pixels
const STEPS = 250; // of the curve of utilization

// Made once: each costs more than its use.
const MOMENT = new Intl.DateTimeFormat([], { dateStyle: "medium", timeStyle: "short" });
const NAMES = new Intl.Collator([], { numeric: true });

const view = { from: 0, span: DAY, follows: true, filter: "" };
let data = { hosts: [], bars: [], byHost: new Map() };

const element = (id) => document.getElementById(id);

function make(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
}

// "never" is the end of time; null stays.
const time = (text) => (text === "never" ? Infinity : text ? Date.parse(text) : null);

function say(moment) {
    if (moment === null || !isFinite(moment))
        return moment === null ? "not known" : "never";
    return MOMENT.format(moment);
}

// --- reading ----------------------------------------------------------------------------------

async function ask(path) {
    const answer = await fetch(new URL(`/api/v1${path}`, location.origin));
    const document = await answer.json();
    if (!answer.ok)
        throw new Error(document.error);
    return document;
}

// When a lease holds its hosts, and how it is drawn; null: not at any known time.
function stretch(lease) {
    let from = time(lease.began) ?? time(lease.since);
    let use = OVER.has(lease.phase) ? "past" : "running";
    if (AHEAD.has(lease.phase)) {
        from = time(lease.expected);
        use = lease.phase === "reserved" ? "reserved" : "planned";
    }
    if (from === null)
        return null;
    let until = AHEAD.has(lease.phase) ? null : time(lease.end);
    if (until === null && typeof lease.duration === "number")
        until = from + lease.duration * 1000;
    return { lease, use, from, until: until ?? Infinity };
}

function index(bars) {
    const byHost = new Map();
    for (const bar of bars)
        for (const host of bar.lease.hosts.length ? bar.lease.hosts : [null]) {
            if (!byHost.has(host))
                byHost.set(host, []);
            byHost.get(host).push(bar);
        }
    for (const row of byHost.values())
        row.sort((a, b) => a.from - b.from);
    return byHost;
}

// Hosts that OpenNebula does not show to the user are known from the user's leases.
function hostRows(hosts, byHost) {
    const rows = new Map(hosts.map((host) => [host.host, host]));
    for (const id of byHost.keys())
        if (id !== null && !rows.has(id))
            rows.set(id, { host: id, name: `host ${id}`, cluster: null, cpu: 0, state: "" });
    return [...rows.values()].sort((a, b) =>
        NAMES.compare(a.cluster ?? "", b.cluster ?? "") || NAMES.compare(a.name, b.name));
}

let reading = false, again = false;

async function refresh() {
    if (reading) {
        again = true;
        return;
    }
    reading = true;
    try {
        const [hosts, leases, queue] = await Promise.all(
            [ask("/hosts"), ask("/leases?all=true"), ask("/queue")]);
        const bars = leases.leases.map(stretch).filter((bar) => bar), byHost = index(bars);
        data = { hosts: hostRows(hosts.hosts, byHost), bars, byHost };
        draw();
        drawQueue(queue.leases);
        tell(`As of ${new Date(leases.now).toLocaleTimeString()}`, false);
    } catch (error) {
        tell(`Not up to date: ${error.message}`, true);
    }
    setTimeout(() => {
        reading = false;
        if (again) {
            again = false;
            refresh();
        }
    }, REFRESH);
}

function tell(text, wrong) {
    element("state").textContent = text;
    element("state").classList.toggle("wrong", wrong);
}

// --- the calendar -----------------------------------------------------------------------------

const percent = (moment) => 100 * (Math.min(Math.max(moment, view.from), view.from + view.span) -
    view.from) / view.span;

function place(node, from, until) {
    node.style.left = `${percent(from)}%`;
    node.style.width = `max(3px, ${percent(until) - percent(from)}%)`;
    return node;
}

const isShown = (from, until) => from < view.from + view.span && until > view.from;

const matches = ({ lease }) => !view.filter ||
    `${lease.lease} ${lease.name} ${lease.user} ${lease.user_group}`.toLowerCase()
        .includes(view.filter);

function barOf(bar, lane) {
    const { lease, use } = bar;
    const label = `${lease.lease} ${lease.name || lease.user}`;
    const node = make("button", { className: `bar ${use}`, type: "button", textContent: label,
        title: `Lease ${label}, ${lease.user}: ${use}, ${say(bar.from)} to ${say(bar.until)}` });
    node.setAttribute("aria-label", node.title);
    node.style.top = `${lane * LANE + 2}px`;
    node.dataset.lease = lease.lease;
    node.onclick = () => showLease(lease);
    return place(node, bar.from, bar.until);
}

// Bars that overlap are put into lanes; returns how many.
function fillLane(area, bars) {
    const ends = [];
    for (const bar of bars) {
        let lane = ends.findIndex((end) => end <= bar.from);
        if (lane < 0)
            lane = ends.length;
        ends[lane] = bar.until;
        area.append(barOf(bar, lane));
    }
    return ends.length;
}

function bandsOf(host) {
    const bands = [];
    if (host.drain_from)
        bands.push(["drain", time(host.drain_from), time(host.drain_until) ?? Infinity]);
    if (host.quarantined_until)
        bands.push(["quarantine", Date.now(), time(host.quarantined_until)]);
    return bands.filter(([, from, until]) => isShown(from, until))
        .map(([kind, from, until]) => place(make("div", { className: `band ${kind}`,
            title: `${kind === "drain" ? "maintenance" : kind} until ${say(until)}` }), from, until));
}

function fillRow(row) {
    const host = row.host, bars = (data.byHost.get(host.host) ?? [])
        .filter((bar) => isShown(bar.from, bar.until) && matches(bar));
    row.area.replaceChildren(...bandsOf(host));
    const lanes = fillLane(row.area, bars);
    row.area.style.height = `${Math.max(1, lanes) * LANE + 4}px`;
    row.area.append(place(make("span", { className: "present" }), Date.now(), Date.now()));
    row.isFilled = true;
}

// Only rows that are in sight or near are filled: at once, and when they come into sight.
const NEAR = 300; // pixels
const sight = new IntersectionObserver((entries) => {
    for (const entry of entries)
        if (entry.isIntersecting && !entry.target.isFilled)
            fillRow(entry.target);
}, { rootMargin: `${NEAR}px` });

function fillRows(rows) {
    const near = rows.filter((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return top < innerHeight + NEAR && bottom > -NEAR;
    });
    near.forEach(fillRow);
    rows.forEach((row) => sight.observe(row));
}

function rowOf(host) {
    const area = make("div"), state = host.state && host.state !== "on" ? ` ${host.state}` : "";
    const row = make("div", { className: "row", host, area },
        make("span", { className: "label", title: `${host.name}${state}` }, host.name,
            make("small", {}, state)), area);
    area.style.height = `${LANE + 4}px`;
    return row;
}

function axis() {
    const most = Math.min(12, Math.max(2, element("calendar").clientWidth / 100 - 1));
    const line = make("div"), tick = TICKS.find((one) => view.span / one <= most) ?? 30 * DAY;
    const zone = new Date(view.from).getTimezoneOffset() * 60e3;
    for (let at = Math.ceil((view.from - zone) / tick) * tick + zone;
        at < view.from + view.span; at += tick) {
        const date = new Date(at), text = tick < DAY
            ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
            : date.toLocaleDateString([], { month: "short", day: "numeric" });
        const node = make("time", { textContent: text, dateTime: date.toISOString() });
        node.style.left = `${percent(at)}%`;
        line.append(node);
    }
    const day = new Date(view.from).toLocaleDateString([], { month: "short", day: "numeric" });
    return make("div", { className: "axis" }, make("span", {}, day), line);
}

function draw() {
    const calendar = element("calendar"), focused = document.activeElement?.dataset?.lease;
    if (view.follows)
        view.from = Date.now() - view.span * BEFORE_NOW;
    sight.disconnect();
    const children = [axis()];
    let cluster;
    for (const host of data.hosts) {
        if (host.cluster !== cluster)
            children.push(make("h3", {}, host.cluster ? `Cluster ${host.cluster}` : "Other hosts"));
        cluster = host.cluster;
        children.push(rowOf(host));
    }
    if (data.byHost.has(null))
        children.push(make("h3", {}, "Hosts not chosen yet"),
            rowOf({ host: null, name: "any", state: "" }));
    calendar.replaceChildren(...children);
    fillRows(children.filter((child) => child.host));
    drawUse();
    if (focused)
        calendar.querySelector(`[data-lease="${focused}"]`)?.focus();
}

// --- utilization ------------------------------------------------------------------------------

// CPU of the leases at each step of the view.
function cpuOver() {
    const change = new Float64Array(STEPS + 1), step = view.span / STEPS;
    const at = (moment) => Math.min(STEPS, Math.max(0, Math.round((moment - view.from) / step)));
    for (const bar of data.bars)
        if (isShown(bar.from, bar.until)) {
            change[at(bar.from)] += bar.lease.cpu ?? 0;
            change[at(bar.until)] -= bar.lease.cpu ?? 0;
        }
    let sum = 0;
    return Array.from(change.subarray(0, STEPS), (one) => (sum += one));
}

function drawUse() {
    const total = data.hosts.reduce((sum, host) => sum + host.cpu, 0), cpu = cpuOver();
    const most = Math.max(total, ...cpu, 1), now = Math.round(STEPS * (Date.now() - view.from) /
        view.span);
    const path = (first, last) => {
        const part = document.createElementNS("http://www.w3.org/2000/svg", "path");
        let points = `M ${1000 * first / STEPS} 100`;
        for (let i = Math.max(0, first); i < Math.min(STEPS, last); i++)
            points += ` V ${100 - 100 * cpu[i] / most} H ${1000 * (i + 1) / STEPS}`;
        part.setAttribute("d", `${points} V 100 Z`);
        return part;
    };
    const past = path(0, now), ahead = path(Math.max(0, now), STEPS);
    ahead.classList.add("ahead");
    element("use").replaceChildren(past, ahead);
    const present = cpu[Math.min(STEPS - 1, Math.max(0, now))];
    element("use-text").textContent = now < 0 || now >= STEPS ? "" : total > 0
        ? `Now ${present.toFixed(1)} of ${total.toFixed(1)} CPU (${Math.round(100 * present / total)} %)`
        : `Now ${present.toFixed(1)} CPU of your leases`;
}

// --- queue and leases -------------------------------------------------------------------------

function drawQueue(leases) {
    const rows = leases.map((lease) => {
        const button = make("button", { type: "button", textContent: lease.lease });
        button.onclick = () => showLease(lease);
        const start = lease.expected === "never" ? "not while running VMs have no end"
            : lease.expected ? `${say(time(lease.expected))} (${lease.promise})` : "not known";
        return make("tr", {}, make("td", {}, lease.position ?? ""), make("td", {}, button),
            ...[lease.user, lease.vms, lease.cpu, start, lease.reason?.text ?? lease.activity]
                .map((text) => make("td", {}, text ?? "")));
    });
    if (!rows.length)
        rows.push(make("tr", {}, make("td", { colSpan: 7 }, "No lease waits.")));
    element("queue").replaceChildren(...rows);
}

async function showLease(lease) {
    const facts = [["User", `${lease.user} (${lease.user_group})`], ["Kind", lease.kind],
        ["Phase", lease.phase], ["VMs", lease.vms], ["CPU", lease.cpu], ["Memory", `${lease.memory} MB`],
        ["Submitted", say(time(lease.submitted))],
        ["Began", say(time(lease.began) ?? time(lease.since))],
        ["Expected", say(time(lease.expected))], ["Ends", say(time(lease.end))],
        ["Deadline", lease.deadline && say(time(lease.deadline))],
        ["Reason", lease.reason?.text]];
    element("lease-title").textContent = `Lease ${lease.lease} ${lease.name}`;
    element("lease-activity").textContent = lease.activity;
    element("lease-facts").replaceChildren(...facts.filter(([, value]) => value ?? false)
        .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
    element("lease-history").replaceChildren(make("li", {}, "Loading"));
    element("lease").showModal();
    try {
        const { events } = await ask(`/leases/${lease.lease}/history`);
        element("lease-history").replaceChildren(...events.map((event) =>
            make("li", {}, `${say(time(event.at))}: ${event.text || event.event}`)));
    } catch (error) {
        element("lease-history").replaceChildren(make("li", {}, error.message));
    }
}

// --- moving about -----------------------------------------------------------------------------

function move(part) {
    view.follows = false;
    view.from += part * view.span;
    draw();
}

function zoom(i) {
    if (!SPANS[i])
        return;
    const middle = view.from + view.span / 2;
    view.span = SPANS[i][1];
    view.from = middle - view.span / 2;
    element("span").value = i;
    draw();
}

function toNow() {
    view.follows = true;
    draw();
}

// Left and right go along a row, up and down to the bar of another row that is nearest in time.
function step(bar, key) {
    const rows = [...element("calendar").querySelectorAll(".row")].filter((row) =>
        row.querySelector(".bar"));
    const row = bar.closest(".row"), bars = [...row.querySelectorAll(".bar")];
    if (key === "ArrowLeft" || key === "ArrowRight")
        return bars[bars.indexOf(bar) + (key === "ArrowLeft" ? -1 : 1)];
    const other = rows[rows.indexOf(row) + (key === "ArrowUp" ? -1 : 1)];
    const left = parseFloat(bar.style.left);
    return [...(other?.querySelectorAll(".bar") ?? [])].sort((a, b) =>
        Math.abs(parseFloat(a.style.left) - left) - Math.abs(parseFloat(b.style.left) - left))[0];
}

document.addEventListener("keydown", (event) => {
    const target = event.target;
    if (target.matches("input, select") || element("lease").open || event.ctrlKey || event.altKey ||
        event.metaKey)
        return;
    const place = SPANS.findIndex(([, span]) => span === view.span);
    const keys = { n: toNow, "+": () => zoom(place - 1), "-": () => zoom(place + 1) };
    if (event.shiftKey && event.key === "ArrowLeft")
        move(-0.5);
    else if (event.shiftKey && event.key === "ArrowRight")
        move(0.5);
    else if (event.key.startsWith("Arrow") && target.matches(".bar"))
        step(target, event.key)?.focus();
    else if (keys[event.key.toLowerCase()])
        keys[event.key.toLowerCase()]();
    else
        return;
    event.preventDefault();
});

element("span").append(...SPANS.map(([name], i) => make("option", { value: i, textContent: name })));
element("span").value = SPANS.findIndex(([, span]) => span === view.span);
element("span").onchange = (event) => zoom(Number(event.target.value));
element("earlier").onclick = () => move(-0.5);
element("later").onclick = () => move(0.5);
element("now").onclick = toNow;
element("controls").onsubmit = (event) => event.preventDefault();
element("filter").oninput = (event) => {
    view.filter = event.target.value.trim().toLowerCase();
    draw();
};

const changes = new EventSource(new URL("/api/v1/events", location.origin));
changes.addEventListener("change", refresh);
changes.onerror = () => tell("Not connected; trying again", true);
changes.onopen = refresh;
setInterval(() => view.follows && draw(), 30000);
addEventListener("resize", draw);
refresh();
