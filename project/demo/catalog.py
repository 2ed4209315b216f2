"""The agents of the demo: each an example of `examples/`, with what to try on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

__all__ = ["AGENTS", "ENGLISH", "PORTUGUESE", "TENANTS", "DemoAgent", "document_of"]

PORTUGUESE: Final = "demo"
ENGLISH: Final = "demo-en"
"""A tenant speaks one language: the agent in English has one of its own."""
TENANTS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        PORTUGUESE: {"name": "Demo", "locale": "pt-br", "time_zone": "America/Sao_Paulo"},
        ENGLISH: {"name": "Demo (English)", "locale": "en", "time_zone": "America/New_York"},
    }
)
_EXAMPLES: Final = Path(__file__).resolve().parents[2] / "examples"


@dataclass(frozen=True, slots=True)
class DemoAgent:
    """One of them. `says`: what a customer might write, line by line; `payloads`: of its events.

    `returning`: the event by which the team gives the conversation back.
    """

    slug: str
    example: str
    title: str | Promise
    says: tuple[str, ...]
    tenant: str = PORTUGUESE
    payloads: Mapping[str, Any] = field(default_factory=dict)
    returning: str = ""


AGENTS: Final = (
    DemoAgent(
        "triage",
        "triage",
        _("Triage"),
        (
            "Oi, boa tarde! Queria saber quanto custa o sistema de vocês",
            "Sou a Marina, da Padaria Sol Nascente",
            "Somos umas 12 pessoas",
            "Uns 300 por mês",
            "Na verdade o orçamento é 500",
            "Sim, agora está certo",
        ),
    ),
    DemoAgent(
        "follow-up",
        "follow_up",
        _("Silence nudge"),
        (
            "Oi, queria fazer a cozinha planejada do meu apartamento",
            "Oi! Desculpa, estava em reunião. Sou o Renato, moro em Guarulhos",
            "Valeu!",
        ),
    ),
    DemoAgent(
        "competitor",
        "competitor",
        _("Competitor"),
        (
            "Bom dia, queria trocar de maquininha",
            "Sou o Edson, tenho uma lanchonete",
            "A Pague Fácil cobra menos no crédito, vocês cobrem?",
            "Passo uns 15 mil por mês no cartão",
        ),
    ),
    DemoAgent(
        "handoff",
        "handoff",
        _("Human hand-off"),
        (
            "Oi, vocês entregam em Osasco?",
            "Quero falar com uma pessoa",
            "Meu colchão chegou rasgado e ninguém resolve",
            "Tá aí? Comprei dia 3",
        ),
        payloads={"atendimento_encerrado": {"atendente": "Júlia"}},
        returning="atendimento_encerrado",
    ),
    DemoAgent(
        "booking",
        "booking",
        _("Booking with tools"),
        (
            "Oi, tô com muita dor nas costas, queria marcar um horário",
            "Sou a Cláudia",
            "Começou ontem depois da academia, dói quando eu abaixo",
            "Sexta seria bom",
            "Às 10h",
            "Ah tá, quinta então",
            "15h30",
        ),
    ),
    DemoAgent(
        "campaign",
        "campaign",
        _("Campaign"),
        ("Oi! O frete é grátis?", "E posso trocar se não servir?"),
        payloads={
            "carrinho_abandonado": {
                "carrinho": "A-17",
                "nome": "Bruna",
                "peca": "Macacão Nuvem",
                "link": "https://flordealgodao.example/c/A-17",
            },
            "pagamento_confirmado": {"carrinho": "A-17"},
        },
    ),
    DemoAgent(
        "trial",
        "trial",
        _("In English"),
        (
            "Hi there, I'd like to try your shared inbox",
            "I'm Sam Patel, from Blue Kettle Tea",
            "Is there a contract?",
            "We are 8 people answering emails",
            "sam@bluekettle.example",
        ),
        tenant=ENGLISH,
    ),
)


def document_of(agent: DemoAgent) -> dict[str, Any]:
    """Its example, with the team called by the app's own `hand_off`, which silences the agent in the same commit."""
    document: dict[str, Any] = json.loads((_EXAMPLES / f"{agent.example}.json").read_text(encoding="utf-8"))
    own = (document.get("actions") or {}).pop("chamar_equipe", None)
    if own is not None:
        for step in (step for flow in document["flows"] for step in flow["steps"]):
            if step.get("do") == "chamar_equipe":
                step["do"], step["with"] = "hand_off", {"reason": step["with"]["assunto"], "for": "2h"}
    return document
