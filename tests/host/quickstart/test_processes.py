"""The command as people run it: a process on a database file, asked over HTTP, stopped by a signal."""

from __future__ import annotations

import re
import signal
import socket

import httpx
import pytest

pytestmark = pytest.mark.processes


class Browser:
    """Somebody who opens the page and posts what its script would."""

    def __init__(self, url):
        self.client = httpx.Client(base_url=url, trust_env=False, timeout=60, headers={"Connection": "close"})
        page = self.client.get("/")
        page.raise_for_status()
        self.token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)[1]

    def does(self, what, **data):
        answer = self.client.post(f"/demo/triage/{what}", data=data, headers={"X-CSRFToken": self.token})
        answer.raise_for_status()
        return answer.json()


def test_from_nothing_to_an_answer_and_again(starting):
    """A fresh database: it says where it is, answers a message, stops in order; a second run keeps what was said."""
    first = starting("--port", "0").ready()
    assert first.answers().status_code == 200
    said = Browser(first.url).does("say", text="Oi! Sou a Marina, da Padaria Sol", key="k1")
    assert [each["author"] for each in said["messages"]] == ["customer", "assistant"]
    told = first.stop()
    assert first.process.returncode == 0
    assert re.search(r"admin, password \S+", told)
    key = re.search(r"falai_\S+", told)[0]

    second = starting("--port", "0").ready()
    assert second.answers("/admin/login/").status_code == 200
    told = second.stop(signal.SIGINT)
    assert second.process.returncode == 0
    assert key not in told
    assert "password" not in told.replace("--new-password", "")
    assert "--new-key" in told


def test_the_key_that_it_prints_opens_the_api(starting):
    """What the front page shows by curl."""
    run = starting("--port", "0").ready()
    run.answers()
    key = re.search(r"falai_\S+", "\n".join(run.lines))[0]
    answer = httpx.post(
        f"{run.url}/api/v1/agents/triage/sessions/me/turns",
        json={"message": {"text": "Oi! Sou a Marina, da Padaria Sol"}},
        headers={"Authorization": f"Bearer {key}"},
        timeout=60,
        trust_env=False,
    )
    assert answer.status_code == 200
    assert answer.json()["messages"]


def test_the_loop_runs_along(starting):
    """What leaves by the sender leaves although no worker was started: the wake's messages come to the page."""
    run = starting("--port", "0").ready()
    run.answers()
    browser = Browser(run.url)
    browser.does("say", text="oi")
    client = browser.client
    post = {"headers": {"X-CSRFToken": browser.token}}
    client.post("/demo/campaign/event", data={"name": "carrinho_abandonado"}, **post).raise_for_status()
    client.post("/demo/campaign/wake", **post).raise_for_status()
    for _ in range(400):
        state = client.get("/demo/campaign/state").json()
        if state["messages"]:
            break
    assert "Bruna" in state["messages"][0]["text"]


def test_a_port_that_is_taken_is_told(starting):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        run = starting("--port", str(port)).ready()
        assert f"Port {port} is taken" in "\n".join(run.lines)
        assert run.answers().status_code == 200


def test_a_start_that_is_stopped_at_once_ends_in_order(starting):
    """Ctrl-C in the first second leaves nothing half made: the next start works."""
    hasty = starting("--port", "0")
    hasty.process.terminate()
    hasty.process.communicate(timeout=60)
    assert starting("--port", "0").ready().answers().status_code == 200
