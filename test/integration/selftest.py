#!/usr/bin/env python3
"""The sampler and the words of assertion, tried on made-up worlds: they must see what is wrong."""

import base64
import contextlib
import http.server
import io
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib
from types import SimpleNamespace

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
import run
from endurance.judge import Judge, at_one_time, runs, seconds
from endurance.watch import GentleSampler
from endurance.work import PLAIN, Item, Work
from kit.client import ElementTree, Host, Oned, OnedError, Record, Vm, vm_from
from kit.history import overlaps, written
from kit.deposed import last_orders
from kit.raft_log import PENDING, disputed_vms
from kit.sampler import Sampler
from kit.trial import Failure, Trial

DOCUMENT = """<VM><ID>7</ID><NAME>a</NAME><STATE>3</STATE><LCM_STATE>3</LCM_STATE>
<STIME>100</STIME><TEMPLATE><CPU><![CDATA[0.5]]></CPU><MEMORY><![CDATA[512]]></MEMORY></TEMPLATE>
<USER_TEMPLATE><SCHED_MESSAGE><![CDATA[waits]]></SCHED_MESSAGE></USER_TEMPLATE>
<HISTORY_RECORDS>
<HISTORY><SEQ>1</SEQ><HID>4</HID><STIME>130</STIME><ETIME>0</ETIME><RSTIME>131</RSTIME>
<RETIME>0</RETIME><ACTION>0</ACTION></HISTORY>
<HISTORY><SEQ>0</SEQ><HID>3</HID><STIME>110</STIME><ETIME>120</ETIME><RSTIME>111</RSTIME>
<RETIME>119</RETIME><ACTION>9</ACTION></HISTORY>
</HISTORY_RECORDS></VM>"""


def host(number=0, cpu=800, memory=16 * 1024 * 1024):
    return Host(id=number, name="h%d" % number, state=2, cpu=cpu, memory=memory)


def vm(number=0, state=3, lcm=3, cpu=1.0, memory=512, on=0, sequence=0):
    history = [] if on is None else [Record(sequence, on, 10, 0, 11, 0, 0)]
    return Vm(id=number, name="v", state=state, lcm=lcm, cpu=cpu, memory=memory, submitted=1,
              message="", history=history)


class SamplerTest(unittest.TestCase):
    def setUp(self):
        self.sampler = Sampler(None, io.StringIO())

    def look(self, *vms, hosts=(host(),)):
        self.sampler.judge({h.id: h for h in hosts}, {v.id: v for v in vms})

    def wrong(self):
        return " ".join(self.sampler.violations)

    def test_a_full_host_is_right(self):
        self.look(vm(0, cpu=4), vm(1, cpu=4))
        self.assertEqual(self.sampler.violations, [])

    def test_cpu_exceeded(self):
        self.look(vm(0, cpu=4), vm(1, cpu=4), vm(2, cpu=0.1))
        self.assertIn("CPU", self.wrong())

    def test_memory_exceeded(self):
        self.look(vm(0, memory=16384), vm(1, memory=1))
        self.assertIn("KB", self.wrong())

    def test_booting_and_saving_vms_count(self):
        for lcm in (0, 1, 2, 5, 6, 9, 12):
            with self.subTest(lcm=lcm):
                self.setUp()
                self.look(vm(0, cpu=8), vm(1, lcm=lcm))
                self.assertIn("CPU", self.wrong())

    def test_what_is_not_active_does_not_count(self):
        self.look(vm(0, cpu=8), vm(1, state=5, lcm=0, cpu=8), vm(2, state=4, lcm=0, cpu=8),
                  vm(3, state=8, lcm=0, cpu=8), vm(4, lcm=36, cpu=8), vm(5, lcm=23, cpu=8),
                  vm(6, state=6, lcm=0, cpu=8))
        self.assertEqual(self.sampler.violations, [])

    def test_unknown_states(self):
        self.look(vm(0, lcm=16))
        self.assertIn("UNKNOWN", self.wrong())
        self.look(vm(1, state=7, lcm=0))
        self.assertIn("no name", self.wrong())

    def test_active_without_host(self):
        self.look(vm(0, on=None))
        self.assertIn("without a host", self.wrong())

    def test_active_on_a_host_that_is_gone(self):
        self.look(vm(0, on=3))
        self.assertIn("gone", self.wrong())

    def test_vanished(self):
        self.look(vm(0), vm(1))
        self.look(vm(0))
        self.assertIn("vanished", self.wrong())

    def test_back_from_done(self):
        self.look(vm(0, state=6, lcm=0))
        self.look(vm(0, state=1, lcm=0))
        self.assertIn("back from DONE", self.wrong())

    def test_history_goes_back(self):
        self.look(vm(0, sequence=2))
        self.look(vm(0, sequence=1))
        self.assertIn("went back", self.wrong())

    def test_history_disappears(self):
        self.look(vm(0))
        self.look(vm(0, state=1, lcm=0, on=None))
        self.assertIn("went back", self.wrong())

    def test_host_changes_silently(self):
        hosts = (host(0), host(1))
        self.look(vm(0, on=0), hosts=hosts)
        self.look(vm(0, on=1), hosts=hosts)
        self.assertIn("silently", self.wrong())

    def test_host_changes_with_a_record(self):
        hosts = (host(0), host(1))
        self.look(vm(0, on=0), hosts=hosts)
        self.look(vm(0, on=1, sequence=1), hosts=hosts)
        self.assertEqual(self.sampler.violations, [])


