"""One model, to the bit, wherever the rows are: every learner, on tables of several blocks."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from harness.in_process import on_workers, read_by_workers
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
from tacit.errors import ParameterError, TableError
from tacit.features import GridEncoding
from tacit.ledger import Account, Ledger
from tacit.models import to_json
from tacit.privacy import Budget
from tacit.study.learners import private_learners
from tacit.table import Disk, Table, shards

COLUMNS = [Numeric("age", 0, 90), Numeric("pay", 0, 1e4, center=0), Categorical("job", ["a", "b", "c"], other=True)]
PRIVATE = Schema(COLUMNS, label=Label("y", ["no", "yes"]))
MIXED = Schema([*COLUMNS, Numeric("public", 0, 1, private=False)], label=Label("y", ["no", "yes"], private=False))
# Of more codes than a byte holds.
CODES = [*COLUMNS[:2], Categorical("zip", buckets=300), Categorical("code", ["I", "I1"], match="prefix", other=True)]
WIDE = Schema(CODES, label=PRIVATE.label)
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
            "zip": [f"{number:05d}" for number in generator.integers(0, 99_999, n_rows)],
            "code": [f"{'IJ'[number % 2]}{number}" for number in range(n_rows)],
            # Sorted by nothing: a person's rows are in several blocks.
            "person": generator.integers(0, n_rows // 3, n_rows),
        }
    )


def labels(schema, rows):
    of = np.asarray(sorted(schema.label.classes))
    return of[np.clip((rows["age"].to_numpy() / 91 * len(of)).astype(int), 0, len(of) - 1)]


def fitted(estimator, schema, storage, n_rows=700):
    rows = frame(n_rows)
    given = {"storage": storage} if storage else {}
    table = Table.from_frame(rows, labels(schema, rows), schema, block_rows=97, **given)
    return model_of(estimator, table)


def fitted_by_workers(estimator, schema, monkeypatch, workers=on_workers):
    """Fit in two shards, here and behind a client; return both models."""
    monkeypatch.setattr(shards, "SHARD_BLOCKS", 5)
    rows = frame()
    table = Table.from_frame(rows, labels(schema, rows), schema, block_rows=97)
    return model_of(estimator, table), model_of(estimator, workers(table))


def model_of(estimator, table):
    return to_json(estimator.fit_table(table).model_, allow="simulated")


SEARCHED = "chosen among"
"""What a model says whose search was worth its price; else nothing is divided, and nothing is compared."""

SETTINGS = {"brc": {"rounds": 20}, "lazybb": {"rounds": 4}}

CASES = [
    *[(name, cls, schema, SETTINGS.get(name, {})) for name, cls in sorted(private_learners().items())
      for schema in (PRIVATE, MIXED, WIDE)],
    *[(cls._learner, cls, THREE, {}) for cls in (NaiveBayesClassifier, BoostedTreesClassifier, TreeClassifier)],
    ("logistic", LogisticClassifier, PRIVATE, {"delta": 1e-6}),
    ("logistic", LogisticClassifier, MIXED, {"method": "mean-operator"}),
    ("svm", SVMClassifier, PRIVATE, {"delta": 1e-6}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cls", "schema", "settings"), CASES)
def test_a_model_is_the_same_from_memory_and_from_disk(tmp_path, name, cls, schema, settings):
    estimator = cls(schema, epsilon=5.0, random_state=3, **settings)
    assert fitted(estimator, schema, None) == fitted(estimator, schema, Disk(tmp_path))


@pytest.mark.parametrize(("name", "cls", "schema", "settings"), CASES)
def test_a_model_is_the_same_from_workers_who_get_tasks_as_bytes(monkeypatch, name, cls, schema, settings):
    here, there = fitted_by_workers(cls(schema, epsilon=5.0, random_state=3, **settings), schema, monkeypatch)
    assert here == there


def test_so_is_a_search_in_slices_on_workers(monkeypatch):
    grid = {"encoding": ["binned", "ordinal"]}
    search = PaidSearch(LogisticClassifier(PRIVATE), grid, epsilon=20.0, rows=0.4, random_state=1)
    here, there = fitted_by_workers(search, PRIVATE, monkeypatch)
    assert here == there
    assert SEARCHED in here


@pytest.mark.parametrize("rows", ["mean", 1, 2])
@pytest.mark.parametrize("name", sorted(private_learners()))
def test_so_is_one_of_persons_whose_rows_are_in_several_blocks(tmp_path, name, rows):
    schema = of_persons(rows)
    estimator = private_learners()[name](schema, epsilon=5.0, random_state=3, **SETTINGS.get(name, {}))
    try:
        want = fitted(estimator, schema, None)
    except ParameterError as refused:
        with pytest.raises(ParameterError) as same:
            fitted(estimator, schema, Disk(tmp_path))
        assert str(same.value) == str(refused)
    else:
        assert fitted(estimator, schema, Disk(tmp_path)) == want


def in_files(folder, schema):
    """Write the rows as files whose ends are not those of blocks."""
    rows = frame()
    rows = rows.with_columns(y=pl.Series(labels(schema, rows)))
    for at, part in enumerate(rows.iter_slices(500)):
        part.write_parquet(folder / f"{at}.parquet", row_group_size=80)
    return rows


def persons_here_and_there(schema, folder, monkeypatch):
    """Return the tables of persons whom one process, and workers behind a client, bring together."""
    monkeypatch.setattr(shards, "SHARD_BLOCKS", 3)
    monkeypatch.setattr("tacit.table.cluster.grouping._PARTITION_ROWS", 250)
    given = in_files(folder, schema)
    here = Table.from_frame(given, given["y"], schema, block_rows=97)
    return here, read_by_workers(folder, schema, monkeypatch, block_rows=97, shard_blocks=3)


def of_persons(rows):
    return Schema(COLUMNS, label=PRIVATE.label, identifier=Identifier("person", rows=rows))


PERSONS = [
    *[(name, "mean", () if name == "brc" else pytest.mark.audit) for name in sorted(private_learners())],
    ("logistic", 2, ()),
    ("tree", 1, pytest.mark.audit),
]


@pytest.mark.parametrize(
    ("name", "rows"), [pytest.param(name, rows, marks=marks, id=f"{name}-{rows}") for name, rows, marks in PERSONS]
)
def test_so_is_one_of_persons_whom_workers_bring_together(tmp_path, monkeypatch, name, rows):
    schema = of_persons(rows)
    estimator = private_learners()[name](schema, epsilon=5.0, random_state=3, **SETTINGS.get(name, {}))
    here, there = persons_here_and_there(schema, tmp_path, monkeypatch)
    assert there.n_persons == here.n_persons
    assert model_of(estimator, there) == model_of(estimator, here)


@pytest.mark.parametrize("rows", [2, pytest.param("mean", marks=pytest.mark.audit)])
def test_slices_of_such_persons_have_the_same_rows(tmp_path, monkeypatch, rows):
    here, there = persons_here_and_there(of_persons(rows), tmp_path, monkeypatch)
    order = np.random.default_rng(5).permutation(here.n_persons)
    encoding = GridEncoding(here.schema, "age", 12)
    for own, other in zip(here.slices([50, 80], order), there.slices([50, 80], order), strict=True):
        assert own.gather(lambda block: block.scored(encoding.transform)).tolist() == (
            other.gather(lambda block: block.scored(encoding.transform)).tolist()
        )


@pytest.mark.parametrize("schema", [PRIVATE, of_persons("mean")])
def test_a_search_in_slices_is_the_same(tmp_path, schema):
    grid = {"encoding": ["binned", "ordinal"]}
    search = PaidSearch(LogisticClassifier(schema), grid, epsilon=20.0, rows=0.4, random_state=1)
    want = fitted(search, schema, None, 2500)
    assert fitted(search, schema, Disk(tmp_path), 2500) == want
    assert SEARCHED in want


@pytest.mark.parametrize("identifier", [None, Identifier("person")])
@pytest.mark.parametrize("name", sorted(private_learners()))
def test_a_fit_on_files_is_that_on_a_frame(tmp_path, monkeypatch, name, identifier):
    monkeypatch.setenv("TACIT_SCRATCH", str(tmp_path / "scratch"))
    schema = Schema(COLUMNS if identifier else CODES, label=PRIVATE.label, identifier=identifier)
    rows = frame()
    rows = rows.with_columns(y=pl.Series(labels(schema, rows)))
    for at, part in enumerate(rows.iter_slices(300)):
        part.write_csv(tmp_path / f"{at}.csv")
    estimator = private_learners()[name](schema, epsilon=5.0, random_state=3, **SETTINGS.get(name, {}))
    try:
        want = to_json(estimator.fit(rows, rows["y"]).model_, allow="simulated")
    except ParameterError:
        return  # rados of persons are refused, as above
    for storage in ("memory", "disk"):
        assert to_json(estimator.fit(tmp_path, storage=storage).model_, allow="simulated") == want
    assert estimator.feature_names_in_.tolist() == list(schema.names)


def test_a_search_on_files_is_that_on_a_frame(tmp_path):
    rows = frame().with_columns(y=pl.Series(labels(PRIVATE, frame())))
    rows.write_csv(tmp_path / "rows.csv")
    grid = {"encoding": ["binned", "ordinal"]}
    search = PaidSearch(LogisticClassifier(PRIVATE), grid, epsilon=20.0, rows=0.4, random_state=1)
    want = to_json(search.fit(rows, rows["y"]).model_, allow="simulated")
    assert to_json(search.fit(str(tmp_path / "rows.csv")).model_, allow="simulated") == want
    assert SEARCHED in want


def test_what_files_lack_is_said_before_a_ledger_is_told_that_rows_are_read(tmp_path):
    book = Ledger(tmp_path / "people.ledger")
    book.open(Account.of("people", Budget(1.0)))
    frame().write_csv(tmp_path / "rows.csv")  # without the label
    estimator = NaiveBayesClassifier(PRIVATE, epsilon=0.5, ledger=tmp_path / "people.ledger")
    with pytest.raises(TableError, match="named 'y'"):
        estimator.fit(tmp_path / "rows.csv")
    assert [line.kind for line in book.lines()] == ["ledger", "account", "reserve", "give-back"]
    with pytest.raises(TableError, match="y is None"):
        estimator.fit(frame())
    with pytest.raises(ParameterError, match="storage"):
        estimator.fit(tmp_path / "rows.csv", storage="tape")
    with pytest.raises(ParameterError, match=r"Expected a tacit\.Schema for rows of files"):
        NaiveBayesClassifier("infer", epsilon=0.5).fit(tmp_path / "rows.csv")
