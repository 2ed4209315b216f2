"""Nobody sees, reaches or points at a row of another tenant, on no page; nobody does more than the role allows."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db.models import ForeignKey
from django.test import Client
from django.urls import reverse

from falai_django.models import Role, Tenant, tenant_lookup
from falai_django.roles import rank
from tests.host.admin.doors import DOORS, NOBODY, ROLES, STANDARD, addresses, doors_found, registered, url_of
from tests.host.admin.posting import inputs_of, post_of
from tests.host.worlds import all_models

pytestmark = pytest.mark.django_db

NAMES = sorted(DOORS)
OTHERS_WORD = "betaword"


def reaches(role, least):
    return least != NOBODY and rank(role) >= rank(least)


def everything(world):
    """All that is stored of a tenant, to be compared before and after."""
    stored = {}
    for model in all_models().values():
        rows = model.objects.filter(**{tenant_lookup(model): world.tenant.pk})
        stored[model.__name__] = list(rows.order_by("pk").values())
    return stored


def shows(response):
    """The page as text, small letters; what the request itself said is no news."""
    return response.content.decode(errors="replace").lower() if hasattr(response, "content") else ""


def test_every_door_is_in_the_table():
    """A new ModelAdmin, and a new page of one, is walked by the tests below or fails here."""
    table = {(name, each) for name, door in DOORS.items() for each in (*STANDARD, *door.pages, *door.list_pages)}
    assert doors_found() == table


def test_no_page_lists_users_to_pick_from():
    """No form of ours has a picker of users, and none can be looked up through ours."""
    for model_admin in registered().values():
        for relation in model_admin.model._meta.get_fields():
            if isinstance(relation, ForeignKey) and relation.related_model is User:
                assert relation.name not in model_admin.autocomplete_fields
                assert relation.name not in model_admin.raw_id_fields


@pytest.mark.parametrize("name", NAMES)
def test_each_role_opens_what_it_may_and_sees_nothing_of_another_tenant(alpha, beta, enter, name):
    """Lists, forms with their pickers, histories, deletions, our own pages."""
    door = DOORS[name]
    for role in ROLES:
        client = enter(alpha.user(role))
        for each, url in addresses(alpha, name).items():
            response = client.get(url)
            assert response.status_code == (200 if reaches(role, door.least(each)) else 403), (role, each)
            assert OTHERS_WORD not in shows(response), (role, each)
    assert "alphaword" in shows(client.get(url_of(name, "changelist"))) or name == "tokencount"


@pytest.mark.parametrize("name", NAMES)
def test_no_way_of_asking_shows_anything_of_another_tenant(alpha, beta, enter, name):
    """As a popup, with everything on one page, and what else the query string may say."""
    client = enter(alpha.user(Role.OWNER))
    for each, url in addresses(alpha, name).items():
        for query in ("?_popup=1&_to_field=id", "?all=", "?o=1.2&p=1", "?e=1"):
            assert OTHERS_WORD not in shows(client.get(url + query)), (each, query)


@pytest.mark.parametrize("name", NAMES)
def test_nobody_changes_what_the_role_does_not_reach(alpha, enter, name):
    """The form of somebody who may is sent by somebody who may not: by each door, by the actions too."""
    door, urls = DOORS[name], addresses(alpha, name)
    owner = enter(alpha.user(Role.OWNER))
    forms = {each: owner.get(url) for each, url in urls.items()}
    clients = {role: enter(alpha.user(role)) for role in ROLES}
    before = everything(alpha)
    for role, client in clients.items():
        for each, url in urls.items():
            least = door.change if each == "change" else door.least(each)
            if each in ("changelist", "history") or reaches(role, least):
                continue
            data = post_of(forms[each]) if forms[each].status_code == 200 else {"post": "yes"}
            assert client.post(url, data).status_code in (302, 403), (role, each)
        for action in registered()[name].actions:
            if not reaches(role, door.actions):
                row = alpha.tenant if name == "tenant" else alpha.row(registered()[name].model)
                client.post(url_of(name, "changelist"), {"action": action, "_selected_action": [row.pk]})
    assert everything(alpha) == before


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_another_tenant_are_not_there(alpha, beta, enter, name):
    """Read and posted, by every role: the answer is as for a row that never was, and nothing of theirs changed."""
    owner = enter(beta.user(Role.OWNER))
    theirs = addresses(beta, name)
    forms = {each: owner.get(url) for each, url in theirs.items()}
    row = beta.tenant if name == "tenant" else beta.row(registered()[name].model)
    clients = {role: enter(alpha.user(role)) for role in ROLES}
    before = everything(beta)
    for role, client in clients.items():
        for each, url in theirs.items():
            if url in (url_of(name, "changelist"), url_of(name, "add")) or each in DOORS[name].list_pages:
                continue
            answers = [client.get(url + ("?_popup=1&_to_field=id" if role == Role.OWNER else ""))]
            data = post_of(forms[each]) if forms[each].status_code == 200 else {"post": "yes"}
            answers.append(client.post(url, data))
            for answer in answers:
                assert answer.status_code in (302, 403, 404), (role, each, answer.status_code)
                assert OTHERS_WORD not in shows(answer)
        gone = client.get(url_of(name, "change", row), follow=True)
        never = client.get(reverse(f"admin:falai_{name}_change", args=[987_654]), follow=True)
        told = [[each.message for each in answer.context["messages"]][-1] for answer in (gone, never)]
        assert told[0].replace(str(row.pk), "N") == told[1].replace("987654", "N")
        for action in (*registered()[name].actions, "delete_selected"):
            client.post(url_of(name, "changelist"), {"action": action, "_selected_action": [row.pk], "post": "yes"})
    assert everything(beta) == before


@pytest.mark.parametrize("name", NAMES)
def test_no_form_takes_a_row_of_another_tenant(alpha, beta, enter, name):
    """Each picker of each form, given the key of a row of theirs, refuses it."""
    client = enter(alpha.user(Role.OWNER))
    pairs = []
    for each, url in addresses(alpha, name).items():
        if each in ("changelist", "history", "delete"):
            continue
        response = client.get(url)
        if response.status_code != 200 or not response["Content-Type"].startswith("text/html"):
            continue
        for picker in inputs_of(response):
            target = target_of(name, picker)
            if target is not None:
                pairs.append((url, picker, target))
                key = beta.tenant.pk if target is Tenant else beta.row(target).pk
                client.post(url, post_of(response, (picker, str(key))))
    own = {
        model.__name__: [row["id"] for row in rows]
        for model, rows in ((m, stored(m, alpha)) for m in all_models().values())
    }
    for model in all_models().values():
        for relation in (field for field in model._meta.concrete_fields if field.is_relation):
            if relation.related_model.__name__ in own:
                keys = {row[relation.attname] for row in stored(model, alpha)} - {None}
                assert keys <= set(own[relation.related_model.__name__])
    assert pairs or name in PICKERLESS


PICKERLESS = {name for name, door in DOORS.items() if door.add == NOBODY and not door.list_pages}


def stored(model, world):
    return list(model.objects.filter(**{tenant_lookup(model): world.tenant.pk}).values())


def target_of(name, input_name):
    """The model that an input of a form points at."""
    if input_name == "tenant":
        return Tenant
    model = registered()[name].model
    relations = {field.name: field.related_model for field in model._meta.concrete_fields if field.is_relation}
    target = relations.get(input_name)
    return target if target in all_models().values() else None


@pytest.mark.parametrize("name", NAMES)
def test_lists_find_nothing_of_another_tenant(alpha, beta, enter, name):
    """Searched for by their words, filtered by their keys, and asked by look-ups that no filter offers."""
    client, url = enter(alpha.user(Role.OWNER)), url_of(name, "changelist")
    model_admin = registered()[name]
    row = beta.tenant if name == "tenant" else beta.row(model_admin.model)
    for word in ("Betaword", "betaword", "company"):
        changelist = client.get(url, {"q": word}).context["cl"]
        assert row not in changelist.result_list
    for path in ("tenant", "agent", "pk", "id", tenant_lookup(model_admin.model), "tenant__id__exact"):
        for key in (beta.tenant.pk, beta.agent.pk, row.pk):
            response = client.get(url, {path: key}, follow=True)
            assert OTHERS_WORD not in shows(response)


@pytest.mark.parametrize("name", NAMES)
def test_filters_offer_nothing_of_another_tenant(alpha, beta, enter, name):
    client = enter(alpha.user(Role.OWNER))
    changelist = client.get(url_of(name, "changelist")).context["cl"]
    told = [str(choice["display"]) for spec in changelist.filter_specs for choice in spec.choices(changelist)]
    assert not [each for each in told if OTHERS_WORD in each.lower()]


@pytest.mark.parametrize("name", NAMES)
def test_no_look_up_tells_what_no_page_shows(alpha, enter, name):
    """Letter by letter, `?ciphertext__startswith=` would tell a secret: only what a filter offers is answered."""
    client, url = enter(alpha.user(Role.OWNER)), url_of(name, "changelist")
    for column in registered()[name].model._meta.concrete_fields:
        if column.name in registered()[name].list_filter:
            continue
        assert client.get(url, {f"{column.name}__startswith": "a"}).status_code in (302, 400)


@pytest.mark.parametrize("name", NAMES)
def test_an_address_that_nobody_was_given_is_no_failure(alpha, enter, name):
    """Keys with more digits than a number may have, and texts that PostgreSQL does not take."""
    client, url = enter(alpha.user(Role.OWNER)), url_of(name, "changelist")
    asked = [
        each if isinstance(each, str) else getattr(each, "parameter_name", "q")
        for each in registered()[name].list_filter
    ]
    for key in ("q", "p", "o", *asked):
        for value in ("9" * 5_000, "9" * 30, "a\x00b"):
            assert client.get(url, {key: value}).status_code in (200, 302, 400), (key, value[:5])
    for value in ("9" * 5_000, "9" * 30, "a\x00b"):
        for each, page in addresses(alpha, name).items():
            if each not in ("changelist", *DOORS[name].pages):
                assert client.get(page, {"before": value, "agent": value}).status_code in (200, 302, 403)


def test_a_token_that_is_no_number_is_told(alpha, enter):
    """A deletion with a state of so many digits is refused as one without any."""
    client = enter(alpha.user(Role.OWNER))
    for version in ("9" * 5_000, "x", ""):
        client.post(url_of("step", "delete", alpha.step), {"post": "yes", "version": version})
        assert alpha.step.__class__.objects.filter(pk=alpha.step.pk).exists()


def test_autocomplete_offers_no_row_of_another_tenant(alpha, beta, enter):
    """Asked for every relation that there is."""
    for role in ROLES:
        client = enter(alpha.user(role))
        for model in all_models().values():
            for field in (each for each in model._meta.get_fields() if each.is_relation and hasattr(each, "attname")):
                asked = {"app_label": "falai", "model_name": model._meta.model_name, "field_name": field.name}
                for term in ("", "Betaword", "beta"):
                    response = client.get(reverse("admin:autocomplete"), {**asked, "term": term})
                    assert response.status_code in (200, 403)
                    assert OTHERS_WORD not in shows(response)


def test_the_other_pages_of_the_site_show_nothing_of_another_tenant(alpha, beta, enter):
    """The index, the app's page, and the way from a row to its page outside."""
    for role in ROLES:
        client = enter(alpha.user(role))
        for url in (reverse("admin:index"), reverse("admin:app_list", args=["falai"])):
            assert OTHERS_WORD not in shows(client.get(url))
        for model in all_models().values():
            kind = ContentType.objects.get_for_model(model)
            row = beta.tenant if model is Tenant else beta.row(model)
            assert client.get(reverse("admin:view_on_site", args=[kind.pk, row.pk])).status_code == 404


