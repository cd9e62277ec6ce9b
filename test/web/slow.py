#!/usr/bin/env python3
"""Slow clients of the HTTP API, more than it serves at once: others are answered all the time."""

import argparse
import base64
import contextlib
import http.client
import socket
import sys
import time
import urllib.parse
import xmlrpc.client

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("url")
parser.add_argument("endpoint", help="of OpenNebula")
parser.add_argument("auth", help="file with the session of oneadmin")
options = parser.parse_args()
server = urllib.parse.urlsplit(options.url)
with open(options.auth, encoding="utf-8") as file:
    admin = file.read().strip()
MANY, ROUNDS = 80, 10


def head(path, session=None):
    text = f"GET {path} HTTP/1.1\r\nHost: x\r\n"
    if session:
        text += f"Authorization: Basic {base64.b64encode(session.encode()).decode()}\r\n"
    return text.encode() + b"\r\n"


def connect(text):
    client = socket.create_connection((server.hostname, server.port), 10)
    client.sendall(text)
    return client


def connect_many(text):
    """Those that are refused count as well."""
    clients = contextlib.ExitStack()
    for _ in range(MANY):
        with contextlib.suppress(OSError):
            clients.enter_context(connect(text))
    return clients


def answered(path, session):
    connection = http.client.HTTPConnection(server.netloc, timeout=10)
    with contextlib.closing(connection):
        connection.request("GET", path, headers={
            "Authorization": "Basic " + base64.b64encode(session.encode()).decode()})
        answer = connection.getresponse()
        return answer.status == 200 and len(answer.read()) > 0


def others_are_answered(what):
    for n in range(ROUNDS):
        try:
            good = answered("/api/v1/leases", admin)
        except (OSError, http.client.HTTPException) as error:
            good = error
        if good is not True:
            sys.exit(f"request {n + 1} of another client beside {MANY} {what}: {good}")
        time.sleep(0.05)


def gets_events(session):
    with connect(head("/api/v1/events", session)) as client:
        client.settimeout(20)
        return client.recv(4096).startswith(b"HTTP/1.1 200")


SLOW = {"requests without an end": b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
        "bodies without an end": b"POST /api/v1/leases HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n{",
        "answers that nobody reads": head("/api/v1/openapi.json") * 100,
        "silent clients": b""}
for about, sent in SLOW.items():
    with connect_many(sent):
        others_are_answered(about)

oned = xmlrpc.client.ServerProxy(options.endpoint)
assert oned.one.user.allocate(admin, "streamer", "secret", "core")[0]
with connect_many(head("/api/v1/events", "streamer:secret")):
    time.sleep(1)
    others_are_answered("streams of events")
    if not gets_events(admin):
        sys.exit(f"another user gets no events beside {MANY} streams of one user")
