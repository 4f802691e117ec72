"""Codes of missing numbers: behind a gap at either end, however frequent, and never numbers that are measured."""

import numpy as np
import pytest

from tacit.schema.guesses.codes import found_codes
from tacit.schema.guesses.observed import ObservedColumn

RANDOM = np.random.default_rng(0)
N = 900
AGES = RANDOM.integers(18, 90, N)
SCALE = {top: RANDOM.integers(0, top + 1, N) for top in (4, 6, 10)}
OLD = RANDOM.normal(64, 18, N).round()
OLD = OLD[(OLD > 17) & (OLD < 96)]
HOURS = RANDOM.integers(0, 81, N)
LAB = RANDOM.normal(100, 20, N).round(1)
INCOME = RANDOM.lognormal(10, 1, N).round()


def _found(*parts):
    values, counts = np.unique(np.concatenate([np.asarray(part, dtype=float) for part in parts]), return_counts=True)
    return found_codes(ObservedColumn("number", False, numbers=values, counts=counts))


@pytest.mark.parametrize(
    ("measured", "codes"),
    [
        (HOURS, {99: 5_000}), (AGES, {997: 9, 998: 9, 999: 9}), (AGES, {97: 20, 98: 20, 99: 20}), (OLD, {99: 20}),
        (SCALE[4] + 1, {7: 9, 8: 30, 9: 4}), (SCALE[4], {8: 30, 9: 4}), (SCALE[10], {77: 9, 88: 30, 99: 4}),
        (SCALE[10], {66: 9, 99: 2}), (AGES, {-8: 3, -5: 20, -2: 900, -1: 4}), (SCALE[10], {-9: 3, -8: 20, -7: 100}),
        (SCALE[10], {-9: 3, -1: 20}), (HOURS + 1, {-1: 5_000}), (LAB, {-9: 9, 999.9: 20}), (LAB, {99_999: 20}),
        (INCOME, {-9: 10}), (INCOME, {999_999_999: 10}), (2_005 + SCALE[10], {9_999: 30}), (SCALE[6], {-3: 2, -2: 9}),
        (RANDOM.integers(-4, 5, N), {-9: 30, 9: 20}), (RANDOM.normal(10, 5, N).round(1), {99.9: 20}),
        (RANDOM.choice(5, N, p=[0.3, 0.3, 0.2, 0.19, 0.01]) + 1, {9: 30}), (OLD, {-99: 2, 999: 2}),
    ],
)  # fmt: skip
def test_codes_are_found(measured, codes):
    assert _found(measured, *([code] * count for code, count in codes.items())) == tuple(sorted(codes))


@pytest.mark.parametrize(
    "measured",
    [
        HOURS, AGES, OLD, LAB, INCOME, SCALE[10], RANDOM.integers(-5, 6, N), RANDOM.integers(-1, 2, N),
        RANDOM.normal(8, 8, N).round(), RANDOM.normal(4, 4, 50).round(), RANDOM.poisson(1, N),
        RANDOM.geometric(0.05, N),
        np.repeat(np.arange(100), 13), np.repeat(np.arange(-1, 90), 13), [-99, -50, *range(90)] * 2, [1, 2, 3, 7, 8],
        np.concatenate([RANDOM.poisson(1, N), [7, 7, 9]]), [0] * 90 + [9] * 90,
        np.minimum(RANDOM.geometric(0.01, 3 * N), 99), [9] * 60,
    ],
)  # fmt: skip
def test_quantities_are_no_codes(measured):
    assert _found(measured) == ()


@pytest.mark.parametrize(
    "drawn",
    [
        lambda random: random.normal(60, 13, N).round(),
        lambda random: random.normal(8, 6, 200).round(),
        lambda random: random.geometric(0.04, N),
        lambda random: random.poisson(4, N),
        lambda random: random.choice(100, 40)[random.integers(0, 40, N)],  # of any 40 numbers
        lambda random: random.lognormal(3, 1, N).round(),
        lambda random: random.lognormal(0, 1, N).round(1),
    ],
)
def test_quantities_are_seldom_taken_for_codes(drawn):
    assert sum(bool(_found(drawn(np.random.default_rng(seed)))) for seed in range(100)) <= 3