class OneVm:
    """An OpenNebula with one VM, and a backend that counts no boots."""

    def __init__(self, found):
        self.found = found

    def vm(self, _):
        return self.found

    def deploys(self, _):
        return None


def trial(found):
    made = Trial.__new__(Trial)
    made.oned = made.backend = OneVm(found)
    return made


class SlowOned:
    """Accepts what users order; the one VM changes when the test says so."""

    def __init__(self):
        self.found = vm()
        self.orders = []

    def vm(self, _):
        return self.found

    def action(self, name, _):
        self.orders.append(name)


class DisabledHostTest(unittest.TestCase):
    """Host 4 is disabled from 100 on; oned begins the VM there at 120."""

    def violations(self, *sent):
        it = vm(7, on=4)
        it.history[0].begun = 120
        lines = ["%s VM 7: deploy on host 4 (lease 7: Starting)\n" % time.strftime(
            "%Y-%m-%d %H:%M:%S", time.localtime(when)) for when in sent]
        trial = SimpleNamespace(backend=SimpleNamespace(driver_logs=lambda: []), books=lambda: [],
                                daemon_outputs=lambda: lines)
        work = SimpleNamespace(disabled_times=[[4, 100, 160]], item_of={7: Item(PLAIN, ["v"])})
        judge = Judge(trial, work, None, [])
        judge.vms = {7: it}
        judge.hosts_disabled()
        return judge.wrong

    def test_sent_before_and_begun_late(self):
        self.assertEqual(self.violations(99), [])

    def test_sent_to_the_disabled_host(self):
        self.assertEqual(len(self.violations(99, 115)), 1)

    def test_a_record_without_a_command_counts_from_its_begin(self):
        self.assertEqual(len(self.violations()), 1)


class GroupTest(unittest.TestCase):
    """What counts of a group is for how long all its VMs ran at once."""

    def seconds(self, *histories):
        return seconds(at_one_time(runs(SimpleNamespace(history=history)) for history in histories))

    def test_what_one_ran_before_the_other_does_not_count(self):
        one, other = Record(0, 3, 110, 160, 111, 151, 9), Record(0, 4, 110, 160, 131, 150, 9)
        self.assertEqual(self.seconds([one], [other]), 19)

    def test_pauses_and_what_was_lost_do_not_count(self):
        lost = Record(0, 3, 100, 105, 101, 104, 14)
        parts = [Record(1, 3, 110, 120, 110, 120, 9), Record(2, 3, 130, 140, 130, 140, 9)]
        self.assertEqual(self.seconds([lost, *parts], [lost, Record(1, 4, 110, 150, 115, 135, 9)]), 10)


