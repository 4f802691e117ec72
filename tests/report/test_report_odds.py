"""What an epsilon means: by hand, and against the best attack on the worst mechanism."""

from __future__ import annotations

from math import exp, log
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import ParameterError
from tacit.report.odds import certainty, detections, exception, odds_factor, right_guesses

EPSILONS = st.floats(0.0, 30.0)
DELTAS = st.floats(0.0, 0.9)


def test_by_hand():
    assert odds_factor(log(3)) == pytest.approx(3)
    assert certainty(0.5, log(3)) == pytest.approx(3 / 4)
    assert certainty(0.25, log(3)) == pytest.approx(1 / 2)
    assert right_guesses(log(3)) == pytest.approx(3 / 4)
    assert right_guesses(log(3), 0.1) == pytest.approx(3.1 / 4)
    assert detections(log(3), 0.1, 0.05) == pytest.approx(0.25)
    assert detections(log(3), 0.0, 0.5) == pytest.approx(1 - 0.5 / 3)
    assert detections(0.0, 0.0, 0.05) == pytest.approx(0.05)


def worst(epsilon, delta):
    """Return the answer's distribution under either candidate: known with probability delta, else odds exp(epsilon)."""
    coin = (1 - delta) / (1 + exp(epsilon))
    return np.array([delta, exp(epsilon) * coin, coin, 0.0]), np.array([0.0, coin, exp(epsilon) * coin, delta])


@given(EPSILONS, DELTAS)
def test_right_guesses_are_attained_by_the_worst_mechanism(epsilon, delta):
    true, other = worst(epsilon, delta)
    assert right_guesses(epsilon, delta) == pytest.approx(np.maximum(true, other).sum() / 2)


@pytest.mark.parametrize(("epsilon", "mean"), [(0.1, 0.03), (0.1, 0.06), (1.0, 0.3), (1.0, 0.6), (3.0, 0.8)])
def test_gaussian_noise_moves_odds_farther_than_stated_at_most_as_often(epsilon, mean):
    """Its logarithm of odds is normal, of mean m^2 / 2 and deviation m; delta as Balle and Wang (2018) have it."""
    normal = NormalDist()
    delta = normal.cdf(mean / 2 - epsilon / mean) - exp(epsilon) * normal.cdf(-mean / 2 - epsilon / mean)

    def beyond(odds):
        loss = NormalDist(mean**2 / 2, mean)
        return 1 - loss.cdf(log(odds)) + loss.cdf(-log(odds))

    assert beyond(odds_factor(epsilon, delta)) <= exception(delta)
    assert beyond(exp(epsilon)) > delta  # as would not be true of exp(epsilon) and delta


@given(EPSILONS, DELTAS)
def test_the_worst_mechanism_moves_odds_farther_than_stated_at_most_as_often(epsilon, delta):
    true, other = worst(epsilon, delta)
    farther = true > other * odds_factor(epsilon, delta) * (1 + 1e-9)
    assert true[farther].sum() <= exception(delta) + 1e-12
    assert certainty(0.5, epsilon, delta) == pytest.approx(1 - 1 / (1 + odds_factor(epsilon, delta)))


@given(EPSILONS, DELTAS, st.floats(0.001, 0.999))
def test_detections_are_attained_by_the_worst_mechanism(epsilon, delta, false_alarms):
    """The most powerful test: answers in order of their likelihood ratio, the last one drawn."""
    true, other = worst(epsilon, delta)
    found, left = 0.0, false_alarms
    for hit, alarm in zip(true, other, strict=True):
        share = 1.0 if alarm == 0 else min(1.0, left / alarm)
        found, left = found + share * hit, left - share * alarm
    assert detections(epsilon, delta, false_alarms) == pytest.approx(found, abs=1e-9)


def test_large_epsilons_are_certainty():
    assert right_guesses(700.0) == detections(700.0) == certainty(0.01, 700.0) == 1.0
    assert detections(700.0, 0.0, 0.0) == pytest.approx(0.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: odds_factor(-1.0),
        lambda: right_guesses(float("nan")),
        lambda: right_guesses(1.0, 1.0),
        lambda: certainty(1.0, 1.0),
        lambda: detections(1.0, 0.0, 1.5),
    ],
)
def test_what_is_out_of_range_is_refused(call):
    with pytest.raises(ParameterError, match="Expected"):
        call()
