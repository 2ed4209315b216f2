"""Any two different documents give a change, at the place of the difference; equal ones none; junk never an error."""

from __future__ import annotations

import copy
import gzip
import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from falai_django.differences import ChangeKind, difference
from tests.engine.junk import ANYTHING, JSON, KEYS

TESTS = Path(__file__).resolve().parents[2]


def _documents():
    """The agents of the examples and of the vectors, each once."""
    for path in sorted((TESTS.parent / "examples").glob("*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))
    for path in (TESTS / "vectors" / "scenarios-named.json", TESTS / "scenarios" / "update-state.json"):
        for scenario in json.loads(path.read_text(encoding="utf-8")):
            yield scenario["agent"]
    scenarios = gzip.decompress((TESTS / "vectors" / "scenarios-random.json.gz").read_bytes())
    for scenario in json.loads(scenarios)[::10]:
        yield scenario["agent"]


DOCUMENTS = list(_documents())
LEAVES = st.sampled_from(["", "x", "end", "1h", 0, 1, 2.5, True, False]) | JSON.filter(lambda value: value is not None)


def canonical(value, key=None):
    """JSON text that is equal for documents that say the same, made another way than the code does."""
    if isinstance(value, dict):
        parts = {name: canonical(part, name) for name, part in value.items() if part is not None}
        return json.dumps(list(parts.items()) if key == "fields" else sorted(parts.items()))
    if isinstance(value, list):
        return json.dumps([canonical(part) for part in value])
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return json.dumps(float(value) if is_number and value == float(value) else value)


def paths(value, path=()):
    """The way to every part of a document but itself."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(part, (*path, key))


@st.composite
def mutations(draw):
    """A document, the same with one part replaced, taken out or put in, and the way to it."""
    document = draw(st.sampled_from(DOCUMENTS))
    path = draw(st.sampled_from(sorted(paths(document), key=str)))
    mutated = copy.deepcopy(document)
    inner = mutated
    for key in path[:-1]:
        inner = inner[key]
    how = draw(st.sampled_from(["replace", "remove", "insert", "swap"]))
    if how == "replace":
        inner[path[-1]] = draw(LEAVES)
    elif how == "remove":
        del inner[path[-1]]
    elif isinstance(inner, list) and how == "insert":
        inner.insert(path[-1], draw(LEAVES))
    elif isinstance(inner, list):
        inner.insert(draw(st.integers(0, len(inner))), inner.pop(path[-1]))
    else:
        key = draw(KEYS.filter(lambda key: key not in inner))
        inner[key] = draw(LEAVES)
        path = (*path[:-1], key)
    return document, mutated, path


def place_of(document, path):
    """The place of the part as a change would tell it, up to the first list without ids."""
    place = []
    for key in path:
        if isinstance(key, int):
            item = document[key] if isinstance(document, list) and key < len(document) else None
            name = item.get("id") if isinstance(item, dict) else None
            if not isinstance(name, str) or not re.fullmatch(r"[\w-]+", name):
                break
            place.append(name)
        elif not re.fullmatch(r"[\w-]+", key):
            break
        else:
            place.append(key)
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            break
    return place


def at(change):
    return [part for part in change.place.partition("[")[0].split(".") if part]


def is_on_the_way(one, other):
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def assert_told(change):
    """A sentence for people: filled, not empty, with what was and is there as its kind says."""
    assert change.where
    assert change.what
    assert "%(" not in change.sentence.replace("%%(", "")
    assert change.kind is not ChangeKind.ADDED or change.before is None
    assert change.kind is not ChangeKind.REMOVED or change.after is None
    if change.kind is ChangeKind.CHANGED and change.place:
        assert change.before != change.after


@given(mutations())
def test_a_difference_is_told_at_its_place(case):
    """Whatever part of whatever agent is replaced, taken out, put in or moved, a change on the way to it says so."""
    document, mutated, path = case
    found = difference(document, mutated)
    if canonical(document) == canonical(mutated):
        return
    places = [place_of(document, path), place_of(mutated, path)]
    assert any(is_on_the_way(at(change), place) for change in found for place in places)
    for change in found:
        assert_told(change)


@given(mutations())
def test_equal_documents_give_nothing(case):
    """A copy through JSON, with the keys of its plain objects sorted, is no other document."""
    _document, mutated, _path = case

    def turned(value, key=None):
        if isinstance(value, dict):
            names = list(value) if key == "fields" else sorted(value, reverse=True)
            return {name: turned(value[name], name) for name in names}
        return [turned(part) for part in value] if isinstance(value, list) else value

    assert difference(mutated, turned(mutated)) == []


@given(st.sampled_from(DOCUMENTS), st.sampled_from(DOCUMENTS))
def test_two_agents_differ_unless_they_are_one(one, other):
    """Whole agents against each other: nothing is told exactly when they say the same, in both directions."""
    are_same = canonical(one) == canonical(other)
    assert (difference(one, other) == []) is are_same
    assert (difference(other, one) == []) is are_same


PARTS = st.sampled_from(
    [
        "specVersion",
        "name",
        "goal",
        "idle",
        "fields",
        "variables",
        "flows",
        "actions",
        "events",
        "conditions",
        "tools",
        "instructions",
        "compaction",
        "id",
        "on",
        "steps",
        "collect",
        "ask",
        "with",
        "then",
        "else",
        "branches",
        "when",
        "if",
        "wait",
        "event",
        "upTo",
        "message",
        "mention",
        "silence",
        "repeat",
        "extract",
        "prompt",
        "say",
        "do",
        "enum",
        "label",
        "parameters",
        "request",
        "answer",
        "ok",
        "status",
        "set",
        "updates",
        "variable",
        "expression",
        "kind",
        "items",
        "equals",
    ]
)
JUNK = st.recursive(
    ANYTHING,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PARTS | KEYS, inner, max_size=5),
    max_leaves=25,
)


@given(JUNK, JUNK)
def test_junk_is_never_an_error(one, other):
    """A draft may hold anything anywhere, an import even more."""
    for before, after in ((one, other), (other, one), (None, one)):
        for change in difference(before, after):
            assert change.sentence
    assert difference(one, one) == []
    assert difference(one, copy.deepcopy(one)) == [] or "object" in repr(one)


@given(st.sampled_from(DOCUMENTS), st.data())
def test_junk_within_an_agent_is_never_an_error(document, data):
    """A sound agent with some parts replaced by junk, against the sound one."""
    broken = copy.deepcopy(document)
    for _ in range(data.draw(st.integers(1, 4))):
        path = data.draw(st.sampled_from(sorted(paths(broken), key=str)) if broken else st.just(("x",)))
        inner = broken
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = data.draw(JUNK)
    for change in [*difference(document, broken), *difference(broken, document), *difference(None, broken)]:
        assert change.sentence
