"""Calls to OpenNebula and what its documents say, as far as the scenarios need it."""

import http.client
import threading
import xml.etree.ElementTree as ElementTree
import xml.parsers.expat
import xmlrpc.client
from dataclasses import dataclass, field

VM_STATES = {0: "INIT", 1: "PENDING", 2: "HOLD", 3: "ACTIVE", 4: "STOPPED", 5: "SUSPENDED",
             6: "DONE", 8: "POWEROFF", 9: "UNDEPLOYED", 10: "CLONING", 11: "CLONING_FAILURE"}
LCM_STATES = {
    0: "LCM_INIT", 1: "PROLOG", 2: "BOOT", 3: "RUNNING", 4: "MIGRATE", 5: "SAVE_STOP",
    6: "SAVE_SUSPEND", 7: "SAVE_MIGRATE", 8: "PROLOG_MIGRATE", 9: "PROLOG_RESUME",
    10: "EPILOG_STOP", 11: "EPILOG", 12: "SHUTDOWN", 15: "CLEANUP_RESUBMIT", 16: "UNKNOWN",
    17: "HOTPLUG", 18: "SHUTDOWN_POWEROFF", 19: "BOOT_UNKNOWN", 20: "BOOT_POWEROFF",
    21: "BOOT_SUSPENDED", 22: "BOOT_STOPPED", 23: "CLEANUP_DELETE", 29: "SHUTDOWN_UNDEPLOY",
    30: "EPILOG_UNDEPLOY", 31: "PROLOG_UNDEPLOY", 32: "BOOT_UNDEPLOY", 35: "BOOT_MIGRATE",
    36: "BOOT_FAILURE", 37: "BOOT_MIGRATE_FAILURE", 38: "PROLOG_MIGRATE_FAILURE",
    39: "PROLOG_FAILURE", 40: "EPILOG_FAILURE", 41: "EPILOG_STOP_FAILURE",
    42: "EPILOG_UNDEPLOY_FAILURE", 43: "PROLOG_MIGRATE_POWEROFF",
    44: "PROLOG_MIGRATE_POWEROFF_FAILURE", 45: "PROLOG_MIGRATE_SUSPEND",
    46: "PROLOG_MIGRATE_SUSPEND_FAILURE", 47: "BOOT_UNDEPLOY_FAILURE", 48: "BOOT_STOPPED_FAILURE",
    49: "PROLOG_RESUME_FAILURE", 50: "PROLOG_UNDEPLOY_FAILURE", 60: "PROLOG_MIGRATE_UNKNOWN",
    61: "PROLOG_MIGRATE_UNKNOWN_FAILURE", 62: "DISK_RESIZE", 66: "HOTPLUG_RESIZE"}
HOST_STATES = {0: "INIT", 1: "MONITORING", 2: "MONITORED", 3: "ERROR", 4: "DISABLED", 8: "OFFLINE"}

# Active, but nothing of the VM is on the host any more, or never was.
WITHOUT_CAPACITY = {10, 11, 15, 23, 30, 36, 37, 38, 39, 40, 41, 42, 44, 46, 47, 48, 49, 50, 61}
LCM_INIT, LCM_UNKNOWN = 0, 16
ALL_STATES, ALL_BUT_DONE = -2, -1


class OnedError(Exception):
    """OpenNebula refused a call."""


class Transport(xmlrpc.client.Transport):
    def __init__(self, timeout):
        super().__init__()
        self.timeout = timeout

    def make_connection(self, host):
        connection = super().make_connection(host)
        connection.timeout = self.timeout
        return connection


