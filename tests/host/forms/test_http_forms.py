"""A request and its answer are written in inputs: what is typed is what flow-spec.md means, and nothing is lost."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falai_django import forms
from falai_django.outgoing.findings import KnownNames
from falai_django.outgoing.validation import http_check
from falai_engine.validation import validate_agent_all
from tests.host.forms.browser import form_class, page, rendered, saved, sent
from tests.host.forms.test_round_trip import assert_kept

NAMES = forms.Names.of(
    {"fields": {"preco": {"type": "number", "label": "Preço"}}, "variables": {"vezes": {"type": "integer"}}},
    secrets=("crm", "erp"),
)
FULL = {
    "parameters": {"code": {"type": "string"}},
    "request": {
        "method": "POST",
        "url": "https://api.example.com/v1/{{input.code}}",
        "query": {"q": "{{data.preco}}", "empty": ""},
        "headers": {"X-Who": "me"},
        "body": {"customer": {"name": "{{input.code}}", "vip": True}, "items": [{"n": 1}, {"n": 2.5}], "none": None},
        "secrets": {"crm": {"in": "header", "as": "Authorization", "prefix": "Bearer "}},
        "timeout": "5s",
    },
    "answer": {
        "skipped": {"status": [404]},
        "ok": {"status": [200, "2xx"], "path": "/state", "equals": "fine"},
        "detail": "/message",
        "set": {"preco": "/price"},
        "value": "",
    },
}


def action(body):
    return forms.action_fields("http", body, NAMES)


def tool(body):
    return forms.tool_fields("http", body, NAMES)


def with_body(body):
    return {"request": {"method": "POST", "url": "https://example.com/", "body": body}}


def test_all_of_a_request_and_answer_is_typed_from_nothing():
    """Each part by its inputs; the result is the definition to the letter."""
    typed = [
        ("request-method", "POST"),
        ("request-url", "https://api.example.com/v1/{{input.code}}"),
        *row("request-query", "new0", "q", "{{data.preco}}"),
        *row("request-query", "new1", "empty", ""),
        *row("request-headers", "new0", "X-Who", "me"),
        ("request-body", "values"),
        *leaf("new0", "/customer/name", "{{input.code}}"),
        *leaf("new1", "customer/vip", "", "true"),
        *leaf("new2", "/items/0/n", "1", "number"),
        *leaf("new3", "/items/1/n", "2,5", "number"),
        *leaf("new4", "/none", "", "null"),
        *row("request-secrets", "new0", "crm", None),
        ("request-secrets-new0-value-in", "header"),
        ("request-secrets-new0-value-as", "Authorization"),
        ("request-secrets-new0-value-prefix", "Bearer "),
        ("request-timeout", "5"),
        ("request-timeout-unit", "s"),
        ("answer-skipped-status", "404"),
        ("answer-ok-status", "200\n2xx"),
        ("answer-ok-path", "path"),
        ("answer-ok-path-path", "/state"),
        ("answer-ok-equals", "fine"),
        ("answer-detail", "path"),
        ("answer-detail-path", "message"),
        *row("answer-set", "new0", "preco", None),
        ("answer-set-new0-value", "path"),
        ("answer-set-new0-value-path", "price"),
        ("answer-value", "whole"),
    ]
    made = saved(tool({}), *typed)
    expected = {key: FULL[key] for key in ("request", "answer")}
    assert made == expected
    assert {key: list(made["request"][key]) for key in ("query", "body")} == {
        key: list(FULL["request"][key]) for key in ("query", "body")
    }
    assert list(http_check(KnownNames(), reach=False)(Defined(made))) == []


class Defined:
    sort = "tool"
    name = "t"

    def __init__(self, spec):
        self.spec = {**spec, "parameters": {"properties": {"code": {}}}}


def row(name, key, first, second):
    pairs = [(f"{name}-row", key), (f"{name}-{key}-name", first)]
    return pairs if second is None else [*pairs, (f"{name}-{key}-value", second)]


def leaf(key, place, text, kind="text"):
    return [*row("request-body-values", key, place, text), (f"request-body-values-{key}-value-kind", kind)]


@pytest.mark.parametrize(
    "body",
    [
        FULL,
        {"request": {"method": "GETT", "url": 5, "query": [1], "headers": {"a": None, "b": 5}, "metod": "x"}},
        {"request": [], "answer": "x"},
        {"request": {"secrets": {"gone": {"in": "cookie", "as": 1, "more": {}}, "x": "y"}, "timeout": "5 s"}},
        {"answer": {"ok": {"status": "200", "equals": {"a": 1}}, "skipped": {}, "value": None, "extra": 1}},
        {"answer": {"ok": {"path": "state", "equals": ""}, "set": {"gone": "", "preco": 5}, "detail": "no pointer"}},
        *map(with_body, [{}, [], "", "{{input.code}}", 5, True, 0, None, {"0": "a", "1": "b"}, {"a": {"0": 1}}]),
        *map(with_body, [[[], {}, [[1]]], {"a/b": {"~": {"": 1}}}, {"": ""}, {" a ": 1, "a\nb": 2}, {"a": 10**400}]),
        *map(
            with_body, [{"t": "a\r\nb"}, {"n": 1.0, "m": -0.0, "e": 1e300}, {"x": "yes", "5": "5"}, {"\ud800": "\x00"}]
        ),
        with_body({"b": {"x": 1}, "a": 2, "c": {"y": [True, False, None, {}, []]}}),
        with_body({"deep": json.loads("[" * 70 + "]" * 70)}),
    ],
    ids=lambda body: json.dumps(body)[-60:].encode("ascii", "backslashreplace").decode(),
)
def test_whatever_is_stored_is_shown_and_kept(body):
    """Saved as it came, for actions and tools, however odd the definition is."""
    for assembly in (action(body), tool(body)):
        assert_kept(body, assembly)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.just("0"), inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=25)
@given(tree=TREES, text=st.sampled_from(["x", "{{input.code}}"]))
def test_one_value_more_changes_nothing_else_of_a_body(tree, text):
    """What is shown in rows keeps its values, types and order when another value is typed below them."""
    body = with_body(tree)
    assembly = action(body)
    _, html = rendered(assembly)
    spare = [name for name, _value in page(html).sent if "-values-new" in name and name.endswith("-name")]
    if not isinstance(tree, dict) or not tree or not spare or dict(page(html).sent)["request-body"] != "values":
        return
    key = spare[0].split("-values-")[1].removesuffix("-name")
    post = sent(html, (spare[0], "/a new one"), (f"request-body-values-{key}-value", text))
    form = form_class(assembly)(post)
    assert form.is_valid(), form.errors
    made = assembly.body_of(form.cleaned_data)["request"]["body"]
    assert json.dumps(made) == json.dumps({**tree, "a new one": text})


def problems_of(body, *changes):
    """Input -> what it says, after a post."""
    assembly = action(body)
    _, html = rendered(assembly)
    form = form_class(assembly)(sent(html, *changes))
    assert not form.is_valid()
    shown = str(form)
    for _name, value in changes:
        assert json.dumps(value)[1:-1] in shown.replace("&quot;", '"') or value in shown
    return shown


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([leaf("new0", "/a", "1"), leaf("new1", "/a", "2")], "This place is taken by a row above."),
        ([leaf("new0", "/a", "1"), leaf("new1", "/a/b", "2")], "nothing can stand below it"),
        ([leaf("new0", "/a/b", "1"), leaf("new1", "/a", "2")], "This place is taken by a row above."),
        ([leaf("new0", "", "1")], "Say where it stands, such as /name."),
        ([leaf("new0", "/a", "many", "number")], "Write a number, as 3 or 1.5."),
        ([leaf("new0", "/a", "x", "null")], "This kind of value has no text"),
        ([leaf("new0", "/a~b", "x")], "Write ~0 for the sign ~"),
        ([], "Add a value, or choose something else."),
    ],
    ids=["twice", "below a value", "over values", "nowhere", "no number", "a text for null", "no pointer", "nothing"],
)
def test_rows_that_make_no_body_say_so_and_keep_what_was_typed(rows, told):
    typed = [("request-body", "values"), *(pair for each in rows for pair in each)]
    assert told in problems_of({}, *typed)


def test_a_row_taken_out_of_a_list_closes_the_gap():
    body = with_body({"items": ["a", "b", "c"]})
    made = saved(action(body), ("request-body-values-1-remove", "on"))
    assert made["request"]["body"] == {"items": ["a", "c"]}


def test_what_a_wrong_key_holds_can_be_taken_out():
    body = {"request": {"method": "GET", "url": "https://example.com/", "metod": "x", "more": 1}}
    made = saved(action(body), ("request-other", "0"))
    assert made["request"] == {"method": "GET", "url": "https://example.com/", "more": 1}


def test_secrets_are_chosen_among_those_of_the_tenant_and_values_never_shown():
    _, html = rendered(action(FULL))
    assert '<option value="erp">erp</option>' in html
    assert "crm" in html


def test_the_page_names_what_templates_may_hold():
    _, html = rendered(action(FULL))
    for each in ("{{input.code}}", "{{data.preco}}", "{{data.vezes}}"):
        assert each in html


WRONG = [
    ({"method": "TRACE"}, "request-method"),
    ({"url": "http://api.example.com/"}, "request-url"),
    ({"query": {"q": "{{input.cod}}"}}, "request-query-0-value"),
    ({"query": {"{{input.code}}": "q"}}, "request-query-0-name"),
    ({"headers": {"Host": "x"}}, "request-headers-0-name"),
    ({"headers": {"X-A": "é"}}, "request-headers-0-value"),
    ({"body": {"a": [{"b": "{{input.cod}}"}]}}, "request-body-values-0-value"),
    ({"body": {"{{input.code}}": {"x": 1}}}, "request-body-values-0-value"),
    ({"secrets": {"gone": {"in": "header", "as": "X"}}}, "request-secrets-0-name"),
    ({"secrets": {"crm": {"in": "cookie", "as": "X"}}}, "request-secrets-0-value-in"),
    ({"secrets": {"crm": {"in": "header"}}}, "request-secrets-0-value-as"),
    ({"secrets": {"crm": {"in": "header", "as": "X", "prefix": "\n"}}}, "request-secrets-0-value-prefix"),
    ({"timeout": "5m"}, "request-timeout"),
    ({"answer": {"ok": {"status": [99]}}}, "answer-ok-status"),
    ({"answer": {"ok": {"path": "x"}}}, "answer-ok-path-path"),
    ({"answer": {"ok": {"equals": 5}}}, "answer-ok-equals"),
    ({"answer": {"detail": "x"}}, "answer-detail-path"),
    ({"answer": {"set": {"preco": "x"}}}, "answer-set-0-value-path"),
    ({"answer": {"set": {"prec": "/x"}}}, "answer-set-0-name"),
    ({"answer": {"value": "x"}}, "answer-value-path"),
]


@pytest.mark.parametrize(("change", "name"), WRONG, ids=[f"{name} {json.dumps(each)}" for each, name in WRONG])
def test_each_problem_of_a_request_stands_at_its_input(change, name):
    """As `outgoing` finds it, by its path."""
    change = dict(change)
    spec = {
        "kind": "http",
        "parameters": {"code": {"type": "string"}},
        "answer": change.pop("answer", None),
        "request": {"method": "POST", "url": "https://api.example.com/", **change},
    }
    known = KnownNames(data=("preco", "vezes"), secrets={"crm": ["api.example.com"]})
    document = {"specVersion": 1, "name": "a", "fields": {}, "flows": [], "actions": {"look": spec}}
    found = validate_agent_all(document, checks={"http": http_check(known)})
    paths = [problem.path.removeprefix("actions.look.") for problem in found if "look" in problem.path]
    assert paths
    for path in paths:
        place = action(spec).place(path)
        assert place.field + place.inner == name, path
        _, html = rendered(action(spec))
        assert any(attributes.get("name") == name for _tag, attributes in page(html).controls), name
