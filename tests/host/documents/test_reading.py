"""What cannot become rows is told whole, with its places; a broken document is never half read."""

from __future__ import annotations

import pytest

from falai_django.documents import flow_rows_of, rows_of, upgrade_body, upgrade_document
from falai_django.documents.upgrades import BODY_UPGRADES, DOCUMENT_UPGRADES
from falai_django.errors import DocumentError
from falai_django.models import SCHEMA_VERSION

UNMAPPABLE = {
    "fields": {"Nome Completo": {"type": "string"}, "ok": 3},
    "actions": [],
    "events": {"e": None},
    "conditions": {"c": {"kind": "magic"}},
    "tools": [{"id": "t"}, {"id": "t"}, {"kind": "python"}, "x"],
    "flows": [
        {"id": "f", "on": [{"repeat": "once"}, 1], "steps": [{"say": "no id"}, {"id": "a"}, 2]},
        {"id": "f", "on": {}, "steps": [{"id": 1, "say": "x"}, {"id": "b", "kind": "sing", "say": "x"}]},
        {"id": "g", "steps": [{"id": "c", "say": "x"}, {"id": "c", "say": "x"}, {"id": "d" * 200, "say": "x"}]},
        {"name": "without an id"},
    ],
}


def test_everything_that_cannot_be_kept_is_told_at_once():
    with pytest.raises(DocumentError) as caught:
        rows_of(UNMAPPABLE)
    assert sorted(problem.path for problem in caught.value.problems) == sorted(
        [
            'fields["Nome Completo"]',
            "fields.ok",
            "actions",
            "events.e",
            "conditions.c.kind",
            "tools[1].id",
            "tools[2].id",
            "tools[3]",
            "flows[0].on[0]",
            "flows[0].on[1]",
            "flows[0].steps[0].id",
            "flows[0].steps[1].kind",
            "flows[0].steps[2]",
            "flows[1].id",
            "flows[1].on",
            "flows[1].steps[0].id",
            "flows[1].steps[1].kind",
            "flows[2].steps[1].id",
            "flows[2].steps[2].id",
            "flows[3].id",
        ]
    )
    assert all(problem.message.endswith((".", "nodes.")) for problem in caught.value.problems)


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        "text",
        {"name": float("nan")},
        {"name": 10**400},
        {"a": {1, 2}},
        {1: 2},
        {"a": nested(150)},
        {"specVersion": "1"},
        {"specVersion": True},
        {"specVersion": -1},
        {"specVersion": 1.5},
        {"specVersion": float("inf")},
    ],
    ids=range(13),
)
def test_what_is_no_document_is_refused(document):
    with pytest.raises(DocumentError):
        rows_of(document)


def test_what_is_missing_is_simply_not_there():
    """A draft is free to be incomplete."""
    rows = rows_of({})
    assert rows.fields == rows.flows == rows.tools == ()
    assert flow_rows_of({"id": "f"}).steps == ()


def test_an_older_document_is_read_as_the_newest():
    """One without a version is of the time before versions."""
    assert upgrade_document({"name": "x"}) == upgrade_document({"name": "x", "specVersion": 1.0}) | {"specVersion": 1}


def test_a_newer_document_is_refused_and_told_why():
    with pytest.raises(DocumentError, match=rf"version {SCHEMA_VERSION + 1} .* up to {SCHEMA_VERSION}"):
        rows_of({"specVersion": SCHEMA_VERSION + 1})
    with pytest.raises(DocumentError, match="Update the program"):
        upgrade_body("step", {"say": "x"}, SCHEMA_VERSION + 1)


def test_every_version_there_was_has_its_upgrade(monkeypatch):
    """From the first version on; a body that did not change has none, and one that did gets it."""
    assert set(DOCUMENT_UPGRADES) == set(range(SCHEMA_VERSION))
    monkeypatch.setitem(BODY_UPGRADES, ("step", 0), lambda body: {"say": body["text"]})
    assert upgrade_body("step", {"text": "x"}, 0) == {"say": "x"}
    assert upgrade_body("trigger", {"text": "x"}, 0) == {"text": "x"}
