#!/usr/bin/env python3
"""Requests to galerna-web as an operator, as users, and as strangers, and what must come of them.

The description (openapi.json) is read from the server: each of its operations is called.
"""

import argparse
import base64
import http.client
import json
import socket
import ssl
import sys
import time
import urllib.parse
import xmlrpc.client

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("url")
parser.add_argument("endpoint", help="of OpenNebula")
parser.add_argument("auth", help="file with the session of oneadmin")
parser.add_argument("--certificate")
parser.add_argument("--away", action="store_true", help="galernad does not run")
options = parser.parse_args()
server = urllib.parse.urlsplit(options.url)
with open(options.auth, encoding="utf-8") as file:
    admin = file.read().strip()
oned = xmlrpc.client.ServerProxy(options.endpoint)
JSON = {"Content-Type": "application/json"}


def connect():
    if server.scheme == "http":
        return http.client.HTTPConnection(server.netloc, timeout=60)
    return http.client.HTTPSConnection(
        server.netloc, timeout=60, context=ssl.create_default_context(cafile=options.certificate))


def call(session, method, path, body=None, headers=None):
    """The status, the document and the headers of an answer."""
    sent = dict(JSON if headers is None and method in ("POST", "PATCH") else headers or {})
    if session:
        sent["Authorization"] = "Basic " + base64.b64encode(session.encode()).decode()
    connection = connect()
    if isinstance(body, (dict, list)):
        body = json.dumps(body)
    connection.request(method, path, body, sent)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    document = json.loads(text) if text else None
    return answer.status, document, answer.headers


def expect(status, session, method, path, body=None, headers=None, code=None):
    got, document, _ = call(session, method, path, body, headers)
    if got != status or (code and document["code"] != code):
        sys.exit(f"{method} {path} {body or ''} as {(session or '-').split(':')[0]}: "
                 f"{got} {document} instead of {status} {code or ''}")
    if isinstance(document, dict) and "ok" in document:
        assert document["ok"] == (status < 400 or "accepted" in document), document
    return document


def until(what, test):
    for _ in range(300):
        value = test()
        if value:
            return value
        time.sleep(0.1)
    sys.exit(f"never: {what}")


def one(method, *arguments):
    answer = getattr(oned.one, method[0])
    for part in method[1:]:
        answer = getattr(answer, part)
    answer = answer(admin, *arguments)
    assert answer[0], answer
    return answer[1]


def user(name):
    """A user's session, made once."""
    answer = oned.one.user.info(f"{name}:secret-{name}", -1)
    if not answer[0]:
        one(("user", "allocate"), name, f"secret-{name}", "core")
    return f"{name}:secret-{name}"


def utc(instant):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(instant))


def away():
    expect(503, admin, "GET", "/api/v1/leases", code="not-ready")
    expect(503, user("anna"), "DELETE", "/api/v1/leases/0", code="not-ready")
    expect(200, admin, "GET", "/api/v1/openapi.json")


def strangers():
    _, document, headers = call(None, "GET", "/api/v1/leases")
    assert document["code"] == "unauthenticated" and "Basic" in headers["WWW-Authenticate"]
    for path in ("/api/v1/leases", "/api/v1/events", "/nothing"):
        expect(401, None, "GET", path)
    for session in (None, "oneadmin:wrong"):
        description = expect(200, session, "GET", "/api/v1/openapi.json")
        assert "paths" in description
    expect(200, None, "HEAD", "/api/v1/openapi.json")
    expect(405, None, "POST", "/api/v1/openapi.json", "{}", code="unsupported")
    expect(401, "oneadmin:wrong", "GET", "/api/v1/leases", code="unauthenticated")
    expect(401, ":x", "GET", "/api/v1/leases")
    expect(401, "x" * 2000 + ":y", "GET", "/api/v1/leases")


