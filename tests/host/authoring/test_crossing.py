"""No function lets somebody of one tenant touch a row of another; a new function without a line here fails."""

from __future__ import annotations

import inspect

import pytest

from falai_django import authoring
from falai_django.authoring import ImportMode
from falai_django.errors import AuthoringError, NotAllowedError
from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Role, Step, Tool, Trigger
from falai_django.roles import Actor, Capability
from tests.host.worlds import all_models, make_world

AUTHORED = (Agent, Field, Flow, Trigger, Step, Action, Event, Condition, Tool)
LISTED = (Field, Flow, Action, Event, Condition, Tool)
NO_DOOR = {
    "in_one_transaction": "changes nothing by itself",
    "problems": "reads a draft that a door has narrowed",
    "problems_of_draft": "as problems",
    "references_to": "as problems",
    "release_document": "as problems",
    "rotate_secrets": "of all tenants, by whoever has a shell",
    "spec_changes": "only tells what `change` is to be given",
    "went_live": "is called by those that have asked",
}
"""Functions that take no actor, and why."""


def entered(context):
    with context:
        raise AssertionError("it was entered")


def each(models, call):
    return {model.__name__: (lambda actor, there, model=model: call(actor, there.row(model))) for model in models}


CALLS = {
    "activate": lambda a, w: authoring.activate(a, w.agent, 1),
    "add_provider": lambda a, w: authoring.add_provider(a, w.tenant, kind="offline"),
    "add_sender": lambda a, w: authoring.add_sender(a, w.tenant, name="x", kind="poll"),
    "change": each(AUTHORED, lambda a, row: authoring.change(a, row, {}, version=None)),
    "change_agent_settings": lambda a, w: authoring.change_agent_settings(a, w.agent, {"gather_ms": 1}, version=None),
    "change_provider": lambda a, w: authoring.change_provider(a, w.model_provider, model="x"),
    "change_role": lambda a, w: authoring.change_role(a, w.membership, Role.OWNER),
    "change_secret": lambda a, w: authoring.change_secret(a, w.secret, value="x"),
    "change_sender": lambda a, w: authoring.change_sender(a, w.sender, name="x"),
    "change_tenant": lambda a, w: authoring.change_tenant(a, w.tenant, {"is_active": False}, version=None),
    "create_agent": lambda a, w: authoring.create_agent(a, w.tenant, slug="x"),
    "create_part": {
        model.__name__: (
            lambda a, w, model=model, kind=kind: authoring.create_part(
                a, w.flow, model, version=None, values={"kind": kind}
            )
        )
        for model, kind in ((Step, "say"), (Trigger, "message"))
    },
    "create_row": {
        model.__name__: (lambda a, w, model=model: authoring.create_row(a, w.agent, model, slug="x"))
        for model in LISTED
    },
    "create_tenant": lambda a, w: authoring.create_tenant(a, "x", "x"),
    "delete": each(AUTHORED[1:], lambda a, row: authoring.delete(a, row, version=None)),
    "delete_agent": lambda a, w: authoring.delete_agent(a, w.agent, version=None),
    "delete_provider": lambda a, w: authoring.delete_provider(a, w.model_provider),
    "delete_secret": lambda a, w: authoring.delete_secret(a, w.secret),
    "delete_sender": lambda a, w: authoring.delete_sender(a, w.sender),
    "duplicate": each((*LISTED[:1], *LISTED[2:], Trigger, Step), authoring.duplicate),
    "duplicate_agent": lambda a, w: authoring.duplicate_agent(a, w.agent),
    "duplicate_flow": lambda a, w: authoring.duplicate_flow(a, w.flow),
    "editing": each(AUTHORED, lambda a, row: entered(authoring.editing(a, row, version=None))),
    "editing_agent": lambda a, w: entered(authoring.editing_agent(a, w.agent)),
    "editing_tenant": lambda a, w: entered(authoring.editing_tenant(a, w.tenant, Capability.VIEW, version=None)),
    "invite": lambda a, w: authoring.invite(a, w.tenant, "x@example.com", Role.OWNER),
    "invite_again": lambda a, w: authoring.invite_again(a, w.membership),
    "make_api_key": lambda a, w: authoring.make_api_key(a, w.tenant, "x", ["read"]),
    "make_secret": lambda a, w: authoring.make_secret(a, w.tenant, "x", "x", []),
    "order_providers": lambda a, w: authoring.order_providers(a, w.tenant, [w.model_provider.pk]),
    "plan_import": {
        mode: (lambda a, w, mode=mode: authoring.plan_import(a, _target(w, mode), {}, mode=mode)) for mode in ImportMode
    },
    "preview": lambda a, w: authoring.preview(a, w.agent),
    "publish": lambda a, w: authoring.publish(a, w.agent),
    "release_changes": lambda a, w: authoring.release_changes(a, w.agent, 1, 1),
    "remove_member": lambda a, w: authoring.remove_member(a, w.membership),
    "rename": each((Agent, *LISTED), lambda a, row: authoring.rename(a, row, "x", version=None)),
    "reorder": {
        **{
            model.__name__: (
                lambda a, w, model=model: authoring.reorder(a, w.agent, model, [w.row(model).pk], version=None)
            )
            for model in LISTED
        },
        **{
            model.__name__: (
                lambda a, w, model=model: authoring.reorder(a, w.flow, model, [w.row(model).pk], version=None)
            )
            for model in (Trigger, Step)
        },
    },
    "revoke_api_key": lambda a, w: authoring.revoke_api_key(a, w.api_key),
    "run_import": {
        mode: (lambda a, w, mode=mode: authoring.run_import(a, _target(w, mode), {}, mode=mode, as_draft=True))
        for mode in ImportMode
    },
    "set_holidays": lambda a, w: authoring.set_holidays(a, w.tenant, [], version=None),
    "set_opening_hours": lambda a, w: authoring.set_opening_hours(a, w.tenant, [], version=None),
}


