#!/usr/bin/env python3
"""Drives the calendar in Chromium, and looks at what it shows."""

import base64
import json
import re
import sys
import time
import urllib.request
import xmlrpc.client

from browser import browser

address, session, folder, endpoint = sys.argv[1:]
SHIFT = 8


def api(method, path, body=None):
    request = urllib.request.Request(
        f"http://{address}/api/v1{path}", method=method,
        data=json.dumps(body).encode() if body is not None else None,
        headers={"Content-Type": "application/json",
                 "Authorization": "Basic " + base64.b64encode(session.strip().encode()).decode()})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def fits(tab):
    """Nothing is wider than the window, apart from what scrolls in itself; times do not overlap."""
    tab.until("[...document.querySelectorAll('.axis time')].every((one) =>"
              "!one.nextSibling || one.offsetLeft + one.offsetWidth <= one.nextSibling.offsetLeft)")
    assert tab.run("document.documentElement.scrollWidth <= innerWidth"), \
        tab.run("[document.documentElement.scrollWidth, innerWidth]")


def focused(tab):
    return tab.run("document.activeElement.dataset.lease ?? document.activeElement.id")


def shows_all(tab):
    tab.until("document.querySelector('#state')?.textContent.startsWith('As of')")
    tab.until("document.querySelectorAll('.row').length >= 2")
    tab.until("document.querySelector('.bar.running[data-lease=\"0\"]')")
    tab.until("document.querySelector('.bar.reserved[data-lease=\"1\"]')")
    tab.until("document.querySelector('.bar.planned[data-lease=\"3\"]')")
    tab.until("document.querySelector('#queue').innerText.includes('(estimate)')")
    assert tab.run("document.querySelector('#use-text').textContent") == "Now 2.0 of 16.0 CPU (13 %)"
    assert tab.run("document.querySelectorAll('#use path').length") == 2
    fits(tab)


def updates_itself(tab):
    made = api("POST", "/leases", {"cpu": 1, "memory": 64, "duration": 600, "name": "later"})
    tab.until(f"document.querySelector('.bar.running[data-lease=\"{made['lease']}\"]')")
    api("DELETE", f"/leases/{made['lease']}")
    tab.until(f"document.querySelector('.bar.past[data-lease=\"{made['lease']}\"]')")
    api("POST", "/drains", {"hosts": [1], "from": "2099-01-01T00:00:00Z"})
    api("DELETE", "/hosts/1/drain")
    api("POST", "/drains", {"hosts": [1]})
    tab.until("document.querySelector('.band.drain')?.offsetHeight > 10")
    api("DELETE", "/hosts/1/drain")
    tab.until("!document.querySelector('.band.drain')")
    oned = xmlrpc.client.ServerProxy(endpoint)
    for status, shown in ((1, "true"), (0, "false")): # no lease changes with the host
        oned.one.host.status(session.strip(), 1, status)
        tab.until("[...document.querySelectorAll('.row')].some((row) =>"
                  f" row.innerText.includes('disabled')) === {shown}")


def keeps_the_past_of_what_has_moved(tab):
    """A lease that was moved has a bar on either host."""
    made = api("POST", "/leases", {"cpu": 1, "memory": 64, "duration": 600, "name": "moving"})["lease"]
    tab.until(f"known.get({made})?.bars[0]?.use === 'running'")
    oned = xmlrpc.client.ServerProxy(endpoint)
    done = oned.one.vm.migrate(session.strip(), made, 1 - known(made)["hosts"][0], True, False, -1, 0)
    assert done[0], done
    tab.until(f"new Set(known.get({made}).bars.map((bar) => bar.hosts[0])).size === 2")
    assert sorted(tab.run(f"known.get({made}).bars.map((bar) => bar.use)")) == ["past", "running"]
    stays = known(made)["stays"]
    assert len({stay["host"] for stay in stays}) == 2 and None in [stay["until"] for stay in stays], stays
    api("DELETE", f"/leases/{made}")
    tab.until(f"known.get({made}).bars.every((bar) => bar.use === 'past')")


