"""Small certificates of every kind that a fit can write."""

from __future__ import annotations

import importlib.util
import sys
import warnings

import numpy as np
import polars as pl
import pytest

import tacit
from tacit import (
    Categorical,
    Identifier,
    Label,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    PaidSearch,
    Schema,
    SVMClassifier,
    TreeClassifier,
    Weight,
)
from tacit.ledger import Account, Ledger
from tacit.privacy import Budget
from tacit.verify import program

COLUMNS = [Numeric("age", 0, 100, cuts=[25, 50, 75]), Categorical("sky", ["clear", "rain", "snow"])]
TWO = Schema(COLUMNS, label=Label("works", ["0", "1"]))
WEIGHED = Schema(COLUMNS, label=TWO.label, weight=Weight("w", 4))
WEIGHTS = pl.Series(np.arange(12_000) % 6)
THREE = Schema(COLUMNS, label=Label("works", ["0", "1", "2"]))


def _frame(rows, classes=2):
    draw = np.random.default_rng(rows)
    return pl.DataFrame(
        {
            "age": draw.uniform(0, 100, rows),
            "sky": draw.choice(["clear", "rain", "snow"], rows),
            "works": draw.integers(0, classes, rows).astype(str),
            "person": draw.integers(0, rows // 2, rows),
        }
    )


def _fit(estimator, frame):
    return estimator.fit(frame.drop("works", "person"), frame["works"])


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """A model of each kind of certificate, by its name."""
    few, three, many = _frame(600), _frame(600, 3), _frame(12_000)
    budget = {"epsilon": 0.7, "delta": 1e-6, "random_state": 0}
    book = Ledger(tmp_path_factory.mktemp("books") / "book.ledger")
    book.open(Account.of("rho", Budget(3.0, 1e-6)))
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found["pure"] = _fit(NaiveBayesClassifier(TWO, epsilon=0.7), few)
        found["delta"] = _fit(LogisticClassifier(TWO, **budget), few)
        found["gaussians last, after others"] = _fit(LogisticClassifier(TWO, class_weight="balanced", **budget), few)
        found["selections in rho"] = _fit(TreeClassifier(TWO, **budget), few)
        found["holdout"] = _fit(LogisticClassifier(TWO, holdout=0.5, **budget), few)
        found["classes"] = _fit(SVMClassifier(THREE, epsilon=0.7), three)
        found["approximate"] = _fit(LogisticClassifier(TWO, method="gaussian-objective", **budget), few)
        found["ledger in rho"] = _fit(TreeClassifier(TWO, epsilon=0.7, delta=1e-6, ledger=f"{book.path}#rho"), few)
        for pay in ("rows", "epsilon"):
            for delta in (0.0, 1e-6):
                search = PaidSearch(
                    [TreeClassifier(TWO)], [{"max_splits": ["auto", 3]}], pay=pay, **budget | {"delta": delta}
                )
                found[f"search in {pay}, delta {delta:g}"] = _fit(search, many)
        kinds = tacit.Kinds({"age": "number", "sky": "category", "works": "category"})
        learned = tacit.learn_schema(many.drop("person"), kinds, label="works", epsilon=0.2, delta=1e-6)
        found["learned schema"] = _fit(LogisticClassifier(learned, epsilon=0.7, delta=1e-6), many)
        persons = Schema(COLUMNS, label=TWO.label, identifier=Identifier("person", rows="mean"))
        by_person = LogisticClassifier(persons, **budget).fit(few.drop("works"), few["works"])
        found["persons"] = by_person
    return {name: fitted.model_ for name, fitted in found.items()}


@pytest.fixture(scope="session")
def certificates(models):
    return {name: model.guarantee for name, model in models.items()}


@pytest.fixture(scope="session")
def standalone(tmp_path_factory):
    """The program, run as a file of its own."""
    path = tmp_path_factory.mktemp("program") / "verify.py"
    path.write_text(program(), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("standalone_verify", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]
