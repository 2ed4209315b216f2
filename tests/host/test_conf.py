"""The settings: typed, re-read when a test overrides them, and wrong ones told at once."""

from __future__ import annotations

import dataclasses
import math

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from falai_django.conf import PREFIX, Settings, setting_problems, settings, settings_table


def test_without_any_setting_the_defaults_hold():
    assert settings() == Settings()
    assert settings() is settings()


def test_a_list_is_kept_as_a_tuple_and_a_whole_number_may_stand_for_seconds():
    with override_settings(FALAI_CREDENTIAL_ENV=["A_KEY"], FALAI_WAIT_SECONDS=3):
        assert settings().credential_env == ("A_KEY",)
        assert settings().wait_seconds == 3.0
        assert isinstance(settings().wait_seconds, float)


def test_overriding_is_seen_at_once_and_so_is_its_end():
    """No signal is needed: who reads the settings reads those of now."""
    with override_settings(FALAI_HISTORY_MESSAGES=1):
        assert settings().history_messages == 1
        with override_settings(FALAI_HISTORY_MESSAGES=2):
            assert settings().history_messages == 2
        assert settings().history_messages == 1
    assert settings().history_messages == 40


def test_the_fixture_of_pytest_is_seen_too(settings):
    from falai_django.conf import settings as ours  # noqa: PLC0415 - the fixture has the name

    settings.FALAI_COMPILED_AGENTS = 7
    assert ours().compiled_agents == 7
    settings.FALAI_COMPILED_AGENTS = 8
    assert ours().compiled_agents == 8
    del settings.FALAI_COMPILED_AGENTS
    assert ours().compiled_agents == 128


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("FALAI_HISTORY_MESSAGES", "40", "it is str, not a whole number"),
        ("FALAI_HISTORY_MESSAGES", True, "it is bool, not a whole number"),
        ("FALAI_HISTORY_MESSAGES", None, "it is NoneType, not a whole number"),
        ("FALAI_HISTORY_MESSAGES", -1, "it is -1"),
        ("FALAI_WAIT_SECONDS", math.nan, "it is float, not a number"),
        ("FALAI_BASE_URL", 1, "it is int, not text"),
        ("FALAI_ENCRYPTION_KEYS", "a-key", "it is str, not a list of texts"),
        ("FALAI_ENCRYPTION_KEYS", [b"a-key"], "it is list, not a list of texts"),
    ],
)
def test_a_value_of_the_wrong_type_is_told_and_never_used(name, value, words):
    """The value itself is not repeated where it may be a key."""
    with override_settings(**{name: value}):
        (problem,) = setting_problems()
        assert (problem.name, problem.what) == (name, words)
        assert "a-key" not in "".join(problem)
        with pytest.raises(ImproperlyConfigured, match=name):
            settings()


def test_a_misspelt_name_is_told_with_the_one_that_was_meant():
    with override_settings(FALAI_HISTORY_MESAGES=3, FALAI_XYZ=1):
        found = {problem.name: problem.fix for problem in setting_problems()}
    assert found["FALAI_HISTORY_MESAGES"] == "Write FALAI_HISTORY_MESSAGES"
    assert found["FALAI_XYZ"].startswith("Take it away")


def test_the_site_of_these_tests_has_no_problem():
    assert setting_problems() == []


def test_the_table_tells_every_setting_with_its_meaning():
    """README's table is made of it: a new setting cannot be left untold."""
    rows = settings_table()
    assert [row.name for row in rows] == [f"{PREFIX}{each.name.upper()}" for each in dataclasses.fields(Settings)]
    assert all(row.meaning.endswith(".") and row.type for row in rows)
    assert [row.default for row in rows if row.name == "FALAI_IMPORT_MAX_BYTES"] == ["5000000"]


def test_every_default_is_of_its_type():
    """A default that the table itself would refuse could not be used."""
    values = {f"{PREFIX}{each.name.upper()}": each.default for each in dataclasses.fields(Settings)}
    with override_settings(**values):
        assert setting_problems() == []
