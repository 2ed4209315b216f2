"""What the model is asked to judge, under which names, and what its answer means (engine.md, sections 5 and 6)."""

from __future__ import annotations

import json

import pytest

from falai_engine import ConditionDefinition, Event, Idle, ModelReply
from tests.engine.conversation import Conversation, build, codes, lines, texts
from tests.engine.junk import JunkProvider

FIELDS = {
    "name": {"type": "string"},
    "size": {"type": "integer"},
    "ok": {"type": "boolean"},
    "doc": {"type": "string", "extract": "asked"},
}
HI = [{"message": "Hi."}]
SAY = {"id": "x", "kind": "say", "say": "Said."}
FALSE = {"if": {"known": ["doc"]}}


def ask(*fields, **more):
    return {"id": "c", "kind": "collect", "collect": list(fields), "prompt": "Ask.", **more}


def flow(id_, *steps, on=(), **parts):
    return {"id": id_, "on": list(on), "steps": list(steps) or [SAY], **parts}


def about(id_, *steps, **parts):
    """A flow that a message can be about."""
    return flow(id_, *steps, on=[{"message": [f"wants {id_}"], "repeat": "always"}], **parts)


def rest(*steps, **parts):
    """A catch-all."""
    return flow("rest", *steps, on=[{"message": [], "repeat": "always"}], **parts)


class Judged:
    """One message: the sections of the understand call (None without a call) and the result."""

    def __init__(self, *flows, answer=None, before=(), speak=HI * 3, given=None, **parts):
        parts.setdefault("fields", FIELDS)
        self.chat = Conversation(flows=flows, events={"booked": Event(), "asked": Event()}, **parts)
        for start in before:
            self.chat.starts(start, speak=HI)
        given = {"message": "hello", "id": "m1", **(given or {})}
        self.result = self.chat.take(given, understand=[answer or {}], speak=speak)
        asked = [request for request in self.chat.provider.requests if request.schema_name == "understand"]
        self.schema = asked[0].schema if asked else None

    @property
    def sections(self):
        if self.schema is None:
            return None
        return {name: list(section["properties"]) for name, section in self.schema["properties"].items()}

    @property
    def started(self):
        return [run.flow_id for run in self.result.started]


# -- whether there is a call, and what is in it


def test_nothing_to_judge_is_no_call():
    """A catch-all, a detector, a flow that only events start: code decides."""
    detector = flow("seen", on=[{"mention": []}])
    judged = Judged(rest(), detector, flow("booked", on=[{"event": "booked"}]))
    assert judged.sections is None
    assert (judged.started, judged.result.llm_calls) == (["seen", "rest"], 0)


def test_the_floor_s_own_flow_alone_is_no_call():
    """Only routing, and nothing to compare it to."""
    prompt = flow("p", {"id": "p", "kind": "prompt", "prompt": "p"}, onEnd="stay")
    assert Judged(prompt, before=["p"]).sections is None


def test_one_candidate_with_nobody_on_the_floor_is_scored():
    """Like any other: a message may be about something else. Here the idle speaker is there to answer that."""
    judged = Judged(about("sale"), idle=Idle(), answer={"flows": {"sale": 39}})
    assert judged.sections == {"flows": ["sale"]}
    assert (judged.started, texts(judged.result)) == ([], ["Hi."])


def test_the_lone_flow_starts_unscored():
    """Nobody on the floor, one eligible flow, idle silent, no catch-all: whatever is written is about it."""
    judged = Judged(about("sale"))
    assert judged.sections is None
    assert judged.started == ["sale"]


def test_the_lone_flow_s_fields_are_judged_all_the_same():
    """It is not scored, and what the customer tells is read before it asks."""
    judged = Judged(about("sale", ask("name", "ok")), answer={"fields": {"name": "Ana"}})
    assert judged.sections == {"fields": ["name"]}
    assert (judged.started, judged.chat.data) == (["sale"], {"name": "Ana"})


@pytest.mark.parametrize(
    "other",
    [about("rent"), rest()],
    ids=["a second eligible flow", "a catch-all"],
)
def test_a_flow_with_company_is_scored(other):
    """A second eligible flow, or a catch-all that passes, is another thing the message may be for."""
    judged = Judged(about("sale"), other, answer={"flows": {"sale": 10, "rent": 10}})
    assert "sale" in judged.sections["flows"]
    assert "sale" not in judged.started


