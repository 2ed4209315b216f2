"""What holds of every turn, whatever the agent, the session, the input or the model: searched by hypothesis."""

from __future__ import annotations

import asyncio
import copy
import json
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from falai_engine import (
    RESET,
    InputError,
    InvalidSessionError,
    ModelReply,
    ProviderError,
    ToolCall,
    TurnResult,
    Usage,
    assert_session,
    result_to_json,
    session_to_json,
    turn_input_from_json,
)
from falai_engine.templates import compile_template
from tests.engine.conversation import build
from tests.engine.junk import JSON, JUNK_REPLIES, JUNK_TEXT, SESSION, junk_model, mutations
from tests.engine.made_agents import TURNS, SeededProvider, documents, make_agent, saved, take, walk

A_FEW = settings(max_examples=40)


def text_of(outcome):
    """An outcome as text that is equal when the outcome is, a boolean told from a number."""
    if isinstance(outcome, ProviderError):
        return f"ProviderError {outcome.kind}"
    return json.dumps(result_to_json(outcome), sort_keys=True, allow_nan=False)


# -- any conversation


@A_FEW
@given(documents(), TURNS)
def test_a_session_is_in_a_state_that_the_engine_knows(document, turns):
    """At most one run asks; each rests in a status with its marks and no others; one run a flow and anchor."""
    for _, _, _, outcome in walk(document, turns):
        if isinstance(outcome, ProviderError):
            continue
        runs = saved(outcome)["runs"]
        assert [run["status"] for run in runs].count("asking") <= 1
        for run in runs:
            assert run["status"] != "running"
            assert ("waiting" in run) == (run["status"] == "waiting")
            assert ("suspendedAt" in run) == (run["status"] == "suspended")
            assert len(run["outcomes"]) <= 50
        live = [(run["flowId"], run["anchor"]) for run in runs]
        assert len(set(live)) == len(live)
        assert len({run["id"] for run in runs}) == len(runs)


@A_FEW
@given(documents(), TURNS)
def test_a_session_survives_json(document, turns):
    """What is stored comes back equal, at any point of any conversation, and is JSON of the strict kind."""
    for _, _, _, outcome in walk(document, turns):
        if isinstance(outcome, TurnResult):
            blob = session_to_json(outcome.session)
            back = assert_session(json.loads(json.dumps(blob, allow_nan=False)), "s")
            assert back == outcome.session
            assert session_to_json(back) == blob


@A_FEW
@given(documents(), TURNS)
def test_the_same_input_gives_the_same_result(document, turns):
    """A turn taken again, by another agent of the same make, gives the same messages, keys, wakes and session."""
    for _, what, seeds, outcome in walk(document, turns):
        again = take(make_agent(document, SeededProvider([])), what, seeds)
        assert text_of(again) == text_of(outcome)


@A_FEW
@given(documents(), TURNS)
def test_nothing_that_was_given_is_changed(document, turns):
    """Session, context, history, anchors and claims are the same after the turn, as JSON and as records."""
    for agent, what, seeds, outcome in walk(document, turns):
        typed = turn_input_from_json(what)
        before = copy.deepcopy((what, typed))
        assert text_of(take(agent, typed, seeds)) == text_of(outcome)
        assert (what, typed) == before


@A_FEW
@given(documents(), TURNS)
def test_a_message_that_was_saved_changes_nothing_when_it_comes_again(document, turns):
    """A message with an id that the session knows is ignored: no call, no message, the session as it was."""
    for agent, what, seeds, outcome in walk(document, turns):
        if what.get("id") is None or isinstance(outcome, ProviderError):
            continue
        stored = saved(outcome)
        again = take(agent, {**what, "session": stored}, seeds)
        assert (again.changed, again.messages, again.schedule, again.llm_calls) == (False, [], [], 0)
        assert session_to_json(again.session) == stored


IGNORED = {"duplicate-input", "no-session", "stale-wake", "silence-broken"}
WITHOUT_KEY = {
    *("replied", "no-reply", "no-event", "event-arrived", "awaiting-trigger"),
    *("customer-replied", "premise-changed", "flow-gone", "step-gone", "step-loop", "silenced"),
}


def check_lines(result):
    """Section 1: which parts a line has."""
    for line in result["outcomes"]:
        code = line.get("code")
        assert ("message" in line) == (code is not None)
        if "runId" not in line:
            assert not {"stepId", "flowId", "next"} & set(line)
            assert ("key" in line) == (code in IGNORED or (line["kind"], line["status"]) == ("idle", "ok"))
        elif code in WITHOUT_KEY:
            assert "key" not in line
        else:
            at, _, visit = line["key"].rpartition(":")
            assert (at, visit.isdigit()) == (f"{line['runId']}:{line['stepId']}", True)
        if "llmCalls" in line:
            assert "next" not in line


