"""What goes wrong on a line, in all four ways to call: each is the error that the table says, in time."""

from __future__ import annotations

import gzip
import json
import ssl
import time
from email.utils import formatdate

import pytest
import trustme

from falai_engine.errors import ErrorKind, ProviderError
from falai_engine.model import RESET
from falai_engine.providers import attempts
from tests.providers import ways
from tests.providers.fakes import Said
from tests.providers.local_server import ABORT, SILENCE, Dripping, Raw, Reply
from tests.providers.requests import speak
from tests.providers.vendors import FAKES, FORMATS, provider_of

KIND = "openai"
FAKE = FAKES[KIND]
BODY = json.dumps(FAKE.body(Said('{"message": "Oi"}'))).encode()
JSON = {"content-type": "application/json"}
every_way = pytest.mark.parametrize("way", ways.ALL)


def fails(way, server, kind=KIND, **options):
    with provider_of(kind, server, **{"attempts": 1} | options) as provider, pytest.raises(ProviderError) as caught:
        way(provider, speak())
    return caught.value


@every_way
@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Raw([ABORT]), ErrorKind.NETWORK),
        (Raw([]), ErrorKind.NETWORK),
        (Raw([b"HTTP/1.1 200 OK\r\ncontent-", ABORT]), ErrorKind.NETWORK),
        (Raw([b"this is no HTTP\r\n\r\n"]), ErrorKind.NETWORK),
        (Reply([BODY[:40], ABORT], headers=JSON, declared=900), ErrorKind.NETWORK),
        (Reply([BODY[:40]], headers=JSON, declared=900), ErrorKind.NETWORK),
        (Reply([BODY[:40]], headers=JSON, framing="close"), ErrorKind.UNKNOWN),
        (Reply([b"[]"], headers=JSON), ErrorKind.UNKNOWN),
        (Reply([b'"text"'], headers=JSON), ErrorKind.UNKNOWN),
        (Reply([b""], headers=JSON), ErrorKind.UNKNOWN),
        (Reply([b"{}"], headers=JSON), ErrorKind.UNKNOWN),
        (Reply([b"<html>hello</html>"], headers={"content-type": "text/html; charset=utf-8"}), ErrorKind.UNKNOWN),
        (Reply([BODY], headers={"content-type": "text/plain"}), ErrorKind.UNKNOWN),
        (Reply([b"", SILENCE], headers=JSON, declared=9), ErrorKind.TIMEOUT),
        (Reply([BODY[:40], SILENCE], headers=JSON, declared=900), ErrorKind.TIMEOUT),
        (Raw([SILENCE]), ErrorKind.TIMEOUT),
        (Raw([b"HTTP/1.1 200 OK\r\n", SILENCE]), ErrorKind.TIMEOUT),
        (Reply([b"not gzip"], headers=JSON | {"content-encoding": "gzip"}), ErrorKind.NETWORK),
    ],
    ids=lambda value: getattr(value, "value", None),
)
def test_what_a_line_does(server, way, reply, kind):
    """Resets, truncated and empty bodies, wrong content types, silence before and in the reply."""
    server.say(reply)
    assert fails(way, server, timeout=0.15).kind is kind


@every_way
def test_a_redirect_is_not_followed(servers, way):
    """The key goes to nobody but the URL that was configured."""
    server, elsewhere = servers(), servers()
    server.say(Reply([], 307, {"location": f"{elsewhere.url}/v1/responses"}))
    assert fails(way, server).status == 307
    assert elsewhere.asked == []


@every_way
def test_a_body_without_end(server, way, monkeypatch):
    """It is left where it gets too large."""
    monkeypatch.setattr(attempts, "BODY_LIMIT", 50_000)
    content_type = "text/event-stream" if way in ways.STREAMS else "application/json"
    server.say(Reply([b" " * 8_000] * 100, headers={"content-type": content_type}, framing="chunked"))
    error = fails(way, server)
    assert error.kind is ErrorKind.UNKNOWN
    assert "larger" in error.body


@every_way
def test_an_error_page_without_end(server, way):
    """Its beginning is enough."""
    server.say(Reply([b"x" * 8_000] * 100, 503, framing="chunked"))
    error = fails(way, server)
    assert error.kind is ErrorKind.OVERLOAD
    assert error.body == "x" * 2_000


@every_way
def test_an_error_page_that_breaks_off(server, way):
    """The status is what went wrong, not the page."""
    server.say(Reply([b'{"error": {"code": "insufficient_quota"', ABORT], 429, JSON, declared=900))
    assert fails(way, server).kind is ErrorKind.QUOTA


@every_way
def test_nobody_listens(server, way):
    """A port that refuses, a name that nobody has."""
    server.close()
    assert fails(way, server).kind is ErrorKind.NETWORK
    assert fails(way, server, base_url="https://nobody.example").kind is ErrorKind.NETWORK