class DeposedTest(unittest.TestCase):
    """one0 leads from 100 on and one1 from 200 on; one0 was started again meanwhile."""

    def test_orders_around_an_election(self):
        with tempfile.TemporaryDirectory() as directory:
            def write(name, *lines):
                path = os.path.join(directory, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines(line + "\n" for line in lines)
                return path

            elected = "%s [Z0][RCM][I]: oned is now the leader of the zone"
            write("0.log.before", elected % time.ctime(100))
            logs = [write("0.log"), write("1.log", elected % time.ctime(200))]
            drivers = [write("0", *("%d vm %s h1 begin" % order for order in (
                (120, "DEPLOY 1"), (190, "RESTORE 2"), (190, "SHUTDOWN 3"), (210, "DEPLOY 4")))),
                       write("1", "210 vm DEPLOY 5 h1 begin")]
            found = last_orders(logs, drivers)
        self.assertEqual(sorted(found), [2, 4])
        self.assertIn("10 s later", found[2][0])
        self.assertIn("when one1 led", found[4][0])


class WorkTest(unittest.TestCase):
    def test_a_suspension_that_begins_late_is_resumed(self):
        oned, sampler = SlowOned(), Sampler(None, io.StringIO())
        work = Work(oned, sampler, 1, 1)
        sampler.seen = {0: oned.found}
        work.item_of[0] = Item(PLAIN, ["v"])
        work.suspend()
        work.undo_due(everything=True)  # its user looks before it has begun
        oned.found = vm(state=5, lcm=0)
        work.undo_due(everything=True)
        self.assertEqual(oned.orders, ["suspend", "resume"])


class WordsTest(unittest.TestCase):
    def test_document(self):
        found = vm_from(ElementTree.fromstring(DOCUMENT))
        self.assertEqual([record.sequence for record in found.history], [0, 1])
        self.assertEqual((found.cpu, found.memory, found.host, found.message),
                         (0.5, 512, 4, "waits"))
        self.assertTrue(found.running)

    def test_refused(self):
        held, waits, denied, ran = vm(on=None), vm(on=None), vm(on=None), vm(state=1, lcm=0)
        for found, state, message in ((held, 2, "no room at 14:00"), (waits, 1, "waits for room"),
                                      (denied, 1, "refused: no room"), (ran, 1, "refused")):
            found.state, found.message = state, message
        self.assertTrue(trial(held).refused(0))
        self.assertTrue(trial(denied).refused(0))
        self.assertFalse(trial(waits).refused(0))
        self.assertFalse(trial(ran).refused(0))
        held.message = ""
        self.assertFalse(trial(held).refused(0))

    def test_unbroken(self):
        found = vm_from(ElementTree.fromstring(DOCUMENT))
        trial(found).unbroken(7)
        found.history[0].ended = 131
        self.assertRaises(Failure, trial(found).unbroken, 7)
        found.history[0].ended = 0
        self.assertRaises(Failure, trial(found).unbroken, 7)
        del found.history[0]
        self.assertRaises(Failure, trial(found).unbroken, 7)

    def test_deployed_once(self):
        found = vm_from(ElementTree.fromstring(DOCUMENT))
        self.assertRaises(Failure, trial(found).deployed_once, 7)
        del found.history[1]
        trial(found).deployed_once(7)

    def test_not_cut_short(self):
        found = vm_from(ElementTree.fromstring(DOCUMENT))
        found.history[1].stopped_running = 158
        trial(found).not_cut_short(7, 160)
        self.assertRaises(Failure, trial(found).not_cut_short, 7, 161)


class ClientTest(unittest.TestCase):
    """What comes from an OpenNebula that is killed meanwhile."""

    def call_with_body(self, body):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.handle_request)
            thread.start()
            try:
                return Oned("http://127.0.0.1:%d/RPC2" % server.server_port, "a:b").call("one.x")
            finally:
                thread.join()

    def test_half_an_answer_is_a_lost_connection(self):
        for body in (b"", b"<?xml version='1.0'?><methodResponse><params>",
                     b"<?xml version='1.0'?><methodResponse></methodResponse>"):
            with self.assertRaises(ConnectionError):
                self.call_with_body(body)


