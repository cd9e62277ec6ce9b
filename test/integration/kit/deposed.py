"""What an oned ordered its drivers to do while it lost the leadership of its zone, by its own logs.

It cannot record such an order any more, so the next leader does not know of it (doc/high-availability.md)."""

import os
import time

ELECTED = "oned is now the leader"
LOSING = 20  # seconds from an oned's last record until another one is elected
ORDERS = ("DEPLOY", "RESTORE")


def elections(oned_logs):
    """[(when, which front-end)], the first one first."""
    found = []
    for number, path in enumerate(oned_logs):
        for part in filter(os.path.exists, (path + ".before", path)):
            with open(part, encoding="utf-8", errors="replace") as file:
                found += [(time.mktime(time.strptime(line[:24])), number) for line in file if ELECTED in line]
    return sorted(found)


def orders(driver_log):
    """Yields (when, word, VM) of orders to boot and to restore."""
    if not os.path.exists(driver_log):
        return
    with open(driver_log, encoding="utf-8") as file:
        for words in map(str.split, file):
            if len(words) > 5 and words[1] == "vm" and words[2] in ORDERS and words[5] == "begin":
                yield int(words[0]), words[2], int(words[3])


def last_orders(oned_logs, driver_logs):
    """VM -> orders of an oned that was deposed, or was about to be."""
    elected, found = elections(oned_logs), {}
    for number, path in enumerate(driver_logs):
        for when, word, vm in orders(path):
            later = [(at, other) for at, other in elected if at > when]
            before = [other for at, other in elected if at <= when]
            was = "one%d ordered %s at %s" % (number, word, time.strftime("%H:%M:%S", time.localtime(when)))
            if before and before[-1] != number:
                found.setdefault(vm, []).append("%s, when one%d led" % (was, before[-1]))
            elif later and later[0][1] != number and later[0][0] - when <= LOSING:
                found.setdefault(vm, []).append("%s, and one%d was elected %d s later" % (
                    was, later[0][1], later[0][0] - when))
    return found
