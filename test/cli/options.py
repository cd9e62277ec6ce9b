#!/usr/bin/env python3
"""Bad values for every option and operand of the commands that talk to galernad, as --help lists them.

  options.py GALERNA   ($GALERNA_SOCKET: a galernad that has leases)

Each call must end with an exit code that --help lists, say what is wrong in text that is safe to print, and leave
the leases as they were.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

VALUES = [b"", b"-1", b"9" * 25, b"nan", b"\xff", b"\x1b[31m", b"a" * 5000, b"%s%n", b","]
# What a command needs besides the option that is tried.
USUAL = {"lease request": ["--cpu", "1", "--memory", "64", "--dry-run"], "lease change": ["0", "--dry-run"],
         "lease show": ["0"], "lease why": ["0"], "host timeline": ["0"], "host show": ["0"], "host unbook": ["none"],
         "host drain": ["0", "--dry-run"], "host undrain": ["0"], "host rebalance": ["default", "--dry-run"],
         "host book": ["0", "--name", "b", "--users", "0", "--from", "+1h", "--until", "+2h", "--dry-run"],
         "host release": ["0"], "policy enable": ["greedy"]}


def call(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False)


def leases():
    listed = json.loads(call("lease", "list", "--all", "--json").stdout)["leases"]
    return [(lease["lease"], lease["phase"]) for lease in listed]


def calls():
    """(the words of the command, its exit codes, the words after these)"""
    for line in call("--help").stdout.decode().splitlines():
        command = line[2:24].split() if line.startswith("  ") else []
        text = call(*command, "--help").stdout.decode() if command else ""
        if "--socket FILE" not in text:
            continue
        codes = {int(code) for code in re.findall(r"^  (\d+) ", text.split("Exit status:")[1], re.M)}
        usual = USUAL.get(" ".join(command), [])
        for option, argument in re.findall(r"^  (?:-\w,|   ) --([a-z-]+)(?: (\S+))?", text, re.M):
            if not argument:
                yield command, codes, [*usual, f"--{option}=x"]
                continue
            yield command, codes, [*usual, f"--{option}"]
            for value in VALUES:
                yield command, codes, [*usual, f"--{option}".encode(), value]
        for value in VALUES:
            yield command, codes, ["--", value]
            yield command, codes, [*usual, value]
        yield command, codes, [*usual, *["7777"] * 200]


def problem(case):
    command, codes, words = case
    ended = call(*command, *words)
    said = ended.stdout + ended.stderr
    wrong = ("its exit code is not one of --help" if ended.returncode not in codes else
             "it does not say why" if ended.returncode and not said else
             "it prints control characters" if any(byte < 32 and byte != 10 for byte in said) else None)
    try:
        said.decode()
    except UnicodeDecodeError:
        wrong = "it prints bytes that are not UTF-8"
    return wrong and f"{command} {str(words[-2:])[:150]}: {wrong}: {ended.returncode} {said[:300]}"


before = leases()
assert len(before) > 1, before
cases = list(calls())
assert len(cases) > 1500, len(cases)
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    problems = [found for found in pool.map(problem, cases) if found]
print(*problems[:20], sep="\n")
assert leases() == before, f"the leases were {before} and are {leases()}"
sys.exit(bool(problems))
