"""Chromium, driven over its DevTools protocol."""

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


class Tab:
    """A page of the browser."""

    def __init__(self, url, folder):
        self.folder = folder
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
        with open(f"{self.folder}/{name}.png", "wb") as file:
            file.write(base64.b64decode(self.send("Page.captureScreenshot")["data"]))


@contextlib.contextmanager
def browser(folder):
    """A tab of a new Chromium, whose files are in the folder."""
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
        yield Tab(pages[0]["webSocketDebuggerUrl"], folder)
    finally:
        process.terminate()
        process.wait()