@pytest.mark.parametrize(
    "other",
    [
        flow("rest", on=[{"message": [], **FALSE}]),
        flow("rent", on=[{"message": ["wants rent"], **FALSE}]),
        flow("seen", on=[{"mention": []}]),
    ],
    ids=["a catch-all that does not pass", "a flow that is not eligible", "a detector"],
)
def test_a_flow_without_company_is_not(other):
    """What cannot start, or starts beside the conversation, is no company."""
    judged = Judged(about("sale"), other)
    assert judged.sections is None
    assert "sale" in judged.started


def test_a_flow_whose_claim_is_held_is_not_eligible():
    """Its repeat does not allow a start, so it is neither scored nor lone; the same from another session."""
    once = flow("once", on=[{"message": ["wants it"]}])
    judged = Judged(once, about("sale"), given={"claims": {"held": {"once:s:": "2026-09-01T00:00:00.000Z"}}})
    assert judged.sections is None
    assert judged.started == ["sale"]


def test_the_floor_comes_first_and_then_agent_order():
    """Flows are scored in the order of judging: the asker's, then the eligible ones as the agent has them."""
    judged = Judged(about("rent"), about("sale", ask("ok")), about("buy"), before=["sale"])
    assert judged.sections == {"flows": ["sale", "rent", "buy"]}
    assert judged.schema["properties"]["flows"]["required"] == ["sale", "rent", "buy"]


def test_the_order_of_the_sections():
    """flows, mentions, extract, branches, fields; each a closed object whose leaves may be null."""
    step = ask("ok", "name", branches=[{"when": "gives up", "then": "end"}])
    told = flow(
        "told", on=[{"mention": ["cites a rival"], "extract": {"who": {"type": "string"}, "n": {"type": "integer"}}}]
    )
    judged = Judged(about("rent"), told, about("sale", step), before=["sale"])
    assert list(judged.sections) == ["flows", "mentions", "extract", "branches", "fields"]
    assert judged.schema["required"] == list(judged.sections)
    assert judged.schema["properties"]["extract"] == {
        "type": "object",
        "properties": {
            "told": {
                "type": "object",
                "properties": {"who": {"type": ["string", "null"]}, "n": {"type": ["integer", "null"]}},
                "required": ["who", "n"],
                "additionalProperties": False,
            }
        },
        "required": ["told"],
        "additionalProperties": False,
    }
    for name in ("flows", "mentions", "branches", "fields"):
        section = judged.schema["properties"][name]
        assert section["additionalProperties"] is False
        assert section["required"] == list(section["properties"])
        assert all("null" in leaf["type"] for leaf in section["properties"].values())


def test_a_mention_s_if_is_judged_at_the_start_alone():
    """It is asked about whatever its `if` says, since only the start knows what was extracted."""
    seen = []

    def from_rival(wanted, scope):
        seen.append(scope.input)
        return scope.input == wanted

    trigger = {"mention": ["cites a rival"], "extract": {"who": {"type": "string"}}, "if": {"rival": {"who": "Acme"}}}
    parts = {"conditions": {"rival": ConditionDefinition(from_rival)}}
    wrong = Judged(
        flow("told", on=[trigger]), answer={"mentions": {"told": True}, "extract": {"told": {"who": "Zeta"}}}, **parts
    )
    assert wrong.sections == {"mentions": ["told"], "extract": ["told"]}
    assert (wrong.started, wrong.result.skipped) == ([], [])
    right = Judged(
        flow("told", on=[trigger]), answer={"mentions": {"told": True}, "extract": {"told": {"who": "Acme"}}}, **parts
    )
    assert right.started == ["told"]
    assert seen == [{"who": "Zeta"}, {"who": "Acme"}, {"who": "Acme"}]


def test_extract_is_taken_from_the_first_mention_trigger_that_has_one():
    """Though the first mention trigger, which has none, is the one that starts it."""
    on = [{"mention": ["cites a rival"]}, {"mention": ["x"], "extract": {"who": {"type": "string"}}}]
    judged = Judged(flow("told", on=on), answer={"mentions": {"told": True}, "extract": {"told": {"who": "Acme"}}})
    assert judged.sections["extract"] == ["told"]
    assert judged.result.ended[0].run.input == {"who": "Acme"}


