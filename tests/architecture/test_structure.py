"""The structure that the privacy argument leans on, checked on the syntax tree."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import tacit

SOURCE = Path(tacit.__file__).parent
PROOFS = SOURCE.parent.parent / "proofs"


@cache
def trees() -> dict[str, ast.Module]:
    # The program beside the package is data of it: one file by promise, which imports nothing of the package.
    paths = sorted(path for path in SOURCE.rglob("*.py") if path.parent.name != "standalone")
    return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text()) for path in paths}


def modules(*without: str) -> Iterator[tuple[str, ast.Module]]:
    return ((name, tree) for name, tree in trees().items() if not name.startswith(without or ("\0",)))


def called(tree: ast.AST) -> set[str]:
    """Names of everything that is called by its bare name or as an attribute."""
    return {
        node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    }


def attributes(tree: ast.AST) -> set[str]:
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


STATISTICS = {
    "NumericStatistic",
    "SelectionStatistic",
    "JointSelectionStatistic",
    "CellSelectionStatistic",
    "StabilityStatistic",
    "GaugeStatistic",
    "ObjectiveStatistic",
}


def test_only_queries_make_statistics():
    assert [name for name, tree in modules("queries/") if called(tree) & STATISTICS] == []


def test_only_queries_and_mechanisms_see_unreleased_values():
    """Studies may look: what they compute is not for release."""
    allowed = ("queries/", "mechanisms/", "privacy/", "study/")
    assert [
        name
        for name, tree in modules(*allowed)
        if {"unreleased_value", "unreleased_cells", "unreleased_landmarks"} & attributes(tree)
    ] == []


def test_only_queries_see_rows():
    """Sums, visits, state beside rows: whatever hands a table's blocks to a function."""
    shows_rows = {"sum", "visit", "per_block", "gather", "rows_by_cell", "rows_by_value"}
    for name, tree in modules("queries/", "table/", "study/"):
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        seen = {
            call.attr
            for call in calls
            if isinstance(call, ast.Attribute)
            and call.attr in shows_rows
            and ast.unparse(call.value).rpartition(".")[2].strip("_") == "table"
        }
        assert not seen, name


def test_only_accountants_sample():
    # An auditor samples whole fits.
    allowed = ("mechanisms/", "privacy/", "audit/auditor.py", "cli/audit_command.py")
    assert [name for name, tree in modules(*allowed) if "sample" in called(tree)] == []


def test_opendp_is_imported_in_one_place():
    assert [name for name, tree in modules() if any(i.startswith("opendp") for i in imported(tree))] == [
        "mechanisms/noise.py"
    ]


def test_randomness_comes_from_one_place():
    allowed = ("mechanisms/", "study/", "cli/", "report/")
    makers = {"default_rng", "RandomState", "seed", "SystemRandom", "token_bytes", "urandom"}
    assert [name for name, tree in modules(*allowed) if called(tree) & makers] == []


def test_nothing_is_unpickled_or_evaluated():
    for name, tree in modules():
        # Processes of our own, and workers of a cluster, get their tasks that way; no file does.
        allowed = {"study/run/": {"joblib"}, "table/cluster/": {"cloudpickle"}}
        allowed = next((rooms for room, rooms in allowed.items() if name.startswith(room)), set())
        rooms = {each.partition(".")[0] for each in imported(tree)}
        assert not rooms & ({"pickle", "cloudpickle", "joblib", "dill", "marshal", "shelve"} - allowed), name
        bare = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not bare & {"eval", "exec", "__import__"}, name


@pytest.mark.parametrize("room", ["queries", "convex", "mechanisms", "boosting"])
def test_each_query_and_mechanism_has_a_proof_page(room):
    """A module that makes statistics, or adds noise, names its proof pages."""
    without_proof = {"noise"}
    for path in sorted((SOURCE / room).rglob("*.py")):
        text = path.read_text()
        speaks = "proofs/" in text
        if path.stem == "__init__" or (path.stem in without_proof and not speaks):
            continue
        makes = called(ast.parse(text)) & STATISTICS or "def sample(" in text
        if makes or speaks:
            pages = [word.strip("`.,;:()") for word in text.split() if "proofs/" in word]
            assert pages, f"{room}/{path.name} names no proof page"
            for page in pages:
                assert (PROOFS.parent / page).is_file(), f"{path.name} names {page}, which is not there"


