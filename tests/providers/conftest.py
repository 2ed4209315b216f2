"""A local server for every test that talks HTTP, and no way to anywhere else."""

from __future__ import annotations

import socket

import pytest

from tests.providers.local_server import LocalServer
from tests.providers.vendors import FAKES


@pytest.fixture(autouse=True)
def _no_request_leaves_the_machine(monkeypatch):
    """A name that is not this machine's is not looked up, an address that is not is not connected to."""
    real_lookup, real_connect = socket.getaddrinfo, socket.socket.connect
    near = {"127.0.0.1", "::1", "localhost", "", None}

    def lookup(host, *rest, **more):
        host = host.decode() if isinstance(host, bytes) else host
        if host not in near:
            raise socket.gaierror(socket.EAI_NONAME, f"tests look up no {host}")
        return real_lookup(host, *rest, **more)

    def connect(self, address):
        is_near = not isinstance(address, tuple) or address[0] in near or address[0].startswith("127.")
        assert is_near, f"tests do not connect to {address}"
        return real_connect(self, address)

    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    monkeypatch.setattr(socket.socket, "connect", connect)


@pytest.fixture
def servers():
    """`servers(kind)` starts one that judges every request by the vendor's types; what was wrong fails the test."""
    started = []

    def start(kind=None, tls=None):
        server = LocalServer(tls)
        server.check = FAKES[kind].check if kind else None
        started.append(server)
        return server

    yield start
    for server in started:
        server.close()
    wrong = [error for server in started for error in server.wrong]
    assert wrong == []


@pytest.fixture
def server(servers):
    """One that judges nothing."""
    return servers()
