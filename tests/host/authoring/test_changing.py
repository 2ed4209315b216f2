"""Making, changing, renaming, ordering and deleting rows of a draft."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from falai_django import authoring
from falai_django.documents import draft_document
from falai_django.errors import AuthoringError, NotAllowedError, StaleEditError
from falai_django.models import (
    Action,
    Agent,
    AuditRecord,
    Condition,
    Event,
    Field,
    Flow,
    Release,
    Role,
    Session,
    Step,
    Tool,
    Trigger,
)
from falai_django.roles import Actor
from falai_engine.validation import Severity, validate_agent_all

LISTED = (Field, Flow, Action, Event, Condition, Tool)


def paths(error):
    return [(type(problem.row), problem.path) for problem in error.problems]


# -- making


@pytest.mark.parametrize(
    ("label", "slug"),
    [
        ("Nome completo", "nome_completo"),
        ("  É o CPF? ", "e_o_cpf"),
        ("Straße Łódź ÆØ", "strasse_lodz_aeo"),
        ("São-Paulo/SP 2", "sao_paulo_sp_2"),
        ("日本", "field"),
        ("🙂", "field"),
        ("x" * 80, "x" * 64),
    ],
    ids=range(7),
)
def test_a_slug_is_made_of_the_label(author, agent, label, slug):
    """Accents are folded; what holds no letter gets the word for what it is."""
    assert authoring.create_row(author, agent, Field, values={"label": label}).slug == slug


def test_a_made_slug_is_never_taken(author, agent):
    """The next one of the same label gets a number, within the length there is."""
    made = [authoring.create_row(author, agent, Field, label="x" * 70).slug for _ in range(3)]
    assert made == ["x" * 64, "x" * 62 + "_2", "x" * 62 + "_3"]
    agent.variables = {"conta": {"type": "integer"}}
    agent.save()
    assert authoring.create_row(author, agent, Field, label="Conta").slug == "conta_2"
    assert authoring.create_row(author, agent, Condition, label="Equals").slug == "equals_2"


@pytest.mark.parametrize("slug", ["Nome", "a b", "é", "a:b", "x" * 65, "nome"])
def test_a_chosen_slug_is_checked(author, agent, slug):
    """At its input; one that is taken is no overwrite."""
    with pytest.raises(AuthoringError) as caught:
        authoring.create_row(author, agent, Field, slug=slug)
    assert paths(caught.value) == [(Field, "slug")]


@pytest.mark.parametrize("model", LISTED, ids=lambda model: model.__name__)
def test_a_new_row_stands_last_or_where_it_is_put(author, agent, model):
    """And says who made it."""
    first = authoring.create_row(author, agent, model, slug="first")
    second = authoring.create_row(author, agent, model, slug="second", position=0)
    rows = model.objects.filter(agent=agent).order_by("position", "pk")
    assert rows.first() == second
    assert rows.last() == first
    assert (first.changed_by, first.version, first.is_released) == (author.name, 1, False)


def test_a_new_agent(author, tenant):
    """Its slug is made of its name; two of a name get two slugs."""
    made = [authoring.create_agent(author, tenant, values={"name": "Téo da Clínica"}) for _ in range(2)]
    assert [agent.slug for agent in made] == ["teo_da_clinica", "teo_da_clinica_2"]


def test_step_ids_are_made_and_never_come_again(author, flow):
    """Not of a step that was deleted, not of one that was imported."""
    Step.objects.create(flow=flow, step_id="s2", kind="say")
    step = authoring.create_part(author, flow, Step, version=flow.version, values={"kind": "say"})
    assert step.step_id == "s1"
    authoring.delete(author, step, version=step.flow.version)
    again = [authoring.create_part(author, flow, Step, version=None, values={"kind": "say"}) for _ in range(2)]
    assert [each.step_id for each in again] == ["s3", "s4"]


def test_a_part_raises_the_token_of_its_flow(author, flow):
    """The token covers triggers and steps."""
    before = flow.version
    trigger = authoring.create_part(
        author, flow, Trigger, version=before, values={"kind": "message", "body": {"message": ["oi"]}}, position=0
    )
    assert trigger.flow.version == before + 1
    assert Flow.objects.get(pk=flow.pk).changed_by == author.name
    assert flow.triggers.order_by("position").first() == trigger
    with pytest.raises(StaleEditError):
        authoring.change(author, trigger, {"label": "x"}, version=before)


# -- changing


def test_a_change_is_stamped(author, flow):
    """Who, when, and a new token; what changes nothing leaves the token as it is."""
    changed = authoring.change(author, flow, {"name": "Marcar"}, version=flow.version)
    stored = Flow.objects.get(pk=flow.pk)
    assert (stored.name, stored.version, stored.changed_by) == ("Marcar", flow.version + 1, author.name)
    assert stored.changed_at > flow.changed_at
    assert changed.version == stored.version
    assert authoring.change(author, flow, {"name": "Marcar"}, version=stored.version).version == stored.version


def test_a_stale_change_overwrites_nothing_and_tells_who_was_faster(author, member, flow):
    """The second of two who opened the same page."""
    other = member(Role.OWNER)
    authoring.change(other, flow, {"name": "Deles"}, version=flow.version)
    with pytest.raises(
        StaleEditError, match=r"flow “Deles” was saved by ana-owner meanwhile \(.+\)\. Open it"
    ) as caught:
        authoring.change(author, flow, {"name": "Meu"}, version=flow.version)
    assert Flow.objects.get(pk=flow.pk).name == "Deles"
    assert (caught.value.by, caught.value.expected, caught.value.found) == ("ana-owner", 1, 2)


def test_what_was_deleted_meanwhile_is_told(author, flow):
    step = flow.steps.first()
    authoring.delete(author, step, version=None)
    step.pk = step.pk or 10**6
    with pytest.raises(AuthoringError, match="is gone"):
        authoring.change(author, step, {"label": "x"}, version=None)


def test_all_that_cannot_be_kept_is_told_at_once(author, agent):
    """Each at its input, by the word of flow-spec.md; nothing was written."""
    values = {"name": "x" * 300, "goal": "\x00", "max_tool_loops": -1, "variables": [], "idle": {"a": float("nan")}}
    with pytest.raises(AuthoringError) as caught:
        authoring.change(author, agent, values, version=None)
    assert sorted(path for _, path in paths(caught.value)) == ["goal", "idle", "maxToolLoops", "name", "variables"]
    assert all(problem.severity is Severity.ERROR and problem.message for problem in caught.value.problems)
    assert Agent.objects.get(pk=agent.pk).version == agent.version


def test_an_attribute_that_is_no_part_of_the_draft_is_the_callers_mistake(author, agent):
    """Live settings, slugs and tokens have functions of their own."""
    for name in ("gather_ms", "slug", "version", "tenant", "is_released"):
        with pytest.raises(TypeError):
            authoring.change(author, agent, {name: 1}, version=None)


def test_nulls_and_what_columns_say_stay_out_of_a_body(author, flow):
    body = {"id": "x", "kind": "do", "say": "oi", "media": None, "then": {"step": "end", "clear": None}}
    step = authoring.change(author, flow.steps.first(), {"kind": "say", "body": body}, version=None)
    assert step.body == {"say": "oi", "then": {"step": "end"}}


def test_the_order_of_keys_is_a_change(author, flow):
    """It has meaning in `ask` and in fields."""
    step = flow.steps.first()
    one = authoring.change(author, step, {"body": {"collect": ["nome"], "ask": {"a": "1", "b": "2"}}}, version=None)
    two = authoring.change(author, step, {"body": {"collect": ["nome"], "ask": {"b": "2", "a": "1"}}}, version=None)
    assert list(Step.objects.get(pk=step.pk).body["ask"]) == ["b", "a"]
    assert two.flow.version == one.flow.version + 1


def test_what_had_no_room_gives_way_to_what_is_set(author, agent):
    """An import kept a goal that is a number; once it is corrected in its form, it is gone, also when emptied later."""
    agent.goal, agent.head_rest = "", {"goal": 3, "other": 1}
    agent.save()
    assert draft_document(agent).document["goal"] == 3
    agent = authoring.change(author, agent, {"goal": ""}, version=None)
    assert "goal" not in draft_document(agent).document
    assert agent.head_rest == {"other": 1}


def test_a_draft_may_be_wrong(author, flow):
    """It can be saved, and publishing says what is missing."""
    authoring.create_part(author, flow, Step, version=None, values={"kind": "do", "body": {"do": "nothing_such"}})
    authoring.create_part(author, flow, Trigger, version=None, values={"kind": "event"})
    codes = {each.code for each in validate_agent_all(draft_document(flow.agent).document)}
    assert {"unknown-action", "unknown-event"} <= codes


# -- renaming


def test_a_released_slug_is_frozen_and_its_label_free(author, agent):
    """Conversations and programs know it by that."""
    Field.objects.filter(slug="nome").update(is_released=True)
    field = Field.objects.get(slug="nome")
    with pytest.raises(AuthoringError, match="keeps its slug") as caught:
        authoring.rename(author, field, "nome_todo", version=None)
    assert paths(caught.value) == [(Field, "slug")]
    assert authoring.change(author, field, {"label": "Nome todo"}, version=None).label == "Nome todo"
    assert authoring.rename(author, field, "nome", version=None) == field


def test_a_renamed_agent(author, agent):
    assert authoring.rename(author, agent, "leo", version=agent.version).slug == "leo"
    assert Agent.objects.get(pk=agent.pk).version == agent.version + 1


def test_a_name_that_is_taken_is_refused(author, agent):
    with pytest.raises(AuthoringError, match="taken"):
        authoring.rename(author, Field.objects.get(slug="nome"), "dia", version=None)
    assert Field.objects.filter(slug="nome").exists()


# -- deleting


def test_deleting_tells_who_still_names_it(author, agent):
    """Nothing is rewired: the author sees what publishing will refuse."""
    found = authoring.delete(author, Field.objects.get(slug="dia"), version=None)
    told = {(type(each.row), getattr(each.row, "step_id", None), each.path) for each in found}
    assert told == {
        (Flow, None, "clearOnStart[0]"),
        (Step, "escolher_dia", "collect[0]"),
        (Step, "escolher_hora", "branches[0].then.clear[0]"),
        (Step, "da_para_reservar", "if.known[1]"),
        (Step, "reservar", "with.dia"),
        (Step, "ocupado", "then.clear[0]"),
        (Step, "marcado", "say"),
    }
    assert "unknown-field" in {each.code for each in validate_agent_all(draft_document(agent).document)}


def test_deleting_a_step_tells_what_led_to_it(author, flow):
    found = authoring.delete(author, flow.steps.get(step_id="escolher_dia"), version=flow.version)
    assert {(each.row.step_id, each.path) for each in found} == {
        ("escolher_hora", "branches[0].then.step"),
        ("ocupado", "then.step"),
    }
    assert Flow.objects.get(pk=flow.pk).version == flow.version + 1


def test_what_lies_in_a_flow_does_not_keep_it(author, agent):
    """Only another flow's chain does."""
    flow = authoring.create_row(author, agent, Flow, slug="a")
    other = authoring.create_row(author, agent, Flow, slug="b")
    for each in (flow, other):
        authoring.create_part(
            author, each, Step, version=None, values={"kind": "say", "body": {"say": "x", "then": {"flow": "a"}}}
        )
    assert [each.row.flow for each in authoring.delete(author, flow, version=None)] == [other]


