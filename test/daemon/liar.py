#!/usr/bin/env python3
"""Stands between galernad and its OpenNebula and lies in well-formed answers.

liar.py PORT FILE: forwards requests to that port of this machine, and prints its own port. The lie is
the word in FILE: none, twice (a VM on two hosts), negative (capacities), vanished (host 0), renumbered
(host 0 is host 77), emptied (no VMs in the listing of all), backwards (running VMs are pending), future
(times), foreign
(another document).
"""

import http.server
import re
import sys
import urllib.request
from xml.sax.saxutils import escape, unescape

YEAR_2100 = "4102444800"
LISTING = re.compile(rb"<methodName>one\.vmpool\.info(extended)?<")


def drop_host(text):
    return re.sub(r"<HOST><ID>0</ID>.*?</HOST>", "", text, flags=re.S)


def twice(text):
    def both(found):
        other = re.sub(r"<HID>(\d+)</HID>", lambda h: f"<HID>{1 - int(h[1])}</HID>", found[0])
        return found[0] + other

    return re.sub(r"<VM>.*?</VM>", both, text, flags=re.S)


def backwards(text):
    text = re.sub(r"<HISTORY_RECORDS>.*?</HISTORY_RECORDS>", "<HISTORY_RECORDS/>", text, flags=re.S)
    return text.replace("<STATE>3</STATE><LCM_STATE>3<", "<STATE>1</STATE><LCM_STATE>0<")


LIES = {
    "none": lambda text: text,
    "twice": twice,
    "negative": lambda text: re.sub(r"<(TOTAL_CPU|TOTAL_MEM|MAX_CPU|MAX_MEM|FREE_CPU|FREE_MEM)>", r"<\1>-", text),
    "vanished": drop_host,
    "renumbered": lambda text: text.replace("<HOST><ID>0</ID>", "<HOST><ID>77</ID>"),
    "emptied": lambda text: re.sub(r"<VM>.*</VM>", "", text, flags=re.S),  # of LISTING only
    "backwards": backwards,
    "future": lambda text: re.sub(r"<(STIME|RSTIME|PSTIME)>\d+<", rf"<\1>{YEAR_2100}<", text),
    "foreign": lambda text: "<HTML><BODY>Sign in</BODY></HTML>" if "_POOL>" in text[:12] else text,
}


class Liar(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        with open(sys.argv[2], encoding="utf-8") as file:
            lie = LIES[file.read().strip()]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if lie is LIES["emptied"] and not LISTING.search(body):
            lie = LIES["none"]
        url = f"http://127.0.0.1:{sys.argv[1]}{self.path}"
        request = urllib.request.Request(url, body, {"Content-Type": "text/xml"})
        with urllib.request.urlopen(request) as answer:
            text = answer.read().decode()
            date = answer.headers["Date"]
        text = re.sub(
            r"<string>(.*?)</string>",
            lambda found: f"<string>{escape(lie(unescape(found[1])))}</string>",
            text,
            flags=re.S,
        )
        body = text.encode()
        self.send_response_only(200)
        self.send_header("Date", date or self.date_time_string())
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
