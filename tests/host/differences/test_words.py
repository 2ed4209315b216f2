"""The vocabulary: durations, values, conditions, targets and one-line summaries."""

from __future__ import annotations

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from falai_django.differences import Labels, step_summary, summary, trigger_summary, words
from falai_django.differences.excerpts import LONGEST, excerpt, excerpts
from falai_django.differences.matching import match, steady
from tests.engine.junk import ANYTHING

DOCUMENT = {
    "fields": {"nome": {"type": "string", "label": "Nome"}, "dia": {"type": "string"}},
    "flows": [
        {"id": "f", "name": "Agendar", "steps": [{"id": "s1", "label": "Acolher"}, {"id": "s2"}]},
        {"id": "g", "steps": []},
    ],
}
LABELS = Labels.of(DOCUMENT).within(DOCUMENT["flows"][0])


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ("1s", "1 second"),
        ("30s", "30 seconds"),
        ("1m", "1 minute"),
        ("1h", "1 hour"),
        ("1.5h", "1.5 hours"),
        ("1.0h", "1 hour"),
        ("0.5h", "0.5 hours"),
        ("0d", "0 days"),
        ("7d", "7 days"),
        ("1w", "“1w”"),
        ("9" * 60 + "d", f"“{'9' * 60}d”"),
        ("", "“”"),
        (3, "3"),
        ({"event": "x"}, '{"event": "x"}'),
    ],
    ids=str,
)
def test_durations(given_, told):
    """A number and its unit, in words; what is none is shown as it is."""
    assert words.duration(given_) == told


def test_a_fraction_is_written_as_the_reader_writes_it():
    """One and a half hours in Portuguese have a comma."""
    with translation.override("pt-br"):
        assert words.duration("1.5h").startswith("1,5 ")
        assert words.value(2.5, LABELS) == "2,5"


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        pytest.param({"equals": {"nome": "Ana"}}, "“Nome” is “Ana”", id="equals"),
        pytest.param({"equals": {"dia": True, "nome": 3}}, "“dia” is yes and “Nome” is 3", id="equals-two"),
        pytest.param({"known": ["nome", "dia"]}, "“Nome” is known and “dia” is known", id="known"),
        pytest.param({"silenced": True}, "the assistant is silenced", id="silenced"),
        pytest.param({"silenced": False}, "the assistant is not silenced", id="not-silenced"),
        pytest.param({"vip": True}, "“vip”", id="registered"),
        pytest.param({"tags": ["a", "b"]}, "“tags” with “a”, “b”", id="registered-with-a-list"),
        pytest.param({"ctx": {"a": 1}, "known": ["dia"]}, '“ctx” with {"a": 1} and “dia” is known', id="joined"),
        pytest.param({}, "always", id="empty"),
        pytest.param({"known": "nome"}, "“known” with “nome”", id="junk-known"),
        pytest.param({"equals": None}, "“equals” with null", id="junk-equals"),
        pytest.param(7, "7", id="junk"),
    ],
)
def test_conditions(given_, told):
    """Fields by their labels, values as people write them."""
    assert words.condition(given_, LABELS) == told


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        pytest.param("s1", "step “Acolher”", id="step"),
        pytest.param("s2", "step “s2”", id="without-label"),
        pytest.param("nowhere", "step “nowhere”", id="unknown"),
        pytest.param("end", "the end of the flow", id="end"),
        pytest.param({"step": "s1"}, "step “Acolher”", id="jump"),
        pytest.param(
            {"step": "s1", "clear": ["nome", "dia"]}, "step “Acolher”, forgetting “Nome”, “dia”", id="jump-with-clear"
        ),
        pytest.param({"flow": "f"}, "flow “Agendar”", id="chain"),
        pytest.param({"flow": "g", "input": {"a": 1}}, 'flow “g”, handing over {"a": 1}', id="chain-with-input"),
        pytest.param({"flow": "g", "step": "s1"}, '{"flow": "g", "step": "s1"}', id="junk-both"),
        pytest.param({"step": 7, "clear": 3}, "step “7”, forgetting 3", id="junk-step"),
        pytest.param([], "[]", id="junk"),
    ],
)
def test_targets(given_, told):
    """Steps and flows by their labels."""
    assert words.target(given_, LABELS) == told


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ("once", "only once"),
        ("always", "every time"),
        ({"cooldown": "7d"}, "again after 7 days"),
        ({"cooldown": 3}, "again after 3"),
        ("now and then", "“now and then”"),
    ],
    ids=str,
)
def test_repeats(given_, told):
    """How often a flow may start again."""
    assert words.repeat(given_) == told


def test_an_expression_is_told_in_its_text_form():
    """As update-state.md writes it; one that is none as its JSON."""
    value = {
        "type": "add_operator",
        "left": {"type": "dynamic_variable", "name": "tries"},
        "right": {"type": "number_literal", "value": 1},
    }
    assert words.expression(value, LABELS) == "tries + 1"
    assert words.expression({"type": "odd"}, LABELS) == '{"type": "odd"}'


