"""Two people at the same page, and people who may only read."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from falai_django.models import SCHEMA_VERSION, Agent, Condition, Event, Field, Flow, Role, Step, Trigger
from tests.host.admin.doors import DOORS, url_of
from tests.host.admin.flows.editing import BODIES, address, document_of, rows_of_agent
from tests.host.admin.posting import form_of, inputs_of, post_of
from tests.host.documents.stored import a_tenant, examples, store
from tests.host.forms.browser import page

STALE = {
    "agent": (Agent, "persona", "Outra pessoa"),
    "field": (Field, "description", "Outra coisa"),
    "flow": (Flow, "name", "Outro nome"),
    "step": (Step, "label", "Outra etapa"),
    "trigger": (Trigger, "label", "Outro começo"),
}


@pytest.mark.parametrize(("model", "name", "text"), STALE.values(), ids=STALE)
def test_who_saves_last_is_told_and_nothing_is_overwritten(member, agent, model, name, text):
    """The form comes back as it was typed: who saved and when, and a link to how it is now."""
    first, second = member(Role.AUTHOR, "rita"), member(Role.AUTHOR, "otto")
    row = model.objects.first()
    mine, theirs = first.get(address(row)), second.get(address(row))
    assert second.post(address(row), post_of(theirs, (name, "Da outra pessoa"))).status_code == 302
    before = document_of(agent)
    response = first.post(address(row), post_of(mine, (name, text)))
    shown = response.content.decode()
    assert response.status_code == 200
    assert "otto" in shown
    assert "meanwhile" in shown
    assert f'<a href="{address(row)}">' in shown
    assert text in form_of(response)
    assert document_of(agent) == before


def test_another_step_of_the_flow_counts_too(member, agent):
    """The edit token is the flow's: who changes a step while its neighbour was changed is told."""
    first, second = member(Role.AUTHOR, "rita"), member(Role.AUTHOR, "otto")
    one, other = Step.objects.all()[:2]
    mine, theirs = first.get(address(one)), second.get(address(other))
    second.post(address(other), post_of(theirs, ("label", "Nova")))
    assert "otto" in first.post(address(one), post_of(mine, ("label", "Minha"))).content.decode()


def test_a_row_that_was_deleted_meanwhile_is_not_there(member, agent):
    first, second = member(Role.AUTHOR, "rita"), member(Role.AUTHOR, "otto")
    step = Step.objects.last()
    mine = first.get(address(step))
    second.post(address(step, "delete"), post_of(second.get(address(step, "delete"))))
    response = first.post(address(step), post_of(mine, ("label", "Minha")), follow=True)
    assert "doesn’t exist" in response.content.decode()


def test_a_deletion_on_an_older_state_is_refused(member, agent):
    first, second = member(Role.AUTHOR, "rita"), member(Role.AUTHOR, "otto")
    field = Field.objects.get(slug="dia")
    mine = first.get(address(field, "delete"))
    second.post(address(field), post_of(second.get(address(field)), ("label", "Data")))
    response = first.post(address(field, "delete"), post_of(mine), follow=True)
    assert "otto" in response.content.decode()
    assert Field.objects.filter(pk=field.pk).exists()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_readers_see_every_page_and_no_input_that_works(member, agent, role):
    """What is in JSON is shown by the same inputs, switched off."""
    reader = member(role)
    for row in rows_of_agent(agent):
        response = reader.get(address(row))
        assert response.status_code == 200
        html = response.content.decode()
        assert 'name="_save"' not in html
        assert "formaction" not in html
        assert [name for name in inputs_of(response) if name not in ("csrfmiddlewaretoken", "version")] == []
    step = reader.get(address(Step.objects.get(step_id="acolher"))).content.decode()
    assert "Cumprimente, acolha a dor" in step
    assert "<fieldset disabled" in step


def test_readers_are_not_asked_what_to_add(member, agent):
    reader = member(Role.VIEWER)
    for model in BODIES:
        assert reader.get(url_of(model._meta.model_name, "add")).status_code == 403


@pytest.fixture
def strangers(agent):
    """An agent of another tenant."""
    return store(examples()["booking"], a_tenant("other"), "zoe")


@pytest.mark.parametrize("model", BODIES, ids=lambda model: model._meta.model_name)
def test_nothing_begins_in_an_agent_of_another_tenant(author, agent, strangers, model):
    """Neither opened nor posted: the page asks again, and shows nothing of theirs."""
    before = document_of(strangers)
    parent = {"flow": strangers.flows.get().pk} if model in (Step, Trigger) else {"agent": strangers.pk}
    own = {"flow": agent.flows.get().pk} if model in (Step, Trigger) else {"agent": agent.pk}
    kind = {"kind": model.Kind.values[0]} if hasattr(model, "Kind") else {}
    url = url_of(model._meta.model_name, "add")
    asked = author.get(f"{url}?{urlencode({**parent, **kind})}")
    assert asked.status_code == 200
    assert "Go on" in asked.content.decode()
    assert "zoe" not in asked.content.decode()
    data = post_of(author.get(f"{url}?{urlencode({**own, **kind})}"), ("slug", "novo"), ("label", "Novo"))
    author.post(f"{url}?{urlencode({**parent, **kind})}", data)
    assert document_of(strangers) == before


def test_pickers_of_a_form_name_nothing_of_another_agent(author, agent, tenant):
    """Of the same tenant even."""
    store({**examples()["booking"], "fields": {"segredo": {"type": "string"}}}, tenant, "zoe")
    for row in rows_of_agent(agent):
        assert "segredo" not in author.get(address(row)).content.decode(), row


def test_a_row_that_a_newer_program_wrote_is_told_and_its_neighbours_still_open(author, agent):
    field = Field.objects.get(slug="dia")
    Field.objects.filter(pk=field.pk).update(schema_version=SCHEMA_VERSION + 1)
    response = author.get(address(field), follow=True)
    assert "Update the program" in response.content.decode()
    step = author.get(address(Step.objects.first()))
    assert "Update the program" in step.content.decode()
    assert page(form_of(step)).controls


@pytest.mark.parametrize("model", [Agent, *BODIES], ids=lambda model: model._meta.model_name)
def test_no_page_fails_when_a_newer_program_wrote_a_row(author, agent, model):
    """Deletions, copies, moves and exports of every row of the draft too: a sentence tells what they cannot read."""
    for missing in (Event, Condition):
        missing.objects.create(agent=agent, slug="made")
    assert model.objects.update(schema_version=SCHEMA_VERSION + 1)
    before = list(rows_of_agent(agent))
    for row in before:
        for each in ("change", "delete", "history", *DOORS[row._meta.model_name].pages):
            if each not in ("publish", "try"):
                assert author.get(address(row, each), follow=True).status_code == 200, (row, each)
        if not isinstance(row, Agent | Trigger):  # which nothing names, so that they may go
            answer = author.post(address(row, "delete"), {"post": "yes", "version": "1"}, follow=True)
            assert "Update the program" in answer.content.decode()
    assert list(rows_of_agent(agent)) == before
