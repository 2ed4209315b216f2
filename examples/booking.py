"""The Python behind examples/booking.json: a clinic's diary, as a registry for the chat.

    python -m falai_engine.chat examples/booking.json --registry examples.booking

In a real host the two functions would ask the diary's own system; the document and its flows would stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from falai_engine import Action, ActionCall, Failed, Ok, Registrations, Tool, ToolRequest, ToolResult

__all__ = ["registrations"]

_HOUR = re.compile(r"(\d{1,2})(?:\s*(?:h|:)\s*(\d{2}))?")

FREE = {
    "segunda": ["9:00", "14:00"],
    "terça": ["8:00", "10:30", "16:00"],
    "quarta": [],
    "quinta": ["11:00", "15:30"],
    "sexta": ["9:00", "10:30", "15:00"],
}
"""The free times of the week; what is booked is taken out."""


def free_times(arguments: Mapping[str, Any], _request: ToolRequest) -> ToolResult:
    """What the model reads: a sentence, since it will say it to somebody."""
    day = arguments["dia"]
    times = FREE.get(day, [])
    return ToolResult(f"Livres na {day}: {', '.join(times)}." if times else f"Nenhum horário livre na {day}.")


def book(params: Mapping[str, Any], _call: ActionCall) -> Ok | Failed:
    """Take the time out of the diary; somebody else may have been quicker."""
    time = _time_in(params["horario"])
    if time not in FREE.get(params["dia"], []):
        return Failed(f"{params['dia']} {params['horario']} is not free")
    FREE[params["dia"]].remove(time)
    return Ok(f"{params['dia']} {time}, {params['nome']}")


def _time_in(text: str) -> str | None:
    """`"às 10h30"` -> `"10:30"`, `"9h"` -> `"9:00"`."""
    found = _HOUR.search(text)
    return f"{int(found[1])}:{found[2] or '00'}" if found else None


registrations = Registrations(
    actions={"agenda.reservar": Action(book)}, tools={"agenda.livres": Tool(id="agenda.livres", handler=free_times)}
)
