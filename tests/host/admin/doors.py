"""Every page of the admin that shows our rows, and who may open it: the table that the walks go by.

A new ModelAdmin, or a new page of one, without a row here fails `test_doors.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.urls import URLPattern, reverse

from falai_django.models import Role
from tests.host.worlds import all_models

__all__ = ["DOORS", "NOBODY", "ROLES", "Door", "addresses", "doors_found", "registered", "url_of"]

NOBODY = "nobody"
ROLES = tuple(Role)
STANDARD = ("changelist", "add", "history", "delete", "change")


@dataclass(frozen=True)
class Door:
    """The least role for each deed; `actions` of a list. Whoever sees the list sees each row and its history."""

    add: str = NOBODY
    change: str = NOBODY
    delete: str = NOBODY
    view: str = Role.VIEWER
    pages: dict = field(default_factory=dict)
    list_pages: dict = field(default_factory=dict)
    actions: str = Role.OWNER

    def least(self, page):
        """The role that opening a page takes (by GET)."""
        if page in ("changelist", "history", "change"):
            return self.view
        return {"add": self.add, "delete": self.delete, **self.pages, **self.list_pages}[page]


_MADE_BY_THE_MACHINE = Door()
_BY_OWNERS = {"add": Role.OWNER, "change": Role.OWNER, "delete": Role.OWNER}
_BY_AUTHORS = {"add": Role.AUTHOR, "change": Role.AUTHOR, "delete": Role.AUTHOR, "actions": Role.AUTHOR}
_COPIED = {"duplicate": Role.AUTHOR}

DOORS = {
    "action": Door(**_BY_AUTHORS, pages={**_COPIED, "try": Role.AUTHOR}),
    "agent": Door(
        add=Role.AUTHOR,
        change=Role.AUTHOR,
        delete=Role.AUTHOR,
        pages={
            "check": Role.VIEWER,
            "publish": Role.PUBLISHER,
            "releases": Role.VIEWER,
            "compare": Role.VIEWER,
            "duplicate": Role.AUTHOR,
            "export": Role.VIEWER,
            "import": Role.AUTHOR,
        },
        list_pages={"import-new": Role.AUTHOR},
    ),
    "anchor": _MADE_BY_THE_MACHINE,
    "apikey": Door(add=Role.OWNER, pages={"revoke": Role.OWNER}),
    "auditrecord": _MADE_BY_THE_MACHINE,
    "claim": _MADE_BY_THE_MACHINE,
    "condition": Door(**_BY_AUTHORS, pages=_COPIED),
    "delivery": _MADE_BY_THE_MACHINE,
    "event": Door(**_BY_AUTHORS, pages=_COPIED),
    "field": Door(**_BY_AUTHORS, pages=_COPIED),
    "flow": Door(**_BY_AUTHORS, pages={**_COPIED, "export": Role.VIEWER}),
    "membership": Door(**_BY_OWNERS, pages={"invite-again": Role.OWNER}),
    "message": Door(pages={"resend": Role.OPERATOR}, actions=Role.OPERATOR),
    "modelprovider": Door(**_BY_OWNERS),
    "receipt": _MADE_BY_THE_MACHINE,
    "release": Door(pages={"activate": Role.PUBLISHER, "export": Role.VIEWER}),
    "secret": Door(**_BY_OWNERS),
    "sender": Door(**_BY_OWNERS),
    "session": _MADE_BY_THE_MACHINE,
    "sessionrun": _MADE_BY_THE_MACHINE,
    "step": Door(**_BY_AUTHORS, pages={**_COPIED, "move": Role.AUTHOR}),
    "tenant": Door(change=Role.OWNER),
    "tokencount": _MADE_BY_THE_MACHINE,
    "tool": Door(**_BY_AUTHORS, pages={**_COPIED, "try": Role.AUTHOR}),
    "trigger": Door(**_BY_AUTHORS, pages={**_COPIED, "move": Role.AUTHOR}),
    "turn": _MADE_BY_THE_MACHINE,
    "wake": _MADE_BY_THE_MACHINE,
}


def registered():
    """Model name -> its ModelAdmin, of our models."""
    ours = {model._meta.model_name: model for model in all_models().values()}
    return {
        name: admin.site.get_model_admin(model)
        for name, model in sorted(ours.items())
        if admin.site.is_registered(model)
    }


def doors_found():
    """(model name, page) of every address that the admin has for our models."""
    found = set()
    for name, model_admin in registered().items():
        patterns = [each for each in model_admin.get_urls() if isinstance(each, URLPattern)]
        named = [each.name.removeprefix(f"falai_{name}_") for each in patterns if each.name]
        found |= {(name, page) for page in named}
    return found


def url_of(name, page, row=None):
    return reverse(f"admin:falai_{name}_{page}", args=[] if row is None else [quote(row.pk)])


def addresses(world, name):
    """Page -> address, for a world's row of the model."""
    model = registered()[name].model
    row = world.tenant if name == "tenant" else world.row(model)
    door = DOORS[name]
    with_row = ("history", "delete", "change", *door.pages)
    without = ("changelist", "add", *door.list_pages)
    return {page: url_of(name, page, row) for page in with_row} | {page: url_of(name, page) for page in without}
