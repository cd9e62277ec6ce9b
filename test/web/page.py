#!/usr/bin/env python3
"""Drives the calendar in Chromium over its DevTools protocol, and looks at what it shows."""

import base64
import contextlib
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time
import urllib.request

address, session, folder = sys.argv[1:]
SHIFT = 8


class Tab:
    """A page of the browser."""

    def __init__(self, url):
        host, port, path = re.match(r"ws://([^:/]+):(\d+)(.*)", url).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.stream = self.socket.makefile("rb")
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n".encode())
        assert b" 101 " in self.stream.readline()
        while self.stream.readline().strip():
            pass
        self.number = 0
        self.requested, self.errors = [], []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method, **parameters):
        self.number += 1
        text = json.dumps({"id": self.number, "method": method, "params": parameters}).encode()
        mask = os.urandom(4)
        size = (struct.pack("!BB", 0x81, 0x80 | len(text)) if len(text) < 126
                else struct.pack("!BBH", 0x81, 0x80 | 126, len(text)))
        self.socket.sendall(size + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(text)))
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]
            self.note(message)

    def receive(self):
        whole = b""
        while True:
            head, size = self.stream.read(2)
            size &= 0x7F
            if size == 126:
                size, = struct.unpack("!H", self.stream.read(2))
            elif size == 127:
                size, = struct.unpack("!Q", self.stream.read(8))
            whole += self.stream.read(size)
            if head & 0x80:
                return json.loads(whole)

    def note(self, event):
        given = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requested.append(given["request"]["url"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(given["exceptionDetails"])
        elif event.get("method") == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(given["entry"])

    def run(self, script):
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, script):
        for _ in range(300):
            if self.run(f"Boolean({script})"):
                return
            time.sleep(0.1)
        self.picture("failed")
        sys.exit(f"never: {script}\n{self.run('document.body.outerHTML')}\n{self.errors}")

    def key(self, name, text="", modifiers=0):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowDown": 40}
        common = {"key": name, "modifiers": modifiers,
                  "windowsVirtualKeyCode": codes.get(name, ord(name[0].upper()))}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def size(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def picture(self, name):
        with open(f"{folder}/{name}.png", "wb") as file:
            file.write(base64.b64decode(self.send("Page.captureScreenshot")["data"]))


@contextlib.contextmanager
def browser():
    """The address of a page in a new Chromium."""
    with open(f"{folder}/chromium.log", "wb") as log:
        process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update",
             "--remote-debugging-port=0", f"--user-data-dir={folder}/chromium", "about:blank"],
            stdout=log, stderr=log, env={**os.environ, "HOME": folder})
    try:
        port_file = f"{folder}/chromium/DevToolsActivePort"
        for _ in range(300):
            if os.path.exists(port_file) and os.path.getsize(port_file):
                break
            assert process.poll() is None, "chromium ended; see chromium.log"
            time.sleep(0.1)
        with open(port_file, encoding="utf-8") as file:
            port = file.readline().strip()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=60) as answer:
            pages = [page for page in json.load(answer) if page["type"] == "page"]
        yield pages[0]["webSocketDebuggerUrl"]
    finally:
        process.terminate()
        process.wait()


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
        tab.run(f"zoom({place}); toNow()")
        tab.until("document.querySelector('.bar.running[data-lease=\"0\"]')")
        ticks = tab.run("document.querySelectorAll('.axis time').length")
        assert 3 <= ticks <= 14, (place, ticks)
    tab.run("zoom(2); toNow()")


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


with browser() as page:
    tab = Tab(page)
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
