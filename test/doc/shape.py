#!/usr/bin/env python3
"""The sources have the shape that CONTRIBUTING.md asks for: sources begin with their purpose and headers
with `#pragma once`, the lengths of files and functions, the number of parameters. The pages name sources that exist.

    shape.py SOURCES
"""
import pathlib
import re
import sys

FILE_MAX = 600
FUNCTION_MAX = 70
TEST_FUNCTION_MAX = 85
PARAMETERS_MAX = 5

BLANKED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
HEAD = re.compile(r'^(?!typedef)[A-Za-z_][\w \*]*?[\s\*](\w+)\(([^;{}]*)\)\s*\{$', re.M)
# What begins a pair that counts as one, and what may follow it.
PAIRS = (
    (r'\*\s*\w+$|\]$', r'^(?:size_t|int) \w*(?:size|length|n|n_\w+)$'),  # an array, its length
    (r'\bformat$', r'^\.\.\.$|^va_list'),
    (r'', r'^void \*\w+$'),  # a callback, its context
)
FOREIGN = re.compile(r'\bxmlChar\b|\bMHD_')  # callbacks of libraries: their parameters are given


def files(top):
    for folder in sorted(top.iterdir()):
        if folder.is_dir() and folder.name != 'build':  # tests make and remove files there
            yield from sorted(folder.glob('**/*.[ch]'))


def split(parameters):
    """The parameters of a function: commas inside parentheses separate those of callbacks."""
    found, depth = [''], 0
    for character in ' '.join(parameters.split()):
        depth += {'(': 1, ')': -1}.get(character, 0)
        if character == ',' and depth == 0:
            found.append('')
        else:
            found[-1] += character
    return [parameter.strip() for parameter in found]


def count(parameters):
    n = 0
    while parameters:
        first, parameters = parameters[0], parameters[1:]
        n += 1
        if parameters and any(re.search(one, first) and re.search(next_one, parameters[0])
                              for one, next_one in PAIRS):
            parameters = parameters[1:]
    return n


def faults(path, name):
    text = path.read_text()
    if path.suffix == '.h':
        if re.findall(r'^#.*', text, re.M)[:1] != ['#pragma once']:
            yield f'{name}: does not begin with #pragma once'
    elif not text.startswith('/*'):
        yield f'{name}: does not begin with its purpose'
    if text.count('\n') > FILE_MAX:
        yield f'{name}: more than {FILE_MAX} lines'
    bare = BLANKED.sub(lambda match: re.sub(r'[^\n]', ' ', match.group()), text)
    is_test = name.startswith('test/')  # makers of scenes have a row's worth of parameters
    for match in HEAD.finditer(bare):
        line = bare.count('\n', 0, match.start()) + 1
        n = count(split(match.group(2)))
        if n > PARAMETERS_MAX and not is_test and not FOREIGN.search(match.group(2)):
            yield f'{name}:{line}: {match.group(1)} has {n} parameters'
        length = bare.count('\n', match.start(), bare.index('\n}', match.end())) + 2
        if length > (TEST_FUNCTION_MAX if is_test else FUNCTION_MAX):
            yield f'{name}:{line}: {match.group(1)} has {length} lines'


def lost_names(top, page):
    """Sources and functions that the page names and that are elsewhere by now."""
    text = (top / page).read_text()
    for name in re.findall(r'`([a-z-]+/[a-z_/-]+\.[ch])`', text):
        if not (top / name).exists():
            yield f'{page}: there is no {name}'
    for function, name in re.findall(r'`(\w+)\(\)` in `([a-z-]+/[a-z_/-]+\.[ch])`', text):
        if not re.search(rf'^\w.*\b{function}\(', (top / name).read_text(), re.M):
            yield f'{page}: there is no {function}() in {name}'


def main():
    top = pathlib.Path(sys.argv[1])
    found, seen = [], 0
    for path in files(top):
        seen += 1
        found += faults(path, path.relative_to(top).as_posix())
    for page in ('README.md', 'CONTRIBUTING.md', 'doc/architecture.md'):
        found += lost_names(top, page)
    if seen < 500:
        sys.exit(f'only {seen} sources in {top}')
    if found:
        sys.exit('\n'.join(found))


main()
