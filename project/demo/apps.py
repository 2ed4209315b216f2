"""The demo as an app of the site."""

from __future__ import annotations

from django.apps import AppConfig

__all__ = ["DemoConfig"]


class DemoConfig(AppConfig):
    """Its chat page shows what turns understood, so it listens in on them."""

    name = "project.demo"
    label = "demo"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Needs models, which are loaded by now."""
        from falai_django.turns.overhearing import listen  # noqa: PLC0415
        from project.demo.hearing import hear  # noqa: PLC0415

        listen(hear)
