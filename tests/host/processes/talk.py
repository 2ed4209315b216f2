"""An agent for tests over HTTP, and callers that repeat each message until it is answered."""

from __future__ import annotations

import threading

import httpx

from falai_django.models import Agent, Message, ModelProvider, Release, Sender, Tenant, Turn
from tests.host.processes.site_processes import LATER
from tests.host.rest.callers import make_key

__all__ = ["Caller", "assert_each_answered_once", "make_agent", "posted_at_once"]

# Answers each message, and has a flow that waits.
DOCUMENT = {**LATER, "idle": {"prompt": "Answer."}}
MINUTE = 60
PAUSE = 0.1


def make_agent():
    """The agent and the secret of a key of its tenant."""
    tenant = Tenant.objects.create(slug="acme", name="acme")
    ModelProvider.objects.create(tenant=tenant, kind="offline")
    sender = Sender.objects.create(tenant=tenant, name="out", kind="poll")
    agent = Agent.objects.create(tenant=tenant, slug="lia", sender=sender)
    agent.active_release = Release.objects.create(agent=agent, number=1, document=DOCUMENT, spec_version=1, digest="d")
    agent.save()
    return agent, make_key(tenant)[1]


class Caller:
    """One connection to the server, about one session. `answers`: all that it was answered, `[(id, status)]`."""

    def __init__(self, url, secret, session, **headers):
        told = {"Authorization": f"Bearer {secret}", **headers}
        self.client = httpx.Client(base_url=url, headers=told, trust_env=False, timeout=MINUTE)
        self.turns = f"/api/v1/agents/lia/sessions/{session}/turns"
        self.answers = []

    def post(self, key, text):
        answer = self.client.post(self.turns, json={"message": {"text": text, "id": key}})
        self.answers.append((key, answer.status_code))
        return answer

    def result(self, answer):
        """Its result, or the one that lies at the address it gave, when it is there."""
        if answer.status_code == httpx.codes.OK:
            return answer.json()
        assert answer.status_code == httpx.codes.ACCEPTED, answer.text
        found = self.client.get(answer.headers["Location"])
        return found.json()["response"] if found.status_code == httpx.codes.OK else None

    def statuses(self):
        return {status for _, status in self.answers}

    def converse(self, keys, stop):
        """A message under each key, repeated until it is answered or taken; every refusal says when to come again."""
        for key in keys:
            while not stop.is_set():
                answer = self.post(key, f"texto {key}")
                if answer.status_code in {httpx.codes.OK, httpx.codes.ACCEPTED}:
                    break
                assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE, answer.text
                assert int(answer.headers["Retry-After"]) > 0
                stop.wait(PAUSE)


def posted_at_once(callers, posts):
    """Each caller posts its (key, text) at the same moment; the answers in that order."""
    answers, gate = [None] * len(callers), threading.Barrier(len(callers))

    def one(number):
        callers[number].client.get("/api/v1/health/live")  # connected
        gate.wait(MINUTE)
        answers[number] = callers[number].post(*posts[number])

    threads = [threading.Thread(target=one, args=(number,)) for number in range(len(callers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(MINUTE)
    return answers


def assert_each_answered_once(session, count):
    """So many messages of the session, each with one answer, the transcript in the order in which they were taken."""
    turns = list(Turn.objects.filter(session__session_id=session, kind="message").order_by("pk"))
    assert [turn.state for turn in turns] == ["done"] * count
    said = Message.objects.filter(session__session_id=session).order_by("seq")
    assert list(said.values_list("direction", "turn")) == [
        (direction, turn.pk) for turn in turns for direction in ("in", "out")
    ]
