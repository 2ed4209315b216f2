"""The provider as the engine meets it: the protocol, streams, calls without a brief, and junk."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falai_engine.briefs import (
    BranchChoice,
    FieldAsk,
    FieldChoice,
    FlowChoice,
    KnownValue,
    MentionChoice,
    SpeakBrief,
    UnderstandBrief,
)
from falai_engine.model import ModelReply, ModelRequest, Provider, ToolOffer
from falai_engine.providers import make_provider
from falai_engine.providers.offline import OfflineProvider
from tests.engine.offline.build import choice, flow, mention, speak_brief

PROVIDER = OfflineProvider()


def request(brief, **about):
    name = "understand" if isinstance(brief, UnderstandBrief) else "speak"
    return ModelRequest("", {}, name, brief=brief, **about)


def test_it_is_a_provider():
    """It has the protocol's names, and the factory makes one."""
    assert isinstance(PROVIDER, Provider)
    assert PROVIDER.name == "offline"
    assert isinstance(make_provider("offline"), OfflineProvider)


def test_all_four_calls_give_the_same_reply():
    """Streamed or not, synchronous or not: one reply, told in pieces of a few words that make up its message."""
    asked = request(speak_brief("bom dia", idle=True))

    async def both():
        return await PROVIDER.agenerate(asked), [piece async for piece in PROVIDER.astream(asked)]

    reply = PROVIDER.generate(asked)
    *pieces, last = PROVIDER.stream(asked)
    assert asyncio.run(both()) == (reply, [*pieces, last])
    assert last == reply
    assert "".join(pieces) == reply.message
    assert len(pieces) > 1
    assert all(len(piece.split()) <= 3 for piece in pieces)
    assert (reply.usage, reply.model, reply.finish) == (None, "offline", "stop")


def test_a_judgement_streams_no_text():
    """There is nothing to show of an understand call."""
    (only,) = PROVIDER.stream(request(UnderstandBrief("oi", flows=(flow("a", "oi"),))))
    assert isinstance(only, ModelReply)
    assert only.structured == {"flows": {"a": 100}}


def test_the_prompt_is_not_read():
    """The brief decides; the text of the prompt and of the system message changes nothing."""
    brief = speak_brief("oi", idle=True)
    replies = {
        PROVIDER.generate(ModelRequest(text, {}, "speak", text, brief=brief)).message for text in ("", "x", "Diga: y")
    }
    assert len(replies) == 1


def test_a_summary_is_an_extract():
    """A call without a schema name gets the first sentences of the last lines."""
    reply = PROVIDER.generate(ModelRequest("user: Quero um plano. Bem grande.\nassistant: Claro! Qual?", {}, None))
    assert reply.message == "Resumo da conversa até aqui:\n- user: Quero um plano.\n- assistant: Claro!"
    assert PROVIDER.generate(ModelRequest("", {}, None)).message.strip()


@pytest.mark.parametrize("name", ["understand", "speak"])
def test_a_call_without_a_brief_gets_an_empty_reply_of_its_shape(name):
    """Another host may send none: every property is there and null, and a message is said."""
    leaf = {"type": ["string", "null"]}
    schema = {"properties": {"message": leaf, "fields": {"type": "object", "properties": {"nome": leaf}}}}
    reply = PROVIDER.generate(ModelRequest("", schema, name))
    assert reply.structured["fields"] == {"nome": None}
    assert bool(reply.structured["message"]) is (name == "speak")


WORDS = """oi sou a Ana da Zeta não sim quero humano ? , . R$ 1.500 mil e quinhentos na verdade I'm from Acme 30 pessoas
a@b.co 11 98765-4321 amanhã às 15h pergunte o nome se está certo diga que resuma é meu"""
TEXTS = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="aeionsu ,.?!R$0123456789k@-+", max_size=60),
    st.lists(st.sampled_from(WORDS.split()), max_size=25).map(" ".join),
)
MAYBE = st.none() | TEXTS
KINDS = st.sampled_from(["string", "number", "integer", "boolean", "array", "?"])
ENUMS = st.none() | st.lists(TEXTS | st.integers() | st.booleans() | st.none(), max_size=4).map(tuple)
NAMES = st.sampled_from(["nome", "empresa", "email", "orcamento", "porte", "data", "x", "confirmado"])
PARAMETERS = st.dictionaries(
    TEXTS,
    st.fixed_dictionaries({}, optional={"type": KINDS, "description": MAYBE, "enum": st.lists(TEXTS)}),
    max_size=3,
)


def named(strategy):
    """At most four of something, each with a wire name of its own."""
    return st.lists(strategy, max_size=4).map(lambda made: tuple(make(f"n{i}") for i, make in enumerate(made)))


def making(cls, *rest):
    return st.tuples(*rest).map(lambda values: lambda name: cls(name, *values))


