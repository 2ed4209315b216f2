"""Tell Celery's workers that there is work (spec: host.md section 4).

A hint is no promise: work and its time lie in the database, and every worker looks there each second. So a thread of
its own says it: no request ever waits for a broker, and one that is down costs a second.
"""

from __future__ import annotations

import os
from functools import partial

from django.db import transaction

from falai_django.conf import settings
from falai_django.messenger import Messenger
from falai_django.parts import HINT_EXPIRY_SECONDS, task_name
from falai_django.rows import write_alias

__all__ = ["hint", "messenger"]


def hint(part: str) -> None:
    """Say, when the transaction around it commits, that this part of the loop has work. Never waits, never raises."""
    if settings().use_celery:
        transaction.on_commit(partial(messenger.tell, task_name(part)), using=write_alias(), robust=True)


def _send(name: str) -> None:
    from celery import current_app  # noqa: PLC0415 - Celery is optional

    current_app.send_task(name, expires=HINT_EXPIRY_SECONDS, ignore_result=True, retry=False)


messenger = Messenger(_send)
"""This process's."""
os.register_at_fork(after_in_child=messenger.forget)
