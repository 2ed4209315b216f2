"""From the pages of a draft to a release: what is shown before, what is done, what is refused."""

from __future__ import annotations

import html
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from falai_django.authoring import change, create_part, create_row, problems
from falai_django.authoring.publishing import preview, preview_activation, publish
from falai_django.models import Field, Flow, ModelProvider, Role, SessionRun, Step, Trigger
from falai_django.roles import Actor
from tests.host.admin.doors import url_of
from tests.host.admin.posting import form_of, inputs_of, post_of

pytestmark = pytest.mark.django_db

BOSS = Actor.command("test")


@pytest.fixture
def agent(alpha):
    """An agent whose draft is all right; nothing of it is published."""
    ModelProvider.objects.update(model="", secret=None)
    agent = alpha.agent.__class__.objects.create(tenant=alpha.tenant, slug="fresh", name="Fresh")
    create_row(BOSS, agent, Field, slug="city", values={"type": "string", "label": "City"})
    flow = create_row(BOSS, agent, Flow, slug="hello", values={"name": "Hello"})
    create_part(BOSS, flow, Trigger, version=None, values={"kind": "message", "body": {"message": ["says hello"]}})
    create_part(BOSS, flow, Step, version=None, values={"kind": "say", "label": "Greet", "body": {"say": "Hi there!"}})
    assert not [each for each in problems(agent) if each.is_error]
    return agent


@pytest.fixture
def publisher(alpha, enter):
    return enter(alpha.user(Role.PUBLISHER))


def say(agent, text):
    step = Step.objects.get(flow__agent=agent)
    change(BOSS, step, {"body": {"say": text}}, version=None)


def test_the_first_release_is_shown_in_words_and_published(agent, publisher, alpha):
    page = publisher.get(url_of("agent", "publish", agent))
    assert "Hi there!" in page.content.decode()
    response = publisher.post(url_of("agent", "publish", agent), post_of(page, ("note", "The first")), follow=True)
    agent.refresh_from_db()
    assert (agent.active_release.number, agent.active_release.note) == (1, "The first")
    assert agent.active_release.created_by == alpha.user(Role.PUBLISHER)
    assert "Release 1 is published and serves now." in response.content.decode()


def test_what_will_change_is_told_with_the_runs_that_it_touches(agent, publisher, alpha):
    publish(BOSS, agent)
    session = alpha.session.__class__.objects.create(agent=agent, session_id="s")
    gone = Step.objects.get(flow__agent=agent).step_id
    SessionRun.objects.create(session=session, run_id="r", flow="hello", step=gone, status="waiting")
    flow = Flow.objects.get(agent=agent)
    create_part(BOSS, flow, Step, version=None, values={"kind": "say", "body": {"say": "Welcome!"}})
    Step.objects.get(step_id=gone, flow=flow).delete()
    shown = publisher.get(url_of("agent", "publish", agent)).content.decode()
    assert "1 live run" in shown
    assert "Welcome!" in shown


def test_problems_stand_on_the_page_and_nothing_is_published(agent, publisher):
    flow = Flow.objects.get(agent=agent)
    create_part(BOSS, flow, Step, version=None, values={"kind": "say", "body": {"say": "x", "then": "nowhere"}})
    url = url_of("agent", "publish", agent)
    shown = publisher.get(url)
    assert "nowhere" in shown.content.decode()
    assert "version" not in shown.content.decode().split("<main")[1] or not form_of(shown)
    refused = publisher.post(url, {"note": "kept", "version": preview(BOSS, agent).version})
    assert refused.status_code == 200
    assert "cannot be published" in refused.content.decode()
    assert not agent.releases.exists()


def test_a_draft_that_changed_since_it_was_looked_at_is_not_published(agent, publisher):
    url = url_of("agent", "publish", agent)
    looked_at = publisher.get(url)
    say(agent, "Something else")
    response = publisher.post(url, post_of(looked_at, ("note", "my note")))
    shown = response.content.decode()
    assert not agent.releases.exists()
    assert "meanwhile" in shown
    assert "Something else" in shown
    assert "my note" in shown
    assert publisher.post(url, post_of(response)).status_code == 302
    assert agent.releases.get().note == "my note"


def test_an_unchanged_draft_has_nothing_to_publish(agent, publisher):
    publish(BOSS, agent)
    shown = publisher.get(url_of("agent", "publish", agent)).content.decode()
    assert "the draft says what serves already" in shown
    response = publisher.post(url_of("agent", "publish", agent), {"version": preview(BOSS, agent).version}, follow=True)
    assert "nothing was published" in response.content.decode()
    assert agent.releases.count() == 1