def keyboard_alone(tab):
    for _ in range(40):
        tab.key("Tab")
        if tab.run("document.activeElement.matches('.bar')"):
            break
    first = focused(tab)
    tab.key("ArrowRight")
    assert focused(tab) != first or tab.run(
        "document.activeElement.closest('.row').querySelectorAll('.bar').length") == 1
    tab.key("ArrowDown")
    assert tab.run("document.activeElement.matches('.bar')")
    tab.key("Enter", "\r")
    tab.until("document.querySelector('#lease').open")
    tab.until("!document.querySelector('#lease-history').innerText.includes('Loading')")
    assert "Phase" in tab.run("document.querySelector('#lease-facts').innerText")
    assert tab.run("document.querySelector('#lease-history').innerText")
    tab.key("Escape")
    tab.until("!document.querySelector('#lease').open")
    start = tab.run("view.from")
    tab.key("ArrowRight", modifiers=SHIFT)
    assert tab.run("view.from") > start
    tab.key("n", "n")
    assert tab.run("view.follows")
    for key, more in (("+", -1), ("-", 1), ("-", 1)):
        place = tab.run("Number(document.querySelector('#span').value)")
        tab.key(key, key)
        assert tab.run("Number(document.querySelector('#span').value)") == place + more
    tab.key("+", "+")


def zooms(tab):
    for place in range(tab.run("SPANS.length")):
        tab.run(f"zoom({place}); home()")
        tab.until("document.querySelector('.bar.running[data-lease=\"0\"], .bar.crowd')")
        ticks = tab.run("document.querySelectorAll('.axis time').length")
        assert 3 <= ticks <= 14, (place, ticks)
    tab.run("zoom(2); home()")


def filters(tab):
    tab.run("const box = document.querySelector('#filter'); box.value = 'booked';"
            "box.dispatchEvent(new Event('input'))")
    tab.until("document.querySelector('.bar[data-lease=\"1\"]')"
              " && !document.querySelector('.bar[data-lease=\"0\"]')")
    tab.run("document.querySelector('#filter').value = '';"
            "document.querySelector('#filter').dispatchEvent(new Event('input'))")


def lease_with(field, value):
    """Waits for the lease: galernad takes new VMs in with its next poll."""
    for _ in range(300):
        for lease in api("GET", "/leases")["leases"]:
            if lease[field] == value:
                return lease
        time.sleep(0.1)
    sys.exit(f"no lease with {field} {value}")


def known(lease):
    return next(one for one in api("GET", "/leases?all=true")["leases"] if one["lease"] == lease)


def type_into(tab, text):
    for letter in text:
        tab.send("Input.insertText", text=letter)


def tab_to(tab, selector):
    """Moves the focus there by the keyboard, once no other dialog holds it."""
    tab.until("document.readyState === 'complete' && (!document.querySelector('dialog[open]') || "
              f"document.querySelector('{selector}').closest('dialog[open]'))")
    for _ in range(200):  # more than there are elements
        if tab.run(f"document.activeElement.matches('{selector}')"):
            return
        tab.key("Tab")
    sys.exit(f"the keyboard does not reach {selector}")


def press(tab, selector):
    tab_to(tab, selector)
    tab.key("Enter", "\r")


def says(tab, place, text):
    tab.until(f"document.querySelector('#{place}').textContent.includes('{text}')")


def sign_in(tab, secret):
    """By the keyboard alone."""
    user, _ = session.strip().split(":", 1)
    tab.until("document.readyState === 'complete'")  # by then the page has asked by itself
    if not tab.run("document.querySelector('#sign-in').open"):
        press(tab, "#to-sign-in")
    tab.until("document.querySelector('#sign-in').open")
    tab_to(tab, "[name=user]")
    tab.run("document.querySelector('[name=user]').value = ''")
    type_into(tab, user)
    tab_to(tab, "[name=password]")
    type_into(tab, secret)
    tab.key("Enter", "\r")


def is_shown(tab, selector):
    return tab.run(f"document.querySelector('{selector}').checkVisibility()")


def asks_who(tab):
    """The page itself asks who reads it, the browser does not, and nothing is shown before."""
    tab.until("document.querySelector('#sign-in')?.open")
    assert not is_shown(tab, "main")
    assert all("/api/" not in url for url in tab.requested), tab.requested


