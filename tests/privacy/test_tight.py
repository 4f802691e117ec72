"""Numeric composition lowers the figure where it may, and is never below what is known to hold."""

import builtins
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_mechanism
from scipy import stats
from scipy.optimize import brentq

from tacit.errors import MissingExtra
from tacit.mechanisms import SecureNoise, additive, selection
from tacit.privacy import (
    Accountant,
    Budget,
    NumericStatistic,
    Planned,
    PrivacyUnit,
    ReleaseRecord,
    SelectionStatistic,
    zcdp_rho,
)

UNIT = PrivacyUnit(("age",), label=False)


def released(epsilon, delta, plan, composition, value=1.0):
    door = Accountant(Budget(epsilon, delta), UNIT, SecureNoise(), n_rows=1000)
    announced = [release for release in plan for _ in range(release.count)]
    for release, share in zip(announced, door.split(plan, composition=composition), strict=True):
        if release.kind == "noise":
            door.release(additive(share), NumericStatistic("q", UNIT, np.asarray(value), 1.0, 1.0))
        else:
            door.release(selection(share), SelectionStatistic("q", UNIT, np.zeros(3), 1.0))
    return door.guarantee()


@pytest.mark.parametrize("rounds", [1, 10, 100])
def test_gaussian_releases_come_to_their_exact_figure(rounds):
    """Any number of Gaussian releases is one with the summed rho, whose epsilon is known exactly."""
    promise = released(1.0, 1e-6, [Planned("noise", rounds)], "zcdp")
    tight = promise.tightened()
    exact = privacy_loss_mechanism.GaussianPrivacyLoss(1 / sqrt(2 * zcdp_rho(1.0, 1e-6)))
    epsilon = brentq(lambda figure: exact.get_delta_for_epsilon(figure) - 1e-6, 0.1, 2.0)
    assert epsilon * (1 - 1e-6) <= tight.epsilon <= epsilon * 1.01
    assert tight.epsilon < promise.epsilon
    assert replace(tight, epsilon=promise.epsilon) == promise


@pytest.mark.parametrize("value", [1.0, 1], ids=["Laplace", "discrete Laplace"])
def test_laplace_releases_are_randomized_responses(value):
    """k coins of e0 each: delta is a binomial sum (Kairouz, Oh and Viswanath 2015)."""
    k, total, delta = 100, 2.0, 1e-6
    tight = released(total, delta, [Planned("noise", k)], "pure", value).tightened()
    heads = np.arange(k + 1)
    loss = (2 * heads - k) * total / k
    weights = stats.binom.pmf(heads, k, 1 / (1 + np.exp(-total / k)))

    def exact(epsilon):
        return np.sum(weights * np.maximum(0, 1 - np.exp(epsilon - loss)))

    assert tight.epsilon < 1.2
    assert exact(tight.epsilon) <= delta
    assert exact(tight.epsilon * 0.99) > delta


def test_mixed_releases_compose():
    both = released(1.0, 1e-6, [Planned("noise", 20)], "zcdp")
    line = ReleaseRecord("q", "Laplace", 1.0, "l1", 50.0, 2e-4, "rho", "OpenDP")
    more = replace(both, releases=(*both.releases, line))
    assert both.tightened().epsilon < more.tightened().epsilon < 1.0


@pytest.mark.parametrize(
    "promise",
    [
        pytest.param(lambda: released(1.0, 0.0, [Planned("noise", 50)], "pure"), id="no delta"),
        pytest.param(lambda: released(1.0, 1e-6, [Planned("selection", 50)], "zcdp"), id="selection"),
        pytest.param(lambda: released(1.0, 1e-6, [Planned("noise"), Planned("selection")], "pure"), id="mixed"),
        pytest.param(lambda: released(1.0, 1e-6, [Planned("noise", 50)], "zcdp", 1), id="discrete Gaussian"),
        pytest.param(lambda: replace(released(1.0, 1e-6, [Planned("noise")], "pure"), releases=()), id="empty"),
    ],
)
def test_what_is_not_supported_stays(promise):
    promise = promise()
    assert promise.tightened() is promise


def test_a_missing_extra_is_named(monkeypatch):
    promise = released(1.0, 1e-6, [Planned("noise", 5)], "zcdp")
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("dp_accounting"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"tacit\[tight\]"):
        promise.tightened()