def test_an_agent_that_was_published_is_deleted_by_an_owner(author, member, agent):
    """With its releases, and with a line of who did it."""
    release = Release.objects.create(agent=agent, number=1, document={}, spec_version=1, digest="d")
    agent.active_release = release
    agent.save()
    with pytest.raises(NotAllowedError):
        authoring.delete_agent(author, agent, version=None)
    owner = member(Role.OWNER)
    authoring.delete_agent(owner, agent, version=None)
    assert not Agent.objects.exists()
    assert [(row.actor_name, row.action, row.target) for row in AuditRecord.objects.all()] == [
        (owner.name, "agent.delete", "teo")
    ]


def test_an_agent_with_conversations_stays(member, agent):
    """They are erased first, so that nothing of their customers is left in a queue."""
    Session.objects.create(agent=agent, session_id="s")
    with pytest.raises(AuthoringError, match="erase"):
        authoring.delete_agent(member(Role.OWNER), agent, version=None)


# -- ordering


def test_a_list_is_put_in_order(author, flow):
    """The parent's token is raised; the same order again raises nothing."""
    keys = [step.pk for step in flow.steps.order_by("-position")]
    after = authoring.reorder(author, flow, Step, keys, version=flow.version)
    assert [step.pk for step in flow.steps.order_by("position")] == keys
    assert after.version == flow.version + 1
    assert authoring.reorder(author, flow, Step, keys, version=after.version).version == after.version