class HistoryTest(unittest.TestCase):
    """Records: sequence, host, begun, ended, running, stopped running, action."""

    whole = Record(0, 3, 110, 120, 111, 119, 9)
    last = Record(1, 4, 130, 0, 131, 0, 0)

    def test_whole_records_stay_as_they_are(self):
        self.assertEqual(written([self.whole, self.last]), [self.whole, self.last])
        self.assertEqual(overlaps([self.whole, self.last]), [])

    def test_a_record_that_was_only_begun_is_left_out(self):
        for begun, ended in ((0, 0), (110, 0), (0, 120)):
            half = Record(0, 3, begun, ended, 0, 0, 0)
            self.assertEqual(written([half, self.last]), [self.last])

    def test_a_record_without_start_begins_when_its_vm_runs(self):
        later = Record(1, 4, 0, 0, 131, 0, 0)
        self.assertEqual(overlaps([self.whole, later]), ["records 0 and 1 of the history overlap"])
        self.assertEqual(overlaps(written([self.whole, later])), [])

    def test_a_move_begins_with_its_order(self):
        for action, stopped, running, agrees in ((1, 132, 132, True), (2, 132, 132, True),
                                                 (9, 132, 132, False), (1, 132, 131, False),
                                                 (1, 0, 132, False)):
            one = Record(0, 3, 110, 132, 111, stopped, action)
            self.assertEqual(overlaps([one, Record(1, 4, 130, 0, running, 0, 0)]) == [], agrees)

    def test_what_ran_is_never_left_out(self):
        for half in (Record(0, 3, 110, 0, 111, 0, 0), Record(0, 3, 110, 131, 111, 130, 0)):
            self.assertEqual(overlaps(written([half, self.last])),
                             ["records 0 and 1 of the history overlap"])