def test_silenced_there_is_no_call_unless_asked_for():
    """With `understand: true` a silenced message is judged, and its values land; without, code alone decides."""
    answer = {"fields": {"name": "Ana"}}
    deaf = Judged(about("sale", ask("name")), answer=answer, given={"silenced": "a human"})
    assert (deaf.sections, deaf.chat.data, deaf.started) == (None, {}, ["sale"])
    heard = Judged(
        about("sale", ask("name")), answer=answer, given={"silenced": {"reason": "a human", "understand": True}}
    )
    assert (heard.sections, heard.chat.data) == ({"fields": ["name"]}, {"name": "Ana"})
    assert texts(heard.result) == []


# -- fields


def test_fields_of_the_floor_and_of_eligible_flows():
    """Unknown, not only asked, collected by the flow itself or by its talk steps; each once."""
    judged = Judged(
        about("sale", ask("ok"), collect=["size"]),
        about("rent", ask("name", "size", "doc")),
        flow("booked", ask("name"), on=[{"event": "booked"}]),
        before=["sale"],
    )
    assert judged.sections["fields"] == ["size", "name"]


def test_a_known_field_is_not_asked_about():
    """What is known is no question; `extract: asked`, the default of a boolean, never is."""
    chat = Conversation(flows=[about("sale", ask("name", "size", "ok", "doc")), about("rent")], fields=FIELDS)
    chat.session = chat.agent.turn({"sessionId": "s", "wake": "none"}).session
    chat.session.data["name"] = "Ana"
    chat.says("hi", understand=[{}])
    request = chat.provider.requests[0]
    assert list(request.schema["properties"]["fields"]["properties"]) == ["size"]


@pytest.mark.parametrize(
    ("steps", "fields"),
    [
        ([ask("name", "size")], None),
        ([ask("name")], ["name", "size"]),
        ([ask("name", "size", question="Who?")], ["name", "size"]),
        ([SAY, ask("name", "size")], ["name", "size"]),
        ([ask("name", "size", "doc")], None),
    ],
    ids=["all asked first", "one not asked first", "a fixed question", "says first", "and one only asked"],
)
def test_a_catch_all_s_fields_join_when_its_first_step_would_not_ask_them(steps, fields):
    """Alone, they are judged when one of them is not in the first step's `collect`; then all of them are."""
    judged = Judged(rest(*steps, collect=["name", "size"]))
    assert judged.sections == (None if fields is None else {"fields": fields})
    assert judged.started == ["rest"]


def test_a_catch_all_s_fields_join_whatever_else_is_judged():
    """With a flow to score there is a call anyway, and they are read in it."""
    judged = Judged(about("sale"), rest(ask("name", "size")))
    assert judged.sections == {"flows": ["sale"], "fields": ["name", "size"]}


def test_only_the_first_catch_all_that_passes_joins():
    """The one that would start; another's fields are not asked about."""
    blocked = flow("blocked", SAY, ask("ok", "name"), on=[{"message": [], **FALSE}])
    later = flow("later", SAY, ask("name"), on=[{"message": []}])
    judged = Judged(blocked, rest(SAY, ask("size")), later)
    assert judged.sections == {"fields": ["size"]}
    assert judged.started == ["rest"]


def test_a_catch_all_has_no_say_while_somebody_asks():
    """With a run on the floor its fields are not judged, and it does not start."""
    judged = Judged(about("sale", ask("ok")), rest(SAY, ask("name")), before=["sale"])
    assert judged.sections is None
    assert judged.started == []


# -- names on the wire


