"""Import: told first, all or nothing, and who is the same stays the same row."""

from __future__ import annotations

import copy
import json

import pytest

from falai_django import authoring
from falai_django.authoring import ImportMode, plan_import, run_import
from falai_django.documents import document_bytes, draft_document, export_document, export_flow
from falai_django.errors import AuthoringError, NotAllowedError, StaleEditError
from falai_django.models import Action, Agent, Field, Flow, Role, Sender, Step, Tenant, Tool, Trigger
from falai_engine.validation import validate_agent_all
from tests.host.documents.stored import examples, normal, store, vectors

EXAMPLES = examples()
VECTORS = dict(list(vectors().items())[::6])


def state():
    """Every row of every draft, with its key: equal when nothing was written."""
    return {
        model: list(model.objects.order_by("pk").values())
        for model in (Agent, Field, Flow, Trigger, Step, Action, Tool, Tenant)
    }


def keys(agent):
    return {
        "fields": dict(Field.objects.filter(agent=agent).values_list("slug", "pk")),
        "flows": dict(Flow.objects.filter(agent=agent).values_list("slug", "pk")),
        "steps": dict(Step.objects.filter(flow__agent=agent).values_list("step_id", "pk")),
        "triggers": set(Trigger.objects.filter(flow__agent=agent).values_list("pk", flat=True)),
        "tools": dict(Tool.objects.filter(agent=agent).values_list("slug", "pk")),
    }


def into(actor, target, content, mode=ImportMode.REPLACE, **more):
    return run_import(actor, target, content, mode=mode, as_draft=True, **more)


# -- replace


@pytest.mark.parametrize("name", {**EXAMPLES, **VECTORS})
def test_what_is_imported_is_the_draft(author, tenant, agent, name):
    """In place of any other draft, whole; and again without a change."""
    document = {**EXAMPLES, **VECTORS}[name]
    into(author, agent, document)
    assert draft_document(Agent.objects.get(pk=agent.pk)).document == normal(document, tenant)
    before = keys(agent)
    into(author, agent, json.dumps(document))
    assert keys(agent) == before
    assert plan_import(author, agent, document, mode=ImportMode.REPLACE).changes == ()


def test_who_is_the_same_stays_the_same_row(author, agent):
    """By slug and step id: keys, labels, sensitivity and what a release uses survive a change of everything else."""
    before = keys(agent)
    Trigger.objects.filter(flow__agent=agent).update(label="Início")
    Field.objects.filter(agent=agent).update(is_sensitive=True, is_released=True)
    document = copy.deepcopy(EXAMPLES["booking"])
    document["fields"]["nome"]["ask"] = "Qual é o seu nome?"
    document["flows"][0]["steps"][0]["prompt"] = "Outra coisa."
    document["flows"][0]["on"][0]["message"].append("quer vir")
    into(author, agent, document)
    assert keys(agent) == before
    assert {trigger.label for trigger in Trigger.objects.all()} == {"Início"}
    assert all(field.is_sensitive and field.is_released for field in Field.objects.all())
    assert Field.objects.get(slug="nome").ask == "Qual é o seu nome?"
    assert Field.objects.get(slug="nome").version == 2
    assert Field.objects.get(slug="dia").version == 1
    assert Flow.objects.get().version == 2


def test_a_trigger_that_says_the_same_keeps_its_label_wherever_it_moves(author, agent, flow):
    first = flow.triggers.get()
    Trigger.objects.filter(pk=first.pk).update(label="Início")
    document = copy.deepcopy(EXAMPLES["booking"])
    document["flows"][0]["on"].insert(0, {"message": ["outra"]})
    into(author, agent, document)
    assert [trigger.label for trigger in flow.triggers.order_by("position")] == ["", "Início"]
    assert flow.triggers.order_by("position").last().pk == first.pk


def test_what_the_document_does_not_have_is_deleted(author, agent):
    """Also what a release uses: its release keeps its own."""
    Field.objects.update(is_released=True)
    document = copy.deepcopy(EXAMPLES["booking"])
    del document["fields"]["queixa"]
    document["tools"] = []
    document["flows"][0]["steps"] = document["flows"][0]["steps"][:3]
    into(author, agent, document)
    assert not Field.objects.filter(slug="queixa").exists()
    assert not Tool.objects.exists()
    assert Step.objects.count() == 3


