"""Connections: none before the first call, kept alive, shared by threads and by tasks of a loop, closed at the end."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import trustme

from falai_engine.errors import FlowConfigurationError, ProviderError
from falai_engine.model import RESET
from falai_engine.providers import make_provider, transport
from tests.providers import ways
from tests.providers.fakes import Said
from tests.providers.http2_server import Http2Server
from tests.providers.local_server import Raw, Reply
from tests.providers.requests import speak
from tests.providers.vendors import FAKES, KINDS, provider_of

FAKE = FAKES["openai"]
every_way = pytest.mark.parametrize("way", ways.ALL)


def hello(text="Oi"):
    return Reply.of_json(FAKE.body(Said(json.dumps({"message": text}))))


def hellos(count):
    return [hello(str(number)) for number in range(count)]


def test_none_before_the_first_call(servers):
    """Making, showing and closing a provider connects to nobody."""
    server = servers()
    provider = provider_of("openai", server)
    repr(provider)
    provider.close()
    assert server.connections == 0


@pytest.mark.parametrize("kind", KINDS)
def test_calls_share_a_connection(servers, kind):
    """Plain and streamed ones, failures among them: a reply that was read to its end keeps its connection alive."""
    server, fake = servers(kind), FAKES[kind]
    said = Said('{"message": "Oi"}')
    server.say(Reply.of_json(fake.body(said)), Reply.of_events(fake.frames(said)), Reply([b"no"], 400))
    server.say(Reply.of_json(fake.body(said)))
    with provider_of(kind, server) as provider:
        provider.generate(speak())
        [*provider.stream(speak())]
        with pytest.raises(ProviderError):
            provider.generate(speak())
        provider.generate(speak())
    assert (len(server.asked), server.connections) == (4, 1)


def test_tasks_of_a_loop_share_connections(servers):
    """One after the other the same one, together their own."""
    server = servers("openai").say(*hellos(12))

    async def run():
        async with provider_of("openai", server) as provider:
            one = [(await provider.agenerate(speak())).message for _ in range(4)]
            assert server.connections == 1
            return one + [
                reply.message for reply in await asyncio.gather(*(provider.agenerate(speak()) for _ in range(8)))
            ]

    assert sorted(map(int, asyncio.run(run()))) == list(range(12))


def test_many_threads(servers):
    """Every thread gets the reply to its own call."""
    server = servers("openai")
    start = threading.Barrier(8)

    def echo(asked):
        return hello(asked.body["input"][-1]["content"])

    server.say(*[echo] * 48)
    with provider_of("openai", server) as provider, ThreadPoolExecutor(8) as threads:

        def work(thread):
            start.wait(5)
            own = [f"{thread}-{number}" for number in range(3)]
            plain = [provider.generate(speak(prompt=text)).message for text in own]
            streamed = [[*provider.stream(speak(prompt=text))][-1].message for text in own]
            return plain == streamed == own

        assert all(threads.map(work, range(8)))
    assert server.connections <= 8


def test_threads_and_a_loop_at_once(servers):
    """The same provider serves both."""
    server = servers("openai").say(*hellos(6))
    with provider_of("openai", server) as provider:

        async def run():
            calls = [asyncio.to_thread(provider.generate, speak()) for _ in range(3)]
            calls += [provider.agenerate(speak()) for _ in range(3)]
            replies = await asyncio.gather(*calls)
            await provider.aclose()
            return replies

        assert len(asyncio.run(run())) == 6


def test_a_second_loop(servers):
    """Connections of a loop that has ended are not used again."""
    server = servers("openai").say(*hellos(2))
    provider = provider_of("openai", server)

    async def run():
        reply = await provider.agenerate(speak())
        await provider.aclose()
        return reply.message

    assert [asyncio.run(run()), asyncio.run(run())] == ["0", "1"]


def test_a_closed_provider_opens_again(servers):
    """Closing means giving up the connections; twice is no harm."""
    server = servers("openai").say(*hellos(2))
    provider = provider_of("openai", server)
    for _ in range(2):
        provider.generate(speak())
        provider.close()
        provider.close()
    assert server.connections == 2


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_stream_that_is_left(servers, way):
    """Whoever stops reading frees the connection; the next call works."""
    server = servers("openai")
    frames = FAKE.frames(Said('{"message": "Bom dia a todos"}'))
    server.say(Reply.of_events(frames), hello())

    async def leave_and_call():
        async with provider_of("openai", server) as provider:
            reading = provider.astream(speak())
            async for item in reading:
                assert item != RESET
                break
            await reading.aclose()
            return await provider.agenerate(speak())

    if way == "astream":
        assert asyncio.run(leave_and_call()).message == "Oi"
    else:
        with provider_of("openai", server) as provider:
            reading = provider.stream(speak())
            next(reading)
            reading.close()
            assert provider.generate(speak()).message == "Oi"


def test_the_server_ended_an_idle_connection(servers):
    """A kept connection that died meanwhile costs no failure that the caller sees."""
    server = servers("openai")
    whole = json.dumps(FAKE.body(Said('{"message": "Oi"}'))).encode()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(whole)
    server.say(*[Raw([head + whole])] * 3)
    with provider_of("openai", server) as provider:
        assert [provider.generate(speak()).message for _ in range(3)] == ["Oi"] * 3


@pytest.mark.parametrize("way", [ways.generate, ways.stream])
@pytest.mark.parametrize("hosts", [["127.0.0.9", "127.0.0.1"], ["127.0.0.1", "127.0.0.9"], ["127.0.0.9"]])
def test_a_name_with_several_addresses(servers, monkeypatch, way, hosts):
    """One after the other, until one answers."""
    server = servers("openai").say(ways.scripted(way, FAKE, Said('{"message": "Oi"}')))
    near = socket.getaddrinfo

    def lookup(host, port, *rest, **more):
        if host != "vendor.example":
            return near(host, port, *rest, **more)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in hosts]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    with provider_of("openai", server, base_url=f"http://vendor.example:{server.port}/v1", attempts=1) as provider:
        if "127.0.0.1" in hosts:
            assert way(provider, speak())[1].message == "Oi"
        else:
            with pytest.raises(ProviderError) as caught:
                way(provider, speak())
            assert caught.value.kind == "network"


class Spy(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport of both sides that answers by itself."""

    def __init__(self):
        self.urls = []
        self.closed = False

    def handle_request(self, request):
        self.urls.append(str(request.url))
        return httpx.Response(200, json=FAKE.body(Said('{"message": "Oi"}')))

    async def handle_async_request(self, request):
        return self.handle_request(request)

    def close(self):
        self.closed = True

    async def aclose(self):
        self.closed = True


