"""No log, no error and no repr holds a secret, at whatever level and whatever goes wrong."""

from __future__ import annotations

import base64
import logging
import time
import traceback
from urllib.parse import quote

import httpx
import pytest

from falai_django.errors import OutgoingError
from falai_django.outgoing.connection import send
from falai_django.outgoing.handlers import http_action, http_tool
from falai_django.outgoing.placeholders import Values
from falai_django.outgoing.request import compile_request
from tests.host.outgoing.definitions import SECRET, action_call, secrets_for, tool_request
from tests.host.outgoing.sending import ask, get
from tests.providers.local_server import ABORT, SILENCE, Raw, Reply

FORMS = (SECRET, quote(SECRET, safe=""), quote(SECRET), base64.b64encode(SECRET.encode()).decode())
SCRIPTS = {
    "echoes": lambda asked: Reply.of_json({"echo": asked.headers["x-key"], "path": asked.path}),
    "echoes in headers": lambda asked: Reply([b"{}"], 200, {"x-echo": asked.headers["x-key"], "location": asked.path}),
    "redirects": lambda asked: Reply([b""], 302, {"location": asked.path}),
    "fails": lambda asked: Reply([asked.headers["x-key"].encode()], 500),
    "breaks": lambda asked: Raw([b"HTTP/1.1 200 OK\r\n" + asked.headers["x-key"].encode() + b"\r\n\r\n"]),
    "hangs up": lambda asked: Reply([asked.headers["x-key"].encode(), ABORT], declared=1_000),
    "says nothing": lambda asked: Raw([SILENCE]),
}


def spec_of(server):
    return {
        "id": "look",
        "request": {
            "method": "POST",
            "url": f"{server.url}/look",
            "body": {},
            "secrets": {"crm": {"in": "header", "as": "X-Key"}, "other": {"in": "query", "as": "key"}},
        },
        "answer": {"detail": "/echo", "set": {"a": "/path"}, "value": ""},
        "idempotent": False,
    }


@pytest.fixture
def told(caplog):
    """Everything that was logged, at the lowest level of all, with tracebacks."""
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "httpcore.connection", "httpcore.http11", "falai_django"):
        caplog.set_level(logging.DEBUG, logger=name)
    return lambda: caplog.text


def no_secret_in(*texts):
    assert [form for text in texts for form in FORMS if form in str(text)] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_whatever_the_receiver_does_no_secret_is_told(allowed, told, name):
    """The request did hold it, in a header and in the URL."""
    secrets = {each: secrets_for("127.0.0.1", name=each)(each) for each in ("crm", "other")}
    allowed.say(SCRIPTS[name], SCRIPTS[name])
    written, seconds = {}, 0.2 if name == "says nothing" else 5
    call = action_call(written, deadline=time.monotonic() + seconds)
    result = http_action("look", spec_of(allowed), secrets.get).handler({}, call)
    assert allowed.asked[0].headers["x-key"] == SECRET
    assert quote(SECRET, safe="") in allowed.asked[0].path
    try:
        request = tool_request(deadline=time.monotonic() + seconds)
        value = http_tool(spec_of(allowed), secrets.get).handler({}, request)
    except OutgoingError as error:
        value = "".join(traceback.format_exception(error)) + repr(error)
    no_secret_in(result, written, value, told(), repr(secrets))


def test_the_logs_are_read_at_all(allowed, told, transports):
    """The test above would see a secret that the libraries log, and others' requests are logged as ever."""
    allowed.say(*[lambda asked: Reply([b""], headers={"x-echo": asked.headers["x-key"]})] * 2)
    transports().handle_request(httpx.Request("GET", f"{allowed.url}/", headers={"X-Key": "seen in the log"})).read()
    assert "seen in the log" in told()
    ask(get(f"{allowed.url}/", x_key="not seen in it"))
    assert "not seen in it" not in told()


def test_an_error_with_a_traceback_holds_none(allowed):
    secret_of = secrets_for("127.0.0.1")
    spec = {"method": "GET", "url": f"{allowed.url}/", "secrets": {"crm": {"in": "query", "as": "key"}}}
    allowed.say(lambda asked: Raw([b"HTTP/1.1 200 OK\r\n" + asked.path.encode() + b"\r\n\r\n"]))
    with pytest.raises(OutgoingError) as caught:
        send(compile_request(spec).build(Values(), secret_of).request, time.monotonic() + 5)
    no_secret_in("".join(traceback.format_exception(caught.value)), repr(caught.value), str(caught.value))
