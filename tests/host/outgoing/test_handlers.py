"""HTTP actions and tools: each call comes to a clear outcome within its time, whatever the other side does."""

from __future__ import annotations

import re
import time

import pytest

from falai_django.errors import OutgoingError
from falai_django.outgoing.connection import Answered
from falai_django.outgoing.handlers import HttpCall, http_action, http_tool
from falai_django.outgoing.idempotency import current_key, keyed, under_key
from falai_django.outgoing.placeholders import Values
from falai_django.outgoing.secret_values import MASK, no_secrets
from falai_engine.registry import Failed, Invalid, Ok, Skipped
from tests.host.outgoing.definitions import SECRET, action_call, secrets_for, tool_request
from tests.providers.local_server import ABORT, SILENCE, Raw, Reply

LOOKUP = {
    "kind": "http",
    "parameters": {"sku": {"type": "string"}, "count": {"type": "integer", "optional": True}},
    "answer": {"set": {"price": "/price"}, "value": "/price", "detail": "/note"},
}


def lookup(server, **more):
    request = {"method": "POST", "url": f"{server.url}/p/{{{{input.sku}}}}", "body": {"n": "{{input.count}}"}}
    return {**LOOKUP, "request": {**request, **more.pop("request", {})}, **more}


def act(spec, params, secret_of=no_secrets, **parts):
    """The result, and what was set."""
    written = {}
    return http_action("lookup", spec, secret_of).handler(params, action_call(written, **parts)), written


def soon(seconds):
    return time.monotonic() + seconds


def test_an_action_asks_and_sets_fields(allowed):
    allowed.say(Reply.of_json({"price": 9.5, "note": "in stock"}))
    result, written = act(lookup(allowed), {"sku": "a b", "count": "3"})
    assert (result, written) == (Ok("in stock"), {"price": 9.5})
    assert (allowed.asked[0].path, allowed.asked[0].body) == ("/p/a%20b", {"n": 3})


def test_a_null_unsets_and_what_is_missing_stays(allowed):
    allowed.say(Reply.of_json({"price": None}), Reply.of_json({}))
    assert act(lookup(allowed), {"sku": "a"})[1] == {"price": None}
    assert act(lookup(allowed), {"sku": "a"})[1] == {}


def test_an_action_skips_and_fails(allowed):
    spec = lookup(allowed, answer={"skipped": {"status": [404]}, "set": {"price": "/price"}})
    allowed.say(Reply([b""], 404), Reply.of_json({"price": 1}, 409))
    assert act(spec, {"sku": "a"}) == (Skipped("answered 404 Not Found"), {})
    assert act(spec, {"sku": "a"}) == (Failed("answered 409 Conflict"), {})


OUTCOMES = {
    "html": (Reply([b"<html></html>"], 200, {"content-type": "text/html"}), "no JSON (text/html, 13 bytes)"),
    "an error page": (Reply([b"<html></html>"], 404, {"content-type": "text/html"}), "answered 404 Not Found"),
    "10 MB": (Reply([b"x" * 1_000_000] * 10), "larger than 1000000 bytes"),
    "invalid JSON": (Reply([b'{"price": '], 200, {"content-type": "application/json"}), "no JSON"),
    "a redirect": (Reply([b""], 302, {"location": "/p/a"}), "redirect is not followed"),
    "no HTTP": (Raw([b"hello\r\n\r\n"]), "no whole HTTP answer"),
}


@pytest.mark.parametrize(("script", "words"), OUTCOMES.values(), ids=OUTCOMES)
def test_each_bad_answer_is_one_clear_line(allowed, script, words):
    allowed.say(script)
    result, written = act(lookup(allowed, idempotent=False), {"sku": "a"})
    assert isinstance(result, Failed)
    assert words in result.detail
    assert written == {}


def test_a_server_slower_than_the_turns_budget_is_a_clear_line(allowed):
    """It tells how long it had."""
    allowed.say(Raw([SILENCE]))
    result, written = act(lookup(allowed), {"sku": "a"}, deadline=soon(0.2))
    assert re.fullmatch(r"no (answer came|connection was made) in time \(it had 0\.[0-2] s\)", result.detail)
    assert (type(result), written) == (Failed, {})


def test_no_body_is_ok_and_sets_nothing(allowed):
    allowed.say(Reply([b""], 204))
    assert act(lookup(allowed), {"sku": "a"}) == (Ok(None), {})


def test_a_redirect_loop_is_one_request(allowed):
    allowed.say(*[Reply([b""], 307, {"location": "/p/a"})] * 5)
    act(lookup(allowed), {"sku": "a"})
    assert len(allowed.asked) == 1


def test_the_timeout_of_a_request_is_its_own(allowed):
    """The turn has more time; the author wants no more of it spent."""
    allowed.say(Raw([SILENCE]))
    result, _written = act(
        lookup(allowed, request={"timeout": "0.1s"}, idempotent=False), {"sku": "a"}, deadline=soon(60)
    )
    assert "no answer came in time" in result.detail


