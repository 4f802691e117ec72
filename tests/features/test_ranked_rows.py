"""Rows by ranks in a few bytes: the features that were written out before, and the same sums to the bit."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from tacit.features import GRID
from tacit.features.number_scale import rank_of
from tacit.features.ranked_encoding import SHORTENED, RankedEncoding
from tacit.features.ranked_rows import FEATURE_STEPS
from tacit.rules.priors import CENTERED, CONSTANT, QUADRATIC, SHORT
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import read_rows

MANY = [f"v{code}" for code in range(300)]
SCHEMA = Schema(
    [
        Numeric("x", 0, 10, cuts=[1, 4]),
        Numeric("gaps", -1, 1, missing="indicator"),
        Categorical("c", ["a", "b", "d"]),
        Categorical("e", ["a", "b", "d"]),
        Categorical("short", ["a", "b", "d"]),
        Categorical("many", MANY),
    ],
    label=Label("y", ["no", "yes"]),
)
N_ROWS = 9_001  # more than one strip


def rows(n_rows=N_ROWS):
    generator = np.random.default_rng(0)
    columns = {name: generator.choice(["a", "b", "d", "unlisted"], n_rows) for name in ("c", "e", "short")}
    columns["many"] = generator.choice([*MANY, "unlisted"], n_rows)
    columns["x"] = generator.uniform(-1, 11, n_rows)
    columns["gaps"] = np.where(generator.random(n_rows) < 0.3, np.nan, generator.uniform(-1, 1, n_rows))
    return read_rows(
        [list(row) for row in zip(*(columns[c.name] for c in SCHEMA.inputs), strict=True)], SCHEMA, on_invalid="coerce"
    )


def written(encoding, given):
    """Features as the definition says, feature by feature."""
    found, squares = [np.full(given.n_rows, CONSTANT)], CONSTANT**2 * np.ones(given.n_rows)
    missing = given.columns["gaps is missing"] == 1
    for column in map(SCHEMA.column, encoding.columns):
        length = SHORT if column.name in encoding.short else 1.0
        if isinstance(column, Numeric):
            rank = rank_of(given.columns[column.name], column)
            own = [rank, QUADRATIC * (1.5 * rank**2 - 0.5)] if encoding.quadratic else [rank]
            there = np.ones(given.n_rows) if column.name == "x" else ~missing
            own = [length * each * there for each in own]
        elif column.name == "gaps is missing":
            own = [CONSTANT * missing]
        else:
            codes = given.columns[column.name]
            center = CENTERED / column.n_codes if encoding.radius < inf else 0.0
            own = [length * ((codes == code) - center) * (codes >= 0) for code in range(column.n_codes)]
        found += own
        squares += sum(np.square(own))
    factor = np.minimum(1.0, encoding.radius / np.sqrt(squares)) * SHORTENED if encoding.radius < inf else 1.0
    return (np.asarray(found) * factor).T


def encodings():
    for quadratic in (False, True):
        whole = RankedEncoding(SCHEMA, SCHEMA.names, inf, quadratic, ("short",))
        yield whole
        yield replace(whole, radius=0.7 * whole.longest)
        yield replace(whole, radius=0.5, columns=SCHEMA.names[:3], short=())  # no category


@pytest.mark.parametrize("encoding", list(encodings()))
def test_features_and_sums_are_those_written_out(encoding):
    given, generator = rows(), np.random.default_rng(1)
    ranked = encoding.of(given)
    features = ranked.features()
    expected = FEATURE_STEPS * written(encoding, given)
    assert features.shape == (N_ROWS, encoding.n_features)
    # Whole steps, cut toward zero.
    assert (np.abs(features - expected) < 1 + 1e-6).all()
    assert (np.abs(features) <= np.abs(expected) + 1e-6).all()
    assert encoding.transform(given).tolist() == (features / FEATURE_STEPS).tolist()
    weights = generator.integers(-(2**21), 2**21, (encoding.n_features, 3)) * GRID
    assert ranked.margins(weights).tolist() == (features @ weights / FEATURE_STEPS).tolist()
    factors = generator.integers(-2048, 2049, (3, N_ROWS)).astype(float)
    assert ranked.sums(factors).tolist() == (factors @ features).T.tolist()
    part = ranked[4_000:4_200]
    assert part.features().tolist() == features[4_000:4_200].tolist()
    assert part.sums(factors[:, :200]).tolist() == (factors[:, :200] @ features[4_000:4_200]).T.tolist()


def test_a_row_takes_two_bytes_a_number_and_one_or_two_a_category():
    def size(names):
        ranked = encoding_of(names).of(rows(100))
        return sum(each.nbytes for each in (ranked.steps, ranked.codes, ranked.others, ranked.leads)) / 100

    # The constant, rank and term; two categories that share their two numbers; those of another width have their own.
    assert size(("x", "c", "e")) == 2 * 3 + 2 + 4
    assert size(("x", "c", "many")) == 2 * 3 + 2 * 2 + 2 * 4


def encoding_of(names):
    whole = RankedEncoding(SCHEMA, names, inf, quadratic=True)
    return replace(whole, radius=0.7 * whole.longest)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows(n_rows):
    ranked = encoding_of(SCHEMA.names).of(rows(n_rows))
    assert ranked.margins(np.ones((ranked.n_features, 1))).shape == (n_rows, 1)
    assert ranked.sums(np.ones((2, n_rows))).shape == (ranked.n_features, 2)
