"""The calls that the tests make."""

from __future__ import annotations

from falai_engine.model import ModelRequest, ToolOffer

SCHEMA = {
    "type": "object",
    "properties": {
        "message": {"type": ["string", "null"], "description": "What to say"},
        "size": {"type": ["string", "null"], "enum": ["1-10", "11-50"], "description": "Company size"},
        "floor": {"type": ["integer", "null"], "enum": [1, 2]},
        "budget": {"type": ["number", "null"]},
        "agreed": {"type": ["boolean", "null"]},
    },
    "required": ["message", "size", "floor", "budget", "agreed"],
    "additionalProperties": False,
}
UNDERSTOOD = {
    "type": "object",
    "properties": {
        "flows": {
            "type": "object",
            "properties": {"sales": {"type": ["integer", "null"]}},
            "required": ["sales"],
            "additionalProperties": False,
        }
    },
    "required": ["flows"],
    "additionalProperties": False,
}
STOCK = ToolOffer(
    "check_stock",
    "How many are left",
    {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]},
)
PING = ToolOffer("ping", "Nothing to tell it", {})


def speak(**changes):
    given = {"prompt": "Ask for the size.", "schema": SCHEMA, "schema_name": "speak", "system": "You are Ana."}
    return ModelRequest(**given | changes)


def understand(**changes):
    given = {"prompt": "Judge: hello", "schema": UNDERSTOOD, "schema_name": "understand", "system": "You are Ana."}
    return ModelRequest(**given | changes)


def summary(**changes):
    return ModelRequest(**{"prompt": "Sum up.", "schema": {}, "schema_name": None} | changes)


def tool_round(calls, results, *, text=None, reasoning=None):
    """A round as the engine writes it into the history; `calls` are (name, arguments)."""
    ids = [f"call-0-{number}" for number in range(len(calls))]
    said = {
        "role": "assistant",
        "content": text,
        "tool_calls": [
            {"id": id_, "name": name, "arguments": arguments} for id_, (name, arguments) in zip(ids, calls, strict=True)
        ],
    }
    if reasoning is not None:
        said["reasoning"] = reasoning
    answers = [
        {"role": "tool", "tool_call_id": id_, "name": name, "content": result}
        for id_, (name, _), result in zip(ids, calls, results, strict=True)
    ]
    return [said, *answers]


HISTORY = [
    {"role": "assistant", "content": "Olá! Sou a Ana."},
    {"role": "user", "content": "Tem cadeira?"},
    *tool_round([("check_stock", {"item": "cadeira"}), ("ping", {})], ['{"left":3}', '{"error":"busy"}']),
    {"role": "assistant", "content": "Temos três."},
    {"role": "system", "content": "Summary: the customer wants chairs."},
    {"role": "user", "content": "E mesa? \N{SLICE OF PIZZA}"},
    # The engine counts the rounds of a turn from 0: ids come again.
    *tool_round([("check_stock", {"item": "mesa"})], ["none"], text="Vou ver."),
]
