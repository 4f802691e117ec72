"""One model, to the bit, wherever the rows are: every learner, on tables of several blocks."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import (
    BoostedTreesClassifier,
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
)
from tacit.errors import ParameterError
from tacit.models import to_json
from tacit.study.learners import private_learners
from tacit.table import Disk, Table

COLUMNS = [Numeric("age", 0, 90), Numeric("pay", 0, 1e4, center=0), Categorical("job", ["a", "b", "c"], other=True)]
PRIVATE = Schema(COLUMNS, label=Label("y", ["no", "yes"]))
MIXED = Schema([*COLUMNS, Numeric("public", 0, 1, private=False)], label=Label("y", ["no", "yes"], private=False))
THREE = Schema(COLUMNS, label=Label("y", ["no", "perhaps", "yes"]))

pytestmark = pytest.mark.filterwarnings("ignore")


def frame(n_rows=700):
    generator = np.random.default_rng(7)
    return pl.DataFrame(
        {
            "age": generator.uniform(0, 90, n_rows),
            "pay": generator.exponential(800, n_rows),
            "job": generator.choice(["a", "b", "c", "d"], n_rows),
            "public": generator.uniform(0, 1, n_rows),
            # Sorted by nothing: a person's rows are in several blocks.
            "person": generator.integers(0, n_rows // 3, n_rows),
        }
    )


def labels(schema, rows):
    of = np.asarray(sorted(schema.label.classes))
    return of[np.clip((rows["age"].to_numpy() / 91 * len(of)).astype(int), 0, len(of) - 1)]


def fitted(estimator, schema, storage):
    rows = frame()
    given = {"storage": storage} if storage else {}
    table = Table.from_frame(rows, labels(schema, rows), schema, block_rows=97, **given)
    return to_json(estimator.fit_table(table).model_, allow="simulated")


SETTINGS = {"brc": {"rounds": 20}, "lazybb": {"rounds": 4}}

CASES = [
    *[(name, cls, schema, SETTINGS.get(name, {})) for name, cls in sorted(private_learners().items())
      for schema in (PRIVATE, MIXED)],
    *[(cls._learner, cls, THREE, {}) for cls in (NaiveBayesClassifier, BoostedTreesClassifier, TreeClassifier)],
    ("logistic", LogisticClassifier, PRIVATE, {"delta": 1e-6}),
    ("logistic", LogisticClassifier, MIXED, {"method": "mean-operator"}),
    ("svm", SVMClassifier, PRIVATE, {"delta": 1e-6}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cls", "schema", "settings"), CASES)
def test_a_model_is_the_same_from_memory_and_from_disk(tmp_path, name, cls, schema, settings):
    estimator = cls(schema, epsilon=5.0, random_state=3, **settings)
    assert fitted(estimator, schema, None) == fitted(estimator, schema, Disk(tmp_path))


@pytest.mark.parametrize("rows", ["mean", 1, 2])
@pytest.mark.parametrize("name", sorted(private_learners()))
def test_so_is_one_of_persons_whose_rows_are_in_several_blocks(tmp_path, name, rows):
    schema = Schema(COLUMNS, label=Label("y", ["no", "yes"]), identifier=Identifier("person", rows=rows))
    estimator = private_learners()[name](schema, epsilon=5.0, random_state=3, **SETTINGS.get(name, {}))
    try:
        want = fitted(estimator, schema, None)
    except ParameterError as refused:
        with pytest.raises(ParameterError) as same:
            fitted(estimator, schema, Disk(tmp_path))
        assert str(same.value) == str(refused)
    else:
        assert fitted(estimator, schema, Disk(tmp_path)) == want


@pytest.mark.parametrize("schema", [PRIVATE, Schema(COLUMNS, label=PRIVATE.label, identifier=Identifier("person"))])
def test_a_search_in_slices_is_the_same(tmp_path, schema):
    grid = {"encoding": ["binned", "ordinal"]}
    search = PaidSearch(LogisticClassifier(schema), grid, epsilon=20.0, rows=0.4, random_state=1)
    assert fitted(search, schema, None) == fitted(search, schema, Disk(tmp_path))
