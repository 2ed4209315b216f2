"""What a user runs first: `python -m falai_engine.providers check KIND --model M`, and the probe in it."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys

import pytest

from falai_engine.errors import ErrorKind, FlowConfigurationError, ProviderError
from falai_engine.providers import make_provider, probe_json_with_tools
from falai_engine.providers.check import main
from falai_engine.providers.vendor import VENDORS
from tests.providers.fakes import Said
from tests.providers.local_server import Reply
from tests.providers.vendors import FAKES, KINDS, PATHS, provider_of

JUDGED = Said('{"flows": {"opening_hours": 90, "complaint": 0}}')
CALLED = Said("", (("opening_hours", {"day": "Sunday"}),), "Look it up.")
SPOKEN = Said('{"message": "From 9 to 13.", "day": "Sunday"}')


def script(kind, *, probe=None):
    fake = FAKES[kind]
    replies = [Reply.of_json(fake.body(said)) for said in (JUDGED, CALLED, SPOKEN)]
    return [*replies, Reply.of_events(fake.frames(SPOKEN)), *(probe or [Reply.of_json(fake.body(CALLED))])]


def checked(kind, server, *arguments):
    fake, out = FAKES[kind], io.StringIO()
    call = ["check", kind, "--model", fake.MODEL, "--base-url", server.url + PATHS[kind], *arguments]
    status = main(call, out=out, environment={VENDORS[kind].key_variable: fake.KEY})
    return status, out.getvalue()


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_can_do_all(servers, kind):
    """One line for each thing tried, then calls, tokens and time; every request as the vendor's types want it."""
    server = servers(kind).say(*script(kind))
    status, told = checked(kind, server)
    lines = re.sub(r"\d+\.\d s", "N s", told).splitlines()
    assert lines == [
        f"{kind}, {FAKES[kind].MODEL}",
        "  understand           ok      scores {'opening_hours': 90, 'complaint': 0} (N s)",
        "  speak with a tool    ok      called opening_hours({'day': 'Sunday'}), said 'From 9 to 13.' (N s)",
        f"  stream               ok      first text after N s, {lines[3].split(', ')[1]}, said 'From 9 to 13.' (N s)",
        "  tools with a schema  ok      this model needs json_with_tools=response_format (N s)",
        "5 calls, 500 tokens read (200 from the cache), 100 written, N s",
    ]
    assert status == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_that_calls_no_tool_while_pinned(servers, kind):
    """The probe asks once more, by the prompt, and says what to configure."""
    fake = FAKES[kind]
    server = servers(kind).say(
        *script(kind, probe=[Reply.of_json(fake.body(SPOKEN)), Reply.of_json(fake.body(CALLED))])
    )
    status, told = checked(kind, server)
    assert "json_with_tools=prompt" in told
    assert "6 calls" in told
    assert status == 0
    pinned, by_prompt = (asked.body for asked in server.asked[-2:])
    for name in ("text", "output_config", "generationConfig", "response_format"):
        assert name not in by_prompt
    assert {"text", "output_config", "generationConfig", "response_format"} & set(pinned)


def test_what_does_not_work_is_said(servers):
    """Each thing is tried all the same; the status tells that one failed."""
    server = servers("openai").say(
        Reply.of_json(FAKES["openai"].body(Said("I will not judge."))),
        Reply.of_json(FAKES["openai"].body(SPOKEN)),
        Reply.of_json(FAKES["openai"].error("invalid_api_key", "Incorrect API key"), 401),
        Reply.of_json(FAKES["openai"].error(None, "Nothing\n\nworks here"), 403),
    )
    status, told = checked("openai", server)
    assert status == 1
    assert told.count("FAILED") == 4
    assert "no judgement in 'I will not judge.'" in told
    assert "the model called no tool" in told
    assert "FAILED  auth: " in told
    assert "4 calls" in told


def test_a_stream_without_a_message_is_said(servers):
    """Text that holds no object is no message."""
    fake = FAKES["openai"]
    replies = script("openai")
    server = servers("openai").say(*replies[:3], Reply.of_events(fake.frames(Said("Hi"))), replies[4])
    assert "no message in 'Hi'" in checked("openai", server)[1]


def test_without_a_key():
    """It says from which variable it is read, and calls nobody."""
    out = io.StringIO()
    assert main(["check", "openai", "--model", "m"], out=out, environment={}) == 2
    assert "OPENAI_API_KEY" in out.getvalue()


def test_a_wrong_call(capsys):
    """Kinds that are none, no model: the usage, and the variables of the keys."""
    for arguments in ([], ["check", "offline", "--model", "m"], ["check", "openai"], ["other"]):
        with pytest.raises(SystemExit):
            main(arguments)
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "GEMINI_API_KEY" in capsys.readouterr().out


def test_as_a_program(servers):
    """As a user runs it, the key in the environment."""
    server = servers("openai-compatible").say(*script("openai-compatible"))
    fake = FAKES["openai-compatible"]
    done = subprocess.run(  # noqa: S603
        [
            *[sys.executable, "-m", "falai_engine.providers", "check", "openai-compatible"],
            *["--model", fake.MODEL, "--base-url", f"{server.url}/v1"],
        ],
        env={"OPENAI_COMPATIBLE_API_KEY": fake.KEY},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "tools with a schema  ok" in done.stdout
    assert fake.KEY not in done.stdout + done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_the_probe(servers, kind):
    """A model that calls the tool while pinned; one that is refused; one that never calls."""
    fake = FAKES[kind]
    refused = Reply([b'{"error": {"message": "tools with a response mime type are unsupported"}}'], 400)
    server = servers(kind).say(Reply.of_json(fake.body(CALLED)), refused, Reply.of_json(fake.body(CALLED)))
    server.say(Reply.of_json(fake.body(SPOKEN)), Reply.of_json(fake.body(SPOKEN)), Reply([], 401))
    with provider_of(kind, server) as provider:
        assert probe_json_with_tools(provider) == "response_format"
        assert probe_json_with_tools(provider) == "prompt"
        with pytest.raises(ProviderError) as silent:
            probe_json_with_tools(provider)
        with pytest.raises(ProviderError) as refused_us:
            probe_json_with_tools(provider)
    assert (silent.value.kind, silent.value.code) == (ErrorKind.INVALID, "no-tool-call")
    assert refused_us.value.kind is ErrorKind.AUTH
    assert json.loads(server.asked[0].raw)


def test_the_probe_is_for_a_vendors_model():
    """A fallback has several."""
    entry = make_provider("openai", model="m", api_key="k" * 9)
    with pytest.raises(FlowConfigurationError):
        probe_json_with_tools(make_provider("fallback", providers=[entry]))


def test_without_httpx_it_says_what_to_install():
    """Whoever installed the engine alone is told the one command that brings the vendors' APIs."""
    run = "runpy.run_module('falai_engine.providers', run_name='__main__')"
    program = f"import runpy, sys; sys.modules['httpx'] = None; {run}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
    assert done.returncode == 1
    assert done.stderr == "Model providers need httpx. Install it with: pip install 'falai[http]'\n"
