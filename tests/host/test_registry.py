"""Python registrations: named once, found at the start, given only to the tenants that they are for."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from django.apps import apps
from django.test import override_settings

from falai_django.errors import RegistrationError
from falai_django.registry import (
    Kind,
    action,
    condition,
    context_provider,
    isolated,
    registered,
    registration,
    sender,
    tool,
)
from falai_engine import Action, ConditionDefinition, Tool


@pytest.fixture(autouse=True)
def _own_registry():
    with isolated(empty=True):
        yield


def test_a_decorated_function_stays_what_it_is():
    @action("crm.save")
    def save(params, call):
        return params

    assert save({"a": 1}, None) == {"a": 1}


def test_what_is_registered_is_what_the_engine_takes():
    @action("crm.save", parameters={"name": {"type": "string"}}, idempotent=True)
    def save(params, call):
        """Keep the lead."""

    @condition(argument={"type": "string"})
    def is_vip(argument, scope):
        return argument == "x"

    @tool("find", read_only=True, max_result_size_chars=10, description="Finds.")
    def _find(arguments, request):
        return 1

    found = {kind: registered(kind, "acme") for kind in Kind}
    value = found[Kind.ACTION]["crm.save"].value
    assert value == Action(save, {"name": {"type": "string"}}, "Keep the lead.", idempotent=True)
    assert found[Kind.CONDITION]["is_vip"].value == ConditionDefinition(is_vip, {"type": "string"})
    tool_value = found[Kind.TOOL]["find"].value
    assert isinstance(tool_value, Tool)
    assert (tool_value.id, tool_value.read_only, tool_value.max_result_size_chars) == ("find", True, 10)
    assert (tool_value.description, tool_value.parameters) == ("Finds.", {"type": "object", "properties": {}})


def test_parameters_left_out_are_undeclared_for_an_action():
    @action()
    def anything(params, call): ...

    assert registration("action", "anything", "acme").value.parameters is None


def test_senders_and_context_providers_are_plain_functions():
    @sender("gateway")
    def send(message):
        return f"sent {message}"

    @context_provider(description="Who it is.")
    def crm(session):
        return {"vip": True}

    assert registration("sender", "gateway", "acme").value("hi") == "sent hi"
    assert registration(Kind.CONTEXT_PROVIDER, "crm", "acme").description == "Who it is."


def test_names_of_two_kinds_do_not_meet():
    @action("save")
    def one(params, call): ...

    @tool("save")
    def two(arguments, request): ...

    assert list(registered("action", "acme")) == list(registered("tool", "acme")) == ["save"]


def test_a_registration_is_for_its_tenants_alone():
    """Another tenant is neither offered it nor gets it by name."""

    @action("b", tenants=["acme"])
    def private(params, call): ...

    @action("a")
    def public(params, call): ...

    assert list(registered("action", "acme")) == ["a", "b"]
    assert list(registered("action", "other")) == ["a"]
    assert registration("action", "b", "acme").is_for("acme")
    with pytest.raises(RegistrationError, match="“b”"):
        registration("action", "b", "other")


def test_a_name_for_no_tenant_is_for_none():
    @action("off", tenants=[])
    def off(params, call): ...

    assert registered("action", "acme") == {}


def test_two_of_one_name_are_refused_with_both_places():
    def first(params, call): ...

    def second(params, call): ...

    action("save")(first)
    with pytest.raises(RegistrationError) as refused:
        action("save")(second)
    assert "first (" in str(refused.value)
    assert "second (" in str(refused.value)
    assert registration("action", "save", "acme").value.handler is first


def test_the_same_function_may_come_again():
    """A module that is loaded anew registers what it has registered before."""

    def make():
        @action("save")
        def save(params, call): ...

        return save

    make()
    again = make()
    assert registration("action", "save", "acme").value.handler is again


def test_places_are_told_of_any_callable():
    class Send:
        def __call__(self, message): ...

    sender("object")(Send())
    sender("partial")(partial(print, end=""))
    assert registration("sender", "object", "acme").place.endswith("Send")
    assert registration("sender", "partial", "acme").place == "builtins.print"


@pytest.mark.parametrize("name", ["", "  ", "falai.hand_off"])
def test_a_blank_name_and_one_of_the_app_itself_are_refused(name):
    with pytest.raises(RegistrationError, match="another name"):
        action(name)(lambda params, call: None)


@pytest.mark.parametrize("name", ["equals", "known", "silenced"])
def test_a_condition_cannot_take_a_word_of_the_format(name):
    with pytest.raises(RegistrationError, match=name):
        condition(name)(lambda argument, scope: True)


def test_a_decorator_without_brackets_says_so():
    with pytest.raises(RegistrationError, match=r"Write @action\(\)"):

        @action
        def save(params, call): ...


def test_tenants_as_one_text_are_refused():
    """`tenants="acme"` would else be four tenants of one letter each."""
    with pytest.raises(RegistrationError, match="list of slugs"):
        action("save", tenants="acme")


def test_async_handlers_are_run_for_the_synchronous_host():
    @action("later")
    async def later(params, call):
        await asyncio.sleep(0)
        return {"ok": True}

    async def fits(arguments, request):
        await asyncio.sleep(0)

    class Send:
        async def __call__(self, message):
            await asyncio.sleep(0)
            return message

    tool("find", validate=fits, permit=lambda arguments, request: True)(later)
    sender("object")(Send())
    assert registration("action", "later", "acme").value.handler({}, None) == {"ok": True}
    found = registration("tool", "find", "acme").value
    assert (found.handler({}, None), found.validate({}, None), found.permit({}, None)) == ({"ok": True}, None, True)
    assert registration("sender", "object", "acme").value("hi") == "hi"


def test_a_condition_does_no_io_so_it_is_not_async():
    with pytest.raises(RegistrationError, match="no I/O"):

        @condition()
        async def is_vip(argument, scope): ...


@override_settings(INSTALLED_APPS=["falai_django", "django.contrib.auth", "django.contrib.contenttypes", "tests.shop"])
def test_a_falai_registry_module_of_any_app_is_found_at_the_start():
    apps.get_app_config("falai").ready()
    assert registration("action", "shop.save", "acme").description == "Keep what was ordered."


def test_a_test_may_begin_with_an_empty_registry():
    action("before")(lambda params, call: None)
    with isolated(empty=True):
        assert registered("action", "acme") == {}
    assert list(registered("action", "acme")) == ["before"]
