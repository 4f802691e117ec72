"""Thresholded counts of unlisted values: thresholds by hand, exact probabilities on neighbors, draws of delta."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
from scipy import stats

from tacit.errors import ParameterError, PrivacyError
from tacit.mechanisms import SecureNoise, SimulatedNoise, announce
from tacit.mechanisms.stability import Stability
from tacit.privacy import ZCDP, Accountant, Budget, PlanEntry, PrivacyUnit, PureDP, UpToDelta
from tacit.privacy.stability import StabilityStatistic

UNIT = PrivacyUnit(("job",), label=False)


def counted(counts: dict, moved: int = 1) -> StabilityStatistic:
    values, numbers = tuple(sorted(counts)), np.asarray([counts[value] for value in sorted(counts)], dtype=np.int64)
    return StabilityStatistic("jobs", UNIT, numbers, values, moved, 2.0 * moved, 2.0**0.5 * moved)


def tail(mechanism: Stability, at: int, scale: float) -> float:
    """The probability that noise reaches a whole number, by adding up the exact distribution."""
    noise = np.arange(-4_000, 4_001)
    pure = isinstance(mechanism.share.share, PureDP)
    weights = np.exp(-np.abs(noise) / scale) if pure else np.exp(-(noise**2) / (2 * scale**2))
    return float(weights[noise >= at].sum() / weights.sum())


def test_the_threshold_by_hand():
    # Scale 2 / 0.5 = 4: exp(-t / 4) / (1 + exp(-1 / 4)) <= 1e-3 from t = 26 on, and one row is there already.
    assert Stability(UpToDelta(PureDP(0.5), 1e-3)).threshold(counted({"a": 5})) == 27
    # Three rows of a person: scale 12, a third of delta for each of three values, of three rows each.
    expected = int(np.ceil(-12 * log(1e-3 / 3 * (1 + exp(-1 / 12))))) + 3
    assert Stability(UpToDelta(PureDP(0.5), 1e-3)).threshold(counted({"a": 5}, moved=3)) == expected
    # Deviation 10 for rho 0.01: t - 1 >= 10 * 4.7534 (the normal quantile of 1e-6), so t = 49.
    assert Stability(UpToDelta(ZCDP(0.01), 1e-6)).threshold(counted({"a": 5})) == 50


@pytest.mark.parametrize("share", [PureDP(0.3), ZCDP(0.01), ZCDP(2.0)], ids=str)
@pytest.mark.parametrize("delta", [1e-2, 1e-5])
@pytest.mark.parametrize("moved", [1, 4])
def test_lonely_values_pass_with_at_most_delta(share, delta, moved):
    mechanism, statistic = Stability(UpToDelta(share, delta)), counted({"a": moved}, moved)
    least, scale = mechanism.threshold(statistic), mechanism.noise_scale(statistic)
    assert moved * tail(mechanism, least - moved, scale) <= delta
    # Two lower it is more: the bound of the Gaussian tail is one number wide.
    assert moved * tail(mechanism, least - moved - 2, scale) > delta


def distribution(mechanism: Stability, counts: dict, known: tuple, span: int) -> dict:
    """Probabilities of all outputs over the values of both tables, noisy counts up to the span."""
    statistic = counted(counts)
    least = mechanism.threshold(statistic)
    shown = [None, *range(least, least + span)]
    outputs = {}
    for noisy in product(shown, repeat=len(known)):
        answer = tuple((value, count) for value, count in zip(known, noisy, strict=True) if count is not None)
        outputs[answer] = exp(mechanism.log_density(statistic, answer))
    return outputs


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 5, "b": 3}, {"a": 4, "b": 4}),
        ({"a": 5, "b": 1}, {"a": 6}),
        ({"a": 5, "b": 1}, {"a": 5, "c": 1}),
    ],
    ids=["both have them", "one new", "one new on either side"],
)
@pytest.mark.parametrize("lower", [0, 1])
def test_the_exact_distribution_on_neighbors(one, other, lower, monkeypatch):
    """By enumeration: within (epsilon, delta), and beyond it once the threshold is one lower and a value is new."""
    epsilon, delta = 2.0, 0.01
    mechanism = Stability(UpToDelta(PureDP(epsilon), delta))
    right = mechanism.threshold(counted(one))
    monkeypatch.setattr(Stability, "threshold", lambda self, statistic: right - lower)
    known = tuple(sorted({*one, *other}))
    distributions = [distribution(mechanism, counts, known, span=20) for counts in (one, other)]
    assert all(sum(each.values()) == pytest.approx(1.0, abs=1e-3) for each in distributions)
    beyond = max(
        sum(max(0.0, mine[output] - exp(epsilon) * its[output]) for output in mine)
        for mine, its in (distributions, distributions[::-1])
    )
    lonely = set(one) ^ set(other)
    assert (beyond <= delta) == (not lower or not lonely)


@pytest.mark.parametrize("share", [PureDP(0.5), ZCDP(0.03)], ids=str)
@pytest.mark.parametrize("noise", [SecureNoise(), SimulatedNoise(5)], ids=["secure", "simulated"])
def test_drawn_lonely_values_pass_as_often_as_the_tail_says(share, noise):
    """The delta event itself, at a delta that can be seen: 3,000 values of one row each, in one draw."""
    mechanism, n = Stability(UpToDelta(share, 0.02)), 3_000
    statistic = counted({f"v{at:04}": 1 for at in range(n)})
    least, scale = mechanism.threshold(statistic), mechanism.noise_scale(statistic)
    passed = len(mechanism.sample(statistic, noise))
    exact = tail(mechanism, least - 1, scale)
    assert exact <= 0.02
    assert stats.binomtest(passed, n, exact).pvalue > 1e-6
    # The test can fail: with half of the noise, or a threshold that is lower by half a scale.
    assert stats.binomtest(passed, n, tail(mechanism, 2 * (least - 1), scale)).pvalue < 1e-6
    assert stats.binomtest(passed, n, tail(mechanism, least - 1 - round(scale), scale)).pvalue < 1e-6


def test_the_drawn_counts_have_the_stated_noise():
    mechanism = Stability(UpToDelta(ZCDP(0.01), 1e-6))
    statistic = counted({f"v{at:04}": 10_000 for at in range(2_000)})
    noise = np.asarray([count - 10_000 for _, count in mechanism.sample(statistic, SimulatedNoise(1))])
    assert stats.kstest(noise, stats.norm(0, 10).cdf).pvalue > 1e-6
    assert stats.kstest(noise, stats.norm(0, 15).cdf).pvalue < 1e-6


def test_values_leave_in_their_own_order_and_absent_ones_never():
    mechanism = Stability(UpToDelta(PureDP(50.0), 1e-6))
    drawn = mechanism.sample(counted({"b": 900, "a": 5_000, "c": 1}), SimulatedNoise(0))
    assert [value for value, _ in drawn] == ["a", "b"]
    assert mechanism.log_density(counted({"a": 5_000}), (("z", 5_000),)) == -np.inf
    assert mechanism.log_density(counted({"a": 5_000}), (("a", 1),)) == -np.inf  # below the threshold


def test_a_divergence_counts_what_is_in_common_and_refuses_lonely_values_that_pass():
    mechanism = Stability(UpToDelta(PureDP(0.5), 1e-3))
    assert mechanism.divergence(counted({"a": 9, "b": 7}), counted({"a": 8, "b": 8})) == pytest.approx(0.5)
    assert mechanism.divergence(counted({"a": 9, "b": 1}), counted({"a": 9, "c": 1})) == 0.0
    assert mechanism.divergence(counted({"a": 9, "b": 2}), counted({"a": 9})) == np.inf
    gaussian = Stability(UpToDelta(ZCDP(0.01), 1e-3))
    assert gaussian.divergence(counted({"a": 9, "b": 7}), counted({"a": 8, "b": 8})) == pytest.approx(0.01)


def test_a_share_and_a_delta_are_charged_and_recorded():
    budget = Budget(1.0, 1e-3)
    accountant = Accountant(budget, UNIT, SimulatedNoise(0), n_rows=900)
    plan = [PlanEntry("thresholded", l1=2.0, l2=2**0.5, delta=4e-4), PlanEntry("noise", l1=2.0, l2=2**0.5)]
    releases = announce(accountant, plan, composition="pure")
    releases.stable(counted({"a": 800, "b": 90}))
    [line] = accountant.releases
    assert (line.mechanism, line.loss, line.delta) == ("thresholded discrete Laplace", 0.5, 4e-4)
    assert line.sensitivity_kind == "l1"
    with pytest.raises(PrivacyError, match="thresholded"):
        releases.stable(counted({"a": 800}))


def test_thresholds_need_a_delta_within_the_budget():
    with pytest.raises(ParameterError, match="delta above zero"):
        Stability(UpToDelta(PureDP(1.0), 0.0))
    accountant = Accountant(Budget(1.0, 1e-6), UNIT, SimulatedNoise(0), n_rows=900)
    with pytest.raises(ParameterError, match="within the budget"):
        announce(accountant, [PlanEntry("thresholded", delta=2e-6)])
    with pytest.raises(ParameterError, match="approximate release only"):
        PlanEntry("noise", delta=1e-6)


def test_a_statistic_shows_neither_values_nor_counts():
    statistic = counted({"sentinel": 4321})
    assert "sentinel" not in repr(statistic)
    assert "4321" not in repr(statistic)
    with pytest.raises(ParameterError, match="values' order"):
        StabilityStatistic("jobs", UNIT, np.asarray([1, 2]), ("b", "a"), 1, 2.0, 2**0.5)
