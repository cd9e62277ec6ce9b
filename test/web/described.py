"""The HTTP API as its description tells: requests to it, and what its schemas refer to."""

import base64
import http.client
import json
import urllib.parse

JSON = "application/json"


class Described:
    def __init__(self, url, timeout):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=timeout)
        self.document = json.loads(self.send(None, "GET", "/api/v1/openapi.json")[2])

    def send(self, session, method, path, body=None, kind=JSON):
        """The status, the headers and the text."""
        headers = {"Authorization": "Basic " + base64.b64encode(session.encode()).decode()} if session else {}
        if kind and body is not None:
            headers["Content-Type"] = kind
        for attempt in range(2):
            try:
                self.connection.request(method, path, body, headers)
                answer = self.connection.getresponse()
                text = answer.read()
                break
            except (http.client.HTTPException, OSError):  # the server ends a connection after some errors
                self.connection.close()
                if attempt:
                    raise
        if answer.getheader("Connection", "").lower() == "close":
            self.connection.close()
        return answer.status, answer.headers, text

    def resolve(self, schema):
        while "$ref" in schema:
            found = self.document
            for part in schema["$ref"].split("/")[1:]:
                found = found[part]
            schema = found
        return schema