PHRASES = st.lists(TEXTS, max_size=3).map(tuple)
FLOW_CHOICES = named(making(FlowChoice, NAMES, TEXTS, TEXTS, PHRASES, PHRASES, st.booleans()))
MENTION_CHOICES = named(making(MentionChoice, NAMES, TEXTS, PHRASES, PHRASES, st.none() | PARAMETERS))
FIELD_CHOICES = named(making(FieldChoice, NAMES | TEXTS, KINDS, ENUMS, MAYBE, MAYBE, st.booleans()))
FIELD_ASKS = named(making(FieldAsk, NAMES | TEXTS, KINDS, ENUMS, MAYBE, MAYBE, MAYBE, st.integers(0, 3)))
VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | TEXTS, st.lists, max_leaves=3)
KNOWN = st.lists(st.builds(KnownValue, NAMES | TEXTS, MAYBE, VALUES, st.booleans()), max_size=3).map(tuple)
UNDERSTAND = st.builds(
    UnderstandBrief, TEXTS, FLOW_CHOICES, MENTION_CHOICES, named(making(BranchChoice, TEXTS)), FIELD_CHOICES, MAYBE
)
SPEAK = st.builds(
    SpeakBrief,
    message=MAYBE,
    idle=st.booleans(),
    flow_name=MAYBE,
    flow_description=MAYBE,
    guideline=MAYBE,
    pending=FIELD_ASKS,
    known=KNOWN,
    instructions=st.just(()),
    today=st.just(""),
    unanswered=st.booleans(),
    locale=MAYBE,
)
HISTORY = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool"]), "content": MAYBE | st.just('{"a": [1]}')}
    ),
    max_size=3,
)
TOOLS = st.lists(
    st.builds(
        ToolOffer, TEXTS, TEXTS, st.just({}) | PARAMETERS.map(lambda p: {"properties": p, "required": list(p)[:1]})
    ),
    max_size=2,
)


@given(UNDERSTAND)
def test_any_judgement_fits_its_brief(brief):
    """Whatever is written: the names of the brief, scores from 0 to 100, booleans, values that JSON holds."""
    found = PROVIDER.generate(request(brief)).structured
    expected = {
        "flows": [each.name for each in brief.flows],
        "mentions": [each.name for each in brief.mentions],
        "extract": [each.name for each in brief.mentions if each.extract],
        "branches": [each.name for each in brief.branches],
        "fields": [each.name for each in brief.fields],
    }
    assert {name: list(section) for name, section in found.items()} == {k: v for k, v in expected.items() if v}
    assert all(type(score) is int and 0 <= score <= 100 for score in found.get("flows", {}).values())
    assert all(type(said) is bool for part in ("mentions", "branches") for said in found.get(part, {}).values())
    for each in brief.mentions:
        assert not each.extract or set(found["extract"][each.name]) == set(each.extract)
    for each in brief.fields:
        value = found["fields"][each.name]
        assert value is None or (each.enum and value in each.enum) or type(value) in (str, int, float, bool)
    json.dumps(found)
    assert PROVIDER.generate(request(brief)).structured == found


@given(SPEAK, TOOLS, HISTORY)
def test_any_message_fits_its_brief(brief, tools, history):
    """Whatever is written: a message that is not blank, the pending names, at most one call of an offered tool."""
    asked = request(brief, tools=tools, history=history)
    reply = PROVIDER.generate(asked)
    assert list(reply.structured) == ["message", *(field.name for field in brief.pending)]
    assert reply.structured["message"] == reply.message
    assert reply.message.strip()
    assert len(reply.tool_calls) <= 1
    assert {call.name for call in reply.tool_calls} <= {tool.name for tool in tools}
    assert PROVIDER.generate(asked) == reply
    assert "".join(piece for piece in PROVIDER.stream(asked) if isinstance(piece, str)) == reply.message


@settings(max_examples=10)
@given(st.lists(TEXTS | st.sampled_from("()[]{}.*+?|\\^$,:;\"'-"), min_size=1, max_size=3).map(" ".join))
def test_no_text_takes_long(text):
    """64 KB of anything is read in bounded time: no pattern goes back and forth over it."""
    long = (text * (65_536 // max(len(text), 1) + 1))[:65_536]
    fields = tuple(
        choice(slug, kind, asked=True)
        for slug, kind in (
            ("nome", "string"),
            ("empresa", "string"),
            ("data", "string"),
            ("o", "number"),
            ("b", "boolean"),
        )
    )
    mentions = (mention("m", "cita um concorrente", extract={"concorrente": {"type": "string"}}),)
    brief = UnderstandBrief(long, (flow("f", "pede um orçamento"),), mentions, (BranchChoice("b", "desiste"),), fields)
    pending = tuple(FieldAsk(f.name, f.slug, f.type, None, None, None, long, 1) for f in fields)
    began = time.perf_counter()
    PROVIDER.generate(request(brief))
    PROVIDER.generate(request(speak_brief(long, pending=pending, guideline=long)))
    assert time.perf_counter() - began < 10
