"""What an author reads about a draft that cannot work, and where."""

from __future__ import annotations

import pytest
from django.utils import translation

from falai_django import authoring, registry
from falai_django.authoring.problems import problems
from falai_django.authoring.rule_texts import RULE_TEXTS
from falai_django.authoring.wording import problem_text
from falai_django.models import Action, Agent, Condition, Flow, ModelProvider, Sender, Step, Trigger
from falai_engine.validation import RULES, Severity, validate_agent_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _registered():
    with registry.isolated(empty=True):
        registry.action("agenda.reservar")(lambda params, call: None)
        registry.tool("agenda.livres")(lambda arguments, request: None)
        yield


@pytest.fixture
def served(tenant):
    ModelProvider.objects.create(tenant=tenant, kind="offline")


def codes(found):
    return [(type(each.row), each.path, each.code) for each in found]


def test_every_text_of_the_engine_can_be_translated():
    """`makemessages` finds literals alone: the list of them is that of the rules, no more and no less."""
    texts = [text for rule in RULES.values() for text in (rule.what, rule.fix, rule.near) if text]
    assert tuple(dict.fromkeys(texts)) == RULE_TEXTS


def test_a_sound_draft_has_no_problem(agent, served):
    assert problems(agent) == []


def test_a_problem_is_told_at_its_row_and_input(author, agent, flow, served):
    """Where the form shows it, in words without machine paths of the whole."""
    step = authoring.create_part(author, flow, Step, version=None, values={"kind": "say", "body": {"say": "x"}})
    authoring.change(author, step, {"body": {"say": "x", "then": {"step": "gone"}}}, version=None)
    errors = [each for each in problems(agent) if each.is_error]
    assert [(each.row, each.path, each.code) for each in errors] == [(step, "then.step", "unknown-step")]
    assert errors[0].message.startswith("`then.step` names")
    assert errors[0].document_path == "flows[0].steps[8].then.step"


def test_python_names_are_those_of_the_tenant(agent, served):
    """A function that was not registered, or for others, is found before anybody calls it."""
    action = Action.objects.get(agent=agent)
    action.body = {**action.body, "name": "agenda.reserva"}
    action.save()
    Condition.objects.create(agent=agent, slug="vip", kind="python", body={})
    found = [each for each in problems(agent) if each.is_error]
    assert codes(found) == [(Action, "name", "definition"), (Condition, "name", "definition")]
    assert "“agenda.reservar”" in found[0].message


def test_built_in_actions_are_known(author, agent, flow, served):
    """`hand_off` needs no row."""
    body = {"do": "hand_off", "with": {"reason": "x"}}
    authoring.create_part(author, flow, Step, version=None, values={"kind": "do", "body": body})
    assert not any(each.is_error for each in problems(agent))


def test_what_is_missing_around_the_draft_is_a_warning(author, tenant, agent, flow):
    """It can be published, and is told that nobody would be answered or reached."""
    assert codes(problems(agent)) == [(Agent, "", "no-provider")]
    ModelProvider.objects.create(tenant=tenant, kind="offline")
    authoring.create_part(author, flow, Trigger, version=None, values={"kind": "silence", "body": {"silence": "2h"}})
    found = problems(agent)
    assert codes(found) == [(Agent, "sender", "no-sender")]
    assert found[0].severity is Severity.WARNING
    agent.sender = Sender.objects.create(tenant=tenant, name="zap", kind="poll")
    assert problems(agent) == []


def test_a_disabled_flow_is_judged_on_its_own_page_only(author, agent, flow, served):
    authoring.create_part(author, flow, Step, version=None, values={"kind": "do", "body": {"do": "gone"}})
    Flow.objects.update(is_enabled=False)
    assert not any(each.is_error for each in problems(agent))
    assert any(each.code == "unknown-action" for each in problems(agent, flow=flow))


def test_the_number_of_queries_does_not_grow(agent, django_assert_num_queries, served):
    assert agent.tenant
    with django_assert_num_queries(9):
        problems(agent)


def test_problems_speak_the_language_of_the_reader(monkeypatch):
    """The template is translated, the names in it are the document's."""
    with translation.override("pt-br"):
        monkeypatch.setattr(
            "falai_django.authoring.wording._",
            {
                "it": "isto",
                "{key} is {shown}, not an object": "{key} é {shown}, não um objeto",
                "Write a JSON object": "escreva um objeto",
                "a list": "uma lista",
                "%(what)s. %(fix)s.": "%(what)s. %(fix)s.",
            }.__getitem__,
        )
        assert problem_text(validate_agent_all([])[0]) == "Isto é uma lista, não um objeto. Escreva um objeto."


def test_every_problem_can_be_told():
    """Each rule's texts take the values that its problems bring, and end as sentences."""
    document = {
        "flows": [{"id": "f", "on": [{}], "steps": [{"id": "end"}, {"say": "{{x}}"}]}],
        "tools": [{}],
        "idle": 3,
    }
    found = validate_agent_all(document)
    assert len(found) > 6
    assert all(problem_text(each).endswith(".") and "{key}" not in problem_text(each) for each in found)
