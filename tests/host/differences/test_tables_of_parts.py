"""The tables have every part of flow-spec.md, and every sentence in them can be said."""

from __future__ import annotations

import copy
import re

import pytest

from falai_django.differences import difference
from falai_django.differences.parts import Each, Flag, Inner, Items, Leaf, Listing, Named
from falai_django.differences.summaries import STEP_SUMMARIES, TRIGGER_SUMMARIES
from falai_django.differences.tables import AGENT, BRANCH, FLOW, INSTRUCTION, STEP, TRIGGER
from falai_engine.spec.declarations import EVENT, FIELD, IDLE, VARIABLE
from falai_engine.spec.declarations import INSTRUCTION as SPEC_INSTRUCTION
from falai_engine.spec.flow import FLOW as SPEC_FLOW
from falai_engine.spec.steps import STEPS, WAIT_EVENT
from falai_engine.spec.targets import BRANCH as SPEC_BRANCH
from falai_engine.spec.triggers import TRIGGERS

STEP_KEYS = set().union(*(shape.keys for shape in STEPS.values())) - WAIT_EVENT | {"wait", "kind"}
COMPACTION = {"maxTokens", "compactionThreshold", "preserveRecentCount", "maxToolResultChars", "enabled"}
DOES = {"kind", "name", "description", "idempotent", "request", "answer", "updates", "parameters"}
AGENT_KEYS = {
    *("specVersion", "name", "goal", "persona", "knowledgeBase", "locale", "timezone", "fields", "variables", "flows"),
    *("actions", "events", "conditions", "tools", "instructions", "idle", "maxToolLoops", "compaction"),
}
TOOL_KEYS = DOES | {"id", "readOnly", "destructive", "concurrencySafe", "maxResultSizeChars"}
REQUEST_KEYS = {"method", "url", "query", "headers", "body", "secrets", "timeout"}
PARAMETER_KEYS = {"type", "description", "enum", "optional", "items"}
ACTION = AGENT["actions"].shape


@pytest.mark.parametrize(
    ("table", "keys"),
    [
        pytest.param(AGENT, AGENT_KEYS, id="agent"),
        pytest.param(FLOW, SPEC_FLOW.keys, id="flow"),
        pytest.param(STEP, STEP_KEYS, id="step"),
        pytest.param(STEP["wait"].shape, WAIT_EVENT, id="wait-event"),
        pytest.param(TRIGGER, set().union(*(shape.keys for shape in TRIGGERS.values())), id="trigger"),
        pytest.param(BRANCH, SPEC_BRANCH.keys, id="branch"),
        pytest.param(INSTRUCTION, SPEC_INSTRUCTION.keys, id="instruction"),
        pytest.param(AGENT["fields"].shape, FIELD.keys, id="field"),
        pytest.param(AGENT["variables"].shape, VARIABLE.keys, id="variable"),
        pytest.param(AGENT["events"].shape, EVENT.keys, id="event"),
        pytest.param(AGENT["idle"].shape, IDLE.keys, id="idle"),
        pytest.param(AGENT["compaction"].shape, COMPACTION, id="compaction"),
        pytest.param(ACTION, DOES, id="action"),
        pytest.param(AGENT["tools"].shape, TOOL_KEYS, id="tool"),
        pytest.param(
            AGENT["conditions"].shape, {"kind", "name", "description", "path", "op", "argument"}, id="condition"
        ),
        pytest.param(ACTION["request"].shape, REQUEST_KEYS, id="request"),
        pytest.param(ACTION["answer"].shape, {"ok", "skipped", "detail", "set", "value"}, id="answer"),
        pytest.param(ACTION["parameters"].shape, PARAMETER_KEYS, id="parameter"),
        pytest.param(ACTION["updates"].shape, {"variable", "expression", "required"}, id="update"),
    ],
)
def test_a_table_has_every_part_of_the_spec(table, keys):
    """A part that the engine reads has a name here, and nothing else does."""
    assert set(table) == set(keys)


def test_every_kind_has_a_summary():
    """Steps and triggers of every kind are told in one line."""
    assert STEP_SUMMARIES.keys() == STEPS.keys()
    assert TRIGGER_SUMMARIES.keys() == TRIGGERS.keys()


