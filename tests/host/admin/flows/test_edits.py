"""One input changed on one page changes that and nothing else; what is wrong is kept, and told where it stands."""

from __future__ import annotations

import json

import pytest

from falai_django.models import Action, Agent, Condition, Event, Field, Flow, Step, Tool, Trigger
from tests.host.admin.doors import url_of
from tests.host.admin.flows.editing import address, document_of, save
from tests.host.admin.posting import form_of, inputs_of, post_of


def difference(before, after):
    """The paths at which two documents differ."""
    return sorted(_paths(json.loads(before), json.loads(after), ""))


def _paths(before, after, path):
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            yield from _paths(before.get(key), after.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _paths(one, other, f"{path}[{index}]")
    elif before != after:
        yield path


def the(model, **which):
    return model.objects.get(**which)


EDITS = {
    "agent-goal": (Agent, {}, ("goal", "Outra meta"), ["goal"]),
    "agent-name": (Agent, {}, ("name", "Teodoro"), ["name"]),
    "agent-idle": (Agent, {}, ("idle-prompt-prompt", "Outra fala"), ["idle.prompt"]),
    "agent-loops": (Agent, {}, ("maxToolLoops", "3"), ["maxToolLoops"]),
    "field-label": (Field, {"slug": "nome"}, ("label", "Nome todo"), ["fields.nome.label"]),
    "field-ask": (Field, {"slug": "dia"}, ("ask", "Pergunte o dia"), ["fields.dia.ask"]),
    "action-description": (Action, {}, ("description", "Marca"), ["actions.reservar_horario.description"]),
    "tool-description": (Tool, {}, ("description", "Olha"), ["tools[0].description"]),
    "flow-name": (Flow, {}, ("name", "Agendar"), ["flows[0].name"]),
    "flow-anchor": (Flow, {}, ("anchor", "lead"), ["flows[0].anchor"]),
    "trigger-phrases": (Trigger, {}, ("message", "quer marcar"), ["flows[0].on[0].message"]),
    "step-label": (Step, {"step_id": "acolher"}, ("label", "Oi"), ["flows[0].steps[0].label"]),
    "step-prompt": (Step, {"step_id": "acolher"}, ("prompt", "Diga oi"), ["flows[0].steps[0].prompt"]),
    "step-asks": (Step, {"step_id": "acolher"}, ("maxAsks", "2"), ["flows[0].steps[0].maxAsks"]),
}


@pytest.mark.parametrize(("model", "which", "change", "paths"), EDITS.values(), ids=EDITS)
def test_one_input_changes_one_thing(author, agent, model, which, change, paths):
    before, row = document_of(agent), the(model, **which)
    assert change[0] in inputs_of(author.get(address(row))), inputs_of(author.get(address(row)))
    response = save(author, row, change)
    assert response.status_code == 302, response.context["errors"]
    assert difference(before, document_of(agent)) == paths


def test_a_step_is_led_elsewhere(author, agent):
    """A target is picked among the steps of the flow, by their names."""
    step = Step.objects.get(step_id="marcado")
    html = form_of(author.get(address(step)))
    assert "Escolher o dia</option>" in html
    save(author, step, ("then", "step"), ("then-step", "escolher_dia"))
    step.refresh_from_db()
    assert step.body["then"] == "escolher_dia"


def test_what_is_wrong_is_kept_and_told_at_its_input(author, agent):
    """The draft saves all the same: the page says what stands in the way of publishing, at the input and at the top."""
    step = Step.objects.get(step_id="marcado")
    response = save(author, step, ("say", "Oi {{data.nmae}}"))
    assert response.status_code == 302
    step.refresh_from_db()
    assert step.body["say"] == "Oi {{data.nmae}}"
    html = author.get(address(step)).content.decode()
    assert html.index("falai-row-problems") < html.index('href="#row-say"') < html.index('id="id_say_notes"')
    assert 'id="row-say"' in html


def test_an_error_of_the_draft_is_counted_when_it_is_saved(author, agent):
    """“Saved as a draft. n problems remain …”, with the way to all of them."""
    step = Step.objects.get(step_id="reservar")
    response = author.post(address(step), post_of(author.get(address(step)), ("label", "Outro")), follow=True)
    shown = response.content.decode()
    assert "before it can be published" in shown
    assert url_of("agent", "check", agent) in shown


def test_a_value_that_cannot_be_read_stays_as_it_was_typed(author, agent):
    step = Step.objects.get(step_id="acolher")
    before = document_of(agent)
    response = save(author, step, ("maxAsks", "muitas"))
    assert response.status_code == 200
    assert 'value="muitas"' in response.content.decode()
    assert document_of(agent) == before


def test_junk_that_no_input_shows_is_kept_and_shown(author, agent):
    """Also when another input of the same row is changed."""
    junk = {"then": {"step": 7, "odd": [1, {"a": 2}]}, "strange": {"x": [1, 2]}}
    step = Step.objects.get(step_id="marcado")
    step.body = {**step.body, **junk}
    step.save()
    html = form_of(author.get(address(step)))
    assert "strange" in html
    assert "odd" in html
    assert save(author, step, ("say", "Outra coisa")).status_code == 302
    step.refresh_from_db()
    assert step.body["say"] == "Outra coisa"
    assert {key: step.body[key] for key in junk} == junk


def test_what_has_no_room_in_its_column_is_kept_until_somebody_sets_it(author, agent):
    """A name of 300 letters, read from a file, survives other changes; a short one takes its place."""
    field = Field.objects.get(agent=agent, slug="nome")
    field.rest = {**field.rest, "label": "x" * 300, "colour": "blue"}
    field.label = ""
    field.save()
    before = document_of(agent)
    save(author, field, ("ask", "Pergunte"))
    assert difference(before, document_of(agent)) == ["fields.nome.ask"]
    save(author, field, ("label", "Nome"))
    field.refresh_from_db()
    assert (field.label, field.rest) == ("Nome", {"colour": "blue"})


def test_a_label_that_is_too_long_is_refused_at_its_input(author, agent):
    field = Field.objects.get(agent=agent, slug="nome")
    response = save(author, field, ("label", "y" * 201))
    assert response.status_code == 200
    assert "200" in str(response.context["adminform"].form.errors["label"])
    field.refresh_from_db()
    assert field.label == "Nome"


def test_the_type_and_the_choices_of_a_field_are_changed_together(author, agent):
    field = Field.objects.get(agent=agent, slug="nome")
    save(author, field, ("value-type", "integer"), ("value-enum", "1\n2\n3"))
    field.refresh_from_db()
    assert (field.type, field.enum) == ("integer", [1, 2, 3])


def test_a_slug_is_changed_everywhere_until_a_release_uses_it(author, agent):
    """Then it is shown with the reason, and the label stays free."""
    field = Field.objects.get(agent=agent, slug="nome")
    assert save(author, field, ("slug", "nome_completo"), ("label", "Nome completo")).status_code == 302
    field.refresh_from_db()
    assert (field.slug, field.label) == ("nome_completo", "Nome completo")
    assert "nome_completo" in Step.objects.get(step_id="acolher").body["collect"]
    Field.objects.filter(pk=field.pk).update(is_released=True)
    response = author.get(address(field))
    assert "slug" not in inputs_of(response)
    assert "a release uses it" in response.content.decode()
    assert save(author, field, ("label", "Nome"), ("slug", "outro")).status_code == 302
    field.refresh_from_db()
    assert (field.slug, field.label) == ("nome_completo", "Nome")


def test_a_slug_that_is_taken_or_none_is_refused_at_its_input(author, agent):
    field = Field.objects.get(agent=agent, slug="nome")
    for slug in ("dia", "Não é slug"):
        response = save(author, field, ("slug", slug))
        assert response.status_code == 200
        assert "slug" in response.context["adminform"].form.errors


def test_pickers_offer_names_of_this_agent_and_python_names_of_this_tenant(author, agent, registry_names):
    """Built-in actions are offered to all."""
    add = author.get(url_of("step", "add"), {"flow": agent.flows.get().pk, "kind": "do"}).content.decode()
    assert "reservar_horario" in add
    assert "hand_off" in add
    tool = author.get(address(Tool.objects.get(agent=agent))).content.decode()
    assert "ours.look" in tool
    assert "theirs.look" not in tool


@pytest.fixture
def registry_names(tenant):
    from falai_django.registry import Kind, registered, tool  # noqa: PLC0415 - Django is set up by then

    if "ours.look" not in registered(Kind.TOOL, tenant.slug):
        tool("ours.look", tenants=[tenant.slug])(lambda context: "seen")
        tool("theirs.look", tenants=["somebody-else"])(lambda context: "seen")


ADDED = {
    "field": (Field, "", (("label", "Idade"), ("value-type", "integer")), {"slug": "idade", "type": "integer"}),
    "event": (
        Event,
        "",
        (
            ("slug", "pago"),
            ("description", "Pagou"),
        ),
        {"slug": "pago", "body": {"description": "Pagou"}},
    ),
    "action": (Action, "python", (("slug", "ligar"),), {"slug": "ligar", "kind": "python", "body": {}}),
    "condition": (
        Condition,
        "compare",
        (("slug", "vip"), ("path", "data.nome"), ("op", "known")),
        {"slug": "vip", "kind": "compare", "body": {"path": "data.nome", "op": "known"}},
    ),
    "tool": (Tool, "python", (("slug", "ver"),), {"slug": "ver", "kind": "python"}),
}


@pytest.mark.parametrize(("model", "kind", "inputs", "stored"), ADDED.values(), ids=ADDED)
def test_a_definition_is_added_by_its_kind(author, agent, model, kind, inputs, stored):
    """Where there is a kind to choose, it is asked for first; the agent is clear when there is one."""
    name = model._meta.model_name
    asked = author.get(url_of(name, "add"))
    assert ("kind" in inputs_of(asked)) is bool(kind)
    url = url_of(name, "add") + (f"?kind={kind}" if kind else "")
    response = author.post(url, post_of(author.get(url), *inputs))
    assert response.status_code == 302, response.context["errors"]
    row = model.objects.filter(agent=agent).order_by("pk").last()
    assert {key: getattr(row, key) for key in stored} == stored


def test_what_still_names_a_definition_is_told_before_and_after_it_is_deleted(author, agent):
    field = Field.objects.get(agent=agent, slug="dia")
    url = address(field, "delete")
    page = author.get(url)
    assert "Escolher o dia" in page.content.decode()
    response = author.post(url, post_of(page), follow=True)
    assert "still named by" in response.content.decode()
    assert not Field.objects.filter(pk=field.pk).exists()


def test_a_step_with_many_branches_is_saved(author, agent):
    """Its page sends more inputs than Django takes by default."""
    branch = {
        "if": {"equals": {"nome": "Ana"}, "known": ["dia", "queixa"]},
        "then": {"step": "acolher", "clear": ["dia"]},
    }
    step = Step.objects.get(step_id="acolher")
    step.body = {**step.body, "branches": [branch] * 80}
    step.save()
    response = save(author, step, ("label", "Muitos ramos"))
    assert response.status_code == 302
    step.refresh_from_db()
    assert (step.label, step.body["branches"]) == ("Muitos ramos", [branch] * 80)
    assert sum(map(len, post_of(author.get(address(step))).values())) > 1000
