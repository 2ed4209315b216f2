"""Lists in pages: each cursor says after which row the next page begins (spec: host.md section 5).

Rows that arrive, or go, while somebody reads shift no page: a page is found by the number of its last row.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Collection
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework.request import Request

from falai_django.conf import settings
from falai_django.inbox.cleaning import invalid
from falai_django.models import TenantRows
from falai_django.rest.bodies import nearest

__all__ = ["DEFAULT_LIMIT", "PAGE_PARAMETERS", "assert_parameters", "limit_of", "page_of"]

DEFAULT_LIMIT: Final = 50
PAGE_PARAMETERS: Final = ("limit", "cursor", "order")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,17}")
_ORDERS: Final = ("newest", "oldest")


def page_of(
    request: Request, found: TenantRows, column: str, tell: Callable[[Any], dict[str, Any]], order: str = "newest"
) -> dict[str, Any]:
    """`{"items": [...], "next": cursor or null}` of rows in the order of a column that grows with time.

    `order`: the one that is meant when the request says none.
    """
    assert_parameters(request, PAGE_PARAMETERS)
    is_newest, most = _order(request, order) == "newest", limit_of(request)
    last = _cursor(request)
    if last is not None:
        found = found.filter(**{f"{column}__{'lt' if is_newest else 'gt'}": last})
    items = list(found.order_by(f"-{column}" if is_newest else column)[: most + 1])
    following = _told(getattr(items[most - 1], column)) if len(items) > most else None
    return {"items": [tell(each) for each in items[:most]], "next": following}


def assert_parameters(request: Request, names: Collection[str]) -> None:
    """InputRefusedError for a parameter of the address that nobody knows."""
    for name in request.query_params:
        if name not in names:
            raise invalid(name, nearest(name, names))


def limit_of(request: Request) -> int:
    """How many rows the request asks for."""
    most = settings().page_rows
    text = request.query_params.get("limit", "")
    if not text:
        return min(DEFAULT_LIMIT, most)
    if not _NUMBER.fullmatch(text) or not 1 <= int(text) <= most:
        raise invalid("limit", _("Give a whole number from 1 to %(most)d, or leave it out.") % {"most": most})
    return int(text)


def _order(request: Request, default: str) -> str:
    order: str = request.query_params.get("order") or default
    if order not in _ORDERS:
        raise invalid("order", _("Give `newest` or `oldest`, or leave it out."))
    return order


def _told(number: int) -> str:
    return base64.urlsafe_b64encode(str(number).encode()).decode().rstrip("=")


def _cursor(request: Request) -> int | None:
    text = request.query_params.get("cursor", "")
    if not text:
        return None
    try:
        number = base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4)).decode()
    except (binascii.Error, ValueError):
        number = ""
    if not _NUMBER.fullmatch(number):
        raise invalid("cursor", _("Give the `next` of the page before, or leave it out."))
    return int(number)
