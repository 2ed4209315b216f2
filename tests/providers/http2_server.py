"""The smallest HTTP/2 server: the same JSON for every request."""

from __future__ import annotations

import asyncio
import contextlib
import ssl

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived, StreamEnded


class Http2Server:
    """`async with Http2Server(authority, body) as server`: it counts its connections and streams."""

    def __init__(self, authority, body):
        self._body = body
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.set_alpn_protocols(["h2"])
        authority.issue_cert("127.0.0.1").configure_cert(self._context)
        self.connections = 0
        self.streams = 0

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context)
        self.url = f"https://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    async def __aexit__(self, *_):
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader, writer):
        self.connections += 1
        connection = H2Connection(H2Configuration(client_side=False))
        connection.initiate_connection()
        writer.write(connection.data_to_send())
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65_536):
                for event in connection.receive_data(data):
                    self._on(connection, event)
                writer.write(connection.data_to_send())
                await writer.drain()
        writer.close()

    def _on(self, connection, event):
        if isinstance(event, RequestReceived):
            self.streams += 1
        elif isinstance(event, StreamEnded):
            connection.send_headers(event.stream_id, [(":status", "200"), ("content-type", "application/json")])
            connection.send_data(event.stream_id, self._body, end_stream=True)
