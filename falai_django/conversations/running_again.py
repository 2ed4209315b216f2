"""Running a dead turn again (spec: host.md section 3): somebody has mended why it raised."""

from __future__ import annotations

from django.utils.translation import gettext as _

from falai_django import audit
from falai_django.databases import own_transaction
from falai_django.errors import InputRefusedError
from falai_django.failures import FailureCode
from falai_django.hints import hint
from falai_django.inbox.door import lock_session
from falai_django.models import Session, Turn
from falai_django.roles import Actor, Capability, require
from falai_django.rows import rows, write_alias

__all__ = ["run_again"]


def run_again(actor: Actor, turn: Turn) -> None:
    """Put a dead turn into its queue once more, with its receipts. The row comes with `session__agent__tenant`.

    NotAllowedError when the actor may not; InputRefusedError when the turn is not dead.
    """
    session = turn.session
    require(actor, session.agent.tenant, Capability.OPERATE)
    with own_transaction(write_alias()):
        locked = lock_session(session.agent, session.session_id, is_made=False)
        dead = rows(Turn).filter(pk=turn.pk, state=Turn.State.DEAD)
        if not dead.update(state=Turn.State.RECEIVED, attempts=0, model_failures=0, results_dropped=0, not_before=None):
            raise InputRefusedError(
                FailureCode.INVALID_INPUT, _("Only a dead turn can be run again. This one is not, or not any more.")
            )
        rows(Session).filter(pk=locked.pk).update(due=locked.now, queue_seq=locked.queue_seq + 1)
        audit.record(actor, session.agent.tenant, "turn.run_again", f"turn {turn.pk}")
        hint("sessions")
