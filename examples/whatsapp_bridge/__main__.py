"""`python -m whatsapp_bridge [port]`: the bridge on a server of the standard library, behind a proxy with TLS."""

from __future__ import annotations

import logging
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from .bridge import Bridge
from .configuration import configuration_of

__all__ = ["main"]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        """A line for each request says nothing new."""


def main() -> None:
    """Serve until it is interrupted."""
    logging.basicConfig(level=logging.INFO)
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
    application = Bridge(configuration_of())
    with make_server("127.0.0.1", port, application, _Server, _Quiet) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
