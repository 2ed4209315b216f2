"""How often the offline provider is right on lines that no rule was written for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falai_engine.briefs import (
    BranchChoice,
    FieldAsk,
    FieldChoice,
    FlowChoice,
    MentionChoice,
    SpeakBrief,
    UnderstandBrief,
)
from falai_engine.model import ModelRequest
from falai_engine.providers.offline import OfflineProvider

# No line was changed after it was first read. At that first reading 78 % of `holdout` were right; of `other_trades`,
# whose vocabulary the rules had not met, 60 % of the first 40 lines and later 87 % of the other 30. What is more now
# came from general rules and words made for the mistakes, so lines still unseen do less well than these.
FILES = {
    name: json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("holdout", "other_trades")
}
# Thirty lines written after the rules of corrections, questions and trades, by whoever had just made those rules, and
# measured once: 47 % right at that first reading (14 of 30). 70 % was hoped for. No rule or word was made for it since,
# so it says what to expect of words and turns that no table holds ("meu poodle tá um horror de pelo", "a Amil cobre?").
# It may not fall. Do not mend the provider by these lines: they would then measure nothing new.
SECOND = json.loads((Path(__file__).parent / "holdout_second.json").read_text(encoding="utf-8"))
FIRST_SHARE_OF_SECOND = 14 / 30
HOLDOUT = FILES["holdout"]
WANTED_SHARE = 0.8
TAKES = 40
AHEAD = 15


def understand_brief(line, briefs):
    """The brief of a line: its named brief with the flow that asks and the fields that were asked for."""
    about = briefs[line["brief"]]
    asked = line.get("asked", ())
    return UnderstandBrief(
        message=line["message"],
        flows=tuple(
            FlowChoice(
                flow["name"],
                flow["name"],
                flow["title"],
                flow["description"],
                tuple(flow["phrases"]),
                tuple(flow["excludes"]),
                asking=flow["name"] == line.get("asking"),
            )
            for flow in about["flows"]
        ),
        mentions=tuple(
            MentionChoice(m["name"], m["name"], m["title"], tuple(m["phrases"]), (), m.get("extract"))
            for m in about["mentions"]
        ),
        branches=tuple(BranchChoice(b["name"], b["when"]) for b in about["branches"]),
        fields=tuple(
            FieldChoice(
                f["name"], f["name"], f["type"], enum_of(f), f.get("label"), f.get("description"), f["name"] in asked
            )
            for f in about["fields"]
        ),
        locale=line["lang"],
    )


def enum_of(field):
    return tuple(field["enum"]) if "enum" in field else None


def speak_brief(line):
    pending = tuple(
        FieldAsk(f["name"], f["name"], f["type"], enum_of(f), None, None, f.get("ask"), f["asked"])
        for f in line["pending"]
    )
    return SpeakBrief(
        message=line["message"],
        idle=False,
        flow_name=None,
        flow_description=None,
        guideline=None,
        pending=pending,
        known=(),
        instructions=(),
        today="2026-01-01",
        locale=line["lang"],
    )


def judged(line, briefs):
    """What the provider made of a line, in the words of `expect`."""
    speaks = "pending" in line
    brief = speak_brief(line) if speaks else understand_brief(line, briefs)
    request = ModelRequest("", {}, "speak" if speaks else "understand", brief=brief)
    structured = OfflineProvider().generate(request).structured
    if speaks:
        return {"fields": structured}
    return {**structured, "route": route(structured["flows"], line.get("asking"))}


def route(scores, asking):
    """The flow that the engine would give the message to (engine.md section 6); None: it stays where it is."""
    others = {name: score for name, score in scores.items() if name != asking}
    best = max(others, key=others.__getitem__)
    bar = TAKES if asking is None else max(TAKES, scores[asking] + AHEAD)
    return best if others[best] >= bar else None


def is_right(expected, found):
    """Everything that a line states is so; what it does not name is free."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(is_right(value, found.get(name)) for name, value in expected.items())
    return expected == found and isinstance(expected, bool) == isinstance(found, bool)


def test_the_lines_are_as_many_as_they_were():
    """The measure stays what it was: thirty lines in Portuguese, twenty in English, each told once."""
    lines = HOLDOUT["lines"]
    assert [line["lang"] for line in lines].count("pt") == 30
    assert [line["lang"] for line in lines].count("en") == 20
    assert len({line["message"] for line in lines}) == len(lines)


def share_right(lines, briefs, name, note):
    """Which part of the lines is right; the others are told in the notes of the run."""
    wrong = [line["message"] for line in lines if not is_right(line["expect"], judged(line, briefs))]
    share = 1 - len(wrong) / len(lines)
    note(f"offline provider: {share:.0%} of {name} right; wrong: {'; '.join(wrong) or 'none'}")
    return share


@pytest.mark.parametrize("name", FILES)
def test_at_least_four_of_five_lines_are_read_right(name, note):
    """At least 80 % of openings and answers written apart from the rules are judged as a person would."""
    assert share_right(FILES[name]["lines"], FILES[name]["briefs"], name, note) >= WANTED_SHARE


def test_lines_never_tuned_for_are_read_no_worse_than_at_first(note):
    """Of lines that no rule was ever made for at least as many are right as on the day they were written."""
    lines = SECOND["lines"]
    assert [line["lang"] for line in lines].count("pt") == 20
    assert [line["lang"] for line in lines].count("en") == 10
    assert share_right(lines, SECOND["briefs"], "holdout_second", note) >= FIRST_SHARE_OF_SECOND - 1e-9


@pytest.mark.parametrize(
    ("scores", "asking", "expected"),
    [
        ({"a": 39, "b": 10}, None, None),
        ({"a": 40, "b": 10}, None, "a"),
        ({"a": 30, "b": 44}, "a", None),
        ({"a": 30, "b": 45}, "a", "b"),
    ],
)
def test_the_measure_routes_as_the_engine_does(scores, asking, expected):
    """A line counts by where the engine would send it: 40 to take, 15 above the flow that asks."""
    assert route(scores, asking) == expected
