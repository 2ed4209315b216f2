"""No relation leads to another tenant, nor to another agent, flow or session of the same one, however it is written.

The cases are made from the models' relations: a new relation is in them by being there.
"""

from __future__ import annotations

import pytest
from django.db import models, transaction

from falai_django.errors import CrossTenantError, FalaiError
from falai_django.models import Agent, Flow, Message, Session, Turn, tenant_key
from falai_django.models.tenancy import assert_same_tenant, crossing_relations
from tests.host.worlds import all_models, make_world

pytestmark = pytest.mark.django_db

MODELS = sorted(all_models().values(), key=lambda model: model.__name__)
RELATIONS = [(model, relation.name) for model in MODELS for relation in crossing_relations(model)]
OWNERS = [(model, model.belongs_to) for model in MODELS if hasattr(model, "belongs_to")]
IN_AN_AGENT = [model for model in MODELS if getattr(model, "belongs_to", "tenant") != "tenant"]


def pair_id(value):
    return value if isinstance(value, str) else value.__name__


@pytest.fixture
def alpha():
    return make_world("Alphaword")


@pytest.fixture
def beta():
    return make_world("Betaword")


def save(row, name, target):
    setattr(row, name, target)
    row.save()


def save_key(row, name, target):
    setattr(row, f"{name}_id", target.pk)
    row.save()


def save_only(row, name, target):
    setattr(row, name, target)
    row.save(update_fields=[name])


def save_only_key(row, name, target):
    setattr(row, f"{name}_id", target.pk)
    row.save(update_fields=[f"{name}_id"])


def update(row, name, target):
    type(row).objects.filter(pk=row.pk).update(**{name: target})


def update_key(row, name, target):
    type(row).objects.filter(pk=row.pk).update(**{f"{name}_id": target.pk})


def update_through_the_base_manager(row, name, target):
    type(row)._base_manager.filter(pk=row.pk).update(**{name: target})


def bulk_update(row, name, target):
    setattr(row, name, target)
    type(row).objects.bulk_update([row], [name])


def update_or_create(row, name, target):
    type(row).objects.update_or_create(pk=row.pk, defaults={name: target})


def write_over(row, name, target):
    setattr(row, name, target)
    type(row).objects.bulk_create([row], update_conflicts=True, update_fields=[name], unique_fields=["id"])


def add_to_the_related_manager(row, name, target):
    getattr(target, accessor(type(row), name)).add(row)


def set_the_related_manager(row, name, target):
    getattr(target, accessor(type(row), name)).set([row])


def give_it_the_key_of_one_that_is_there(row, name, target):
    """A row that was never read, saved over one that is there."""
    other = type(row).objects.get(pk=row.pk)
    fresh = type(row)(**{field.attname: getattr(other, field.attname) for field in row._meta.concrete_fields})
    setattr(fresh, name, target)
    fresh.save()


WAYS = (
    save,
    save_key,
    save_only,
    save_only_key,
    update,
    update_key,
    update_through_the_base_manager,
    bulk_update,
    update_or_create,
    write_over,
    give_it_the_key_of_one_that_is_there,
)
WAYS_BACK = (add_to_the_related_manager, set_the_related_manager)


def accessor(model, name):
    """How the other side calls the rows that point at it; None when it does not."""
    relation = model._meta.get_field(name).remote_field
    return None if relation.hidden else relation.get_accessor_name()


def target_of(world, model, name):
    return world.row(model._meta.get_field(name).related_model)


def stored(row, name):
    return type(row).objects.values_list(f"{name}_id", flat=True).get(pk=row.pk)


def is_refused(way, row, name, target):
    """Whether this way of writing fails with our error, and nothing was written."""
    before = stored(row, name)
    try:
        with transaction.atomic():
            way(type(row).objects.get(pk=row.pk), name, target)
    except CrossTenantError:
        return stored(row, name) == before
    except FalaiError:
        return type(row).__name__ == "Release" and stored(row, name) == before
    return False


def ways_that_cross(row, name, target):
    ways = WAYS + (WAYS_BACK if accessor(type(row), name) else ())
    return [way.__name__ for way in ways if not is_refused(way, row, name, target)]


def test_the_relations_are_found():
    """The cases below are made from something: the pairs that matter most are among them."""
    assert {("Agent", "sender"), ("Turn", "release"), ("Message", "turn"), ("ModelProvider", "secret")} <= {
        (model.__name__, name) for model, name in RELATIONS
    }
    assert ("Step", "flow") in {(model.__name__, name) for model, name in OWNERS}


def test_a_world_has_a_row_of_every_model(alpha):
    """A new model without a row in the worlds fails here, and so cannot be left out of the tests that walk them."""
    for model, row in alpha.rows().items():
        assert type(row) is model
        assert tenant_key(row) == alpha.tenant.pk


@pytest.mark.parametrize(("model", "name"), RELATIONS, ids=pair_id)
def test_no_relation_crosses_to_another_tenant(alpha, beta, model, name):
    assert ways_that_cross(alpha.row(model), name, target_of(beta, model, name)) == []


