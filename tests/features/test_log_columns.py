"""Logarithmic columns: bins symmetric about zero, which has one of its own; long tails become such columns."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.features import BinEncoding
from tacit.features.bin_encoding import long_tailed
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table


def cuts_of(low: float, high: float, parts: int = 32) -> np.ndarray:
    schema = Schema([Numeric("money", low, high, scale="log")], label=Label("y", [0, 1]))
    return np.asarray(BinEncoding(schema, ("money",), parts).cuts[0])


def test_cuts_are_symmetric_about_zero():
    cuts = cuts_of(-1000, 1000, 9)
    assert len(cuts) == 8
    outer = cuts[np.abs(cuts) > 1e-300]
    assert outer == pytest.approx(-outer[::-1])
    assert np.diff(np.log1p(outer[outer > 0])) == pytest.approx(np.log1p(1000) / 4)


def test_zero_has_a_bin_of_its_own():
    for low, high in ((-5.0, 1e6), (0.0, 99_999.0), (-300.0, 0.0)):
        schema = Schema([Numeric("money", low, high, scale="log")], label=Label("y", [0, 1]))
        encoding = BinEncoding(schema, ("money",))
        values = np.asarray([[v] for v in (low, -1e-9, 0.0, 1e-9, high)])
        table = Table.from_frame(np.clip(values, low, high), [0, 1, 0, 1, 0], schema)
        codes = []
        table.sum(lambda block, e=encoding, c=codes: c.append(block.codes(e)) or np.zeros(1))
        zero = codes[0][2, 0]
        others = [codes[0][i, 0] for i in range(5) if np.clip(values[i, 0], low, high) != 0]
        assert zero not in others


@pytest.mark.parametrize("bounds", [(-1, 1), (0, 1), (-1, 0), (-1e6, 3), (0, 1e9), (2, 50), (-50, -2)])
@pytest.mark.parametrize("parts", [2, 3, 32, 255])
def test_cuts_lie_within_the_bounds_in_order(bounds, parts):
    cuts = cuts_of(*bounds, parts)
    assert (np.diff(cuts) > 0).all()
    assert cuts[0] >= bounds[0]
    assert cuts[-1] < bounds[1]
    assert len(cuts) <= parts


def test_long_tails_get_a_logarithmic_grid():
    columns = [
        Numeric("gain", 0, 1000, center=0),
        Numeric("age", 0, 90, center=40),
        Numeric("bare", 0, 10),
        Numeric("cut", 0, 10, center=0, cuts=[5]),
        Categorical("c", ["a", "b"]),
    ]
    scales = [getattr(c, "scale", None) for c in map(long_tailed, columns)]
    assert scales == ["log", "linear", "linear", "linear", None]
