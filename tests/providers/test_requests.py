"""What goes out to each vendor. The vendor's own types read every request of these tests too (`servers(kind)`)."""

from __future__ import annotations

import json
import re

import pytest
from typing_extensions import TypedDict

from falai_engine.model import ToolOffer
from falai_engine.providers.history import GO_ON
from falai_engine.providers.vendor_schema import for_gemini, parameters_of, with_null_in_enums
from tests.providers.fakes import Said, gemini_fake
from tests.providers.local_server import Asked, Reply
from tests.providers.requests import HISTORY, PING, SCHEMA, STOCK, speak, summary, tool_round, understand
from tests.providers.vendor_types import assert_fits
from tests.providers.vendors import FAKES, KINDS, provider_of

CHAT_KINDS = ["deepseek", "openai-compatible", "openrouter"]


@pytest.fixture
def sent(servers):
    """`sent(kind, request, **options)`: the body that goes out."""

    def send(kind, request, **options):
        server, fake = servers(kind), FAKES[kind]
        if "model" in options:
            server.check = None
        server.say(Reply.of_json(fake.body(Said('{"message": "Oi"}'))))
        with provider_of(kind, server, **options) as provider:
            provider.generate(request)
        (asked,) = server.asked
        assert asked.headers["content-type"] == "application/json"
        return asked.body

    return send


@pytest.mark.parametrize("kind", KINDS)
def test_all_that_a_request_can_have(sent, kind):
    """Both sorts of tools, a history with every role, sampling: the vendor's type takes it all."""
    options = {"max_tokens": 300}
    options |= {} if kind == "anthropic" else {"temperature": 0.2, "top_p": 0.9}
    options |= {} if kind == "openai" else {"stop": ["END"]}
    body = sent(kind, speak(history=HISTORY, tools=(STOCK, PING)), **options)
    assert "300" in json.dumps(body)
    assert ("0.2" in json.dumps(body)) is (kind != "anthropic")
    assert ("END" in json.dumps(body)) is (kind != "openai")


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_name_fails(kind):
    """The judges above are no rubber stamps: one name that the vendor has not, at any depth, is refused."""
    fake = FAKES[kind]
    body = BODIES[kind]
    headers = {"authorization": f"Bearer {fake.KEY}", "x-api-key": fake.KEY, "x-goog-api-key": fake.KEY}
    headers["anthropic-version"] = "2023-06-01"
    paths = {
        "anthropic": "/v1/messages",
        "openai": "/v1/responses",
        "gemini": f"/v1/models/{gemini_fake.MODEL}:generateContent",
    }

    def judged(text):
        fake.check(Asked(paths.get(kind, "/chat/completions"), headers, text.encode()))

    judged(json.dumps(body))
    names = sorted(set(re.findall(r'"([A-Za-z_]+)":', json.dumps(body))))
    assert len(names) > 4
    for name in names:
        with pytest.raises(Exception):  # noqa: B017, PT011 - pydantic's, or an assertion
            judged(re.sub(f'"{name}":', f'"{name}x":', json.dumps(body), count=1))