def check_runs(before, result):
    """Runs come and go by name, and each log ends with the lines of the turn."""
    runs = result["session"]["runs"]
    came = [run["id"] for run in before.get("runs", ())] + [run["runId"] for run in result["started"]]
    assert sorted(came) == sorted(run["id"] for run in [*runs, *result["ended"]])
    for run in [*runs, *result["ended"]]:
        mine = [line for line in result["outcomes"] if line.get("runId") == run["id"]]
        written = [{part: value for part, value in line.items() if part != "message"} for line in mine]
        last = written[-50:]
        assert run["outcomes"][len(run["outcomes"]) - len(last) :] == last
    for run in runs:
        assert run["stepId"] is not None or (run["status"], run["visits"]) == ("waiting", {})
        assert "staying" not in run or run["status"] in {"asking", "suspended", "waiting"}


def check_words(what, result):
    """One speaker, nobody when silenced; messages and wakes under keys of their own, silence last."""
    messages, wakes = result["messages"], result["schedule"]
    assert sum(message["kind"] == "ai" for message in messages) <= 1
    assert "silenced" not in what or messages == []
    for keys in ([message["key"] for message in messages], [wake["key"] for wake in wakes]):
        assert len(set(keys)) == len(keys)
    for message in messages:
        owner = f"{message['runId']}:{message['stepId']}:" if "runId" in message else "idle:"
        assert message["key"].startswith(owner)
    silence = [wake["key"].startswith("silence:") for wake in wakes]
    assert silence == sorted(silence)
    assert all(
        wake["key"].startswith("silence:") and wake["replaces"] != wake["key"] for wake in wakes if "replaces" in wake
    )


def check_changed(what, result):
    """Section 10: not ignored, and no session given, or it differs, or anything came of the turn."""
    ignored = any(line.get("code") in IGNORED for line in result["outcomes"])
    came = any(result[part] for part in ("messages", "schedule", "outcomes", "skipped"))
    differs = json.dumps(what["session"], sort_keys=True) != json.dumps(result["session"], sort_keys=True)
    assert result["changed"] is (not ignored and (what["session"] is None or came or differs))
    assert result["session"]["version"] == (what["session"] or {"version": 0})["version"]


@A_FEW
@given(documents(), TURNS)
def test_the_parts_of_a_result_agree(document, turns):
    """Lines, runs, messages, wakes, counts and `changed` tell one story, the one of sections 1, 2 and 10."""
    for agent, what, _, outcome in walk(document, turns):
        if isinstance(outcome, ProviderError):
            continue
        result = result_to_json(outcome)
        check_lines(result)
        check_runs(what["session"] or {}, result)
        check_words(what, result)
        check_changed(what, result)
        assert result["llmCalls"] == agent.provider.calls


def by_stream(items):
    """The last item of a stream, when all before it are text or resets."""
    items = list(items)
    assert all(isinstance(item, str) or item is RESET for item in items[:-1])
    return items[-1]


async def by_astream(stream):
    return by_stream([item async for item in stream])


@settings(max_examples=25)
@given(documents(), TURNS)
def test_four_drivers_give_one_result(document, turns):
    """turn, stream, aturn and astream end the same, with plain handlers and, where they can be awaited, async ones."""
    for agent, what, seeds, outcome in walk(document, turns):
        later = make_agent(document, SeededProvider([]), asynchronous=True)
        drivers = [
            lambda agent=agent, what=what: by_stream(agent.stream(what)),
            lambda agent=agent, what=what: asyncio.run(agent.aturn(what)),
            lambda agent=agent, what=what: asyncio.run(by_astream(agent.astream(what))),
            lambda agent=later, what=what: asyncio.run(agent.aturn(what)),
            lambda agent=later, what=what: asyncio.run(by_astream(agent.astream(what))),
        ]
        for each in (agent.provider, later.provider):
            each.script(seeds)
        for number, drive in enumerate(drivers):
            agent.provider.script(seeds)
            later.provider.script(seeds)
            try:
                got = drive()
            except ProviderError as error:
                got = error
            assert text_of(got) == text_of(outcome), number


# -- a model that writes junk


def outcome_of(understand, speak):
    """A turn in which the model answers so: its result after a round trip through JSON, or the ProviderError."""
    agent, session = junk_model(understand, speak)
    try:
        result = agent.turn({"sessionId": "s", "session": session, "message": "hello", "id": "m9"})
    except ProviderError as error:
        return error
    blob = json.loads(json.dumps(session_to_json(result.session), allow_nan=False))
    assert assert_session(blob, "s") == result.session
    json.dumps(result_to_json(result), allow_nan=False)
    return result


