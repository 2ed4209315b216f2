"""The site that the benchmarks ask over HTTP: the tests', with its limits out of the way, and a bare view beside."""

from __future__ import annotations

from tests.django_settings import *  # noqa: F403 - all of them, but for what follows

ROOT_URLCONF = "benchmarks.http_addresses"
# Counted all the same.
FALAI_REQUESTS_PER_KEY = 1_000_000_000
FALAI_REQUESTS_PER_SESSION = 1_000_000_000
