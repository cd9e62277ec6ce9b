// The calendar of galerna-web: hosts, leases and the queue from the API, updated on changes. This
// script only reads; changes.js requests changes. Times are milliseconds since 1970.
"use strict";

const OVER = new Set(["ended", "refused", "failed", "missed"]);
const AHEAD = new Set(["gathering", "waiting", "reserved"]);
const BEFORE_NOW = 0.25; // the part of the view that is past while it follows the present
const REFRESH = 2000; // milliseconds between two readings, at least
const STEPS = 250; // points of the utilization curve

// Created once: creating a format costs more than using it. This locale writes times like galernad's
// sentences, 2026-11-28 15:04.
const MOMENT = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "short" });
const HOUR_OF_DAY = new Intl.DateTimeFormat("sv", { timeStyle: "short" });

// "never" becomes Infinity; null remains null.
const time = (text) => (text === "never" ? Infinity : text ? Date.parse(text) : null);

function say(moment) {
    if (moment === null || !isFinite(moment))
        return moment === null ? "not known" : "never";
    return MOMENT.format(moment);
}

const page = {
    now: () => Date.now(),
    say,
    tick: (moment, distance) => (distance < DAY
        ? HOUR_OF_DAY.format(moment)
        : new Date(moment).toLocaleDateString([], { month: "short", day: "numeric" })),
    zone: (moment) => new Date(moment).getTimezoneOffset() * 60e3,
    follow: () => {
        if (view.follows)
            view.from = Date.now() - view.span * BEFORE_NOW;
    },
    drawn: () => {
        drawUse();
        drawWaits();
    },
    filtered: () => drawQueue(),
    home: () => {
        view.follows = true;
    },
    open: showLease,
};

// --- reading ----------------------------------------------------------------------------------

// When a lease holds its hosts, and how it is drawn; null: at no known time.
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
    return { lease, use, from, until: until ?? Infinity, hosts: lease.hosts, cpu: lease.cpu ?? 0 };
}

// A lease that has left a host has a bar for each stay, and one for its next start.
function barsOf(lease) {
    const next = lease.stays.length === 0 || AHEAD.has(lease.phase) ? [stretch(lease)] : [];
    return [...lease.stays.map(({ host, from, until }) => ({ lease,
        use: until ? "past" : "running", from: time(from),
        until: time(until) ?? time(lease.end) ?? Infinity, hosts: [host],
        cpu: (lease.cpu ?? 0) / Math.max(1, lease.hosts.length) })), ...next].filter(Boolean);
}

// The bands of a host: times when it takes no leases.
function bandsFor(host) {
    const bands = [];
    for (const drain of host.drains ?? [])
        bands.push([drain.booking ? "booking" : "drain", time(drain.from),
            time(drain.until) ?? Infinity]);
    if (host.quarantined_until)
        bands.push(["quarantine", Date.now(), time(host.quarantined_until)]);
    return bands;
}

// Adds hosts that OpenNebula does not show to the user but that have leases of the user.
function hostRows(hosts, byHost) {
    const rows = new Map(hosts.map((host) => [host.host, { ...host, bands: bandsFor(host) }]));
    for (const id of byHost.keys())
        if (id !== null && !rows.has(id))
            rows.set(id, { host: id, name: `host ${id}`, cluster: null, cpu: 0, state: "" });
    return [...rows.values()].sort((a, b) =>
        NAMES.compare(a.cluster ?? "", b.cluster ?? "") || NAMES.compare(a.name, b.name));
}

// The current data: leases and their bars, by id; hosts by id; the ids of
// waiting leases, in order; the revisions of these lists, for reading only changes. The lists are
// read completely now and then, because finished leases leave them only then.
let known = new Map(), hosts = new Map(), queued = [];
let revisions = null, wholeAt = 0;

// The parts of a lease that are displayed; the rest is not kept.
const shown = ({ lease, name, user, user_group, kind, phase, vms, cpu, memory, hosts, submitted,
    earliest, start, began, since, expected, promise, end, duration, deadline, activity, stays,
    reason }) => ({ lease, name, user, user_group, kind, phase, vms, cpu, memory, hosts, submitted,
    earliest, start, began, since, expected, promise, end, duration, deadline, activity, stays,
    reason: reason?.word === "planned" ? null : reason?.text });

const newsOf = (answer, items) => ({ isWhole: answer.since === null, changed: items,
    gone: answer.gone ?? [] });

async function read() {
    const isWhole = !revisions || Date.now() - wholeAt > DAY;
    const since = isWhole ? { hosts: "", leases: "" } : revisions;
    const ofHosts = await ask(`/hosts?since=${since.hosts}`);
    const ofLeases = await ask(`/leases?all=true&since=${since.leases}`);
    return { now: ofLeases.now, queue: ofLeases.queue,
        revisions: { hosts: ofHosts.revision, leases: ofLeases.revision },
        hosts: newsOf(ofHosts, ofHosts.hosts),
        leases: newsOf(ofLeases, ofLeases.leases.map(shown)) };
}

