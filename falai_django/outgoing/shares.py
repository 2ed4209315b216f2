"""How many requests of one tenant are under way at once (FALAI_OUTGOING_PER_TENANT).

The connections of a process are everybody's: without this, a tenant whose server answers slowly would hold them all.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.errors import OutgoingError
from falai_django.outgoing.connection import Answered, OutgoingRequest, send

if TYPE_CHECKING:
    from falai_django.outgoing.handlers import Send

__all__ = ["send_for", "share_of"]


class _Shares:
    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.changed = threading.Condition()
        self.under_way: Counter[Hashable] = Counter()


_shares: Final = _Shares()
# A lock that another thread held when a process was forked would never be free in the new one.
os.register_at_fork(after_in_child=_shares.begin)


@contextmanager
def share_of(owner: Hashable, deadline: float) -> Iterator[None]:
    """One of the owner's places, waited for until `deadline` (monotonic seconds); OutgoingError when none came free."""
    changed, under_way = _shares.changed, _shares.under_way
    with changed:
        left = max(deadline - time.monotonic(), 0)
        if not changed.wait_for(lambda: under_way[owner] < settings().outgoing_per_tenant, left):
            raise OutgoingError("timeout", _("too many other requests of this tenant were under way"))
        under_way[owner] += 1
    try:
        yield
    finally:
        with changed:
            under_way[owner] -= 1
            if not under_way[owner]:
                del under_way[owner]
            changed.notify_all()


def send_for(owner: Hashable) -> Send:
    """`connection.send` within the owner's share."""

    def send_within(request: OutgoingRequest, deadline: float, /) -> Answered:
        with share_of(owner, deadline):
            return send(request, deadline)

    return send_within
