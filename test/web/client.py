#!/usr/bin/env python3
"""Calls each method of the Python client, and makes it fail."""

import datetime
import http.server
import inspect
import sys
import threading
import time

from galerna_client import Galerna, GalernaError

url, session = sys.argv[1:]
user, password = session.strip().split(":", 1)
galerna = Galerna(url, user, password)


def fails(status, code, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except GalernaError as error:
        assert (error.status, error.code) == (status, code), (error.status, error.code, str(error))
        assert str(error)
        return error
    raise AssertionError(f"{call.__name__} does not fail")


def covers_the_description():
    description = galerna.get_description()
    operations = [operation for item in description["paths"].values()
                  for verb, operation in item.items() if verb != "parameters"]
    methods = [name for name, _ in inspect.getmembers(Galerna, inspect.isfunction)
               if not name.startswith("_")]
    assert len(methods) == len(operations), (methods, len(operations))
    assert all(inspect.getdoc(getattr(Galerna, name)) for name in methods)


def orders_about_leases():
    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    start, later = (moment.strftime("%Y-%m-%dT%H:%M:%SZ")
                    for moment in (tomorrow, tomorrow + datetime.timedelta(hours=1)))
    lease = galerna.request_lease(cpu=1, memory=64, duration=600, start=start,
                                  kind="reservation", name="später")["lease"]
    for _ in galerna.watch():
        if galerna.list_leases(phase="reserved")["leases"]:
            break
    assert "später" in [listed["name"] for listed in
                        galerna.list_leases(all=True, limit=1000)["leases"]]
    assert galerna.change_lease(lease, shift=3600, dry_run=True)["accepted"]
    assert galerna.get_lease(lease)["lease"]["start"] == start
    galerna.change_lease(lease, shift=3600)
    assert galerna.get_lease(lease)["lease"]["start"] == later
    assert galerna.explain_lease(lease)["ok"]
    assert galerna.get_lease_history(lease, limit=5)["events"]
    galerna.hold_lease(lease)
    galerna.release_lease(lease)
    galerna.cancel_lease(lease)


def the_rest():
    for method in (galerna.get_status, galerna.get_history, galerna.get_queue, galerna.get_usage,
                   galerna.list_hosts, galerna.get_log_levels, galerna.wake):
        assert method()["ok"], method
    assert galerna.get_host_timeline("host0001")["ok"]
    galerna.drain_hosts([1], from_="2099-01-01T00:00:00Z")
    galerna.undrain_host(1)
    assert galerna.set_log_level("debug")["ok"]


def errors():
    fails(401, "unauthenticated", Galerna(url, user, "wrong").list_leases)
    fails(404, "not-found", galerna.get_lease, 4711)
    fails(404, "not-found", galerna.cancel_lease, "1/../2")
    fails(400, "malformed", galerna.get_lease, "1?x=%41#ä")
    fails(400, "malformed", galerna.request_lease, cpu="all", memory=64)
    fails(404, "not-found", galerna.get_host_timeline, "no such host")
    for wrong in ("ftp://127.0.0.1", "127.0.0.1:9751"):
        try:
            Galerna(wrong, user, password)
            raise AssertionError(wrong)
        except ValueError as error:
            assert "http" in str(error)


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """Answers that are none of galerna-web's."""

    def do_GET(self):  # pylint: disable=invalid-name
        self.server.asked.append(self.path)
        if self.path.endswith("/queue"):
            self.send_response(302)
            self.send_header("Location", "/stolen")
        else:
            self.send_response(502)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"<no>")

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def strange_servers():
    """Passwords do not follow redirections; a proxy's page is an error, too."""
    with http.server.HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        server.asked = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        other = Galerna(f"http://127.0.0.1:{server.server_port}", user, password)
        fails(302, "failed", other.get_queue)
        fails(502, "failed", other.list_hosts)
        assert server.asked == ["/api/v1/queue", "/api/v1/hosts"], server.asked
        server.shutdown()


covers_the_description()
orders_about_leases()
the_rest()
errors()
strange_servers()
