"""Every address of the API with a request that it takes, for tests that walk the table of addresses."""

from __future__ import annotations

from falai_django.rest.routes import API_PATTERNS

__all__ = ["DOCUMENT", "DOORS", "all_doors", "request_of"]

DOCUMENT = {"specVersion": 1, "name": "Lia", "flows": [{"id": "hello", "steps": [{"id": "s1", "say": "Oi!"}]}]}

DOORS = {
    ("turns", "POST"): ({"message": {"text": "oi"}}, "turns"),
    ("turns", "GET"): (None, "read"),
    ("turn", "GET"): (None, "read turns"),
    ("session", "GET"): (None, "read"),
    ("session", "PATCH"): ({"context": {"a": 1}, "silence": {"lasts": "1h"}}, "turns"),
    ("session", "DELETE"): (None, "erase"),
    ("close", "POST"): ({"clear": True}, "turns"),
    ("messages", "GET"): (None, "read"),
    ("messages", "POST"): ({"text": "Aqui é a Bia."}, "turns"),
    ("wakes", "GET"): (None, "read"),
    ("events", "POST"): ({"event": "paid", "anchor": {"name": "lead", "key": "Alphaword-7"}}, "turns"),
    ("contact", "DELETE"): (None, "erase"),
    ("outbox", "GET"): (None, "turns"),
    ("ack", "POST"): ({"sent": ["0b6c5b0a-6f0f-5d7e-9c1a-2f1b8b1c0001"]}, "turns"),
    ("draft", "GET"): (None, "author"),
    ("draft", "PUT"): (DOCUMENT, "author"),
    ("validate", "POST"): ({}, "author"),
    ("publish", "POST"): ({}, "publish"),
    ("releases", "GET"): (None, "read author publish"),
    ("activate", "POST"): ({}, "publish"),
    ("live", "GET"): (None, ""),
    ("ready", "GET"): (None, ""),
}
"""(name, method) -> the body, and the scopes of which one is needed; none: for everybody."""


def all_doors():
    """(name, method) of every address that there is."""
    methods = ("get", "post", "put", "patch", "delete")
    return [
        (pattern.name, method.upper())
        for pattern in API_PATTERNS
        for method in methods
        if hasattr(pattern.callback.cls, method)
    ]


def request_of(door, world):
    """The address of a door in a world, and the body."""
    pattern = next(each for each in API_PATTERNS if each.name == door[0])
    named = {
        "<str:agent>": world.agent.slug,
        "<str:session>": world.session.session_id,
        "<int:turn>": str(world.turn.pk),
        "<int:number>": str(world.release.number),
        "<str:anchor>": "lead",
        "<str:key>": world.anchor.key,
    }
    path = str(pattern.pattern)
    for place, value in named.items():
        path = path.replace(place, value)
    return f"/{path}", DOORS[door][0]
