"""Whether the site works."""

from __future__ import annotations

from falai_django.rest.shapes.parts import Shape, a_text, any_list, any_object

__all__ = ["HealthAnswer"]


class HealthAnswer(Shape):
    """`status` is `ok`, `degraded` or `unavailable`."""

    status = a_text()
    checks = any_object(required=False, child=a_text())
    unavailable = any_list(child=any_object(), required=False, help_text="Agents of the key's tenant, and why.")
