// Requests of a user who signed in: leases, changes, orders. The API decides, by its rules.
"use strict";

// Sends one request at a time and shows its outcome at `place`.
async function order(place, path, options, said) {
    const answer = element(place);
    answer.textContent = "Asking";
    answer.classList.remove("wrong");
    try {
        const document = await ask(path, options);
        answer.textContent = said(document);
        refresh();
    } catch (error) {
        answer.textContent = error.message + nearest(error.document ?? {});
        answer.classList.add("wrong");
    }
}

// A refusal includes the nearest change that would be accepted.
function nearest({ alternative }) {
    if (!alternative)
        return "";
    return alternative.start ? `. It could start at ${say(time(alternative.start))}.`
        : `. It could run for ${alternative.duration < 120 ? `${alternative.duration} seconds`
            : `${Math.floor(alternative.duration / 60)} minutes`} in all.`;
}

function outcomeOfChange(answer) {
    if (!answer.accepted)
        return `It would be refused: ${answer.text}.${nearest(answer)}`;
    return `It ${answer.dry_run ? "would be" : "is"} changed: ${answer.text}.${answer.victims
        ? ` To make room: ${answer.victims.trim().split("\n").join(" ")}` : ""}`;
}

// --- signing in -------------------------------------------------------------------------------

// The page only reads until its user enables changes.
function letChange(does) {
    document.body.classList.toggle("changing", does);
    element("to-change").setAttribute("aria-pressed", does);
}

function signOut() {
    stream.abort();
    authorization = null;
    forget();
    document.body.classList.remove("signed-in");
    letChange(false);
    element("who").textContent = "";
    element("to-sign-in").textContent = "Sign in";
    tell("Signed out", false);
}

async function signIn(user, password) {
    const bytes = new TextEncoder().encode(`${user}:${password}`);
    authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
    let news;
    try {
        news = await read();
    } catch (error) {
        authorization = null;
        element("sign-in-answer").textContent = error.message;
        return;
    }
    document.body.classList.add("signed-in");
    element("who").textContent = `Signed in as ${user}`;
    element("to-sign-in").textContent = "Sign out";
    element("sign-in").close();
    take(news);
    listen();
}

function askWho(why = "") {
    element("sign-in-answer").textContent = why;
    element("sign-in").showModal();
}

element("to-sign-in").onclick = () => {
    if (authorization)
        signOut();
    else
        askWho();
};
element("to-change").onclick = () => letChange(!document.body.classList.contains("changing"));
element("credentials").onsubmit = async (event) => {
    const { user, password } = event.target.elements;
    event.preventDefault();
    const secret = password.value;
    password.value = "";
    await signIn(user.value, secret);
};

// --- terms ------------------------------------------------------------------------------------

// Both forms have these fields, with the names of the API.
for (const place of document.querySelectorAll(".terms"))
    place.append(element("terms-of-lease").content.cloneNode(true));
for (const nothing of document.querySelectorAll("form option[value='']"))
    nothing.textContent ||= nothing.closest("[data-blank]")?.dataset.blank ?? "unchanged";

// "3x0.5/2048"
function sizeOf(text) {
    const [count, cpu, memory] = text.split(/[x/]/).map(Number);
    return { count, cpu, memory };
}

function valueOf(field) {
    if (field.type === "number")
        return Number(field.value) * (field.dataset.unit ?? 1);
    if (field.type === "datetime-local")
        return new Date(field.value).toISOString();
    if (field.name === "also")
        return field.value.split(",").map(sizeOf);
    return field.name === "keep" ? field.value === "true" : field.value;
}

// The fields that are filled in, by their names in the API.
function termsOf(form) {
    const terms = {};
    for (const field of form.elements)
        if (field.name && field.type !== "button" && field.value !== ""
            && (field.type !== "checkbox" || field.checked))
            terms[field.name] = valueOf(field);
    return terms;
}

// --- requests ---------------------------------------------------------------------------------

function requestOf(form) {
    const terms = termsOf(form);
    if (terms.start)
        terms.kind ??= "reservation";
    else if (terms.deadline || terms.latest)
        terms.kind ??= "deadline";
    return terms;
}

const outcomeOfLease = (answer) => (answer.accepted
    ? `It would be accepted${answer.start ? ` and start ${say(time(answer.start))}` : ""}. ${
        answer.text}`
    : `It would be refused: ${answer.text}.`);

// The outcome of a series: each start without a lease, or that would have none.
function outcomeOfSeries(answer, done) {
    const fine = answer.occurrences.filter((one) => !one.error && one.accepted !== false);
    const others = answer.occurrences.filter((one) => !fine.includes(one)).map((one) =>
        ` ${say(time(one.start))}: ${one.error ?? one.text}`);
    return `${fine.length} of ${answer.occurrences.length + answer.not_requested} occurrences of `
        + `${answer.series} ${done}.${others.join("")}`;
}

const outcomeOf = (answer) => (answer.occurrences
    ? outcomeOfSeries(answer, "would be accepted") : outcomeOfLease(answer));

const requestedOf = (answer) => (answer.occurrences
    ? outcomeOfSeries(answer, "are requested; the decisions follow")
    : `Lease ${answer.lease} is requested; the decision follows.`);

element("to-request").onclick = () => {
    element("terms").reset();
    element("terms").querySelector("details").open = false;
    element("request-answer").textContent = "";
    element("request").showModal();
};
element("terms").onsubmit = (event) => {
    const body = requestOf(event.target);
    event.preventDefault();
    if (event.submitter?.value === "try")
        order("request-answer", "/leases", { method: "POST", body: { ...body, dry_run: true } },
            outcomeOf);
    else
        order("request-answer", "/leases", { method: "POST", body }, requestedOf);
};

for (const id of ["sign-in", "request"])
    element(id).querySelector("[name=close]").onclick = () => element(id).close();

// --- the lease that is shown ------------------------------------------------------------------

const pathOfLease = () => `/leases/${element("lease").dataset.shown}`;

function changeOf(form) {
    const { what, minutes, ...terms } = termsOf(form);
    if (minutes)
        terms[what.replace("-", "")] = (what === "-shift" ? -60 : 60) * minutes;
    return terms;
}

element("change").onsubmit = (event) => {
    const body = changeOf(event.target);
    event.preventDefault();
    if (event.submitter?.value === "try")
        body.dry_run = true;
    order("change-answer", pathOfLease(), { method: "PATCH", body }, outcomeOfChange);
};

function give(name, done) {
    element("change").elements[name].onclick = () =>
        order("change-answer", `${pathOfLease()}/${name}`, { method: "POST", body: {} },
            () => done);
}

give("hold", "The lease is on hold.");
give("release", "The lease is released.");

// Only a second press cancels the lease, as protection against accidents.
element("change").elements.cancel.onclick = (event) => {
    const button = event.target;
    if (button.dataset.lease !== element("lease").dataset.shown) {
        button.dataset.lease = element("lease").dataset.shown;
        element("change-answer").textContent = "Press again to cancel the lease and end its VMs.";
        return;
    }
    delete button.dataset.lease;
    order("change-answer", pathOfLease(), { method: "DELETE" }, () => "The lease is cancelled.");
};
element("lease").addEventListener("close", () => {
    delete element("change").elements.cancel.dataset.lease;
    element("change").reset();
    element("change").querySelector("details").open = false;
});

askWho();
