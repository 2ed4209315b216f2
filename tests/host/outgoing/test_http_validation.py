"""Every error of an HTTP definition is found before it is published, at its path, with a way to mend it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falai_django.errors import OutgoingError
from falai_django.outgoing.answer import compile_answer
from falai_django.outgoing.findings import KnownNames
from falai_django.outgoing.request import compile_request
from falai_django.outgoing.validation import http_check
from falai_engine.validation import Definition, validate_agent_all

GOOD = {
    "method": "POST",
    "url": "https://api.example.com/{{input.sku}}?x={{data.name}}",
    "query": {"q": "{{context.anything}}"},
    "headers": {"X-A": "a {{input.sku}}"},
    "body": {"a": ["{{input.sku}}", 1, None, "{{1}}", "{{name}}"]},
    "secrets": {"crm": {"in": "header", "as": "Authorization", "prefix": "Bearer "}},
    "timeout": "10s",
}
ANSWER = {
    "ok": {"status": [200, "2xx"], "path": "/ok", "equals": True},
    "skipped": {"path": "/gone"},
    "detail": "/message",
    "set": {"name": "/name"},
    "value": "",
}
NAMES = KnownNames(data=["name", "city"], secrets={"crm": ["api.example.com"], "other": ["other.example.com"]})

REQUEST_CASES = [
    ({"method": "FETCH"}, "request.method"),
    ({"method": None}, "request.method"),
    ({"method": ["GET"]}, "request.method"),
    ({"method": "GET"}, "request.body"),
    ({"url": None}, "request.url"),
    ({"url": 7}, "request.url"),
    ({"url": "http://api.example.com/"}, "request.url"),
    ({"url": "https://10.0.0.1/", "secrets": None}, "request.url"),
    ({"url": "https://api.example.com:22/"}, "request.url"),
    ({"url": "https://{{input.sku}}/"}, "request.url"),
    ({"url": "https://api.example.com/{{input.skuu}}"}, "request.url"),
    ({"url": "https://api.example.com/{{data.nmae}}"}, "request.url"),
    ({"query": []}, "request.query"),
    ({"query": {"q": 7}}, "request.query.q"),
    ({"query": {"q": "{{nothing.x}}"}}, "request.query.q"),
    ({"query": {"{{input.sku}}": "x"}}, 'request.query["{{input.sku}}"]'),
    ({"headers": "X"}, "request.headers"),
    ({"headers": {"X Y": "a"}}, 'request.headers["X Y"]'),
    ({"headers": {"X\r\nY": "a"}}, 'request.headers["X\\r\\nY"]'),
    ({"headers": {"Host": "a"}}, "request.headers.Host"),
    ({"headers": {"content-length": "1"}}, "request.headers.content-length"),
    ({"headers": {"Transfer-Encoding": "chunked"}}, "request.headers.Transfer-Encoding"),
    ({"headers": {"Proxy-Authorization": "x"}}, "request.headers.Proxy-Authorization"),
    ({"headers": {"Idempotency-Key": "x"}}, "request.headers.Idempotency-Key"),
    ({"headers": {"X": "a\nb"}}, "request.headers.X"),
    ({"headers": {"X": "ção"}}, "request.headers.X"),
    ({"headers": {"X": "1", "x": "2"}}, "request.headers.x"),
    ({"headers": {"X": "{{input.nope}}"}}, "request.headers.X"),
    ({"body": {"a": ["{{input.nope}}"]}}, "request.body.a[0]"),
    ({"body": {"a": "{{parameters.sku}}"}}, "request.body.a"),
    ({"body": {"{{input.sku}}": 1}}, 'request.body["{{input.sku}}"]'),
    ({"body": float("nan")}, "request.body"),
    ({"secrets": ["crm"]}, "request.secrets"),
    ({"secrets": {"crn": {"in": "header", "as": "X"}}}, "request.secrets.crn"),
    ({"secrets": {"other": {"in": "header", "as": "X"}}}, "request.secrets.other"),
    ({"secrets": {"crm": "X"}}, "request.secrets.crm"),
    ({"secrets": {"crm": {"in": "body", "as": "X"}}}, "request.secrets.crm.in"),
    ({"secrets": {"crm": {"in": ["header"], "as": "X"}}}, "request.secrets.crm.in"),
    ({"secrets": {"crm": {"in": "header"}}}, "request.secrets.crm.as"),
    ({"secrets": {"crm": {"in": "header", "as": "Host"}}}, "request.secrets.crm.as"),
    ({"secrets": {"crm": {"in": "header", "as": "x-a"}}}, "request.secrets.crm.as"),
    ({"secrets": {"crm": {"in": "query", "as": "Q"}}}, "request.secrets.crm.as"),
    ({"secrets": {"crm": {"in": "header", "as": "X", "prefix": "a\n"}}}, "request.secrets.crm.prefix"),
    ({"secrets": {"crm": {"in": "header", "as": "X", "value": "hush"}}}, "request.secrets.crm.value"),
    ({"timeout": "soon"}, "request.timeout"),
    ({"timeout": 10}, "request.timeout"),
    ({"timeout": "0s"}, "request.timeout"),
    ({"timeout": "1h"}, "request.timeout"),
    ({"redirects": True}, "request.redirects"),
]
ANSWER_CASES = [
    ({"ok": {}}, "answer.ok"),
    ({"ok": True}, "answer.ok"),
    ({"ok": {"status": 200}}, "answer.ok.status"),
    ({"ok": {"status": []}}, "answer.ok.status"),
    ({"ok": {"status": [200, "2x"]}}, "answer.ok.status[1]"),
    ({"ok": {"status": [600]}}, "answer.ok.status[0]"),
    ({"ok": {"status": [True]}}, "answer.ok.status[0]"),
    ({"ok": {"path": "name"}}, "answer.ok.path"),
    ({"ok": {"path": "/a~2"}}, "answer.ok.path"),
    ({"ok": {"status": [200], "equals": 1}}, "answer.ok.equals"),
    ({"skipped": {"status": [404], "code": [404]}}, "answer.skipped.code"),
    ({"detail": "$.message"}, "answer.detail"),
    ({"value": 7}, "answer.value"),
    ({"set": ["name"]}, "answer.set"),
    ({"set": {"nmae": "/name"}}, "answer.set.nmae"),
    ({"set": {"name": "name"}}, "answer.set.name"),
    ({"failed": {"status": [500]}}, "answer.failed"),
]


def findings(spec, *, sort="action", names=NAMES, **options):
    parameters = {"sku": {"type": "string"}}
    if sort == "tool":
        parameters = {"type": "object", "properties": parameters}
    given = Definition(sort, "lookup", {"kind": "http", "parameters": parameters, **spec})
    return list(http_check(names, **options)(given))


@pytest.mark.parametrize("sort", ["action", "tool"])
def test_a_good_definition_has_no_finding(sort):
    assert findings({"request": GOOD, "answer": ANSWER}, sort=sort) == []
    assert findings({"request": {"method": "GET", "url": "https://api.example.com"}}, sort=sort) == []


@pytest.mark.parametrize(("change", "path"), REQUEST_CASES, ids=ascii)
def test_every_error_of_a_request_is_at_its_path(change, path):
    found = findings({"request": {**GOOD, **change}})
    assert [each.path for each in found] == [path]
    assert all(each.what and each.fix for each in found)


@pytest.mark.parametrize(("change", "path"), ANSWER_CASES, ids=ascii)
def test_every_error_of_an_answer_is_at_its_path(change, path):
    found = findings({"request": GOOD, "answer": {**ANSWER, **change}})
    assert [each.path for each in found] == [path]
    assert all(each.what and each.fix for each in found)


def test_all_of_them_are_found_at_once():
    found = findings({"request": {"method": "X", "url": "", "timeout": "x"}, "answer": {"value": "x"}})
    assert [each.path for each in found] == ["request.method", "request.url", "request.timeout", "answer.value"]


def test_the_nearest_name_is_offered():
    fixes = [
        findings({"request": {**GOOD, **change}})[0].fix
        for change in (
            {"url": "https://api.example.com/{{input.skuu}}"},
            {"secrets": {"crn": {"in": "header", "as": "X"}}},
        )
    ]
    assert fixes == ["Write “sku”", "Write “crm”"]


def test_what_is_not_known_here_is_not_looked_at():
    spec = {"request": {**GOOD, "secrets": {"any": {"in": "header", "as": "X"}}}, "answer": {"set": {"any": "/a"}}}
    assert findings(spec, names=None) == []


def test_who_may_be_reached_may_be_left_to_the_call():
    assert findings({"request": {**GOOD, "url": "https://10.0.0.1/"}}, reach=False, names=None) == []


def test_the_engine_tells_them_where_they_stand():
    """By `validate_agent_all`, as all other problems."""
    document = {
        "specVersion": 1,
        "name": "A",
        "flows": [],
        "actions": {"look": {"kind": "http", "parameters": {}, "request": {**GOOD, "method": "X"}}},
        "tools": [{"id": "t", "kind": "http", "request": {"method": "GET", "url": "https://{{data.x}}/"}}],
    }
    problems = validate_agent_all(document, checks={"http": http_check()})
    assert {(problem.path, problem.code) for problem in problems} >= {
        ("actions.look.request.method", "definition"),
        ("tools[0].request.url", "definition"),
    }


_junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["header", "GET", "/a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["method", "url", "query", "headers", "body", "secrets", "timeout", "ok", "set", "status", "in", "as"]
            )
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_junk, _junk)
def test_any_definition_is_judged(request_, answer):
    """Nothing that stands in a row raises, and what has no finding can be made."""
    spec = {"request": request_, "answer": answer}
    if not findings(spec, names=None, reach=False) and request_ is not None:
        compile_request(request_)
        compile_answer(answer)


@pytest.mark.parametrize(("change", "path"), REQUEST_CASES[:6], ids=ascii)
def test_what_has_a_finding_is_not_made(change, path):
    with pytest.raises(OutgoingError, match=path.replace(".", r"\.")):
        compile_request({**GOOD, **change})