def public_names() -> Iterator[tuple[str, object]]:
    for info in pkgutil.walk_packages(tacit.__path__, "tacit."):
        if "__main__" in info.name:
            continue
        module = importlib.import_module(info.name)
        for name, thing in vars(module).items():
            own = getattr(thing, "__module__", None) == info.name
            if not name.startswith("_") and own and (inspect.isclass(thing) or inspect.isfunction(thing)):
                yield f"{info.name}.{name}", thing


def test_every_public_name_is_documented():
    undocumented = [name for name, thing in public_names() if not inspect.getdoc(thing)]
    assert undocumented == []


def test_what_the_package_offers_is_there_and_listed():
    for name in tacit.__all__:
        assert getattr(tacit, name) is not None
        assert name in dir(tacit)
    with pytest.raises(AttributeError, match="no_such_name"):
        tacit.no_such_name  # noqa: B018


def module_imports() -> dict[str, set[str]]:
    """Modules that each module imports by name, in its functions too; not those for the type checker alone."""
    named = {
        f"tacit.{name.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__"): t for name, t in modules()
    }
    graph = {}
    for name, tree in named.items():
        found = set()
        for node in ast.walk(runtime_only(tree)):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            if isinstance(node, ast.ImportFrom) and node.module:
                inside = {f"{node.module}.{alias.name}" for alias in node.names} & named.keys()
                found |= inside or {node.module}
        graph[name] = found & named.keys() - {name}
    return graph


def runtime_only(tree: ast.Module) -> ast.Module:
    body = [node for node in tree.body if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))]
    return ast.Module(body, [])


def test_no_import_circle_not_even_in_functions():
    graph = module_imports()
    while leaves := {name for name, imports in graph.items() if not imports & graph.keys()}:
        graph = {name: imports for name, imports in graph.items() if name not in leaves}
    assert graph == {}


def test_files_are_neither_large_nor_tiny():
    """A file under thirty lines belongs into another one, unless Python asks for it."""
    sizes = {name: len((SOURCE / name).read_text().splitlines()) for name, _ in modules()}
    assert [name for name, size in sizes.items() if size > 400] == []
    small = [name for name, size in sizes.items() if size < 30 and not name.endswith("__init__.py")]
    assert [name for name in small if name not in ("__main__.py", "version.py")] == []


def test_functions_stay_short():
    longest = {
        f"{name}:{node.name}": node.end_lineno - node.body[bool(ast.get_docstring(node))].lineno + 1
        for name, tree in modules("cli/")  # whose options are parameters
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and len(node.body) > bool(ast.get_docstring(node))
    }
    assert {name: size for name, size in longest.items() if size > 40} == {}


def test_a_room_offers_on_demand_what_it_lists():
    """The imports that checkers follow, the table that is followed when a name is asked for, and what is listed."""
    rooms = [name for name, tree in modules() if "on_demand" in called(tree) and name != "on_demand.py"]
    assert len(rooms) > 10
    for name in rooms:
        room = importlib.import_module(".".join(("tacit", *Path(name).parent.parts)))
        followed = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for block in trees()[name].body
            if isinstance(block, ast.If)
            for node in block.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        eager = {
            alias.name
            for node in trees()[name].body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tacit.errors")
            for alias in node.names
        }
        assert {*followed, *eager} == set(room.__all__), name
        for public, place in followed.items():
            module, _, own = place.rpartition(".")
            assert getattr(room, public) is getattr(importlib.import_module(module), own), place
        modules_of = {info.name for info in pkgutil.iter_modules(room.__path__)}
        assert not modules_of & set(followed), f"{name}: a module would take the place of a name"
        with pytest.raises(AttributeError):
            room.no_such_name  # noqa: B018
