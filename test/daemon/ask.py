#!/usr/bin/env python3
"""The answer of an HTTP server: its text, or with --status its number (000: no answer)."""

import argparse
import sys
import urllib.error
import urllib.request

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("url")
parser.add_argument("--status", action="store_true")
parser.add_argument("--method", default="GET")
parser.add_argument("--accept", default="*/*")
options = parser.parse_args()
request = urllib.request.Request(options.url, method=options.method,
                                 headers={"Accept": options.accept})
try:
    with urllib.request.urlopen(request, timeout=10) as answer:
        number, text = answer.status, answer.read()
except urllib.error.HTTPError as error:
    number, text = error.code, error.read()
except OSError:
    number, text = 0, b""
if options.status:
    print("%03d" % number)
else:
    sys.stdout.buffer.write(text)
sys.exit(number == 0)
