"""falai_export and falai_import: a draft goes out as a file, and comes back the same."""

from __future__ import annotations

import io
import json
import os
import sys

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from falai_django.authoring.publishing import publish
from falai_django.documents import document_bytes, export_document, export_flow
from falai_django.models import Agent, Flow, Step
from falai_django.roles import Actor


@pytest.fixture
def file(tmp_path):
    """`file(document)`: a file that holds it, as JSON unless it is text or bytes."""

    def write(document):
        path = tmp_path / "agent.json"
        if not isinstance(document, bytes):
            document = (document if isinstance(document, str) else json.dumps(document)).encode()
        path.write_bytes(document)
        return str(path)

    return write


@pytest.fixture
def piped(monkeypatch):
    def pipe(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return pipe


# -- export


def test_an_export_is_the_draft_byte_for_byte(agent, run):
    assert run("falai_export", "--tenant", "acme", "--agent", "lia").encode() == document_bytes(export_document(agent))


def test_an_export_may_be_one_flow_or_a_file(agent, run, tmp_path):
    target = tmp_path / "f.json"
    assert run("falai_export", "--agent", "lia", "--flow", "f", "--output", str(target)) == ""
    assert target.read_bytes() == document_bytes(export_flow(agent.flows.get()))


def test_an_older_release_is_exported_too(agent, run):
    publish(Actor.command("test"), agent)
    Step.objects.filter(flow__agent=agent).update(body={"say": "Oi."})
    document = json.loads(run("falai_export", "--agent", "lia", "--release", "1"))
    assert document["flows"][0]["steps"][0]["say"] == "Olá."


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--tenant", "nobody", "--agent", "lia"], "no tenant “nobody”. There are: acme"),
        (["--tenant", "acme", "--agent", "nobody"], "no agent “nobody”. There are: lia"),
        (["--agent", "lia", "--flow", "g"], "no flow “g”. There are: f"),
        (["--agent", "lia", "--release", "3"], "no release 3 of Lia"),
        (["--agent", "lia", "--output", "/no/such/folder/x"], "cannot be written"),
    ],
    ids=["tenant", "agent", "flow", "release", "file"],
)
def test_what_there_is_not_is_told_with_what_there_is(agent, run, args, words):
    with pytest.raises(CommandError, match=words):
        run("falai_export", *args)


def test_with_several_tenants_one_is_named(agent, run, django_user_model):
    type(agent.tenant).objects.create(slug="b", name="B")
    with pytest.raises(CommandError, match=r"Say which tenant: --tenant\. There are: acme, b"):
        run("falai_export", "--agent", "lia")


# -- import


def test_an_import_replaces_the_draft_and_says_what_changes(agent, run, file):
    document = export_document(agent)
    document["flows"][0]["steps"][0]["say"] = "Oi."
    key = Step.objects.get(flow__agent=agent).pk
    printed = run("falai_import", file(document), "--agent", "lia")
    assert Step.objects.get(flow__agent=agent).body == {"say": "Oi."}
    assert Step.objects.get(flow__agent=agent).pk == key
    assert "Oi." in printed
    assert "Imported: “Lia” (lia)." in printed


def test_an_import_without_an_agent_makes_one(agent, run, piped):
    piped(document_bytes(export_document(agent)))
    assert "(lia-copy)" in run("falai_import", "-", "--tenant", "acme", "--slug", "lia-copy")
    assert set(Agent.objects.values_list("slug", flat=True)) == {"lia", "lia-copy"}


def test_one_flow_is_added_or_replaced(agent, run, file):
    flow = export_flow(agent.flows.get())
    run("falai_import", file(flow), "--agent", "lia", "--mode", "add_flow", "--slug", "g")
    assert set(Flow.objects.values_list("slug", flat=True)) == {"f", "g"}
    flow["steps"][0]["say"] = "Oi."
    run("falai_import", file(flow), "--agent", "lia", "--flow", "g")
    assert Step.objects.get(flow__slug="g").body == {"say": "Oi."}
    assert Step.objects.get(flow__slug="f").body == {"say": "Olá."}