def test_releases_are_listed_and_compared_with_each_other_and_the_draft(agent, publisher):
    publish(BOSS, agent, "one")
    say(agent, "Second words")
    publish(BOSS, agent, "two")
    say(agent, "Draft words")
    listed = publisher.get(url_of("agent", "releases", agent)).content.decode()
    assert listed.index(">2</a>") < listed.index(">1</a>")
    assert listed.count("serves now") == 1
    url = url_of("agent", "compare", agent)
    between = publisher.get(url, {"before": "1", "after": "2"}).content.decode()
    assert "Second words" in between
    assert "Draft words" not in between
    drafted = publisher.get(url).content.decode()
    assert "Draft words" in drafted
    assert "Both say the same." in publisher.get(url, {"before": "2", "after": "2"}).content.decode()
    assert publisher.get(url, {"before": "99", "after": "<script>"}).status_code == 200


def test_an_older_release_serves_again_after_a_confirmation(agent, publisher):
    publish(BOSS, agent)
    say(agent, "Second words")
    publish(BOSS, agent)
    first = agent.releases.get(number=1)
    url = url_of("release", "activate", first)
    asked = publisher.get(url)
    assert "Second words" in asked.content.decode()
    agent.refresh_from_db()
    assert agent.active_release.number == 2
    publisher.post(url, post_of(asked))
    agent.refresh_from_db()
    assert agent.active_release.number == 1


def test_the_runs_that_an_older_release_touches_are_told_before(agent, publisher, alpha):
    """A step that only the newer one has ends the runs that stand there, as when it is published away."""
    publish(BOSS, agent)
    flow = Flow.objects.get(agent=agent)
    new = create_part(BOSS, flow, Step, version=None, values={"kind": "say", "body": {"say": "More."}})
    publish(BOSS, agent)
    session = alpha.session.__class__.objects.create(agent=agent, session_id="s")
    SessionRun.objects.create(session=session, run_id="r", flow="hello", step=new.step_id, status="waiting")
    (touched,) = preview_activation(BOSS, agent, 1).touched
    asked = publisher.get(url_of("release", "activate", agent.releases.get(number=1)))
    assert touched.sentence in html.unescape(asked.content.decode())


def test_a_release_is_read_as_an_outline_and_taken_out_as_a_file(agent, publisher):
    publish(BOSS, agent)
    release = agent.releases.get()
    shown = publisher.get(url_of("release", "change", release))
    assert "Greet" in shown.content.decode()
    assert "<textarea" not in shown.content.decode()
    file = publisher.get(url_of("release", "export", release))
    assert json.loads(file.content) == release.document
    assert file.headers["Content-Disposition"] == 'attachment; filename="fresh-1.json"'


def test_every_problem_is_a_way_to_the_row_it_belongs_to(agent, publisher):
    change(BOSS, agent, {"instructions": [{"prompt": "x", "if": {"no-such": 1}}]}, version=None)
    shown = publisher.get(url_of("agent", "check", agent)).content.decode()
    assert f'href="{url_of("agent", "change", agent)}#row-instructions"' in shown
    assert "no-such" in shown


def test_a_draft_without_a_problem_says_so(agent, publisher):
    assert "Nothing is wrong" in publisher.get(url_of("agent", "check", agent)).content.decode()


def test_a_copy_and_a_file_are_made_of_a_draft(agent, publisher, alpha):
    url = url_of("agent", "duplicate", agent)
    response = publisher.post(url, post_of(publisher.get(url)))
    copy = alpha.tenant.agents.order_by("pk").last()
    assert response.url == url_of("agent", "change", copy)
    file = publisher.get(url_of("agent", "export", agent))
    assert json.loads(file.content)["flows"][0]["id"] == "hello"


# Import


def test_an_import_is_shown_first_and_then_done(agent, publisher):
    url = url_of("agent", "import", agent)
    document = json.loads(publisher.get(url_of("agent", "export", agent)).content)
    document["flows"][0]["steps"][0]["say"] = "Imported words"
    first = publisher.get(url)
    assert {"mode", "file", "text", "slug"} <= set(inputs_of(first))
    planned = publisher.post(url, {"mode": "replace", "text": json.dumps(document)})
    assert "Imported words" in planned.content.decode()
    assert Step.objects.get(flow__agent=agent).body["say"] == "Hi there!"
    publisher.post(url, post_of(planned))
    assert Step.objects.get(flow__agent=agent).body["say"] == "Imported words"


