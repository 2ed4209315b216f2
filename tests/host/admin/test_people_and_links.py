"""Members, keys, secrets, providers and senders: made by owners, and nothing that is secret is ever on a page."""

from __future__ import annotations

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as BrowserSession

from falai_django.encryption import decrypt
from falai_django.models import ApiKey, AuditRecord, Membership, ModelProvider, Role, Secret, Sender
from falai_django.registry import isolated, sender
from tests.host.admin.doors import DOORS, addresses, url_of
from tests.host.admin.posting import form_of, inputs_of, post_of

pytestmark = pytest.mark.django_db

VALUE = "sk-Very-Secret-0123456789"


@pytest.fixture
def owner(alpha, enter):
    return enter(alpha.user(Role.OWNER))


def test_a_member_is_invited_by_address_and_picked_from_no_list(
    alpha, owner, mailoutbox, django_capture_on_commit_callbacks
):
    User.objects.create_user("secretly-known", "known@example.com", "x")
    url = url_of("membership", "add")
    page = owner.get(url)
    assert "secretly-known" not in page.content.decode()
    assert set(inputs_of(page)) == {"csrfmiddlewaretoken", "tenant", "email", "role"}
    with django_capture_on_commit_callbacks(execute=True):
        response = owner.post(url, post_of(page, ("email", "new@example.com"), ("role", Role.AUTHOR)), follow=True)
    assert Membership.objects.get(user__email="new@example.com", tenant=alpha.tenant).role == Role.AUTHOR
    assert [mail.to for mail in mailoutbox] == [["new@example.com"]]
    link = re.search(r"/admin/password/\S+", mailoutbox[0].body)[0]
    assert link not in response.content.decode()


def test_who_is_a_member_already_is_told_at_the_address(alpha, owner):
    url = url_of("membership", "add")
    data = post_of(owner.get(url), ("email", alpha.membership.user.email), ("role", Role.AUTHOR))
    refused = owner.post(url, data).content.decode()
    assert "is a member already" in refused
    assert alpha.membership.user.email in refused


def test_a_role_is_changed_and_a_member_taken_out(alpha, owner):
    url = url_of("membership", "change", alpha.membership)
    owner.post(url, post_of(owner.get(url), ("role", Role.OPERATOR)))
    assert Membership.objects.get(pk=alpha.membership.pk).role == Role.OPERATOR
    owner.post(url_of("membership", "delete", alpha.membership), {"post": "yes"})
    assert not Membership.objects.filter(pk=alpha.membership.pk).exists()


def test_the_last_owner_stays_and_is_told_why(alpha, owner):
    own = Membership.objects.get(user=alpha.user(Role.OWNER))
    url = url_of("membership", "change", own)
    assert "only owner" in owner.post(url, post_of(owner.get(url), ("role", Role.VIEWER))).content.decode()
    response = owner.post(url_of("membership", "delete", own), {"post": "yes"}, follow=True)
    assert "only owner" in response.content.decode()
    assert Membership.objects.get(pk=own.pk).role == Role.OWNER


def test_everybody_may_leave(alpha, enter):
    own = Membership.objects.get(user=alpha.user(Role.VIEWER))
    enter(alpha.user(Role.VIEWER)).post(url_of("membership", "delete", own), {"post": "yes"})
    assert not Membership.objects.filter(pk=own.pk).exists()


def test_an_invitation_is_sent_again_by_a_post(alpha, owner, mailoutbox, django_capture_on_commit_callbacks):
    url = url_of("membership", "invite-again", alpha.membership)
    with django_capture_on_commit_callbacks(execute=True):
        page = owner.get(url)
    assert not mailoutbox
    with django_capture_on_commit_callbacks(execute=True):
        owner.post(url, post_of(page))
    assert [mail.to for mail in mailoutbox] == [[alpha.membership.user.email]]


# Keys


