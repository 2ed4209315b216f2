"""What a module promises to others is listed once, in order, and is there."""

from __future__ import annotations

import ast
import importlib
import re

import pytest

from tests.source_tree import modules

# __main__ runs a program when it is imported, and nobody imports from it.
MODULES = [module for module in modules() if module.path.name != "__main__.py"]


def listed(tree):
    """The value of `__all__`, None when there is none; one that is put together out of pieces raises ValueError."""
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                | ast.AnnAssign(target=ast.Name(id="__all__"), value=value)
                | ast.AugAssign(target=ast.Name(id="__all__"), value=value)
            ):
                return list(ast.literal_eval(value))
    return None


def exports(tree):
    """The public names that a package's `__init__` defines or takes in from its modules."""
    found = set()
    for node in tree.body:
        match node:
            case ast.ImportFrom(module=module) if module != "__future__":
                found |= {alias.asname or alias.name for alias in node.names}
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return {name for name in found if not name.startswith("_")}


def place_in_order(name):
    """CONSTANTS, then Classes, then the rest, numbers by their value: the order that ruff's RUF022 sorts by."""
    is_constant = len(name) > 1 and name.isupper()
    parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]
    return not is_constant, not name[:1].isupper(), parts


def test_the_order_of_names():
    """CONSTANTS before Classes before functions, `v2` before `v10`."""
    ordered = ["LAST_MS", "V2", "V10", "A", "Zebra", "aturn", "v2", "v10"]
    assert sorted(set(ordered), key=place_in_order) == ordered


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("__all__ = ['b', 'a']", ["b", "a"]),
        ("__all__: list[str] = []", []),
        ("__all__ = ('a',)", ["a"]),
        ("x = 1", None),
        ("def f():\n    __all__ = ['a']", None),
    ],
)
def test_the_list_is_read_as_written(source, names):
    """The tests below see `__all__` in each form that it may have."""
    assert listed(ast.parse(source)) == names


def test_what_counts_as_an_export():
    """A package exports what its `__init__` takes in by `from` or defines, and nothing private."""
    source = """
from __future__ import annotations
import json
from falai_engine.times import iso, moment as when, _hidden
LIMIT = 3
mode: str = "x"
_private = 1
def f(): ...
class C: ...
"""
    assert exports(ast.parse(source)) == {"iso", "when", "LIMIT", "mode", "f", "C"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_public_names_are_sorted_and_there(module):
    """`__all__` names each public name once, in order, and each can be imported."""
    names = listed(module.tree)
    if names is None:
        return
    assert names == sorted(set(names), key=place_in_order)
    loaded = importlib.import_module(module.name)
    assert [name for name in names if not hasattr(loaded, name)] == []


@pytest.mark.parametrize("module", [m for m in MODULES if m.is_package], ids=lambda module: module.name)
def test_a_package_lists_what_it_exports(module):
    """What a package's `__init__` offers is in its `__all__`, and nothing gets public by accident."""
    assert exports(module.tree) <= set(listed(module.tree) or ())
