"""Neighbors whose tables hold cells as people write them: one odd cell changes no other row."""

from itertools import islice

import pytest

from tacit import NaiveBayesClassifier
from tacit.audit.neighbors import random_pairs
from tacit.audit.reading import reading_pairs
from tacit.audit.replay import replay_pair
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_rows

SCHEMA = Schema(
    [
        Numeric("a", -5, 5e3, decimal=",", thousands=".", signs=["€"], missing=0, below="<"),
        Numeric("m", 1, 12, dates="%d.%m.%Y", date_part="month", missing=3),
        Numeric("d", "1990-01-01", "2009-12-31", dates="%d.%m.%y", missing="2000-01-01"),
        Numeric("h", 0, 23, date_part="hour", missing="indicator"),
        Categorical("s", ["female", "male"], replace={"f": "female", "1": "male"}, other=True),
        Categorical("z", buckets=5, replace={"f": "1"}),
    ],
    label=Label("y", ["no", "yes"], replace={"n": "no"}),
)


@pytest.mark.parametrize("on_invalid", ["coerce", "raise"])
def test_one_cell_decides_about_its_own_row_alone(on_invalid):
    compared = 0
    for pair in islice(reading_pairs(SCHEMA, n_rows=6, seed=3), 16):
        fit = replay_pair(lambda: NaiveBayesClassifier(SCHEMA, epsilon=1.0, on_invalid=on_invalid), pair)
        assert fit.differences == (), pair.kind
        compared += bool(fit.steps)
    assert compared > 4


def test_pairs_hold_texts_as_they_are_written_and_moments():
    pair = next(reading_pairs(SCHEMA, n_rows=6, seed=3))
    plain = next(random_pairs(SCHEMA, n_rows=6, seed=3))
    (rows, _), _ = pair.inputs()
    read = read_rows([list(row) for row in rows], SCHEMA)
    assert all(isinstance(cell, str) and "." not in cell for cell in (row[0] for row in rows))
    assert read.columns["a"].tolist() == [row[0] for row in plain.first]
    assert read.columns["m"].tolist() == [round(row[1]) for row in plain.first]
