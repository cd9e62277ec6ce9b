// Reads hosts and leases in a thread of its own, and tells the page what has changed: the page stays
// free while thousands of leases are read. A message asks for a reading: {authorization, whole};
// whole: all is new. Of lists that were read before, the API is asked for changes only.
"use strict";
importScripts("ask.js");

const WHOLE_AGAIN = 24 * 3600e3; // leases that are over are only forgotten in whole lists
let revisions, wholeAt;

// What the page knows of a lease: to hand over a part takes less time than to hand over all.
const shown = ({ lease, name, user, user_group, kind, phase, vms, cpu, memory, hosts, submitted,
    earliest, start, began, since, expected, promise, end, duration, deadline, activity,
    reason }) => ({ lease, name, user, user_group, kind, phase, vms, cpu, memory, hosts, submitted,
    earliest, start, began, since, expected, promise, end, duration, deadline, activity,
    reason: reason?.text });

const newsOf = (answer, items) => ({ isWhole: answer.since === null, changed: items,
    gone: answer.gone ?? [] });

async function read() {
    const [hosts, leases] = await Promise.all([ask(`/hosts?since=${revisions.hosts}`),
        ask(`/leases?all=true&since=${revisions.leases}`)]);
    revisions = { hosts: hosts.revision, leases: leases.revision };
    return { now: leases.now, hosts: newsOf(hosts, hosts.hosts), queue: leases.queue,
        leases: newsOf(leases, leases.leases.map(shown)) };
}

onmessage = async ({ data }) => {
    authorization = data.authorization;
    if (data.whole || Date.now() - wholeAt > WHOLE_AGAIN) {
        revisions = { hosts: "", leases: "" };
        wholeAt = Date.now();
    }
    try {
        postMessage(await read());
    } catch (error) {
        postMessage({ error: error.message, status: error.status });
    }
};