def test_step_ids_that_were_imported_never_come_again(author, agent, flow):
    document = copy.deepcopy(EXAMPLES["booking"])
    document["flows"][0]["steps"] = [{"id": "s41", "kind": "say", "say": "x"}]
    into(author, agent, document)
    document["flows"][0]["steps"] = []
    into(author, agent, document)
    step = authoring.create_part(author, flow, Step, version=None, values={"kind": "say", "body": {"say": "x"}})
    assert step.step_id == "s42"


def test_flows_that_are_off_stay_where_the_document_says_nothing_of_them(author, agent):
    """A document without `host` is what is published; only an export knows the rest."""
    off = authoring.create_row(author, agent, Flow, slug="off", values={"is_enabled": False}, position=0)
    plan = plan_import(author, agent, EXAMPLES["booking"], mode=ImportMode.REPLACE)
    assert any("“off” is switched off and not in the file" in note for note in plan.notes)
    into(author, agent, EXAMPLES["booking"])
    assert Flow.objects.filter(pk=off.pk, is_enabled=False).exists()
    exported = export_document(agent)
    del exported["host"]["disabledFlows"]
    into(author, agent, exported)
    assert not Flow.objects.filter(pk=off.pk).exists()


def test_live_settings_stay_and_are_told(author, agent):
    """Importing a draft changes nothing that customers notice at once."""
    exported = {**export_document(agent), "locale": "en", "timezone": "Europe/Lisbon"}
    exported["host"]["settings"] = {"gatherMs": 900, "sender": "zap"}
    before = Tenant.objects.get(pk=agent.tenant_id).config_version
    plan = plan_import(author, agent, exported, mode=ImportMode.REPLACE)
    assert any("gather messages for (ms), sender" in note for note in plan.notes)
    assert any("speaks en" in note for note in plan.notes)
    assert any("Europe/Lisbon" in note for note in plan.notes)
    into(author, agent, exported)
    stored = Agent.objects.get(pk=agent.pk)
    assert (stored.gather_ms, stored.tenant.config_version) == (0, before)


def test_a_field_that_stops_being_sensitive_is_told(author, agent):
    exported = export_document(agent)
    Field.objects.filter(slug="nome").update(is_sensitive=True)
    plan = plan_import(author, agent, exported, mode=ImportMode.REPLACE)
    assert any("“Nome” is sensitive here" in note for note in plan.notes)


# -- copy


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_copy_says_the_same_with_step_ids_of_its_own(author, tenant, name):
    """As valid as what it was made of: every reference was remapped."""
    made = into(author, tenant, EXAMPLES[name], ImportMode.COPY)
    document = draft_document(made).document
    for flow in document["flows"]:
        assert [step["id"] for step in flow["steps"]] == [f"s{number + 1}" for number in range(len(flow["steps"]))]
    expected = validate_agent_all(normal(EXAMPLES[name], tenant))
    assert [each.code for each in validate_agent_all(document)] == [each.code for each in expected]
    assert document["fields"] == normal(EXAMPLES[name], tenant)["fields"]


def test_two_copies_get_two_slugs(author, tenant, agent):
    """The settings of an export come along, with the sender of that name; nothing else is touched."""
    agent.gather_ms, agent.sender = 900, Sender.objects.create(tenant=tenant, name="zap", kind="poll")
    agent.save()
    exported = document_bytes(export_document(agent))
    before = keys(agent)
    made = [into(author, tenant, exported, ImportMode.COPY) for _ in range(2)]
    assert [each.slug for each in made] == ["teo_2", "teo_3"]
    assert {(each.gather_ms, each.sender.name) for each in made} == {(900, "zap")}
    assert keys(agent) == before
    assert into(author, tenant, exported, ImportMode.COPY, slug="novo").slug == "novo"


