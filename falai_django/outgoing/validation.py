"""The engine's check of definitions of kind http (falai_engine.validation, `DefinitionCheck`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from falai_django.outgoing.answer_checks import answer_findings
from falai_django.outgoing.findings import HttpFinding, KnownNames
from falai_django.outgoing.request_checks import request_findings
from falai_engine.validation import Definition, DefinitionCheck

__all__ = ["http_check"]


def http_check(names: KnownNames | None = None, *, reach: bool = True) -> DefinitionCheck:
    """The check to give as `checks={"http": ...}`: every error of `request` and `answer`, each at its path.

    `names`: what the agent's definitions may name; their parameters are read from each definition. `reach`: that the
    host of a URL may be reached, by the site's settings as they are now, is looked at too.
    """
    known = names or KnownNames()

    def check(definition: Definition) -> Iterator[HttpFinding]:
        mine = replace(known, parameters=_parameters(definition))
        request = definition.spec.get("request")
        # That there is none is told by the engine.
        if request is not None:
            yield from request_findings(request, mine, reach=reach)
        yield from answer_findings(definition.spec.get("answer"), mine)

    return check


def _parameters(definition: Definition) -> Collection[str] | None:
    """The declared names; None when they cannot be read, which is told at their own place."""
    declared: Any = definition.spec.get("parameters")
    if declared is None:
        return ()
    if definition.sort == "tool":
        declared = declared.get("properties", {}) if isinstance(declared, Mapping) else None
    return tuple(declared) if isinstance(declared, Mapping) else None
