"""Residuals and curvatures of log-odds: terms by hand, and sensitivities that are safe and nearly attained."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from harness.neighbors import Pair, neighbors, table_of
from harness.search import largest_movement
from tacit.errors import ParameterError, PrivacyError
from tacit.features import LinearEncoding
from tacit.privacy import PrivacyUnit
from tacit.queries.platt_sums import STEPS, of_rows, platt_sums, sensitivity
from tacit.schema import Label, Numeric, Schema
from tacit.sensitivities.platt import OF_TWO

LINE = Schema([Numeric("x", -10, 10)], label=Label("y", ["no", "yes"]))


def odds(schema):
    def of_block(block):
        return 10.0 * block.features(LinearEncoding(schema, ("x",)))[:, 0].astype(float)

    return of_block


def both_labels(places):
    return np.concatenate([of_rows(places, np.full(len(places), label)) for label in (0, 1)], axis=1)


def farthest(terms):
    """Return the largest distances of two columns, in L1 and L2."""
    apart = [np.abs(terms[:, at : at + 200, None] - terms[:, None, :]) for at in range(0, terms.shape[1], 200)]
    return max(each.sum(axis=0).max() for each in apart), max(np.sqrt((each**2).sum(axis=0)).max() for each in apart)


def test_terms_by_hand():
    """At odds of 3 to 1 the weight is 2/3: residuals 1/6 and -1/2, curvature 1/8, place log 3 / 4."""
    place = np.log(3) / 4
    right, wrong = of_rows(np.log([3.0, 3.0]), np.asarray([1, 0])).T
    curvatures = [2 / 8, 4 / 8 * place, 8 / 8 * place**2, place / 4]
    assert right == pytest.approx([1 / 6, place / 3, *curvatures])
    assert wrong == pytest.approx([-1 / 2, -place, *curvatures])
    # As sure as can be: a wrong row says one half, whatever its place beyond log-odds of 4.
    assert of_rows(np.asarray([50.0]), np.asarray([0]))[:, 0] == pytest.approx([-0.5, -1.0, 0, 0, 0, 0.25], abs=1e-9)


def test_terms_of_three_classes_by_hand():
    """Shares 1/2, 1/4, 1/4, places 0, -log 2 / 4 twice: the mean is half of it, and so is the deviation."""
    place = -np.log(2) / 4
    [terms] = of_rows(np.log([[0.5, 0.25, 0.25]]), np.asarray([1])).T
    assert terms == pytest.approx([place / 4, place**2 / 8])


def test_sums_by_hand_in_any_blocks():
    rows = ((0.0, "yes"), (0.0, "yes"), (0.0, "no"))
    for block_rows in (1, 2, 65_536):
        sums = platt_sums(table_of(rows, LINE, block_rows=block_rows), odds(LINE), 2).unreleased_value
        assert (sums / STEPS).tolist() == [0.5, 0, 1.5, 0, 0, 0]


@pytest.mark.parametrize("largest", OF_TWO)
def test_the_grid_of_the_proof_is_below_the_claim(largest):
    end = min(largest, 9.0)
    places = np.linspace(-end, end, 1_801)
    step, terms = places[1] - places[0], both_labels(places)
    for found, label in ((farthest(terms), True), (farthest(terms[:, : len(places)]), False)):
        claim = sensitivity(PrivacyUnit(("x",), label=label), 2, largest)
        # A grid, how far rows move between its points, and what is beyond its ends; attained to a hundredth or so.
        beyond = 0.002 if end == 9 else 1e-4
        assert found[0] + 1.4 * step + beyond <= claim[0] <= 1.01 * found[0] + 0.02
        assert found[1] + 0.67 * step + beyond <= claim[1] <= 1.01 * found[1] + 0.015
    # Class weights and persons: no row is farther from none than two rows are apart.
    both = sensitivity(PrivacyUnit(("x",), label=True), 2, largest)
    assert np.abs(terms).sum(axis=0).max() < both[0] and np.sqrt((terms**2).sum(axis=0)).max() < both[1]
    slopes = np.abs(np.diff(terms[:, : len(places)], axis=1)) / step
    assert slopes.sum(axis=0).max() <= 1.4 and np.sqrt((slopes**2).sum(axis=0)).max() <= 0.67


def test_larger_log_odds_are_cut():
    rows = ((-10.0, "yes"), (10.0, "no"), (0.3, "no"))
    cut = platt_sums(table_of(rows, LINE), odds(LINE), 2, 0.9)
    assert (cut.l1, cut.l2) == (STEPS * 1.76, STEPS * 1.08)
    by_hand = of_rows(np.asarray([-1.0, 1.0, 0.3]), np.asarray([1, 0, 0])).sum(axis=1)
    assert cut.unreleased_value / STEPS == pytest.approx(by_hand, abs=1e-3)


@pytest.mark.parametrize("private_label", [True, False])
@pytest.mark.parametrize("largest", [0.5, np.inf])
def test_neighbors_attain_the_claim(private_label, largest):
    schema = LINE.with_private(["x"], label=private_label)
    cells = [*product((-10.0, -4.0, -1.0, -0.5, -0.125, 0.0, 0.125, 0.5, 1.0, 4.0, 10.0), ("no", "yes"))]
    pairs = [Pair(schema, (one,), (two,)) for one, two in product(cells, cells) if private_label or one[1] == two[1]]
    moved = largest_movement(lambda table: platt_sums(table, odds(schema), 2, largest), pairs)
    assert 0.96 < moved["l1"] <= 1 and 0.96 < moved["l2"] <= 1


@given(pair=neighbors())
@settings(max_examples=60, deadline=None)
def test_the_claim_holds_for_neighbors_of_any_schema(pair):
    n_classes = len(pair.schema.label.classes)

    def scores(block):
        # Any function of a row's cells, of log-odds as large as there are.
        cells = block.features(LinearEncoding(pair.schema, pair.schema.names)).astype(float)
        weights = 9.0 * np.cos(np.arange(cells.shape[1] * n_classes)).reshape(-1, n_classes)
        found = (cells[:, :, None] * weights).sum(axis=1)
        return found[:, 1] - found[:, 0] if n_classes == 2 else found

    moved = largest_movement(lambda table: platt_sums(table, scores, n_classes), [pair])
    assert moved["l1"] <= 1 and moved["l2"] <= 1


def test_many_classes_attain_the_claim():
    """Surely wrong beside a row of which half is likely in 55 classes at the far end: -1/2, nearly 1/8, 1/8."""
    scores = np.zeros((2, 56))
    scores[0, 1:], scores[1, 1:] = -60.0, -4.0
    terms = of_rows(scores, np.asarray([1, 0]))
    apart = np.abs(terms[:, 0] - terms[:, 1])
    l1, l2 = sensitivity(PrivacyUnit((), label=True), 56)
    assert 0.99 * l1 < apart.sum() <= l1 and 0.99 * l2 < np.sqrt(apart @ apart) <= l2


def test_exact_sums_need_a_table_that_protects_nothing():
    with pytest.raises(PrivacyError):
        _ = platt_sums(table_of(((0.0, "no"),), LINE), odds(LINE), 2).public_value
    public = LINE.with_private([], label=False)
    found = platt_sums(table_of(((0.0, "no"),), public), odds(public), 2).public_value
    assert (found / STEPS).tolist() == [-0.5, 0, 0.5, 0, 0, 0]


def test_scores_of_another_number_of_classes_are_refused():
    """Two classes' sums move farther than those of more: what is stated is of what is summed."""
    three = Schema(LINE.columns, label=Label("y", ["a", "b", "c"]))
    one = table_of(((0.0, "a"), (1.0, "b")), three).one_against_rest(0)
    assert platt_sums(one, odds(three), 2).l2 == STEPS * 1.53
    with pytest.raises(ParameterError, match="as many classes"):
        platt_sums(one, odds(three), 3)