def mention_of(what):
    """An understand answer in which the customer said something again: it is kept as input, and sent by a template."""
    return f'{{"mentions": {{"echoed": true}}, "extract": {{"echoed": {{"what": {what}}}}}}}'


def nested(depth):
    return "[" * depth + "]" * depth


@given(understand=JSON, speak=JSON)
def test_any_structured_output(understand, speak):
    """Whatever JSON a model gives as its structured output, at either call, a turn comes of it."""
    assert isinstance(outcome_of(ModelReply(structured=understand), ModelReply(structured=speak)), TurnResult)


@given(understand=JUNK_TEXT, speak=JUNK_TEXT)
@example(understand=mention_of("1e999"), speak="x")
@example(understand=mention_of("NaN"), speak="x")
@example(understand="{" * 5000, speak="[" * 5000)
@example(understand="x", speak='{"message": ' * 1000)
def test_any_text(understand, speak):
    """Whatever text a model writes, at either call, a turn comes of it, and a session that any store takes."""
    assert isinstance(outcome_of(ModelReply(understand), ModelReply(speak)), TurnResult)


@pytest.mark.parametrize("depth", [90, 190, 350, 400, 500, 700, 900])
def test_json_of_any_depth(depth):
    """JSON nested however deep is read or dropped: as what was extracted, and as a tool's arguments and its result."""
    assert isinstance(outcome_of(ModelReply(mention_of(nested(depth))), ModelReply("fine")), TurnResult)
    call = ModelReply(tool_calls=[ToolCall("echo", f'{{"x": {nested(depth)}}}')])
    assert isinstance(outcome_of(ModelReply(), [call, ModelReply("fine")]), TurnResult)


TOOL_CALLS = st.lists(
    st.builds(ToolCall, st.sampled_from(["echo", "fill", "strict", "nobody", ""]) | st.text(), JSON | JUNK_TEXT),
    max_size=4,
)


@given(st.lists(st.tuples(TOOL_CALLS, JSON), min_size=1, max_size=4))
def test_any_tool_calls(rounds):
    """Whatever tools a model calls with whatever arguments, offered or not, a turn comes of it."""
    replies = [ModelReply(structured=structured, tool_calls=calls) for calls, structured in rounds]
    assert isinstance(outcome_of(ModelReply(), [*replies, ModelReply("done")]), TurnResult)


class StrangeError(Exception):
    """One that no table knows."""


ERRORS = st.sampled_from(
    [StrangeError, ValueError, KeyError, TimeoutError, StopIteration, StopAsyncIteration, RecursionError, OSError]
)


@given(error=ERRORS, at_speak=st.booleans())
def test_any_exception(error, at_speak):
    """Whatever a provider raises: at understand it leaves as ProviderError, at speak the talk is deferred."""
    good = ModelReply(structured={"message": "fine"})
    outcome = outcome_of(ModelReply() if at_speak else error("boom"), error("boom") if at_speak else good)
    if at_speak:
        assert [line.code for line in outcome.outcomes if line.status == "deferred"] == ["provider-unavailable"]
        assert outcome.messages == []
    else:
        assert outcome.kind == "unknown"


@given(understand=JUNK_REPLIES, speak=JUNK_REPLIES)
@example(understand=None, speak=ModelReply("x"))
@example(understand=ModelReply(), speak=None)
@example(understand=ModelReply(), speak=ModelReply(message=None))
@example(understand=ModelReply(message=5), speak=ModelReply("x"))
@example(understand=ModelReply(usage="lots"), speak=ModelReply("x"))
@example(understand=ModelReply(), speak=ModelReply("x", tool_calls=5))
@example(understand=ModelReply(), speak=ModelReply("x", tool_calls=[5]))
@example(understand=ModelReply(), speak=ModelReply("x", tool_calls=[ToolCall(["echo"], {})]))
@example(understand=ModelReply(usage=Usage(1, None, 2)), speak=ModelReply("x"))
def test_any_reply_of_a_wrong_type(understand, speak):
    """A provider that gives no ModelReply, or one with parts of a wrong type, makes a turn or a ProviderError."""
    outcome_of(understand, speak)


# -- names and paths


SCOPE = ({"name": "Ana", "list": [1], "__own__": "kept"}, {"text": "abc", "number": 5, "yes": True}, {"from": None})
NAMES = st.sampled_from(
    [name for kind in (dict, list, str, int, type) for name in dir(kind)]
    + ["__globals__", "__code__", "func_globals", "constructor", "prototype", "__proto__", "length", "0", "-1", "[0]"]
)


@given(
    root=st.sampled_from(["data", "context", "input", "self", "agent"]), path=st.lists(NAMES, min_size=1, max_size=5)
)
def test_no_path_reaches_an_attribute(root, path):
    """A path of names that only Python's objects have stays in the text as it is written."""
    inside = {"data": "list", "context": "text"}.get(root, "x")
    for names in (path, [inside, *path]):
        written = "{{" + ".".join([root, *names]) + "}}"
        assert compile_template(written).render(SCOPE) == written