def test_a_deadline_that_has_passed_sends_nothing(allowed):
    result, _written = act(lookup(allowed), {"sku": "a"}, deadline=soon(-1))
    assert isinstance(result, Failed)
    assert allowed.connections == 0


# -- tries


def tried(*answers, attempts=3, deadline=None, answer=None):
    """What a call came to when it met these one after another, how often it was made, and its pauses."""
    made, pauses = [], []

    def send(request, until):
        made.append(request)
        given = answers[len(made) - 1]
        if isinstance(given, OutgoingError):
            raise given
        status, headers = given if isinstance(given, tuple) else (given, {})
        return Answered(status, headers, b"")

    spec = {"request": {"method": "GET", "url": "https://api.example.com/"}, "answer": answer}
    call = HttpCall.of({**spec, "idempotent": attempts > 1}, no_secrets)
    call = HttpCall(call.request, call.answer, no_secrets, call.attempts, send, pauses.append)
    return call.run(Values(), deadline), len(made), pauses


def error(code):
    return OutgoingError(code, f"it is {code}")


def test_a_failure_that_may_pass_is_tried_again():
    """500, then 200: the flow never knows."""
    for first in (500, 502, 503, 504, 429, error("unreachable"), error("timeout"), error("broken")):
        reading, made, pauses = tried(first, 200)
        assert (reading.kind, made, len(pauses)) == ("ok", 2, 1)


def test_there_is_an_end_to_it():
    reading, made, pauses = tried(503, 500, 502)
    assert (reading.kind, reading.detail, made) == ("failed", "answered 502 Bad Gateway", 3)
    assert 0 < pauses[0] <= 0.25
    assert 0 < pauses[1] <= 0.5


@pytest.mark.parametrize("first", [400, 404, 501, 302, error("refused"), error("too-large")], ids=str)
def test_what_would_be_the_same_again_is_not_tried_again(first):
    assert tried(first, 200)[1] == 1


@pytest.mark.parametrize("first", [500, 503, error("timeout"), error("unreachable")], ids=str)
def test_what_may_not_be_done_twice_is_tried_once(first):
    assert tried(first, 200, attempts=1)[1] == 1


def test_what_the_author_takes_for_an_answer_is_one():
    reading, made, _pauses = tried(503, answer={"skipped": {"status": [503]}})
    assert (reading.kind, made) == ("skipped", 1)


def test_a_receiver_says_how_long_to_wait():
    assert tried((503, {"retry-after": "2"}), 200)[2] == [2.0]
    assert tried((503, {"retry-after": "soon"}), 200)[2][0] <= 0.25


def test_a_pause_that_does_not_fit_is_not_made():
    """Neither beyond the turn's deadline nor beyond the request's own timeout."""
    assert tried((503, {"retry-after": "3600"}), 200)[1:] == (1, [])
    assert tried((503, {"retry-after": "5"}), 200, deadline=soon(1))[1:] == (1, [])


def test_tries_lie_within_one_time(allowed):
    """A server that never answers is not waited for three times."""
    allowed.say(*[Raw([SILENCE])] * 3)
    result, _written = act(lookup(allowed), {"sku": "a"}, deadline=soon(0.2))
    assert (isinstance(result, Failed), len(allowed.asked)) == (True, 1)


def test_a_real_server_that_recovers(allowed):
    allowed.say(Reply([b"x", ABORT], 200, declared=9), Reply([b""], 500), Reply.of_json({"price": 1}))
    assert act(lookup(allowed), {"sku": "a"}) == (Ok(None), {"price": 1})
    assert len(allowed.asked) == 3


# -- parameters


@pytest.mark.parametrize(
    ("params", "words"),
    [({}, "sku"), ({"sku": None}, "sku"), ({"sku": "{{data.sku}}"}, "sku"), ({"sku": "a", "count": "many"}, "count")],
    ids=["missing", "null", "unfilled", "no number"],
)
def test_a_parameter_that_does_not_fit_sends_nothing(allowed, params, words):
    result, _written = act(lookup(allowed), params)
    assert isinstance(result, Failed)
    assert words in result.detail
    assert allowed.connections == 0


@pytest.mark.parametrize("count", [None, "", " ", "{{data.count}}"])
def test_an_optional_parameter_may_be_left_out(allowed, count):
    allowed.say(Reply.of_json({}))
    act(lookup(allowed), {"sku": "a", "count": count, "unknown": "x"})
    assert allowed.asked[0].body == {"n": None}


def test_data_and_context_fill_a_request_too(allowed):
    allowed.say(Reply.of_json({}))
    body = {"a": "{{data.name}}", "b": "{{context.phone}}"}
    act(lookup(allowed, request={"body": body}), {"sku": "a"}, data={"name": "Ana"}, context={"phone": "+55"})
    assert allowed.asked[0].body == {"a": "Ana", "b": "+55"}


# -- keys


