"""Small flows that tests of the runtime put together."""

from __future__ import annotations

ASK_NAME = {
    "id": "greet",
    "on": [{"message": []}],
    "steps": [
        {"id": "ask", "kind": "collect", "collect": ["nome"], "prompt": "Ask for the name."},
        {"id": "bye", "say": "Oi, {{data.nome}}."},
    ],
}
"""Asks for `nome`, then says hello."""

SAY = {"id": "say", "on": [{"message": []}], "steps": [{"id": "s", "say": "Pronto."}]}
"""Answers a message by a fixed text; no model call."""

NUDGE = {
    "id": "nudge",
    "on": [{"message": []}],
    "steps": [
        {"id": "hello", "say": "Oi!"},
        {"id": "wait", "wait": "1h"},
        {"id": "talk", "kind": "prompt", "prompt": "Ask whether there are questions."},
    ],
}
"""Says hello, waits an hour, then phrases a nudge."""


def acting(action="act", *, after="Feito.", **more):
    """On an event `go`, or a start, it runs an action and says so."""
    return {
        "id": "acting",
        "on": [{"event": "go", "repeat": "always"}],
        "steps": [{"id": "do", "do": action, **more}, {"id": "done", "say": after}],
    }


ACTIONS = {"act": {"kind": "python", "name": "act", "parameters": {}}}
EVENTS = {"go": {}, "paid": {"direction": "inbound"}}

UNDERSTOOD = [{"fields": {}}]
ASKS = [{"message": "Como se chama?", "nome": None}]