STEPS = [
    ("prompt", {"prompt": "Acolha."}, "Talk: “Acolha.”"),
    ("collect", {"collect": ["nome", "dia"], "prompt": "x"}, "Collect Nome, dia"),
    ("say", {"say": "Oi!"}, "Send “Oi!”"),
    ("say", {"say": "Veja:", "media": {"slug": "folder"}}, "Send “Veja:” with “folder”"),
    ("do", {"do": "book"}, "Do “book”"),
    ("wait", {"wait": "3d"}, "Wait 3 days"),
    ("wait", {"wait": "3d", "businessHours": True}, "Wait 3 days, business hours"),
    ("waitEvent", {"wait": {"event": "paid"}}, "Wait for the event “paid”"),
    ("waitEvent", {"wait": {"event": "paid", "upTo": "1d"}}, "Wait for the event “paid”, 1 day at most"),
    ("if", {"if": {"known": ["nome"]}}, "If “Nome” is known"),
]
TRIGGERS = [
    ("message", {"message": ["quer preço", "!reclama"]}, "When the customer writes: “quer preço”, except “reclama”"),
    ("message", {"message": []}, "When the customer writes anything that nothing else answers"),
    ("mention", {"mention": ["um rival"]}, "When the customer mentions: “um rival”"),
    ("mention", {"mention": []}, "On every message of the customer"),
    ("silence", {"silence": "2h", "businessHours": True}, "After 2 hours without an answer, business hours"),
    ("event", {"event": "paid"}, "On the event “paid”"),
    ("event", {"event": "paid", "after": "1h"}, "On the event “paid”, 1 hour later"),
]


@pytest.mark.parametrize(
    ("kind", "body", "told"), [*STEPS, *TRIGGERS], ids=lambda each: each if isinstance(each, str) else ""
)
def test_summaries(kind, body, told):
    """One line for a step or a trigger, also when its body tells its kind."""
    by_body = step_summary if (kind, body, told) in STEPS else trigger_summary
    assert summary(kind, body, LABELS) == told
    assert by_body(body, LABELS) == told


@given(st.sampled_from([*(kind for kind, *_ in (*STEPS, *TRIGGERS)), "odd"]), ANYTHING, st.data())
def test_a_summary_of_junk_is_a_line_all_the_same(kind, body, data):
    """Drafts may hold anything."""
    key = "wait" if kind == "waitEvent" else kind
    for each in (body, {key: body}, {key: "x", "media": body, "after": body, "businessHours": body}):
        told = summary(kind, each, Labels.of(body))
        assert told == " ".join(told.split())
        assert len(told) < 200


def test_labels_of_junk():
    """Names are taken where there are any."""
    assert Labels.of(None).field("x") == "x"
    assert Labels.of({"fields": [1], "flows": {"a": 1}}).flow("x") == "x"
    assert Labels.of({"fields": {"x": None, "y": {"label": " Y "}}, "flows": [None, {"id": 3}]}).field("y") == "Y"
    assert Labels().within({"steps": [{"id": "s", "label": 4}]}).step("s") == "s"
    assert Labels().step(7) == "7"


# -- excerpts


def test_short_texts_are_not_cut():
    """What fits stays whole, in one line."""
    assert excerpts("a\n b", "c") == ("a b", "c")
    assert excerpt("a  b") == "a b"


@given(st.text("ab \n", max_size=400), st.text("ab \n", max_size=400))
def test_excerpts_show_the_difference(one, other):
    """However long two texts are, their excerpts are short, and differ when the texts do."""
    cut = excerpts(one, other)
    assert (cut[0] == cut[1]) == (one.split() == other.split())
    assert all(len(text) <= LONGEST + 2 for text in cut)


# -- matching


def matched(before, after, *, loose=True):

    def identity(item):
        return item.get("id") if isinstance(item, dict) else None

    found = match(before, after, identity, loose=loose)
    return dict(found.pairs), found.gone, set(found.moved)


def test_equal_items_are_paired_before_like_ones():
    """One inserted in front takes nobody's place."""
    a, b = {"when": "a", "then": "x"}, {"when": "b", "then": "y"}
    assert matched([a, b], [{"when": "n", "then": "x"}, a, b]) == ({1: 0, 2: 1}, (), set())


def test_the_most_alike_are_paired():
    """What it is about weighs more than where it goes, and position decides a tie."""
    before = [{"when": "a", "then": "x"}, {"when": "b", "then": "x"}]
    after = [{"when": "b", "then": "y"}, {"when": "c", "then": "x"}]
    assert matched(before, after) == ({0: 1, 1: 0}, (), {0})
    assert matched(["a", "b"], ["c", "d"]) == ({0: 0, 1: 1}, (), set())


def test_what_has_nothing_in_common_is_another():
    """A silence is no edited message."""
    assert matched([{"message": ["a"]}], [{"silence": "1h"}]) == ({}, (0,), set())


def test_an_id_is_an_identity():
    """Of strict lists another id is another thing; the second of one id is the second."""
    assert matched([{"id": "a", "x": 1}], [{"id": "b", "x": 1}], loose=False) == ({}, (0,), set())
    assert matched([{"id": "a", "x": 1}], [{"id": "b", "x": 1}]) == ({0: 0}, (), set())
    twice = [{"id": "a", "x": 1}, {"id": "a", "x": 2}]
    assert matched(twice, twice) == ({0: 0, 1: 1}, (), set())
    assert matched(twice, twice[:1]) == ({0: 0}, (1,), set())


@given(st.permutations(range(7)))
def test_the_fewest_are_moved(order):
    """As many stay as the longest increasing run of the order has, found here by trying all."""
    pairs = dict(enumerate(order))
    kept = sorted(steady(pairs))
    assert [pairs[at] for at in kept] == sorted(pairs[at] for at in kept)
    longest = max(
        (chosen).bit_count()
        for chosen in range(1 << len(order))
        if (picked := [then for at, then in enumerate(order) if chosen >> at & 1]) == sorted(picked)
    )
    assert len(kept) == longest


def test_long_lists_rewritten_altogether_cost_no_product():
    """Beyond some thousand comparisons items are paired by position."""
    before = [{"when": f"a{n}"} for n in range(3_000)]
    after = [{"when": f"b{n}"} for n in range(3_000)]
    assert match(before, after, lambda item: None, loose=True).pairs == {n: n for n in range(3_000)}
