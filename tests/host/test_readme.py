"""What the front page says works as it says: every command on it is run here, and its settings are those there are."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from tests.host.quickstart.conftest import Quickstart
from tests.host.settings_page import of_page, table

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
SITE_PACKAGES = next(Path(each) for each in sys.path if each.endswith("site-packages"))


def blocks(language, heading=""):
    """The fenced parts of a section, in their order."""
    section = PAGE[PAGE.index(f"\n## {heading}\n") :] if heading else PAGE
    section = section[: section.find("\n## ", 4)] if heading else section
    found = re.findall(r"^```(\w*)\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return [text for named, text in found if named == language]


def lines(heading=""):
    """The commands of a section, without what is said of them."""
    told = "".join(blocks("", heading)).splitlines()
    return [re.sub(r"\s{2,}#.*", "", line) for line in told]


RUN_BY = {
    "make run": "test_make_run_makes_the_demo",
    "make test": "test_make_test_tests",
    "curl": "test_the_curls_of_the_page",
    "export": "test_the_curls_of_the_page",
    "pip install": "test_a_bare_project_that_follows_the_page",
    "pip install '.[": "test_the_site_is_started_as_the_page_says",
    "python manage.py startapp": "test_a_bare_project_that_follows_the_page",
    "python manage.py migrate": "test_a_bare_project_that_follows_the_page",
    "python manage.py falai_tenant": "test_a_bare_project_that_follows_the_page",
    "python manage.py falai_import": "test_a_bare_project_that_follows_the_page",
    "python manage.py falai_publish": "test_a_bare_project_that_follows_the_page",
    "python manage.py check": "test_a_bare_project_that_follows_the_page",
    "python manage.py falai_worker": "test_a_bare_project_that_follows_the_page",
    "celery": "test_celery_starts_as_the_page_says",
    "python manage.py collectstatic": "test_the_site_is_started_as_the_page_says",
    "uvicorn": "test_the_site_is_started_as_the_page_says",
    ".venv/bin/python -m falai_engine.chat": "test_the_terminal_of_the_page",
    "OPENAI_API_KEY=... .venv/bin/python -m falai_engine.providers check": "test_the_check_of_a_model",
}
"""By how a command begins, the test that runs it as it stands there."""


@pytest.mark.parametrize("command", sorted(set(lines())))
def test_every_command_is_run_by_a_test(command):
    begins = [name for name in RUN_BY if command.startswith(name)]
    assert begins, f"run `{command}` in a test of this file"
    assert RUN_BY[max(begins, key=len)] in globals()


def ran(*command, folder=ROOT, given="", **changes):
    """What it printed; it must have ended well."""
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **changes}
    environment = {name: value for name, value in environment.items() if value is not None}
    done = subprocess.run(  # noqa: S603 - commands of our own page
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False, input=given
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# -- settings


def test_the_table_of_settings_is_that_of_the_code():
    """When it is not: `.venv/bin/python -m tests.host.settings_page` writes it."""
    _, found, _ = of_page(PAGE)
    assert found == table()


# -- make and the terminal


def test_make_run_makes_the_demo(tmp_path):
    """The target, on a database of its own; `quickstart/test_processes.py` talks to what it serves."""
    changes = {"DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3", "DJANGO_SETTINGS_MODULE": None}
    told = ran("make", "run", "READY=", "ARGS=--no-serve", **changes)
    assert "falai_" in told


def test_make_test_tests():
    """The target, with one test instead of all."""
    told = ran("make", "test", "READY=", "ARGS=-n 0 --no-cov -p no:randomly tests/host/bridge -k its_signing_is_ours")
    assert "1 passed" in told


@pytest.mark.parametrize("command", [line for line in lines() if "falai_engine.chat" in line])
def test_the_terminal_of_the_page(command):
    told = ran(sys.executable, *shlex.split(command)[1:], given="Oi, sou a Marina\n/quit\n")
    assert "Lia:" in told


def test_the_check_of_a_model():
    """Its words are the program's; no vendor is asked here (`tests/providers/test_check.py` stands in for one)."""
    (command,) = [line for line in lines() if "providers check" in line]
    words = shlex.split(command)
    assert (words[0], words[-1]) == ("OPENAI_API_KEY=...", "MODEL")
    assert "--model" in ran(sys.executable, *words[2:5], "--help")