CHAT_BODY = {
    "model": "m",
    "messages": [{"role": "user", "content": "hi"}],
    "tools": [{"type": "function", "function": {"name": "n", "description": "d", "parameters": {}}}],
    "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}, "strict": True}},
}
BODIES = {
    "anthropic": {
        "model": "m",
        "max_tokens": 1,
        "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"name": "n", "description": "d", "input_schema": {}}],
        "output_config": {"format": {"type": "json_schema", "schema": {}}},
    },
    "gemini": {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "systemInstruction": {"parts": [{"text": "s"}]},
        "tools": [{"functionDeclarations": [{"name": "n", "description": "d", "parametersJsonSchema": {}}]}],
        "generationConfig": {
            "responseMimeType": "application/json",
            "responseSchema": {"type": "STRING", "nullable": True},
        },
    },
    "openai": {
        "model": "m",
        "store": False,
        "input": [{"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "name": "n", "description": "d", "parameters": {}, "strict": False}],
        "text": {"format": {"type": "json_schema", "name": "n", "schema": {}, "strict": True}},
    },
} | dict.fromkeys(CHAT_KINDS, CHAT_BODY)


def test_a_type_that_passes_over_names_is_no_judge():
    """`assert_fits` sees what a lenient type leaves out."""
    Small = TypedDict("Small", {"a": int})  # noqa: UP013 - made here
    assert_fits(Small, {"a": 1})
    with pytest.raises(AssertionError):
        assert_fits(Small, {"a": 1, "b": 2})


def test_openai(sent):
    """Nothing is stored; the schema is strict, null in its enums; the system text is cached by key and breakpoint."""
    body = sent("openai", speak(history=HISTORY, tools=(STOCK, PING)))
    assert body["store"] is False
    assert body["text"]["format"] == {
        "type": "json_schema",
        "name": "speak",
        "schema": with_null_in_enums(SCHEMA),
        "strict": True,
    }
    assert body["text"]["format"]["schema"]["properties"]["size"]["enum"] == ["1-10", "11-50", None]
    assert body["input"][0] == {
        "role": "developer",
        "content": [{"type": "input_text", "text": "You are Ana.", "prompt_cache_breakpoint": {"mode": "explicit"}}],
    }
    assert len(body["prompt_cache_key"]) == 32
    assert [tool["strict"] for tool in body["tools"]] == [False, False]
    assert body["input"][1:5] == [
        {"role": "assistant", "content": "Olá! Sou a Ana."},
        {"role": "user", "content": "Tem cadeira?"},
        {"type": "function_call", "call_id": "call_1", "name": "check_stock", "arguments": '{"item": "cadeira"}'},
        {"type": "function_call", "call_id": "call_2", "name": "ping", "arguments": "{}"},
    ]
    assert body["input"][5]["output"] == '{"left":3}'
    assert body["input"][-1] == {"role": "user", "content": "Ask for the size."}
    assert "stream" not in body


@pytest.mark.parametrize(
    ("model", "marked"),
    [
        ("gpt-4o", False),
        ("gpt-5", False),
        ("gpt-5.5", False),
        ("gpt-5.6-sol", True),
        ("gpt-6-astra", True),
        ("o4", False),
    ],
)
def test_openais_breakpoint_goes_to_the_models_that_know_it(sent, model, marked):
    """Older ones get the system text as instructions."""
    body = sent("openai", speak(), model=model)
    assert ("prompt_cache_breakpoint" in json.dumps(body)) is marked
    assert ("instructions" in body) is not marked


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_system_text_is_the_same_prefix(sent, kind):
    """Two calls with one system text begin with the same bytes, so that a vendor can cache them."""
    one, two = (sent(kind, call) for call in (speak(prompt="a"), speak(prompt="b")))
    system = json.dumps("You are Ana.")
    assert one.get("prompt_cache_key") == two.get("prompt_cache_key")
    assert system in json.dumps(one)
    for key in ("system", "systemInstruction", "instructions"):
        assert one.get(key) == two.get(key)


def test_anthropic(sent):
    """The system block ends in a breakpoint; the summary stands behind it; enums go without their type."""
    body = sent("anthropic", speak(history=HISTORY, tools=(STOCK, PING)))
    assert body["system"] == [
        {"type": "text", "text": "You are Ana.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Summary: the customer wants chairs."},
    ]
    leaves = body["output_config"]["format"]["schema"]["properties"]
    assert leaves["size"] == {"enum": ["1-10", "11-50", None], "description": "Company size"}
    assert leaves["budget"] == {"type": ["number", "null"]}
    assert body["messages"][0] == {"role": "user", "content": GO_ON}
    assert body["messages"][3] == {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "call_1", "name": "check_stock", "input": {"item": "cadeira"}},
            {"type": "tool_use", "id": "call_2", "name": "ping", "input": {}},
        ],
    }
    assert body["messages"][-2]["content"] == [{"type": "tool_result", "tool_use_id": "call_3", "content": "none"}]
    assert "strict" not in json.dumps(body["tools"])
    assert body["max_tokens"] == 8192


def test_anthropic_declares_the_tools_of_the_history(sent):
    """A call that offers none (the last round, an understanding) names them and forbids to call."""
    body = sent("anthropic", understand(history=HISTORY))
    assert [tool["name"] for tool in body["tools"]] == ["check_stock", "ping"]
    assert body["tool_choice"] == {"type": "none"}
    assert "tools" not in sent("anthropic", understand())


