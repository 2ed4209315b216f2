"""A request is its definition, filled: the shape is the author's, the values are what they were."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_django.errors import OutgoingError
from falai_django.outgoing.placeholders import Values
from falai_django.outgoing.request import compile_request
from falai_django.outgoing.secret_values import MASK, no_secrets
from tests.host.outgoing.definitions import SECRET, secrets_for
from tests.host.outgoing.hostile import HOSTILE, hostile_text

URL = "https://api.example.com/things"


def build(spec, values=None, secret_of=no_secrets, key=None, **more):
    request = compile_request({"method": "POST", "url": URL, **spec})
    return request.build(Values(values or {}, **more), secret_of, key)


def sent(spec, values=None, **more):
    return build(spec, values, **more).request


def body_of(body, values=None, **more):
    return json.loads(sent({"body": body}, values, **more).body)


def clean(text):
    return text.encode("utf-8", "ignore").decode().replace("\0", "")


@given(hostile_text)
def test_a_body_keeps_its_shape(text):
    """Each leaf is one text with the value inside, whatever the value is."""
    body = {"a": "{{input.x}}", "b": ["{{input.x}}", {"c": "<{{input.x}}>"}], "fixed": [1, True, 2.5, "{{1}}"]}
    assert body_of(body, {"x": text}) == {
        "a": clean(text),
        "b": [clean(text), {"c": f"<{clean(text)}>"}],
        "fixed": [1, True, 2.5, "{{1}}"],
    }


@pytest.mark.parametrize("value", [7, 1.5, True, ["a", 1], {"k": ["v"]}, "", "7"], ids=json.dumps)
def test_a_leaf_that_is_one_placeholder_keeps_the_type(value):
    assert body_of({"x": "{{input.x}}", "y": "{{ input.x }}"}, {"x": value}) == {"x": value, "y": value}


def test_any_other_leaf_is_text():
    assert body_of(["n={{input.x}}", " {{input.x}}"], {"x": 7}) == ["n=7", " 7"]


def test_what_has_no_value_is_null_or_nothing():
    """A leaf of its own is null, within a text it is nothing: no placeholder is ever sent."""
    assert body_of({"x": "{{input.x}}", "y": "a{{input.x}}b"}) == {"x": None, "y": "ab"}
    assert body_of("{{context.a.b}}", context={"a": "no object"}) is None


def test_values_are_not_filled_again():
    assert body_of("{{input.x}}", {"x": "{{data.secret}}"}, data={"secret": "s"}) == "{{data.secret}}"
    assert body_of("-{{input.x}}", {"x": "{{data.secret}}"}, data={"secret": "s"}) == "-{{data.secret}}"


@pytest.mark.parametrize(
    "value", [float("inf"), float("nan"), 10**400, {1: {2}}, object()], ids=["inf", "nan", "huge", "set", "object"]
)
def test_what_is_no_json_is_not_sent(value):
    with pytest.raises(OutgoingError) as caught:
        body_of("{{input.x}}", {"x": value})
    assert caught.value.code == "refused"


def test_a_body_has_a_size(settings):
    settings.FALAI_OUTGOING_MAX_BYTES = 10
    with pytest.raises(OutgoingError, match="too large"):
        body_of("{{input.x}}", {"x": "a long text"})


@given(hostile_text)
def test_a_header_is_one_line_or_refused(text):
    """Its number is fixed, and so are the others."""
    spec = {"headers": {"X-One": "{{input.x}}", "X-Two": "2"}}
    try:
        headers = sent(spec, {"x": text}).headers
    except OutgoingError:
        assert not (clean(text).isascii() and clean(text).isprintable())
        return
    assert headers[:2] == (("X-One", clean(text).strip(" \t")), ("X-Two", "2"))
    assert len(headers) == 4


def test_a_header_without_a_value_is_empty():
    """So that their number never depends on who says what."""
    assert sent({"headers": {"X-One": "{{input.x}}"}}).headers[0] == ("X-One", "")


def test_a_query_value_without_a_value_is_left_out():
    """An optional parameter that nobody gave; a text around it stays."""
    spec = {"query": {"a": "{{input.a}}", "b": "{{input.b}}", "c": "<{{input.c}}>"}}
    assert sent(spec, {"a": "1"}).url == f"{URL}?a=1&c=%3C%3E"


def test_the_query_follows_that_of_the_url():
    spec = {"url": f"{URL}?a={{{{input.a}}}}", "query": {"b c": "x&y"}}
    assert sent(spec, {"a": "1"}).url == f"{URL}?a=1&b%20c=x%26y"


def test_what_is_not_said_has_defaults():
    """JSON is sent and wanted, unless the author says something else."""
    plain = dict(sent({"body": {}}).headers)
    assert plain == {"accept": "application/json", "user-agent": "falai", "content-type": "application/json"}
    own = dict(
        sent({"body": {}, "headers": {"Accept": "text/csv", "Content-Type": "application/vnd.api+json"}}).headers
    )
    assert own == {"Accept": "text/csv", "Content-Type": "application/vnd.api+json", "user-agent": "falai"}
    assert "content-type" not in dict(
        compile_request({"method": "GET", "url": URL}).build(Values(), no_secrets).request.headers
    )


def test_the_key_of_a_call_is_a_header():
    assert ("idempotency-key", "k1") in sent({}, key="k1").headers


SECRETS = {"secrets": {"crm": {"in": "header", "as": "Authorization", "prefix": "Bearer "}}}


def test_a_secret_goes_into_a_header_or_the_query():
    built = build(SECRETS, secret_of=secrets_for("api.example.com"))
    assert ("Authorization", f"Bearer {SECRET}") in built.request.headers
    built = build({"secrets": {"crm": {"in": "query", "as": "key"}}}, secret_of=secrets_for("api.example.com"))
    assert built.request.url == f"{URL}?key=hush-hush%2F7%2B7%3D"


@pytest.mark.parametrize(
    "hosts",
    [
        (),
        ("example.com",),
        ("api.example.com.evil.example",),
        ("xapi.example.com",),
        ("api.example.com:8443",),
        ("*",),
        ("",),
    ],
    ids=["none", "parent", "longer", "prefix", "port", "star", "empty"],
)
def test_a_secret_goes_to_its_hosts_only(hosts):
    with pytest.raises(OutgoingError, match=r"api\.example\.com") as caught:
        build(SECRETS, secret_of=secrets_for(*hosts))
    assert caught.value.code == "refused"
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("host", ["api.example.com", " API.Example.com ", "api.example.com:443"])
def test_a_host_is_compared_in_its_plain_form(host):
    build(SECRETS, secret_of=secrets_for(host))


def test_a_secret_that_is_not_there_sends_nothing():
    for source in (no_secrets, secrets_for("api.example.com", value="")):
        with pytest.raises(OutgoingError, match="crm"):
            build(SECRETS, secret_of=source)


def test_a_secret_that_no_header_holds_is_refused_without_a_word_of_it():
    with pytest.raises(OutgoingError) as caught:
        build(SECRETS, secret_of=secrets_for("api.example.com", value="two\nlines"))
    assert "lines" not in str(caught.value)


def test_what_is_shown_is_what_leaves_but_for_the_secrets():
    spec = {
        "headers": {"X-A": "{{input.a}}"},
        "body": {"a": "{{input.a}}"},
        "query": {"q": "{{input.a}}"},
        "secrets": {
            "crm": {"in": "header", "as": "Authorization", "prefix": "Bearer "},
            "key": {"in": "query", "as": "key"},
        },
    }
    values = {
        "crm": secrets_for("api.example.com")("crm"),
        "key": secrets_for("api.example.com", name="key", value="k/2")("key"),
    }
    built = build(spec, {"a": f"say {SECRET}"}, secret_of=values.get)
    shown = built.shown
    assert SECRET in built.request.url + str(built.request.headers)
    assert shown.url == f"{URL}?q=say%20{MASK}&key={MASK}"
    assert ("Authorization", f"Bearer {MASK}") in shown.headers
    assert ("X-A", f"say {MASK}") in shown.headers
    assert shown.body == f'{{"a":"say {MASK}"}}'
    for told in (repr(built), str(built), repr(shown), repr(built.request), repr(values)):
        assert SECRET not in told
        assert "k/2" not in told
        assert "k%2F2" not in told


def test_a_url_has_a_length():
    with pytest.raises(OutgoingError, match="too long"):
        sent({"query": {"q": "{{input.x}}"}}, {"x": "é" * 3_000})


@given(st.sampled_from(HOSTILE), st.sampled_from(HOSTILE))
def test_a_context_of_anything_is_only_looked_up(first, second):
    """No attribute, no index, no call."""
    assert body_of("{{context.__class__}}", context={first: second} if first != "__class__" else {}) is None