def test_names_that_are_not_legal_travel_under_aliases():
    """One counter for all, in the order of judging, skipping names in use; branches always; mapped back again."""
    fields = {
        "f1": {"type": "string"},
        "naïve": {"type": "string"},
        "a b": {"type": "string"},
        "d4": {"type": "string"},
    }
    step = ask("f1", "naïve", "a b", "d4", branches=[{"when": "gives up", "then": "end"}])
    sale, q3 = about("venda é boa", step), about("q3")
    told = flow("é dito", on=[{"mention": ["x"], "extract": {"quem é": {"type": "string"}}, "repeat": "always"}])
    judged = Judged(
        sale,
        q3,
        told,
        before=["venda é boa"],
        fields=fields,
        answer={
            "fields": {"d5": "one", "d6": "two", "f1": "own"},
            "mentions": {"f3": True},
            "extract": {"f3": {"quem é": "Bia"}},
        },
    )
    assert judged.sections == {
        "flows": ["f2", "q3"],
        "mentions": ["f3"],
        "extract": ["f3"],
        "branches": ["q4"],
        "fields": ["f1", "d5", "d6", "d4"],
    }
    assert list(judged.schema["properties"]["extract"]["properties"]["f3"]["properties"]) == ["quem é"]
    assert judged.chat.data == {"naïve": "one", "a b": "two", "f1": "own"}
    assert judged.started == ["é dito"]
    assert judged.result.ended[0].run.input == {"quem é": "Bia"}


def test_a_flow_that_is_scored_and_mentioned_has_one_alias():
    """The same name is the same thing in every section."""
    both = flow("é", on=[{"message": ["x"]}, {"mention": ["y"]}])
    assert Judged(both, about("sale")).sections == {"flows": ["f1", "sale"], "mentions": ["f1"]}


@pytest.mark.parametrize("field", ["message", "naïve", "a b", ""])
def test_a_pending_field_s_name_in_the_speak_call(field):
    """A slug that is no legal name, or is `message`, travels as field_<i>, and its value comes back as the slug's."""
    if not field:
        fields = {"name": {"type": "string"}}
        expected, collected = "name", "name"
    else:
        fields = {"first": {"type": "string"}, field: {"type": "string", "extract": "asked"}}
        expected, collected = "field_1", field
    chat = Conversation(flows=[flow("f", ask(*fields))], fields=fields)
    chat.starts("f", speak=[{"message": "Hi.", expected: "told"}])
    (request,) = chat.provider.requests
    assert request.schema["required"] == ["message", *(["first"] if field else []), expected]
    assert chat.data == {collected: "told"}


def test_two_pending_fields_never_share_a_name():
    """A field that is called like another's stand-in has a property of its own: both are asked for and read."""
    fields = {"é": {"type": "string"}, "field_0": {"type": "string"}}
    chat = Conversation(flows=[flow("f", ask(*fields))], fields=fields)
    chat.starts("f", speak=HI)
    (request,) = chat.provider.requests
    assert len(request.schema["properties"]) == 3
    names = [name for name in request.schema["properties"] if name != "message"]
    chat = Conversation(flows=[flow("f", ask(*fields))], fields=fields)
    chat.starts("f", speak=[{"message": "Hi.", **{name: f"value {number}" for number, name in enumerate(names)}}])
    assert chat.data == {"é": "value 0", "field_0": "value 1"}


# -- reading the answer


def answered(reply, *flows, **parts):
    """The result when the understand call answers so."""
    parts.setdefault("fields", FIELDS)
    agent = build(
        provider=JunkProvider(reply, ModelReply("Hi.")), flows=flows or [about("sale", ask("name")), rest()], **parts
    )
    return agent.turn({"sessionId": "s", "message": "hello", "id": "m1"})


WHOLE = {"flows": {"sale": 90}, "fields": {"name": "Ana"}}


@pytest.mark.parametrize(
    "reply",
    [
        ModelReply(structured=WHOLE),
        ModelReply(json.dumps(WHOLE)),
        ModelReply(f"Sure! Here it is:\n```json\n{json.dumps(WHOLE, indent=1)}\n```\nAnything else?"),
        ModelReply("{x} and {y: 1} " + json.dumps(WHOLE)),
        ModelReply('{"flows": {"sale": 90}, "fields": {"name": "A\nn\ta"}}'),
        ModelReply(json.dumps(WHOLE), structured={"note": "nothing here"}),
        ModelReply(json.dumps(WHOLE), structured=[WHOLE]),
        ModelReply("{" * 70 + json.dumps(WHOLE)),
    ],
    ids=[
        "structured",
        "text",
        "fenced",
        "after broken ones",
        "raw control characters",
        "no section",
        "a list",
        "many braces",
    ],
)
def test_where_an_answer_is_found(reply):
    """The structured output when it has a section, else the first object in the text that parses."""
    result = answered(reply)
    assert [run.flow_id for run in result.started] == ["sale"]
    assert result.session.data["name"].replace("\n", "").replace("\t", "") == "Ana"


