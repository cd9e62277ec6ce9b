#!/usr/bin/env python3
"""A random walk over the HTTP API, by its description: bad requests with every method to every path.

Each answer must have the status that fits it and say what is wrong, and leases that no accepted request was about
must be as they were.
"""

import argparse
import json
import random
import sys
import time
import urllib.parse
import xmlrpc.client

sys.dont_write_bytecode = True
from described import Described  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("url")
parser.add_argument("endpoint", help="of OpenNebula")
parser.add_argument("auth", help="file with the session of oneadmin")
parser.add_argument("--requests", type=int, default=600)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
chance = random.Random(options.seed)
with open(options.auth, encoding="utf-8") as file:
    admin = file.read().strip()
api = Described(options.url, 120)
described, resolve = api.document, api.resolve

STATUSES = {"malformed": (400, 415), "unauthenticated": (401,), "denied": (403,), "not-found": (404,),
            "unsupported": (405, 501), "refused": (409,), "conflict": (409,), "too-long": (413,),
            "too-many": (429,), "not-ready": (503,), "busy": (503,)}
NUMBERS = ["0", "-1", "1", "2", "99999999999", "9223372036854775807", "9223372036854775808", "1" * 400, "1e3", "0x10",
           " 1", "1 ", "1.5", "+1", "NaN", "-0", "007"]
TEXTS = ["", "a", "all", "true", "False", "null", "\0", "a\0b", "\n", "'", '"', "\\", "%s%n", "é", "\ud7ff", "𝒳" * 30,
         "x" * 5000, "../../etc/passwd", "waiting,running", "waiting,,", ",", "2027-01-01T00:00:00Z",
         "2027-13-41T99:99:99Z", "9999999-01-01T00:00:00Z", "core", "default", "anna", "course"]
RAW = [b"%ff", b"%00", b"%", b"%zz", b"%c3%28", b"%ed%a0%80", b"%f5%80%80%80", b";", b"%2f", b"+"]
VALUES = [None, True, False, 0, -1, 1, 2, 0.1, -0.5, 1e308, 1e-300, 2**31, 2**63 - 1, -2**63, "", "1", "x", "now",
          "unlimited", "x" * 3000, "\x01", "a\0b", "é𝒳", [], [1], [[]], [None], {}, {"a": 1}, [{"count": 2}],
          "2027-01-01T00:00:00Z", "2001-01-01T00:00:00Z", 1800000000]
BODIES = [b"", b"{", b"[]", b"null", b"1", b'"x"', b"{}x", b'{"a":1,"a":2}', b"\xff\xfe", b'{"name":"\xff"}',
          b'{"name":"\\ud800"}', b"[" * 5000, b'{"also":' * 100 + b"1" + b"}" * 100, b'{"cpu":1e999}',
          b'{"cpu":' + b"9" * 400 + b"}", b" " * 59000 + b"{}", b"x" * 61000, b'{"command":"wake"}',
          b'{"caller":{"user":"oneadmin","operator":true}}', "{\"name\":\"é\"}".encode("utf-16")]
METHODS = ["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS", "FROB"]


def ask(path):
    status, _, text = api.send(admin, "GET", path)
    assert status == 200, (path, status, text)
    return json.loads(text)


def any_text(number):
    """A value of a path or query, encoded, mostly."""
    if chance.random() < 0.1:
        return chance.choice(RAW).decode()
    return urllib.parse.quote(chance.choice(NUMBERS if chance.random() < (0.7 if number else 0.2) else TEXTS), safe="")


def any_path(template):
    parts = []
    for part in template.split("/"):
        if part.startswith("{"):
            part = str(chance.choice(leases)) if part == "{lease}" and chance.random() < 0.4 else any_text(True)
        parts.append(part)
    if chance.random() < 0.05:
        parts.insert(chance.randrange(1, len(parts) + 1), chance.choice(["", "x", "..", "%2e%2e", "leases"]))
    return "/api/v1" + "/".join(parts)


def any_query(operation, parameters):
    named = [resolve(one) for one in operation.get("parameters", []) + parameters]
    names = [one["name"] for one in named if one["in"] == "query"] + ["x", "since", "command"]
    pairs = [f"{chance.choice(names)}={any_text(False)}" for _ in range(chance.choice([0, 0, 0, 1, 1, 1, 2, 2, 3, 18]))]
    return "?" + "&".join(pairs) if pairs else ""


