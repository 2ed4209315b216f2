"""Tables are complete: whatever a word may be, something is done with it (style.md: enums with a table each)."""

from __future__ import annotations

import typing

import pytest

from falai_engine import (
    Action,
    Code,
    Collect,
    Do,
    ErrorKind,
    Event,
    EventTrigger,
    If,
    MentionTrigger,
    MessageTrigger,
    OutcomeKind,
    OutcomeStatus,
    Prompt,
    RunStatus,
    Say,
    SilenceTrigger,
    SkipCode,
    Wait,
    WaitEvent,
)
from falai_engine.compiled.conditions import OWN_CONDITIONS
from falai_engine.errors import RETRYABLE_KINDS
from falai_engine.flows import OnEnd, Repeat, Step, Trigger
from falai_engine.phases.failures import FAILURE_CODES
from falai_engine.records.inputs import EventInput, MessageInput, StartInput, WakeInput, What
from falai_engine.records.outcomes import CODE_MESSAGES
from falai_engine.spec.steps import STEPS
from falai_engine.spec.triggers import TRIGGERS
from falai_engine.testing import scenario_turns
from falai_engine.values import coerce
from tests.engine.conversation import Conversation, lines
from tests.engine.test_vectors import NAMED, RANDOM

# -- steps

STEP_SAMPLES = {
    Prompt: ({"kind": "prompt", "prompt": "p"}, "prompt"),
    Collect: ({"kind": "collect", "collect": ["name"], "prompt": "p"}, "collect"),
    Say: ({"kind": "say", "say": "Hello."}, "say"),
    Do: ({"kind": "do", "do": "act"}, "do"),
    Wait: ({"kind": "wait", "wait": "1h"}, "wait"),
    WaitEvent: ({"kind": "waitEvent", "wait": {"event": "booked"}}, "wait"),
    If: ({"kind": "if", "if": {"known": ["name"]}, "else": "end"}, "if"),
}


def run_of(step):
    """A conversation that has just executed this one step."""
    talk = Conversation(
        fields={"name": {"type": "string"}},
        flows=[{"id": "f", "steps": [{"id": "a", **step}]}],
        actions={"act": Action(lambda params, call: None)},
        events={"booked": Event()},
    )
    return talk.starts("f", speak=[{"message": "Hi."}])


@pytest.mark.parametrize("kind", typing.get_args(Step))
def test_every_kind_of_step_is_executed(kind):
    """Each step of flow-spec.md does something, and its line is of its kind."""
    step, outcome = STEP_SAMPLES[kind]
    result = run_of(step)
    assert [line.kind for line in result.outcomes] == [outcome]


def test_every_kind_of_step_has_its_json():
    """Each step class is one shape of the format, and each shape one class."""
    assert {shape.make for shape in STEPS.values()} == set(typing.get_args(Step)) == set(STEP_SAMPLES)


def test_every_outcome_kind_is_a_step_s_or_idle():
    """The kinds of lines are those of the steps, and idle."""
    assert {kind for _, kind in STEP_SAMPLES.values()} | {"idle"} == set(OutcomeKind)


# -- triggers

TRIGGER_SAMPLES = {
    MessageTrigger: "message",
    MentionTrigger: "mention",
    SilenceTrigger: "silence",
    EventTrigger: "event",
}


@pytest.mark.parametrize("kind", typing.get_args(Trigger))
def test_every_kind_of_trigger_starts_its_flow(kind):
    """Each trigger starts a run that says which kind started it."""
    name = TRIGGER_SAMPLES[kind]
    trigger = {
        "message": {"message": []},
        "mention": {"mention": []},
        "silence": {"silence": "1h"},
        "event": {"event": "booked"},
    }
    talk = Conversation(
        flows=[
            {"id": "f", "on": [trigger[name]], "steps": [{"id": "w", "kind": "wait", "wait": "1d"}]},
            {"id": "hello", "steps": [{"id": "a", "kind": "say", "say": "Hello."}]},
        ],
        events={"booked": Event()},
    )
    hello = talk.starts("hello")
    start = {
        "message": lambda: talk.says("hi"),
        "mention": lambda: talk.says("hi"),
        "silence": lambda: talk.wakes(hello.schedule[0].key),
        "event": lambda: talk.hears("booked", "e1"),
    }
    start[name]()
    assert talk.run("f")["trigger"]["kind"] == name


def test_every_kind_of_trigger_has_its_json():
    """Each trigger class is one shape of the format, and each shape one class."""
    assert {shape.make for shape in TRIGGERS.values()} == set(typing.get_args(Trigger)) == set(TRIGGER_SAMPLES)
    assert set(TRIGGERS) == set(TRIGGER_SAMPLES.values())


# -- inputs

CHAT = {"id": "chat", "on": [{"message": []}], "steps": [{"id": "a", "kind": "prompt", "prompt": "Answer."}]}

INPUT_SAMPLES = {
    MessageInput: {"message": "hi"},
    WakeInput: {"wake": "k"},
    EventInput: {"event": "booked", "key": "k"},
    StartInput: {"start": {"flow": "f", "key": "k"}},
}


@pytest.mark.parametrize("kind", typing.get_args(What))
def test_every_kind_of_input_is_a_turn(kind):
    """Each of the four kinds is read from JSON and taken."""
    result = Conversation(flows=[CHAT | {"id": "f", "on": []}]).take(INPUT_SAMPLES[kind])
    assert result.session.id == "s"
    assert set(INPUT_SAMPLES) == set(typing.get_args(What))


# -- codes