class RaftLogTest(unittest.TestCase):
    """Three databases of a zone, whose logs say the same."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.paths = [os.path.join(self.directory.name, "one%d.db" % i) for i in range(3)]
        for path in self.paths:
            self.change(path, """
                CREATE TABLE logdb (log_index INTEGER PRIMARY KEY, term, sqlcmd, timestamp);
                CREATE TABLE vm_pool (oid INTEGER PRIMARY KEY, state, body);
                CREATE TABLE history (vid, seq, body);""")
            for place in range(1, PENDING + 20):
                self.change(path, "INSERT INTO logdb VALUES (%d, 4, 'UPDATE vm_pool <ID>%d</ID>', 9)" % (
                    place, place))
            self.change(path, "INSERT INTO vm_pool VALUES (7, 3, '<VM><SEQ>0</SEQ></VM>');"
                              "INSERT INTO history VALUES (7, 0, '')")

    @staticmethod
    def change(path, script):
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.executescript(script)

    def test_the_same_is_not_disputed(self):
        self.assertEqual(disputed_vms(self.paths), {})

    def test_a_record_that_one_lacks_disputes_its_vm_only(self):
        self.change(self.paths[1], "DELETE FROM logdb WHERE log_index = 5")
        self.assertEqual(list(disputed_vms(self.paths)), [5])

    def test_records_that_differ_or_were_never_applied(self):
        self.change(self.paths[0], "UPDATE logdb SET timestamp = 0 WHERE log_index = 3")
        self.change(self.paths[2], "UPDATE logdb SET term = 5 WHERE log_index = 8")
        self.assertEqual(sorted(disputed_vms(self.paths)), [3, 8])

    def test_a_history_that_its_vm_does_not_know(self):
        for path in self.paths:
            self.change(path, "INSERT INTO history VALUES (7, 1, '')")
        self.assertEqual(list(disputed_vms(self.paths)), [7])

    def test_a_vm_that_one_front_end_lacks(self):
        self.change(self.paths[2], "DELETE FROM vm_pool")
        self.assertEqual(list(disputed_vms(self.paths)), [7])


class DriverTest(unittest.TestCase):
    """The drivers of a real oned, spoken to as oned and monitord do."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ("var", "faults/vm", "faults/hosts", "faults/ds"):
            os.makedirs(os.path.join(self.folder.name, name))

    def write(self, name, text):
        with open(os.path.join(self.folder.name, "faults", name), "w", encoding="utf-8") as file:
            file.write(text + "\n")

    def ask(self, kind, *requests):
        """The answers after INIT. The driver is not told to end before all have come."""
        driver = subprocess.Popen(
            [sys.executable, "-B", os.path.join(os.path.dirname(os.path.abspath(__file__)), "real",
                                                "driver.py"), kind, self.folder.name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with driver:
            driver.stdin.write("".join(line + "\n" for line in ("INIT",) + requests))
            driver.stdin.flush()
            answers = [driver.stdout.readline().strip() for _ in range(1 + len(requests))]
            driver.stdin.write("FINALIZE\n")
            driver.stdin.flush()
            self.assertEqual(driver.wait(10), 0)
        self.assertEqual(answers[0], "INIT SUCCESS")
        return answers[1:]

    @staticmethod
    def order(action, vm, host="h1"):
        xml = "<VMM_DRIVER_ACTION_DATA><HOST>%s</HOST></VMM_DRIVER_ACTION_DATA>" % host
        return "%s - %d %s" % (action, vm, base64.b64encode(xml.encode()).decode())

    def test_an_order_succeeds_and_is_noted(self):
        self.assertEqual(self.ask("vm", self.order("DEPLOY", 7)), ["DEPLOY SUCCESS 7 one-7"])
        with open(os.path.join(self.folder.name, "var", "driver.log"), encoding="utf-8") as file:
            self.assertEqual(file.read().split()[1:], ["vm", "DEPLOY", "7", "h1", "begin"])

    def test_the_closest_fault_counts(self):
        self.write("vm/DEPLOY", "fail=yes message=all")
        self.write("vm/DEPLOY@h2", "fail=yes message=host")
        self.write("vm/DEPLOY@vm3", "delay=0")
        answers = self.ask("vm", self.order("DEPLOY", 1), self.order("DEPLOY", 2, "h2"),
                           self.order("DEPLOY", 3, "h2"), self.order("SAVE", 4))
        self.assertEqual(answers, ["DEPLOY FAILURE 1 all", "DEPLOY FAILURE 2 host",
                                   "DEPLOY SUCCESS 3 one-3", "SAVE SUCCESS 4 one-4"])

    def test_a_slow_order_holds_nobody_up(self):
        self.write("vm/SAVE@vm1", "delay=0.5")
        self.assertEqual(self.ask("vm", self.order("SAVE", 1), self.order("SAVE", 2)),
                         ["SAVE SUCCESS 2 one-2", "SAVE SUCCESS 1 one-1"])

    def look(self, name):
        xml = "<MONITOR_DRIVER_ACTION><HOST><NAME>%s</NAME></HOST></MONITOR_DRIVER_ACTION>" % name
        request = "START_MONITOR - 5 0 " + base64.b64encode(zlib.compress(xml.encode())).decode()
        word, verdict, number, _, payload = self.ask("monitor", request)[0].split()
        self.assertEqual((word, number), ("START_MONITOR", "5"))
        return verdict, zlib.decompress(base64.b64decode(payload)).decode()

    def test_a_host_has_the_capacity_of_its_file(self):
        self.write("hosts/h1", "cores=2.5 memory_mb=1024")
        verdict, text = self.look("h1")
        self.assertEqual(verdict, "SUCCESS")
        system = ElementTree.fromstring(text).findtext("SYSTEM_HOST")
        self.assertIn("TOTALCPU = 250\nTOTALMEMORY = 1048576\n", base64.b64decode(system).decode())

    def test_a_host_in_error_or_without_file_is_not_monitored(self):
        self.write("hosts/h1", "cores=2 memory_mb=1024 error=yes")
        self.assertEqual(self.look("h1"), ("FAILURE", "told to fail"))
        self.assertEqual(self.look("h2"), ("FAILURE", "faults/hosts/h2 is missing"))

    def test_a_datastore_reports_its_file(self):
        self.write("ds/3", "total_mb=10 free_mb=4 used_mb=6")
        answer = self.ask("datastore", "MONITOR  3 PHg+")[0].split()
        self.assertEqual(answer[:3], ["MONITOR", "SUCCESS", "3"])
        self.assertEqual(base64.b64decode(answer[3]).decode(),
                         "TOTAL_MB = 10\nFREE_MB = 4\nUSED_MB = 6\n")


class OperatorTest(unittest.TestCase):
    def test_a_vm_that_has_moved_on_is_not_recovered(self):
        def refuse(*_):
            raise OnedError("wrong state DONE")
        story = io.StringIO()
        sampler = GentleSampler(SimpleNamespace(call=refuse), story)
        sampler.recover(SimpleNamespace(id=3, lcm=2))
        self.assertEqual((sampler.recovered, sampler.violations), ({3: 0}, []))
        self.assertIn("not recovered: wrong state DONE", story.getvalue())


class FolderTest(unittest.TestCase):
    def test_nothing_of_an_earlier_run_but_the_installation_of_oned_remains(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in ("oned/var", "galernad-state"):
                os.makedirs(os.path.join(directory, name))
            for name in ("oned/one_auth", "galernad-state/store.db", "sandbox.db"):
                with open(os.path.join(directory, name), "w", encoding="utf-8"):
                    pass
            run.clear(directory)
            self.assertEqual(sorted(os.listdir(directory)), ["oned"])
            self.assertEqual(sorted(os.listdir(os.path.join(directory, "oned"))), ["one_auth", "var"])


if __name__ == "__main__":
    unittest.main()
