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
    verbose_name = _("Conversations")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Find what the site's apps register in their `falai_registry` modules."""
        autodiscover_modules("falai_registry")
