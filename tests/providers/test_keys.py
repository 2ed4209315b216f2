"""Keys stay where they belong: in one header of the requests to the vendor, and nowhere else."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
import traceback

import pytest
from hpack import Encoder

from falai_engine.errors import FlowConfigurationError, ProviderError
from falai_engine.providers import make_provider
from falai_engine.providers.masking import masked
from falai_engine.providers.openai_responses import OPENAI_RESPONSES
from falai_engine.providers.settings import Settings
from tests.providers import ways
from tests.providers.fakes import Said
from tests.providers.local_server import Raw, Reply
from tests.providers.requests import speak
from tests.providers.vendors import FAKES, FORMATS, provider_of

SECRET = "made-up-Secret.0123456789"


@pytest.fixture
def everything(caplog):
    """All that is logged by anybody, at the finest level."""
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "hpack", "hpack.hpack", "asyncio"):
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def all_that_is_told(error):
    return "\n".join([str(error), repr(error), repr(vars(error)), *traceback.format_exception(error)])


@pytest.mark.parametrize("way", ways.ALL)
@pytest.mark.parametrize("kind", FORMATS)
def test_a_server_that_quotes_the_key(servers, everything, kind, way):
    """In its body, its error's code, its headers: not in the exception, nor in a log line."""
    server = servers()

    def quoting(asked):
        assert SECRET in json.dumps(asked.headers)
        assert SECRET not in asked.path
        error = {"error": {"code": f"bad {SECRET}", "message": f"Bearer {SECRET}", "headers": asked.headers}}
        return Reply.of_json(error, 400, x_told=SECRET)

    server.say(quoting)
    with provider_of(kind, server, api_key=SECRET) as provider, pytest.raises(ProviderError) as caught:
        way(provider, speak())
    assert SECRET not in all_that_is_told(caught.value)
    assert "***" in caught.value.body
    assert SECRET not in everything.text
    assert SECRET not in repr(provider)
    assert SECRET not in pickle.dumps(caught.value).decode("latin-1")


@pytest.mark.parametrize("way", ways.ALL)
def test_a_line_that_breaks(servers, everything, way):
    """Not in what a broken connection or a malformed reply leaves behind either."""
    server = servers()
    server.say(Raw([f"HTTP/1.1 {SECRET}\r\n\r\n".encode()]), Raw([]))
    with provider_of("openai", server, api_key=SECRET) as provider, pytest.raises(ProviderError) as caught:
        way(provider, speak())
    assert SECRET not in all_that_is_told(caught.value)
    assert SECRET not in everything.text


@pytest.mark.parametrize("way", ways.ALL)
@pytest.mark.parametrize("kind", FORMATS)
def test_a_call_that_works_logs_no_key(servers, everything, kind, way):
    """The URL is named at level INFO: the key is not in it."""
    server = servers(kind)
    server.say(ways.scripted(way, FAKES[kind], Said('{"message": "Oi"}')))
    with provider_of(kind, server) as provider:
        way(provider, speak())
    assert FAKES[kind].KEY not in everything.text
    assert "HTTP Request: POST" in everything.text


@pytest.mark.parametrize("key", ["with blank", "line\n", "\u00e9", "", "a\x00b"])
def test_a_key_that_no_header_carries(key):
    """It is refused before a call, and not quoted."""
    with pytest.raises(FlowConfigurationError) as caught:
        make_provider("openai", model="m", api_key=key)
    assert not key or key not in all_that_is_told(caught.value)


def test_a_base_url_has_no_credentials():
    """It would show in every log line."""
    with pytest.raises(FlowConfigurationError) as caught:
        make_provider("openai", model="m", api_key=SECRET, base_url=f"https://user:{SECRET}@x.example")
    assert SECRET not in str(caught.value)


def test_settings_and_calls_show_no_key():
    """Whatever is printed in a debugger or a report."""
    provider = make_provider("openai", model="m", api_key=SECRET)
    settings = Settings(kind="openai", model="m", base_url="https://x.example", api_key=SECRET)
    call = OPENAI_RESPONSES.build(speak(), settings, streaming=False)
    assert SECRET in json.dumps(dict(call.headers))
    for shown in (provider, settings, call, make_provider("fallback", providers=[provider])):
        assert SECRET not in repr(shown)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"key {SECRET}!", "key ***!"),
        ("sk-proj-abcdefgh12345678 is wrong", "*** is wrong"),
        ("AIzaSyA-1234567890abc", "***"),
        ("Authorization: Bearer abcdef.ghi", "***"),
        ('{"x-api-key": "abc", "a": 1}', '{"***", "a": 1}'),
        ("api_key=abc&x=1", "***"),
        ("a task-like word, risk-free", "a task-like word, risk-free"),
        ("the bearer of news", "the bearer of news"),
    ],
)
def test_what_a_mask_covers(text, left):
    """The key itself, and what looks like one; ordinary words stay."""
    assert masked(text, SECRET) == left
    assert SECRET not in masked(text * 3, SECRET)


def test_http2_logs_no_headers(everything):
    """The library that packs them logs them at DEBUG: those lines are dropped once we use it."""
    providers = [make_provider("openai", model="m", api_key=SECRET) for _ in range(2)]
    Encoder().encode([("authorization", SECRET)])
    assert everything.text == ""
    assert len(logging.getLogger("hpack.hpack").filters) == 1
    logging.getLogger("hpack.hpack").warning("but this is said")
    assert "but this is said" in everything.text
    assert providers


def test_an_unawaited_call_opens_nothing():
    """Making a provider, and making a call without running it, touches no socket and no loop."""
    provider = make_provider("openai", model="m", api_key=SECRET, base_url="https://nobody.example")
    stream = provider.stream(speak())
    astream = provider.astream(speak())
    asyncio.run(astream.aclose())
    stream.close()
