"""What the model is told: the parts of both prompts, their order, and what may not be in them (engine.md, 5 and 8)."""

from __future__ import annotations

import pytest

from falai_engine import Action, ConditionDefinition, Event, Idle, Instruction, Session, Variable
from tests.engine.conversation import Conversation

FIELDS = {
    "name": {"type": "string", "label": "Full name {{data.city}}", "description": "As on paper {{data.city}}."},
    "size": {"type": "string", "enum": ["1-10", "11-50"], "ask": "Ask the size in {{data.city}}."},
    "city": {"type": "string", "label": "Town"},
    "secret": {"type": "string"},
}
FLOW = {
    "id": "sale",
    "name": "Sale {{data.city}}",
    "description": "Sells houses in {{data.city}}.",
    "on": [{"event": "asked"}, {"message": ["wants a house in {{data.city}}", "!is only curious in {{data.city}}"]}],
    "instructions": [{"kind": "must", "prompt": "Speak of {{data.city}}."}],
    "steps": [
        {
            "id": "a",
            "kind": "collect",
            "collect": ["name", "size"],
            "prompt": "Find out who it is, from {{data.city}}.",
            "ask": {"name": "Ask the name, for {{input.from}}."},
            "instructions": [
                {"kind": "never", "when": ["in {{data.city}}", "at night", "!on Sunday"], "prompt": "Shout."}
            ],
            "branches": [{"when": "gives up {{data.city}}", "then": "end"}],
        }
    ],
}
PARTS = {
    "name": "Bia {{data.city}}",
    "persona": "A calm seller.",
    "goal": "Sell well.",
    "knowledge_base": "Houses cost {{data.city}}.",
    "fields": FIELDS,
    "flows": [FLOW],
    "events": {"asked": Event()},
    "instructions": [Instruction("Be brief in {{data.city}}.", when="!the customer asks for more")],
    "timezone": "America/Sao_Paulo",
}


class Told:
    """A conversation in which the city is known; `speak` and `understand` give the request of one call."""

    def __init__(self, **parts):
        self.talk = Conversation(**PARTS | parts)
        self.talk.session = Session("s", data={"city": "Recife"})

    def speak(self, what=None, **common):
        event = {"event": "asked", "key": "e1", "payload": {"from": "web"}}
        self.talk.take(what or event, understand=[{}], speak=[{"message": "Hi."}], **common)
        return self.talk.provider.requests[-1]

    def understand(self, message="hello there"):
        self.talk.take({"message": message, "id": message}, understand=[{}], speak=[{"message": "Hi."}])
        (request,) = [each for each in self.talk.provider.requests if each.schema_name == "understand"]
        return request


def in_order(text, *parts):
    """Every part stands in the text once or more, each after the one before it."""
    at = 0
    for part in parts:
        assert part in text[at:], part
        at = text.index(part, at) + len(part)


# -- the speak prompt


def test_the_parts_of_the_speak_call_in_their_order():
    """System: identity, knowledge. Prompt: flow, guideline, pending, known, now, rules, message, format."""
    told = Told()
    told.speak()
    request = told.speak({"message": "I want a house", "id": "m2"})
    in_order(request.system, "Bia", "A calm seller.", "Sell well.", "Houses cost")
    in_order(
        request.prompt,
        "Sale",
        "Sells houses in Recife.",
        "Find out who it is, from Recife.",
        "name",
        "Ask the name, for web.",
        "size",
        "Ask the size in Recife.",
        "Town",
        "Recife",
        "Monday, 2026-09-21 07:00 (America/Sao_Paulo)",
        "Be brief in Recife.",
        "Speak of Recife.",
        "Shout.",
        "I want a house",
        "`message`",
    )


def test_what_stays_the_same_comes_first():
    """From turn to turn the system message is one text, and a prompt begins as the one before it began."""
    told = Told()
    first = told.speak({"event": "asked", "key": "e1", "payload": {"from": "web"}})
    told.talk.clock.move(hours=5)
    second = told.speak({"message": "a house, please", "id": "m2"})
    assert first.system == second.system
    upto = first.prompt.index("from Recife.")
    assert second.prompt[:upto] == first.prompt[:upto]


def test_both_calls_share_the_system_message():
    """Understand and speak have one system message, so that a provider caches it for both."""
    told = Told()
    assert told.understand().system == told.speak({"message": "again", "id": "m3"}).system