def signs_in(tab):
    sign_in(tab, "not the password")
    tab.until("document.querySelector('#sign-in-answer').textContent !== ''")
    assert tab.run("authorization") is None
    tab.errors.clear()  # the 401
    sign_in(tab, session.strip().split(":", 1)[1])
    tab.until("document.body.classList.contains('signed-in')")
    assert not tab.run("document.querySelector('[name=password]').value")
    assert tab.run("localStorage.length + sessionStorage.length + document.cookie.length") == 0


def reads_only(tab):
    """Whoever has signed in reads, until the page is told to make changes."""
    for selector in ("#to-request", "#change"):
        tab.run("document.querySelector('#lease').showModal()")
        assert not is_shown(tab, selector), selector
        tab.run("document.querySelector('#lease').close()")
    press(tab, "#to-change")
    assert is_shown(tab, "#to-request")


def signs_out(tab):
    press(tab, "#to-sign-in")
    tab.until("!document.body.classList.contains('signed-in') && authorization === null")
    assert not is_shown(tab, "main") and not is_shown(tab, "#to-request")


def requests(tab):
    press(tab, "#to-request")
    tab_to(tab, "#terms [name=name]")
    type_into(tab, "<b>by page</b>")
    for name, value in (("cpu", "1"), ("memory", "64"), ("also", "1x0.5/32, 1 x 0.25 / 16"),
                        ("duration", "30")):
        tab_to(tab, f"#terms [name={name}]")
        type_into(tab, value)
    press(tab, "#terms [value=try]")
    says(tab, "request-answer", "would be accepted")
    press(tab, "#terms [value=request]")
    says(tab, "request-answer", "is requested")
    tab.key("Escape")
    made = lease_with("name", "<b>by page</b>-1")["lease"]
    assert [vm["cpu"] for vm in api("GET", f"/leases/{made}")["lease"]["members"]] == [1, 0.5, 0.25]
    tab.until(f"document.querySelector('.bar[data-lease=\"{made}\"]')")
    return made


def field(tab, name, value, form="terms"):
    """Fills in a field of the form as a user who has come there."""
    tab_to(tab, f"#{form} [name={name}]")
    tab.run(f"(() => {{ const one = document.querySelector('#{form} [name={name}]');"
            f" if (one.type === 'checkbox') one.checked = true; else one.value = '{value}'; }})()")


def requests_with_terms(tab):
    """Each term that the attribute has: a lease that starts by a time, then a series."""
    press(tab, "#to-request")
    tab.run("document.querySelector('#terms summary').focus()")
    tab.key("Enter", "\r")
    assert tab.run("document.querySelector('#terms details').open")
    tab.run("document.querySelector('#terms [name=name]').focus()")
    day = time.strftime("%Y-%m-%d", time.localtime(time.time() + 3 * 86400))
    for name, value in (("cpu", "1"), ("memory", "64"), ("duration", "30"),
                        ("latest", f"{day}T09:00"), ("terms", "suspendable"),
                        ("priority", "-0.5")):
        field(tab, name, value)
    fits(tab)
    press(tab, "#terms [value=request]")
    says(tab, "request-answer", "is requested")
    made = lease_with("kind", "deadline")
    assert made["terms"] == "suspendable", made
    assert made["priority"] == -0.5, made
    tab.run("['latest', 'terms', 'priority'].forEach((name) => {"
            " document.querySelector(`#terms [name=${name}]`).value = ''; })")
    for name, value in (("start", f"{day}T10:00"), ("series", "course"), ("repeat", "daily"),
                        ("times", "2")):
        tab.run("document.querySelector('#terms [name=name]').focus()")
        field(tab, name, value)
    press(tab, "#terms [value=try]")
    says(tab, "request-answer", "2 of 2 occurrences of course would be accepted")
    press(tab, "#terms [value=request]")
    says(tab, "request-answer", "2 of 2 occurrences of course are requested")
    tab.key("Escape")
    for _ in range(300): # until galernad has observed the VMs
        occurrences = api("GET", "/leases?series=course")["leases"]
        if sum(lease["phase"] != "ended" for lease in occurrences) == 2:
            break
        time.sleep(0.1)
    else:
        sys.exit(f"not two occurrences: {occurrences}")
    for lease in [made, *(one for one in occurrences if one["phase"] != "ended")]:
        api("DELETE", f"/leases/{lease['lease']}")
    tab.until("document.querySelector('#use-text').textContent.startsWith('Now 2.0 of')")


