// Requests to the API.
"use strict";

// The value of the Authorization header of the user who signed in (changes.js). It is kept only
// here. The browser's own credentials are not used, so the browser never opens a password dialog.
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