# -- the API


@pytest.fixture
def served(tmp_path):
    """`make run`'s process, and the key that it printed."""
    run = Quickstart(tmp_path / "db.sqlite3", "--port", "0").ready()
    run.answers()
    yield run.url, re.search(r"falai_\S+", "\n".join(run.lines))[0]
    run.stop()


CURL = "curl() { command curl --fail-with-body --noproxy '*' \"$@\"; }"


@pytest.mark.processes
def test_the_curls_of_the_page(served):
    """In their order, as a shell runs them: each answers what the page says of it."""
    url, key = served
    export, *commands = lines("Quickstart by curl")
    assert export == "export FALAI=http://127.0.0.1:8000 KEY=falai_..."
    assert all(command.startswith("curl ") for command in commands)
    said = [
        ran("bash", "-o", "pipefail", "-c", f"export FALAI={url} KEY={key}\n{CURL}\n{command}") for command in commands
    ]
    first, second, state, messages, stream, event, wakes, draft = said
    assert json.loads(first)["messages"][0]["text"]
    assert json.loads(second)["data"]["nome"] == "Marina"
    assert json.loads(state)["data"]["empresa"] == "Padaria Sol"
    assert len(json.loads(messages)["items"]) == 4
    assert "event: result" in stream
    assert json.loads(event)["started"]
    assert len(json.loads(wakes)["items"]) == 1
    assert json.loads(draft)["name"] == "Lia"


# -- a project that embeds it


