"""What an answer sets has the field's type; one tenant's slow receivers take no connection from another."""

from __future__ import annotations

import threading
import time

import pytest

from falai_django.errors import OutgoingError
from falai_django.outgoing.handlers import http_action, http_tool
from falai_django.outgoing.secret_values import no_secrets
from falai_django.outgoing.shares import send_for, share_of
from falai_engine.registry import Ok
from tests.host.outgoing.definitions import action_call, tool_request
from tests.host.outgoing.sending import get
from tests.providers.local_server import Reply

DECLARED = {
    "price": {"type": "number"},
    "plan": {"type": "string", "enum": ["basic", "pro"]},
    "vip": {"type": "boolean"},
    "n": {"type": "integer"},
}


def spec_of(server, *names, **answer):
    answer = {"set": {name: f"/{name}" for name in names}, **answer}
    return {"id": "look", "request": {"method": "GET", "url": f"{server.url}/"}, "answer": answer}


def act(server, given, *names, **answer):
    written = {}
    server.say(Reply.of_json(given))
    action = http_action("look", spec_of(server, *names, **answer), no_secrets, DECLARED)
    return action.handler({}, action_call(written)), written


def test_values_are_coerced_as_those_that_a_model_gives(allowed):
    given = {"price": "9.50", "plan": "pro", "vip": "true", "n": "3"}
    result, written = act(allowed, given, *given)
    assert (result, written) == (Ok(None), {"price": 9.5, "plan": "pro", "vip": True, "n": 3})


def test_a_null_unsets_whatever_the_type(allowed):
    assert act(allowed, {"price": None}, "price")[1] == {"price": None}


@pytest.mark.parametrize("value", ["cheap", [1], {"a": 1}, ""], ids=str)
def test_what_does_not_fit_leaves_its_field_alone_and_is_told_in_the_line(allowed, value):
    result, written = act(allowed, {"n": value, "price": 1, "note": "in stock"}, "n", "price", detail="/note")
    assert written == {"price": 1}
    assert result == Ok("in stock; “n” is no integer")


def test_a_choice_that_is_none_and_a_field_that_is_gone_are_told(allowed):
    result, written = act(allowed, {"plan": "gold", "gone": 1}, "plan", "gone")
    assert (result, written) == (Ok("“plan” is none of its choices; there is no field “gone”"), {})


def test_the_model_reads_what_was_left_out_beside_the_value(allowed):
    allowed.say(Reply.of_json({"n": "many", "price": 2}), Reply.of_json({"n": 1, "price": 2}))
    tool = http_tool(spec_of(allowed, "n", "price", value="/price"), no_secrets, DECLARED)
    result = tool.handler({}, tool_request())
    assert (result.value, result.data) == ({"value": 2, "skipped": {"n": "“n” is no integer"}}, {"price": 2})
    result = tool.handler({}, tool_request())
    assert (result.value, result.data) == (2, {"n": 1, "price": 2})


# -- shares


def test_the_requests_of_one_tenant_beyond_its_share_wait_and_those_of_another_do_not(allowed, settings):
    """Two places; the third request of the tenant goes when one came free, another tenant's goes at once."""
    settings.FALAI_OUTGOING_PER_TENANT = 2
    free, told = threading.Event(), []

    def hold():
        with share_of("acme", time.monotonic() + 10):
            told.append("held")
            free.wait(10)

    def ask():
        send_for("acme")(get(f"{allowed.url}/third"), time.monotonic() + 10)
        told.append("third")

    allowed.say(Reply([b""]), Reply([b""]))
    holders = [threading.Thread(target=hold) for _ in range(2)]
    for thread in holders:
        thread.start()
    while told.count("held") < 2:
        time.sleep(0.001)
    third = threading.Thread(target=ask)
    third.start()
    send_for("other")(get(f"{allowed.url}/theirs"), time.monotonic() + 10)
    assert [asked.path for asked in allowed.asked] == ["/theirs"]
    free.set()
    for thread in [*holders, third]:
        thread.join(10)
    assert [asked.path for asked in allowed.asked] == ["/theirs", "/third"]


def test_who_gets_no_place_in_time_is_told_and_nothing_leaves(allowed, settings):
    settings.FALAI_OUTGOING_PER_TENANT = 1
    with share_of("acme", time.monotonic() + 5), pytest.raises(OutgoingError, match="too many other requests"):
        send_for("acme")(get(f"{allowed.url}/"), time.monotonic())
    assert allowed.connections == 0
    allowed.say(Reply([b""]))
    assert send_for("acme")(get(f"{allowed.url}/"), time.monotonic() + 5).status == 200


def test_a_place_comes_free_whatever_became_of_the_request(settings):
    settings.FALAI_OUTGOING_PER_TENANT = 1
    for _ in range(3):
        with pytest.raises(OutgoingError):
            send_for("acme")(get("http://127.0.0.1:9/"), time.monotonic() + 5)