def test_every_code_has_its_sentence():
    """One English sentence of our own for each code, no two alike, and none for what is no code."""
    assert set(CODE_MESSAGES) == {*Code, *SkipCode}
    sentences = [CODE_MESSAGES[code] for code in [*Code, *SkipCode] if code is not SkipCode.FLOW_GONE]
    assert len(set(sentences)) == len(sentences)
    for sentence in CODE_MESSAGES.values():
        assert sentence.strip() == sentence
        assert sentence[0].isupper()
        assert sentence.endswith(".")


def test_every_code_is_one_that_happens():
    """The vectors show every code; no word in the table is there for nothing."""
    seen = set()
    for scenario in [*NAMED, *RANDOM]:
        for _, got in scenario_turns(scenario):
            result = got.get("result", {})
            seen |= {line.get("code") for part in ("outcomes", "skipped") for line in result.get(part, ())}
    assert {*Code, *SkipCode} - seen == set()


def test_a_host_s_own_code_has_no_sentence_of_ours():
    """`message` is our sentence for our code; another code has none, and none is made up."""
    assert "host-code" not in CODE_MESSAGES


# -- failures of the model

# Section 8, Failure, to the letter: the code, and whether trying again may help.
FAILURES = {
    ErrorKind.ABORTED: ("provider-unavailable", False),
    ErrorKind.TIMEOUT: ("provider-unavailable", True),
    ErrorKind.NETWORK: ("provider-unavailable", True),
    ErrorKind.OVERLOAD: ("provider-unavailable", True),
    ErrorKind.RATE: ("provider-unavailable", True),
    ErrorKind.UNKNOWN: ("provider-unavailable", True),
    ErrorKind.QUOTA: ("provider-quota", False),
    ErrorKind.AUTH: ("provider-auth", False),
    ErrorKind.ENTITLEMENT: ("provider-auth", False),
    ErrorKind.CONTEXT: ("provider-context", False),
    ErrorKind.MODEL: ("provider-invalid", False),
    ErrorKind.INVALID: ("provider-invalid", False),
    ErrorKind.CONTENT: ("provider-invalid", False),
}


def fail(**fail_):
    return Conversation(flows=[CHAT]).says("hi", id="m1", speak=[{"fail": fail_}])


@pytest.mark.parametrize("kind", ErrorKind)
def test_every_error_kind_has_its_code_and_its_end(kind):
    """A failed speak call leaves the line of its kind: deferred with a wake when retryable, else an ended run."""
    code, retryable = FAILURES[kind]
    result = fail(kind=kind)
    assert lines(result) == [("prompt", "deferred" if retryable else "failed", code)]
    assert len(result.schedule) == retryable
    assert [ended.reason for ended in result.ended] == ([] if retryable else ["failed"])


@pytest.mark.parametrize("kind", ErrorKind)
@pytest.mark.parametrize("should_retry", [True, False])
def test_should_retry_decides_instead(kind, should_retry):
    """What the vendor says of its own error counts more than the kind; the code stays."""
    result = fail(kind=kind, shouldRetry=should_retry)
    assert lines(result) == [("prompt", "deferred" if should_retry else "failed", FAILURES[kind][0])]


@pytest.mark.parametrize("kind", ErrorKind)
def test_only_quota_is_made_retryable_by_a_reset(kind):
    """A stated reset makes quota retryable, and no other kind."""
    result = fail(kind=kind, resetAtMs=1_789_990_000_000)
    retryable = FAILURES[kind][1] or kind is ErrorKind.QUOTA
    assert lines(result) == [("prompt", "deferred" if retryable else "failed", FAILURES[kind][0])]
    if retryable:
        assert result.schedule[0].at == "2026-09-21T11:26:40.000Z"


def test_the_tables_of_failures_hold_every_kind():
    """No kind is missing, and the retryable ones are kinds."""
    assert set(FAILURE_CODES) == set(FAILURES) == set(ErrorKind)
    assert set(ErrorKind) >= RETRYABLE_KINDS


# -- the other closed sets

OUTCOMES_OF_SECTION_1 = {"ok", "skipped", "failed", "waiting", "deferred"}


def test_the_closed_sets_are_those_of_the_contract():
    """Statuses, repeats, ends and our own conditions: the words of the contract and no others."""
    assert set(OutcomeStatus) == OUTCOMES_OF_SECTION_1
    assert set(RunStatus) == {"running", "asking", "waiting", "suspended"}
    assert set(Repeat) == {"once", "always"}
    assert set(OnEnd) == {"end", "stay", "reset"}
    assert set(OWN_CONDITIONS) == {"equals", "known", "silenced"}


@pytest.mark.parametrize(
    ("type_", "raw", "value"),
    [("string", 7, "7"), ("number", "1,5", 1.5), ("integer", "7.9", 7), ("boolean", "sim", True)],
)
def test_every_field_type_is_coerced(type_, raw, value):
    """Each of the four types reads what a model writes for it."""
    assert coerce(type_, raw) == (value, None)


@pytest.mark.parametrize("end", OnEnd)
def test_every_end_of_a_flow_does_something(end):
    """A flow ends, starts anew, or stays; each ends otherwise than the others."""
    flow = {**CHAT, "onEnd": end}
    result = Conversation(flows=[flow]).says("hi", id="m1", speak=[{"message": "Hi."}] * 9)
    assert [ended.reason for ended in result.ended][:1] == {"end": ["end"], "reset": ["reset"], "stay": []}[end]
    assert bool(result.session.runs) == (end != "end")
