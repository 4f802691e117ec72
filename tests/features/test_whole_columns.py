"""Whole columns: cut points at halves, cells that each have a number, and ranges as people write them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import (
    BoostedTreesClassifier,
    BRCClassifier,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    TreeClassifier,
)
from tacit.errors import ModelFileError, SchemaError
from tacit.features import BinEncoding, DistanceEncoding, GridEncoding
from tacit.features.bin_encoding import even_cuts, n_even_cuts
from tacit.features.encoding import check_cuts
from tacit.features.literals import Literal
from tacit.models import from_json, to_json
from tacit.models.cells import ColumnCells
from tacit.schema import Label, Numeric, Schema
from tacit.table import read_rows


@st.composite
def whole_columns(draw):
    low = draw(st.integers(-300, 300))
    high = low + draw(st.integers(1, 60) | st.integers(61, 10**7))
    codes = draw(st.lists(st.integers(low, min(high, low + 60)), max_size=9, unique=True))
    missing = draw(st.sampled_from(["indicator", low, high])) if codes else None
    center = draw(st.none() | st.just(low) | st.floats(low, high))
    scale = draw(st.sampled_from(["linear", "log"]))
    return Numeric("x", low, high, scale=scale, center=center, whole=True, missing=missing, missing_codes=codes or None)


def schema_of(column):
    return Schema([column], label=Label("y", [0, 1]))


def assert_possible(column, cuts):
    """Each cell has a number that is no code, or what a missing cell counts as; beyond the bounds is the bound."""
    assert cuts
    assert all((cut - 0.5).is_integer() and column.lower < cut < column.upper for cut in cuts)
    for low, high in pairwise(cuts):
        numbers = np.arange(low + 0.5, min(high, low + 20))
        may_be = ~np.isin(numbers, column.numeric_codes) | (numbers == column.missing_value)
        assert may_be.any() or (column.missing_value is not None and low < column.missing_value <= high)


@settings(max_examples=40)
@given(whole_columns(), st.integers(2, 255))
def test_equal_parts_end_at_halves_and_each_has_a_number(column, parts):
    cuts = even_cuts(column, parts)
    assert_possible(column, cuts)
    assert len(cuts) == n_even_cuts(column, parts) <= parts + 1


@settings(max_examples=40)
@given(whole_columns(), st.lists(st.integers(0, 2**48 - 1), min_size=1, max_size=7))
def test_released_cut_points_say_the_same_of_every_whole_number(column, places):
    """As those of the column, were it not whole: a function of what is released, and of the schema."""
    plain = replace(column, whole=False, missing_codes=None)
    raw = GridEncoding(schema_of(plain), "x").cuts(np.sort(places))
    moved = GridEncoding(schema_of(replace(column, missing_codes=None)), "x").cuts(np.sort(places))
    near = {np.floor(cut) + step for cut in raw for step in (-1, 0, 1, 2)}
    numbers = np.asarray([number for number in near if column.lower <= number <= column.upper])
    sides = {tuple(numbers <= cut) for cut in raw} - {(True,) * len(numbers)}
    assert sides <= {tuple(numbers <= cut) for cut in moved}
    kept = GridEncoding(schema_of(column), "x").cuts(np.sort(places))
    assert set(kept) <= set(moved)
    if kept:
        assert_possible(column, kept)


@settings(max_examples=40)
@given(whole_columns(), st.floats(0, 1), st.integers(0, 2**12 - 1))
def test_so_do_those_at_a_distance(column, share, cell):
    middle = np.floor(column.lower + share * (column.upper - column.lower - 1)) + 0.5
    assert_possible(column, DistanceEncoding(schema_of(column), "x", middle).around(cell))


def test_codes_of_missing_numbers_have_no_cell_of_their_own():
    column = Numeric("x", 0, 12, whole=True, missing=3, missing_codes=[6, 7, "8", 3])
    assert even_cuts(column, 200) == (0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 9.5, 10.5, 11.5)


def test_beyond_the_floats_of_halves_cut_points_are_whole():
    low = 2.0**52 - 2
    assert even_cuts(Numeric("x", low, low + 6, whole=True), 6) == (low + 1.5, low + 2, low + 3, low + 4, low + 5)
    encoding = GridEncoding(schema_of(Numeric("x", 2**53, 2**54, whole=True)), "x")
    assert encoding.cuts_at(np.asarray([0.0, 1e-17, 1.0])) == ()  # the lower bound, below which no row is


@pytest.mark.parametrize(
    ("bounds", "cuts", "words"),
    [
        ((0, 99_999), [0.5, 4432.5, 5013.5], ["0", "1 to 4,432", "4,433 to 5,013", "above 5,013"]),
        ((0, 9), [2.5, 3.5, 8.5], ["at most 2", "3", "4 to 8", "9"]),
        ((-5, 5), [-4.5, -0.5, 0.5], ["-5", "-4 to -1", "0", "above 0"]),
        ((1000, 2999), [1999.5, 2004.5, 2005.5], ["at most 1999", "2000 to 2004", "2005", "above 2005"]),  # years
        ((0, 90), [18, 65], ["at most 18", "19 to 65", "above 65"]),  # as declared
        ((0, 1e18), [1e15, 2e15], ["at most 1e+15", "1e+15 to 2e+15", "above 2e+15"]),
    ],
)
def test_ranges_are_written_as_people_write_them(bounds, cuts, words):
    column = Numeric("x", *bounds, cuts=cuts, whole=True)
    assert list(ColumnCells(column).labels) == words
    assert even_cuts(column, 32) == tuple(cuts)
    assert ColumnCells(column).codes(ColumnCells(column).rows).tolist() == list(range(len(words)))


def test_questions_and_their_denials():
    encoding = BinEncoding(schema_of(Numeric("x", 0, 9, cuts=[0.5, 3.5, 4.5, 8.5], whole=True)), ("x",))
    said = {
        (0, 0): ("x is 0", "x is not 0"), (1, 1): ("x is 1 to 3", "x is not 1 to 3"),
        (0, 1): ("x at most 3", "x above 3"), (2, 2): ("x is 4", "x is not 4"),
        (3, 4): ("x above 4", "x at most 4"), (4, 4): ("x is 9", "x is not 9"),
    }  # fmt: skip
    for (first, last), (words, denied) in said.items():
        literal = Literal("x", first, last)
        assert (literal.words(encoding), literal.words(encoding, negated=True)) == (words, denied)


@pytest.mark.parametrize(
    ("cuts", "codes"),
    [([18.2, 18.7], None), ([3, 3.5, 9], None), ([2.5, 3.5], [3]), ([1, 6.5, 7.4], [7]), ([2.5, 5.5], [3, "4", 5])],
)
def test_declared_cells_without_a_number_are_refused(cuts, codes):
    column = Numeric("x", 0, 90, whole=True, missing=1, missing_codes=codes)
    with pytest.raises(SchemaError, match="between any two cuts of column 'x'"):
        replace(column, cuts=cuts)
    with pytest.raises(ModelFileError):
        check_cuts(schema_of(column), (("x", tuple(cuts)),))
    assert replace(column, cuts=cuts, whole=False).cuts == tuple(cuts)


def test_a_cell_that_is_not_whole_is_read_as_it_is():
    schema = schema_of(Numeric("x", 0, 3, whole=True))
    cells = [0, 0.5, 0.7, 1, 1.25, 2.51, 3, 3.4]
    rows = read_rows([[cell] for cell in cells], schema)
    assert rows.columns["x"].tolist() == [*cells[:-1], 3]
    assert BinEncoding(schema, ("x",)).transform(rows)[:, 0].tolist() == [0, 0, 1, 1, 1, 3, 3, 3]


FITS = [
    LogisticClassifier(epsilon=5, delta=1e-5, encoding="ranked"),
    LogisticClassifier(epsilon=5, encoding="ranked"),
    LogisticClassifier(epsilon=5, encoding="binned"),
    NaiveBayesClassifier(epsilon=5),
    TreeClassifier(epsilon=5),
    LazyBBClassifier(epsilon=5, rounds=40),
    BRCClassifier(epsilon=5, delta=1e-5, rounds=40),
    BoostedTreesClassifier(epsilon=5, delta=1e-5),
]


@pytest.mark.parametrize("estimator", FITS, ids=lambda each: f"{type(each).__name__}-{each.delta}")
@pytest.mark.parametrize("explain_share", [0.0, 0.1])
def test_no_model_speaks_of_a_cell_that_no_number_is_in(estimator, explain_share):
    generator = np.random.default_rng(0)
    gains = np.where(generator.random(3_000) < 0.8, 0, generator.integers(1, 5_000, 3_000))
    children = generator.integers(0, 5, 3_000)
    labels = ((gains > 2_000) | (children > 3)).astype(int)
    columns = [Numeric("gain", 0, 99_999, center=0, whole=True), Numeric("children", 0, 9, whole=True)]
    estimator = replace(estimator, schema=Schema(columns, label=Label("y", [0, 1])), random_state=0)
    estimator.explain_share = explain_share
    model = estimator.fit(np.stack([gains, children], axis=1), labels).model_
    for _, cuts in getattr(model.scorers[0], "cuts", ()):
        assert all((cut - 0.5).is_integer() for cut in cuts)
    assert set("".join(model.explain()["cell"])) <= set("0123456789, to above at most any value and")
    assert "." not in "".join(model.explain()["cell"])
    again = from_json(to_json(model, allow="simulated"))
    rows = [[gain, child] for gain in (0, 0.4, 1, 3_000, 10**6) for child in (0, 3, 9)]
    assert (again.predict_proba(np.asarray(rows)) == model.predict_proba(np.asarray(rows))).all()
