"""What the demo's agents may call. Nothing leaves this machine: the actions stand in for a CRM, a shop, a mailer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from examples.booking import book, free_times
from falai_django.outbox import Outgoing
from falai_django.registry import action, sender, tool
from falai_engine import ActionCall, Ok
from project.demo.catalog import ENGLISH, PORTUGUESE, TENANTS

__all__: list[str] = []

_STAND_INS = {
    PORTUGUESE: (
        "anotar_concorrente",
        "esfriar_lead",
        "liberar_pecas",
        "montar_proposta",
        "pedir_visita",
        "reservar_pecas",
        "salvar_lead",
    ),
    ENGLISH: ("create_trial", "notify_sales"),
}


def _done(_params: Mapping[str, Any], _call: ActionCall) -> Ok:
    return Ok()


for _tenant, _names in _STAND_INS.items():
    for _name in _names:
        action(_name, description="Stands in for another system.", idempotent=True, tenants=[_tenant])(_done)

action("agenda.reservar", description="Books a time in the diary of the example.", tenants=[PORTUGUESE])(book)
tool(
    "agenda.livres",
    parameters={"type": "object", "properties": {"dia": {"type": "string"}}, "required": ["dia"]},
    description="The free times of a day in the diary of the example.",
    read_only=True,
    tenants=[PORTUGUESE],
)(free_times)


@sender("demo.chat", description="The demo's chat page.", tenants=list(TENANTS))
def chat(message: Outgoing) -> None:
    """The page reads the transcript: there is nothing to do."""