def test_a_sender_that_is_not_there_is_told(author, tenant, agent):
    exported = export_document(agent)
    exported["host"]["settings"] = {"sender": "zap"}
    plan = plan_import(author, tenant, exported, mode=ImportMode.COPY)
    assert any("no sender “zap”" in note for note in plan.notes)
    assert into(author, tenant, exported, ImportMode.COPY).sender is None


def test_a_whole_backup_comes_back_as_a_copy(author, tenant, agent, flow):
    """Disabled flows, labels, order and sensitivity too."""
    authoring.create_row(author, agent, Flow, slug="off", values={"is_enabled": False}, position=0)
    Trigger.objects.update(label="Início")
    Field.objects.filter(slug="nome").update(is_sensitive=True)
    made = into(author, tenant, export_document(agent), ImportMode.COPY)
    rows = Flow.objects.filter(agent=made).order_by("position")
    assert [(each.slug, each.is_enabled) for each in rows] == [("off", False), ("agendar", True)]
    assert Trigger.objects.get(flow__agent=made).label == "Início"
    assert Field.objects.get(agent=made, slug="nome").is_sensitive
    again, back = export_document(made), export_document(agent)
    for each in (again, back):
        each["host"].pop("slug")
        each.pop("flows")
    assert again == back


# -- one flow


def test_a_flow_is_added_under_a_free_slug(author, agent, flow):
    """A second one of its kind is off at first: both would start by the same words."""
    exported = export_flow(flow)
    plan = plan_import(author, agent, exported, mode=ImportMode.ADD_FLOW)
    assert plan.slug == "agendar_2"
    assert any("switched off at first" in note for note in plan.notes)
    made = into(author, agent, exported, ImportMode.ADD_FLOW)
    assert (made.slug, made.is_enabled, made.agent) == ("agendar_2", False, agent)
    steps = list(made.steps.order_by("position"))
    assert steps[2].body["branches"][0]["then"]["step"] == steps[1].step_id == "s2"
    assert Flow.objects.filter(agent=agent).order_by("position").last() == made


def test_a_flow_that_is_new_here_is_on(author, tenant, flow):
    other = store(EXAMPLES["faq"], tenant, "other")
    assert into(author, other, export_flow(flow), ImportMode.ADD_FLOW).is_enabled


def test_a_flow_is_replaced_and_keeps_its_name_and_place(author, agent, flow):
    """Step ids stay, so rows do; a chain to itself follows the slug that it has here."""
    before = keys(agent)
    spec = export_flow(flow)
    spec["id"], spec["steps"][-1]["then"] = "elsewhere", {"flow": "elsewhere"}
    spec["steps"][0]["prompt"] = "Outra coisa."
    made = into(author, flow, spec, ImportMode.REPLACE_FLOW)
    assert (made.slug, made.version) == ("agendar", flow.version + 1)
    assert keys(agent) == before
    last = made.steps.order_by("position").last()
    assert last.body["then"] == {"flow": "agendar"}


@pytest.mark.parametrize(("mode", "content"), [("replace", "flow"), ("copy", "flow"), ("add_flow", "agent")])
def test_the_wrong_kind_of_document_is_named(author, tenant, agent, flow, mode, content):
    """Importing a flow as an agent would empty it."""
    document = export_flow(flow) if content == "flow" else export_document(agent)
    with pytest.raises(AuthoringError, match=r"Import it"):
        into(author, tenant if mode == "copy" else agent, document, ImportMode(mode))


# -- told first, all or nothing


def test_the_dry_run_changes_nothing_and_tells_what_would(author, agent):
    document = copy.deepcopy(EXAMPLES["booking"])
    document["fields"]["nome"]["ask"] = "Qual é o seu nome?"
    del document["fields"]["queixa"]
    before = state()
    plan = plan_import(author, agent, document, mode=ImportMode.REPLACE)
    assert state() == before
    assert {(change.kind, change.place) for change in plan.changes} >= {
        ("changed", "fields.nome.ask"),
        ("removed", "fields.queixa"),
    }
    assert "unknown-field" in {problem.code for problem in plan.errors}
    assert all(problem.message and problem.document_path for problem in plan.errors)


