#!/usr/bin/env python3
"""The files and functions that doc/architecture.md names under "Where is the rule for ..." exist, the functions in
the files of their row; so do the files of the table in sandbox/README.md.

    index.py SOURCES
"""
import pathlib
import re
import sys


def rows(page):
    """[question, answer] of each row of the index."""
    section = page.split("## Where is the rule for ...")[1].split("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("| ") and not line.startswith("| Question"):
            yield line.strip("| ").split(" | ", 1)


def files_of(answer):
    """The paths in an answer; a name without a folder is in that of the path before it."""
    folder = ""
    for name in re.findall(r"`([\w/.-]+\.(?:c|h|py|sh|json))`", answer):
        if "/" in name:
            folder = name.rsplit("/", 1)[0]
        yield name if "/" in name else f"{folder}/{name}"


def defines(path, function):
    """Whether the file, or the source beside a header, defines the function."""
    sources = {path, path.with_suffix(".c")}
    return any(re.search(rf"^[a-z][^\n;]*\b{function}\(", source.read_text(), re.M)
               for source in sources if source.exists())


def main():
    top = pathlib.Path(sys.argv[1])
    wrong = []
    for question, answer in rows((top / "doc/architecture.md").read_text()):
        paths = [top / name for name in files_of(answer)]
        wrong += [f"{question}: {path} does not exist" for path in paths if not path.exists()]
        wrong += [f"{question}: {function}() is in none of its files"
                  for function in re.findall(r"`(\w+)\(\)`", answer)
                  if not any(defines(path, function) for path in paths)]
    wrong += [f"sandbox/README.md: {name} does not exist"
              for name in re.findall(r"^\|.*\| (.*) \|$", (top / "sandbox/README.md").read_text(), re.M)
              for name in re.findall(r"`([\w*.]+)`", name)
              if not list((top / "sandbox").glob(name if "." in name else name + ".c"))]
    for line in wrong:
        print(line)
    sys.exit(bool(wrong))


main()