def test_a_template_in_the_persona_moves_the_identity_into_the_prompts():
    """The system message keeps the knowledge alone, and both prompts begin with the same identity, rendered."""
    told = Told(persona="A seller of {{data.city}}.")
    understand, speak = told.understand(), told.speak({"message": "again", "id": "m3"})
    assert understand.system == speak.system
    assert "Houses cost" in speak.system
    for word in ("Bia", "seller", "Sell well."):
        assert word not in speak.system
    identity = speak.prompt.partition("# Sale")[0]
    in_order(identity, "Bia", "A seller of Recife.", "Sell well.")
    assert understand.prompt.startswith(identity)


def test_a_template_in_the_goal_moves_it_too():
    """The goal is part of the identity; without knowledge there is no system message left."""
    request = Told(goal="Sell in {{data.city}}.", knowledge_base=None).speak()
    assert request.system is None
    in_order(request.prompt, "Bia", "A calm seller.", "Sell in Recife.", "Sale")


def test_an_agent_that_says_nothing_of_itself_has_no_system_message():
    """Nothing to say is no message, not an empty one."""
    assert Told(name="", persona=None, goal=None, knowledge_base=None).speak().system is None


def test_what_is_rendered_and_what_is_not():
    """Guideline, asks, instructions, description are rendered; names, labels, field descriptions and `when` are not."""
    request = Told().speak()
    for rendered in (
        "Sells houses in Recife.",
        "from Recife.",
        "Ask the name, for web.",
        "Ask the size in Recife.",
        "Be brief in Recife.",
        "Speak of Recife.",
    ):
        assert rendered in request.prompt
    for written in (
        "Sale {{data.city}}",
        "Full name {{data.city}}",
        "As on paper {{data.city}}.",
        "in {{data.city}} OR",
    ):
        assert written in request.prompt
    assert "Houses cost {{data.city}}." in request.system
    assert "Bia {{data.city}}" in request.system


# -- pending and known


def section_between(prompt, start, end):
    return prompt[prompt.index(start) : prompt.index(end)]


def test_how_to_ask_is_the_step_s_and_else_the_field_s():
    """The step's `ask` wins over the field's."""
    fields = {**FIELDS, "name": {"type": "string", "ask": "The field's way."}}
    request = Told(fields=fields).speak()
    assert "The field's way." not in request.prompt
    assert "Ask the name, for web." in request.prompt
    without = {**FLOW, "steps": [{"id": "a", "kind": "collect", "collect": ["name"]}]}
    assert "The field's way." in Told(fields=fields, flows=[without]).speak().prompt


def test_known_fields_and_shown_variables_are_settled():
    """Every known field, and a variable that is `shown`, its initial value too; never what is pending or not shown."""
    variables = {
        "visits": Variable("integer", 3, shown=True),
        "mood": Variable("string", shown=True),
        "hidden": Variable("string", "kept to ourselves"),
    }
    told = Told(variables=variables)
    told.talk.session.data |= {"secret": "a word", "size": ""}
    request = told.speak()
    settled = section_between(request.prompt, "Ask the size", "Now:")
    for known in ("Town: Recife", "secret: a word", "visits: 3"):
        assert known in settled
    for absent in ("mood", "hidden", "kept to ourselves", "size:", "name:"):
        assert absent not in settled


def test_what_was_given_in_this_turn_is_marked_as_fresh():
    """A provider that is no language model is told which known values are new, to thank for them."""
    told = Told(variables={"visits": Variable("integer", 3, shown=True)})
    told.talk.take(
        {"message": "hi", "id": "m2"}, understand=[{"fields": {"secret": "a word"}}], speak=[{"message": "x"}]
    )
    known = told.talk.provider.requests[-1].brief.known
    assert {each.slug: each.fresh for each in known} == {"city": False, "secret": True, "visits": False}


def test_a_collect_step_without_a_prompt_says_what_to_do_all_the_same():
    """The default guideline collects what is missing; one that collects nothing answers."""
    bare = {**FLOW, "steps": [{"id": "a", "kind": "collect", "collect": ["name"]}]}
    collecting = Told(flows=[bare], instructions=[]).speak().prompt
    blank = {**FLOW, "steps": [{"id": "a", "kind": "prompt", "prompt": "{{context.lead.name}}"}]}
    answering = Told(flows=[blank], instructions=[]).speak(context={"lead": None}).prompt
    assert "missing" in collecting.partition("Full name")[0]
    assert "Answer" in answering.partition("Now")[0]


# -- rules