@pytest.fixture(scope="module")
def embedded(tmp_path_factory):
    """A bare Django project in an environment that has the wheel, and of the lock what the wheel asks for."""
    folder = tmp_path_factory.mktemp("embedding")
    ran(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    (packages / "lock.pth").write_text(f"{SITE_PACKAGES}\n")
    pip = (sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check")
    ran(*pip, "--no-deps", "--no-index", str(wheel))
    site = folder / "mysite"
    site.mkdir()
    ran(str(python), "-m", "django", "startproject", "mysite", ".", folder=site, DJANGO_SETTINGS_MODULE=None)
    return python, site


USE = """
import json, sys
from django.test import Client
key, *texts = sys.argv[1:]
for text in texts:
    answer = Client(headers={"authorization": f"Bearer {key}"}).post(
        "/falai/api/v1/agents/lia/sessions/me/turns", {"message": text}, content_type="application/json"
    )
    print(json.dumps(answer.json(), ensure_ascii=False))
print(Client().get("/falai/api/docs").status_code)
"""


@pytest.mark.processes
def test_a_bare_project_that_follows_the_page(embedded):
    """An app, settings, URLs, an action, an agent, a tenant, a key: at the end a customer gets the last shirt."""
    python, site = embedded
    settings, urls, action, setup = blocks("py", "Embed it in your project")
    (agent,) = blocks("json", "Embed it in your project")

    def manage(*words, given=""):
        return ran(str(python), *words, folder=site, given=given, DJANGO_SETTINGS_MODULE=None, DATABASE_URL=None)

    install, start, *commands = lines("Embed it in your project")
    assert install == "pip install 'PATH_OF_THE_CLONE[django]'"
    *before, publish, check = commands
    manage(*shlex.split(start)[1:])
    _append(site / "mysite" / "settings.py", f'{settings}\nALLOWED_HOSTS = ["testserver"]')
    _append(site / "mysite" / "urls.py", f"from django.urls import include\n{urls}")
    (site / action.partition("\n")[0].removeprefix("# ")).write_text(action, encoding="utf-8")
    (site / "agent.json").write_text(agent, encoding="utf-8")
    for command in before:
        manage(*shlex.split(command)[1:])
    key = manage("manage.py", "shell", given=setup).split()[-1]
    manage(*shlex.split(publish)[1:])
    assert "no issues" in manage(*shlex.split(check)[1:])
    (worker,) = lines("Run workers")[:1]
    manage(*shlex.split(worker)[1:], "--once")

    ask = "I'd like a shirt, please"
    told = manage("manage.py", "shell", "-c", f"import sys; sys.argv = ['x', {key!r}, {ask!r}, 'M']\n{USE}")
    *answers, docs = told.splitlines()
    assert json.loads(answers[-1])["messages"][-1]["text"] == "It is yours: a shirt of size M."
    assert docs == "200"


def _append(path, text):
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{text}\n", encoding="utf-8")


def extras():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def test_the_extras_that_the_page_names_are_those_there_are():
    table = re.findall(
        r"^\| `(\w+)` \| .* \|$", PAGE[PAGE.index("| extra |") : PAGE.index("| setting |")], re.MULTILINE
    )
    assert set(table) == set(extras())
    named = set(re.findall(r"PATH_OF_THE_CLONE\[(\w+)\]", PAGE)) | set(re.findall(r"the extra `(\w+)`", PAGE))
    assert named
    assert named <= set(table)


# -- workers and deployment


CELERY = """
import celery, mysite
app = celery.current_app
app.loader.import_default_modules()
print(app.main, app.conf.broker_url, sorted(app.conf.beat_schedule) == sorted(n for n in app.tasks if n[:5] == "falai"))
"""


def test_celery_starts_as_the_page_says(tmp_path):
    """A bare project with the three parts of the page knows its tasks; `processes/` runs workers with brokers."""
    told = {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}", "DJANGO_SETTINGS_MODULE": None}
    ran(sys.executable, "-m", "django", "startproject", "mysite", ".", folder=tmp_path, **told)
    settings, app, package = blocks("py", "Run workers")
    _append(tmp_path / "mysite" / "settings.py", f'INSTALLED_APPS += ["falai_django"]\n{settings}')
    _append(tmp_path / "mysite" / "__init__.py", package)
    (tmp_path / "mysite" / "celery.py").write_text(app, encoding="utf-8")
    assert ran(sys.executable, "-c", CELERY, folder=tmp_path, **told) == "mysite redis://127.0.0.1:6379/0 True\n"
    commands = [shlex.split(line) for line in lines("Run workers") if line.startswith("celery ")]
    assert [words[:4] for words in commands] == [["celery", "-A", "mysite", name] for name in ("worker", "beat")]
    for words in commands:
        shown = ran(sys.executable, "-m", *words[:4], "--help", folder=tmp_path, **told)
        assert set(words[4::2]) <= set(re.findall(r"--\w+", shown))


def test_the_site_is_started_as_the_page_says():
    """The commands of the page are those of `deploy/`, which `deploy/test_site.py` runs or looks up."""
    install, check, migrate, collect, serve, work = lines("Deploy")
    needed = re.fullmatch(r"pip install '\.\[(.*)\]'", install)[1].split(",")
    assert set(needed) == set(extras()) - {"dev", "http"}
    examples = "".join(
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "deploy").glob("**/*")) if path.is_file()
    )
    assert check == "python manage.py check --deploy"
    assert {migrate + " --no-input", work} <= set(re.findall(r"python manage\.py \w+(?: --no-input)?", examples))
    assert collect.removeprefix("python ") in (ROOT / "tests/host/deploy/test_site.py").read_text().replace('", "', " ")
    words = shlex.split(serve)
    assert words[:2] == ["uvicorn", "project.asgi:application"]
    assert "--port" in ran(sys.executable, "-m", "uvicorn", "--help")
    assert {"--no-access-log", "--port"} <= set(words)
