"""What a person of the team writes to the customer (spec: host.md sections 3 and 5)."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from falai_django.conf import settings
from falai_django.conversations.silence import HUMAN, lasting, silence
from falai_django.databases import own_transaction
from falai_django.faults import fault_point
from falai_django.hints import hint
from falai_django.inbox.cleaning import cleaned, cleaned_text, invalid
from falai_django.inbox.door import lock_session, receive
from falai_django.inbox.inputs import human
from falai_django.models import Message, Session
from falai_django.outbox.queue import leaving
from falai_django.roles import Actor, Capability, require
from falai_django.rows import rows, write_alias
from falai_django.turns.ending import public_id
from falai_engine.times import iso, ms_of

__all__ = ["write"]

SAID = "human"


def write(
    actor: Actor, session: Session, text: str, *, media: Any = None, send: bool = False, key: str | None = None
) -> Message:
    """Record what a person wrote, silence the agent for as long as it says, and with `send` queue it for the sender.

    `session` comes with `agent__tenant`. A `key` that was there already writes nothing and gives the message of then.
    NotAllowedError when the actor may not; InputRefusedError for what is no message, and while the session is erased.
    """
    require(actor, session.agent.tenant, Capability.OPERATE)
    text, media = cleaned_text(text), cleaned(media, "media")
    most = settings().message_characters
    if len(text) > most:
        raise invalid("text", _("It is longer than %(most)d characters. Send less.") % {"most": most})
    if not text.strip() and not media:
        raise invalid("text", _("The message holds neither text nor media. Give some."))
    with own_transaction(write_alias()):
        locked = lock_session(session.agent, session.session_id, is_made=False)
        given = human(iso(ms_of(locked.now)), key=key)
        found = rows(Message).filter(session=locked, turn__kind=given.kind, turn__key=given.key).first()
        if found is not None:
            return found  # type: ignore[no-any-return]
        message = _recorded(locked, receive(locked, given).turn, text, media, send=send)
        silence(locked, HUMAN, locked.now + lasting(locked.agent.human_silence))
        rows(Session).filter(pk=locked.pk).update(next_seq=locked.next_seq + 1, last_activity_at=locked.now)
        hint("sessions")
    fault_point("human-written")
    return message


def _recorded(locked: Any, turn: Any, text: str, media: Any, *, send: bool) -> Message:
    message = Message(
        session=locked,
        seq=locked.next_seq,
        direction=Message.Direction.OUT,
        author=Message.Author.HUMAN,
        text=text,
        media=media,
        turn=turn,
        key=turn.key,
        public_id=public_id(turn, SAID),
        epoch=locked.epoch,
        created_at=locked.now,
    )
    if send:
        for name, value in leaving(locked.now, locked.inbound_seq).items():
            setattr(message, name, value)
        hint("outbox")
    message.save(force_insert=True, using=write_alias())
    return message