@pytest.mark.parametrize(("model", "name"), RELATIONS, ids=pair_id)
def test_no_relation_crosses_to_another_agent_of_the_tenant(alpha, model, name):
    """An agent, and what lies in it or below, leads to rows of that agent only; rows of the tenant are for all."""
    target = target_of(alpha.other, model, name)
    if type(target) in IN_AN_AGENT:
        assert ways_that_cross(alpha.row(model), name, target) == []
    else:
        assert target == target_of(alpha, model, name)


@pytest.mark.parametrize(("model", "name"), OWNERS, ids=pair_id)
def test_no_row_moves_to_another_tenant(alpha, beta, model, name):
    """What points at the row, or lies in it, would be left behind."""
    assert ways_that_cross(alpha.row(model), name, target_of(beta, model, name)) == []


@pytest.mark.parametrize("model", IN_AN_AGENT, ids=lambda model: model.__name__)
def test_no_row_moves_to_another_agent_of_the_tenant(alpha, model):
    name = model.belongs_to
    assert ways_that_cross(alpha.row(model), name, target_of(alpha.other, model, name)) == []


@pytest.mark.parametrize(("model", "name"), RELATIONS, ids=pair_id)
def test_no_new_row_crosses(alpha, beta, model, name):
    """Neither made alone nor many at once."""
    row = model.objects.get(pk=alpha.row(model).pk)
    row.pk = None
    setattr(row, name, beta.row(model._meta.get_field(name).related_model))
    for way in (row.save, lambda: model.objects.bulk_create([row])):
        with pytest.raises(CrossTenantError):
            way()


def test_a_relation_of_many_to_many_does_not_cross(alpha, beta):
    for way in (alpha.anchor.sessions.add, lambda row: alpha.anchor.sessions.set([row])):
        with pytest.raises(CrossTenantError), transaction.atomic():
            way(beta.session)
    with pytest.raises(CrossTenantError), transaction.atomic():
        beta.session.anchor_rows.add(alpha.anchor)


def test_a_move_in_memory_opens_no_way_across(alpha, beta):
    """The check is against what is stored, not against what an object in memory was made to say."""
    agent = Agent.objects.get(pk=alpha.agent.pk)
    agent.tenant = beta.tenant
    agent.sender = beta.sender
    with pytest.raises(CrossTenantError):
        agent.save(update_fields=["sender"])


def test_a_stale_object_beside_a_relation_opens_no_way_across(alpha, beta):
    """`select_related` rows that were changed in memory are not believed."""
    message = Message.objects.select_related("session__agent").get(pk=alpha.message.pk)
    turn = Turn.objects.get(pk=beta.turn.pk)
    turn.session = message.session
    message.turn = turn
    with pytest.raises(CrossTenantError):
        message.save()
    theirs = Turn.objects.get(pk=alpha.turn.pk)
    message.turn = theirs
    message.turn_id = beta.turn.pk
    message.__dict__["_state"].fields_cache["turn"] = theirs
    with pytest.raises(CrossTenantError):
        message.save()


def test_a_row_with_another_rows_key_does_not_move_that_row(alpha, beta):
    flow = Flow.objects.get(pk=alpha.flow.pk)
    flow.pk = beta.flow.pk
    with pytest.raises(CrossTenantError):
        flow.save()
    assert Flow.objects.get(pk=beta.flow.pk).agent_id == beta.agent.pk


def test_a_copy_of_a_row_may_lie_elsewhere(alpha):
    """What is inserted is new, whatever object it was made from."""
    flow = Flow.objects.get(pk=alpha.flow.pk)
    flow.pk = None
    flow.agent = alpha.other.agent
    flow.slug = "copy"
    flow.save()
    flow.name = "again"
    flow.save()
    assert Flow.objects.get(pk=flow.pk).agent_id == alpha.other.agent.pk


def test_what_does_not_cross_is_written(alpha):
    """Every relation takes a row of its own agent, by each way that checks."""
    for model, name in RELATIONS:
        if model.__name__ == "Release":
            continue
        row, target = alpha.row(model), alpha.row(model._meta.get_field(name).related_model)
        for way in (save, save_key, save_only, bulk_update):
            way(type(row).objects.get(pk=row.pk), name, target)
        assert stored(row, name) == target.pk


def test_a_relation_is_emptied_in_bulk(alpha):
    assert Agent.objects.filter(pk=alpha.agent.pk).update(sender=None, active_release_id=None) == 1


def test_the_check_asks_only_what_it_must(alpha, django_assert_num_queries):
    """A message and its turn are of one session: their keys say so, and nothing above is read.

    What was not read was not changed either.
    """
    message = Message.objects.select_related("turn").get(pk=alpha.message.pk)
    deferred = Session.objects.only("session_id").get(pk=alpha.session.pk)
    with django_assert_num_queries(0):
        assert_same_tenant(message)
        assert_same_tenant(deferred)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_related_managers_write_through_the_check(model):
    """Django's related managers use the base manager, so that it has to be ours."""
    if hasattr(model, "belongs_to"):
        assert isinstance(model._base_manager.all(), type(model.objects.all()))
    assert isinstance(model._base_manager, models.Manager)
