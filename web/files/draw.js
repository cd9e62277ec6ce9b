// Draws hosts over time, from rows and bars, for the calendar of galerna-web and for reports. Times
// are milliseconds, since 1970 or since the start of a run. The script that follows must define
// `page`: now() (the present), say(moment), tick(moment, distance) (the label on the axis),
// zone(moment) (the shift of its days), follow() (called before drawing), drawn() (called after
// drawing), filtered() (called when the filter has changed), home() (the initial view) and
// open(lease); and it must call offer().
"use strict";

const HOUR = 3600e3;
const DAY = 24 * HOUR;
const SPANS = []; // [name, milliseconds], shortest first
const TICKS = [5 * 60e3, 15 * 60e3, HOUR, 3 * HOUR, 6 * HOUR, DAY, 7 * DAY,
    14 * DAY, 30 * DAY];
const LANE = 24; // pixels
const NARROW = 3; // pixels

// Created once: creating a collator costs more than using it.
const NAMES = new Intl.Collator([], { numeric: true });

const view = { from: 0, span: DAY, follows: true, filter: "" };
let width = 300; // of the calendar, in pixels; measured once, since measuring causes a layout
let data = { hosts: [], byHost: new Map() };

const element = (id) => document.getElementById(id);

function make(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
}

// --- the calendar -----------------------------------------------------------------------------

const hostsOfBar = (bar) => (bar.hosts.length ? bar.hosts : [null]);
const inOrder = (row) => row.sort((a, b) => a.from - b.from);

// Returns the rows that must be sorted afterwards.
function putIn(byHost, bar) {
    return hostsOfBar(bar).map((host) => {
        if (!byHost.has(host))
            byHost.set(host, []);
        byHost.get(host).push(bar);
        return byHost.get(host);
    });
}

function takeOut(byHost, bar) {
    for (const host of hostsOfBar(bar)) {
        const row = byHost.get(host);
        row.splice(row.indexOf(bar), 1);
        if (!row.length)
            byHost.delete(host);
    }
}

function index(bars) {
    const byHost = new Map();
    bars.forEach((bar) => putIn(byHost, bar));
    byHost.forEach(inOrder);
    return byHost;
}

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
        title: `Lease ${label}, ${lease.user}: ${use}, ${page.say(bar.from)} to ${
            page.say(bar.until)}` });
    node.setAttribute("aria-label", node.title);
    node.style.top = `${lane * LANE + 2}px`;
    node.dataset.lease = lease.lease;
    node.onclick = () => page.open(lease);
    return place(node, bar.from, bar.until);
}

// Draws bars too narrow to be distinguished as one, which opens a view of them.
function crowdOf(crowd, lane) {
    const node = make("button", { className: "bar crowd", type: "button", textContent: crowd.n,
        title: `${crowd.n} leases, ${page.say(crowd.from)} to ${page.say(crowd.until)}` });
    node.setAttribute("aria-label", node.title);
    node.style.top = `${lane * LANE + 2}px`;
    node.onclick = () => {
        view.follows = false;
        view.span = Math.max(HOUR / 4, Math.min(view.span / 2, 1.2 * (crowd.until - crowd.from)));
        view.from = (crowd.from + crowd.until - view.span) / 2;
        draw();
    };
    return place(node, crowd.from, crowd.until);
}

function gather(bars) {
    const least = NARROW * view.span / width, all = [];
    let crowd = null;
    for (const bar of bars) {
        const isNarrow = bar.until - bar.from < least;
        if (isNarrow && crowd && bar.from < crowd.until + least) {
            crowd.until = Math.max(crowd.until, bar.until);
            crowd.n++;
            continue;
        }
        if (isNarrow)
            crowd = { bar, from: bar.from, until: bar.until, n: 1 };
        all.push(isNarrow ? crowd : bar);
    }
    return all;
}

// Puts bars that overlap in separate lanes; returns the number of lanes.
function fillLane(area, bars) {
    const ends = [];
    for (const bar of gather(bars)) {
        let lane = ends.findIndex((end) => end <= bar.from);
        if (lane < 0)
            lane = ends.length;
        ends[lane] = bar.until;
        area.append(bar.n > 1 ? crowdOf(bar, lane) : barOf(bar.bar ?? bar, lane));
    }
    return ends.length;
}

// host.bands: a [kind, from, until] for each band.
function bandsOf(host) {
    return (host.bands ?? []).filter(([, from, until]) => isShown(from, until))
        .map(([kind, from, until]) => place(make("div", { className: `band ${kind}`,
            title: `${kind === "drain" ? "maintenance" : kind} until ${page.say(until)}` }),
        from, until));
}

