#!/usr/bin/env python3
"""Every path of the HTTP API with every method, and every parameter and field with bad values.

All comes from the description that the server gives out (openapi.json), so that new paths are tried as well. Each
answer must have the status that fits, the same form, and say what is wrong; and nothing may change.
"""

import argparse
import json
import socket
import sys
import time
import urllib.parse
import xmlrpc.client

sys.dont_write_bytecode = True
from described import JSON, Described  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("url")
parser.add_argument("endpoint", help="of OpenNebula")
parser.add_argument("auth", help="file with the session of oneadmin")
options = parser.parse_args()
server = urllib.parse.urlsplit(options.url)
with open(options.auth, encoding="utf-8") as file:
    admin = file.read().strip()
oned = xmlrpc.client.ServerProxy(options.endpoint)
api = Described(options.url, 20)
described, resolve = api.document, api.resolve

ALL_METHODS = ("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "TRACE", "FROB")
PUBLIC = "/openapi.json"
ENDLESS = "/events"
VALUES = {"string": "text", "integer": 7, "number": 0.5, "boolean": True, "array": [[]], "object": {"surprise": 1}}
NO_NUMBERS = ("", "x", "-1", "1.5", "+1", "0x10", "1%20", "99999999999999999999", "%ff", "%00")
NO_FLAGS = ("", "yes", "1", "TRUE", "%ff")
NO_TIMES = ("", "soon", "12", "2027-13-41T99:99:99Z", "2027-01-01", "%ff", "%00")
# Bodies that are right, so that one wrong field is what is wrong; the others start with {}.
RIGHT = {"requestLease": {"cpu": 1, "memory": 64, "duration": 60, "dry_run": True},
         "changeLease": {"dry_run": True}, "drainHosts": {"hosts": [0], "dry_run": True},
         "bookHosts": {"hosts": [0], "until": "2099-01-01T00:00:00Z", "booking": {"name": "walk"}, "dry_run": True},
         "rebalanceCluster": {"action": "show"}, "setLogLevel": {"level": "configured"}}
NO_JSON = (b"{", b"[]", b"null", b"7", b'"x"', b"{}x", b'{"a":1,"a":2}', b"\xff\xfe", b'{"x":"\xff"}',
           b'{"x":' * 40 + b"1" + b"}" * 40, b"[" * 5000, b'{"x":1' + b"0" * 30 + b"}")


def send(session, method, path, body=None, kind=JSON):
    return api.send(session, method, "/api/v1" + path, body, kind)


def bad(session, method, path, statuses, body=None, kind=JSON, says=""):
    """The answer has one of these statuses and the form of an error. Returns its headers."""
    global tried
    tried += 1
    status, headers, text = send(session, method, path, body, kind)
    wrong = what_is_wrong(method, status, headers, text, says)
    if status not in statuses:
        wrong = f"not in {statuses}"
    if wrong:
        problems.append(f"{(session or '-').split(':')[0]} {method} {path[:120]} {(body or b'')[:120]} {kind}: "
                        f"{status} {text[:300]}: {wrong}")
    return headers


def what_is_wrong(method, status, headers, text, says):
    if (status == 405) != ("Allow" in headers) or (status == 401) != ("WWW-Authenticate" in headers):
        return f"headers {headers.items()}"
    if headers["Content-Type"] != JSON:
        return headers["Content-Type"]
    if method == "HEAD":
        return "has a body" if text else ""
    document = json.loads(text.decode("utf-8"))
    if set(document) != {"ok", "error", "code"} or document["ok"] is not False:
        return "not the form of an error"
    if len(document["error"]) <= 8 or not document["error"].isprintable() or says not in document["error"]:
        return f"does not say what is wrong ({says})"
    return ""


def types_of(schema):
    schema = resolve(schema)
    kinds = schema.get("type", [])
    kinds = {kinds} if isinstance(kinds, str) else set(kinds)
    for one in schema.get("oneOf", []) + schema.get("anyOf", []):
        kinds |= types_of(one)
    kinds |= {"string"} if "enum" in schema and not kinds else set()
    return kinds | ({"integer"} if "number" in kinds else set())


def wrong_values(schema):
    """Of the body: values of other types, and values that the schema excludes."""
    schema, kinds = resolve(schema), types_of(schema)
    wrong = [value for kind, value in VALUES.items() if kinds and kind not in kinds]
    if "enum" in schema:
        wrong += ["surprise", ""]
    if "string" in kinds and "date-time" in json.dumps(schema):
        wrong += ["soon", "2027-13-41T99:99:99Z"]
    if kinds & {"integer", "number"} and schema.get("minimum", -1) >= 0:
        wrong += [-1]
    return wrong


def wrong_queries(schema):
    """Of a parameter in the query, encoded."""
    schema, kinds = resolve(schema), types_of(schema)
    if "integer" in kinds:
        return NO_NUMBERS
    if "boolean" in kinds or set(schema.get("enum", [])) == {"true", "false"}:
        return NO_FLAGS
    if "enum" in schema:
        return ("", "surprise", "%ff")
    return NO_TIMES if schema.get("format") == "date-time" else ("%ff", "%c3%28", "%ed%a0%80")


def real(path):
    """The path with the ids of what exists and is Anna's."""
    for name, value in {"lease": lease, "host": 0, "cluster": 0, "booking": "walk", "policy": "none"}.items():
        path = path.replace("{%s}" % name, str(value))
    assert "{" not in path, f"{path}: this test does not know its parameter"
    return path


def methods(path, operations):
    """Those of the description, and all others."""
    known = {method.upper() for method in operations if method != "parameters"}
    for method in ALL_METHODS:
        if method in known or (method == "HEAD" and "GET" in known):
            if path != PUBLIC:
                bad(None, method, real(path), {401}, b"{}" if method in ("POST", "PATCH", "PUT") else None)
            continue
        # Authentication comes first: strangers learn nothing.
        bad(None, method, real(path), {405} if path == PUBLIC else {401})
        for session in (anna, admin):
            headers = bad(session, method, real(path), {405}, b"{}" if method in ("POST", "PATCH", "PUT") else None)
            if set((headers["Allow"] or "").split(", ")) != known:
                problems.append(f"{method} {path}: Allow: {headers['Allow']}, not {known}")


def neighbours(path):
    for other in (path + "/", path + "/x", path + "//", "/" + path, path + "%2f", path + "%00"):
        bad(admin, "GET", real(other), {400, 404, 405})


def queries(path, method, operation, parameters):
    body = b"{}" if "requestBody" in operation else None
    named = [resolve(one) for one in operation.get("parameters", []) + parameters]
    for one in named:
        if one["in"] == "query":
            for value in wrong_queries(one["schema"]):
                bad(admin, method, f"{real(path)}?{one['name']}={value}", {400, 404, 409}, body, says=one["name"])
            bad(admin, method, f"{real(path)}?{one['name']}x=1", {400}, body, says=one["name"] + "x")
            bad(admin, method, f"{real(path)}?{one['name']}={'x' * 70000}", {400, 413, 414}, body)
        elif "integer" in types_of(one["schema"]) and "string" not in types_of(one["schema"]):
            for value in NO_NUMBERS[1:]:
                bad(admin, method, real(path.replace("{%s}" % one["name"], urllib.parse.quote(value, safe="%"))),
                    {400, 404}, body)
            bad(admin, method, real(path.replace("{%s}" % one["name"], "999999")), {404}, body)
        else:
            for value in ("nowhere", "-1", "99999999999", "%ff", "%00", "x" * 3000):
                bad(admin, method, real(path.replace("{%s}" % one["name"], value)), {400, 404, 409}, body)
    if path == ENDLESS or path == PUBLIC:
        return
    bad(admin, method, f"{real(path)}?surprise=1", {400}, body, says="surprise")
    bad(admin, method, real(path) + "?" + "&".join(f"p{i}=1" for i in range(40)), {413}, body)


def bodies(path, method, operation):
    if "requestBody" not in operation:
        return
    schema = resolve(operation["requestBody"]["content"][JSON]["schema"])
    right = RIGHT.get(operation["operationId"], {})
    for kind in (None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""):
        bad(admin, method, real(path), {415}, b"{}", kind)
    for body in NO_JSON:
        bad(admin, method, real(path), {400}, body)
    bad(admin, method, real(path), {413}, b'{"x":"' + b"x" * 61000 + b'"}')
    bad(admin, method, real(path), {400}, json.dumps({**right, "surprise": 1}).encode(), says="surprise")
    bad(admin, method, real(path), {400}, json.dumps({**right, "command": "wake"}).encode(), says="command")
    for name, field in schema.get("properties", {}).items():
        for value in wrong_values(field):
            bad(admin, method, real(path), {400}, json.dumps({**right, name: value}).encode(), says=name)


def others(path, method, operation):
    """Bob may neither see nor change what is Anna's, nor do what operators do."""
    if "{" not in path or path == ENDLESS:
        return
    body = json.dumps(RIGHT.get(operation["operationId"], {})).encode() if "requestBody" in operation else None
    bad(bob, method, real(path), {403, 404, 409}, body)


def slow():
    """A client that sends half a body, or half a head, keeps nobody else waiting."""
    head = b"POST /api/v1/leases HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n"
    halves = [socket.create_connection((server.hostname, server.port), timeout=60) for _ in range(8)]
    for i, half in enumerate(halves):
        half.sendall(head + (b"\r\n{" if i % 2 else b""))
    status, _, _ = send(admin, "GET", "/leases")
    assert status == 200, status
    for half in halves:
        half.close()


def expired_token():
    token = oned.one.user.login(anna, "anna", "", 1, -1)
    assert token[0], token
    time.sleep(2.1)
    bad("anna:" + token[1], "GET", "/leases", {401})
    bad("anna:", "GET", "/leases", {401})
    for header in ("Basic", "Basic !", "Bearer x", "Basic YW5uYQ==", "x"):
        api.connection.request("GET", "/api/v1/leases", headers={"Authorization": header})
        answer = api.connection.getresponse()
        assert answer.status == 401 and json.loads(answer.read())["code"] == "unauthenticated", header


def state():
    """What must not change."""
    leases = json.loads(send(admin, "GET", "/leases?all=true")[2])["leases"]
    hosts = json.loads(send(admin, "GET", "/hosts")[2])["hosts"]
    return ([(one["lease"], one["phase"], one["start"], one["duration"], one["cpu"], one["memory"])
             for one in leases], [(one["host"], one["drains"], one["state"]) for one in hosts],
            json.loads(send(admin, "GET", "/bookings")[2])["bookings"])


tried, problems = 0, []
for name in ("anna", "bob"):
    if not oned.one.user.info(f"{name}:secret-{name}", -1)[0]:
        oned.one.user.allocate(admin, name, f"secret-{name}", "core")
anna, bob = "anna:secret-anna", "bob:secret-bob"
start = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
made = send(anna, "POST", "/leases", json.dumps(
    {"kind": "reservation", "start": start, "duration": 600, "cpu": 0.1, "memory": 64}).encode())
assert made[0] == 201, made
lease = json.loads(made[2])["lease"]
for _ in range(200):
    before = state()
    phases = {one[0]: one[1] for one in before[0]}
    if lease in phases and set(phases.values()) <= {"reserved", "ended", "refused"}:  # nothing is on its way
        break
    time.sleep(0.1)
else:
    sys.exit(f"leases that do not come to rest: {before}")
for path, operations in described["paths"].items():
    methods(path, operations)
    neighbours(path)
    for method in set(operations) - {"parameters"}:
        queries(path, method.upper(), operations[method], operations.get("parameters", []))
        bodies(path, method.upper(), operations[method])
        others(path, method.upper(), operations[method])
for path in ("", "/", "/nothing", "/leases/%2e%2e/status", "/../v1/leases", "/*"):
    bad(admin, "GET", path, {404})
slow()
expired_token()
assert state() == before, (before, state())
assert json.loads(send(admin, "GET", "/status")[2])["ok"]
status, _, _ = send(anna, "DELETE", f"/leases/{lease}")
assert status == 200, status
print(tried, "bad requests", *problems, sep="\n", file=sys.stderr)
sys.exit(1 if problems else 0)
