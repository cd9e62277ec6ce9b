#!/usr/bin/env python3
"""Checks a text of metrics: openmetrics.py < TEXT, or openmetrics.py --uses FILE... < TEXT.

OpenMetrics 1.0: each family is described before its samples and stands together, its samples have the
suffixes of its type, none appears twice, the buckets of a histogram rise to +Inf and to its count, and
the text ends with # EOF. --uses: each metric that a dashboard or a file of rules names is there.
"""

import re
import sys

SUFFIXES = {"gauge": {""}, "counter": {"_total"}, "histogram": {"_bucket", "_count", "_sum"}}
SAMPLE = re.compile(r'^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\S+)$')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


class Family:
    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.described = False
        self.samples = {}

    def add(self, name, labels, value):
        suffix = name[len(self.name):]
        assert name.startswith(self.name) and suffix in SUFFIXES[self.kind], f"{name} in {self.name}"
        assert (suffix, labels) not in self.samples, f"{name}{labels} appears twice"
        assert self.kind == "gauge" or value >= 0, f"{name} is negative"
        self.samples[suffix, labels] = value

    def check(self):
        assert self.described, f"{self.name} has no help"
        if self.kind == "histogram":
            self.check_buckets()

    def check_buckets(self):
        series = {}
        for (suffix, labels), value in self.samples.items():
            if suffix == "_bucket":
                rest = tuple(label for label in labels if label[0] != "le")
                series.setdefault(rest, []).append((float(dict(labels)["le"]), value))
        for rest, buckets in series.items():
            assert buckets == sorted(buckets), f"{self.name}{rest}: bounds do not rise"
            counts = [count for _, count in buckets]
            assert counts == sorted(counts), f"{self.name}{rest}: counts fall"
            assert buckets[-1] == (float("inf"), self.samples["_count", rest]), self.name


def read(text):
    """The families of a text, by name."""
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""], "no # EOF at the end"
    families, current = {}, None
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in families, f"{name} appears twice"
            current = families[name] = Family(name, kind)
        elif line.startswith("# "):
            _, what, name, text = line.split(" ", 3)
            assert name == current.name and what in ("HELP", "UNIT"), line
            assert what != "UNIT" or name.endswith("_" + text), line
            current.described |= what == "HELP"
        else:
            match = SAMPLE.match(line)
            assert match, f"not a sample: {line}"
            current.add(match[1], tuple(LABEL.findall(match[2] or "")), float(match[3]))
    for family in families.values():
        family.check()
    return families


def main():
    families = read(sys.stdin.read())
    names = {family.name + suffix for family in families.values() for suffix in SUFFIXES[family.kind]}
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            used = set(re.findall(r"\bgalerna_[a-z_]+", file.read()))
        assert used and used <= names, f"{path}: no metric {sorted(used - names)}"


if __name__ == "__main__":
    main()