def changes_all(tab, lease):
    """What `galerna lease change` can do, with the form as it is opened: nothing is set."""
    tab.run("document.querySelector('#change').reset();"
            "document.querySelector('#change summary').focus()")
    tab.key("Enter", "\r")
    assert tab.run("document.querySelector('#change details').open")
    for name, value in (("duration", "45"), ("priority", "-2"), ("keep", "true"),
                        ("series", "page"), ("terms", "suspendable")):
        tab.run("document.querySelector('#change [name=what]').focus()")
        field(tab, name, value, "change")
    press(tab, "#change [value=try]")
    says(tab, "change-answer", "It would be changed: duration")
    press(tab, "#change [value=change]")
    says(tab, "change-answer", "It is changed: duration")
    made = known(lease)
    assert (made["duration"], made["priority"], made["keep"], made["series"], made["terms"]) == (
        45 * 60, -2, True, "page", "suspendable"), made


def promotes_and_demotes(tab):
    """A reservation that waits for its start becomes best-effort, and a reservation again; what is
    refused comes with the nearest that would not be."""
    made = api("POST", "/leases", {"kind": "reservation", "cpu": 7, "memory": 64, "count": 2,
                                   "start": utc(6 * 3600), "duration": 600, "name": "moved"})["lease"]
    tab.until(f"document.querySelector('.bar.reserved[data-lease=\"{made}\"]')")
    show(tab, made)
    assert "Ends" in tab.run("document.querySelector('#lease-facts').innerText")
    tab.run("document.querySelector('#change details').open = true")
    day = time.strftime("%Y-%m-%dT%H:%M", time.localtime(time.time() + 3 * 86400))
    for fields, kind in (([("kind", "best-effort")], "best-effort"),
                         ([("kind", "reservation"), ("start", day)], "reservation")):
        tab.run("document.querySelector('#change').reset()")
        for name, value in fields:
            tab.run("document.querySelector('#change [name=what]').focus()")
            field(tab, name, value, "change")
        press(tab, "#change [value=change]")
        says(tab, "change-answer", f"It is changed: kind {kind}")
        assert known(made)["kind"] == kind
        tab.run("document.querySelector('#change-answer').textContent = ''")
    other = api("POST", "/leases", {"kind": "reservation", "cpu": 8, "memory": 64, "count": 2,
                                    "start": utc(10 * 3600), "duration": 3600, "name": "there"})["lease"]
    tab.until(f"document.querySelector('.bar.reserved[data-lease=\"{other}\"]')")
    tab.run("document.querySelector('#change').reset()")
    tab.run("document.querySelector('#change [name=what]').focus()")
    at = time.strftime("%Y-%m-%dT%H:%M", time.localtime(time.time() + 10 * 3600))
    field(tab, "start", at, "change")
    press(tab, "#change [value=try]")
    says(tab, "change-answer", "It would be refused")
    says(tab, "change-answer", "It could start at")
    tab.key("Escape")
    for lease in (made, other):
        api("DELETE", f"/leases/{lease}")


def show(tab, lease):
    tab.run(f"document.querySelector('.bar[data-lease=\"{lease}\"]').focus()")
    tab.key("Enter", "\r")
    tab.until("document.querySelector('#lease').open")


