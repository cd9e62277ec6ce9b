#!/usr/bin/env python3
"""Opens reports in Chromium, and looks at what they show.

  page.py REPORT HOSTILE LARGE LEASES FOLDER
"""

import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "web"))
from browser import browser  # pylint: disable=wrong-import-position

report, hostile, large, leases, folder = sys.argv[1:]


def text(tab, selector):
    return tab.run(f"document.querySelector('{selector}').innerText")


def compares(tab):
    tab.until("document.querySelectorAll('#figures tbody tr').length === 2")
    assert "first" in text(tab, "#figures") and "%" in text(tab, "#figures small")
    assert tab.run("document.querySelectorAll('.chart svg').length") == 4
    for path in range(8):
        assert tab.run(f"document.querySelectorAll('.chart path')[{path}].getBBox().width") > 0
    assert tab.run("given.runs.map((run) => run.name).join()") == "first (a.db),first (b.db)"
    assert "2 runs" in text(tab, "#state")


def shows_hosts(tab):
    tab.until("document.querySelector('.bar.running')")
    tab.until("document.querySelector('.bar.reserved')")
    assert tab.run("document.querySelectorAll('.row').length") == 4
    before = tab.run("JSON.stringify(data.bars)")
    tab.run("const run = document.querySelector('#run'); run.value = 1;"
            "run.dispatchEvent(new Event('change'))")
    assert tab.run("JSON.stringify(data.bars)") != before
    tab.run("document.querySelector('#run').value = 0;"
            "document.querySelector('#run').dispatchEvent(new Event('change'))")


def by_keyboard(tab):
    for _ in range(40):
        tab.key("Tab")
        if tab.run("document.activeElement.matches('.bar')"):
            break
    tab.key("Enter", "\r")
    tab.until("document.querySelector('#lease').open")
    assert "Waited" in text(tab, "#lease-facts")
    assert "VM on" in text(tab, "#lease-history")
    tab.key("Escape")
    span = tab.run("view.span")
    tab.key("+", "+")
    assert tab.run("view.span") < span
    tab.key("n", "n")
    assert tab.run("view.span") == span


def is_narrow(tab):
    """Also with a run whose name is long."""
    tab.size(400, 800)
    tab.run("document.querySelector('#run').options[0].textContent = 'a long name '.repeat(9)")
    tab.run("draw()")
    assert tab.run("document.documentElement.scrollWidth <= innerWidth")
    tab.size(1400, 900)


def is_harmless(tab):
    tab.until("document.querySelectorAll('#figures tbody tr').length === 1")
    assert "<script>" in text(tab, "#title") and "</script>" in text(tab, "#figures")
    assert not tab.run("document.querySelector('img, #title script, #figures script')")
    assert tab.run("typeof broken") == "undefined"
    tab.until("document.querySelector('.bar')")


def is_large(tab):
    tab.until("document.querySelector('.bar.crowd')")
    crowd = "document.querySelector('.bar.crowd')"
    span = tab.run("view.span")
    tab.run(f"{crowd}.click()")
    assert tab.run("view.span") < span
    assert tab.run("document.querySelectorAll('.bar').length") > 0


def has_no_hosts(tab):
    tab.until("document.querySelectorAll('#figures tbody tr').length === 2")
    assert tab.run("document.querySelector('#hosts').hidden")
    assert tab.run("document.querySelectorAll('.chart path')[0].getBBox().width") > 0


def opened(tab, path, *trials):
    tab.send("Page.navigate", url=f"file://{path}")
    tab.until(f"location.pathname === '{path}' && document.readyState === 'complete'")
    for trial in trials:
        trial(tab)
    tab.picture(os.path.basename(path))


with browser(folder) as page:
    page.size(1400, 900)
    opened(page, report, compares, shows_hosts, by_keyboard, is_narrow)
    opened(page, hostile, is_harmless)
    opened(page, large, is_large)
    opened(page, leases, has_no_hosts)
    outside = [url for url in page.requested if not re.match("file://", url)]
    assert not outside, outside
    assert not page.errors, page.errors