BROKEN = {
    "no JSON": "{",
    "no object": "[]",
    "unmappable": '{"flows": [{"id": "A B"}]}',
    "newer": '{"specVersion": 99}',
    "too deep": "[" * 100_000,
    "deep enough to refuse": '{"name": ' + "[" * 150 + "]" * 150 + "}",
    "no UTF-8": b"\xff\xfe{",
    "half a character": '{"name": "\\ud800"}',
    "NUL": '{"flows": [{"id": "f", "steps": [{"id": "s", "say": "a\\u0000b"}]}]}',
    "errors": '{"flows": [{"id": "f", "steps": [{"id": "s", "do": "gone"}]}]}',
    "broken host": '{"host": {"settings": {"gatherMs": "x"}}}',
}


@pytest.mark.parametrize("mode", ["replace", "copy"])
@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_changes_nothing(author, tenant, agent, what, mode):
    """And is told with all that is wrong."""
    before = state()
    with pytest.raises(AuthoringError) as caught:
        run_import(author, tenant if mode == "copy" else agent, BROKEN[what], mode=ImportMode(mode))
    assert str(caught.value)
    assert state() == before


def test_texts_that_no_page_can_show_are_told_at_their_places(author, agent):
    """Also as a draft, and whoever gives the document: the draft's pages could not be opened any more."""
    steps = [{"id": "s", "say": "fine"}, {"id": "t", "say": "\udfff", "with": {"a": ["b", "\x00"], "\ud800": 1}}]
    document = {"name": "\ud800", "flows": [{"id": "f", "steps": steps}]}
    for content in (document, json.dumps(document)):
        with pytest.raises(AuthoringError) as caught:
            run_import(author, agent, content, mode=ImportMode.REPLACE, as_draft=True)
        assert [problem.document_path for problem in caught.value.problems] == [
            "name",
            "flows[0].steps[1].say",
            "flows[0].steps[1].with",
            "flows[0].steps[1].with.a[1]",
        ]
    into(author, agent, {"name": "\U0001f600 \u200d"})


def test_a_file_that_is_too_large_is_refused(author, agent, settings):
    settings.FALAI_IMPORT_MAX_BYTES = 100
    with pytest.raises(AuthoringError, match="at most 100"):
        into(author, agent, json.dumps(EXAMPLES["booking"]))


def test_an_unfinished_draft_can_be_exported_and_imported(author, tenant, agent, flow):
    """With errors only as a draft, and then just as it was."""
    for kind in Step.Kind.values:
        authoring.create_part(author, flow, Step, version=None, values={"kind": kind})
    for kind in Trigger.Kind.values:
        authoring.create_part(author, flow, Trigger, version=None, values={"kind": kind})
    for model in (Field, Action, Tool):
        authoring.create_row(author, agent, model, slug="unfinished")
    exported = document_bytes(export_document(agent))
    with pytest.raises(AuthoringError, match="import it as a draft"):
        run_import(author, tenant, exported, mode=ImportMode.COPY)
    before = keys(agent)
    into(author, agent, exported)
    assert keys(agent) == before
    assert document_bytes(export_document(agent)) == exported


def test_a_plan_that_is_out_of_date_is_refused(author, agent):
    """Somebody edited between the report and the click."""
    plan = plan_import(author, agent, EXAMPLES["faq"], mode=ImportMode.REPLACE)
    authoring.change(author, Field.objects.get(slug="nome"), {"ask": "?"}, version=None)
    before = state()
    with pytest.raises(StaleEditError):
        into(author, agent, EXAMPLES["faq"], token=plan.token)
    assert state() == before
    into(author, agent, EXAMPLES["faq"], token=plan_import(author, agent, EXAMPLES["faq"], mode=plan.mode).token)


def test_who_may_not_edit_learns_and_changes_nothing(member, agent):
    for run in (plan_import, run_import):
        with pytest.raises(NotAllowedError):
            run(
                member(Role.VIEWER) if run is plan_import else member(Role.OPERATOR), agent, {}, mode=ImportMode.REPLACE
            )
