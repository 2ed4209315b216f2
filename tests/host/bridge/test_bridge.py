"""What the bridge promises to both sides: nobody else is heard, nothing is lost, a repeat is no second message."""

from __future__ import annotations

import ast
import json
import logging
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from examples.whatsapp_bridge.configuration import configuration_of
from examples.whatsapp_bridge.whatsapp import is_signed
from falai_django.signing import SIGNATURE_HEADER, signature
from tests.host.bridge.channel import NUMBER, text
from tests.host.processes.site_processes import free_port, until

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "whatsapp_bridge"


def bodies(falai):
    return [json.loads(request.content) for request in falai.requests]


def hook(bridge, *, secrets=("hook-secret",), at=None, **message):
    """Falai's webhook."""
    told = {"id": "m-1", "session": f"whatsapp:{NUMBER}", "direction": "out", "text": "Oi!", **message}
    body = json.dumps(told).encode()
    headers = {SIGNATURE_HEADER: signature(body, secrets, time.time() if at is None else at)}
    return bridge.post("/falai", content=body, headers=headers)


# -- from WhatsApp


def test_a_message_becomes_a_turn_under_its_own_id(bridge, channel, falai):
    assert channel.brings(bridge, text("oi", context={"id": "wamid.0"})) == 200
    (request,) = falai.requests
    assert request.url.raw_path.decode() == f"/api/v1/agents/lia/sessions/whatsapp%3A{NUMBER}/turns"
    assert request.headers["Prefer"] == "respond-async"
    assert request.headers["Authorization"] == "Bearer falai_key"
    assert bodies(falai) == [
        {
            "message": {"id": "wamid.1", "text": "oi", "at": "2026-09-21T14:13:20+00:00", "reply": {"id": "wamid.0"}},
            "anchors": {"whatsapp": NUMBER},
            "deliver": "sender",
        }
    ]


@pytest.mark.parametrize("signature", ["", "sha256=", "sha256=00", "sha1=abc"])
def test_nobody_else_is_heard(bridge, channel, falai, signature):
    """Without WhatsApp's signature a body is not even read as JSON."""
    assert channel.brings(bridge, text("oi"), signature=signature) == 403
    assert falai.requests == []


def test_a_signature_may_be_any_junk():
    assert not is_signed("sha256=\xe9\ud800", b"", "secret")


@pytest.mark.parametrize("body", [b"", b"no json", b"[]", b"7", b'{"entry": 7}', b'{"entry": [{"changes": [7]}]}'])
def test_junk_that_is_signed_does_no_harm(bridge, channel, falai, body):
    assert channel.posts(bridge, body).status_code in (200, 400)
    assert falai.requests == []


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (text("", type="button", button={"text": "Sim"}), {"text": "Sim"}),
        (text("", type="interactive", interactive={"list_reply": {"title": "Plano 2"}}), {"text": "Plano 2"}),
        (
            text("", type="image", image={"id": "9", "mime_type": "image/png", "caption": "olha", "sha256": "x"}),
            {"text": "olha", "media": {"type": "image", "id": "9", "mime_type": "image/png"}},
        ),
        (text("", type="audio", audio={"id": "9"}), {"text": "", "media": {"type": "audio", "id": "9"}}),
        (text("oi", timestamp="no time"), {"text": "oi"}),
    ],
    ids=["button", "list", "image", "audio", "no time"],
)
def test_each_kind_of_message_is_told(bridge, channel, falai, message, told):
    channel.brings(bridge, message)
    (body,) = bodies(falai)
    assert {name: body["message"].get(name) for name in told} == told


def test_receipts_and_reactions_are_no_messages(bridge, channel, falai):
    assert channel.brings(bridge, text("", type="reaction", reaction={"emoji": "x"}), statuses=[{"id": "w"}]) == 200
    assert falai.requests == []


@pytest.mark.parametrize(
    "answer",
    [httpx.ConnectError("down"), httpx.ReadTimeout("slow"), *map(httpx.Response, (401, 404, 429, 500, 503))],
    ids=str,
)
def test_what_falai_does_not_take_is_brought_again(bridge, channel, falai, answer):
    """A wrong key or agent is somebody's to mend: nothing is lost until then."""
    falai.answers = [answer]
    assert channel.brings(bridge, text("oi"), text("e aí?", id="wamid.2")) == 503
    assert len(falai.requests) == 1
    assert channel.brings(bridge, text("oi"), text("e aí?", id="wamid.2")) == 200
    assert [body["message"]["id"] for body in bodies(falai)] == ["wamid.1", "wamid.1", "wamid.2"]


