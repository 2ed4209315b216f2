"""People with a role in another tenant, and people whose role ended while a page was open."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from falai_django.models import Role
from tests.host.admin.doors import DOORS, addresses, registered, url_of
from tests.host.admin.posting import post_of
from tests.host.admin.test_doors import NAMES, everything, reaches

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", NAMES)
def test_a_role_elsewhere_lends_nothing_here(alpha, beta, enter, name):
    """Who owns one tenant and may only look at another sees its pages, and changes nothing by any of them."""
    owner = enter(alpha.user(Role.OWNER))
    urls, door = addresses(alpha, name), DOORS[name]
    forms = {each: owner.get(url) for each, url in urls.items()}
    user = alpha.user(Role.VIEWER)
    beta.membership.__class__.objects.create(user=user, tenant=beta.tenant, role=Role.OWNER)
    client, before = enter(user), everything(alpha)
    with_row = [each for each in urls if each not in ("changelist", "add", *door.list_pages)]
    for each in with_row:
        expected = 200 if reaches(Role.VIEWER, door.least(each)) else 403
        assert client.get(urls[each]).status_code == expected, each
    for each in (*with_row, "add", *door.list_pages):
        data = post_of(forms[each]) if forms[each].status_code == 200 else {"post": "yes"}
        client.post(urls[each], {**data, "tenant": [str(alpha.tenant.pk)]})
    row = alpha.tenant if name == "tenant" else alpha.row(registered()[name].model)
    for action in (*registered()[name].actions, "delete_selected"):
        client.post(urls["changelist"], {"action": action, "_selected_action": [row.pk], "post": "yes"})
    assert everything(alpha) == before


@pytest.mark.parametrize("name", NAMES)
def test_no_row_moves_to_the_other_tenant_of_its_owner(alpha, beta, enter, name):
    """Neither for who owns both nor for a superuser, whatever a page that was tampered with names."""
    user = alpha.user(Role.OWNER)
    beta.membership.__class__.objects.create(user=user, tenant=beta.tenant, role=Role.OWNER)
    root = User.objects.create_superuser("root", "root@example.com", "x")
    row = alpha.tenant if name == "tenant" else alpha.row(registered()[name].model)
    theirs = {
        "tenant": beta.tenant,
        "agent": beta.agent,
        "flow": beta.flow,
        "session": beta.session,
        "user": beta.user(Role.OWNER),
    }
    for client in (enter(user), enter(root)):
        page = client.get(url_of(name, "change", row))
        data = post_of(page) if page.status_code == 200 else {}
        forged = {key: [str(target.pk)] for key, target in theirs.items()}
        ids = {f"{key}_id": value for key, value in forged.items()}
        client.post(url_of(name, "change", row), {**data, **forged, **ids})
        fresh = type(row).objects.get(pk=row.pk)
        for key in theirs:
            assert getattr(fresh, f"{key}_id", None) == getattr(row, f"{key}_id", None)


@pytest.mark.parametrize("become", ["removed", "demoted", "inactive", "no staff"])
def test_an_open_page_goes_by_the_role_of_now(alpha, enter, become):
    """Who filled a form in, or looked at an import, and is no author any more when they send it."""
    author = alpha.user(Role.AUTHOR)
    client = enter(author)
    urls = {name: addresses(alpha, name)["change"] for name in ("agent", "flow", "step", "field")}
    pages = {url: post_of(client.get(url), ("label", "Mine"), ("name", "Mine")) for url in urls.values()}
    upload = url_of("agent", "import", alpha.agent)
    pages[upload] = post_of(client.post(upload, {"mode": "replace", "text": '{"flows": []}'}), ("as_draft", "1"))
    assert "planned" in pages[upload]
    membership = alpha.membership.__class__.objects.filter(user=author)
    if become == "removed":
        membership.delete()
    elif become == "demoted":
        membership.update(role=Role.VIEWER)
    else:
        User.objects.filter(pk=author.pk).update(**{"is_active" if become == "inactive" else "is_staff": False})
    before = everything(alpha)
    for url, data in pages.items():
        assert client.post(url, data).status_code in (302, 403)
    assert everything(alpha) == before


def test_a_sealed_import_is_carried_out_where_it_was_looked_at(alpha, beta, enter):
    """Not for another agent, not by who may do nothing in its tenant, not when it was written by somebody else."""
    upload = url_of("agent", "import", alpha.agent)
    sealed = post_of(enter(alpha.user(Role.AUTHOR)).post(upload, {"mode": "replace", "text": '{"flows": []}'}))
    sealed["as_draft"] = ["1"]
    stranger, member = enter(beta.user(Role.OWNER)), enter(alpha.user(Role.OWNER))
    before = everything(alpha), everything(beta)
    stranger.post(upload, sealed)
    stranger.post(url_of("agent", "import", beta.agent), sealed)
    stranger.post(url_of("agent", "import-new"), sealed)
    member.post(url_of("agent", "import", alpha.other.agent), sealed)
    member.post(upload, {**sealed, "planned": [f"x{sealed['planned'][0]}"]})
    assert (everything(alpha), everything(beta)) == before