function forget() {
    revisions = null;
    known = new Map();
    hosts = new Map();
    queued = [];
    data = { hosts: [], byHost: new Map() };
    element("lately").hidden = true;
    draw();
    drawQueue();
}

function takeLeases({ isWhole, changed, gone }) {
    const rows = new Set();
    const remove = (id) => {
        known.get(id)?.bars.forEach((bar) => takeOut(data.byHost, bar));
        known.delete(id);
    };
    if (isWhole) {
        known = new Map();
        data.byHost = new Map();
    }
    gone.forEach(remove);
    for (const lease of changed) {
        const bars = barsOf(lease);
        remove(lease.lease);
        known.set(lease.lease, { lease, bars });
        for (const bar of bars)
            putIn(data.byHost, bar).forEach((row) => rows.add(row));
    }
    rows.forEach(inOrder);
}

function takeHosts({ isWhole, changed, gone }) {
    if (isWhole)
        hosts = new Map();
    gone.forEach((id) => hosts.delete(id));
    changed.forEach((host) => hosts.set(host.host, host));
}

const isNews = ({ isWhole, changed, gone }) => isWhole || changed.length > 0 || gone.length > 0;

function take(news) {
    const { leases, queue } = news, rowsBefore = data.byHost.size;
    const ofUnseen = leases.changed.some((lease) => [...lease.hosts,
        ...lease.stays.map(({ host }) => host)].some((host) => !data.byHost.has(host)));
    takeLeases(leases);
    takeHosts(news.hosts);
    if (isNews(news.hosts) || ofUnseen || leases.isWhole || data.byHost.size !== rowsBefore)
        data.hosts = hostRows([...hosts.values()], data.byHost);
    revisions = news.revisions;
    wholeAt = leases.isWhole ? Date.now() : wholeAt;
    if (isNews(leases) || isNews(news.hosts))
        draw();
    queued = queue ?? queued;
    if (queue || leases.changed.some((lease) => lease.phase === "waiting"))
        drawQueue();
}

let reading = false, again = false;

async function refresh() {
    if (!authorization)
        return;
    if (reading) {
        again = true;
        return;
    }
    reading = true;
    const asker = authorization;
    try {
        const news = await read();
        if (asker !== authorization)
            return; // the user has changed
        take(news);
        await drawLately();
        tell(`As of ${new Date(news.now).toLocaleTimeString("sv")}`, false);
    } catch (error) {
        tell(`Not up to date: ${error.message}`, true);
        if (error.status === 401) { // the token has expired
            signOut();
            askWho("OpenNebula no longer accepts this password or token: sign in again.");
        }
    } finally {
        setTimeout(() => {
            reading = false;
            if (again) {
                again = false;
                refresh();
            }
        }, REFRESH);
    }
}

function tell(text, wrong) {
    element("state").textContent = text;
    element("state").classList.toggle("wrong", wrong);
}

// --- utilization ------------------------------------------------------------------------------

// CPU of the leases at each step of the view.
function cpuOver() {
    const change = new Float64Array(STEPS + 1), step = view.span / STEPS;
    const at = (moment) => Math.min(STEPS, Math.max(0, Math.round((moment - view.from) / step)));
    for (const { bars } of known.values())
        for (const bar of bars)
            if (isShown(bar.from, bar.until)) {
                change[at(bar.from)] += bar.cpu;
                change[at(bar.until)] -= bar.cpu;
            }
    let sum = 0;
    return Array.from(change.subarray(0, STEPS), (one) => (sum += one));
}

function drawUse() {
    element("no-hosts").hidden = data.hosts.length > 0;
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
    let present = 0;
    for (const { bars } of known.values())
        present += bars.reduce((sum, bar) => sum + (bar.use === "running" ? bar.cpu : 0), 0);
    element("use-text").textContent = now < 0 || now >= STEPS ? "" : total > 0
        ? `Now ${present.toFixed(1)} of ${total.toFixed(1)} CPU (${
            Math.round(100 * present / total)} %)`
        : `Now ${present.toFixed(1)} CPU of your leases`;
}

// --- waits ------------------------------------------------------------------------------------