@given(text=st.text(st.sampled_from("{}. dataXinputcontext_!%$()[]'\"\\\n"), max_size=60))
def test_a_template_never_raises_and_never_runs(text):
    """Any text is a template; without a known path in it, it comes out as it is."""
    rendered = compile_template(text).render(({}, {}, {}))
    assert rendered == text or "{{" in text


def test_own_keys_with_strange_names_are_only_keys():
    """A key that is called like an attribute is looked up as a key, and nothing else."""
    assert compile_template("{{data.__own__}} {{data.__own__.__class__}}").render(SCOPE) == (
        "kept {{data.__own__.__class__}}"
    )


SLUGS = st.lists(
    st.sampled_from(["__class__", "__init__", "__dict__", "message", "constructor", "naïve", "日付", "a b", "f1", "d1"])
    | st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8).filter(lambda text: text.strip()),
    min_size=1,
    max_size=4,
    unique=True,
)


class Echo:
    """A model that tells every field it is asked for by number, in the order of the schema."""

    name = "echo"

    def generate(self, request):
        properties = request.schema["properties"]
        judging = request.schema_name == "understand"
        names = [name for name in properties if name != "message"]
        if judging:
            names = properties.get("fields", {}).get("properties", {})
        told = {name: f"value {number}" for number, name in enumerate(names)}
        return ModelReply(structured={"fields": told} if judging else {**told, "message": "Thanks."})


@given(slugs=SLUGS, at_speak=st.booleans())
def test_a_field_of_any_name_is_a_field(slugs, at_speak):
    """Whatever a field is called, its value is asked for, comes back under its own name, and is nothing but data."""
    extract = "asked" if at_speak else "anywhere"
    agent = build(
        provider=Echo(),
        fields={slug: {"type": "string", "extract": extract} for slug in slugs},
        flows=[
            {
                "id": "f",
                "on": [{"message": ["x"], "repeat": "always"}, {"message": [], "repeat": "always"}],
                "steps": [{"id": "a", "kind": "collect", "collect": slugs, "prompt": "ask"}],
            }
        ],
    )
    result = agent.turn({"sessionId": "s", "message": "here"})
    assert list(result.session.data.items()) == [(slug, f"value {number}") for number, slug in enumerate(slugs)]
    assert [run.reason for run in result.ended] == ["end"]


# -- hostile rows and inputs


@given(blob=JSON)
def test_any_row_is_a_session_or_an_error(blob):
    """assert_session gives a Session or InvalidSessionError for any JSON, and nothing else."""
    try:
        session = assert_session(blob, "s")
    except InvalidSessionError:
        return
    assert session.id == "s"


@settings(max_examples=300)
@given(blob=mutations("session"))
def test_a_row_with_one_part_broken(blob):
    """A row with any one part replaced or missing is refused, or is a session that the next turn can work with."""
    try:
        session = assert_session(blob, "s")
    except InvalidSessionError:
        return
    assert assert_session(json.loads(json.dumps(session_to_json(session))), "s") == session
    for what in ({"message": "hi", "id": "m9"}, {"wake": "told#1:t:5"}, {"event": "booked", "key": "e1"}):
        agent, _ = junk_model(ModelReply(), ModelReply("fine"))
        agent.turn({"sessionId": "s", "session": session, **what})


@settings(max_examples=300)
@given(given_input=mutations("input"))
@example({"sessionId": "s", "message": "hi", "claims": {"active": [{}]}})
@example({"sessionId": "s", "start": {"flow": "ação", "key": "k"}, "history": [5]})
@example({"sessionId": "s", "start": {"flow": "ação", "key": "k"}, "session": {**SESSION, "history": [5]}})
@example({"sessionId": "s", "message": "hi", "now": "0001-01-01T00:00:00+14:00"})
@example({"sessionId": "s", "message": "hi", "now": "0001-01-01T00:00:00Z"})
@example({"sessionId": "s", "message": "hi", "now": math.inf})
def test_an_input_with_one_part_broken(given_input):
    """An input in which any one part is replaced or missing is taken, or refused by an error that says so."""
    agent, _ = junk_model(ModelReply(), ModelReply("fine"))
    try:
        outcome = agent.turn(given_input)
    except (InputError, InvalidSessionError) as error:
        outcome = error
    assert isinstance(outcome, TurnResult) or str(outcome).startswith("[")


@given(junk=JSON)
def test_any_json_as_input(junk):
    """What is no input at all is refused as one."""
    with pytest.raises((InputError, InvalidSessionError)):
        build(flows=[]).turn(junk)
