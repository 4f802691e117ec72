"""Selections by the exponential mechanism cost e0^2/8; permute-and-flip does not get away with that."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from harness.noise import exponential_mechanism_probabilities, largest_rho, permute_and_flip_probabilities
from tacit.privacy import bounded_range_to_zcdp, pure_to_zcdp

ORDERS = np.concatenate([1 + np.logspace(-3, 0, 15), np.linspace(2.5, 60, 30)])


def test_by_hand():
    assert bounded_range_to_zcdp(4.0) == 2.0
    assert bounded_range_to_zcdp(0.0) == 0.0


@pytest.mark.parametrize("loss", [0.1, 1.0, 3.0])
def test_no_pair_of_exponential_mechanisms_costs_more(loss):
    """Random scores, moved by 0 or by the whole range, over all subsets of five candidates."""
    generator = np.random.default_rng(8)
    worst = 0.0
    for _ in range(20):
        scores = generator.uniform(-4, 4, 5)
        for subset in range(1, 2**5 - 1):
            moved = scores + loss * np.array([subset >> i & 1 for i in range(5)])
            pair = exponential_mechanism_probabilities(scores, 1.0), exponential_mechanism_probabilities(moved, 1.0)
            worst = max(worst, largest_rho(*pair, ORDERS[::6]))
    assert worst <= bounded_range_to_zcdp(loss)
    assert worst >= 0.85 * bounded_range_to_zcdp(loss)


@pytest.mark.parametrize("loss", [0.01, 0.1])
def test_the_bound_is_reached_by_small_losses(loss):
    """Two halves, one of which moves: the worst share of the moving half comes within a thousandth."""

    def cost(logit):
        scores = np.array([logit, 0.0])
        pair = (
            exponential_mechanism_probabilities(scores, 1.0),
            exponential_mechanism_probabilities(scores + np.array([loss, 0.0]), 1.0),
        )
        return -largest_rho(*pair, ORDERS[:5])

    found = -minimize_scalar(cost, bounds=(-2, 2), method="bounded").fun
    assert 0.999 * bounded_range_to_zcdp(loss) <= found <= bounded_range_to_zcdp(loss)


@pytest.mark.parametrize("loss", [0.1, 0.5, 1.0, 2.0])
def test_permute_and_flip_is_not_bounded_range(loss):
    """A tie that one neighbor breaks by the range: its rho exceeds e0^2/8 while every pure bound holds.

    Two tied candidates are taken with 1/2 each; once the second falls behind by e0, with 1 - exp(-e0)/2 and
    exp(-e0)/2.
    """
    tied = np.array([0.0, 0.0])
    broken = np.array([0.0, -loss])
    pair = permute_and_flip_probabilities(tied, 1.0), permute_and_flip_probabilities(broken, 1.0)
    assert pair[1] == pytest.approx([1 - np.exp(-loss) / 2, np.exp(-loss) / 2])
    found = largest_rho(*pair, ORDERS)
    assert found > 1.4 * bounded_range_to_zcdp(loss)
    assert found <= pure_to_zcdp(loss)
    # The exponential mechanism keeps to it on the same scores.
    softmax = exponential_mechanism_probabilities(tied, 1.0), exponential_mechanism_probabilities(broken, 1.0)
    assert largest_rho(*softmax, ORDERS) <= bounded_range_to_zcdp(loss)
