"""A recognizable value in a private cell is in nothing that leaves: models, messages, warnings, logs, outputs."""

from __future__ import annotations

import io
import logging
import pickle
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit import (
    BoostedTreesClassifier,
    BRCClassifier,
    Categorical,
    Label,
    NaiveBayesClassifier,
    Numeric,
    PrivacyWarning,
    Schema,
    make_rados,
)
from tacit.errors import TacitError
from tacit.study.learners import private_learners
from tacit.table import Table, read_rows, read_source
from tacit.table.files.several import Files

MARK = 7531902468
SCHEMA = Schema(
    [Numeric("age", 0, 100), Categorical("town", ["Lund", "Malmo"]), Numeric("born", "1950-01-01", "2020-01-01")],
    label=Label("ill", [0, 1]),
)
N = 30
LEARNERS = sorted(private_learners().values(), key=lambda cls: cls._learner)


class Speaking:
    def __repr__(self):
        raise ValueError(f"{MARK}")

    __str__ = __hash__ = __float__ = __len__ = __repr__


SECRETS = [
    MARK,
    f"{MARK}",
    f"text {MARK}",
    f"{MARK}".encode(),
    complex(MARK, 1),
    Decimal(f"1e{MARK % 1000}"),
    np.longdouble(f"{MARK}e4000"),
    np.timedelta64(MARK, "s"),
    np.datetime64(MARK, "s"),
    datetime(2000, 1, 1, microsecond=531902, tzinfo=UTC),
    [MARK],
    {"social security": MARK},
    {MARK},
    Speaking(),
]
COLUMNS = {"age": [20 + i for i in range(N)], "town": ["Lund", "Malmo"] * (N // 2), "born": ["2000-01-01"] * N}
LABELS = [0, 1] * (N // 2)


def planted(column, secret):
    return {**COLUMNS, column: [secret, *COLUMNS[column][1:]]}


CONTAINERS = {
    "lists": lambda columns: [list(row) for row in zip(*columns.values(), strict=True)],
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame({k: pl.Series(v, strict=False) for k, v in columns.items()}),
    "arrow": pa.table,
}


def speaks(text):
    return "31902468" in text or "531902" in text or "social security" in text


def everything_said(call):
    """Return what a call gives back, pickled and in words, and everything that it prints, logs, warns of and raises."""
    said, out, logged = [], io.StringIO(), logging.StreamHandler(io.StringIO())
    logging.getLogger().addHandler(logged)
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(out), redirect_stderr(out):
        warnings.simplefilter("always")
        try:
            result = call()
            said += [repr(result), str(result)]
            if not isinstance(result, Table | np.ndarray | dict):
                said.append(pickle.dumps(result).decode("latin-1"))
        except TacitError as error:
            said += traceback.format_exception(error)
            assert error.__context__ is None
    logging.getLogger().removeHandler(logged)
    assert {warning.category for warning in caught} <= {PrivacyWarning}
    return [*said, out.getvalue(), logged.stream.getvalue(), *(str(warning.message) for warning in caught)]


def readings(X, y, on_invalid):
    """Where tables and labels of any container are read: all other entries go through these."""
    yield lambda: Table.from_frame(X, y, SCHEMA, on_invalid=on_invalid)
    yield lambda: BRCClassifier("infer", epsilon=1.0, rounds=3, on_invalid=on_invalid).fit(X, y).privacy_


def entries(X, y, on_invalid):
    yield from readings(X, y, on_invalid)
    yield lambda: BRCClassifier(SCHEMA, epsilon=1.0, rounds=3, on_invalid=on_invalid).fit(X, y)
    yield lambda: make_rados(X, y, SCHEMA, epsilon=1.0, count=5, on_invalid=on_invalid).description
    yield lambda: NaiveBayesClassifier(SCHEMA, epsilon=1.0).fit_table(
        Table.from_frame(X, y, SCHEMA, on_invalid=on_invalid)
    )


@pytest.mark.parametrize("on_invalid", ["raise", "coerce"])
@pytest.mark.parametrize("container", CONTAINERS)
def test_no_entry_speaks_of_a_cell(container, on_invalid):
    for column in COLUMNS:
        for secret in SECRETS:
            if container == "polars" and isinstance(secret, Speaking):
                continue  # polars prints what an object raises while it makes a series
            try:
                X = CONTAINERS[container](planted(column, secret))
            except BaseException:
                continue  # the other library refuses the cell
            for entry in (entries if container == "lists" else readings)(X, LABELS, on_invalid):
                assert not any(map(speaks, everything_said(entry))), (column, type(secret))


@pytest.mark.parametrize("on_invalid", ["raise", "coerce"])
@pytest.mark.parametrize(
    "make", [list, tuple, np.asarray, lambda y: pd.Series(y), lambda y: pl.Series(y, strict=False)]
)
def test_no_entry_speaks_of_a_label(make, on_invalid):
    X = CONTAINERS["polars"](COLUMNS)
    for secret in SECRETS:
        try:
            y = make([secret, *LABELS[1:]])
        except BaseException:
            continue
        for entry in (entries if make is list else readings)(X, y, on_invalid):
            assert not any(map(speaks, everything_said(entry))), type(secret)


@pytest.mark.parametrize("learner", LEARNERS)
def test_no_learner_and_no_prediction_warns_or_speaks_of_a_cell(learner):
    """All secrets in each column and in the label; of one learner each of them alone, too."""
    everywhere = [SECRETS[at] if at < len(SECRETS) else None for at in range(N)]
    alone = [[secret, *[None] * (N - 1)] for secret in SECRETS] if learner is NaiveBayesClassifier else []
    few = {"n_trees": 5} if learner is BoostedTreesClassifier else {"rounds": 5}
    few = few if hasattr(learner, next(iter(few))) else {}
    for planting in (everywhere, *alone):
        *columns, y = (
            [usual if secret is None else secret for secret, usual in zip(planting, cells, strict=True)]
            for cells in (*COLUMNS.values(), LABELS)
        )
        X = CONTAINERS["lists"](dict(zip(COLUMNS, columns, strict=True)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a warning would tell that the cell is there
            warnings.simplefilter("ignore", PrivacyWarning)
            model = learner(SCHEMA, epsilon=1.0, on_invalid="coerce", **few).fit(X, y)
            assert not speaks(pickle.dumps(model).decode("latin-1"))
            assert not any(map(speaks, everything_said(lambda m=model, r=X: m.predict(r))))
            assert set(model.predict(X)) <= {0, 1}


def test_a_lazy_frame_that_fails_says_nothing_of_its_cells():
    def raising(cell):
        raise ValueError(f"cannot read {cell}")

    frame = pl.LazyFrame(planted("age", f"{MARK}"), strict=False)
    queries = [
        frame.with_columns(pl.col("age").cast(pl.Int8)),
        frame.with_columns(pl.col("age").str.to_date()),
        frame.with_columns(pl.col("age").map_elements(raising, return_dtype=pl.Int64)),
        frame.select(pl.col(f"{MARK}")),
    ]
    for query in queries:
        for entry in entries(query, LABELS, "coerce"):
            said = everything_said(entry)
            assert not any(map(speaks, said))
            assert any("Expected" in text for text in said)


@pytest.mark.parametrize("labels", [np.full(N, MARK + 1j), pd.Series(np.full(N, MARK + 1j)), [MARK + 1j] * N])
def test_complex_labels_are_not_printed(labels):
    for schema in (SCHEMA, "infer"):
        with pytest.raises(TacitError) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            BRCClassifier(schema, epsilon=1.0).fit(CONTAINERS["polars"](COLUMNS), labels)
        assert not speaks(str(caught.value))


def test_other_columns_leave_no_name():
    X = CONTAINERS["pandas"](COLUMNS).assign(ssn=MARK)
    model = BRCClassifier(SCHEMA, epsilon=1.0).fit(X, LABELS)
    assert not speaks(pickle.dumps(model).decode("latin-1"))
    assert list(model.feature_names_in_) == list(SCHEMA.names)
    assert (model.predict(X) == model.predict(X[["born", "town", "age"]])).all()
    model.fit([list(row) for row in X[list(SCHEMA.names)].to_numpy()], LABELS)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([{"a": 1}] * N),
        pl.Series([[1]] * N),
        pl.Series([[1]] * N, dtype=pl.Array(pl.Int64, 1)),
        pl.Series([b"1"] * N),
        pd.Series([1j] * N),
        pd.Series(pd.to_timedelta([1] * N, unit="s")),
        pd.Series(pd.period_range("2000", periods=N)),
    ],
    ids=lambda column: str(column.dtype),
)
@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_a_foreign_type_are_refused_by_their_type(column, name):
    frame = (pl if isinstance(column, pl.Series) else pd).DataFrame({**COLUMNS, name: column})
    for on_invalid in ("raise", "coerce"):
        with pytest.raises(TacitError, match=f"in column '{name}', got"):
            read_rows(frame, SCHEMA, on_invalid=on_invalid)
    with pytest.raises(TacitError, match="in label 'ill', got"):
        Table.from_frame(CONTAINERS["polars"](COLUMNS), column, SCHEMA, on_invalid="coerce")


@pytest.mark.parametrize("X", [[[1, 2], [3]], [[1], 2], [1, 2], [], [[]], "text", (c for c in "ab"), {"a": 1}, None, 3])
def test_what_is_no_table_is_refused_in_one_sentence(X):
    for on_invalid in ("raise", "coerce"):
        with pytest.raises(TacitError, match=r"Expected|Found"):
            BRCClassifier(SCHEMA, epsilon=1.0, on_invalid=on_invalid).fit(X, [0, 1])


@pytest.mark.parametrize("by_arrow", [False, True])
def test_the_fields_of_a_structure_are_not_printed(tmp_path, by_arrow):
    cells = pa.array([{f"{MARK}": age} for age in COLUMNS["age"]])
    columns = {**COLUMNS, "age": cells, "ill": LABELS}
    if by_arrow:
        columns["odd"] = pa.array([1] * N, pa.decimal256(50, 2))  # polars cannot open it
    pq.write_table(pa.table(columns), tmp_path / "people.parquet")
    with pytest.raises(TacitError, match="'age'") as caught:
        read_source(Files.of(tmp_path / "people.parquet"), SCHEMA)
    assert not speaks(str(caught.value))
