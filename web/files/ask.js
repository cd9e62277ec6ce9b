// Requests to the API.
"use strict";

// The value of the header Authorization, of the user who signed in (changes.js). It is nowhere but
// here, and what the browser itself knows is not used: it asks nobody for a password.
let authorization = null;

function send(path, { method = "GET", body, signal } = {}) {
    const headers = { Authorization: authorization,
        ...(body ? { "Content-Type": "application/json" } : {}) };
    return fetch(new URL(`/api/v1${path}`, location.origin), { method, headers, signal,
        credentials: "omit", body: body && JSON.stringify(body) });
}

async function ask(path, options) {
    const answer = await send(path, options);
    const document = await answer.json();
    if (!answer.ok)
        throw Object.assign(new Error(document.error ?? document.text),
            { status: answer.status, document });
    return document;
}
