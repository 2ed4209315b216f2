"""The tables are what the models say."""

from __future__ import annotations

from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command

from falai_django.models import Tenant, TenantRow, tenant_lookup


@pytest.mark.django_db
def test_no_migration_is_missing():
    """Whoever changes a model brings its migration along."""
    call_command("makemigrations", "--check", "--dry-run", stdout=StringIO())


@pytest.mark.parametrize("model", sorted(apps.get_app_config("falai").get_models(), key=lambda each: each.__name__))
def test_every_row_belongs_to_a_tenant(model):
    """A new model is a TenantRow, and its path leads to a tenant: no door could narrow it else."""
    assert model is Tenant or issubclass(model, TenantRow)
    assert tenant_lookup(model) == "pk" or model._meta.get_field(tenant_lookup(model).split("__")[0]).is_relation
