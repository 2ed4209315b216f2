"""Is what we ship whole? Builds sdist and wheel, looks into the wheel, installs it outside the tree, imports all.

Run by `make wheel`. The packages are those that pyproject.toml names for the wheel.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Told by the new environment's Python, from a folder where the tree is out of sight.
IMPORT_ALL = """
import importlib, sys
prefix, *modules = sys.argv[1:]
for name in modules:
    origin = importlib.import_module(name).__file__
    assert origin.startswith(prefix), f"{name} came from {origin}"
"""

# The least that a Django site needs to load the app.
SETTINGS = """
import django
from django.conf import settings
settings.configure(INSTALLED_APPS=[
    "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
    "django.contrib.admin", "falai_django",
], SECRET_KEY="x")
django.setup()
"""


def run(*command: object, cwd: Path = ROOT) -> None:
    """Run a command to its end; its failure, which it has told itself, is ours."""
    if code := subprocess.run([str(part) for part in command], cwd=cwd, check=False).returncode:
        sys.exit(code)


def shipped_packages() -> list[str]:
    """The packages that pyproject.toml puts into the wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def tracked_files(packages: list[str]) -> set[str]:
    """Every file that the repository holds of these packages."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *packages],  # noqa: S607 - git is where the person's PATH has it
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return {name for name in listed.stdout.split("\0") if name}


def module_name(file: str) -> str:
    """`a/b.py` -> `a.b`, `a/__init__.py` -> `a`."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def problems_inside(files: set[str], packages: list[str], expected: set[str]) -> list[str]:
    """What is missing from the wheel, and what is in it that should not be."""
    found = [f"{name} is missing from the wheel" for name in sorted(expected - files)]
    found += [f"{package} has no py.typed" for package in packages if f"{package}/py.typed" not in files]
    ours = tuple(f"{package}/" for package in packages)
    strangers = {name for name in files if not name.startswith(ours) and ".dist-info/" not in name}
    strangers |= {name for name in files if "tests" in name.split("/")}
    return found + [f"{name} does not belong into the wheel" for name in sorted(strangers)]


def write_pins(path: Path) -> None:
    """The lock as constraints without hashes: the wheel just built has none to be known by."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    path.write_text("\n".join(re.findall(r"^[\w.-]+==[\w.]+", lock, re.MULTILINE)) + "\n", encoding="utf-8")


def check_imports(wheel: Path, modules: list[str], folder: Path) -> None:
    """Import the engine with nothing beside it, then everything with the extra that the rest needs."""
    environment = folder / "venv"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check")
    pins = folder / "pins.txt"
    write_pins(pins)

    run(*pip, "--no-deps", wheel)
    alone = [name for name in modules if f"{name}.".startswith("falai_engine.")]
    alone = [name for name in alone if not f"{name}.".startswith("falai_engine.providers.")]
    run(python, "-I", "-c", IMPORT_ALL, environment, *alone, cwd=folder)
    print(f"{len(alone)} modules import with no dependency installed")

    engine = [name for name in modules if f"{name}.".startswith("falai_engine.")]
    run(*pip, "--constraint", pins, f"{wheel}[http]")
    run(python, "-I", "-c", IMPORT_ALL, environment, *engine, cwd=folder)
    print(f"{len(engine)} modules import with the extra http")

    run(*pip, "--constraint", pins, f"{wheel}[django]")
    run(python, "-I", "-c", SETTINGS + IMPORT_ALL, environment, *modules, cwd=folder)
    print(f"{len(modules)} modules import with the extra django, Celery not among them")


def main() -> int:
    """Build, look inside, install, import. The exit code: 0 when all is well."""
    packages = shipped_packages()
    expected = tracked_files(packages)
    modules = sorted(module_name(name) for name in expected if name.endswith(".py") and "__main__" not in name)
    with tempfile.TemporaryDirectory(prefix="wheel-") as temporary:
        folder = Path(temporary).resolve()
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            files = set(archive.namelist())
        if problems := problems_inside(files, packages, expected):
            print(*problems, sep="\n", file=sys.stderr)
            return 1
        print(f"{wheel.name} holds all {len(expected)} files of {', '.join(packages)} and nothing beside them")
        check_imports(wheel, modules, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