def test_the_index_shows_every_page_that_a_member_may_open(alpha, enter):
    shown = shows(enter(alpha.user(Role.VIEWER)).get(reverse("admin:index")))
    for name in NAMES:
        assert url_of(name, "changelist") in shown


@pytest.mark.parametrize("name", NAMES)
def test_who_is_no_member_finds_nothing(alpha, enter, name):
    """Staff of the site who belong to no tenant, and everybody who is not logged in."""
    stranger = User.objects.create_user("stranger", "s@example.com", "x", is_staff=True)
    for url in addresses(alpha, name).values():
        assert enter(stranger).get(url).status_code in (302, 403)
        assert "alphaword" not in shows(enter(stranger).get(url, follow=True))
    nobody = enter(User.objects.create_user("outside", "o@example.com", "x"))
    assert nobody.get(url_of(name, "changelist")).status_code == 302


def test_a_member_of_two_tenants_points_at_rows_of_the_same_tenant_only(alpha, beta, enter):
    """A form may offer both tenants' rows; what it makes lies in one."""
    user = alpha.user(Role.OWNER)
    beta.membership.__class__.objects.create(user=user, tenant=beta.tenant, role=Role.OWNER)
    client = enter(user)
    url = url_of("sender", "add")
    data = {"tenant": alpha.tenant.pk, "name": "Crossed", "kind": "webhook", "url": "https://example.com/in"}
    response = client.post(url, {**data, "secret": beta.secret.pk})
    assert response.status_code == 200
    assert "belongs elsewhere" in response.content.decode()
    assert client.post(url, {**data, "secret": alpha.secret.pk}).status_code == 302
    change = client.get(url_of("sender", "change", alpha.sender)).content.decode()
    assert f'value="{beta.secret.pk}"' not in re.search(r'<select name="secret".*?</select>', change, re.DOTALL)[0]


def test_state_changes_only_by_a_post_with_its_token(alpha):
    """Each page of ours refuses a POST without the CSRF token."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(alpha.user(Role.OWNER))
    before = everything(alpha)
    for name, door in DOORS.items():
        for each, url in addresses(alpha, name).items():
            if each not in ("changelist", "history"):
                assert client.post(url, {"post": "yes"}).status_code == 403, (name, each)
        assert door
    assert everything(alpha) == before


def test_every_page_of_ours_has_the_content_policy(alpha, enter, settings):
    """Also on a site that has no middleware for it."""
    settings.MIDDLEWARE = [each for each in settings.MIDDLEWARE if "content_policy" not in each]
    client = enter(alpha.user(Role.OWNER))
    for name in NAMES:
        for url in addresses(alpha, name).values():
            response = client.get(url)
            if response.status_code == 200:
                assert "default-src 'self'" in response.headers["Content-Security-Policy"]


def test_the_demo_site_has_the_content_policy_on_every_page(client):
    assert "default-src 'self'" in client.get(reverse("admin:login")).headers["Content-Security-Policy"]
