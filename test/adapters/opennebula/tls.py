#!/usr/bin/env python3
"""A daemon behind TLS: a certificate nobody vouches for, or for another name, is refused before the
session is sent; one that the configuration trusts is accepted; plain text to another machine is
refused.

usage: tls.py GALERNA
"""
import http.server
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading

SECRET = "a-password-that-must-not-travel"
ANSWER = b"""<?xml version="1.0"?><methodResponse><params><param><value><array><data>
<value><boolean>1</boolean></value><value><string>6.10.5</string></value><value><i4>0</i4></value>
</data></array></value></param></params></methodResponse>"""

bodies = []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        bodies.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(200)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_):
        pass


def certificate(folder, name):
    key, cert = folder / f"{name}.key", folder / f"{name}.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
         "-keyout", key, "-out", cert], check=True, capture_output=True)
    return key, cert


def serve(key, cert):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


class Trial:
    def __init__(self, galerna, folder):
        self.galerna, self.folder = galerna, folder
        self.auth = folder / "auth"
        self.auth.write_text(f"oneadmin:{SECRET}\n")
        self.auth.chmod(0o600)

    def ask(self, endpoint, *lines):
        """What `galerna setup` says of this endpoint, and what the server heard of it."""
        file = self.folder / "galerna.conf"
        file.write_text("\n".join(["[opennebula]", f"endpoint: {endpoint}",
                                   f"auth-file: {self.auth}", "timeout: 5", *lines, ""]))
        bodies.clear()
        done = subprocess.run([self.galerna, "setup", "-c", file, "--check"], capture_output=True,
                              text=True, timeout=60, env={**os.environ, "no_proxy": "*"})
        assert SECRET not in done.stdout + done.stderr, "the secret is shown"
        return done.stdout + done.stderr, list(bodies)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trial = Trial(sys.argv[1], folder)
        key, cert = certificate(folder, "localhost")
        other_key, other_cert = certificate(folder, "elsewhere.example")
        port, other_port = serve(key, cert), serve(other_key, other_cert)

        said, heard = trial.ask(f"https://localhost:{port}/RPC2")
        assert not heard and "certificate" in said.lower(), said

        said, heard = trial.ask(f"https://localhost:{port}/RPC2", f"ca-file: {cert}")
        assert heard and SECRET in heard[0] and "6.10.5" in said, said

        said, heard = trial.ask(f"https://localhost:{other_port}/RPC2", f"ca-file: {other_cert}")
        assert not heard, "a certificate for another name was accepted"

        said, heard = trial.ask("http://192.0.2.1:2633/RPC2")
        assert "allow-plaintext" in said, said
    print("TLS is verified, and nothing secret goes out in plain text")


if __name__ == "__main__":
    main()
