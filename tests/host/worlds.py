"""Tenants full of rows, for tests that ask what of one tenant another can see, touch or point at.

`make_world` makes at least one row of every model; a test says so, and a new model without one fails it. Every text of
a world holds the world's word, which is no word of the product: where it shows up, something of that tenant does.
"""

from __future__ import annotations

import hashlib
from datetime import date, time, timedelta

from django.apps import apps
from django.contrib.auth.models import User
from django.utils import timezone

from falai_django import models
from falai_django.models import Role, Tenant

__all__ = ["World", "all_models", "make_world", "slug_word"]


def all_models():
    """Every model of the app, by its name."""
    return {model.__name__: model for model in apps.get_app_config("falai").get_models()}


def slug_word(word):
    """The word as a slug may hold it."""
    return word.lower()


def _digest(*parts):
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


class World:
    """A tenant with two agents. `world.flow` is the first agent's row, `world.other.flow` the second one's.

    Rows of the tenant itself (`secret`, `sender` ...) are in both.
    """

    def __init__(self, word):
        self.word = word
        self.slug = slug_word(word)
        self.other = None
        self.users = {}

    def rows(self):
        """Model -> one row of it."""
        found = {}
        for name, model in all_models().items():
            found[model] = getattr(self, _attribute(name))
        return found

    def row(self, model):
        return getattr(self, _attribute(model.__name__))

    def user(self, role):
        """A member of this role, made when first asked for; may enter the admin."""
        if role not in self.users:
            name = f"{self.slug}-{role}"
            user = User.objects.create_user(name, f"{name}@example.com", "pass-word-1", is_staff=True)
            models.Membership.objects.create(user=user, tenant=self.tenant, role=role)
            self.users[role] = user
        return self.users[role]


def _attribute(name):
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def make_world(word, *, agents=2):
    """A tenant, everything beside its agents, and so many agents full of rows (the first two can be asked for)."""
    world = World(word)
    _fill_tenant(world)
    _fill_agent(world, "one")
    for number in range(1, agents):
        other = World(word)
        other.__dict__.update({**world.__dict__, "other": None})
        _fill_agent(other, f"more{number}")
        world.other = world.other or other
    return world


def _fill_tenant(world):
    word, slug = world.word, world.slug
    tenant = Tenant.objects.create(slug=slug, name=f"{word} company", time_zone="America/Sao_Paulo", locale="pt-br")
    world.tenant = tenant
    world.opening_span = models.OpeningSpan.objects.create(tenant=tenant, weekday=0, opens=time(8), closes=time(18))
    world.holiday = models.Holiday.objects.create(tenant=tenant, date=date(2030, 1, 1), name=f"{word} day")
    member = User.objects.create_user(f"{slug}-member", f"{slug}-member@example.com", "x")
    world.membership = models.Membership.objects.create(user=member, tenant=tenant, role=Role.VIEWER)
    world.api_key = models.ApiKey.objects.create(
        tenant=tenant, name=f"{word} key", prefix=f"{slug[:8]}-1", digest=_digest(word), scopes=["turns", "read"]
    )
    world.secret = models.Secret.objects.create(
        tenant=tenant, name=f"{slug}-secret", ciphertext=f"{word} ciphertext", allowed_hosts=[f"{slug}.example.com"]
    )
    world.model_provider = models.ModelProvider.objects.create(
        tenant=tenant, kind="offline", model=f"{word}-model", secret=world.secret, sampling={"temperature": 0.2}
    )
    world.sender = models.Sender.objects.create(
        tenant=tenant, name=f"{word} sender", kind="webhook", url=f"https://{slug}.example.com/in", secret=world.secret
    )
    world.audit_record = models.AuditRecord.objects.create(
        tenant=tenant, actor_name=f"{word} actor", action="publish", target=f"{word} target", detail={"note": word}
    )
    world.token_count = models.TokenCount.objects.create(tenant=tenant, day=date(2030, 1, 1), tokens=12)


def _fill_agent(world, which):
    word, slug = world.word, world.slug
    agent = models.Agent.objects.create(
        tenant=world.tenant,
        slug=f"{slug}-{which}",
        name=f"{word} {which}",
        goal=f"{word} goal",
        persona=f"{word} persona",
        knowledge_base=f"{word} knowledge",
        instructions=[{"id": "i1", "prompt": f"{word} instruction"}],
        apology=f"{word} apology",
        off_text=f"{word} off",
        trouble="model",
        trouble_detail=f"{word} trouble",
        trouble_at=timezone.now(),
        sender=world.sender,
    )
    world.agent = agent
    world.field = models.Field.objects.create(
        agent=agent, slug="nome", label=f"{word} name", description=f"{word} field", ask=f"{word} ask"
    )
    world.hidden_field = models.Field.objects.create(
        agent=agent, slug="cpf", label=f"{word} id", is_sensitive=True, position=1
    )
    _fill_registries(world)
    _fill_flow(world)
    _fill_release(world)
    _fill_conversation(world, which)


