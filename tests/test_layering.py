"""Who may import whom, what a module may be called, and how long it may grow."""

from __future__ import annotations

import ast
import sys

import pytest

from tests.source_tree import Module, modules

HOST = {"celery", "django", "drf_spectacular", "falai_django", "project", "psycopg", "redis", "rest_framework"}
# They tell where code was put, not what it is about; the plural no more than the singular.
EMPTY_NAMES = {"base", "common", "core", "helper", "manager", "misc", "service", "util"}
MODULE_LINES = 400
FUNCTION_LINES = 40


def imported(tree):
    """The top-level packages that a module imports, wherever it does and however; relative imports are left out."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                found |= {alias.name for alias in node.names}
            case ast.ImportFrom(level=0):
                found.add(node.module)
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                found.add(name)
    return {name.partition(".")[0] for name in found if not name.startswith(".")}


def functions(tree):
    """Every function with its length in lines, from `def` to its last one, its docstring included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, node.end_lineno - node.lineno + 1


def may_import(place):
    allowed = sys.stdlib_module_names | {"falai_engine"}
    return allowed | {"httpx"} if place.startswith("falai_engine/providers/") else allowed


def test_an_import_is_seen_wherever_it_stands():
    """The tests below see an import in a function, in a condition, and one made by name."""
    source = """
import a.b, json as j
from c.d import x
from . import sibling
from ..far import x
if TYPE_CHECKING:
    from e import y
def f():
    import g
    importlib.import_module("h.i")
    import_module("k")
    __import__("l")
    import_module(".m", __package__)
    import_module(chosen)
"""
    assert imported(ast.parse(source)) == {"a", "json", "c", "e", "g", "h", "k", "l"}


@pytest.mark.parametrize(
    ("place", "package", "allowed"),
    [
        ("falai_engine/turn.py", "json", True),
        ("falai_engine/turn.py", "falai_engine", True),
        ("falai_engine/turn.py", "httpx", False),
        ("falai_engine/turn.py", "pytest", False),
        ("falai_engine/providers.py", "httpx", False),
        ("falai_engine/providers/openai.py", "httpx", True),
        ("falai_engine/providers/openai.py", "openai", False),
    ],
)
def test_the_rule_of_imports(place, package, allowed):
    """Providers may import httpx; no other package from outside is for anyone."""
    assert (package in may_import(place)) is allowed


def test_the_engine_imports_the_standard_library_and_itself():
    """Installing the engine brings nothing along: its providers import httpx, and nothing of it anything else."""
    engine = modules("falai_engine")
    strangers = {module.place: imported(module.tree) - may_import(module.place) for module in engine}
    assert engine
    assert {place: names for place, names in strangers.items() if names} == {}


def test_the_engine_knows_nothing_of_a_host():
    """The engine runs in any host: no module of it, providers included, imports ours or a framework."""
    met = {module.place: imported(module.tree) & HOST for module in modules("falai_engine")}
    assert {place: names for place, names in met.items() if names} == {}


def test_a_module_is_named_for_what_it_is_about():
    """A reader finds a fact by the name of its file: none is called utils, core, base or the like."""
    parts = {part.removesuffix("s") for module in modules() for part in module.name.split(".")}
    assert "error" in parts
    assert parts & EMPTY_NAMES == set()


def test_a_module_stays_short_enough_to_read_alone():
    """A module has at most 400 lines; migrations are written by Django."""
    lengths = {m.place: len(m.source.splitlines()) for m in modules() if "/migrations/" not in m.place}
    assert {place: lines for place, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_a_function_stays_short_enough_to_hold_in_mind():
    """A function has at most 40 lines."""
    lengths = {
        f"{module.place}:{function.lineno} {function.name}": lines
        for module in modules()
        for function, lines in functions(module.tree)
    }
    assert {where: lines for where, lines in lengths.items() if lines > FUNCTION_LINES} == {}


def test_the_length_of_a_function_is_all_its_lines():
    """The test above counts from `def` to the last line, of methods and inner functions too."""
    source = "class C:\n  async def m(self):\n    '''doc\n    '''\n    def inner():\n      return (1,\n        2)\n"
    assert {node.name: lines for node, lines in functions(ast.parse(source))} == {"m": 6, "inner": 3}


def test_a_module_knows_its_name_and_place():
    """The rules above are asked with the names that an import statement would use."""
    found = {module.name: module for module in modules("falai_engine")}
    assert found["falai_engine"].is_package
    assert found["falai_engine.times"].place == "falai_engine/times.py"
    assert isinstance(found["falai_engine.times"], Module)


def imports_of(module, names):
    """The modules of ours that a module needs at once: its imports at the top, those for the types left out."""
    for node in module.tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module if node.module in names else None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_two_modules_need_each_other():
    """Imports run one way: whatever a room needs lies below it."""
    ours = {module.name: module for module in modules()}
    needs = {name: {other for other in imports_of(module, ours) if other in ours} for name, module in ours.items()}
    assert len(needs) > 100
    while free := {name for name, others in needs.items() if not others & needs.keys()}:
        needs = {name: others for name, others in needs.items() if name not in free}
    assert needs == {}
