"""What is wrong with an HTTP definition, and the names that it may use (falai_engine.validation, `Finding`)."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

__all__ = ["HttpFinding", "KnownNames", "below", "nearest_fix", "object_findings"]

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class HttpFinding:
    """One thing that is wrong: the path below the definition (`request.url`), what, and how to mend it."""

    path: str
    what: str
    fix: str


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What a definition may name; None: not known here, so not looked at.

    `parameters` of the action or tool, `data`: fields and variables, `secrets` with the hosts that each may go to.
    """

    parameters: Collection[str] | None = None
    data: Collection[str] | None = None
    secrets: Mapping[str, Collection[str]] | None = None


def below(path: str, key: str) -> str:
    """The path of a key that an author made."""
    return f"{path}.{key}" if _PLAIN.fullmatch(key) else f"{path}[{json.dumps(key)}]"


def nearest_fix(name: str, names: Collection[str], otherwise: str) -> str:
    """To write the nearest name, or what to do when none is near."""
    near = difflib.get_close_matches(name, sorted(names), 1)
    return _("Write “%(near)s”") % {"near": near[0]} if near else otherwise


def object_findings(value: Any, path: str, keys: Collection[str]) -> Iterator[HttpFinding]:
    """That a value is an object, with no other keys than these."""
    if not isinstance(value, Mapping):
        yield HttpFinding(path, _("it is not an object"), _("Write it in braces, with a name for each part"))
        return
    for key in value:
        if key not in keys:
            otherwise = _("Take it away; known are %(keys)s") % {"keys": ", ".join(sorted(keys))}
            yield HttpFinding(
                below(path, str(key)), _("there is no such setting"), nearest_fix(str(key), keys, otherwise)
            )