def test_an_import_makes_a_new_agent(agent, publisher, alpha):
    document = publisher.get(url_of("agent", "export", agent)).content.decode()
    url = url_of("agent", "import-new")
    planned = publisher.post(url, {"tenant": alpha.tenant.pk, "text": document, "slug": "second"})
    response = publisher.post(url, post_of(planned))
    assert response.url == url_of("agent", "change", alpha.tenant.agents.get(slug="second"))


def test_a_plan_is_void_once_the_draft_changed(agent, publisher):
    url = url_of("agent", "import", agent)
    document = publisher.get(url_of("agent", "export", agent)).content.decode()
    planned = publisher.post(url, {"mode": "replace", "text": document.replace("Hi there!", "Imported")})
    say(agent, "Typed meanwhile")
    refused = publisher.post(url, post_of(planned))
    assert "meanwhile" in refused.content.decode()
    assert Step.objects.get(flow__agent=agent).body["say"] == "Typed meanwhile"


def test_a_broken_file_is_told_with_its_place_and_changes_nothing(agent, publisher):
    url = url_of("agent", "import", agent)
    for text, told in (('{"flows": [}', "JSON"), ("[]", "file"), ('{"a": 1, "a": 2}', "a")):
        refused = publisher.post(url, {"mode": "replace", "text": text})
        assert refused.status_code == 200
        assert "errorlist" in refused.content.decode()
        assert told in refused.content.decode()
    assert "errorlist" in publisher.post(url, {"mode": "replace", "text": " "}).content.decode()
    assert Step.objects.get(flow__agent=agent).body["say"] == "Hi there!"


def test_a_file_is_uploaded(agent, publisher):
    url = url_of("agent", "import", agent)
    document = publisher.get(url_of("agent", "export", agent)).content.replace(b"Hi there!", "Olá 🥕".encode())
    planned = publisher.post(url, {"mode": "replace", "file": SimpleUploadedFile("a.json", b"\xef\xbb\xbf" + document)})
    publisher.post(url, post_of(planned))
    assert Step.objects.get(flow__agent=agent).body["say"] == "Olá 🥕"
    refused = publisher.post(url, {"mode": "replace", "file": SimpleUploadedFile("a.json", b'{"name": "\xff"}')})
    assert "no UTF-8 text at byte" in refused.content.decode()


def test_a_file_beyond_the_cap_is_refused(agent, publisher, settings):
    settings.FALAI_IMPORT_MAX_BYTES = 20
    file = publisher.get(url_of("agent", "export", agent)).content.decode()
    refused = publisher.post(url_of("agent", "import", agent), {"mode": "replace", "text": file})
    assert "reads at most 20" in refused.content.decode()


def test_an_unfinished_document_is_imported_when_that_is_said(agent, publisher):
    url = url_of("agent", "import", agent)
    document = json.loads(publisher.get(url_of("agent", "export", agent)).content)
    document["flows"][0]["steps"][0]["then"] = "nowhere"
    planned = publisher.post(url, {"mode": "replace", "text": json.dumps(document)})
    assert "nowhere" in planned.content.decode()
    refused = publisher.post(url, post_of(planned))
    assert "Nothing was imported" in refused.content.decode()
    assert publisher.post(url, post_of(planned, ("as_draft", "1"))).status_code == 302
    assert Step.objects.get(flow__agent=agent).body["then"] == "nowhere"


def test_a_plan_that_was_tampered_with_does_nothing(agent, publisher):
    url = url_of("agent", "import", agent)
    refused = publisher.post(url, {"planned": "made-up"})
    assert "too old, or not of this site" in refused.content.decode()


def test_a_plan_for_one_agent_is_none_for_another(agent, publisher, alpha, beta, enter):
    """Also when it is carried over to a person of another tenant."""
    document = publisher.get(url_of("agent", "export", agent)).content.decode()
    planned = publisher.post(url_of("agent", "import", agent), {"mode": "replace", "text": document})
    data = post_of(planned)
    refused = publisher.post(url_of("agent", "import", alpha.other.agent), data)
    assert "for another agent" in refused.content.decode()
    stranger = enter(beta.user(Role.OWNER))
    assert stranger.post(url_of("agent", "import", beta.agent), data).status_code == 200
    new = publisher.post(url_of("agent", "import-new"), {"tenant": alpha.tenant.pk, "text": document, "slug": "mine"})
    shown = stranger.post(url_of("agent", "import-new"), post_of(new)).content.decode()
    assert "Alphaword" not in shown
    assert not alpha.tenant.agents.filter(slug="mine").exists()
