#!/usr/bin/env python3
"""Calls Haizea's XML-RPC interface as Haizea's own commands do, and makes it fail."""

import http.client
import sys
import time
import urllib.parse
import xml.etree.ElementTree
import xmlrpc.client

url = sys.argv[1]
haizea = xmlrpc.client.ServerProxy(url, allow_none=True)
PENDING, SCHEDULED, QUEUED, READY, ACTIVE = 1, 3, 4, 7, 8

LEASE = ('<lease preemptible="{preemptible}" state="0"><nodes><node-set numnodes="{count}">'
         '<res amount="{cpu}" type="CPU" /><res amount="512" type="Memory" /></node-set></nodes>'
         '{start}<duration time="{duration}" /><software>{software}</software></lease>')
USUAL = {"preemptible": "False", "count": 1, "cpu": 100, "start": "<start />",
         "duration": "00:10:00.00", "software": "<none />"}


def lease(**terms):
    return LEASE.format(**USUAL | terms)


def exact(seconds):
    text = time.strftime("%Y-%m-%d %H:%M:%S.00", time.localtime(seconds))
    return f'<start><exact time="{text}" /></start>'


def fails(code, text, call, *arguments):
    try:
        call(*arguments)
    except xmlrpc.client.Fault as fault:
        assert fault.faultCode == code and text in fault.faultString, fault
        return
    raise AssertionError(f"{arguments} does not fail")


def listed(number, call=haizea.get_leases):
    for document in call():
        found = xml.etree.ElementTree.fromstring(document)
        if int(found.get("id")) == number:
            return found
    return None


def until(number, *states):
    for _ in range(200):
        found = listed(number)
        if found is not None and int(found.get("state")) in states:
            return found
        time.sleep(0.1)
    raise AssertionError(f"lease {number} is never in {states}: {haizea.get_leases()}")


def requests():
    assert haizea.get_leases() == [] and haizea.get_queue() == []
    running = haizea.create_lease(lease(start="<start><now /></start>"))
    found = until(running, ACTIVE)
    assert found.find("start/now") is not None and found.get("preemptible") == "False"
    assert found.find("duration").get("time") == "00:10:00"
    assert found.find("nodes/node-set").get("numnodes") == "1"
    assert {res.get("type"): res.get("amount") for res in found.iter("res")} == \
        {"CPU": "100", "Memory": "512"}

    start = int(time.time()) // 60 * 60 + 86400
    reserved = haizea.create_lease(lease(start=exact(start), count=2))
    found = until(reserved, SCHEDULED)
    text = found.find("start/exact").get("time")
    assert time.mktime(time.strptime(text, "%Y-%m-%d %H:%M:%S")) == start, text
    assert found.find("nodes/node-set").get("numnodes") == "2"

    capacity = sum(host["cpu"] for host in haizea.get_hosts()) // 100
    endless = haizea.create_lease(lease(duration="36500:00:00:00.00", preemptible="True",
                                        count=capacity))
    found = until(endless, QUEUED)
    assert found.find("duration").get("time") == "36500:00:00:00" and len(found.find("start")) == 0
    assert found.get("preemptible") == "True"
    assert listed(endless, haizea.get_queue) is not None and \
        listed(running, haizea.get_queue) is None

    for number in (running, reserved, endless):
        assert haizea.cancel_lease(number) == 0
    for _ in range(200):
        if not haizea.get_leases():
            break
        time.sleep(0.1)
    assert haizea.get_leases() == []


def hosts():
    found = haizea.get_hosts()
    assert sorted(host["hostname"] for host in found) == ["host0001", "host0002"] or len(found) == 2
    for host in found:
        assert set(host) == {"id", "hostname", "cpu", "mem"}, host
        assert host["cpu"] >= 100 and host["cpu"] % 100 == 0 and host["mem"] > 0, host


def the_rest():
    assert haizea.get_lease(1) == 0 and haizea.test_func() == 0
    assert haizea.notify_event(1, 1, "event") is None


def bad_leases():
    def refused(text, document):
        fails(-501, text, haizea.create_lease, document)

    refused("not well-formed", "no lease")
    refused("not well-formed", "")
    refused("not well-formed", "<lease>")
    refused("expected a <lease>", "<hosts />")
    refused("DOCTYPE", '<!DOCTYPE lease [<!ENTITY x "y">]>' + lease())
    refused("preemptible is missing", "<lease />")
    refused("preemptible: expected", lease(preemptible="perhaps"))
    refused("<nodes> is missing", '<lease preemptible="True" />')
    refused("appears twice", lease(start="<start /><start />"))
    refused("do not have this element", lease(start='<start /><deadline time="1:00:00" />'))
    refused("numnodes: expected", lease(count="-1"))
    refused("amount: expected", lease(cpu="1.5"))
    refused("type: expected CPU or Memory",
            lease().replace('type="Memory"', 'type="Unobtainium"'))
    refused("all nodes of a lease must have the same size",
            lease().replace("</nodes>", '<node-set numnodes="1" /></nodes>'))
    refused("time: expected a time", lease(start='<start><exact time="+00:01:00" /></start>'))
    refused("the attribute time is too long",
            lease(start=f'<start><exact time="{"9" * 500}" /></start>'))
    refused("expected <now/>", lease(start="<start><soon /></start>"))
    refused("time: expected a duration", lease(duration="ever"))
    refused("time: expected a duration", lease(duration="00:00:00"))
    refused("id of an OpenNebula template", lease(software='<disk-image id="f.img" size="6" />'))
    fails(403, "one.template.instantiate", haizea.create_lease,
          lease(software='<disk-image id="4711" size="6" />'))  # there is none
    fails(400, "count", haizea.create_lease, lease(count=0))
    fails(409, "", haizea.create_lease, lease(cpu=1000000))
    assert haizea.get_leases() == []


def bad_calls():
    fails(404, "4711", haizea.cancel_lease, 4711)
    fails(400, "expected a whole number", haizea.cancel_lease, -1)
    for call, arguments in ((haizea.cancel_lease, ("1",)), (haizea.cancel_lease, (None,)),
                            (haizea.cancel_lease, ()), (haizea.get_leases, (1,)),
                            (haizea.create_lease, (1,)), (haizea.create_lease, ())):
        try:
            call(*arguments)
            raise AssertionError(arguments)
        except xmlrpc.client.Fault as fault:
            assert fault.faultString
    fails(-506, "shutdown", haizea.shutdown)
    fails(-508, "disabled", haizea.system.listMethods)


def send(method, path, body, kind="text/xml"):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc)
    connection.request(method, path, body, {"Content-Type": kind})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def bad_requests():
    call = xmlrpc.client.dumps((), "test_func")
    assert send("POST", "/RPC2", call) == 200 and send("POST", "/", call) == 200
    assert send("POST", "/RPC2", call, "text/plain") == 415
    assert send("GET", "/RPC2", None) == 405 and send("OPTIONS", "/RPC2", None) == 405
    assert send("POST", "/api/v1/leases", call) == 404
    assert send("POST", "/RPC2", "x" * 100000) == 413
    assert send("POST", "/RPC2", "<!DOCTYPE a>" + call) == 400
    assert send("POST", "/RPC2", ("<!DOCTYPE a>" + call).encode("utf-16")) == 400
    assert send("POST", "/RPC2", "<methodCall>") == 200  # a fault
    assert haizea.test_func() == 0


if "--denied" in sys.argv:
    fails(401, "", haizea.get_leases)
    fails(401, "", haizea.create_lease, lease())
else:
    for part in (hosts, requests, the_rest, bad_leases, bad_calls, bad_requests):
        part()