def test_the_secret_of_a_key_is_shown_once_and_kept_nowhere(alpha, owner):
    url = url_of("apikey", "add")
    data = post_of(owner.get(url), ("name", "The shop"), ("scopes", "turns"), ("scopes", "read"))
    made = owner.post(url, data)
    key = ApiKey.objects.get(name="The shop")
    (secret,) = re.findall(r'id="falai-new-secret"[^>]*value="([^"]+)"', made.content.decode())
    assert secret.startswith(key.prefix)
    assert key.scopes == ["turns", "read"]
    assert "no-store" in made.headers["Cache-Control"]
    for name in DOORS:
        for each in addresses(alpha, name).values():
            assert secret not in owner.get(each).content.decode()
    for url in (url_of("apikey", "change", key), url_of("apikey", "history", key)):
        assert secret not in owner.get(url).content.decode()
    kept = [*LogEntry.objects.values(), *AuditRecord.objects.values(), *ApiKey.objects.values()]
    assert secret not in repr(kept)
    assert not [each for each in BrowserSession.objects.all() if secret in repr(each.get_decoded())]


def test_a_key_needs_a_name_and_something_it_may_do(alpha, owner):
    url = url_of("apikey", "add")
    refused = owner.post(url, post_of(owner.get(url), ("name", "Nothing")))
    assert "Choose at least one of “Take turns”, “Read”, “Read sensitive fields too”" in refused.content.decode()
    assert not ApiKey.objects.filter(name="Nothing").exists()


def test_a_key_is_revoked_by_its_page_and_from_the_list(alpha, owner):
    url = url_of("apikey", "revoke", alpha.api_key)
    owner.post(url, post_of(owner.get(url)))
    assert ApiKey.objects.get(pk=alpha.api_key.pk).revoked_at is not None
    other = ApiKey.objects.create(tenant=alpha.tenant, name="Second", prefix="p2", digest="d2")
    chosen = {"action": "revoke_all", "_selected_action": [other.pk]}
    assert "1 key was revoked." in owner.post(url_of("apikey", "changelist"), chosen, follow=True).content.decode()
    assert ApiKey.objects.get(pk=other.pk).revoked_at is not None


# Secrets


def test_a_secret_goes_in_and_never_comes_out(alpha, owner):
    url = url_of("secret", "add")
    page = owner.get(url)
    assert 'type="password"' in form_of(page)
    data = post_of(page, ("name", "crm"), ("value", VALUE), ("allowed_hosts", "api.example.com\nb.example.com\n"))
    owner.post(url, data)
    secret = Secret.objects.get(name="crm")
    assert (decrypt(secret.ciphertext), secret.allowed_hosts) == (VALUE, ["api.example.com", "b.example.com"])
    alpha.secret = secret
    for name in DOORS:
        for each in addresses(alpha, name).values():
            shown = owner.get(each).content.decode()
            assert VALUE not in shown
            assert secret.ciphertext not in shown
    assert VALUE not in repr([*LogEntry.objects.values(), *AuditRecord.objects.values()])


def test_only_a_secret_that_is_there_can_stay_as_it_is(alpha, owner):
    for url, is_there in ((url_of("secret", "add"), False), (url_of("secret", "change", alpha.secret), True)):
        form = form_of(owner.get(url))
        assert "Never shown again." in form
        assert ("Empty: it stays as it is." in form) is is_there


def test_a_refused_secret_is_not_shown_either(alpha, owner):
    url = url_of("secret", "add")
    refused = owner.post(url, post_of(owner.get(url), ("name", "Not A Slug"), ("value", VALUE)))
    assert refused.status_code == 200
    assert VALUE not in refused.content.decode()


def test_hosts_are_changed_without_the_value(alpha, owner):
    url = url_of("secret", "add")
    owner.post(url, post_of(owner.get(url), ("name", "crm"), ("value", VALUE), ("allowed_hosts", "a.example.com")))
    secret = Secret.objects.get(name="crm")
    url = url_of("secret", "change", secret)
    owner.post(url, post_of(owner.get(url), ("allowed_hosts", "c.example.com")))
    secret.refresh_from_db()
    assert (decrypt(secret.ciphertext), secret.allowed_hosts) == (VALUE, ["c.example.com"])
    refused = owner.post(url, post_of(owner.get(url), ("allowed_hosts", "https://c.example.com/x")))
    assert "is no host" in refused.content.decode()


def test_a_secret_in_use_is_not_deleted(alpha, owner):
    response = owner.post(url_of("secret", "delete", alpha.secret), {"post": "yes"}, follow=True)
    assert "is used by" in response.content.decode()
    assert Secret.objects.filter(pk=alpha.secret.pk).exists()


# Providers and senders