def utc(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def changes(tab, lease):
    show(tab, lease)
    field(tab, "minutes", "60", "change")
    press(tab, "#change [value=change]")
    says(tab, "change-answer", "It is changed: duration")
    assert known(lease)["duration"] == 90 * 60
    changes_all(tab, lease)
    fits(tab)
    press(tab, "#change [name=cancel]")
    says(tab, "change-answer", "Press again")
    assert known(lease)["phase"] != "ended"
    press(tab, "#change [name=cancel]")
    says(tab, "change-answer", "is cancelled")
    tab.key("Escape")
    tab.until(f"!document.querySelector('.bar.running[data-lease=\"{lease}\"]')")


def holds_and_releases(tab):
    """A lease that waits is held, which a running one cannot be; it stays open meanwhile."""
    tab.run("[...document.querySelectorAll('.bar[data-lease=\"3\"], #queue button')]"
            ".find((one) => [one.dataset.lease, one.textContent].includes('3')).focus()")
    tab.key("Enter", "\r")
    tab.until("document.querySelector('#lease').open")
    outcome = "document.querySelector('#change-answer').textContent"
    for name, answer in (("hold", "is on hold"), ("release", "is released")):
        press(tab, f"#change [name={name}]")
        tab.until(f"!['', 'Asking'].includes({outcome})")
        says(tab, "change-answer", answer)
    tab.key("Escape")
    tab.until("!document.querySelector('#lease').open")


def shows_decisions(tab):
    tab.until("!document.querySelector('#lately').hidden")
    lines = tab.run("[...document.querySelectorAll('#decisions li')].map((one) => one.textContent)")
    times = [line[:16] for line in lines]
    assert len(lines) > 5 and times == sorted(times, reverse=True), lines
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d: (lease \d+ )?[a-z]", line) for line in lines), lines
    tab.until("document.querySelector('#waits path')")


def asks_for_changes(tab):
    reads_only(tab)
    changes(tab, requests(tab))
    requests_with_terms(tab)
    promotes_and_demotes(tab)
    holds_and_releases(tab)
    shows_decisions(tab)
    signs_out(tab)
    secret = session.strip().split(":", 1)[1]
    assert not [url for url in tab.requested if secret in url]


def denied_once(tab):
    """A user who may not see what was decided is asked about it once, not at each change."""
    oned = xmlrpc.client.ServerProxy(endpoint)
    assert oned.one.user.allocate(session.strip(), "anna", "secret", "core", [])[0]
    asked = "/api/v1/history?limit=40"
    tab.run("signIn('anna', 'secret')")
    tab.until("deniedTo === authorization && document.querySelector('#lately').hidden")
    before = sum(url.endswith(asked) for url in tab.requested)
    for _ in range(2):
        tab.until("!reading")
        tab.run("refresh()")
    tab.until("!reading")
    assert sum(url.endswith(asked) for url in tab.requested) == before
    tab.run("signOut(); refresh()")
    tab.errors.clear()  # the 403


def expires(tab):
    """Whoever OpenNebula no longer knows is told why the page shows nothing; what is wrong stands out."""
    user, secret = session.strip().split(":", 1)
    tab.run(f"signIn('{user}', '{secret}')")
    tab.until("document.body.classList.contains('signed-in') && !reading")
    tab.run("authorization = 'Basic eDp5'; refresh()")
    says(tab, "sign-in-answer", "no longer accepts")
    tab.run("tell('wrong', true)")
    color = "getComputedStyle(document.querySelector('#{}')).color"
    assert tab.run(color.format("state")) != tab.run(color.format("who"))
    tab.errors.clear()  # the 401


def in_the_dark(tab):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = tab.run(ground)
    tab.send("Emulation.setEmulatedMedia",
             features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert tab.run(ground) != light


with browser(folder) as tab:
    tab.size(1400, 900)
    tab.send("Page.navigate", url=f"http://{address}/")
    for trial in (asks_who, signs_in, shows_all, updates_itself, keyboard_alone, zooms, filters,
                  keeps_the_past_of_what_has_moved, asks_for_changes):
        trial(tab)
    tab.size(400, 800)
    for trial in (signs_in, shows_all, asks_for_changes, denied_once, expires):
        trial(tab)
    in_the_dark(tab)
    # Chromium's own icons are data:
    outside = [url for url in tab.requested
               if not url.startswith(("data:", f"http://{address}/"))]
    assert not outside, outside
    errors = [error for error in tab.errors if "favicon" not in str(error)]
    assert not errors, errors