function drawWaits() {
    const n = STEPS / 5, sums = new Array(n).fill(0), counts = new Array(n).fill(0);
    for (const { lease } of known.values()) {
        const began = time(lease.began), at = Math.floor(n * (began - view.from) / view.span);
        if (!began || at < 0 || at >= n)
            continue;
        sums[at] += Math.max(0, began - Math.max(...[lease.submitted, lease.earliest, lease.start]
            .map((text) => time(text) ?? 0))) / 1000;
        counts[at]++;
    }
    const points = sums.map((sum, i) => [i / n, counts[i] ? sum / counts[i] : 0])
        .filter(([part]) => view.from + part * view.span <= Date.now());
    element("waits").hidden = !counts.some(Boolean);
    element("waits").replaceChildren(chart("Mean wait of the leases that started", [{ name: "wait",
        points }], { from: 0, until: 1 },
    { x: (part) => say(view.from + part * view.span),
        y: (seconds) => (seconds < 120 ? `${Math.round(seconds)} s` : seconds < 7200
            ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`) }));
}

// --- queue and leases -------------------------------------------------------------------------

const FIRST = 100; // rows of the queue; the others on demand
let isWhole = false;

function drawQueue() {
    const waiting = queued.map((id, i) => known.has(id)
        && { lease: known.get(id).lease, position: i + 1 }).filter(Boolean);
    const shown = waiting.filter(matches);
    const rows = shown.slice(0, isWhole ? shown.length : FIRST).map(({ lease, position }) => {
        const button = make("button", { type: "button", textContent: lease.lease });
        button.onclick = () => showLease(lease);
        const start = lease.expected === "never" ? "unknown: leases or drains without a planned end come first"
            : lease.expected ? `${say(time(lease.expected))} (${lease.promise})` : "not known";
        const cells = [["", position], ["Lease", button], ["", lease.user],
            ["VMs", lease.vms], ["CPU", lease.cpu], ["Start", start],
            ["", lease.reason ?? lease.activity]];
        return make("tr", {}, ...cells.map(([title, content]) => {
            const cell = make("td", {}, content ?? "");
            if (title)
                cell.dataset.title = title;
            return cell;
        }));
    });
    if (!rows.length)
        rows.push(make("tr", {}, make("td", { colSpan: 7 }, waiting.length
            ? "No waiting lease matches." : "No leases are waiting.")));
    element("queue").replaceChildren(...rows);
    element("whole-queue").hidden = rows.length >= shown.length;
    element("whole-queue").textContent = `Show all ${shown.length}`;
}

element("whole-queue").onclick = () => {
    isWhole = true;
    drawQueue();
};

// Recent decisions, for operators; other users have the histories of their leases. After a denial
// the user's request is not repeated: each denial is a line in galerna-web's log.
let deniedTo; // the value of `authorization`

const told = ({ event, text }) => (text ? `${event}: ${text}` : event);

async function drawLately() {
    let events = [];
    try {
        if (deniedTo !== authorization)
            ({ events } = await ask("/history?limit=40"));
    } catch (error) {
        if (error.status !== 403)
            throw error;
        deniedTo = authorization;
    }
    element("lately").hidden = events.length === 0;
    element("decisions").replaceChildren(...events.reverse().map((event) => make("li", {}, `${
        say(time(event.at))}: ${event.lease === null ? "" : `lease ${event.lease} `}${
        told(event)}`)));
}

async function showLease(lease) {
    const facts = [["User", `${lease.user} (${lease.user_group})`], ["Kind", lease.kind],
        ["Phase", lease.phase], ["VMs", lease.vms], ["CPU", lease.cpu],
        ["Memory", `${lease.memory} MB`],
        ["Submitted", say(time(lease.submitted))],
        ["Began", (lease.began || lease.since) && say(time(lease.began) ?? time(lease.since))],
        ["Expected", AHEAD.has(lease.phase) && say(time(lease.expected))],
        ["Ends", lease.end ? say(time(lease.end))
            : lease.phase === "reserved" && say(stretch(lease)?.until ?? null)],
        ["Deadline", lease.deadline && say(time(lease.deadline))],
        ["Ran on", lease.stays.length > 0 && lease.stays.map(({ host, from, until }) => `${hosts.get(host)?.name ??
            `host ${host}`}, ${say(time(from))} to ${until ? say(time(until)) : "now"}`).join("; ")],
        ["Reason", lease.reason]];
    openLease(lease, facts);
    element("change-answer").textContent = "";
    element("lease-history").replaceChildren(make("li", {}, "Loading"));
    try {
        const { events } = await ask(`/leases/${lease.lease}/history`);
        element("lease-history").replaceChildren(...events.map((event) =>
            make("li", {}, `${say(time(event.at))}: ${told(event)}`)));
    } catch (error) {
        element("lease-history").replaceChildren(make("li", {}, error.message));
    }
}

offer([["1 hour", HOUR], ["6 hours", 6 * HOUR], ["1 day", DAY], ["1 week", 7 * DAY],
    ["1 month", 30 * DAY], ["1 quarter", 91 * DAY]]);

// The stream of events, which reports that something has changed, but not what. fetch() sends the
// user's credentials, which an EventSource could not.
const RETRY = 3000;
let stream = new AbortController();

async function listen() {
    stream.abort();
    const { signal } = stream = new AbortController();
    while (!signal.aborted) {
        try {
            const { body } = await send("/events", { signal });
            const reader = body.pipeThrough(new TextDecoderStream()).getReader();
            refresh();
            // Refresh after some seconds of silence too: changed rights in OpenNebula cause no
            // event.
            while (!(await reader.read()).done)
                refresh();
        } catch (error) {
            if (signal.aborted)
                return;
        }
        tell("Not connected; trying again", true);
        await new Promise((done) => setTimeout(done, RETRY));
    }
}

setInterval(() => authorization && view.follows && draw(), 30000);
