"""The one way to make a provider: kinds, options, and what is said when one is wrong."""

from __future__ import annotations

import subprocess
import sys

import pytest

from falai_engine.errors import FlowConfigurationError
from falai_engine.model import Capabilities, Provider
from falai_engine.providers import KINDS, make_provider
from falai_engine.providers.vendor import VENDORS
from tests.providers.vendors import KINDS as HTTP_KINDS


@pytest.mark.parametrize("kind", HTTP_KINDS)
def test_every_kind_over_http(kind):
    """A model, a key, and where the vendor has no address of its own a base URL."""
    provider = make_provider(kind, model="m", api_key="k" * 9, base_url="https://x.example/v1")
    assert isinstance(provider, Provider)
    assert provider.name == kind
    assert provider.model == "m"
    assert repr(provider) == f"<VendorProvider {kind} m>"


def test_the_kinds_are_those_of_the_page():
    """Those over HTTP, the offline one and the fallback."""
    assert sorted(KINDS) == list(KINDS) == sorted([*VENDORS, "fallback", "offline"])


@pytest.mark.parametrize(
    ("kind", "way"),
    [
        ("openai", True),
        ("anthropic", True),
        ("openrouter", True),
        ("openai-compatible", True),
        ("gemini", False),
        ("deepseek", False),
    ],
)
def test_what_they_can_do(kind, way):
    """All stream and call tools; whether a schema may go beside the tools is an option."""
    options = {"model": "m", "api_key": "k" * 9, "base_url": "https://x.example"}
    assert make_provider(kind, **options).capabilities == Capabilities(json_with_tools=way)
    assert make_provider(kind, **options, json_with_tools="response_format").capabilities.json_with_tools


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("other", {}, "no such kind"),
        ("openai", {"api_key": "k"}, "a model"),
        ("openai", {"model": "m"}, "an API key"),
        ("openai", {"model": "m", "api_key": ""}, "an API key"),
        ("openai-compatible", {"model": "m"}, "a base URL"),
        ("openai", {"model": "m", "api_key": "k", "top_k": 3}, "unknown option 'top_k'"),
        ("openai", {"model": "m", "api_key": "k", "stop": ["x"]}, "no 'stop'"),
        ("anthropic", {"model": "m", "api_key": "k", "temperature": 0.1}, "no 'temperature'"),
        ("anthropic", {"model": "m", "api_key": "k", "top_p": 0.1}, "no 'top_p'"),
        ("openai", {"model": "../x", "api_key": "k"}, "the model is not a name"),
        ("openai", {"model": "a b", "api_key": "k"}, "the model is not a name"),
        ("openai", {"model": 7, "api_key": "k"}, ""),
        ("openai", {"model": "m", "api_key": 7}, ""),
        ("openai", {"model": "m", "api_key": "k", "timeout": 0}, "timeout"),
        ("openai", {"model": "m", "api_key": "k", "timeout": float("nan")}, "timeout"),
        ("openai", {"model": "m", "api_key": "k", "timeout": True}, "timeout"),
        ("openai", {"model": "m", "api_key": "k", "attempts": 0}, "attempts"),
        ("openai", {"model": "m", "api_key": "k", "attempts": 1.5}, "attempts"),
        ("openai", {"model": "m", "api_key": "k", "max_tokens": -1}, "max_tokens"),
        ("openai", {"model": "m", "api_key": "k", "backoff": -1}, "backoff"),
        ("openai", {"model": "m", "api_key": "k", "backoff": "x"}, ""),
        ("openai", {"model": "m", "api_key": "k", "structured": "xml"}, "xml"),
        ("openai", {"model": "m", "api_key": "k", "json_with_tools": "maybe"}, "maybe"),
        ("openai", {"model": "m", "api_key": "k", "base_url": "ftp://x.example"}, "base URL"),
        ("openai", {"model": "m", "api_key": "k", "base_url": "https://"}, "base URL"),
        ("openai", {"model": "m", "api_key": "k", "base_url": "https://x.example:99999"}, "base URL"),
        ("openai", {"model": "m", "api_key": "k", "base_url": "https://x.example:no"}, "base URL"),
        ("openai", {"model": "m", "api_key": "k", "base_url": "https://x.example/v1?key=1"}, "base URL"),
        ("fallback", {}, "empty"),
        ("fallback", {"providers": []}, "empty"),
        ("fallback", {"providers": ["openai"]}, "no provider"),
        ("fallback", {"providers": [{"model": "m"}]}, "no provider"),
        ("fallback", {"providers": [{"kind": "other"}]}, "no such kind"),
        ("fallback", {"models": []}, "unknown option 'models'"),
    ],
)
def test_what_is_said_when_an_option_is_wrong(kind, options, said):
    """A configuration error of the usual shape, before any call."""
    with pytest.raises(FlowConfigurationError, match=r"^\[FlowConfigurationError\] provider ") as caught:
        make_provider(kind, **options)
    assert said in str(caught.value)


def test_options_that_are_none_are_not_given():
    """As a form leaves them."""
    make_provider("anthropic", model="m", api_key="k", temperature=None, base_url=None, max_tokens=None, stop="END")


def test_the_offline_one():
    """It needs nothing at all."""
    assert isinstance(make_provider("offline"), Provider)


WITHOUT_HTTPX = """
import sys
sys.modules["httpx"] = None
import falai_engine.model
from falai_engine.errors import FlowConfigurationError
from falai_engine.providers import make_provider
make_provider("offline")
try:
    make_provider("openai", model="m", api_key="k")
except FlowConfigurationError as error:
    print(error)
"""


def test_without_httpx():
    """The offline provider works, and it is said what to install when a vendor is asked for."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_HTTPX], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == (
        "[FlowConfigurationError] provider \"openai\": httpx is not installed. pip install 'falai[http]'."
    )