def any_body(operation):
    if chance.random() < 0.3:
        return chance.choice(BODIES)
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    fields = list(resolve(content.get("schema", {})).get("properties", {})) + ["surprise"]
    body = {}
    if "cpu" in fields and chance.random() < 0.5:
        body.update(cpu=1, memory=64)
    for _ in range(chance.choice([0, 1, 1, 2, 3])):
        body[chance.choice(fields)] = chance.choice(VALUES)
    return json.dumps(body).encode()


def check(asked, status, text, allow):
    """Is it a good answer?"""
    if asked[1] == "HEAD":
        assert not text and status != 500, (asked, status)
        return
    if status == 400 and not text.startswith(b"{") and asked[4]:  # what is no HTTP, libmicrohttpd refuses
        return
    document = json.loads(text.decode("utf-8"))
    if status < 400:
        assert document.get("ok", True) and status in (200, 201), (asked, status, document)
        return
    if document["ok"]:
        assert status == 409 and document["accepted"] is False and document["text"], (asked, status, document)
        return
    assert status in STATUSES.get(document["code"], ()), (asked, status, document)
    assert len(document["error"]) > 8 and "(null)" not in document["error"], (asked, status, document)
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in document["error"]), (asked, document)
    assert (status == 405) == bool(allow), (asked, status, allow)
    assert status != 503 or document["code"] == "not-ready", (asked, status, document)


def step():
    template = chance.choice(list(described["paths"]))
    known = {method.upper() for method in described["paths"][template] if method != "parameters"}
    method = chance.choice(METHODS if chance.random() < 0.3 else sorted(known))
    operation = described["paths"][template].get(method.lower(), {})
    session = chance.choice([admin, admin, anna, bob, bob])
    path = any_path(template) + any_query(operation, described["paths"][template].get("parameters", []))
    if path.partition("?")[0] == "/api/v1/events" and method == "GET":
        return  # without an end
    body = any_body(operation) if method not in ("GET", "HEAD", "DELETE") or chance.random() < 0.1 else None
    kind = chance.choice(["application/json"] * 8 + ["text/plain", "application/json;charset=utf-8", None])
    asked = (session.split(":")[0], method, path[:200], (body or b"")[:200], "%" in path or len(path) > 4000)
    status, headers, text = api.send(session, method, path, body, kind)
    counts[status] = counts.get(status, 0) + 1
    check(asked, status, text, headers.get("Allow", ""))
    if status < 300 and method not in ("GET", "HEAD"):
        touched.append(asked)


def as_asked(lease):
    shown = ask(f"/api/v1/leases/{lease}")["lease"]
    return {name: shown[name] for name in ("kind", "user", "phase", "start", "duration", "vms", "accepted")}


oned = xmlrpc.client.ServerProxy(options.endpoint)
for name in ("anna", "bob"):
    if not oned.one.user.info(f"{name}:secret-{name}", -1)[0]:
        oned.one.user.allocate(admin, name, f"secret-{name}", "core")
anna, bob = "anna:secret-anna", "bob:secret-bob"
start = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
leases, counts, touched = [], {}, []
for _ in range(4):
    status, _, text = api.send(anna, "POST", "/api/v1/leases", json.dumps(
        {"kind": "reservation", "start": start, "duration": 600, "cpu": 0.1, "memory": 64}).encode())
    assert status == 201, text
    leases.append(json.loads(text)["lease"])
for _ in range(200):
    if all(as_asked(lease)["phase"] == "reserved" for lease in leases):
        break
    time.sleep(0.1)
before = {lease: as_asked(lease) for lease in leases}
for _ in range(options.requests):
    step()
for lease, shown in before.items():
    if not any(f"/leases/{lease}" in one[2] for one in touched):
        assert as_asked(lease) == shown, (lease, shown, as_asked(lease))
assert ask("/api/v1/status")["ok"]
print(" ".join(f"{status}: {n}" for status, n in sorted(counts.items())), f"changes: {len(touched)}", file=sys.stderr)
