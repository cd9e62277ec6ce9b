#!/usr/bin/env python3
"""Drives the calendar in Chromium, and looks at what it shows."""

import base64
import json
import re
import sys
import urllib.request

from browser import browser

address, session, folder = sys.argv[1:]
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
    tab.until("document.querySelector('.band.drain')")
    api("DELETE", "/hosts/1/drain")
    tab.until("!document.querySelector('.band.drain')")


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


def in_the_dark(tab):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = tab.run(ground)
    tab.send("Emulation.setEmulatedMedia",
             features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert tab.run(ground) != light


with browser(folder) as tab:
    tab.size(1400, 900)
    tab.send("Page.navigate", url=f"http://{session.strip()}@{address}/")
    for trial in (shows_all, updates_itself, keyboard_alone, zooms, filters):
        trial(tab)
    tab.picture("wide")
    tab.size(400, 800)
    shows_all(tab)
    in_the_dark(tab)
    tab.picture("narrow")
    outside = [url for url in tab.requested if not re.sub(r"//[^@/]*@", "//", url).startswith(
        f"http://{address}/")]
    assert not outside, outside
    errors = [error for error in tab.errors if "favicon" not in str(error)]
    assert not errors, errors
