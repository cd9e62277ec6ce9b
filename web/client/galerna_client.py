"""A client of galerna-web, with a method for each operation of its HTTP API.

Made by make_client.py from openapi.json; do not edit. Needs nothing but Python 3.9.

    from galerna_client import Galerna

    galerna = Galerna("http://127.0.0.1:9751", "anna", "password or login token")
    print(galerna.list_leases()["leases"])

Methods return the documents that the API answers with. Arguments that are None are left out.
"""

import base64
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request

PREFIX = "/api/v1"


class GalernaError(Exception):
    """A request that was not done: status (of HTTP), code (a word) and document (the answer)."""

    def __init__(self, status, document):
        super().__init__(document.get("error") or document.get("text") or f"HTTP status {status}")
        self.status = status
        self.code = document.get("code", "refused" if status == 409 else "failed")
        self.document = document


def _path(template, *values):
    return template.format(*(urllib.parse.quote(str(value), safe="") for value in values))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Passwords go to the server that was named, and to no other."""

    def redirect_request(self, *_):
        return None


class Galerna:
    """The API as one user. `ca_file`: who signs the server's certificate; None: the system's."""

    def __init__(self, url, user, password, ca_file=None, timeout=150):
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"{url}: the address must begin with http:// or https://")
        self._url = url.rstrip("/") + PREFIX
        self._authorization = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self._timeout = timeout
        context = ssl.create_default_context(cafile=ca_file)
        self._opener = urllib.request.build_opener(
            _NoRedirect, urllib.request.HTTPSHandler(context=context))

    def _open(self, method, path, query=None, body=None):
        given = {key: json.dumps(value) if isinstance(value, bool) else value
                 for key, value in (query or {}).items() if value is not None}
        url = self._url + path + ("?" + urllib.parse.urlencode(given) if given else "")
        request = urllib.request.Request(url, method=method)
        request.add_header("Authorization", self._authorization)
        if body is not None:
            sent = {key: value for key, value in body.items() if value is not None}
            request.data = json.dumps(sent).encode()
            request.add_header("Content-Type", "application/json")
        try:
            return self._opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                status, text = error.code, error.read()
        try:
            document = json.loads(text)
        except ValueError:
            document = {}
        raise GalernaError(status, document if isinstance(document, dict) else {})

    def _call(self, method, path, query=None, body=None):
        with self._open(method, path, query, body) as answer:
            return json.load(answer)

    def _watch(self, path):
        with self._open("GET", path) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    yield line[5:].strip().decode()

    def get_status(self):
        """Daemon status (operators)."""
        return self._call("GET", "/status")

    def list_leases(self, *, phase=None, user=None, series=None, all=None, limit=None, since=None):
        """Leases, ascending by number, then ended leases, newest first.

        phase: string; Phases, separated by commas
        user: string; Only leases of this user
        series: string; Only occurrences of this series
        all: "true", "false"; Include ended leases
        limit: integer; Maximum number of ended leases, newest first
        since: string; The revision of an earlier answer: only changes since then; empty:
            everything, with a revision
        """
        return self._call("GET", "/leases",
            query={"phase": phase, "user": user, "series": series, "all": all,
                "limit": limit, "since": since})

    def request_lease(self, *, kind=None, count=None, cpu=None, memory=None, also=None,
                      template=None, start=None, earliest=None, latest=None, deadline=None,
                      duration=None, preemptible=None, terms=None, origin=None, priority=None,
                      keep=None, series=None, booking=None, repeat=None, times=None, until=None,
                      name=None, dry_run=None):
        """Request a lease: its VMs are created in OpenNebula with the caller's session.

        kind: "best-effort", "immediate", "reservation", "deadline"
        count: integer
        cpu: number; Processors of a VM; optional with a template
        memory: integer; MB of a VM; optional with a template
        also: array; Further VMs of the lease, of other sizes
        template: integer; Id of the OpenNebula template to instantiate; without it, VMs without
            disks are created
        start: a date and time of RFC 3339; Start of a reservation
        earliest: a date and time of RFC 3339
        latest: a date and time of RFC 3339; Latest start, for leases of kind deadline, instead
            of a deadline
        deadline: a date and time of RFC 3339
        duration: integer or string; Seconds, or "unlimited"
        preemptible: boolean
        terms: string
        origin: string
        priority: number
        keep: boolean
        series: string
        booking: string
        repeat: "hourly", "daily", "weekdays", "weekly"; Request a series: a reservation for
            each occurrence, from start on; requires times or until
        times: integer; Number of occurrences
        until: a date and time of RFC 3339; No occurrence starts after this time
        name: string
        dry_run: boolean; Create nothing, only return the expected result
        """
        return self._call("POST", "/leases",
            body={"kind": kind, "count": count, "cpu": cpu, "memory": memory,
                "also": also, "template": template, "start": start,
                "earliest": earliest, "latest": latest, "deadline": deadline,
                "duration": duration, "preemptible": preemptible, "terms": terms,
                "origin": origin, "priority": priority, "keep": keep,
                "series": series, "booking": booking, "repeat": repeat,
                "times": times, "until": until, "name": name, "dry_run": dry_run})

    def get_lease(self, lease):
        """A lease with its VMs.

        lease: integer; Number of the lease: the lowest id of its VMs
        """
        return self._call("GET", _path("/leases/{}", lease))

    def change_lease(self, lease, *, duration=None, extend=None, shorten=None, start=None,
                     shift=None, deadline=None, kind=None, cpu=None, memory=None, preemptible=None,
                     terms=None, origin=None, priority=None, keep=None, series=None, booking=None,
                     dry_run=None):
        """Change the times, size, kind or terms of a lease; accepted or refused as a whole.

        lease: integer; Number of the lease: the lowest id of its VMs
        duration: integer or string; Total seconds, or "unlimited"
        extend: integer; Seconds to add
        shorten: integer; Seconds to subtract
        start: a date and time of RFC 3339
        shift: integer; Seconds by which the start is delayed; negative: advanced
        deadline: a date and time of RFC 3339
        kind: "best-effort", "reservation", "deadline"; Only before the lease has started
        cpu: number; Of each VM
        memory: integer; Of each VM, MB
        preemptible: boolean
        terms: string
        origin: string
        priority: number
        keep: boolean
        series: string
        booking: string
        dry_run: boolean
        """
        return self._call("PATCH", _path("/leases/{}", lease),
            body={"duration": duration, "extend": extend, "shorten": shorten,
                "start": start, "shift": shift, "deadline": deadline, "kind": kind,
                "cpu": cpu, "memory": memory, "preemptible": preemptible,
                "terms": terms, "origin": origin, "priority": priority, "keep": keep,
                "series": series, "booking": booking, "dry_run": dry_run})

    def cancel_lease(self, lease):
        """End a lease and its VMs.

        lease: integer; Number of the lease: the lowest id of its VMs
        """
        return self._call("DELETE", _path("/leases/{}", lease))

    def hold_lease(self, lease):
        """Hold the VMs of a lease that has not started.

        lease: integer; Number of the lease: the lowest id of its VMs
        """
        return self._call("POST", _path("/leases/{}/hold", lease),
            body={})

    def release_lease(self, lease, *, dry_run=None):
        """Release a lease on hold: it is checked like a new request.

        lease: integer; Number of the lease: the lowest id of its VMs
        dry_run: boolean
        """
        return self._call("POST", _path("/leases/{}/release", lease),
            body={"dry_run": dry_run})

    def explain_lease(self, lease):
        """Reason why a lease waits, and the leases ahead of it.

        lease: integer; Number of the lease: the lowest id of its VMs
        """
        return self._call("GET", _path("/leases/{}/why", lease))

    def trace_lease(self, lease):
        """Plan a lease that has not started again, without effect, and trace each decision.

        lease: integer; Number of the lease: the lowest id of its VMs
        """
        return self._call("GET", _path("/leases/{}/trace", lease))

    def get_lease_history(self, lease, *, limit=None):
        """History of a lease, oldest event first.

        lease: integer; Number of the lease: the lowest id of its VMs
        limit: integer; Maximum number, newest first
        """
        return self._call("GET", _path("/leases/{}/history", lease),
            query={"limit": limit})

    def get_history(self, *, limit=None):
        """History of all leases and galernad (operators).

        limit: integer; Maximum number, newest first
        """
        return self._call("GET", "/history",
            query={"limit": limit})

    def get_queue(self):
        """Waiting leases in the order in which they are considered."""
        return self._call("GET", "/queue")

    def get_usage(self, *, since=None, until=None, by=None, user=None):
        """Usage by user or group; users see their own.

        since: a date and time of RFC 3339; Default: 30 days before until
        until: a date and time of RFC 3339; Default: now
        by: "user", "group"; Default: user
        user: string; Only this user
        """
        return self._call("GET", "/usage",
            query={"since": since, "until": until, "by": by, "user": user})

    def list_hosts(self, *, since=None):
        """Hosts.

        since: string; The revision of an earlier answer: only changes since then; empty:
            everything, with a revision
        """
        return self._call("GET", "/hosts",
            query={"since": since})

    def get_host_timeline(self, host):
        """Running and planned leases of a host.

        host: string; Id or name
        """
        return self._call("GET", _path("/hosts/{}/timeline", host))

    def undrain_host(self, host, *, at=None, all=None):
        """End the drain of a host, or cancel the next planned one (operators).

        host: string; Id or name
        at: string; RFC 3339
        all: boolean; End all current and planned drains of the host
        """
        return self._call("DELETE", _path("/hosts/{}/drain", host),
            query={"at": at, "all": all})

    def release_host(self, host):
        """End the quarantine of a host (operators).

        host: string; Id or name
        """
        return self._call("DELETE", _path("/hosts/{}/quarantine", host))

    def drain_hosts(self, hosts, *, from_=None, until=None, dry_run=None, booking=None):
        """Drain or book hosts (operators).

        hosts: array; Ids or names
        from_: a date and time of RFC 3339
        until: a date and time of RFC 3339
        dry_run: boolean
        booking: object or null; Name, users and groups of a booking; requires until
        """
        return self._call("POST", "/drains",
            body={"hosts": hosts, "from": from_, "until": until, "dry_run": dry_run,
                "booking": booking})

    def list_bookings(self):
        """List current and planned bookings of hosts: your own, and those that admit you."""
        return self._call("GET", "/bookings")

    def book_hosts(self, until, booking, *, hosts=None, count=None, cluster=None, from_=None,
                   dry_run=None):
        """Book hosts for the leases of certain users and groups, within [rights].

        hosts: array; Ids or names
        count: integer; Instead of hosts: number of hosts, which must be free for the whole time
        cluster: string; With count: name of the hosts' cluster
        from_: a date and time of RFC 3339; Default: now
        until: a date and time of RFC 3339
        dry_run: boolean
        booking: object
        """
        return self._call("POST", "/bookings",
            body={"hosts": hosts, "count": count, "cluster": cluster, "from": from_,
                "until": until, "dry_run": dry_run, "booking": booking})

    def end_booking(self, booking, *, at=None, dry_run=None):
        """End a booking on all its hosts, including planned times, at once or at a later time.

        booking: string; Its name
        at: a date and time of RFC 3339; When it ends; default: now
        dry_run: boolean; Change nothing, only return the effect
        """
        return self._call("DELETE", _path("/bookings/{}", booking),
            query={"at": at, "dry_run": dry_run})

    def rebalance_cluster(self, cluster, action):
        """Show, apply or drop a plan to rebalance a cluster (operators).

        cluster: string; Id or name
        action: "apply", "show", "drop"
        """
        return self._call("POST", _path("/clusters/{}/rebalancing", cluster),
            body={"action": action})

    def get_log_levels(self):
        """Levels of the log, by subsystem (operators)."""
        return self._call("GET", "/log")

    def set_log_level(self, level, *, subsystem=None):
        """Set the level of the log until galernad exits (operators).

        level: "error", "warning", "info", "debug", "configured"
        subsystem: string; Default: all
        """
        return self._call("PATCH", "/log",
            body={"level": level, "subsystem": subsystem})

    def wake(self, *, vm=None):
        """Poll OpenNebula now (operators).

        vm: integer
        """
        return self._call("POST", "/wake",
            body={"vm": vm})

    def reload_policies(self):
        """Reload the policy modules (operators)."""
        return self._call("POST", "/policies/reload",
            body={})

    def enable_policy(self, policy):
        """Enable a module that is out of service (operators).

        policy: string; Name of a policy module
        """
        return self._call("POST", _path("/policies/{}/enable", policy),
            body={})

    def watch(self):
        """Server-sent events: an event named change, with a number, after each change."""
        return self._watch("/events")

    def get_description(self):
        """This file."""
        return self._call("GET", "/openapi.json")