class OneSide(httpx.BaseTransport):
    handle_request = Spy.handle_request
    urls = ()

    def __init__(self):
        self.urls = []


class OtherSide(httpx.AsyncBaseTransport):
    def __init__(self):
        self.urls = []

    async def handle_async_request(self, request):
        return Spy.handle_request(self, request)


@every_way
def test_a_transport_of_ones_own(way):
    """Every request goes through it, and it is not ours to close."""
    spy = Spy()
    with make_provider("openai", model="m", api_key="k" * 9, transport=spy) as provider:
        assert way(provider, speak())[1].message == "Oi"
    assert spy.urls == ["https://api.openai.com/v1/responses"]
    assert not spy.closed


@every_way
def test_a_pair_of_transports(way):
    """One for each side."""
    pair = (OneSide(), OtherSide())
    with make_provider("openai", model="m", api_key="k" * 9, transport=pair) as provider:
        assert way(provider, speak())[1].message == "Oi"
    assert sorted(len(side.urls) for side in pair) == [0, 1]


@pytest.mark.parametrize(("transport", "missing"), [(OneSide(), ways.agenerate), (OtherSide(), ways.generate)])
def test_a_transport_of_the_other_side(transport, missing):
    """Nothing ever goes around it."""
    with (
        make_provider("openai", model="m", api_key="k" * 9, transport=transport) as provider,
        pytest.raises(FlowConfigurationError),
    ):
        missing(provider, speak())


def test_what_is_no_transport():
    """Said when the provider is made."""
    with pytest.raises(FlowConfigurationError):
        make_provider("openai", model="m", api_key="k" * 9, transport="direct")


@every_way
def test_a_transport_that_fails(way):
    """A host's guard that refuses an address: a failure of the network, its words kept."""

    def refuse(request):
        raise httpx.ConnectError("address refused")

    with (
        make_provider("openai", model="m", api_key="k" * 9, transport=httpx.MockTransport(refuse)) as provider,
        pytest.raises(ProviderError) as caught,
    ):
        way(provider, speak())
    assert caught.value.kind == "network"
    assert "address refused" in caught.value.body


@pytest.fixture
def authority():
    return trustme.CA()


@every_way
def test_over_tls(servers, authority, way, monkeypatch):
    """With a certificate that is known, and sockets that are kept to their deadline."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    server = servers("openai", context)
    server.say(ways.scripted(way, FAKE, Said('{"message": "Oi"}')))
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    monkeypatch.setattr(transport, "_tls", lambda *, http2: trusting)
    with provider_of("openai", server) as provider:
        assert way(provider, speak())[1].message == "Oi"


def test_over_http2(authority, monkeypatch):
    """On an event loop, with h2 installed: calls at the same time share one connection."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    context.set_alpn_protocols(["http/1.1", "h2"])
    monkeypatch.setattr(transport, "_tls", lambda *, http2: context)
    body = json.dumps(FAKE.body(Said('{"message": "Oi"}'))).encode()

    async def run():
        async with Http2Server(authority, body) as server:
            async with make_provider("openai", model="m", api_key="k" * 9, base_url=server.url) as provider:
                first = await provider.agenerate(speak())
                more = await asyncio.gather(*(provider.agenerate(speak()) for _ in range(5)))
            return [first.message, *(each.message for each in more)], server

    messages, server = asyncio.run(run())
    assert messages == ["Oi"] * 6
    assert (server.streams, server.connections) == (6, 1)