@pytest.mark.parametrize(
    ("instruction", "line"),
    [
        ({"prompt": "Do it."}, "[should] [Always] Do it."),
        ({"kind": "must", "prompt": "Do it."}, "[must] [Always] Do it."),
        ({"kind": "never", "prompt": "Do it.", "when": "a"}, "[never] Do it. (apply only when: a)"),
        ({"prompt": "Do it.", "when": ["a", " b "]}, "[should] Do it. (apply only when: a OR b)"),
        ({"prompt": "Do it.", "when": ["!", " "]}, "[should] [Always] Do it."),
        ({"prompt": "Do it.", "when": "a!b"}, "[should] Do it. (apply only when: a!b)"),
    ],
    ids=["plain", "kind", "when", "two", "nothing that counts", "a ! inside"],
)
def test_an_instruction_s_line(instruction, line):
    """`[kind] [Always] text (apply only when: a OR b)`: the kind is `should` unless given, Always without a `when`."""
    flow = {**FLOW, "instructions": [instruction], "steps": [{"id": "a", "kind": "prompt", "prompt": "p"}]}
    prompt = Told(flows=[flow], instructions=[]).speak().prompt
    assert line in prompt.splitlines()


def test_an_exclusion_says_when_an_instruction_never_counts():
    """A `when` that starts with `!` is told as its opposite, beside those that count, without the mark."""
    prompt = Told().speak().prompt
    (shout,) = [line for line in prompt.splitlines() if "Shout." in line]
    assert shout.startswith("[never] Shout. (apply only when: in {{data.city}} OR at night")
    assert "never when: on Sunday" in shout
    (brief,) = [line for line in prompt.splitlines() if "Be brief" in line]
    assert brief.startswith("[should] [Always] Be brief")
    assert "!the customer" not in prompt


def test_an_instruction_whose_if_fails_is_left_out():
    """`if` is judged by code each time, with the run for a flow's instructions, and never told to the model."""
    seen = []

    def vip(wanted, scope):
        seen.append((scope.run and scope.run.id, scope.input))
        return wanted

    rules = [Instruction("Only when known.", if_={"known": ["secret"]}), Instruction("For some.", if_={"vip": True})]
    told = Told(
        instructions=[*rules, Instruction("For none.", if_={"vip": False})],
        conditions={"vip": ConditionDefinition(vip)},
    )
    prompt = told.speak().prompt
    assert "For some." in prompt
    assert "Only when known." not in prompt
    assert "For none." not in prompt
    assert seen == [("sale#e1", {"from": "web"})] * 2


# -- who wrote


def test_the_customer_s_message_is_in_the_prompt_and_nowhere_else():
    """It is told as it was written, a template in it too, and never in the system message or as a schema's text."""
    told = Told()
    told.speak()
    message = "My secret is {{data.city}} {{data.secret}}"
    for request in (told.speak({"message": message, "id": "m2"}), told.understand(message + "!")):
        assert message in request.prompt
        assert "My secret" not in request.system
        assert "My secret" not in str(request.schema)


USER, ASSISTANT = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}


def test_without_a_message_the_history_tells_whose_turn_it_is():
    """The customer's last message waits when the history ends on it, else the assistant speaks first."""
    waits = Told().speak(history=[ASSISTANT, USER])
    first = Told().speak(history=[USER, ASSISTANT])
    alone = Told().speak(history=[])
    written = Told().speak({"message": "hi", "id": "m2", "silenced": None}, history=[USER])
    assert waits.brief.unanswered
    assert not first.brief.unanswered
    assert not written.brief.unanswered
    assert waits.prompt != first.prompt
    assert first.prompt == alone.prompt
    assert "first" in first.prompt.partition("# Rules")[2]
    assert "wait" in waits.prompt.partition("# Rules")[2]


def test_both_calls_get_the_history_as_given():
    """Items of every role, with whatever a host put into them, go to both calls untouched and unordered."""
    history = [
        USER,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "x", "name": "t", "arguments": {"a": 1}}],
            "mine": 1,
        },
        {"role": "tool", "tool_call_id": "x", "name": "t", "content": "  spaced   out  "},
        {"role": "system", "content": "{{data.city}}"},
        {"role": "user", "content": "hi", "name": "Ana", "extra": [1, None]},
    ]
    told = Told()
    told.speak()
    told.talk.take({"message": "so", "id": "m2"}, understand=[{}], speak=[{"message": "Hi."}], history=history)
    assert [request.schema_name for request in told.talk.provider.requests] == ["understand", "speak"]
    for request in told.talk.provider.requests:
        assert list(request.history) == history


