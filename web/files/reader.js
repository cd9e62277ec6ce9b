// Reads hosts, leases and the queue in a thread of its own, and tells the page what is new: the page
// stays free while thousands of leases are read. A message asks for a reading: {authorization,
// whole}; whole: all is new.
"use strict";
importScripts("ask.js");

let known = new Map(); // leases by their numbers, as texts
let told = {}; // lists, as texts

// null: as it was.
function news(name, list) {
    const text = JSON.stringify(list), isNew = told[name] !== text;
    told[name] = text;
    return isNew ? list : null;
}

async function read() {
    const [hosts, leases, queue] = await Promise.all(
        [ask("/hosts"), ask("/leases?all=true"), ask("/queue")]);
    const before = known, changed = [];
    known = new Map();
    for (const lease of leases.leases) {
        delete lease.run; // these two change by themselves, and are not shown
        delete lease.left;
        const text = JSON.stringify(lease);
        known.set(lease.lease, text);
        if (before.get(lease.lease) !== text)
            changed.push(lease);
    }
    return { now: leases.now, changed, gone: [...before.keys()].filter((id) => !known.has(id)),
        hosts: news("hosts", hosts.hosts), queue: news("queue", queue.leases) };
}

onmessage = async ({ data }) => {
    authorization = data.authorization;
    if (data.whole) {
        known = new Map();
        told = {};
    }
    try {
        postMessage(await read());
    } catch (error) {
        postMessage({ error: error.message, status: error.status });
    }
};
