"""What turns of the demo's agents ask and are answered, as JSON for the chat page (spec: ux.md, simulator).

    understood = {"flows": [{"flow", "score", "asking"}], "mentions": [{"flow", "holds", "extract"}],
                  "branches": [{"when", "holds"}], "fields": [{"slug", "value"}]}

A score is 0 to 100, or None where the model gave none; a field is there only with a value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from falai_django.models import Turn
from falai_engine import Defer, Failed, ModelReply, Skipped, ToolResult
from falai_engine.briefs import UnderstandBrief
from falai_engine.needs import AskModel, Need, Raised, RunAction, RunTools
from falai_engine.phases.action_result import read_result
from project.demo.catalog import TENANTS
from project.demo.models import Heard

__all__ = ["hear", "understood_of"]


def hear(turn: Turn, need: Need, answer: Any) -> None:
    """Keep what a need of a demo agent's turn was answered."""
    if turn.session.agent.tenant.slug not in TENANTS:
        return
    if isinstance(need, AskModel) and isinstance(need.request.brief, UnderstandBrief):
        if isinstance(answer, ModelReply):
            kept = understood_of(need.request.brief, answer)
            Heard.objects.update_or_create(turn=turn, defaults={"understood": kept})
    elif isinstance(need, RunAction):
        _keep_performed(turn, {need.call.key: _action(need, answer)})
    elif isinstance(need, RunTools):
        calls = [_tool(run.tool.id, run.arguments, one) for run, one in zip(need.runs, answer, strict=True)]
        _keep_performed(turn, {f"{call['name']}:{json.dumps(call['given'], sort_keys=True)}": call for call in calls})


def understood_of(brief: UnderstandBrief, reply: ModelReply) -> dict[str, Any]:
    """The model's answer, by the names of authors."""
    flows, mentions = _section(reply, "flows"), _section(reply, "mentions")
    extract, branches, fields = _section(reply, "extract"), _section(reply, "branches"), _section(reply, "fields")
    return {
        "flows": [{"flow": each.flow_id, "score": flows.get(each.name), "asking": each.asking} for each in brief.flows],
        "mentions": [
            {
                "flow": each.flow_id,
                "holds": mentions.get(each.name) is True,
                "extract": extract.get(each.name) or {},
            }
            for each in brief.mentions
        ],
        "branches": [{"when": each.when, "holds": branches.get(each.name) is True} for each in brief.branches],
        "fields": [
            {"slug": each.slug, "value": fields[each.name]}
            for each in brief.fields
            if fields.get(each.name) is not None
        ],
    }


def _section(reply: ModelReply, name: str) -> Mapping[str, Any]:
    section = reply.structured.get(name) if isinstance(reply.structured, Mapping) else None
    return section if isinstance(section, Mapping) else {}


def _keep_performed(turn: Turn, calls: dict[str, Any]) -> None:
    """A turn that is replayed performs the same calls under the same keys."""
    heard, _is_new = Heard.objects.get_or_create(turn=turn)
    heard.performed = {**heard.performed, **calls}
    heard.save(update_fields=["performed"])


def _action(need: RunAction, answer: Any) -> dict[str, Any]:
    if isinstance(answer, Raised):
        return _call("action", need.name, need.params, "failed", str(answer.error))
    result = read_result(answer)
    how = {Failed: "failed", Skipped: "skipped", Defer: "deferred"}.get(type(result), "ok")
    return _call("action", need.name, need.params, how, str(getattr(result, "detail", None) or ""))


def _tool(name: str, given: Mapping[str, Any], answer: Any) -> dict[str, Any]:
    if isinstance(answer, Raised):
        return _call("tool", name, given, "failed", str(answer.error))
    value = answer.value if isinstance(answer, ToolResult) else answer
    return _call("tool", name, given, "ok", value if isinstance(value, str) else json.dumps(value, default=str))


def _call(sort: str, name: str, given: Mapping[str, Any], how: str, said: str) -> dict[str, Any]:
    return {"sort": sort, "name": name, "given": json.loads(json.dumps(given, default=str)), "how": how, "said": said}
