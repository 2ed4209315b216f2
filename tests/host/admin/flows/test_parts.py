"""A flow is built from its page: triggers and steps are added by kind, moved, copied and deleted, without scripts."""

from __future__ import annotations

import re

import pytest

from falai_django.models import Flow, Step, Trigger
from tests.host.admin.doors import url_of
from tests.host.admin.flows.editing import address, document_of
from tests.host.admin.posting import form_of, inputs_of, post_of


def ids(flow):
    return list(Step.objects.filter(flow=flow).order_by("position").values_list("step_id", flat=True))


def add(client, model, flow, kind, *inputs):
    url = f"{url_of(model._meta.model_name, 'add')}?flow={flow.pk}&kind={kind}"
    response = client.post(url, post_of(client.get(url), *inputs))
    assert response.status_code == 302, response.context["errors"]
    return response, model.objects.filter(flow=flow).order_by("pk").last()


def deed(client, row, page, **data):
    """What a button of the flow's page sends."""
    token = re.search(
        r'id="falai-deeds">.*?name="version" value="(\d+)"', client.get(address(row.flow)).content.decode()
    )
    return client.post(address(row, page), {"version": token[1], **data})


STEPS = {
    "say": ("say", ("say", "Olá"), {"say": "Olá"}),
    "prompt": ("prompt", ("prompt", "Converse"), {"prompt": "Converse"}),
    "collect": ("collect", ("collect-new0", "nome"), {"collect": ["nome"]}),
    "do": ("do", ("do", "reservar_horario"), {"do": "reservar_horario"}),
    "wait": ("wait", ("wait-number", "3"), {"wait": "3h"}),
}


@pytest.mark.parametrize("kind", Step.Kind.values)
def test_a_step_of_each_kind_is_added_with_the_inputs_of_its_kind_alone(author, flow, kind):
    """It comes last, under an id of its own, and the flow's page shows it; left empty it is a draft all the same."""
    response, step = add(author, Step, flow, kind, ("label", "Nova"))
    assert (step.kind, step.label, step.step_id) == (kind, "Nova", ids(flow)[-1])
    assert response.url == f"{address(flow)}#step-{step.pk}"
    assert f'id="step-{step.pk}"' in author.get(address(flow)).content.decode()
    inputs = {name.split("-")[0] for name in inputs_of(author.get(address(step)))}
    own = {"say", "prompt", "collect", "do", "wait", "if"} & inputs
    assert own == {"collect": {"collect", "prompt"}, "waitEvent": {"wait"}}.get(kind, {kind})
    assert "kind" not in inputs


@pytest.mark.parametrize(("kind", "change", "body"), list(STEPS.values())[:4], ids=list(STEPS)[:4])
def test_what_is_typed_for_a_new_step_is_its_body(author, flow, kind, change, body):
    more = (("collect-row", "new0"),) if kind == "collect" else ()
    _response, step = add(author, Step, flow, kind, change, *more)
    assert step.body == body


@pytest.mark.parametrize("kind", Trigger.Kind.values)
def test_a_trigger_of_each_kind_is_added(author, flow, kind):
    response, trigger = add(author, Trigger, flow, kind, ("label", "Começo"))
    assert (trigger.kind, trigger.label) == (kind, "Começo")
    assert response.url.endswith(f"#trigger-{trigger.pk}")


def test_a_new_message_trigger_without_a_line_starts_on_everything(author, flow):
    """As its form says: it is no unfinished one."""
    _response, trigger = add(author, Trigger, flow, "message")
    assert trigger.body == {"message": []}


def test_the_page_offers_a_way_to_add_each_kind(author, flow):
    html = author.get(address(flow)).content.decode().replace("&amp;", "&")
    for model in (Trigger, Step):
        for kind in model.Kind.values:
            assert f'{url_of(model._meta.model_name, "add")}?flow={flow.pk}&kind={kind}"' in html


def test_the_list_tells_each_step_in_words_and_where_it_leads(author, flow):
    html = author.get(address(flow)).content.decode()
    assert "Collect Nome, Queixa" in html
    assert "when the customer “prefere outro dia”" in html
    assert 'href="#step-of-escolher_dia"' in html
    assert 'id="step-of-escolher_dia"' in html
    assert "if it fails" in html
    assert "the end of the flow" in html


def test_a_step_moves_up_and_down(author, flow):
    before = ids(flow)
    step = Step.objects.get(flow=flow, step_id=before[1])
    response = deed(author, step, "move", direction="up")
    assert response.url == f"{address(flow)}#step-{step.pk}"
    assert ids(flow) == [before[1], before[0], *before[2:]]
    deed(author, step, "move", direction="down")
    assert ids(flow) == before


