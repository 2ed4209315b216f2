"""What processes of their own do to one database: an agent with an action, a sender and a model that all keep a log.

`play` goes by every fault point once; played again it is the repeat of a caller who got no answer.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from falai_django import registry
from falai_django.conversations.erasing import erase, finish_erasure, marked_erasures
from falai_django.conversations.people import write
from falai_django.errors import InputRefusedError
from falai_django.faults import ENVIRONMENT_NAME, at_fault_point
from falai_django.inbox import event, message, take
from falai_django.models import Agent, Message, Session
from falai_django.outbox.sending import send_due
from falai_django.roles import Actor
from falai_django.turns.drain import drain
from falai_django.wakes import move_due_wakes
from falai_engine.testing import ScriptedProvider

__all__ = ["DOCUMENT", "LoggedModel", "play", "register", "run_all", "said"]

BOSS = Actor.command("test")
LOG = "FALAI_TEST_LOG"
DOCUMENT = {
    "specVersion": 1,
    "name": "Lia",
    "fields": {"nome": {"type": "string"}},
    "actions": {"act": {"kind": "python", "name": "act", "parameters": {}}},
    "events": {"go": {}},
    "idle": {"prompt": "Answer."},
    "flows": [
        {
            "id": "acting",
            "on": [{"event": "go", "repeat": "always"}],
            "steps": [{"id": "do", "do": "act"}, {"id": "done", "say": "Feito."}],
        },
        {"id": "later", "steps": [{"id": "wait", "wait": "1h"}, {"id": "say", "say": "Mais tarde."}]},
    ],
}


def log(*words):
    """One line, whole, however many processes write."""
    with Path(os.environ[LOG]).open("a", encoding="utf-8") as file:
        file.write(" ".join(words) + "\n")


def said(first):
    """The logged lines that begin with a word, without it."""
    path = Path(os.environ[LOG])
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line.removeprefix(f"{first} ") for line in lines if line.startswith(f"{first} ")]


class LoggedModel(ScriptedProvider):
    """Answers everything after a moment."""

    def generate(self, request):
        log("model", request.schema_name)
        time.sleep(0.02)
        self.script(speak=[{"message": "Eco."}])
        return super().generate(request)


def register():
    """Registrations of this process."""
    registry.action("act", parameters={})(lambda params, call: log("action", call.key))
    registry.sender("out")(lambda message: log("sent", str(message.id), message.text))


def play(agent):
    """Every way of the runtime once, in an order that each fault point lies on."""
    take(agent, "s1", event("go", key="k1"), deliver="sender")
    drain(pk(agent, "s1"))
    take(agent, "s2", message("oi", id="m1"), deliver="sender")
    _drain_while_it_moves(pk(agent, "s2"))
    write(BOSS, session(agent, "s5"), "Sou a Bia.", send=True, key="h1")
    move_due_wakes()
    drain(pk(agent, "s5"))
    drain(pk(agent, "s3"))
    send_due()
    _erase(agent)


def pk(agent, name):
    return session(agent, name).pk


def session(agent, name):
    return Session.objects.select_related("agent__tenant").get(agent=agent, session_id=name)


def _erase(agent):
    found = Session.objects.select_related("agent__tenant").filter(agent=agent, session_id="s4").first()
    if found is not None:
        erase(BOSS, found)


def _drain_while_it_moves(session_pk):
    """Somebody else's write comes between the turn and its commit, once."""
    moved = []

    def move():
        if not moved:
            moved.append(True)
            row = Session.objects.get(pk=session_pk)
            Session.objects.filter(pk=session_pk).update(silence_seq=row.silence_seq + 1)

    if os.environ.get(ENVIRONMENT_NAME) == "before-commit":
        drain(session_pk)
    else:
        with at_fault_point("before-commit", move):
            drain(session_pk)


def run_all():
    """What the loop does, until nothing is left to do."""
    for _ in range(20):
        moved = move_due_wakes().moved
        turns = sum(drain(row.pk).turns for row in Session.objects.filter(due__isnull=False))
        sent = send_due().tried
        gone = sum(finish_erasure(pk) for pk in marked_erasures(10))
        waiting = Message.objects.filter(state__in=["queued", "sending"]).exists()
        if not (moved or turns or sent or gone or waiting):
            return
        time.sleep(0.01)
    raise AssertionError("it does not come to rest")


def post(agent, session_id, text, key):
    """One caller: its outcome in a word, and its response."""
    from falai_django.waiting import Answered, turn_and_wait  # noqa: PLC0415 - read with the models

    try:
        found = turn_and_wait(agent, session_id, message(text, id=key))
    except InputRefusedError as error:
        return error.code, None
    if isinstance(found, Answered):
        return "answered", found.response
    return type(found).__name__.lower(), None


def agent_row():
    return Agent.objects.select_related("tenant").get()