def parts(shape, wrap=lambda inner: inner, place=""):
    """Every part below a shape: its place, itself, and how to make a document that holds a value there."""
    for key, part in shape.items():

        def put(value, key=key, wrap=wrap):
            return wrap({} if value is None else {key: value})

        at = f"{place}.{key}".lstrip(".")
        yield at, part, put
        if isinstance(part, Inner):
            yield from parts(part.shape, put, at)
        elif isinstance(part, Named):
            yield from parts(part.shape, lambda inner, put=put: put({"n": inner}), f"{at}.n")
        elif isinstance(part, Items):
            # All items have something in common, so that they are told apart by the one part that differs.
            same = {"common": 1, **({part.identity: "n"} if part.identity else {})}
            below = {name: each for name, each in part.shape.items() if name != part.identity}
            yield from parts(below, lambda inner, put=put, same=same: put([{**same, **inner}]), at)


EVERY = {place: (part, put) for place, part, put in parts(AGENT)}
LEAVES = {place: found for place, found in EVERY.items() if isinstance(found[0], Leaf | Flag | Listing | Each)}
THINGS = {place: found for place, found in EVERY.items() if isinstance(found[0], Named | Items)}
VALUES = {Leaf: ("v", "w"), Flag: (False, True), Listing: (["v"], ["w"]), Each: ({"v": "x"}, {"v": "y"})}


@pytest.mark.parametrize(("part", "put"), LEAVES.values(), ids=LEAVES)
def test_every_leaf_can_be_set_changed_and_taken_away(part, put):
    """Each says so in one filled sentence of its own, and the three differ."""
    one, other = VALUES[type(part)]
    documents = [(put(None), put(other)), (put(one), put(other)), (put(other), put(None))]
    found = [difference(*pair) for pair in documents]
    assert [len(changes) for changes in found] == [1, 1, 1]
    sentences = [change.sentence for changes in found for change in changes]
    assert len(set(sentences)) == (2 if isinstance(part, Flag) else 3)
    assert not any("%" in sentence for sentence in sentences)


@pytest.mark.parametrize(("part", "put"), THINGS.values(), ids=THINGS)
def test_every_thing_can_come_go_and_move(part, put):
    """Each noun has its sentences: added (first and after another), removed, moved (first and after another)."""

    def holding(*names):
        things = {name: {"common": name, part_identity: name} for name in names}
        return put(list(things.values()) if isinstance(part, Items) else things)

    part_identity = getattr(part, "identity", None) or "common"
    is_ordered = isinstance(part, Items) or part.ordered
    abc = holding("a", "b", "c")
    pairs = {
        "added-after": (holding("a"), holding("a", "b")),
        "added-first": (holding("a"), holding("b", "a")),
        "removed": (abc, holding("a", "c")),
        "moved-first": (abc, holding("c", "a", "b")),
        "moved-after": (abc, holding("b", "c", "a")),
    }
    said = {}
    for what, (before, after) in pairs.items():
        changes = difference(copy.deepcopy(before), after)
        assert len(changes) == (1 if is_ordered or not what.startswith("moved") else 0), what
        for change in changes:
            said[what] = change.what
    assert not any("%" in sentence for sentence in said.values())
    assert len(set(said.values())) == len(said) or not is_ordered


def _templates(part):
    sentences = [part.sentences] if isinstance(part, Leaf | Each) else []
    noun = [part.noun] if isinstance(part, Named | Items) else []
    for group in (*sentences, *noun):
        yield from ((name, str(getattr(group, name))) for name in group.__dataclass_fields__)


@pytest.mark.parametrize(("part", "put"), EVERY.values(), ids=EVERY)
def test_templates_use_the_placeholders_that_are_filled(part, put):
    """A sentence names what it is about, and nothing that nobody fills."""
    for name, template in _templates(part):
        used = set(re.findall(r"%\((\w+)\)s", template))
        if isinstance(part, Named | Items):
            assert used <= ({"name", "other"} if name.endswith("_after") else {"name"}), template
            assert "name" in used or not template, template
        else:
            assert used <= {"part", "before", "after"}, template