def malformed():
    expect(404, admin, "GET", "/api/v1/nothing", code="not-found")
    expect(404, admin, "GET", "/api/v2/leases", code="not-found")
    status, document, headers = call(admin, "PUT", "/api/v1/leases", "{}")
    assert status == 405 and headers["Allow"] == "GET, POST", (status, document, headers)
    expect(400, admin, "GET", "/api/v1/leases/one", code="malformed")
    expect(400, admin, "GET", "/api/v1/leases?al=true", code="malformed")
    expect(400, admin, "GET", "/api/v1/leases?phase=asleep", code="malformed")
    expect(400, admin, "POST", "/api/v1/drains", {"hosts": [0], "form": utc(0)}, code="malformed")
    expect(400, admin, "PATCH", "/api/v1/log", {"level": "info", "sub": "x"}, code="malformed")
    expect(400, admin, "POST", "/api/v1/leases", "{", code="malformed")
    expect(400, admin, "POST", "/api/v1/leases", '{"cpu": 1, "cpu": 2}', code="malformed")
    expect(400, admin, "POST", "/api/v1/leases", {"cpu": 1, "memory": 1, "cpus": 1})
    expect(400, admin, "POST", "/api/v1/leases", {"command": "wake"}, code="malformed")
    expect(400, admin, "POST", "/api/v1/leases", {"caller": {"user": "anna"}}, code="malformed")
    expect(415, admin, "POST", "/api/v1/leases", "cpu=1", {"Content-Type": "text/plain"})
    expect(413, admin, "POST", "/api/v1/leases", '{"name": "' + "x" * 70000 + '"}', code="too-long")
    expect(413, admin, "GET", "/api/v1/leases?" + "&".join(f"p{i}=1" for i in range(40)))
    expect(404, admin, "GET", "/api/v1/leases/999999", code="not-found")
    expect(404, user("anna"), "GET", "/api/v1/leases/99999999999", code="not-found")


def life_of_a_lease():
    """Anna's lease, which Bob must not see, and an operator may end."""
    anna, bob = user("anna"), user("bob")
    trial = expect(200, anna, "POST", "/api/v1/leases",
                   {"kind": "reservation", "start": utc(time.time() + 3600),
                    "cpu": 1, "memory": 512, "duration": 3600, "dry_run": True})
    assert trial["accepted"], trial
    made = expect(201, anna, "POST", "/api/v1/leases",
                  {"cpu": 1, "memory": 512, "count": 2, "duration": 3600, "name": "course"})
    lease = made["lease"]
    path = f"/api/v1/leases/{lease}"
    shown = until("the lease runs", lambda: (  # who has asked for it sees it from the beginning
        lambda answer: answer["lease"]["phase"] == "running" and answer
    )(expect(200, anna, "GET", path)))["lease"]
    assert shown["user"] == "anna" and shown["vms"] == 2 and len(shown["members"]) == 2, shown
    expect(200, anna, "GET", path + "/why")
    assert expect(200, anna, "GET", path + "/history?limit=5")["events"]
    assert lease in [one["lease"] for one in expect(200, anna, "GET", "/api/v1/leases")["leases"]]
    assert expect(200, bob, "GET", "/api/v1/leases?all=true")["leases"] == []
    expect(403, anna, "GET", path + "/trace", code="denied")
    assert "running" in expect(409, admin, "GET", path + "/trace", code="conflict")["error"]
    for method, path_of, body in (("GET", path, None), ("GET", path + "/why", None),
                                  ("GET", path + "/history", None), ("DELETE", path, None),
                                  ("PATCH", path, {"extend": 60}), ("POST", path + "/hold", {}),
                                  ("POST", path + "/release", {})):
        expect(403, bob, method, path_of, body, code="denied")
    # Anna lets everyone USE her VMs; to change them is something else.
    for member in shown["members"]:
        rights = oned.one.vm.chmod(anna, member["vm"], -1, -1, -1, -1, -1, -1, 1, -1, -1)
        assert rights[0], rights
    expect(200, bob, "GET", path)
    assert [one["lease"] for one in expect(200, bob, "GET", "/api/v1/leases")["leases"]] == [lease]
    expect(403, bob, "PATCH", path, {"extend": 60}, code="denied")
    expect(403, bob, "DELETE", path, code="denied")
    # MANAGE of one VM is not enough.
    oned.one.vm.chmod(anna, shown["members"][0]["vm"], -1, -1, -1, -1, -1, -1, 1, 1, -1)
    expect(403, bob, "DELETE", path, code="denied")
    changed = expect(200, anna, "PATCH", path, {"extend": 60})
    assert changed["accepted"], changed
    expect(200, admin, "GET", path)
    expect(200, anna, "DELETE", path)
    until("the lease is over", lambda: call(admin, "GET", path)[1]["lease"]["phase"] == "ended")
    expect(404, anna, "DELETE", path, code="not-found")