def test_sampling_is_typed_as_numbers_and_what_has_no_input_stays(alpha, owner):
    provider = ModelProvider.objects.create(
        tenant=alpha.tenant, kind="offline", sampling={"temperature": 0.2, "extra_body": {"seed": 1}}
    )
    url = url_of("modelprovider", "change", provider)
    page = owner.get(url)
    assert 'value="0.2"' in form_of(page)
    owner.post(url, post_of(page, ("temperature", ""), ("max_tokens", "200"), ("stop", "END\n\nSTOP")))
    provider.refresh_from_db()
    assert provider.sampling == {"extra_body": {"seed": 1}, "max_tokens": 200, "stop": ["END", "STOP"]}


def test_an_unchanged_provider_stays_as_it_is(alpha, owner):
    provider = ModelProvider.objects.create(tenant=alpha.tenant, kind="offline", sampling={"top_p": 1, "timeout": 5})
    url = url_of("modelprovider", "change", provider)
    assert owner.post(url, post_of(owner.get(url))).status_code == 302
    provider.refresh_from_db()
    assert repr(provider.sampling) == repr({"top_p": 1, "timeout": 5})


def test_models_are_asked_in_the_order_that_an_owner_gives_them(alpha, owner):
    ModelProvider.objects.filter(tenant=alpha.tenant).delete()
    rows = [ModelProvider.objects.create(tenant=alpha.tenant, kind="offline", model=n, position=0) for n in "abc"]

    def order():
        return "".join(ModelProvider.objects.filter(tenant=alpha.tenant).values_list("model", flat=True))

    url = url_of("modelprovider", "changelist")
    owner.post(url, {"action": "ask_earlier", "_selected_action": [rows[2].pk]})
    assert order() == "acb"
    owner.post(url, {"action": "ask_later", "_selected_action": [rows[0].pk, rows[2].pk]})
    assert order() == "bac"


def test_a_key_of_the_site_is_offered_to_superusers_alone(alpha, owner, enter, settings):
    settings.FALAI_CREDENTIAL_ENV = ("VENDOR_KEY",)
    root = enter(User.objects.create_superuser("root", "root@example.com", "x"))
    url = url_of("modelprovider", "add")
    assert "VENDOR_KEY" in root.get(url).content.decode()
    assert "credential_env" not in inputs_of(owner.get(url))
    owner.post(url, post_of(owner.get(url), ("kind", "offline"), ("credential_env", "VENDOR_KEY")))
    assert not ModelProvider.objects.filter(credential_env="VENDOR_KEY").exists()


def test_a_sender_of_each_kind_is_made_and_refused_at_its_input(alpha, owner):
    with isolated():
        sender("crm.send")(lambda _message: None)
        sender("theirs.send", tenants=["another"])(lambda _message: None)
        url = url_of("sender", "add")
        page = owner.get(url)
        assert "crm.send" in page.content.decode()
        assert "theirs.send" not in page.content.decode()
        data = post_of(page, ("name", "By code"), ("kind", "python"), ("python_name", "crm.send"))
        assert owner.post(url, data).status_code == 302
    assert owner.post(url, post_of(page, ("name", "By hand"), ("kind", "poll"))).status_code == 302
    refused = owner.post(url, post_of(page, ("name", "Hook"), ("kind", "webhook"), ("url", "nonsense")))
    assert refused.context["adminform"].form.errors["url"][0].startswith("The URL does not begin with https://")
    assert set(Sender.objects.filter(tenant=alpha.tenant).values_list("kind", flat=True)) == {
        "python",
        "poll",
        "webhook",
    }


def test_a_provider_is_refused_at_its_url(alpha, owner):
    url = url_of("modelprovider", "add")
    refused = owner.post(url, post_of(owner.get(url), ("kind", "openai"), ("model", "m"), ("base_url", "nonsense")))
    assert refused.context["adminform"].form.errors["base_url"][0].startswith("The URL does not begin with https://")


def test_what_is_live_is_seen_by_the_next_turn(alpha, owner):
    """Every save of what is live raises the tenant's configuration version."""
    before = alpha.tenant.config_version
    url = url_of("sender", "change", alpha.sender)
    owner.post(url, post_of(owner.get(url), ("name", "Renamed")))
    alpha.tenant.refresh_from_db()
    assert alpha.tenant.config_version > before
