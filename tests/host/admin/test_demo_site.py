"""The demo site bears its own name."""

from __future__ import annotations

import pytest
from django.urls import reverse

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("language", ["en", "pt-br"])
def test_the_admin_of_the_demo_is_called_falai(alpha, enter, language):
    client = enter(alpha.user("viewer"))
    shown = client.get(reverse("admin:index"), headers={"accept-language": language}).context
    assert {str(shown[name]) for name in ("site_header", "site_title", "title")} == {"falai"}
