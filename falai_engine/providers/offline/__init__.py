"""A provider that is no model: rules and tables in place of one, for the demo, the simulator and tests."""

from falai_engine.providers.offline.provider import OfflineProvider

__all__ = ["OfflineProvider"]
