"""Older shapes, read as the newest (spec: flow-spec.md, `specVersion`).

One table says how a version becomes the next; whatever reads a document or a stored body goes through it. A shape that
is newer than this program is an error: guessing would lose what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from django.utils.translation import gettext as _

from falai_django.errors import DocumentError
from falai_django.models import SCHEMA_VERSION

__all__ = ["BODY_UPGRADES", "DOCUMENT_UPGRADES", "upgrade_body", "upgrade_document"]

Upgrade: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


def _with_its_version(document: dict[str, Any]) -> dict[str, Any]:
    return {"specVersion": 1, **{key: value for key, value in document.items() if key != "specVersion"}}


DOCUMENT_UPGRADES: Final[Mapping[int, Upgrade]] = {0: _with_its_version}
"""By the version that a document has, how it gets the next; 0 is one without `specVersion`."""

BODY_UPGRADES: Final[Mapping[tuple[str, int], Upgrade]] = {}
"""The same for what one row says, by its sort (`agent`, `flow`, `step` ...) and version; none: it stayed as it was."""


def upgrade_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document in the shape of SCHEMA_VERSION. DocumentError when its version is none, or newer than that."""
    upgraded = dict(document)
    for version in range(_version_of(document), SCHEMA_VERSION):
        upgraded = DOCUMENT_UPGRADES[version](upgraded)
    return upgraded


def upgrade_body(sort: str, body: Mapping[str, Any], schema_version: int) -> dict[str, Any]:
    """What a row says, in the shape of SCHEMA_VERSION. DocumentError when it is newer than that."""
    _assert_known(schema_version)
    upgraded = dict(body)
    for version in range(schema_version, SCHEMA_VERSION):
        upgraded = BODY_UPGRADES.get((sort, version), dict)(upgraded)
    return upgraded


def _version_of(document: Mapping[str, Any]) -> int:
    written = document.get("specVersion")
    if written is None:
        return 0
    if isinstance(written, bool) or not isinstance(written, int | float) or written != int(written) or written < 0:
        raise DocumentError(
            _("specVersion is %(shown)s, not a whole number. Write %(version)d.")
            % {"shown": repr(written)[:40], "version": SCHEMA_VERSION}
        )
    _assert_known(int(written))
    return int(written)


def _assert_known(version: int) -> None:
    if version > SCHEMA_VERSION:
        raise DocumentError(
            _(
                "It is written in version %(found)d of the format, and this program knows versions up to %(known)d."
                " Update the program, or export it again from one of this version."
            )
            % {"found": version, "known": SCHEMA_VERSION}
        )
