"""Agents that set state, written short: updates as text, and one message to hear what the model is told."""

from __future__ import annotations

import json

from falai_engine.expressions import expression_to_json, parse_expression
from falai_engine.testing import FakeClock, ScriptedProvider, Stage


def update(variable, text, **more):
    return {"variable": variable, "expression": expression_to_json(parse_expression(text)), **more}


def tool(name, *updates, **more):
    return {"id": name, "kind": "update_state", **more, "updates": list(updates)}


def action(*updates):
    return {"kind": "update_state", "updates": list(updates)}


def talk(prompt="Answer.", **more):
    """A flow that talks once, on any message."""
    return {"id": "f", "on": [{"message": [], "repeat": "always"}], "steps": [{"id": "p", "prompt": prompt}], **more}


def calls(*named, text=""):
    """A reply of the model that calls tools: names, or pairs of name and arguments."""
    pairs = [(each, {}) if isinstance(each, str) else each for each in named]
    return {"message": text, "toolCalls": [{"toolName": name, "arguments": given} for name, given in pairs]}


class Heard:
    """One message to an agent: the requests of the speaking, the result, and what the tools saw."""

    def __init__(self, *replies, data=None, message="Hi.", **document):
        self.provider = ScriptedProvider(speak=[*replies, {"message": "Done."}])
        self.stage = Stage(self.provider, FakeClock())
        document = {"idle": "silent", "flows": [talk()], **document}
        self.agent = self.stage.build(document)
        given = {"sessionId": "s", "message": message, "session": None if data is None else stored(data)}
        self.result = self.agent.turn(given)
        self.data = self.result.session.data

    @property
    def prompts(self):
        return [request.prompt for request in self.provider.requests]

    @property
    def tools(self):
        """The tools that were offered, by name."""
        return {each.name: each for each in self.provider.requests[0].tools}

    @property
    def read(self):
        """What the model read of each call so far, in the order of the calls."""
        return [json.loads(item["content"]) for item in self.provider.requests[-1].history if item["role"] == "tool"]


def stored(data):
    empty = {"runs": [], "claims": {}, "inputs": [], "metadata": {}}
    return {"id": "s", "v": 4, "version": 1, "data": data, **empty}
