#!/usr/bin/env python3
"""OpenNebula's drivers for the scenarios: nothing happens but what files tell.

    driver.py vm|monitor|transfer|datastore|network|place|idle DIRECTORY

A request is a line: the word, perhaps "-", the object's number, perhaps a time, the payload. The
answer has the same word, SUCCESS or FAILURE, the number, and what the request asks for. What the
files in DIRECTORY/faults say is in README.md."""

import base64
import os
import re
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
import zlib

REQUEST = re.compile(r"(\S+)(?: +(?:- +)?(-?\d+)(?: +(.*))?)?")
DATASTORE = {"total_mb": "1000000", "free_mb": "1000000", "used_mb": "0"}


class Driver:
    """Reads requests and answers them; the kinds have a method for each word they know."""

    def __init__(self, directory):
        self.directory = directory
        self.output = threading.Lock()

    def run(self):
        for line in sys.stdin:
            word, number, payload = REQUEST.match(line.strip()).groups()
            if word == "INIT":
                self.say("INIT SUCCESS")
            elif word == "FINALIZE":
                break
            else:
                self.request(word, int(number or -1), payload or "")
        sys.stdout.flush()
        os._exit(0)  # orders under way are forgotten

    def request(self, word, number, payload):
        """Nothing is answered."""

    def say(self, text):
        with self.output:
            print(text, flush=True)

    def answer(self, word, succeeded, number, text="-"):
        self.say("%s %s %d %s" % (word, "SUCCESS" if succeeded else "FAILURE", number, text))

    def fault(self, *names):
        """The words of the first of these files that exists, as a dictionary; {} without any."""
        for name in names:
            try:
                with open(os.path.join(self.directory, "faults", name), encoding="utf-8") as file:
                    return dict(word.split("=", 1) for word in file.read().split())
            except FileNotFoundError:
                pass
        return {}


class Vm(Driver):
    """Virtual machines: every order succeeds unless a file says otherwise."""

    def __init__(self, directory):
        super().__init__(directory)
        self.under_way = {}  # VM -> token of the order that may still be answered
        self.log = open(os.path.join(directory, "var", "driver.log"), "a", buffering=1,
                        encoding="utf-8")

    def request(self, word, number, payload):
        if word == "DRIVER_CANCEL":
            self.under_way.pop(number, None)
            return
        host = ElementTree.fromstring(base64.b64decode(payload)).findtext("HOST") or "-"
        self.log.write("%d vm %s %d %s begin\n" % (time.time(), word, number, host))
        fault = self.fault("vm/%s@vm%d" % (word, number), "vm/%s@%s" % (word, host), "vm/" + word)
        token = self.under_way[number] = object()
        delay = float(fault.get("delay", 0))
        if delay:
            timer = threading.Timer(delay, self.end, (word, number, fault, token))
            timer.daemon = True
            timer.start()
        else:
            self.end(word, number, fault, token)

    def end(self, word, number, fault, token):
        if self.under_way.get(number) is not token:
            return
        del self.under_way[number]
        if fault.get("fail") == "yes":
            self.answer(word, False, number, fault.get("message", "failed"))
        else:
            self.answer(word, True, number, "one-%d" % number)


