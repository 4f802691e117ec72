"""What commands import: no more than they need, so that they start at once."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import typer
from sklearn.base import BaseEstimator

from harness.longer import longer
from tacit.cli.app import app
from tacit.cli.deferred import DeferredCommand
from tacit.cli.settings import learner_class, learner_fit
from tacit.study.learners import private_learners

LIBRARIES = [
    *("sklearn", "scipy", "polars", "narwhals", "opendp", "numpy", "pandas", "pyarrow", "plotly"),
    *("scipy.stats", "scipy.optimize", "scipy.linalg", "scipy.sparse"),
    *("tacit.audit.auditor", "tacit.estimators.base"),
]
HEAVY = {"sklearn", "pandas", "pyarrow", "plotly", "scipy.stats"}
NOT_OF_A_MODEL = HEAVY | {"opendp", "scipy.optimize", "scipy.linalg", "scipy.sparse"}
SHOWN = f"import json, sys; print('\\n' + json.dumps([each for each in {LIBRARIES} if each in sys.modules]))"


def imported(code: str) -> set[str]:
    """Return which libraries a new interpreter imports for some code."""
    done = subprocess.run([sys.executable, "-c", f"{code}\n{SHOWN}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def imported_by(*arguments: object) -> set[str]:
    """Return which libraries a command imports."""
    given = ["tacit", *map(str, arguments)]
    code = f"import sys; sys.argv = {given!r}; from tacit.cli.app import app; app(standalone_mode=False)"
    return imported(code)


def test_the_package_imports_nothing_until_a_name_is_asked_for():
    assert imported("import tacit, tacit.privacy, tacit.models, tacit.table, tacit.study, tacit.estimators") == set()
    assert imported("from tacit import Schema") == {"numpy"}


@pytest.mark.parametrize("arguments", [[], ["fit"], ["predict"], ["inspect"], ["ledger"], ["schema"]])
def test_help_imports_no_library(arguments):
    assert imported_by(*arguments, "--help") == set()


def test_a_model_is_shown_verified_and_predicts_without_what_trains_one(model, table):
    assert not NOT_OF_A_MODEL & imported_by("inspect", model)
    assert not NOT_OF_A_MODEL & imported_by("predict", model, table)
    assert not (NOT_OF_A_MODEL | {"polars", "narwhals"}) & imported_by("verify", model)


@pytest.mark.parametrize("name", longer(sorted(private_learners()), 3))
def test_a_fit_imports_no_scikit_learn(name, table, schema, tmp_path):
    out = tmp_path / "fitted.json"
    found = imported_by("fit", table, "-s", schema, "-e", 1, "--learner", name, "-o", out, "--ledger", "none")
    assert out.exists() and not HEAVY & found


def test_evidence_needs_neither_learners_nor_an_audit(model, tmp_path):
    found = imported_by("evidence", model, "--for", "nist", "--out", tmp_path / "out")
    assert not {"sklearn", "opendp", "scipy.optimize", "tacit.audit.auditor", "tacit.estimators.base"} & found


def deferred(group: typer.core.TyperGroup, above: str = "") -> dict[str, DeferredCommand]:
    """Return the commands and groups that are imported later, by how they are called."""
    found = {}
    for name, command in group.commands.items():
        path = f"{above} {name}".strip()
        if isinstance(command, DeferredCommand):
            found[path] = command
            command = command.loaded()
        if hasattr(command, "commands"):
            found |= deferred(command, path)
    return found


DEFERRED = deferred(typer.main.get_command(app))


@pytest.mark.parametrize("path", sorted(DEFERRED))
def test_help_lists_a_command_with_what_its_own_help_begins_with(path):
    own = DEFERRED[path].loaded()
    assert own.help.split("\n\n")[0].replace("\n", " ").strip() == DEFERRED[path].help
    assert own.name == path.split()[-1] or hasattr(own, "commands")


@pytest.mark.parametrize("name", sorted(private_learners()))
def test_the_fit_of_a_learner_is_that_of_its_estimator(name):
    assert learner_class(name) is private_learners()[name]
    assert learner_fit(name) in learner_class(name).__bases__ and learner_fit(name)._learner == name
    assert not issubclass(learner_fit(name), BaseEstimator)
    assert learner_class(name).__doc__ == learner_fit(name).__doc__