@pytest.mark.parametrize(
    "reply",
    [
        ModelReply(),
        ModelReply("I would say 90."),
        ModelReply('{"flows": {"sale": 90'),
        ModelReply('{"note": 1} {"flows": {"sale": 90}}'),
        ModelReply(structured={"flows": [90]}),
    ],
    ids=["nothing", "words", "cut", "first without a section", "a section of another shape"],
)
def test_no_answer_is_an_empty_judgement(reply):
    """Every score is 0: the catch-all starts, and the call counts."""
    result = answered(reply)
    assert [run.flow_id for run in result.started] == ["rest"]
    assert result.llm_calls == 1


@pytest.mark.parametrize(
    ("score", "starts"),
    [
        (40, True),
        (39.999, False),
        ("40", True),
        (" 40.0 ", True),
        ("39.9", False),
        ("40,0", False),
        (1000, True),
        (-5, False),
        (True, False),
        (None, False),
        ("ninety", False),
        ([90], False),
        ("", False),
        (1e400, False),
    ],
    ids=repr,
)
def test_a_score_is_a_finite_number_or_its_text(score, starts):
    """Cut to 0..100, fractions kept; anything else, or none, is 0."""
    result = answered(ModelReply(structured={"flows": {"sale": score}}))
    assert [run.flow_id for run in result.started] == (["sale"] if starts else ["rest"])


@pytest.mark.parametrize(
    ("asker", "other", "routed"),
    [
        (60, 75, True),
        (60, 74.9, False),
        (85, 100, True),
        (86, 100, False),
        (500, 100, False),
        (0, 39, False),
        (0, 40, True),
    ],
)
def test_what_it_takes_to_take_the_floor(asker, other, routed):
    """At least 40, and 15 above the asker; scores over 100 count as 100."""
    judged = Judged(
        about("sale", ask("ok")), about("rent"), before=["sale"], answer={"flows": {"sale": asker, "rent": other}}
    )
    assert judged.started == (["rent"] if routed else [])


def test_ties_go_to_the_first_in_agent_order():
    """Two flows with one score: the agent's order decides."""
    flows = [about("buy"), about("rent"), about("sale")]
    assert Judged(*flows, answer={"flows": {"sale": 80, "rent": 80, "buy": 79}}).started == ["rent"]


@pytest.mark.parametrize(
    ("answer", "is_true"),
    [
        (True, True),
        ("sim", True),
        (" YES ", True),
        ("1", True),
        (1, False),
        ("maybe", False),
        (None, False),
        ("não", False),
    ],
    ids=repr,
)
def test_mentions_and_branches_are_read_by_the_boolean_table(answer, is_true):
    """A number is no answer; a text of the table is."""
    told = flow("told", on=[{"mention": ["x"]}])
    assert Judged(told, answer={"mentions": {"told": answer}}).started == (["told"] if is_true else [])
    step = ask("ok", branches=[{"when": "gives up", "then": "end"}])
    judged = Judged(about("sale", step), before=["sale"], answer={"branches": [answer]})
    assert [ended.reason for ended in judged.result.ended] == (["end"] if is_true else [])


@pytest.mark.parametrize(
    ("extract", "payload"),
    [
        ({"told": {"who": "Acme", "n": "7", "none": None, "blank": ""}}, {"who": "Acme", "n": "7"}),
        ({"told": {"who": None}}, {}),
        ({"told": {}}, {}),
        ({"told": "Acme"}, "absent"),
        ({}, "absent"),
        ({"told": {"who": 0, "n": False, "list": []}}, {"who": 0, "n": False, "list": []}),
    ],
)
def test_what_was_extracted_stays_as_given(extract, payload):
    """Null and empty dropped, nothing coerced; an object with nothing left is still the payload."""
    told = flow("told", on=[{"mention": ["x"], "extract": {"who": {"type": "string"}, "n": {"type": "integer"}}}])
    judged = Judged(told, answer={"mentions": {"told": True}, "extract": extract})
    run = judged.result.ended[0].run
    if payload == "absent":
        assert not run.input
        assert run.input != {}
    else:
        assert run.input == payload