@pytest.mark.parametrize(("status", "code"), [(400, "invalid-input"), (409, "key-reused"), (413, "too-large")])
def test_what_falai_never_takes_holds_up_nobody(bridge, channel, falai, status, code, caplog):
    falai.answers = [httpx.Response(status, json={"error": {"code": code, "message": "no"}})]
    with caplog.at_level(logging.WARNING):
        assert channel.brings(bridge, text("oi"), text("e aí?", id="wamid.2")) == 200
    assert [body["message"]["id"] for body in bodies(falai)] == ["wamid.1", "wamid.2"]
    assert channel.sent == []
    assert code in caplog.text
    assert NUMBER not in caplog.text


def test_an_agent_that_is_off_says_so(bridge, channel, falai):
    off = httpx.Response(409, json={"error": {"code": "agent-off", "message": "Voltamos amanhã."}})
    falai.answers = [off, off]
    assert channel.brings(bridge, text("oi")) == 200
    assert channel.brings(bridge, text("oi")) == 200
    assert channel.sent == [(NUMBER, "Voltamos amanhã.")]


def test_an_off_text_that_does_not_leave_is_tried_again(bridge, channel, falai):
    off = httpx.Response(409, json={"error": {"code": "agent-off", "message": "Voltamos amanhã."}})
    falai.answers, channel.answers = [off, off], [httpx.Response(500)]
    assert channel.brings(bridge, text("oi")) == 503
    assert channel.brings(bridge, text("oi")) == 200
    assert channel.sent == [(NUMBER, "Voltamos amanhã.")]


def test_the_handshake_knows_the_word(bridge):
    asked = {"hub.mode": "subscribe", "hub.verify_token": "a-word", "hub.challenge": "1158201444"}
    assert bridge.get("/whatsapp", params=asked).text == "1158201444"
    assert bridge.get("/whatsapp", params={**asked, "hub.verify_token": "é"}).status_code == 403
    assert bridge.get("/whatsapp").status_code == 403


# -- from falai


def test_a_message_is_sent_to_the_customer(bridge, channel):
    answer = hook(bridge)
    assert (answer.status_code, answer.json()) == (200, {})
    (request,) = channel.requests
    assert request.url == "https://graph.facebook.com/v23.0/4711/messages"
    assert request.headers["Authorization"] == "Bearer token"
    assert channel.sent == [(NUMBER, "Oi!")]


@pytest.mark.parametrize(
    "how",
    [{"secrets": ["another"]}, {"secrets": []}, {"at": time.time() - 3_600}, {"at": time.time() + 3_600}],
    ids=["another's", "nobody's", "old", "ahead"],
)
def test_nobody_else_sends_by_it(bridge, channel, how):
    assert hook(bridge, **how).status_code == 403
    assert channel.sent == []


def test_a_repeat_is_no_second_message(bridge, channel):
    assert [hook(bridge).status_code, hook(bridge).status_code] == [200, 200]
    assert len(channel.sent) == 1


@pytest.mark.parametrize("answer", [httpx.ConnectError("down"), httpx.Response(401), httpx.Response(500)], ids=str)
def test_what_whatsapp_does_not_take_now_is_tried_again(bridge, channel, answer):
    channel.answers = [answer]
    assert hook(bridge).status_code == 503
    assert hook(bridge).status_code == 200
    assert len(channel.sent) == 1


@pytest.mark.parametrize(("number", "code"), [(131047, "window-closed"), (131026, "unreachable")])
def test_what_whatsapp_never_takes_is_told_to_falai(bridge, channel, number, code):
    channel.answers = [httpx.Response(400, json={"error": {"code": number, "message": NUMBER}})]
    answer = hook(bridge)
    assert (answer.status_code, answer.json()) == (200, {"refused": code})


def test_a_notice_goes_to_the_team(bridge, channel):
    hook(bridge, direction="notice", recipient="+5511900000000")
    assert channel.sent == [("5511900000000", "Oi!")]
    assert hook(bridge, id="m-2", direction="notice", recipient="sales").json() == {"refused": "no-number"}