@every_way
def test_a_certificate_that_nobody_knows(servers, way):
    """TLS that fails is the network's failure."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    server = servers(tls=context)
    error = fails(way, server, base_url=server.url)
    assert error.kind is ErrorKind.NETWORK
    assert server.asked == []


@every_way
def test_a_proxy_that_refuses(server, way, monkeypatch):
    """The proxies of the environment are used, and theirs is the network's failure too."""
    server.say(Reply([], 407))
    monkeypatch.setenv("HTTPS_PROXY", server.url)
    assert fails(way, server, base_url="https://vendor.example/v1").kind is ErrorKind.NETWORK
    assert server.asked[0].path == "vendor.example:443"


@every_way
def test_a_reply_that_is_packed_all_the_same(server, way):
    """We ask for none of it, and read it."""
    server.say(Reply([gzip.compress(BODY)], headers=JSON | {"content-encoding": "gzip"}))
    with provider_of(KIND, server) as provider:
        assert way(provider, speak())[1].message == "Oi"
    assert server.asked[0].headers["accept-encoding"] == "identity"


@every_way
@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after(server, way, form):
    """As seconds and as a date: the next attempt waits for it."""
    stated = "0.1" if form == "seconds" else formatdate(time.time() - 5, usegmt=True)
    server.say(Reply([], 429, {"retry-after": stated}), ways.scripted(way, FAKE, Said('{"message": "Oi"}')))
    began = time.monotonic()
    with provider_of(KIND, server) as provider:
        assert way(provider, speak())[1].message == "Oi"
    assert time.monotonic() - began >= (0.1 if form == "seconds" else 0)
    server.say(Reply([], 429, {"retry-after": formatdate(time.time() + 90, usegmt=True)}))
    assert 80_000 < fails(way, server).retry_after_ms <= 90_000


@pytest.mark.parametrize("way", ways.STREAMS)
@pytest.mark.parametrize("end", [SILENCE, ABORT, None], ids=["silence", "reset", "end"])
@pytest.mark.parametrize("kind", FORMATS)
def test_a_stream_that_stops_in_the_middle_begins_anew(server, way, end, kind):
    """What came of it is void."""
    fake = FAKES[kind]
    frames = fake.frames(Said('{"message": "Bom dia a todos"}', size=9))
    whole = Reply.of_events(frames)
    broken = Reply.of_events([*frames[: len(frames) // 2], end]) if end else Reply.of_events(frames[: len(frames) // 2])
    server.say(broken, whole)
    with provider_of(kind, server, timeout=0.15) as provider:
        shown, reply = way(provider, speak())
    assert "".join(shown[shown.index(RESET) + 1 :]) == reply.message == "Bom dia a todos"


@pytest.mark.parametrize("way", ways.STREAMS)
@pytest.mark.parametrize("kind", FORMATS)
def test_a_failure_told_in_a_stream(server, way, kind):
    """Behind a 200: it is of the same kind as if the status had told it."""
    fake = FAKES[kind]
    server.say(Reply.of_events([*fake.frames(Said('{"message": "Bom dia"}'))[:4], *fake.overload_frames()]))
    assert fails(way, server, kind).kind is ErrorKind.OVERLOAD


@pytest.mark.parametrize("way", ways.STREAMS)
def test_openai_tells_it_as_an_event_of_its_own_too(server, way):
    """`error` and `response.failed`."""
    server.say(
        Reply.of_events(FAKE.error_event_frames("rate_limit_exceeded", "Slow down")),
        Reply.of_events(FAKE.failure_frames("invalid_prompt", "Flagged")),
    )
    assert fails(way, server).kind is ErrorKind.RATE
    assert fails(way, server).kind is ErrorKind.CONTENT


@pytest.mark.parametrize("way", ways.STREAMS)
def test_a_stream_whose_last_event_leaves_the_items_out(server, way):
    """They are put together from the events before it."""
    server.say(Reply.of_events(FAKE.frames(Said('{"message": "Oi"}', (("ping", {"a": 1}),)), final_output=False)))
    with provider_of(KIND, server) as provider:
        reply = way(provider, speak())[1]
    assert (reply.message, reply.tool_calls[0].arguments) == ("Oi", {"a": 1})


@pytest.mark.parametrize("way", ways.STREAMS)
def test_bytes_that_come_one_by_one(server, way):
    """A slow stream is no failure: silence is what is timed."""
    frames = b"".join(FAKES["openrouter"].frames(Said('{"message": "Oi"}'))[-4:])
    server.say(Reply.of_events([Dripping(frames, 0.0001)]))
    with provider_of("openrouter", server, timeout=1.0) as provider:
        assert way(provider, speak())[1].finish == "stop"