def _fill_registries(world):
    word, agent = world.word, world.agent
    world.action = models.Action.objects.create(
        agent=agent, slug=f"{world.slug}-act", body={"name": "act", "parameters": {}, "description": f"{word} action"}
    )
    world.event = models.Event.objects.create(
        agent=agent, slug=f"{world.slug}-paid", body={"description": f"{word} event"}
    )
    world.condition = models.Condition.objects.create(
        agent=agent, slug=f"{world.slug}-vip", body={"path": "data.nome", "op": "eq"}
    )
    world.tool = models.Tool.objects.create(
        agent=agent,
        slug=f"{world.slug}-look",
        body={"name": "look", "description": f"{word} tool", "parameters": {"type": "object", "properties": {}}},
    )


def _fill_flow(world):
    word = world.word
    world.flow = models.Flow.objects.create(
        agent=world.agent, slug=f"{world.slug}-flow", name=f"{word} flow", description=f"{word} description"
    )
    world.trigger = models.Trigger.objects.create(
        flow=world.flow, kind="message", label=f"{word} trigger", body={"message": [f"{word} phrase"]}
    )
    world.step = models.Step.objects.create(
        flow=world.flow,
        kind="say",
        step_id="s1",
        label=f"{word} step",
        body={"say": f"{word} says"},
    )


def _fill_release(world):
    word, agent = world.word, world.agent
    document = {
        "specVersion": 1,
        "name": f"{word} released",
        "fields": {"nome": {"type": "string"}, "cpf": {"type": "string"}},
        "flows": [{"id": world.flow.slug, "name": f"{word} flow", "steps": [{"id": "s1", "say": f"{word} says"}]}],
    }
    world.release = models.Release.objects.create(
        agent=agent,
        number=1,
        document=document,
        spec_version=1,
        digest=_digest(agent.slug),
        sensitive=["cpf"],
        note=f"{word} note",
        created_by_name=f"{word} publisher",
    )
    agent.active_release = world.release
    agent.activated_at = timezone.now()
    agent.save()


def _fill_conversation(world, which):
    word, agent, now = world.word, world.agent, timezone.now()
    world.session = models.Session.objects.create(
        agent=agent,
        session_id=f"{word}-{which}",
        blob={"data": {"nome": f"{word} customer", "cpf": f"{word}-sensitive"}},
        context={"from": f"{word} context"},
        anchors={"lead": f"{word}-7"},
    )
    session = world.session
    world.session_run = models.SessionRun.objects.create(
        session=session, run_id=f"{word}:run", flow=world.flow.slug, step="s1", status="waiting", waiting_until=now
    )
    world.turn = models.Turn.objects.create(
        session=session,
        kind="message",
        key=f"{word}-m1",
        input={"text": f"{word} asks", "data": {"cpf": f"{word}-sensitive"}},
        digest=_digest(word, which),
        deliver="response",
        state="done",
        release=world.release,
        outcomes=[{"code": "said", "detail": f"{word} outcome"}],
        error_detail=f"{word} error",
        response={"messages": [{"text": f"{word} answers"}], "data": {"cpf": f"{word}-sensitive"}},
    )
    world.message = models.Message.objects.create(
        session=session, seq=1, direction="in", author="customer", text=f"{word} asks", turn=world.turn
    )
    world.delivery = models.Delivery.objects.create(
        message=world.message,
        attempt=1,
        outcome="failed",
        code=f"{word} code",
        milliseconds=12,
        sender=f"{word} sender",
    )
    world.wake = models.Wake.objects.create(session=session, key=f"{word}:wake", due=now + timedelta(days=1))
    world.receipt = models.Receipt.objects.create(
        turn=world.turn, kind="action", key=f"{word}:receipt", result={"said": f"{word} result"}
    )
    world.anchor = models.Anchor.objects.create(agent=agent, name="lead", key=f"{word}-7")
    world.anchor_session = models.AnchorSession.objects.create(anchor=world.anchor, session=session)
    world.claim = models.Claim.objects.create(
        agent=agent,
        dedupe_key=f"{word}:{which}",
        flow=world.flow.slug,
        anchor=f"{word}-7",
        at="2030-01-01",
        session=session,
    )
