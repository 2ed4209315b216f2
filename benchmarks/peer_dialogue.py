"""The dialogue that the host and a peer hold, and the model of both, which answers at once and counts its calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from falai_engine import ModelReply, ModelRequest
from falai_engine.testing import ScriptedProvider

__all__ = ["DIALOGUE", "DONE", "FIELDS", "MODEL_CALLS", "FakeModel", "Line"]

FIELDS = ("name", "company", "size")


@dataclass(frozen=True, slots=True)
class Line:
    """What the customer says, what the model finds in it, and what the customer is answered."""

    said: str
    found: Mapping[str, Any]
    answer: str


DONE = "Thank you, Maria. You will hear from us within a day."
"""The last answer is the author's own, no model phrases it; each side fills the name in."""
DIALOGUE = (
    Line("Hi, I would like an offer for your system", {}, "Hello, good to hear from you. What is your name?"),
    Line("My name is Maria", {"name": "Maria"}, "Nice to meet you, Maria. Which company are you with?"),
    Line("Zeta Bakery", {"company": "Zeta Bakery"}, "And how many people work at Zeta Bakery?"),
    Line("There are 12 of us", {"size": 12}, "Maria of Zeta Bakery, 12 people: is that right?"),
    Line("Yes, that is right", {"confirmed": True}, DONE),
)
MODEL_CALLS = 2 * len(DIALOGUE) - 1
"""Each line is understood, and each answer but the last one is phrased."""


class FakeModel(ScriptedProvider):
    """Knows the line that is answered now. A peer asks it by `found` and `phrased`, our engine as its provider."""

    line = DIALOGUE[0]
    calls = 0

    def found(self, _prompt: object) -> dict[str, Any]:
        """The fields that the customer's words hold."""
        self.calls += 1
        return dict(self.line.found)

    def phrased(self, _prompt: object) -> str:
        """What to answer."""
        self.calls += 1
        return self.line.answer

    def generate(self, request: ModelRequest) -> ModelReply:
        """The same, as the engine asks it; any flow that it offers is wanted."""
        if request.schema_name == "speak":
            return ModelReply(structured={"message": self.phrased(request)})
        wanted = request.schema["properties"].get("flows", {}).get("properties", {})
        return ModelReply(structured={"fields": self.found(request), "flows": dict.fromkeys(wanted, True)})