def test_the_history_falls_back_to_the_session_s_and_then_to_none():
    """An empty list given is a history, and hides the session's."""
    told = Told()
    told.talk.session.history = [USER, ASSISTANT]
    assert list(told.speak().history) == [USER, ASSISTANT]
    assert list(Told().speak(history=[]).history) == []
    assert list(Told().speak().history) == []
    hidden = Told()
    hidden.talk.session.history = [USER]
    assert list(hidden.speak(history=[]).history) == []


# -- idle


def idle_request(**parts):
    told = Told(
        idle=Idle("Help with {{data.city}}.", instructions=[Instruction("Stay calm.", when="!it is late")]), **parts
    )
    return told.speak({"message": "what now?", "id": "m2"})


def test_idle_has_no_flow_no_pending_and_no_known_section():
    """Only identity, knowledge, its own prompt, now, rules of the agent and its own, the message and the format."""
    request = idle_request(
        flows=[{**FLOW, "on": [{"event": "asked"}]}], variables={"visits": Variable("integer", 3, shown=True)}
    )
    in_order(
        request.prompt,
        "Help with Recife.",
        "2026-09-21 07:00",
        "Be brief in Recife.",
        "[should] [Always] Stay calm.",
        "what now?",
        "`message`",
    )
    for absent in ("Sale", "Town", "visits", "Full name", "Speak of", "Shout", "missing"):
        assert absent not in request.prompt
    assert (request.brief.idle, request.brief.pending, request.brief.known) == (True, (), ())
    assert list(request.schema["properties"]) == ["message"]
    in_order(request.system, "Bia", "A calm seller.", "Sell well.", "Houses cost")


def test_idle_has_a_default_prompt():
    """Without a prompt of its own it answers; the customer's message is there."""
    told = Told(flows=[{**FLOW, "on": [{"event": "asked"}]}], idle=Idle())
    request = told.speak({"message": "what now?", "id": "m2"})
    in_order(request.prompt, "Answer", "Now", "what now?")


# -- the understand prompt


def test_the_understand_prompt_tells_what_is_judged():
    """Each candidate under its name on the wire, with title, description and phrases rendered, exclusions apart."""
    told = Told()
    told.speak()
    other = {
        **FLOW,
        "id": "rent",
        "name": "Rent",
        "on": [{"message": ["rents in {{data.city}} for {{input.from}}", "!buys"]}],
    }
    told.talk.edit(flows=[FLOW, other])
    request = told.understand()
    in_order(request.prompt, "sale", "Sale {{data.city}}", "Sells houses in Recife.", "rent", "Rent", "hello there")
    assert "rents in Recife for {{input.from}}" in request.prompt
    assert "gives up Recife" in request.prompt
    assert "wants a house in Recife" in request.prompt
    assert "!" not in request.prompt
    (rent,) = [line for line in request.prompt.splitlines() if line.startswith("- rent")]
    counted, excluded = rent.index("rents in"), rent.index("buys")
    assert "0 when" in rent[counted:excluded]


def test_an_exclusion_of_a_mention_is_told_apart():
    """The phrase that excludes says when the mention is false."""
    flow = {**FLOW, "on": [{"mention": ["cites a rival", "!cites us"]}]}
    request = Told(flows=[flow]).understand()
    (line,) = [line for line in request.prompt.splitlines() if "cites a rival" in line]
    assert "false when: cites us" in line.lower()


def test_understanding_offers_no_tools_and_speaks_no_message():
    """Its schema is the judgement, and nothing of it is shown to the customer."""
    request = Told().understand()
    assert list(request.tools) == []
    assert "message" not in request.schema["properties"]
    assert request.schema["additionalProperties"] is False


def test_times_are_told_in_the_agent_s_zone():
    """Before midnight in one zone is after it in another."""
    for zone, told_as in (
        ("America/Sao_Paulo", "Sunday, 2026-09-20 23:00"),
        ("Asia/Tokyo", "Monday, 2026-09-21 11:00"),
        (None, "Monday, 2026-09-21 02:00"),
    ):
        assert told_as in Told(timezone=zone).speak(now="2026-09-21T02:00:00.000Z").prompt


def test_a_rendered_with_reaches_the_action():
    """`with` is rendered at every depth; its keys and what is no text stay."""
    seen = []
    flow = {
        "id": "f",
        "steps": [
            {"id": "a", "kind": "do", "do": "act", "with": {"to": "{{data.city}}", "tags": ["{{input.from}}", "b"]}}
        ],
    }
    parameters = {"to": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}
    told = Told(flows=[flow], actions={"act": Action(lambda params, call: seen.append(params), parameters)})
    told.talk.starts("f", input={"from": "web"})
    assert seen == [{"to": "Recife", "tags": ["web", "b"]}]
