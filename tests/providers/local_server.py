"""A local HTTP server that plays what a test scripts, byte by byte, and keeps what it was asked."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections import deque
from dataclasses import dataclass, field

SILENCE = object()
"""Among the pieces of a reply: nothing more comes, until the client goes or the test is over."""
ABORT = object()
"""Among the pieces of a reply: the connection is reset."""
_LONGEST = 10


@dataclass
class Reply:
    """`framing`: length, chunked, or close (the end of the connection ends the body); `declared`: another length."""

    pieces: list = field(default_factory=list)
    status: int = 200
    headers: dict = field(default_factory=dict)
    framing: str = "length"
    declared: int | None = None

    @classmethod
    def of_json(cls, body, status=200, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls([json.dumps(body).encode()], status, {"content-type": "application/json"} | named)

    @classmethod
    def of_events(cls, frames, **headers):
        return cls(list(frames), headers={"content-type": "text/event-stream"} | headers, framing="chunked")


@dataclass
class Raw:
    """Bytes as they are, the status line too; the connection ends behind them."""

    pieces: list


@dataclass
class Dripping:
    """Bytes that come one by one, with a pause before each."""

    data: bytes
    pause: float = 0.02


@dataclass
class Asked:
    """A request as it came."""

    path: str
    headers: dict
    raw: bytes

    @property
    def body(self):
        return json.loads(self.raw)


class LocalServer:
    """`say` queues replies; a callable among them makes one of the request. An unscripted request is answered 599."""

    def __init__(self, tls=None):
        self._tls = tls
        self._script = deque()
        self._over = threading.Event()
        self._threads = []
        self.asked = []
        self.connections = 0
        self.check = None  # called with each request, to raise what is wrong with it
        self.wrong = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def say(self, *replies):
        self._script.extend(replies)
        return self

    def close(self):
        self._over.set()
        # Closing alone would leave the thread in accept.
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in [self._thread, *self._threads]:
            thread.join(_LONGEST)

    def _accept(self):
        while not self._over.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            connection.settimeout(_LONGEST)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as reader:
                while (asked := self._read(reader, connection)) is not None:
                    if not self._answer(connection, asked):
                        return

    def _read(self, reader, connection):
        line = self._wait_for_line(reader, connection)
        if not line:
            return None
        headers = {}
        while (header := reader.readline().strip()) != b"":
            name, _, value = header.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        asked = Asked(line.split()[1].decode(), headers, reader.read(int(headers.get("content-length", 0))))
        self.asked.append(asked)
        try:
            if self.check:
                self.check(asked)
        except Exception as error:  # noqa: BLE001 - told to the test at its end
            self.wrong.append(error)
        return asked

    def _wait_for_line(self, reader, connection):
        """The next request on a connection that is kept alive; none when the test is over."""
        connection.settimeout(0.05)
        while not self._over.is_set():
            with contextlib.suppress(TimeoutError):
                peeked = connection.recv(1, socket.MSG_PEEK) if not self._tls else b"?"
                connection.settimeout(_LONGEST)
                return reader.readline() if peeked else b""
        return b""

    def _answer(self, connection, asked):
        script = self._script.popleft() if self._script else Reply([b"nothing was scripted"], 599)
        script = script(asked) if callable(script) else script
        if isinstance(script, Raw):
            self._send(connection, script.pieces)
            return False
        body = [piece for piece in script.pieces if isinstance(piece, bytes)]
        head = {"content-length": str(script.declared if script.declared is not None else sum(map(len, body)))}
        head = {"transfer-encoding": "chunked"} if script.framing == "chunked" else head
        head = {"connection": "close"} if script.framing == "close" else head
        lines = [f"HTTP/1.1 {script.status} Said"] + [
            f"{name}: {value}" for name, value in (head | script.headers).items()
        ]
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        chunked = script.framing == "chunked"
        whole = self._send(connection, script.pieces, chunked=chunked)
        if whole and chunked:
            connection.sendall(b"0\r\n\r\n")
        return whole and script.framing != "close" and script.declared is None

    def _send(self, connection, pieces, *, chunked=False):
        for piece in pieces:
            if piece is SILENCE:
                self._over.wait(_LONGEST)
                return False
            if piece is ABORT:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
            if isinstance(piece, Dripping):
                for index in range(len(piece.data)):
                    if self._over.wait(piece.pause):
                        return False
                    self._one(connection, piece.data[index : index + 1], chunked)
            else:
                self._one(connection, piece, chunked)
        return True

    @staticmethod
    def _one(connection, piece, chunked):
        connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked and piece else piece)