class Oned:
    """One OpenNebula. Safe to use from several threads."""

    def __init__(self, endpoint, session, timeout=20):
        self.endpoint = endpoint
        self.timeout = timeout  # seconds for each answer
        self.session = session
        self.local = threading.local()

    def raw(self, method, *arguments):
        """A call without the session, answering whatever the server answers."""
        local = self.local  # another thread may replace it, when another oned leads
        if not hasattr(local, "proxy"):
            local.proxy = xmlrpc.client.ServerProxy(self.endpoint, transport=Transport(self.timeout))
        try:
            return getattr(local.proxy, method)(*arguments)
        except (OSError, http.client.HTTPException):
            del local.proxy
            raise
        except (xml.parsers.expat.ExpatError, xmlrpc.client.ResponseError) as error:
            del local.proxy  # one that is killed may send a head without a body
            raise ConnectionError("%s: half an answer: %s" % (method, error)) from error

    def call(self, method, *arguments):
        """The answer's value. OnedError when refused, OSError when there is nobody."""
        try:
            answer = self.raw(method, self.session, *arguments)
        except http.client.HTTPException as error:
            raise ConnectionError("%s: %r" % (method, error)) from error
        except xmlrpc.client.Fault as error:
            raise OnedError("%s%s: fault %s" % (method, arguments, error.faultString)) from error
        if not answer[0]:
            raise OnedError(answer[1])
        return answer[1]

    def document(self, method, *arguments):
        text = self.call(method, *arguments)
        try:
            return ElementTree.fromstring(text)
        except ElementTree.ParseError as error:  # one that is being stopped answers nothing
            raise OnedError("%s: no document: %s" % (method, error)) from error

    def vms(self, state=ALL_STATES):
        """All VMs by id; of the history each has the last record only."""
        pool = self.document("one.vmpool.infoextended", -2, -1, -1, state)
        return {vm.id: vm for vm in map(vm_from, pool.findall("VM"))}

    def vm(self, vm_id):
        """One VM with its whole history."""
        return vm_from(self.document("one.vm.info", vm_id))

    def hosts(self):
        pool = self.document("one.hostpool.info")
        return {host.id: host for host in map(host_from, pool.findall("HOST"))}

    def action(self, name, vm_id):
        self.call("one.vm.action", name, vm_id)


@dataclass
class Record:
    """One record of a VM's history. Times are 0 while they have not come."""
    sequence: int
    host: int
    begun: int
    ended: int
    running: int
    stopped_running: int
    action: int


@dataclass
class Vm:
    id: int
    name: str
    state: int
    lcm: int
    cpu: float
    memory: int
    submitted: int
    message: str
    history: list = field(default_factory=list)
    devices: list = field(default_factory=list)  # addresses of those assigned
    cpus: list = field(default_factory=list)  # those it is pinned to
    nodes: list = field(default_factory=list)  # of the host, that it is pinned to

    @property
    def active(self):
        return self.state == 3

    @property
    def running(self):
        return self.state == 3 and self.lcm == 3

    @property
    def pending(self):
        return self.state == 1

    @property
    def ended(self):
        return self.state in (4, 6, 8, 9)

    @property
    def done(self):
        return self.state == 6

    @property
    def takes_capacity(self):
        return self.active and self.lcm not in WITHOUT_CAPACITY

    @property
    def host(self):
        return self.history[-1].host if self.history else None

    @property
    def state_name(self):
        name = VM_STATES.get(self.state, str(self.state))
        return LCM_STATES.get(self.lcm, "LCM %d" % self.lcm) if self.state == 3 else name

    def __str__(self):
        text = "%d '%s' %s" % (self.id, self.name, self.state_name)
        if self.history:
            text += " host %d (record %d)" % (self.host, self.history[-1].sequence)
        return text + (' "%s"' % self.message if self.message else "")


@dataclass
class Host:
    id: int
    name: str
    state: int
    cpu: int
    memory: int
    cluster: int = 0

    @property
    def state_name(self):
        return HOST_STATES.get(self.state, str(self.state))


def number(element, path, otherwise=0):
    text = element.findtext(path)
    return float(text) if text else otherwise


def vm_from(element):
    records = element.findall("HISTORY_RECORDS/HISTORY") or element.findall("HISTORY")
    history = [Record(*(int(number(record, name)) for name in
                        ("SEQ", "HID", "STIME", "ETIME", "RSTIME", "RETIME", "ACTION")))
               for record in records]
    history.sort(key=lambda record: record.sequence)
    template = element.find("TEMPLATE")
    devices = [device.findtext("ADDRESS") for device in template.findall("PCI")]
    nodes = template.findall("NUMA_NODE")
    pinned = template.findtext("TOPOLOGY/PIN_POLICY", "NONE").upper() != "NONE"
    cpus = [cpu for node in nodes for cpu in (node.findtext("CPUS") or "").split(",") if cpu]
    return Vm(id=int(element.findtext("ID")), name=element.findtext("NAME"),
              state=int(element.findtext("STATE")), lcm=int(element.findtext("LCM_STATE")),
              cpu=number(element, "TEMPLATE/CPU"), memory=int(number(element, "TEMPLATE/MEMORY")),
              submitted=int(number(element, "STIME")),
              message=element.findtext("USER_TEMPLATE/SCHED_MESSAGE") or "", history=history,
              devices=[address for address in devices if address], cpus=cpus if pinned else [],
              nodes=[node.findtext("NODE_ID") for node in nodes])


def host_from(element):
    return Host(id=int(element.findtext("ID")), name=element.findtext("NAME"),
                state=int(element.findtext("STATE")),
                cpu=int(number(element, "HOST_SHARE/MAX_CPU")),
                memory=int(number(element, "HOST_SHARE/MAX_MEM")),
                cluster=int(number(element, "CLUSTER_ID")))
