"""A local server that the settings allow, a transport for each test, and no way to anywhere else."""

from __future__ import annotations

import socket

import pytest

from falai_django.outgoing import network
from falai_django.outgoing.network import GuardedTransport, close_connections
from tests.providers.local_server import LocalServer


@pytest.fixture(autouse=True)
def _no_request_leaves_the_machine(monkeypatch):
    """A name is looked up by nobody, and an address that is not this machine's is not connected to."""
    real_lookup, real_connect = socket.getaddrinfo, socket.socket.connect

    def lookup(host, *rest, **more):
        host = host.decode() if isinstance(host, bytes) else host
        if host not in {"127.0.0.1", "::1", "localhost"}:
            raise socket.gaierror(socket.EAI_NONAME, f"tests look up no {host}")
        return real_lookup(host, *rest, **more)

    def connect(self, address):
        assert not isinstance(address, tuple) or address[0].startswith("127.") or address[0] == "::1", address
        return real_connect(self, address)

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    monkeypatch.setattr(socket.socket, "connect", connect)
    yield
    close_connections()


@pytest.fixture
def server():
    """One that plays what a test scripts, not allowed by any setting."""
    started = LocalServer()
    yield started
    started.close()


@pytest.fixture
def allowed(server, settings):
    """The same, named in the site's allow-list."""
    settings.FALAI_OUTGOING_ALLOW = [f"127.0.0.1:{server.port}"]
    return server


@pytest.fixture
def transports():
    """`transports(resolve=..., ssl_context=...)`, closed in the end."""
    made = []

    def make(**options):
        made.append(GuardedTransport(**options))
        return made[-1]

    yield make
    for transport in made:
        transport.close()


@pytest.fixture
def connected(monkeypatch):
    """The addresses that sockets were opened to, in order; nothing is opened in truth."""
    asked = []

    def connect_tcp(_self, host, port, *_rest, **_more):
        asked.append((host, port))
        raise network.httpcore.ConnectError("only noted")

    monkeypatch.setattr(network.httpcore.SyncBackend, "connect_tcp", connect_tcp)
    return asked