def test_a_mention_that_was_not_asked_about_is_told_why_it_does_not_start():
    """The model's word counts there too: the start order says that the claim is held."""
    judged = Judged(
        flow("told", on=[{"mention": ["x"]}]),
        flow("more", on=[{"mention": ["y"]}]),
        given={"claims": {"held": {"told:s:": "2026-09-01T00:00:00.000Z"}}},
        answer={"mentions": {"told": True, "more": True}},
    )
    assert judged.sections == {"mentions": ["more"]}
    assert (judged.started, codes(judged.result)) == (["more"], [("told", "already-claimed")])


# -- values


def test_values_land_in_the_order_of_the_reply():
    """Asked for or not, known or not; what is null or empty says nothing, what does not fit gets its line."""
    fields = {**FIELDS, "level": {"type": "integer", "enum": [1, 2]}}
    answer = {"fields": {"ok": "sim", "size": "many", "ghost": 1, "name": "", "doc": "D1", "level": 7, "x": None}}
    judged = Judged(about("sale", ask("name")), about("rent"), fields=fields, answer=answer)
    assert judged.chat.data == {"ok": True, "doc": "D1"}
    assert lines(judged.result, "kind", "status", "code", "detail", "run_id", "key")[:3] == [
        ("collect", "skipped", "bad-value", "size", None, None),
        ("collect", "skipped", "unknown-field", "ghost", None, None),
        ("collect", "skipped", "not-in-enum", "level", None, None),
    ]


def test_routing_is_decided_before_values_land():
    """A value told now makes no flow eligible that was not when the message was judged."""
    picky = flow("picky", on=[{"message": ["x"], "if": {"known": ["name"]}}])
    judged = Judged(picky, about("sale", ask("name")), answer={"fields": {"name": "Ana"}, "flows": {"picky": 100}})
    assert judged.started == ["sale"]
    assert judged.chat.data == {"name": "Ana"}


def test_clear_on_start_is_applied_before_values_land():
    """What the customer tells in the very message that starts a flow is not forgotten by it."""
    chat = Conversation(
        flows=[about("sale", ask("name", "size"), clearOnStart=["name", "size"]), about("rent")], fields=FIELDS
    )
    chat.session = chat.agent.turn({"sessionId": "s", "wake": "none"}).session
    chat.session.data |= {"name": "Old", "size": 1}
    chat.says("hi, I am Ana", understand=[{"flows": {"sale": 90}, "fields": {"name": "Ana"}}], speak=HI)
    assert chat.data == {"name": "Ana"}


# -- branches


def test_the_first_branch_that_holds_is_taken_in_their_order():
    """`if` and `when` stand in one line; the judgement answers the latter."""
    step = ask(
        "ok",
        branches=[
            {"if": {"known": ["name"]}, "then": "a"},
            {"when": "gives up", "then": "b"},
            {"if": {"silenced": False}, "then": "c2"},
        ],
    )
    ends = [{"id": id_, "kind": "say", "say": id_, "then": "end"} for id_ in ("a", "b", "c2")]
    for answer, text in (
        ({"fields": {"name": "Ana"}, "branches": [True]}, "a"),
        ({"branches": [True]}, "b"),
        ({"branches": [False]}, "c2"),
    ):
        judged = Judged(about("sale", step, *ends), before=["sale"], answer=answer)
        assert texts(judged.result) == [text]
        assert lines(judged.result, "status", "code", "next", "key")[0] == ("ok", "branch", text, "sale#k:c:1")


def test_a_staying_run_does_not_go_round():
    """It takes no `if` branch back onto a step it has visited, nor to the end; a `when` branch it does."""
    prompt = {"id": "p", "kind": "prompt", "prompt": "p", "then": "end"}
    always = {"if": {"silenced": False}}
    for branch, goes in (
        ({**always, "then": "p"}, False),
        ({**always, "then": "end"}, False),
        ({**always, "then": {"step": "p", "clear": ["name"]}}, False),
        ({**always, "then": "y"}, True),
        ({**always, "then": {"flow": "other"}}, True),
        ({"when": "wants out", "then": "y"}, True),
    ):
        stay = flow("stay", {**prompt, "branches": [branch]}, {"id": "y", "kind": "say", "say": "Out."}, onEnd="stay")
        judged = Judged(stay, flow("other"), before=["stay"], answer={"branches": [True]})
        assert ([line.code for line in judged.result.outcomes if line.code == "branch"] == ["branch"]) is goes, branch
