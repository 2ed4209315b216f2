"""Problems and where they are noted (spec: flow-spec.md, `validate_flow`)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from falai_engine.error_words import closest, shown
from falai_engine.errors import FlowConfigurationError
from falai_engine.validation.rules import NAME_RULES, RULES, Rule, Severity

__all__ = ["Problem", "Report", "Spot", "listed"]

_PLAIN = re.compile(r"[\w-]+")
_LISTED = 12
_MOST_GUESSES = 200


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, or will surprise (spec: flow-spec.md).

    `where` is for people (`flow "x", step "y"`), `path` for the form (`steps[2].branches[0].then.step`), empty for the
    whole. `code` is a key of RULES, and `values` fill its texts.
    """

    where: str
    path: str
    code: str
    values: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def rule(self) -> Rule:
        return RULES[self.code]

    @property
    def severity(self) -> Severity:
        return self.rule.severity

    @property
    def what(self) -> str:
        return self.rule.what.format_map(self.values)

    @property
    def fix(self) -> str:
        """How to mend it; names the nearest known name when there is one."""
        near = self.rule.near if "near" in self.values else None
        return (near or self.rule.fix).format_map(self.values)

    @property
    def message(self) -> str:
        """The whole sentence: `[FlowConfigurationError] where: what. How to fix.`."""
        return str(self.error())

    def error(self) -> FlowConfigurationError:
        """The exception of strict use."""
        return FlowConfigurationError(self.where, self.what, self.fix)


class Report:
    """The problems found so far, in the order of the document."""

    __slots__ = ("_guesses", "problems")

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._guesses = _MOST_GUESSES

    def nearest(self, name: Any, names: Collection[Any]) -> str | None:
        """The known name that was probably meant. Guessing is costly, so there is an end to it."""
        self._guesses -= 1
        return closest(name, names) if self._guesses >= 0 else None

    def has_errors(self, since: int = 0) -> bool:
        return any(problem.severity is Severity.ERROR for problem in self.problems[since:])

    def raise_first(self) -> list[Problem]:
        """The warnings; FlowConfigurationError for the first error."""
        for problem in self.problems:
            if problem.severity is Severity.ERROR:
                raise problem.error()
        return self.problems


class Spot(NamedTuple):
    """A place in the document: where a message says it is, its machine path, and how much of the path `where` tells."""

    report: Report
    where: str
    path: str = ""
    told: int = 0

    def at(self, key: str) -> Spot:
        """A key of our own words below."""
        return self._replace_path(f"{self.path}.{key}" if self.path else key)

    def key(self, key: Any) -> Spot:
        """A key that an author made: any text."""
        plain = isinstance(key, str) and _PLAIN.fullmatch(key)
        return self.at(key) if plain else self._replace_path(f"{self.path}[{json.dumps(str(key))}]")

    def item(self, index: int) -> Spot:
        return self._replace_path(f"{self.path}[{index}]")

    def below(self, path: str) -> Spot:
        """A path that somebody else wrote."""
        return self._replace_path(f"{self.path}.{path}" if self.path and path else self.path + path)

    def named(self, where: str) -> Spot:
        """The same place, called by its own name from here on."""
        return Spot(self.report, where, self.path, len(self.path))

    def problem(self, code: str, **values: str) -> None:
        """Note one; `key` and, for `near`, the quotes are added."""
        below = self.path[self.told :].lstrip(".")
        self.report.problems.append(
            Problem(self.where, self.path, code, {"key": f"`{below}`" if below else "it", **values})
        )

    def misfit(self, code: str, value: Any, **values: str) -> None:
        """Note a value that does not fit."""
        self.problem(code, shown=shown(value), **values)

    def misnamed(
        self, code: str, name: Any, names: Collection[Any], write: Callable[[str], str] = str, **values: str
    ) -> None:
        """Note a name that is not among `names`, with the nearest one; `write` makes of that what the author writes."""
        if not isinstance(name, str) and code in NAME_RULES:
            self.misfit("not-text", name)
            return
        near = self.report.nearest(name, names)
        hint = {} if near is None else {"near": shown(write(near))}
        self.problem(code, name=shown(name), shown=shown(name), **values, **hint)

    def _replace_path(self, path: str) -> Spot:
        return Spot(self.report, self.where, path, self.told)


def listed(values: Collection[Any]) -> str:
    """Choices, in their order, as a message lists them."""
    head = [shown(value) for value in list(values)[:_LISTED]]
    return ", ".join([*head, "..."] if len(values) > _LISTED else head)
