"""What the machine made is shown, masked where fields are sensitive, and lists stay quick however long they are."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from falai_django.admin.paging import MOST_LISTED, BoundedPaginator
from falai_django.models import Message, Role, Turn, tenant_key
from falai_django.outcome_words import CODE_WORDS, KIND_WORDS, STATUS_WORDS, outcome_words
from falai_engine.records.outcomes import CODE_MESSAGES, OutcomeKind, OutcomeStatus
from tests.host.admin.doors import DOORS, addresses, url_of
from tests.host.worlds import make_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(alpha, enter):
    return enter(alpha.user(Role.VIEWER))


def test_sensitive_values_are_on_no_page(alpha, viewer):
    """The data, inputs, responses and results of a conversation, by name and wherever the value is repeated."""
    alpha.receipt.result = {"sent": "for Alphaword-sensitive", "cpf": "x-9"}
    alpha.receipt.save()
    for name in DOORS:
        for url in addresses(alpha, name).values():
            shown = viewer.get(url).content.decode()
            assert "Alphaword-sensitive" not in shown
            assert "x-9" not in shown
    assert "***" in viewer.get(url_of("session", "change", alpha.session)).content.decode()


def test_a_field_that_was_sensitive_when_it_was_published_stays_masked(alpha, viewer):
    type(alpha.hidden_field).objects.filter(pk=alpha.hidden_field.pk).update(is_sensitive=False)
    shown = viewer.get(url_of("turn", "change", alpha.turn)).content.decode()
    assert "Alphaword-sensitive" not in shown


def test_a_conversation_is_read_in_order_with_what_each_turn_did(alpha, viewer):
    session = alpha.session
    done = Turn.objects.create(
        session=session,
        kind="wake",
        key="w",
        input={},
        digest="d",
        deliver="sender",
        state="done",
        outcomes=[{"kind": "wait", "status": "ok", "code": "no-reply"}],
    )
    Message.objects.create(
        session=session, seq=2, direction="out", author="assistant", text="<b>Still there?</b>", turn=done, state="dead"
    )
    shown = viewer.get(url_of("session", "change", session)).content.decode()
    assert "&lt;b&gt;Still there?&lt;/b&gt;" in shown
    assert "The time was over without a reply." in shown
    assert "Given up" in shown
    assert shown.index("Alphaword asks") < shown.index("Still there?")


def test_a_long_conversation_is_read_page_by_page(alpha, viewer):
    for number in range(60):
        turn = Turn.objects.create(
            session=alpha.session, kind="message", key=f"k{number}", input={}, digest="d", deliver="response"
        )
        Message.objects.create(
            session=alpha.session,
            seq=100 + number,
            direction="in",
            author="customer",
            text=f"text-{number}-",
            turn=turn,
        )
    url = url_of("session", "change", alpha.session)
    last = viewer.get(url)
    assert "text-59-" in last.content.decode()
    assert "text-5-" not in last.content.decode()
    before = last.context["timeline"].earlier
    assert "text-5-" in viewer.get(url, {"before": before}).content.decode()
    assert viewer.get(url, {"before": "no number"}).status_code == 200


def test_odd_rows_are_shown_as_they_are(alpha, viewer):
    """Whatever a blob, an outcome or a response holds, its page opens."""
    alpha.session.blob = {"data": "no object", "metadata": [[[[]]]]}
    alpha.session.save()
    alpha.turn.outcomes, alpha.turn.response = ["text", None, {"kind": 5}], ["x"]
    alpha.turn.save()
    for name in ("session", "turn", "message", "receipt"):
        assert viewer.get(addresses(alpha, name)["change"]).status_code == 200


@pytest.mark.parametrize("name", sorted(DOORS))
def test_every_choice_of_every_filter_is_answered(alpha, enter, name):
    """Also those of our own filters, whose names are no columns."""
    make_world("Gammaword")
    client = enter(User.objects.create_superuser("root", "root@example.com", "x"))
    url = url_of(name, "changelist")
    changelist = client.get(url).context["cl"]
    asked = [choice["query_string"] for spec in changelist.filter_specs for choice in spec.choices(changelist)]
    for query in asked:
        assert client.get(url + query).status_code == 200, query
    if "?tenant=" in "".join(asked):
        shown = client.get(url, {"tenant": alpha.tenant.pk}).context["cl"].result_list
        assert {tenant_key(row) for row in shown} == {alpha.tenant.pk}


def test_a_list_is_narrowed_to_an_agent(alpha, viewer):
    shown = viewer.get(url_of("turn", "changelist"), {"agent": alpha.agent.pk}).context["cl"].result_list
    assert [turn.pk for turn in shown] == [alpha.turn.pk]
    assert viewer.get(url_of("turn", "changelist"), {"agent": "x' OR 1=1"}).status_code == 200


@pytest.mark.parametrize(
    ("state", "is_listed"),
    [("running", True), ("silenced", False), ("queued", False), ("failed", False), ("erasing", False)],
)
def test_conversations_are_found_by_what_they_are_in(alpha, viewer, state, is_listed):
    shown = viewer.get(url_of("session", "changelist"), {"is": state}).context["cl"].result_list
    assert (alpha.session in shown) is is_listed
    changes = {
        "silenced": {"silenced": ""},
        "queued": {"due": timezone.now()},
        "erasing": {"erasing_at": timezone.now()},
    }
    type(alpha.session).objects.filter(pk=alpha.session.pk).update(**changes.get(state, {}))
    Turn.objects.filter(pk=alpha.turn.pk).update(state="dead" if state == "failed" else "done")
    assert alpha.session in viewer.get(url_of("session", "changelist"), {"is": state}).context["cl"].result_list


def queries(client, url):
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(url).status_code == 200
    return captured.captured_queries


@pytest.mark.parametrize("name", sorted(DOORS))
def test_a_list_asks_as_often_for_many_rows_as_for_few(alpha, enter, name):
    """Constant queries, none of them reads a document, blob or body, and none counts without an end."""
    client, url = enter(alpha.user(Role.OWNER)), url_of(name, "changelist")
    client.get(url)
    few = queries(client, url)
    multiply(alpha)
    many = queries(client, url)
    assert len(many) == len(few)
    assert not [each["sql"] for each in many if '"document"' in each["sql"] or '"blob"' in each["sql"]]
    counts = [each["sql"] for each in many if "COUNT(*)" in each["sql"] and "flow" not in each["sql"]]
    assert not [sql for sql in counts if f"LIMIT {MOST_LISTED}" not in sql and "LIMIT 21" not in sql]


def multiply(world, times=9):
    """Ten times as many rows in the tenant."""
    for number in range(times):
        other = make_world(f"Copy{number}", agents=1)
        for model, row in other.rows().items():
            if model.__name__ in ("Secret", "ApiKey", "ModelProvider", "AuditRecord", "Sender", "Membership", "Agent"):
                move(model, row.pk, tenant=world.tenant.pk)


def move(model, key, **columns):
    """Past the checks of the ORM, which let no row move."""
    table = connection.ops.quote_name(model._meta.db_table)
    sets = ", ".join(f"{connection.ops.quote_name(name + '_id')} = %s" for name in columns)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {sets} WHERE id = %s", [*columns.values(), key])  # noqa: S608 - our own names


def test_a_list_counts_no_further_than_it_shows(alpha, monkeypatch):
    monkeypatch.setattr("falai_django.admin.paging.MOST_LISTED", 3)
    for number in range(5):
        Message.objects.create(session=alpha.session, seq=10 + number, direction="in", author="customer", text="x")
    assert BoundedPaginator(Message.objects.order_by("pk"), 2).count == 3


def test_every_code_of_an_outcome_has_our_words():
    """The engine's sentences, word for word, so that each can be translated."""
    assert {code: str(told) for code, told in CODE_WORDS.items()} == {str(k): v for k, v in CODE_MESSAGES.items()}
    assert set(KIND_WORDS) == set(OutcomeKind)
    assert set(STATUS_WORDS) == set(OutcomeStatus)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"kind": "say", "status": "ok"}, "Fixed text: done."),
        ({"kind": "wait", "status": "ok", "code": "replied"}, "Wait: done. The customer replied."),
        ({"kind": "do", "status": "failed", "code": "ours"}, "Action: failed. ours."),
        ("odd", "odd"),
    ],
    ids=["plain", "code", "own-code", "odd"],
)
def test_an_outcome_in_words(line, told):
    assert outcome_words(line) == told