@pytest.mark.parametrize("wrong", ["one twice", "one missing", "a stranger", "none"])
def test_an_order_that_is_no_permutation_is_refused(author, flow, wrong):
    """Nothing vanishes because somebody added a step meanwhile."""
    keys = [step.pk for step in flow.steps.order_by("position")]
    given = {
        "one twice": [*keys, keys[0]],
        "one missing": keys[1:],
        "a stranger": [*keys[1:], keys[0] + 10**6],
        "none": [],
    }
    with pytest.raises(AuthoringError, match="changed meanwhile"):
        authoring.reorder(author, flow, Step, given[wrong], version=None)


def test_the_order_of_fields_is_that_of_the_document(author, agent):
    keys = [field.pk for field in agent.fields.order_by("-position")]
    authoring.reorder(author, agent, Field, keys, version=agent.version)
    assert list(draft_document(agent).document["fields"]) == ["horario", "dia", "queixa", "nome"]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_who_may_not_edit_changes_nothing(member, flow, role):
    with pytest.raises(NotAllowedError):
        authoring.change(member(role), flow, {"name": "x"}, version=None)


def test_a_command_may(flow):
    assert authoring.change(Actor.command("load"), flow, {"name": "x"}, version=None).changed_by == "load"


def test_an_error_leaves_no_django_error_through(author, agent):
    """A door shows AuthoringError; it knows nothing of forms."""
    with pytest.raises(AuthoringError) as caught:
        authoring.create_row(author, agent, Field, values={"type": "date"})
    assert not isinstance(caught.value, ValidationError)
    assert paths(caught.value) == [(Field, "type")]
