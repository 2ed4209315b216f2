"""Model providers (spec: providers.md): thin bindings over each vendor's HTTP API, and the offline one."""

from __future__ import annotations

from falai_engine.providers.kinds import KINDS, make_provider, probe_json_with_tools

__all__ = ["KINDS", "make_provider", "probe_json_with_tools"]
