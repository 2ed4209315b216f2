"""What an agent's row says of its trouble, for the pages and lists of its team (spec: host.md section 3)."""

from __future__ import annotations

from typing import Any, Final

from falai_django.databases import Now
from falai_django.failures import FailureCode
from falai_django.models import Agent
from falai_django.rows import rows
from falai_django.turns.ending import Ending
from falai_engine.records.outcomes import Code

__all__ = ["flag", "flag_by"]

_REFUSED: Final = frozenset({Code.PROVIDER_AUTH, Code.PROVIDER_INVALID, Code.PROVIDER_QUOTA})
"""Why a model did not speak, when asking it again is no use: every customer of the agent meets that."""
_UNSPOKEN: Final = _REFUSED | {Code.PROVIDER_CONTEXT, Code.PROVIDER_UNAVAILABLE}


def flag(agent: Agent, code: FailureCode, detail: str, **columns: Any) -> None:
    """Say what is wrong with it, since when."""
    rows(Agent).filter(pk=agent.pk).update(trouble=code, trouble_detail=detail, trouble_at=Now(), **columns)


def flag_by(ending: Ending) -> None:
    """By a turn that has ended: a model that would not speak is trouble, one that answers is the end of it.

    The engine ends such a turn well, so that no exception tells. Only turns as customers meet them count.
    """
    agent, result = ending.picked.session.agent, ending.result
    if ending.receipts is None or ending.picked.turn.wanted_release:
        return
    codes = {line.code for line in result.outcomes}
    refused = next((line for line in result.outcomes if line.code in _REFUSED), None)
    if refused is not None:
        if agent.trouble != FailureCode.MODEL_FAILED:
            flag(agent, FailureCode.MODEL_FAILED, f"{refused.code}: {refused.message}")
    elif agent.trouble == FailureCode.AGENT_UNAVAILABLE or (
        agent.trouble and result.llm_calls and not codes & _UNSPOKEN
    ):
        well = rows(Agent).filter(pk=agent.pk, trouble=agent.trouble)
        well.update(trouble="", trouble_detail="", trouble_at=None)