class Monitor(Driver):
    """Hosts, looked at whenever monitord asks: the capacity is in faults/hosts/NAME.

    Payloads are XML, deflated, in base64; those inside are templates in base64."""

    def request(self, word, number, payload):
        if word != "START_MONITOR":
            return
        text = zlib.decompress(base64.b64decode(payload.split()[-1]))
        name = ElementTree.fromstring(text).findtext("HOST/NAME")
        host = self.fault("hosts/%s" % name)
        now = int(time.time())
        sound = bool(host) and host.get("error") != "yes"
        if sound:
            text = self.look(name, host, self.hardware(name), now)
        else:
            text = "told to fail" if host else "faults/hosts/%s is missing" % name
        self.report(word, sound, number, now, text)
        vms = self.vms(name, now)
        if sound and vms:
            self.report("MONITOR_VM", True, number, now, vms)

    def report(self, word, sound, number, now, text):
        self.answer(word, sound, number, "%d %s" % (
            now, base64.b64encode(zlib.compress(text.encode())).decode()))

    def vms(self, name, now):
        """What faults/use/vmID says of VMs on this host: cpu, and bytes per second as counters."""
        text = ""
        directory = os.path.join(self.directory, "faults", "use")
        for each in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
            use = self.fault("use/" + each)
            if use.get("host") == name:
                rates = [int(use[kind]) * (now % 10000000) for kind in ("net", "disk")]
                figures = "CPU=%s\nMEMORY=0\nNETRX=0\nNETTX=%d\nDISKRDBYTES=0\nDISKWRBYTES=%d\n" \
                    "DISKRDIOPS=0\nDISKWRIOPS=0\n" % (use["cpu"], *rates)
                text += 'VM=[ID="%s",DEPLOY_ID="one-%s",MONITOR="%s"]\n' % (
                    each[2:], each[2:], base64.b64encode(figures.encode()).decode())
        return text

    def hardware(self, name):
        """The PCI, CORE, HUGEPAGE and MEMORY_NODE vectors of the host, if it has any."""
        try:
            with open(os.path.join(self.directory, "faults", "hardware", name),
                      encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    @staticmethod
    def look(name, host, hardware, now):
        cpu, memory = round(float(host["cores"]) * 100), int(host["memory_mb"]) * 1024
        system = 'HYPERVISOR = "dummy"\nHOSTNAME = "%s"\nTOTALCPU = %d\nTOTALMEMORY = %d\n' \
            'CPUSPEED = 2000\n%s' % (name, cpu, memory, hardware)
        used_cpu, used_memory = int(host.get("used_cpu", 0)), int(host.get("used_mb", 0)) * 1024
        use = "FREECPU = %d\nUSEDCPU = %d\nFREEMEMORY = %d\nUSEDMEMORY = %d\nNETTX = 0\nNETRX = 0\n" \
            % (cpu - used_cpu, used_cpu, memory - used_memory, used_memory)
        return "<MONITOR_MESSAGES><SYSTEM_HOST>%s</SYSTEM_HOST><MONITOR_HOST>%s</MONITOR_HOST>" \
            "<TIMESTAMP>%d</TIMESTAMP></MONITOR_MESSAGES>" % (
                base64.b64encode(system.encode()).decode(), base64.b64encode(use.encode()).decode(),
                now)


class Transfer(Driver):
    """Disks: there are none, so everything is where it should be."""

    def request(self, word, number, payload):
        self.answer(word, True, number)


class Datastore(Driver):
    """Datastores report what faults/ds/ID says; images are not kept."""

    def request(self, word, number, payload):
        if word != "MONITOR":
            self.answer(word, False, number, "not supported")
            return
        sizes = {**DATASTORE, **self.fault("ds/%d" % number)}
        text = "".join("%s = %s\n" % (name.upper(), sizes[name]) for name in DATASTORE)
        self.answer(word, True, number, base64.b64encode(text.encode()).decode())


class Network(Driver):
    """Virtual networks are there as soon as they are made; their addresses are oned's business."""

    def request(self, word, number, payload):
        self.answer(word, True, number, "")


class Place(Driver):
    """A scheduler of 7.x in its simplest form: each VM, the oldest first, goes to the first host that
    meets its requirements and that the plan has not used yet (MAX_HOST = 1, the default of rank).
    What oned makes of the plan is oned's own doing."""

    def request(self, word, number, payload):
        if word != "PLACE":
            self.answer(word, False, number)
            return
        document = ElementTree.fromstring(base64.b64decode(payload.split()[-1]))
        actions = ""
        used = set()
        for vm in sorted(document.findall("REQUIREMENTS/VM"), key=lambda vm: int(vm.findtext("ID"))):
            hosts = [host.text for host in vm.findall("HOSTS/ID") if host.text not in used]
            for host in hosts[:1]:
                used.add(host)
                actions += "<ACTION><VM_ID>%s</VM_ID><OPERATION>deploy</OPERATION>" \
                    "<HOST_ID>%s</HOST_ID><DS_ID>-1</DS_ID></ACTION>" % (vm.findtext("ID"), host)
        plan = "<PLAN><ID>-1</ID>%s</PLAN>" % actions
        self.answer(word, True, 0, base64.b64encode(plan.encode()).decode())


KINDS = {"vm": Vm, "monitor": Monitor, "transfer": Transfer, "datastore": Datastore,
         "network": Network, "place": Place,
         "idle": Driver}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        sys.exit("driver.py %s DIRECTORY" % "|".join(KINDS))
    KINDS[sys.argv[1]](sys.argv[2]).run()


if __name__ == "__main__":
    main()