def test_at_the_end_of_the_list_nothing_moves(author, flow):
    before = document_of(flow.agent)
    deed(author, Step.objects.get(flow=flow, step_id=ids(flow)[0]), "move", direction="up")
    deed(author, Step.objects.get(flow=flow, step_id=ids(flow)[-1]), "move", direction="down")
    deed(author, Step.objects.get(flow=flow, step_id=ids(flow)[-1]), "move", direction="sideways")
    assert document_of(flow.agent) == before


def test_a_copy_stands_behind_its_original_under_an_id_of_its_own(author, flow):
    step = Step.objects.get(flow=flow, step_id="acolher")
    response = deed(author, step, "duplicate")
    copy = Step.objects.get(flow=flow, position=1)
    assert response.url == f"{address(flow)}#step-{copy.pk}"
    assert copy.body == step.body
    assert copy.step_id not in ("acolher", "")


def test_before_a_step_is_deleted_the_page_says_who_leads_to_it(author, flow):
    step = Step.objects.get(flow=flow, step_id="ocupado")
    page = author.get(address(step, "delete"))
    assert "Reservar na agenda" in page.content.decode()
    response = author.post(address(step, "delete"), post_of(page), follow=True)
    assert response.redirect_chain[-1][0] == f"{address(flow)}#steps"
    assert "still named by" in response.content.decode()
    assert not Step.objects.filter(pk=step.pk).exists()


def test_each_button_of_the_page_works_without_scripts(author, flow):
    """It belongs to a form that carries the edit token and the protection against forged requests."""
    html = author.get(address(flow)).content.decode()
    form = re.search(r'<form method="post" id="falai-deeds">.*?</form>', html, re.DOTALL)[0]
    assert "csrfmiddlewaretoken" in form
    assert f'name="version" value="{flow.version}"' in form
    buttons = re.findall(r"<button [^>]*formaction=[^>]*>", html)
    assert len(buttons) == 3 * (Step.objects.filter(flow=flow).count() + Trigger.objects.filter(flow=flow).count())
    assert all('form="falai-deeds"' in button and "aria-label=" in button for button in buttons)


def test_a_deed_without_a_token_is_refused(author, flow):
    """As one on an older state is: nothing moves, and the page says so."""
    before = document_of(flow.agent)
    step = Step.objects.get(flow=flow, step_id="acolher")
    for data in ({"direction": "down"}, {"direction": "down", "version": flow.version + 7}):
        response = author.post(address(step, "move"), data, follow=True)
        assert "meanwhile" in response.content.decode() or "did not say" in response.content.decode()
    response = author.post(address(step, "duplicate"), {}, follow=True)
    assert "did not say" in response.content.decode()
    assert document_of(flow.agent) == before


def test_a_flow_is_added_and_its_page_is_where_its_steps_are_added(author, agent):
    url = f"{url_of('flow', 'add')}?agent={agent.pk}"
    response = author.post(url, post_of(author.get(url), ("name", "Pós-venda")))
    new = Flow.objects.get(name="Pós-venda")
    assert response.url == address(new)
    assert (new.slug, new.position) == ("pos_venda", 1)


def test_the_rules_of_a_flow_are_out_of_the_way_until_there_are_any(author, agent, flow):
    Flow.objects.filter(pk=flow.pk).update(head={})
    assert "<details><summary>" in form_of(author.get(address(flow)))
    Flow.objects.filter(pk=flow.pk).update(head={"anchor": "lead"})
    assert "<details><summary>" not in form_of(author.get(address(flow)))


def test_a_flow_goes_out_as_a_file(author, flow):
    response = author.get(address(flow, "export"))
    assert response.headers["Content-Disposition"] == 'attachment; filename="agendar.json"'
    assert response.json()["id"] == "agendar"


def test_a_flow_is_copied_with_all_that_is_in_it(author, flow):
    response = author.post(address(flow, "duplicate"), post_of(author.get(address(flow, "duplicate"))))
    copy = Flow.objects.exclude(pk=flow.pk).get()
    assert response.url == address(copy)
    assert copy.steps.count() == flow.steps.count()
    assert not copy.is_enabled


def test_a_draft_that_is_wrong_is_listed_all_the_same(author, flow):
    """A branch that nothing takes, a target that is not there: told, without a link that leads nowhere."""
    Step.objects.filter(flow=flow, step_id="acolher").update(body={"branches": [{"then": "nowhere"}, 7], "then": 3})
    html = author.get(address(flow)).content.decode()
    assert "step “nowhere”" in html
    assert "#step-of-nowhere" not in html
    assert "never" in html
