"""No call outlives its deadline by more than half a second, whatever the other side does: measured."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

import httpx
import pytest

from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.providers.fallback import FallbackProvider
from tests.providers import ways
from tests.providers.fakes import Said
from tests.providers.local_server import SILENCE, Dripping, Raw, Reply
from tests.providers.requests import speak
from tests.providers.vendors import FAKES, FORMATS, provider_of

DEADLINE = 0.4
GRACE = 0.5
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 90000\r\n\r\n"
EVENTS = {"content-type": "text/event-stream"}
# What a server can do to hold a call, each for as long as it is let.
HOLDS = {
    "no headers": lambda: Raw([SILENCE]),
    "headers byte by byte": lambda: Raw([Dripping(b"HTTP/1.1 200 OK\r\nx: " + b"y" * 900, 0.01)]),
    "no body": lambda: Raw([HEAD, SILENCE]),
    "a body byte by byte": lambda: Raw([HEAD, Dripping(b" " * 900, 0.01)]),
    "an error byte by byte": lambda: Reply([Dripping(b"x" * 900, 0.01)], 503, declared=900),
    "a stream byte by byte": lambda: Reply([Dripping(b": wait\n" * 200, 0.01)], headers=EVENTS, framing="chunked"),
    "a wait": lambda: Reply([], 429, {"retry-after": "0.1"}),
    "nothing but failures": lambda: Reply([], 500),
}


def fails_in_time(way, provider):
    began = time.monotonic()
    with pytest.raises(ProviderError) as caught:
        way(provider, speak(deadline=began + DEADLINE))
    assert time.monotonic() - began < DEADLINE + GRACE
    return caught.value


@pytest.mark.parametrize("way", ways.ALL)
@pytest.mark.parametrize("hold", HOLDS)
def test_a_call_with_its_attempts(server, way, hold):
    """Three attempts, and a timeout that the deadline comes before."""
    server.say(*[HOLDS[hold]() for _ in range(3)])
    with provider_of("openai", server, attempts=3, timeout=60.0) as provider:
        fails_in_time(way, provider)


@pytest.mark.parametrize("way", ways.ALL)
@pytest.mark.parametrize("hold", HOLDS)
def test_a_call_with_its_fallbacks(servers, way, hold):
    """Three providers of two attempts each."""
    held = [servers() for _ in range(3)]
    for server in held:
        server.say(HOLDS[hold](), HOLDS[hold]())
    providers = [provider_of("anthropic", server, timeout=60.0) for server in held]
    with FallbackProvider(providers) as provider:
        fails_in_time(way, provider)


@pytest.mark.parametrize("way", [ways.generate, ways.stream])
@pytest.mark.parametrize("hold", HOLDS)
def test_a_call_over_a_lent_transport(server, way, hold):
    """A transport of httpx's own that the host gave is kept to the deadline too."""
    server.say(HOLDS[hold](), HOLDS[hold]())
    lent = httpx.HTTPTransport()
    with provider_of("gemini", server, timeout=60.0, transport=lent) as provider, lent:
        fails_in_time(way, provider)


@pytest.mark.parametrize("way", ways.ALL)
def test_one_that_holds_leaves_time_for_the_next(servers, way):
    """It gets half of what is left: the second one answers within the same deadline."""
    held, good = servers(), servers()
    held.say(Raw([SILENCE]), Raw([SILENCE]))
    good.say(ways.scripted(way, FAKES["gemini"], Said('{"message": "Oi"}')))
    providers = [provider_of("openai", held), provider_of("gemini", good)]
    began = time.monotonic()
    with FallbackProvider(providers) as provider:
        assert way(provider, speak(deadline=began + DEADLINE))[1].message == "Oi"
    assert time.monotonic() - began < DEADLINE + GRACE


@pytest.mark.parametrize("way", ways.ALL)
@pytest.mark.parametrize("kind", FORMATS)
def test_a_deadline_that_has_passed(servers, way, kind):
    """Nothing is sent at all."""
    server = servers(kind)
    with provider_of(kind, server) as provider, pytest.raises(ProviderError) as caught:
        way(provider, speak(deadline=time.monotonic()))
    assert caught.value.kind is ErrorKind.TIMEOUT
    assert server.connections == 0


