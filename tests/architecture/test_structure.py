"""The structure that the privacy argument leans on, checked on the syntax tree."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import tacit

SOURCE = Path(tacit.__file__).parent
PROOFS = SOURCE.parent.parent / "proofs"


def modules(*without: str) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(without or ("\0",)):
            yield name, ast.parse(path.read_text())


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
    "GaugeStatistic",
    "ObjectiveStatistic",
}


def test_only_queries_make_statistics():
    assert [name for name, tree in modules("queries/") if called(tree) & STATISTICS] == []


def test_only_queries_and_mechanisms_see_unreleased_values():
    """Studies may look: what they compute is not for release."""
    allowed = ("queries/", "mechanisms/", "privacy/", "study/")
    assert [name for name, tree in modules(*allowed) if "unreleased_value" in attributes(tree)] == []


def test_only_queries_see_rows():
    """Sums, visits, state beside rows: whatever hands a table's blocks to a function."""
    shows_rows = {"sum", "visit", "per_block", "gather"}
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
    allowed = ("mechanisms/", "privacy/")
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
        allowed = {"joblib"} if name.startswith("study/run/") else set()  # it starts processes there
        rooms = {each.partition(".")[0] for each in imported(tree)}
        assert not rooms & ({"pickle", "joblib", "dill", "marshal", "shelve"} - allowed), name
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


def test_files_stay_small():
    assert [name for name, tree in modules() if len((SOURCE / name).read_text().splitlines()) > 400] == []
