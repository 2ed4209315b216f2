"""An ASGI server of one request, by hand: a test says when the client leaves."""

from __future__ import annotations

import asyncio
import json

from django.core.handlers.asgi import ASGIHandler

__all__ = ["Listener", "events_in"]


def events_in(body):
    """(name, data) of each event of a stream; comments left out."""
    found = []
    for block in body.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


class Listener:
    """A client that posts JSON and asks for events.

    It leaves once the body holds `leaves_at`; `at` is a text and what to do, once, when the body holds it.
    """

    def __init__(self, program, body, *, leaves_at=None, at=None):
        self.program, self.payload = program, json.dumps(body).encode()
        self.leaves_at, self.at = leaves_at, at
        self.status, self.headers, self.body = None, {}, b""
        self.has_ended = False

    def listen(self):
        """Until the stream ends, or the client leaves."""
        asyncio.run(self._run())
        return self

    @property
    def events(self):
        return events_in(self.body) if self.status == 200 else []

    async def _run(self):
        self._left = asyncio.Event()
        self._asked = False
        await ASGIHandler()(self._scope(), self._receive, self._send)

    def _scope(self):
        headers = {
            "host": "testserver",
            "authorization": f"Bearer {self.program.secret}",
            "accept": "text/event-stream",
            "content-type": "application/json",
            "content-length": str(len(self.payload)),
        }
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "path": self.program.url("turns"),
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "server": ("testserver", 80),
            "client": ("127.0.0.1", 1),
            "scheme": "http",
        }

    async def _receive(self):
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": self.payload, "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message):
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")
            self.has_ended = not message.get("more_body", False)
        if self.leaves_at is not None and self.leaves_at in self.body:
            self._left.set()
        if self.at is not None and self.at[0] in self.body:
            self.at[1]()
            self.at = None