@pytest.mark.parametrize(("part", "code"), [({"session": "web:7"}, "no-number"), ({"text": " "}, "no-text")])
def test_what_is_not_for_this_channel_is_refused(bridge, channel, part, code):
    assert hook(bridge, **part).json() == {"refused": code}
    assert channel.sent == []


def test_a_long_text_goes_in_parts_and_goes_on_where_it_stopped(bridge, channel):
    channel.answers = [httpx.Response(200, json={}), httpx.Response(500)]
    long = "a" * 4_096 + "b"
    assert hook(bridge, text=long).status_code == 503
    assert hook(bridge, text=long).status_code == 200
    assert [said for _, said in channel.sent] == ["a" * 4_096, "b"]


# -- the program


def test_other_addresses_are_nowhere(bridge):
    assert bridge.get("/").status_code == 404
    assert bridge.get("/falai").status_code == 404
    assert bridge.get("/health").status_code == 200


def test_a_body_without_end_is_not_read(bridge, channel):
    assert channel.posts(bridge, b" " * 1_000_001).status_code == 403


def test_what_the_environment_lacks_is_named():
    with pytest.raises(SystemExit, match=r"FALAI_URL, .*WHATSAPP_TOKEN"):
        configuration_of({})


def test_the_environment_is_read():
    names = ["FALAI_URL", "FALAI_API_KEY", "FALAI_AGENT", "FALAI_WEBHOOK_SECRETS", "WHATSAPP_PHONE_NUMBER_ID"]
    names += ["WHATSAPP_TOKEN", "WHATSAPP_APP_SECRET", "WHATSAPP_VERIFY_TOKEN", "WHATSAPP_URL", "BRIDGE_DATABASE"]
    told = configuration_of({**dict.fromkeys(names, "x"), "FALAI_WEBHOOK_SECRETS": "new, old"})
    assert told.falai_secrets == ("new", "old")
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in page] == []


def test_nothing_logged_holds_a_number(bridge, channel, falai, caplog):
    """The client of HTTP would write every address, and a conversation's is its customer's number."""
    with caplog.at_level(logging.INFO):
        assert channel.brings(bridge, text("oi")) == 200
        hook(bridge)
    assert NUMBER in str(falai.requests[0].url)
    assert NUMBER not in caplog.text
    assert channel.sent


@pytest.mark.processes
def test_it_can_be_tried_without_an_account_as_its_page_says(tmp_path):
    """The stand-in takes WhatsApp's part, and falai's as well here: it prints the turn that the message became."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    (stand_in,), (writes,) = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("py", "sh"))
    port, printing = free_port(), free_port()
    names = ["FALAI_API_KEY", "FALAI_AGENT", "FALAI_WEBHOOK_SECRETS", "WHATSAPP_PHONE_NUMBER_ID", "WHATSAPP_TOKEN"]
    names += ["WHATSAPP_APP_SECRET", "WHATSAPP_VERIFY_TOKEN"]
    told = {**os.environ, **dict.fromkeys(names, "word"), "BRIDGE_DATABASE": str(tmp_path / "sent.sqlite3")}
    told |= dict.fromkeys(["FALAI_URL", "WHATSAPP_URL"], f"http://127.0.0.1:{printing}")
    commands = [["-c", stand_in.replace("9999", str(printing))], ["-m", "examples.whatsapp_bridge", str(port)]]
    log = (tmp_path / "log").open("wb")
    begun = [
        subprocess.Popen([sys.executable, *words], cwd=FOLDER.parents[1], env=told, stdout=log, stderr=log)  # noqa: S603
        for words in commands
    ]
    try:
        until(lambda: all(_listens(each) for each in (port, printing)), "both listen", 30)
        words = writes.replace("8080", str(port)).replace("curl -s", "curl -sS --fail --noproxy '*'")
        subprocess.run(["bash", "-c", words], env=told, check=True, timeout=30)  # noqa: S603, S607
    finally:
        for process in begun:
            process.terminate()
            process.wait(30)
        log.close()
    said = (tmp_path / "log").read_text()
    assert '"text":"Oi"' in said
    assert "HTTP Request" not in said


def _listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_folder_can_be_copied():
    """Its modules import the standard library, httpx and one another."""
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = {node.module.partition(".")[0]}
            else:
                continue
            assert names <= sys.stdlib_module_names | {"httpx"}, path


def test_its_signing_is_ours():
    ours = FOLDER.parents[1] / "falai_django" / "signing.py"
    assert (FOLDER / "signing.py").read_bytes() == ours.read_bytes()