def test_a_call_leaves_under_the_key_of_its_turn(allowed):
    """The same on a replay; another turn has another."""
    allowed.say(*[Reply.of_json({})] * 4)
    handler = http_action("lookup", lookup(allowed), no_secrets).handler
    for key in ("one", "one", "two"):
        keyed(handler, key)({"sku": "a"}, action_call())
    handler({"sku": "a"}, action_call())
    assert [asked.headers.get("idempotency-key") for asked in allowed.asked] == ["one", "one", "two", None]
    assert current_key() is None


def test_each_try_has_the_same_key(allowed):
    allowed.say(Reply([b""], 500), Reply.of_json({}))
    with under_key("k"):
        act(lookup(allowed), {"sku": "a"})
    assert [asked.headers["idempotency-key"] for asked in allowed.asked] == ["k", "k"]


def test_an_http_action_is_idempotent_unless_it_says_no(allowed):
    assert http_action("a", lookup(allowed), no_secrets).idempotent
    assert not http_action("a", lookup(allowed, idempotent=False), no_secrets).idempotent


# -- tools

TOOL = {
    "id": "price",
    "description": "Looks up a price",
    "parameters": {
        "type": "object",
        "properties": {
            "sku": {"type": "string"},
            "count": {"type": ["integer", "null"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "size": {"enum": ["s", "m"]},
            "more": {"type": "object", "properties": {"a": {"type": "string"}}},
        },
        "required": ["sku"],
    },
    "readOnly": True,
}


def price_tool(server, **more):
    return http_tool(lookup(server, **TOOL, **more), no_secrets)


def test_a_tool_gives_its_value_and_sets_fields(allowed):
    allowed.say(Reply.of_json({"price": 9.5}))
    result = price_tool(allowed).handler({"sku": "a", "count": "2"}, tool_request())
    assert (result.value, result.data) == (9.5, {"price": 9.5})
    assert allowed.asked[0].body == {"n": 2}


def test_a_tool_is_what_its_definition_says(allowed):
    tool = price_tool(allowed)
    assert (tool.id, tool.description, tool.read_only, tool.destructive, tool.idempotent) == (
        *("price", "Looks up a price", True, False),
        True,
    )


def test_a_tool_that_skips_or_fails_says_why(allowed):
    tool = price_tool(allowed, answer={"skipped": {"status": [404]}})
    allowed.say(Reply([b""], 404), Reply([b""], 409))
    assert tool.handler({"sku": "a"}, tool_request()).value == {"skipped": "answered 404 Not Found"}
    with pytest.raises(OutgoingError, match="answered 409 Conflict"):
        tool.handler({"sku": "a"}, tool_request())


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"sku": None},
        {"sku": {"a": 1}},
        {"sku": ["a"]},
        {"sku": "a", "count": "x"},
        {"sku": "a", "tags": "x"},
        {"sku": "a", "tags": [{"x": 1}]},
        {"sku": "a", "size": "xl"},
        {"sku": "a", "more": []},
        {"sku": "a", "more": {"a": {}}},
    ],
    ids=str,
)
def test_arguments_that_do_not_fit_are_told_to_the_model(allowed, arguments):
    """A model cannot put an object where a text belongs."""
    found = price_tool(allowed).validate(arguments, tool_request())
    assert isinstance(found, Invalid)
    assert found.error


def test_what_a_schema_does_not_declare_is_left_out(allowed):
    body = {
        "unknown": "{{input.unknown}}",
        "more": "{{input.more}}",
        "tags": "{{input.tags}}",
        "count": "{{input.count}}",
    }
    allowed.say(Reply.of_json({}))
    arguments = {"sku": "a", "unknown": "x", "more": {"a": "1", "b": "2"}, "tags": ["t"], "count": None}
    tool = price_tool(allowed, request={"body": body})
    assert tool.validate(arguments, tool_request()) is None
    tool.handler(arguments, tool_request())
    assert allowed.asked[0].body == {"unknown": None, "more": {"a": "1"}, "tags": ["t"], "count": None}


# -- secrets


def test_a_secret_that_comes_back_goes_no_further(allowed):
    """Neither into a line, nor a field, nor to the model."""
    spec = lookup(
        allowed,
        request={"secrets": {"crm": {"in": "header", "as": "X-Key"}}},
        answer={"detail": "/echo", "set": {"price": "/echo"}, "value": ""},
    )
    secret_of = secrets_for("127.0.0.1")
    allowed.say(*[lambda asked: Reply.of_json({"echo": f"you sent {asked.headers['x-key']}"})] * 2)
    result, written = act(spec, {"sku": "a"}, secret_of)
    assert (result, written) == (Ok(f"you sent {MASK}"), {"price": f"you sent {MASK}"})
    assert allowed.asked[0].headers["x-key"] == SECRET
    tool = http_tool({**TOOL, **spec, "parameters": TOOL["parameters"]}, secret_of)
    assert tool.handler({"sku": "a"}, tool_request()).value == {"echo": f"you sent {MASK}"}


def test_a_definition_that_cannot_be_is_refused_when_it_is_made():
    with pytest.raises(OutgoingError, match=r"request\.url"):
        http_action("a", {"request": {"method": "GET", "url": "https://{{input.h}}/"}}, no_secrets)