function fillRow(row) {
    const host = row.host, bars = (data.byHost.get(host.host) ?? [])
        .filter((bar) => isShown(bar.from, bar.until) && matches(bar));
    row.area.replaceChildren(...bandsOf(host));
    const lanes = fillLane(row.area, bars);
    row.area.style.height = `${Math.max(1, lanes) * LANE + 4}px`;
    row.area.append(place(make("span", { className: "present" }), page.now(), page.now()));
}

// Only rows in or near the visible part have bars.
const NEAR = 300; // pixels
let rows = [];
const inSight = new Set();
const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries)
        if (!isIntersecting) {
            inSight.delete(target);
            target.area.replaceChildren();
        } else if (!inSight.has(target)) {
            inSight.add(target);
            fillRow(target);
        }
}, { rootMargin: `${NEAR}px` });

function watchRows() {
    for (const row of rows) {
        const { top, bottom } = row.getBoundingClientRect();
        if (top >= innerHeight + NEAR)
            break;
        if (bottom > -NEAR)
            inSight.add(row);
    }
    inSight.forEach(fillRow);
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

const LABEL = 60; // pixels, of a label on the axis

function axis() {
    const most = Math.min(12, Math.max(2, width / 100 - 1));
    const line = make("div"), tick = TICKS.find((one) => view.span / one <= most) ??
        Math.ceil(view.span / most / (30 * DAY)) * 30 * DAY;
    const zone = page.zone(view.from);
    for (let at = Math.ceil((view.from - zone) / tick) * tick + zone;
        at < view.from + view.span; at += tick) {
        const isCut = (1 - percent(at) / 100) * width < LABEL;
        const node = make("time", { textContent: isCut ? "" : page.tick(at, tick) });
        node.style.left = `${percent(at)}%`;
        line.append(node);
    }
    return make("div", { className: "axis" }, make("span", {}, page.tick(view.from, DAY)), line);
}

// Makes a row for each host, grouped by cluster.
function makeRows(hosts) {
    const children = [];
    let cluster;
    for (const host of hosts) {
        if (host.cluster !== cluster)
            children.push(make("h3", {}, host.host === null ? "Hosts not chosen yet"
                : host.cluster ? `Cluster ${host.cluster}` : "Other hosts"));
        cluster = host.cluster;
        children.push(rowOf(host));
    }
    rows = children.filter((child) => child.host);
    sight.disconnect();
    inSight.clear();
    element("calendar").replaceChildren(axis(), ...children);
    watchRows();
}

// Rows are kept while the hosts are the same: only visible rows are filled again.
let drawnRows = null;

function drawRows() {
    const hosts = data.byHost.has(null)
        ? [...data.hosts, { host: null, name: "any", state: "", cluster: -1 }] : data.hosts;
    const key = JSON.stringify(hosts.map(({ host, name, cluster, state }) =>
        [host, name, cluster, state]));
    if (key !== drawnRows) {
        drawnRows = key;
        makeRows(hosts);
        return;
    }
    rows.forEach((row, i) => {
        row.host = hosts[i];
    });
    element("calendar").firstChild.replaceWith(axis());
    inSight.forEach(fillRow);
}

function draw() {
    const calendar = element("calendar"), focused = document.activeElement?.dataset?.lease;
    page.follow();
    width = Math.max(300, calendar.clientWidth);
    drawRows();
    element("span").value = SPANS.findIndex(([, span]) => span === view.span);
    page.drawn();
    if (focused)
        calendar.querySelector(`[data-lease="${focused}"]`)?.focus();
}

// Opens the dialog of a lease. facts: a [name, value] for each; null and false are omitted.
function openLease(lease, facts) {
    element("lease-title").textContent = `Lease ${lease.lease} ${lease.name}`;
    element("lease-activity").textContent = lease.activity;
    element("lease-facts").replaceChildren(...facts.filter(([, value]) => value ?? false)
        .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
    element("lease").dataset.shown = lease.lease;
    element("lease").showModal();
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
    draw();
}

function home() {
    page.home();
    draw();
}

// Left and right move along a row; up and down move to the bar of another row nearest in time.
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
    if (target.matches("input, select") || document.querySelector("dialog[open]") ||
        event.ctrlKey || event.altKey || event.metaKey)
        return;
    const keys = { n: home, "+": () => zoom(SPANS.findLastIndex(([, span]) => span < view.span)),
        "-": () => zoom(SPANS.findIndex(([, span]) => span > view.span)) };
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

function offer(spans) {
    SPANS.splice(0, SPANS.length, ...spans);
    element("span").replaceChildren(...SPANS.map(([name], i) =>
        make("option", { value: i, textContent: name })));
}

element("span").onchange = (event) => zoom(Number(event.target.value));
element("earlier").onclick = () => move(-0.5);
element("later").onclick = () => move(0.5);
element("now").onclick = home;
element("controls").onsubmit = (event) => event.preventDefault();
element("filter").oninput = (event) => {
    view.filter = event.target.value.trim().toLowerCase();
    draw();
    page.filtered();
};
addEventListener("resize", draw);