def test_a_connection_that_is_not_taken(servers):
    """A server whose queue is full: connecting ends in time too."""
    full = socket.socket()
    full.bind(("127.0.0.1", 0))
    full.listen(0)
    waiting = []
    try:
        for _ in range(4):
            one = socket.socket()
            one.setblocking(False)  # noqa: FBT003 - the socket's own signature
            one.connect_ex(full.getsockname())
            waiting.append(one)
        url = f"http://127.0.0.1:{full.getsockname()[1]}"
        for way in ways.ALL:
            with provider_of("openai", servers(), base_url=url, timeout=60.0) as provider:
                assert fails_in_time(way, provider).kind is ErrorKind.TIMEOUT
    finally:
        for one in [*waiting, full]:
            one.close()


@pytest.fixture
def listener():
    """`listener(take)`: a server that has one connection taken by a function, and closed behind it."""
    threads = []

    def listen(take):
        listening = socket.create_server(("127.0.0.1", 0))

        def serve():
            with listening, listening.accept()[0] as connection:
                take(connection)

        threads.append(threading.Thread(target=serve, daemon=True))
        threads[-1].start()
        return f"127.0.0.1:{listening.getsockname()[1]}"

    over = listen.over = threading.Event()
    yield listen
    over.set()
    for thread in threads:
        thread.join(5)


@pytest.mark.parametrize("way", ways.ALL)
def test_a_handshake_that_is_not_answered(servers, way, listener):
    """TLS to a server that says nothing."""
    url = "https://" + listener(lambda connection: listener.over.wait(5))
    with provider_of("openai", servers(), base_url=url, attempts=1, timeout=60.0) as provider:
        assert fails_in_time(way, provider).kind is ErrorKind.TIMEOUT


def read_bit_by_bit(connection, over):
    while not over.wait(0.01) and connection.recv(20_000):
        pass


@pytest.mark.parametrize("way", ways.ALL)
@pytest.mark.parametrize("reads", [False, True], ids=["not at all", "bit by bit"])
def test_a_request_that_is_not_read(servers, way, listener, reads):
    """More than the system keeps for a server that does not read, or hardly."""
    over = listener.over
    url = "http://" + listener(lambda each: read_bit_by_bit(each, over) if reads else over.wait(5))
    prompt = "x" * 16_000_000
    with provider_of("openai", servers(), base_url=url, attempts=1, timeout=60.0) as provider:
        began = time.monotonic()
        with pytest.raises(ProviderError) as caught:
            way(provider, speak(prompt=prompt, deadline=began + DEADLINE))
        assert time.monotonic() - began < DEADLINE + GRACE
        assert caught.value.kind is ErrorKind.TIMEOUT


def test_a_reader_that_takes_its_time(server):
    """Time that the reader of a stream spends is the call's time; it ends at the next piece that is asked for."""
    frames = FAKES["openai"].frames(Said('{"message": "Bom dia"}'))
    server.say(Reply.of_events([*frames[:-1], SILENCE]))
    began = time.monotonic()
    with provider_of("openai", server, attempts=1) as provider:
        reading = provider.stream(speak(deadline=began + 0.1))
        with pytest.raises(ProviderError):
            [time.sleep(0.03) for _ in reading]
    assert time.monotonic() - began < 0.1 + GRACE


def test_a_loop_is_never_held_up(servers):
    """While a call waits on an event loop, others run."""
    server = servers()
    server.say(Raw([SILENCE]))

    async def run():
        ticks = 0
        async with provider_of("openai", server, attempts=1, timeout=0.2) as provider:
            call = asyncio.create_task(provider.agenerate(speak()))
            while not call.done():
                await asyncio.sleep(0.01)
                ticks += 1
            assert isinstance(call.exception(), ProviderError)
        return ticks

    assert asyncio.run(run()) > 5


def test_a_call_that_is_cancelled(servers):
    """Its connection is closed, and the provider goes on."""
    server = servers()
    server.say(Raw([SILENCE]), Reply.of_json(FAKES["openai"].body(Said('{"message": "Oi"}'))))

    async def run():
        async with provider_of("openai", server) as provider:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await provider.agenerate(speak())
            return (await provider.agenerate(speak())).message

    assert asyncio.run(run()) == "Oi"