def test_anthropic_is_told_a_large_schema_in_words(sent):
    """Its structured outputs take a number of leaves of several types; beyond it the prompt has the schema."""

    def schema(leaves):
        properties = {f"f{number}": {"type": ["string", "null"]} for number in range(leaves)}
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}

    small, large = sent("anthropic", understand(schema=schema(16))), sent("anthropic", understand(schema=schema(17)))
    assert "output_config" in small
    assert small["messages"][-1]["content"] == "Judge: hello"
    assert "output_config" not in large
    assert '"f16"' in large["messages"][-1]["content"]


def test_gemini(sent):
    """One type and `nullable`, an order of properties, text enums; roles user and model; results as JSON."""
    body = sent("gemini", speak(history=HISTORY))
    schema = body["generationConfig"]["responseSchema"]
    assert schema["type"] == "OBJECT"
    assert schema["propertyOrdering"] == ["message", "size", "floor", "budget", "agreed"]
    assert schema["properties"]["size"] == {
        "type": "STRING",
        "format": "enum",
        "enum": ["1-10", "11-50"],
        "nullable": True,
        "description": "Company size",
    }
    assert schema["properties"]["floor"] == {"type": "INTEGER", "nullable": True, "description": "One of: 1, 2"}
    assert [part["text"] for part in body["systemInstruction"]["parts"]] == [
        "You are Ana.",
        "Summary: the customer wants chairs.",
    ]
    results = [
        part["functionResponse"]
        for content in body["contents"]
        for part in content["parts"]
        if "functionResponse" in part
    ]
    assert [result["response"] for result in results] == [
        {"output": {"left": 3}},
        {"error": "busy"},
        {"output": "none"},
    ]
    assert [content["role"] for content in body["contents"]][:4] == ["user", "model", "user", "model"]


def test_gemini_takes_calls_that_another_model_made(sent):
    """Such a call carries the mark that stands for a signature; models that know none are spared it."""
    round_ = tool_round([("ping", {}), ("ping", {})], ["a", "b"])
    new = sent("gemini", speak(history=round_))
    old = sent("gemini", speak(history=round_), model="gemini-2.5-flash")
    signatures = [[part.get("thoughtSignature") for part in body["contents"][1]["parts"]] for body in (new, old)]
    assert signatures == [["skip_thought_signature_validator", None], [None, None]]


def test_gemini_without_tools_in_its_schema_or_with_them(sent):
    """Tools and a response type go together only where the model takes both: that is an option."""
    assert "generationConfig" not in sent("gemini", speak(tools=(STOCK,)))
    body = sent("gemini", speak(tools=(STOCK,)), json_with_tools="response_format")
    assert "responseSchema" in body["generationConfig"]


@pytest.mark.parametrize("kind", ["openai-compatible", "openrouter"])
def test_chat_completions(sent, kind):
    """The schema as response_format; tools non-strict; a result is a tool message."""
    body = sent(kind, speak(history=HISTORY, tools=(STOCK, PING)))
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["response_format"]["json_schema"]["schema"] == with_null_in_enums(SCHEMA)
    assert "strict" not in json.dumps(body["tools"])
    assert [message["role"] for message in body["messages"]] == [
        *["system", "assistant", "user", "assistant", "tool", "tool", "assistant", "system", "user", "assistant"],
        *["tool", "user"],
    ]


def test_deepseek_is_pinned_to_an_object_and_told_the_rest(sent):
    """It has no schema output; and beside tools not even the object is demanded."""
    alone, with_tools = sent("deepseek", speak()), sent("deepseek", speak(tools=(STOCK,)))
    assert alone["response_format"] == {"type": "json_object"}
    assert "response_format" not in with_tools
    for body in (alone, with_tools):
        assert body["messages"][-1]["content"].startswith("Ask for the size.\n\nAnswer with one JSON object")
        assert '"11-50", null' in body["messages"][-1]["content"]


