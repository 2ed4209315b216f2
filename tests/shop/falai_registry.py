"""Found when the site starts."""

from __future__ import annotations

from falai_django.registry import action


@action("shop.save")
def save(params, call):
    """Keep what was ordered."""