def test_a_dry_run_tells_and_changes_nothing(agent, run, file):
    document = export_document(agent)
    document["flows"][0]["steps"][0]["say"] = "Oi."
    printed = run("falai_import", file(document), "--agent", "lia", "--dry-run")
    assert "Oi." in printed
    assert "dry run" in printed
    assert Step.objects.get(flow__agent=agent).body == {"say": "Olá."}
    printed = run("falai_import", file(export_document(agent)), "--agent", "lia", "--dry-run")
    assert "Nothing changes." in printed


def test_a_draft_with_errors_is_refused_with_all_of_them_unless_it_may_be_one(agent, run, file):
    document = export_document(agent)
    document["flows"][0]["steps"][0]["then"] = "nowhere"
    document["flows"][0]["collect"] = ["idade"]
    for more in ([], ["--dry-run"]):
        with pytest.raises(CommandError) as refused:
            run("falai_import", file(document), "--agent", "lia", *more)
        assert "--as-draft" in str(refused.value) or "import it as a draft" in str(refused.value)
    assert Step.objects.get(flow__agent=agent).body == {"say": "Olá."}
    printed = run("falai_import", file(document), "--agent", "lia", "--as-draft")
    assert "nowhere" in printed
    assert "idade" in printed
    assert Step.objects.get(flow__agent=agent).body == {"say": "Olá.", "then": "nowhere"}


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"flows": 3}', b"\xff\xfe", '{"name": "a", "name": "b"}'], ids=range(6)
)
def test_a_broken_file_changes_nothing(agent, run, file, content):
    before = export_document(agent)
    with pytest.raises(CommandError):
        run("falai_import", file(content), "--agent", "lia")
    assert export_document(Agent.objects.get()) == before


def test_a_file_that_is_too_large_is_told(agent, run, file):
    with override_settings(FALAI_IMPORT_MAX_BYTES=10), pytest.raises(CommandError, match="at most 10"):
        run("falai_import", file(export_document(agent)), "--agent", "lia")


def test_a_file_that_is_not_there_is_told(agent, run):
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        run("falai_import", "/no/such/file.json", "--agent", "lia")


@pytest.mark.parametrize(
    ("args", "words"),
    [(["--mode", "replace"], "--agent"), (["--agent", "lia", "--mode", "replace_flow"], "--flow")],
    ids=["agent", "flow"],
)
def test_a_mode_that_needs_a_name_says_so(agent, run, file, args, words):
    with pytest.raises(CommandError, match=words):
        run("falai_import", file(export_document(agent)), *args)


def test_an_export_is_utf_8_whatever_the_terminal_speaks(agent, run, tmp_path):
    """What is redirected into a file can be imported again, and a full disk or a closed pipe is told in a sentence."""
    Agent.objects.filter(pk=agent.pk).update(name="Lia 🥕")
    path = tmp_path / "out.json"
    with path.open("w", encoding="ascii") as terminal:
        call_command("falai_export", "--agent", "lia", stdout=terminal)
    assert path.read_bytes() == document_bytes(export_document(Agent.objects.get()))
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed, pytest.raises(CommandError, match="cannot be written: Broken pipe"):
        call_command("falai_export", "--agent", "lia", stdout=closed)


@pytest.mark.parametrize(
    "args", [["--tenant", "\udcff"], ["--agent", "\udcff"], ["--agent", "lia", "--flow", "\udcff"]]
)
def test_an_argument_that_is_no_text_names_nothing(agent, run, args):
    """As a shell hands on bytes that are no UTF-8."""
    with pytest.raises(CommandError, match="There are: "):
        run("falai_export", *(args if "--agent" in args else ["--agent", "lia", *args]))
