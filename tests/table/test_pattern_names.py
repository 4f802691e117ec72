"""Columns whose names polars takes for patterns of names, or for all columns, are columns like others."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit.estimators import NaiveBayesClassifier
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table
from tacit.table.files.read import read_features, read_for_draft, read_with_labels

SCHEMA = Schema(
    [Categorical("*", ["u", "v"]), Numeric("^a.*$", 0, 1), Numeric("^day$", "2020-01-01", "2020-12-31")],
    label=Label("^y$", ["p", "q"]),
)
CELLS = {
    "ab": [0.9, 0.8, 0.7, 0.6],  # what the pattern ^a.*$ would find
    "^a.*$": [0.1, 0.2, 0.3, 0.4],
    "*": ["u", "v", "v", "u"],
    "^day$": ["2020-01-02", "2020-02-01", "2020-03-01", "2020-12-31"],
}
LABELS = ["p", "p", "q", "q"]


def read(frame):
    """The numbers that a table has read."""
    table = Table.from_frame(frame, LABELS, SCHEMA)
    return table.gather(lambda block: np.column_stack([block._rows.columns[name] for name in SCHEMA.names])).tolist()


def test_lazy_frames():
    expected = read(pl.DataFrame(CELLS))
    assert [row[1] for row in expected] == CELLS["^a.*$"]
    assert read(pl.LazyFrame(CELLS)) == expected
    assert read(pl.LazyFrame(CELLS).select(pl.nth(3, 2, 1, 0))) == expected


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files(tmp_path, kind):
    path = tmp_path / f"rows.{kind}"
    getattr(pl.DataFrame(CELLS | {"^y$": LABELS}), f"write_{kind}")(path)
    frame, labels = read_with_labels(path, SCHEMA, "raise")
    assert (frame.columns, labels.name, labels.to_list()) == (list(SCHEMA.names), "^y$", LABELS)
    assert read(frame) == read(pl.DataFrame(CELLS))
    assert read_features(path, SCHEMA, "coerce").equals(frame)
    draft = read_for_draft(path, "^y$")
    assert draft.columns == [*CELLS, "^y$"]
    assert draft["^a.*$"].to_list() == CELLS["^a.*$"]
    model = NaiveBayesClassifier(SCHEMA, epsilon=1.0, random_state=0)
    assert (model.fit(frame, labels).predict(frame) == model.fit(pl.LazyFrame(CELLS), LABELS).predict(frame)).all()
