"""Smooth weights: exact on the capped simplex, and neighbors' weights within 1/(density n) over records."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.boosting.smooth_weights import project, reweight, smooth_weights
from tacit.errors import ParameterError
from tacit.queries import Margins
from tacit.schema import Categorical, Label, Schema
from tacit.table import Table


def exact_weights(margins: tuple[int, ...], density: Fraction) -> list[Fraction]:
    """The projection for rows with weights 2^-margin, in rationals: try every number of capped rows."""
    n, mass = len(margins), density * len(margins)
    order = sorted(range(n), key=lambda i: margins[i])
    raw = [Fraction(2) ** -margins[i] for i in order]
    for capped in range(n + 1):
        rest = sum(raw[capped:], Fraction(0))
        if rest == 0:
            break
        scale = (mass - capped) / rest
        if scale < 0:
            break
        shares = [Fraction(1)] * capped + [scale * r for r in raw[capped:]]
        if all(s <= 1 for s in shares) and (capped == 0 or scale * raw[capped - 1] >= 1):
            weights = [Fraction(0)] * n
            for place, share in zip(order, shares, strict=True):
                weights[place] = share / mass
            return weights
    return [1 / mass] * n


def unprojected(margins: tuple[int, ...], density: Fraction) -> list[Fraction]:
    """Naive: cap nothing."""
    raw = [Fraction(2) ** -m for m in margins]
    return [r / sum(raw) for r in raw]


def not_scaled_up(margins: tuple[int, ...], density: Fraction) -> list[Fraction]:
    """Naive: cap at the largest measure 1, then normalize, without scaling up to the density."""
    raw = [min(Fraction(1), density * Fraction(2) ** -m) for m in margins]
    return [r / sum(raw) for r in raw]


def projected_if_thin(margins: tuple[int, ...], density: Fraction) -> list[Fraction]:
    """Naive: project only where the measure has less than the density, and keep entries above 1 elsewhere."""
    raw = [density * Fraction(2) ** -m for m in margins]
    if sum(raw) < density * len(margins):
        return exact_weights(margins, density)
    return [r / sum(raw) for r in raw]


def variation(one, two) -> Fraction:
    """Total variation over records; the last record is replaced: one leaves, another enters."""
    common = sum((abs(a - b) for a, b in zip(one[:-1], two[:-1], strict=True)), Fraction(0))
    return (common + one[-1] + two[-1]) / 2


def largest_variation(distribution, density: Fraction, n: int = 4, levels=range(-3, 4)) -> Fraction:
    """Over all tables of n margins, and replacements of the last, in units of 1/(density n)."""
    worst = Fraction(0)
    for others in product(levels, repeat=n - 1):
        if list(others) != sorted(others):
            continue
        distributions = [distribution((*others, last), density) for last in levels]
        worst = max(worst, max(variation(a, b) for a, b in product(distributions, repeat=2)))
    return worst * density * n


DENSITIES = [Fraction(1, 2), Fraction(1, 3), Fraction(3, 4), Fraction(1), Fraction(1, 4)]


@pytest.mark.parametrize("density", DENSITIES)
def test_variation_over_records_is_at_most_one_over_density_n(density):
    assert 0.95 < largest_variation(exact_weights, density) <= 1  # exactly, in rationals


@pytest.mark.parametrize("naive", [unprojected, not_scaled_up, projected_if_thin])
def test_naive_projections_exceed_it(naive):
    assert largest_variation(naive, Fraction(1, 2)) > 1.2


@given(st.lists(st.integers(-12, 12), min_size=1, max_size=30), st.sampled_from(DENSITIES))
@settings(max_examples=200, deadline=None)
def test_floats_agree_with_rationals(margins, density):
    levels, counts = np.unique(margins, return_counts=True)
    found = smooth_weights(levels, counts, density=float(density), learning_rate=float(np.log(2)))
    by_level = dict(zip(levels.tolist(), found, strict=True))
    for margin, weight in zip(margins, exact_weights(tuple(margins), density), strict=True):
        assert by_level[margin] == pytest.approx(float(weight), rel=1e-12, abs=1e-15)
    assert found @ counts == pytest.approx(1, abs=1e-13)
    assert found.max() <= 1 / (float(density) * len(margins))


def test_weights_by_hand():
    # Mass 2 under a cap of 1: the row at -1 is capped, three rows at 1 share 1. At rate ln 4 the quotient is 16.
    weights = smooth_weights(np.asarray([-1, 1]), np.asarray([1, 3]), density=0.5, learning_rate=np.log(4))
    assert weights == pytest.approx([1 / 2, 1 / 6])


def test_empty_margins_change_nothing():
    full = smooth_weights(np.asarray([-3, 0, 5]), np.asarray([1, 4, 2]), density=0.4, learning_rate=0.5)
    spread = smooth_weights(
        np.asarray([-9, -3, -1, 0, 5, 7]), np.asarray([0, 1, 0, 4, 2, 0]), density=0.4, learning_rate=0.5
    )
    assert spread[[1, 3, 4]] == pytest.approx(full, rel=1e-15)


def test_extreme_margins_neither_overflow_nor_divide_by_zero():
    weights = smooth_weights(np.asarray([-3000, 0, 3000]), np.asarray([1, 1, 8]), density=0.9, learning_rate=10.0)
    assert np.isfinite(weights).all()
    assert weights @ [1, 1, 8] == pytest.approx(1)


def test_density_one_is_uniform():
    weights = smooth_weights(np.asarray([-5, 0, 2]), np.asarray([3, 1, 6]), density=1.0, learning_rate=0.5)
    assert weights == pytest.approx([0.1] * 3)


@pytest.mark.parametrize("density", [0, -0.1, 1.1, float("nan"), "1", True, None])
def test_density_is_checked(density):
    with pytest.raises(ParameterError, match="density"):
        smooth_weights(np.asarray([0]), np.asarray([1]), density=density, learning_rate=0.5)


@pytest.mark.parametrize("rate", [0, -1, float("inf"), float("nan"), "fast", None])
def test_learning_rate_is_checked(rate):
    with pytest.raises(ParameterError, match="learning_rate"):
        smooth_weights(np.asarray([0]), np.asarray([1]), density=0.5, learning_rate=rate)


class StartAt:
    """Public margins that give one row the least margin that there can be, and all others the largest."""

    steps_per_vote, reach = 4, 6

    def margins(self, block):
        away = np.full(block.n_rows, self.reach)
        away[0] = -self.reach
        return away * np.where(block.labels == 1, 1, -1)


@pytest.mark.parametrize("votes", [0, 1, 3])
@pytest.mark.parametrize("start", [None, StartAt()], ids=["from nothing", "from public margins"])
def test_no_row_weighs_more_than_zeta_and_one_can_weigh_as_much(start, votes):
    """One row is voted wrong from round to round, the others right; all other 49 rows have the least weight then."""
    schema = Schema([Categorical("c", ["odd", "even"])], label=Label("y", ["no", "yes"], private=False))
    table = Table.from_frame(np.asarray([["odd"], *[["even"]] * 49], dtype=object), ["no", "yes"] * 25, schema)
    margins = Margins(table, rounds=4, start=start)
    for _ in range(votes):
        margins.vote(lambda block: (block.labels == 1) ^ (np.arange(block.n_rows) == 0))
    weights = project(reweight(margins, 0.3), 0.02)
    heaviest = max(weights.values[weights.positions(block)].max() for shard in table._shards.blocks for block in shard)
    ratio = np.exp(0.3 * (2 * votes + (2 * 6 / 4 if start else 0)))
    assert weights.zeta == pytest.approx(ratio / (49 + ratio))
    assert heaviest <= weights.zeta
    assert heaviest == pytest.approx(weights.zeta, rel=1e-9)


def test_weights_of_an_earlier_round_are_refused():
    schema = Schema([Categorical("c", ["odd", "even"])], label=Label("y", ["no", "yes"]))
    table = Table.from_frame(np.asarray([["odd"], ["even"]], dtype=object), ["no", "yes"], schema)
    margins = Margins(table, rounds=1)
    weights = project(reweight(margins, 0.3), 0.5)
    margins.vote(lambda block: block.labels == 1)
    for ask in (lambda: weights.values, lambda: weights.zeta, lambda: weights.bin_counts(None)):
        with pytest.raises(ParameterError, match="this round"):
            ask()
