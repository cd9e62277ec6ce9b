#!/usr/bin/env python3
"""A webhook that answers its first requests with 503 and checks the signature of each.

  webhook.py KEY-FILE FAILURES OUTPUT

Prints its port, and appends to OUTPUT a line for each request: its status and its body.
"""
import hashlib
import hmac
import http.server
import json
import sys

key = open(sys.argv[1], "rb").readline().rstrip(b"\n")
failures = int(sys.argv[2])
output = open(sys.argv[3], "a", buffering=1)


class Webhook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global failures
        body = self.rfile.read(int(self.headers["Content-Length"]))
        expected = "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
        if self.headers["X-Galerna-Signature"] != expected:
            status = 403
        elif self.headers["X-Galerna-Delivery"] != json.loads(body)["id"]:
            status = 400
        elif failures > 0:
            failures -= 1
            status = 503
        else:
            status = 204
        print(status, body.decode(), file=output)
        self.send_response(status)
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Webhook)
print(server.server_port, flush=True)
server.serve_forever()