def _target(there, mode):
    return {ImportMode.COPY: there.tenant, ImportMode.REPLACE_FLOW: there.flow}.get(mode, there.agent)


def calls_of(name):
    calls = CALLS[name]
    return list(calls.values()) if isinstance(calls, dict) else [calls]


def functions():
    return {name for name in authoring.__all__ if inspect.isfunction(getattr(authoring, name))}


def test_every_function_is_asked():
    """A door that is opened later has to be tried by a stranger too."""
    assert functions() == {*CALLS, *NO_DOOR}
    assert {name for name in CALLS if "actor" not in inspect.signature(getattr(authoring, name)).parameters} == set()


def stored():
    return {model: list(model.objects.order_by("pk").values()) for model in all_models().values()}


@pytest.fixture
def worlds(db):
    return make_world("Aguamarinha"), make_world("Bergamota")


@pytest.mark.parametrize("name", CALLS)
def test_an_owner_elsewhere_touches_nothing(worlds, name):
    """The highest role of one tenant is none in another, and nothing of that other is told."""
    here, there = worlds
    actor = Actor.of_user(here.user(Role.OWNER))
    before = stored()
    for call in calls_of(name):
        with pytest.raises(NotAllowedError) as caught:
            call(actor, there)
        assert there.word not in str(caught.value)
    assert stored() == before


@pytest.mark.parametrize("name", sorted({*CALLS} - {"editing_tenant", "preview", "release_changes"}))
def test_a_viewer_touches_nothing(worlds, name):
    """Who may look may not write; `editing_tenant` asks for what it is given, two others only show."""
    here, _there = worlds
    actor = Actor.of_user(here.user(Role.VIEWER))
    before = stored()
    for call in calls_of(name):
        with pytest.raises(NotAllowedError):
            call(actor, here)
    assert stored() == before


@pytest.mark.parametrize("model", [Step, Trigger], ids=lambda model: model.__name__)
def test_a_row_with_a_forged_parent_is_gone(worlds, model):
    """Somebody who claims that a stranger's step lies in their own flow finds no such step there."""
    here, there = worlds
    actor = Actor.of_user(here.user(Role.OWNER))
    forged = model(pk=there.row(model).pk, flow=here.flow)
    with pytest.raises(AuthoringError, match="is gone"):
        authoring.change(actor, forged, {"label": "x"}, version=None)


@pytest.mark.parametrize("model", LISTED, ids=lambda model: model.__name__)
def test_a_row_with_a_forged_agent_is_gone(worlds, model):
    here, there = worlds
    forged = model(pk=there.row(model).pk, agent=here.agent, slug="x")
    with pytest.raises(AuthoringError, match="is gone"):
        authoring.delete(Actor.of_user(here.user(Role.OWNER)), forged, version=None)
    assert model.objects.filter(pk=there.row(model).pk).exists()
