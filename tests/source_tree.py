"""The modules that we ship, read but not run."""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Module:
    path: Path

    @cached_property
    def source(self):
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self):
        return ast.parse(self.source, str(self.path))

    @property
    def place(self):
        """The path in the tree, with slashes: `falai_engine/times.py`."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def name(self):
        """`falai_engine.times`; a package by its own name."""
        return ".".join(self.path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")

    @property
    def is_package(self):
        return self.path.name == "__init__.py"


def packages():
    """The packages that pyproject.toml names for the wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def modules(*names):
    """Every module of these packages, of all of them when none is named."""
    return [Module(path) for package in names or packages() for path in sorted((ROOT / package).rglob("*.py"))]
