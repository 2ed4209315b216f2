"""The site that is measured: the tests', without the demo that listens in on its turns, its limits out of the way.

Beside the API it has a bare view.
"""

from __future__ import annotations

from tests.django_settings import *  # noqa: F403 - all of them, but for what follows
from tests.django_settings import INSTALLED_APPS as _APPS

INSTALLED_APPS = [each for each in _APPS if each != "project.demo"]

ROOT_URLCONF = "benchmarks.http_addresses"
# Counted all the same.
FALAI_REQUESTS_PER_KEY = 1_000_000_000
FALAI_REQUESTS_PER_SESSION = 1_000_000_000
