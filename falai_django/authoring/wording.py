"""The engine's problems in the language of whoever reads them (spec: flow-spec.md, `validate_flow`)."""

from __future__ import annotations

from typing import Final

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from falai_engine.validation import Problem

__all__ = ["problem_text"]

_WORDS: Final = frozenset(
    {gettext_noop("it"), gettext_noop("an object"), gettext_noop("a list"), gettext_noop("a very large number")}
)
"""The values of a problem that are words of ours, not of the document."""


def problem_text(problem: Problem) -> str:
    """What is wrong and how to mend it, in two translated sentences."""
    rule = problem.rule
    fix = rule.near if rule.near is not None and "near" in problem.values else rule.fix
    values = {key: _(value) if value in _WORDS else value for key, value in problem.values.items()}
    return _("%(what)s. %(fix)s.") % {
        "what": capfirst(_(rule.what).format_map(values)),
        "fix": capfirst(_(fix).format_map(values)),
    }
