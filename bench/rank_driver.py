#!/usr/bin/env python3
"""OpenNebula's driver of the scheduler rank (7.x): hands its requests to the program, and writes what the
program has used so far, seconds of CPU time and KB at its peak, to USE.

    rank_driver.py PROGRAM USE
"""
import base64
import os
import pathlib
import resource
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "test/integration/real"))
from driver import Driver  # noqa: E402


class Rank(Driver):
    def __init__(self, program, use):
        super().__init__(os.path.dirname(use))
        self.program, self.use = program, use

    def request(self, word, number, payload):
        if word != "PLACE":
            self.answer(word, False, number)
            return
        done = subprocess.run([self.program], input=payload.split()[-1].encode(), check=False,
                              stdout=subprocess.PIPE)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(self.use + ".new", "w", encoding="ascii") as file:
            file.write(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss}\n")
        os.rename(self.use + ".new", self.use)
        self.answer(word, done.returncode == 0, 0, base64.b64encode(done.stdout).decode())


Rank(*sys.argv[1:]).run()