def hold_and_release():
    anna = user("anna")
    start = utc(time.time() + 7200)
    asked = {"cpu": 1, "memory": 512, "duration": 3600, "start": start,
             "kind": "reservation"}
    lease = expect(201, anna, "POST", "/api/v1/leases", asked)["lease"]
    path = f"/api/v1/leases/{lease}"
    phase = lambda: call(anna, "GET", path)[1].get("lease", {}).get("phase")
    until("the lease is reserved", lambda: phase() == "reserved")
    trace = expect(200, admin, "GET", path + "/trace")["trace"]
    assert trace["accepted"] and trace["start"] == start, trace
    assert ["admit", "score-hosts"] == [one["question"] for one in trace["calls"]], trace
    assert sum(one["count"] for one in trace["hosts"]) == 2, trace
    expect(200, anna, "POST", path + "/hold", {})
    until("the lease is on hold", lambda: phase() == "parked")
    for body in ({"dry_run": True}, {}):
        document = expect(200, anna, "POST", path + "/release", body)
        assert document["accepted"], document
    until("the lease is reserved again", lambda: phase() == "reserved")
    expect(200, anna, "DELETE", path)


def series():
    """One call; each occurrence is a lease of its own, and one that is refused leaves the others."""
    anna = user("anna")
    start = 86400 * (int(time.time()) // 86400 + 3) + 9 * 3600
    asked = {"cpu": 1, "memory": 512, "duration": 3600, "kind": "reservation", "series": "lab",
             "start": utc(start), "repeat": "hourly", "times": 3}
    tried = expect(200, anna, "POST", "/api/v1/leases", {**asked, "dry_run": True})
    assert tried["accepted"] and len(tried["occurrences"]) == 3, tried
    made = expect(201, anna, "POST", "/api/v1/leases", asked)
    assert made["series"] == "lab" and made["not_requested"] == 0, made
    assert [one["start"] for one in made["occurrences"]] == [
        utc(start + 3600 * i) for i in range(3)], made
    leases = [one["lease"] for one in made["occurrences"]]
    until("all are reserved", lambda: [
        (one["lease"], one["start"]) for one in expect(
            200, anna, "GET", "/api/v1/leases?series=lab&phase=reserved")["leases"]
    ] == [(lease, utc(start + 3600 * i)) for i, lease in enumerate(leases)])
    for lease in leases:
        expect(200, anna, "DELETE", f"/api/v1/leases/{lease}")
    del asked["times"]
    by_end = expect(200, anna, "POST", "/api/v1/leases",
                    {**asked, "until": utc(start + 3600), "dry_run": True})
    assert len(by_end["occurrences"]) == 2, by_end
    expect(409, anna, "POST", "/api/v1/leases", {**asked, "times": 2, "cpu": 1000}, code="refused")
    for wrong, what in (({}, "times or until"), ({"times": 0}, "times"), ({"times": 1001}, "1000"),
                        ({"times": 2, "until": utc(start)}, "either"), ({"until": "soon"}, "until"),
                        ({"until": utc(start - 1)}, "before"), ({"times": 2, "cpus": 1}, "cpus"),
                        ({"times": 2, "repeat": "yearly"}, "weekdays"),
                        ({"times": 2, "kind": "best-effort"}, "start"),
                        ({"times": 2, "start": None}, "start")):
        answer = expect(400, anna, "POST", "/api/v1/leases", {**asked, **wrong}, code="malformed")
        assert what in answer["error"], answer


def only_what_has_changed():
    """Lists since a revision, of what the user may see."""
    anna, bob = user("anna"), user("bob")
    revisions = {who: "" for who in (admin, anna, bob)}

    def hears_nothing_new(who):
        answer = expect(200, who, "GET", f"/api/v1/leases?all=true&since={revisions[who]}")
        assert answer["since"] == (revisions[who] or None), answer
        revisions[who] = answer["revision"]
        return answer["since"] and not answer["leases"]

    for who in revisions:
        until("nothing changes", lambda w=who: hears_nothing_new(w))
    made = expect(201, anna, "POST", "/api/v1/leases", {"cpu": 1, "memory": 64, "duration": 60})
    for who, revision in revisions.items():
        path = f"/api/v1/leases?all=true&since={revision}"
        until("its owner and operators hear of it", lambda w=who, p=path: w == bob or made[
            "lease"] in [one["lease"] for one in expect(200, w, "GET", p)["leases"]])
        assert who != bob or not expect(200, bob, "GET", path)["leases"]
    expect(200, anna, "DELETE", f"/api/v1/leases/{made['lease']}")
    hosts = expect(200, admin, "GET", "/api/v1/hosts?since=")
    assert len(hosts["hosts"]) == 2 and hosts["since"] is None, hosts
    assert "gone" in expect(200, admin, "GET", f"/api/v1/hosts?since={hosts['revision']}")
    expect(400, admin, "GET", "/api/v1/queue?since=", code="malformed")


def rights_that_change():
    """Who asks for changes hears of leases that become visible or invisible, though they stay as they are."""
    anna, bob = user("anna"), user("bob")
    lease = expect(201, anna, "POST", "/api/v1/leases", {"cpu": 1, "memory": 64, "duration": 600})["lease"]
    until("it runs", lambda: expect(200, anna, "GET", f"/api/v1/leases/{lease}")["lease"]["phase"] == "running")
    revision = expect(200, bob, "GET", "/api/v1/leases?since=")["revision"]
    earlier = revision
    for use in (1, 0):
        one(("vm", "chmod"), lease, -1, -1, -1, -1, -1, -1, use, -1, -1)
        answer = expect(200, bob, "GET", f"/api/v1/leases?since={revision}")
        seen = [shown["lease"] for shown in answer["leases"]]
        assert seen == [lease] if use else not seen and lease in answer["gone"], (use, answer)
        revision = answer["revision"]
    assert lease in expect(200, bob, "GET", f"/api/v1/leases?since={earlier}")["gone"]
    one(("vm", "chmod"), lease, -1, -1, -1, -1, -1, -1, 1, -1, -1)
    revision = expect(200, bob, "GET", f"/api/v1/leases?since={revision}")["revision"]
    expect(200, anna, "DELETE", f"/api/v1/leases/{lease}")
    until("its end is told to who cannot see it any longer", lambda: lease in expect(
        200, bob, "GET", f"/api/v1/leases?all=true&since={revision}")["gone"])
    assert not expect(200, bob, "GET", f"/api/v1/leases?since={revision.split('-')[0]}")["since"]


def kept_answers():
    """Answers that galerna-web keeps go only to those who may see them now, and hold until a change."""
    anna, bob = user("anna"), user("bob")
    lease = expect(201, anna, "POST", "/api/v1/leases", {"cpu": 1, "memory": 64, "duration": 600})["lease"]
    until("it runs", lambda: expect(200, anna, "GET", f"/api/v1/leases/{lease}")["lease"]["phase"] == "running")
    of_lease = [f"/api/v1/leases/{lease}{part}" for part in ("", "/why", "/history")]
    for use in (0, 1, 0):
        one(("vm", "chmod"), lease, -1, -1, -1, -1, -1, -1, use, -1, -1)
        for path in of_lease:
            expect(200, admin, "GET", path)
            expect(200, anna, "GET", path)
            expect(200 if use else 403, bob, "GET", path)
        for path in ("/api/v1/leases", "/api/v1/leases?user=anna", "/api/v1/leases?all=true&phase=running"):
            for who, sees in ((admin, True), (bob, bool(use)), (anna, True)):
                shown = [one["lease"] for one in expect(200, who, "GET", path)["leases"]]
                assert (lease in shown) == sees, (who, path, shown)
        expect(200, admin, "GET", "/api/v1/hosts/0/timeline")
        expect(403, bob, "GET", "/api/v1/hosts/0/timeline", code="denied")
        expect(200, admin, "GET", "/api/v1/status")
        expect(403, bob, "GET", "/api/v1/status", code="denied")
    for duration in (700, 800, 900):
        expect(200, anna, "PATCH", of_lease[0], {"duration": duration})
        for who in (admin, anna):
            for path in of_lease[:2]:
                assert expect(200, who, "GET", path)["lease"]["duration"] == duration, path
    expect(200, anna, "DELETE", of_lease[0])
    assert expect(200, anna, "GET", of_lease[0])["lease"]["phase"] != "running"


def refused_request():
    expect(409, user("anna"), "POST", "/api/v1/leases", {"cpu": 1000, "memory": 512},
           code="refused")


def operators_only():
    anna = user("anna")
    for method, path, body in (("GET", "/api/v1/status", None), ("GET", "/api/v1/history", None),
                               ("POST", "/api/v1/drains", {"hosts": [0]}),
                               ("DELETE", "/api/v1/hosts/0/drain", None),
                               ("DELETE", "/api/v1/hosts/0/quarantine", None),
                               ("POST", "/api/v1/clusters/0/rebalancing", {"action": "show"}),
                               ("GET", "/api/v1/log", None),
                               ("PATCH", "/api/v1/log", {"level": "debug"}),
                               ("POST", "/api/v1/wake", {}),
                               ("POST", "/api/v1/policies/reload", {})):
        expect(403, anna, method, path, body, code="denied")
    assert expect(200, anna, "GET", "/api/v1/hosts")["hosts"] == []
    assert {one["user"] for one in expect(200, admin, "GET", "/api/v1/usage")["usage"]} >= {"anna"}
    for path in ("/api/v1/usage", "/api/v1/usage?user=oneadmin"):
        assert [one["user"] for one in expect(200, anna, "GET", path)["usage"]] == ["anna"], path
    assert expect(200, user("bob"), "GET", "/api/v1/usage?by=user")["usage"] == []
    expect(403, anna, "GET", "/api/v1/hosts/0/timeline", code="denied")
    assert len(expect(200, admin, "GET", "/api/v1/hosts")["hosts"]) == 2
    expect(200, admin, "GET", "/api/v1/hosts/0/timeline")
    drained = expect(200, admin, "POST", "/api/v1/drains", {"hosts": [1]})
    assert drained["hosts"] == [1], drained
    expect(200, admin, "DELETE", "/api/v1/hosts/1/drain")
    expect(400, admin, "POST", "/api/v1/drains", {}, code="malformed")
    levels = expect(200, admin, "PATCH", "/api/v1/log", {"level": "configured"})
    assert expect(200, admin, "GET", "/api/v1/log")["levels"] == levels["levels"]


def bookings():
    """A user books hosts within the site's rules, and others neither see nor end that."""
    anna, bob = user("anna"), user("bob")
    path, now = "/api/v1/bookings", time.time()
    asked = {"count": 1, "until": utc(now + 600), "booking": {"name": "project"}}
    document = expect(409, bob, "POST", path, asked, code="refused")
    assert "max-booked-hosts" in document["error"], document
    tried = expect(200, anna, "POST", path, {**asked, "dry_run": True})
    assert tried["accepted"] and len(tried["hosts"]) == 1 and not tried["vms"], tried
    refused = expect(409, anna, "POST", path, {**asked, "cluster": "nowhere"})
    assert refused["word"] == "no-free-hosts" and refused["alternative"] is None, refused
    expect(400, anna, "POST", path, {"hosts": [0], "until": utc(now + 600)}, code="malformed")
    expect(400, anna, "POST", path, {**asked, "booking": {"name": "x", "owner": "bob"}})
    expect(404, anna, "DELETE", path + "/project", code="not-found")
    booked = expect(200, anna, "POST", path, asked)
    assert booked["accepted"] and booked["booking"] == "project", booked
    mine = expect(200, anna, "GET", path)["bookings"]
    assert [(one["name"], one["owner"], one["users"]) for one in mine] == [
        ("project", "anna", ["anna"])], mine
    assert [time["host"] for time in mine[0]["times"]] == booked["hosts"], mine
    assert expect(200, bob, "GET", path)["bookings"] == []
    assert len(expect(200, admin, "GET", path)["bookings"]) == 1
    expect(403, bob, "DELETE", path + "/project", code="denied")
    expect(403, bob, "POST", path, asked, code="denied")
    ended = expect(200, anna, "DELETE", path + "/project?dry_run=true&at=" + utc(now + 60))
    assert ended["dry_run"] and ended["at"] == utc(now + 60), ended
    expect(200, anna, "DELETE", path + "/project")
    assert expect(200, anna, "GET", path)["bookings"] == []


def every_operation():
    """What the description has is there: no path and no method is unknown."""
    described = expect(200, admin, "GET", "/api/v1/openapi.json")
    n = 0
    for path, operations in described["paths"].items():
        for method in set(operations) - {"parameters"}:
            if path == "/events":
                continue
            real = "/api/v1" + path.replace("{lease}", "999999").replace("{host}", "nowhere")
            real = real.replace("{cluster}", "999").replace("{policy}", "nothing")
            body = "{}" if "requestBody" in operations[method] else None
            status, document, _ = call(admin, method.upper(), real, body)
            assert str(status) in operations[method]["responses"] or document["ok"] is False
            assert status not in (405, 415, 500), (method, path, status, document)
            assert status != 404 or "no such path" not in document["error"], (path, document)
            n += 1
    assert n >= 20, n


def login_token():
    anna = user("anna")
    token = oned.one.user.login(anna, "anna", "", 600, -1)
    assert token[0], token
    expect(200, "anna:" + token[1], "GET", "/api/v1/leases")


def events():
    """A change is told to who listens, but not sooner after the last one than pages read."""
    connection = connect()
    connection.request("GET", "/api/v1/events", headers={
        "Authorization": "Basic " + base64.b64encode(admin.encode()).decode()})
    answer = connection.getresponse()
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/event-stream"
    assert answer.readline() == b"event: change\n"  # the first answer of galernad
    told = time.monotonic()
    assert answer.readline().startswith(b"data: ")
    assert answer.readline() == b"\n"
    made = expect(201, admin, "POST", "/api/v1/leases", {"cpu": 1, "memory": 64, "duration": 60})
    assert answer.readline() == b"event: change\n"
    assert time.monotonic() - told > 1.5
    connection.close()
    expect(200, admin, "DELETE", f"/api/v1/leases/{made['lease']}")


def garbage():
    for text in (b"\0" * 4096, b"GET /api/v1/leases HTTP/9.9\r\n\r\n",
                 b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                 b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n",
                 b"POST /api/v1/leases HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\nx"):
        with socket.create_connection((server.hostname, server.port), timeout=60) as client:
            try:
                client.sendall(text)
                client.shutdown(socket.SHUT_WR)
                while client.recv(4096):
                    pass
            except OSError:
                pass
    expect(200, admin, "GET", "/api/v1/leases")


def too_many_failures():
    """Last: this address has no more attempts afterwards."""
    for _ in range(20):
        status, document, headers = call("oneadmin:guess", "GET", "/api/v1/leases")
        if status == 429:
            assert document["code"] == "too-many" and headers["Retry-After"]
            expect(200, admin, "GET", "/api/v1/leases")  # who is known is not shut out
            return
    sys.exit("passwords can be guessed without end")


if options.away:
    away()
else:
    for trial in (strangers, malformed, life_of_a_lease, hold_and_release, series,
                  only_what_has_changed, rights_that_change, kept_answers, refused_request, operators_only, bookings,
                  every_operation, login_token, events, garbage, too_many_failures):
        trial()
