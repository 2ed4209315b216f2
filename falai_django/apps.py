"""The app as Django knows it."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _

__all__ = ["FalaiConfig"]


class FalaiConfig(AppConfig):
    """`INSTALLED_APPS += ["falai_django"]`."""

    name = "falai_django"
    label = "falai"
    verbose_name = _("Agents and conversations")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the checks, and find what the site's apps register in their `falai_registry` modules."""
        from falai_django.checks import register_checks  # noqa: PLC0415 - it knows the models

        register_checks()
        autodiscover_modules("falai_registry")
