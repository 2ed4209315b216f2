"""Texts of a document that no page can show and no request can carry (spec: host.md section 2, import)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from django.utils.translation import gettext as _

from falai_django.authoring.row_problems import RowProblem, refused
from falai_django.documents import is_storable_text, joined
from falai_engine.validation import Severity

__all__ = ["assert_whole_texts"]

_MOST_TOLD: Final = 50


def assert_whole_texts(document: Any) -> None:
    """AuthoringError with the places of texts that hold NUL or half of a surrogate pair.

    JSON can escape both, but a page that shows such a text, or a model that is asked with it, cannot be written.
    """
    message = _("This text holds characters that cannot be kept. Type it again without them.")
    found = [
        RowProblem(None, "", Severity.ERROR, message, "text", document_path=path)
        for path in islice(_broken(document), _MOST_TOLD)
    ]
    if found:
        raise refused(found)


def _broken(document: Any) -> Iterator[str]:
    """The paths, in the order of the document. No recursion: how deep it is was not looked at yet."""
    left = [("", document)]
    while left:
        path, value = left.pop()
        if not all(is_storable_text(text) for text in _texts(value)):
            yield path
        left += [(joined(path, key), part) for key, part in reversed(_parts(value))]


def _texts(value: Any) -> list[str]:
    """The texts of one place: itself, or its keys."""
    if isinstance(value, Mapping):
        return [str(key) for key in value]
    return [value] if isinstance(value, str) else []


def _parts(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return [(str(key), part) for key, part in value.items()]
    return list(enumerate(value)) if isinstance(value, list | tuple) else []
