"""Moving rows up and down in the lists that they stand in; which order is kept is the rule of `authoring`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from falai_django.admin.acting import actor_of
from falai_django.admin.scoped import TenantAdmin
from falai_django.authoring import reorder

__all__ = ["BY", "OrderedAdmin", "moved"]

BY: Final[Mapping[str, int]] = {"up": -1, "down": 1}
"""The directions by name."""


def moved(keys: Sequence[int], chosen: Collection[int], by: int) -> list[int]:
    """The keys with the chosen ones one place further, as a block: who is at the end stays, and who follows stays.

    `by` is -1 for up, 1 for down.
    """
    order = list(keys) if by < 0 else list(reversed(keys))
    for index in range(1, len(order)):
        if order[index] in chosen and order[index - 1] not in chosen:
            order[index - 1], order[index] = order[index], order[index - 1]
    return order if by < 0 else list(reversed(order))


class OrderedAdmin(TenantAdmin):
    """An admin of rows of an agent's lists; chosen in the list, they move by an action."""

    ordering = ("agent", "position", "pk")
    actions: Any = ("move_up", "move_down")

    @admin.display(description=_("order"), ordering="position")
    def place(self, row: Any) -> int:
        """As people count."""
        position: int = row.position
        return position + 1

    @admin.action(description=_("Move up"), permissions=["change"])
    def move_up(self, request: HttpRequest, queryset: Any) -> None:
        self._move(request, queryset, BY["up"])

    @admin.action(description=_("Move down"), permissions=["change"])
    def move_down(self, request: HttpRequest, queryset: Any) -> None:
        self._move(request, queryset, BY["down"])

    def _move(self, request: HttpRequest, queryset: Any, by: int) -> None:
        chosen: dict[Any, set[int]] = defaultdict(set)
        for row in queryset.select_related("agent"):
            chosen[row.agent].add(row.pk)
        for agent, keys in chosen.items():
            rows = self.model.objects.filter(agent=agent).order_by("position", "pk")
            order = moved(list(rows.values_list("pk", flat=True)), keys, by)
            self.carry_out(request, _put(request, agent, self.model, order))


def _put(request: HttpRequest, agent: Any, model: Any, order: Sequence[int]) -> Any:
    return lambda: reorder(actor_of(request), agent, model, order, version=None)
