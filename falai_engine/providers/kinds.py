"""The kinds of providers and the one way to make one (spec: providers.md).

Nothing of httpx is imported before a vendor's provider is asked for, so that the offline one needs no package.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from falai_engine.errors import FlowConfigurationError
from falai_engine.model import Provider

__all__ = ["KINDS", "make_provider", "probe_json_with_tools"]

KINDS: Final = ("anthropic", "deepseek", "fallback", "gemini", "offline", "openai", "openai-compatible", "openrouter")


def make_provider(kind: str, **options: Any) -> Provider:
    """A provider of one of KINDS. Raises FlowConfigurationError when the kind or an option is wrong.

    Vendors take the options of `settings.Settings` (`model`, `api_key`, `base_url`, sampling, `timeout`, `attempts`,
    `json_with_tools`, ...) and `transport`. `fallback` takes `providers`, an ordered list of providers or of mappings
    `{"kind": ..., option: ...}`. `offline` takes what OfflineProvider takes.
    """
    if kind not in KINDS:
        raise FlowConfigurationError(f'provider "{kind}"', "there is no such kind", f"Name one of {', '.join(KINDS)}")
    try:
        if kind == "offline":
            offline: Provider = import_module("falai_engine.providers.offline").OfflineProvider(**options)
            return offline
        if kind == "fallback":
            return _fallback(**options)
        from falai_engine.providers.vendor import vendor_provider  # noqa: PLC0415 - brings httpx along
    except ModuleNotFoundError as error:
        if error.name != "httpx":
            raise
        raise FlowConfigurationError(
            f'provider "{kind}"', "httpx is not installed", "pip install 'falai[http]'"
        ) from None
    return vendor_provider(kind, **options)


def _fallback(**options: Any) -> Provider:
    from falai_engine.providers.fallback import FallbackProvider  # noqa: PLC0415 - only where it is wanted

    where = 'provider "fallback"'
    providers = options.pop("providers", ())
    if options:
        raise FlowConfigurationError(where, f"unknown option {min(options)!r}", "Its only option is providers")
    return FallbackProvider([each if isinstance(each, Provider) else _of_mapping(each) for each in providers])


def _of_mapping(entry: object) -> Provider:
    if not isinstance(entry, Mapping) or "kind" not in entry:
        raise FlowConfigurationError(
            'provider "fallback"', "an entry is no provider", 'Give providers or {"kind": ..., "model": ...}'
        )
    return make_provider(**entry)


def probe_json_with_tools(provider: Provider) -> str:
    """Which `json_with_tools` a vendor's model needs, `response_format` or `prompt`: one or two real calls.

    Raises ProviderError, also when the model calls no tool either way; FlowConfigurationError for another provider.
    """
    from falai_engine.providers import probe, vendor  # noqa: PLC0415 - brings httpx along

    if not isinstance(provider, vendor.VendorProvider):
        raise FlowConfigurationError(f'provider "{provider.name}"', "it is no vendor's", "Probe each of its entries")
    return probe.probe_json_with_tools(provider).value
