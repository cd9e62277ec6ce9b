#!/usr/bin/env python3
"""Writes galerna_client.py, with a method for each operation of a description.

  make_client.py openapi.json >galerna_client.py
"""

import json
import keyword
import re
import sys
import textwrap

HEAD = '''\
"""A client of galerna-web, with a method for each operation of its HTTP API.

Made by make_client.py from openapi.json; do not edit. Needs nothing but Python 3.9.

    from galerna_client import Galerna

    galerna = Galerna("http://127.0.0.1:9751", "anna", "password or login token")
    print(galerna.list_leases()["leases"])

Methods return the documents that the API answers with. Arguments that are None are left out.
"""

import base64
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request

PREFIX = "@PREFIX@"


class GalernaError(Exception):
    """A request that was not done: status (of HTTP), code (a word) and document (the answer)."""

    def __init__(self, status, document):
        super().__init__(document.get("error") or document.get("text") or f"HTTP status {status}")
        self.status = status
        self.code = document.get("code", "refused" if status == 409 else "failed")
        self.document = document


def _path(template, *values):
    return template.format(*(urllib.parse.quote(str(value), safe="") for value in values))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Passwords go to the server that was named, and to no other."""

    def redirect_request(self, *_):
        return None


class Galerna:
    """The API as one user. `ca_file`: who signs the server's certificate; None: the system's."""

    def __init__(self, url, user, password, ca_file=None, timeout=150):
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"{url}: the address must begin with http:// or https://")
        self._url = url.rstrip("/") + PREFIX
        self._authorization = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self._timeout = timeout
        context = ssl.create_default_context(cafile=ca_file)
        self._opener = urllib.request.build_opener(
            _NoRedirect, urllib.request.HTTPSHandler(context=context))

    def _open(self, method, path, query=None, body=None):
        given = {key: json.dumps(value) if isinstance(value, bool) else value
                 for key, value in (query or {}).items() if value is not None}
        url = self._url + path + ("?" + urllib.parse.urlencode(given) if given else "")
        request = urllib.request.Request(url, method=method)
        request.add_header("Authorization", self._authorization)
        if body is not None:
            sent = {key: value for key, value in body.items() if value is not None}
            request.data = json.dumps(sent).encode()
            request.add_header("Content-Type", "application/json")
        try:
            return self._opener.open(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                status, text = error.code, error.read()
        try:
            document = json.loads(text)
        except ValueError:
            document = {}
        raise GalernaError(status, document if isinstance(document, dict) else {})

    def _call(self, method, path, query=None, body=None):
        with self._open(method, path, query, body) as answer:
            return json.load(answer)

    def _watch(self, path):
        with self._open("GET", path) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    yield line[5:].strip().decode()
'''


def python_name(name):
    """listLeases, from: list_leases, from_."""
    name = re.sub(r"(?<=[a-z])([A-Z])", lambda match: "_" + match.group(1).lower(), name)
    return name + "_" if keyword.iskeyword(name) else name


def resolved(description, part):
    while part and "$ref" in part:
        target = description
        for step in part["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        part = target
    return part


def meaning_of(description, schema):
    """What an argument may be."""
    schema = resolved(description, schema)
    if "enum" in schema:
        text = ", ".join(json.dumps(word) for word in schema["enum"])
    else:
        kinds = schema.get("type", "any")
        text = " or ".join(kinds) if isinstance(kinds, list) else kinds
        text = "a date and time of RFC 3339" if schema.get("format") == "date-time" else text
    return f"{text}; {schema['description']}" if schema.get("description") else text


def documentation(summary, arguments):
    lines = textwrap.wrap(summary + ".", 88)
    if arguments:
        lines.append("")
    for name, meaning in arguments:
        lines += textwrap.wrap(f"{name}: {meaning}", 88, subsequent_indent="    ")
    text = "\n".join("        " + line if line else "" for line in lines).lstrip()
    return f'        """{text}' + ("\n        " if len(lines) > 1 else "") + '"""\n'


def mapping(argument, names):
    """The argument, on lines of its own."""
    text = ", ".join(f'"{name}":\0{python_name(name)}' for name in names)
    lines = textwrap.wrap(text, 70)
    inside = "\n                ".join(lines).replace("\0", " ")
    return f",\n            {argument}={{{inside}}}"


def method_of(description, path, verb, operation, shared):
    parameters = [resolved(description, one) for one in shared + operation.get("parameters", [])]
    in_path = [one for one in parameters if one["in"] == "path"]
    in_query = [one for one in parameters if one["in"] == "query"]
    content = operation.get("requestBody", {}).get("content", {})
    body = resolved(description, content.get("application/json", {}).get("schema"))
    fields = (body or {}).get("properties", {})
    needed = [name for name in fields if name in body.get("required", [])]
    optional = [one["name"] for one in in_query] + [name for name in fields if name not in needed]
    arguments = ["self"] + [python_name(one["name"]) for one in in_path]
    arguments += [python_name(name) for name in needed]
    if optional:
        arguments += ["*"] + [f"{python_name(name)}=None" for name in optional]
    schemas = {one["name"]: {"description": one.get("description", ""), **one["schema"]}
               for one in in_path + in_query} | fields
    told = [(python_name(name), meaning_of(description, schema))
            for name, schema in schemas.items()]
    head = f"    def {python_name(operation['operationId'])}("
    signature = textwrap.wrap(", ".join(arguments) + "):", 100 - len(head))
    text = head + ("\n" + " " * len(head)).join(signature) + "\n"
    text += documentation(operation["summary"], told)
    place = f'"{re.sub("{[a-z]+}", "{}", path)}"'
    if in_path:
        place = f"_path({place}, {', '.join(python_name(one['name']) for one in in_path)})"
    if "text/event-stream" in operation["responses"]["200"].get("content", {}):
        return text + f"        return self._watch({place})\n"
    text += f'        return self._call("{verb.upper()}", {place}'
    if in_query:
        text += mapping("query", [one["name"] for one in in_query])
    if body is not None:
        text += mapping("body", fields)
    return text + ")\n"


def client_of(description):
    text = HEAD.replace("@PREFIX@", description["servers"][0]["url"])
    for path, item in description["paths"].items():
        shared = item.pop("parameters", [])
        for verb, operation in item.items():
            text += "\n" + method_of(description, path, verb, operation, shared)
    return text


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(client_of(json.load(file)))