def test_openrouter_hands_anthropics_breakpoint_on(sent):
    """Other models get plain text."""
    system = sent("openrouter", speak(), model="anthropic/claude-x")["messages"][0]
    assert system["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert sent("openrouter", speak())["messages"][0] == {"role": "system", "content": "You are Ana."}


def test_a_server_of_ones_own_needs_no_key(servers):
    """Then no header pretends one."""
    server = servers()
    server.say(Reply.of_json(FAKES["openai-compatible"].body(Said('{"message": "Oi"}'))))
    with provider_of("openai-compatible", server, api_key=None) as provider:
        assert provider.generate(speak()).message == "Oi"
    assert "authorization" not in server.asked[0].headers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["json_schema", "json_object", "prompt"])
def test_how_json_is_asked_for_is_an_option(sent, kind, way):
    """Pinned to the schema, pinned to an object, or told in words: for models and servers that know no more."""
    body = sent(kind, speak(), structured=way)
    text = json.dumps(body)
    # Anthropic has nothing between a schema and words.
    assert ("Answer with one JSON object" in text) is (way != "json_schema")
    assert ("json_object" in text) is (way == "json_object" and kind not in {"anthropic", "gemini"})


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_beside_tools_is_an_option(sent, kind):
    """`prompt` leaves the response format off the calls that carry tools, and only off those."""
    with_tools = sent(kind, speak(tools=(STOCK,)), json_with_tools="prompt")
    without = sent(kind, speak(), json_with_tools="prompt")
    for name in ("text", "output_config", "generationConfig", "response_format"):
        assert name not in with_tools
    assert {"text", "output_config", "generationConfig", "response_format"} & set(without)
    assert "Answer with one JSON object" in json.dumps(with_tools)


@pytest.mark.parametrize("kind", KINDS)
def test_plain_text_asks_for_nothing(sent, kind):
    """A summary's schema is empty."""
    body = sent(kind, summary(history=HISTORY))
    assert not {"text", "output_config", "generationConfig", "response_format"} & set(body)


@pytest.mark.parametrize("kind", KINDS)
def test_extra_body_is_laid_over_what_is_sent(sent, kind):
    """For what only this vendor knows; it wins."""
    extra = {
        "anthropic": {"thinking": {"type": "adaptive"}},
        "gemini": {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}},
        "openai": {"reasoning": {"effort": "low"}},
    }.get(kind, {"temperature": 0.5})
    assert sent(kind, speak(), extra_body=extra).items() >= extra.items()


@pytest.mark.parametrize("kind", KINDS)
def test_half_a_character_does_not_keep_a_call_from_going_out(sent, kind):
    """A customer's text may hold half a surrogate pair, or a NUL."""
    assert "Oi \\u0000" in json.dumps(sent(kind, speak(prompt="Oi \x00 \ud83d")))


def test_schemas_that_the_engine_does_not_make_today():
    """Lists, alternatives and numbers with bounds are taken over as far as Gemini has words for them."""
    schema = {
        "type": "object",
        "properties": {
            "tags": {"type": ["array", "null"], "items": {"type": ["string", "null"], "enum": ["a", ""]}},
            "age": {"type": "integer", "minimum": 0, "description": "Years", "enum": [1, 2]},
        },
    }
    assert for_gemini(schema)["properties"] == {
        "tags": {
            "type": "ARRAY",
            "nullable": True,
            "items": {"type": "STRING", "nullable": True, "description": 'One of: "a", ""'},
        },
        "age": {"type": "INTEGER", "minimum": 0, "description": "Years One of: 1, 2"},
    }
    nulled = with_null_in_enums(schema | {"anyOf": [{"type": ["string", "null"], "enum": ["a"]}]})
    assert nulled["properties"]["tags"]["items"]["enum"] == ["a", "", None]
    assert nulled["anyOf"] == [{"type": ["string", "null"], "enum": ["a", None]}]
    assert schema["properties"]["tags"]["items"]["enum"] == ["a", ""]


def test_a_tool_that_tells_no_type_is_an_objects():
    """Every vendor demands one."""
    assert parameters_of(PING) == {"type": "object", "properties": {}}
    assert parameters_of(ToolOffer("t", "d", {"properties": {"a": {}}}))["properties"] == {"a": {}}
