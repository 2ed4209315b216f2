"""Slugs and step ids: made from labels or counted up, free for sure (spec: flow-spec.md, host.md section 1)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from falai_django.authoring.row_problems import refused_at
from falai_django.models import Flow, slug_validator

__all__ = ["checked_slug", "free_slug", "new_slug", "next_step_number", "slug_of", "take_step_id"]

_FOLDED: Final = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l"})
_MADE_ID: Final = re.compile(r"s([0-9]{1,9})")


def slug_of(label: str) -> str:
    """`nome_completo` for `Nome completo!`; empty when the label holds no letter or digit that folds to ASCII."""
    folded = unicodedata.normalize("NFKD", label.casefold().translate(_FOLDED))
    plain = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")


def free_slug(wanted: str, taken: Collection[str], most: int) -> str:
    """The wanted slug, or with `_2`, `_3` ... behind it."""
    slug, number = wanted[:most], 2
    while slug in taken:
        tail = f"_{number}"
        slug, number = wanted[: most - len(tail)] + tail, number + 1
    return slug


def new_slug(row: Any, slug: str, label: str, taken: Collection[str]) -> str:
    """The slug of a new row: the given one, else made of its label, else of what it is."""
    if slug:
        return checked_slug(row, slug, taken)
    return free_slug(slug_of(label) or slug_of(str(row._meta.model_name)), taken, _most(row))


def checked_slug(row: Any, slug: str, taken: Collection[str]) -> str:
    """A slug that somebody chose. AuthoringError at its input when it cannot be."""
    try:
        slug_validator(slug)
    except ValidationError as error:
        raise refused_at(row, "slug", error.messages[0], "slug") from error
    if len(slug) > _most(row):
        raise refused_at(row, "slug", _("Use at most %(most)d characters.") % {"most": _most(row)}, "slug")
    if slug in taken:
        raise refused_at(row, "slug", _("“%(slug)s” is taken. Choose another one.") % {"slug": slug}, "slug")
    return slug


def take_step_id(flow: Flow, taken: Collection[str]) -> str:
    """The next id of the flow, which is counted up; the caller saves `next_step`."""
    while f"s{flow.next_step}" in taken:
        flow.next_step += 1
    step_id = f"s{flow.next_step}"
    flow.next_step += 1
    return step_id


def next_step_number(step_ids: Iterable[str], least: int = 1) -> int:
    """A number for the next id that lies above all these, so that one that was removed never comes again."""
    numbers = [int(match[1]) for step_id in step_ids if (match := _MADE_ID.fullmatch(step_id)) is not None]
    return max([least, *(number + 1 for number in numbers)])


def _most(row: Any) -> int:
    return int(row._meta.get_field("slug").max_length)
