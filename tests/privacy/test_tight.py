"""Numeric composition lowers the figure where it may, and is never below what is known to hold."""

import builtins
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_mechanism
from pydantic import TypeAdapter
from scipy import stats
from scipy.optimize import brentq

from tacit import Categorical, Label, Numeric, Schema, TreeClassifier
from tacit.errors import MissingExtra
from tacit.mechanisms import SecureNoise, additive, selection
from tacit.privacy import (
    Accountant,
    Budget,
    Guarantee,
    NumericStatistic,
    PlanEntry,
    PrivacyUnit,
    PureDP,
    SelectionStatistic,
    zcdp_rho,
)
from tacit.study.learners import private_learners

UNIT = PrivacyUnit(("age",), label=False)


PLAN = [PlanEntry("noise", 20)]

ROWS = [
    ([9.0] * 120, ["no"] * 120),
    ([float(age % 90) for age in range(120)], ["no" if age % 90 < 45 else "yes" for age in range(120)]),
]
"""Nothing to learn, and all."""


def validated(promise):
    adapter = TypeAdapter(Guarantee)
    return adapter.validate_json(adapter.dump_json(promise))


def released(epsilon, delta, plan, composition, value=1.0, stop=None):
    door = Accountant(Budget(epsilon, delta), UNIT, SecureNoise(), n_rows=1000)
    announced = [release for release in plan for _ in range(release.count) if release.kind != "approximate"]
    for release, share in list(zip(announced, door.split(plan, composition=composition), strict=True))[:stop]:
        if release.kind == "noise":
            door.release(additive(share), NumericStatistic("q", UNIT, np.asarray(value), 1.0, 1.0))
        else:
            door.release(selection(share), SelectionStatistic("q", UNIT, np.zeros(3), 1.0))
    return door.guarantee()


def gaussians(value=1.0, stop=None):
    return released(1.0, 1e-6, [PlanEntry("noise", 40, continuous=True)], "zcdp", value, stop)


@pytest.mark.parametrize("stop", [None, 3])
def test_gaussian_releases_come_to_their_exact_figure(stop):
    """Any number of Gaussian releases is one with the summed rho, whose epsilon is known exactly."""
    promise = gaussians(stop=stop)
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
    tight = released(total, delta, [PlanEntry("noise", k)], "pure", value).tightened()
    heads = np.arange(k + 1)
    loss = (2 * heads - k) * total / k
    weights = stats.binom.pmf(heads, k, 1 / (1 + np.exp(-total / k)))

    def exact(epsilon):
        return np.sum(weights * np.maximum(0, 1 - np.exp(epsilon - loss)))

    assert tight.epsilon < 1.2
    assert exact(tight.epsilon) <= delta
    assert exact(tight.epsilon * 0.99) > delta


def test_what_was_announced_counts_and_not_what_was_made():
    """Selections among noise, a plan that ends early, and one of which nothing was made: all as if all were made."""
    plan = [PlanEntry("noise", 20), PlanEntry("selection", 20)]
    figures = {made: released(1.0, 1e-6, plan, "pure", stop=made).tightened().epsilon for made in (0, 7, 40)}
    assert len(set(figures.values())) == 1
    whole = released(1.0, 1e-6, [PlanEntry("noise", 40)], "pure").tightened()
    assert figures[40] == whole.epsilon < 0.9
    assert replace(whole, epsilon=1.0) == released(1.0, 1e-6, [PlanEntry("noise", 40)], "pure")


def test_slices_cost_what_the_costliest_does():
    """Each slice has the whole budget: 40 releases of it in one, 10 in the other, of which each counts by itself."""
    few, many = (released(1.0, 1e-6, [PlanEntry("noise", count)], "pure").tightened().epsilon for count in (10, 40))
    whole = Accountant(Budget(1.0, 1e-6), UNIT, SecureNoise(), n_rows=1000)
    units = UNIT.divided(2)
    for inner, count in zip(whole.in_parallel(units, n_rows=[500, 500]), (10, 40), strict=True):
        inner.split([PlanEntry("noise", count)], composition="pure")
    assert whole.guarantee().tightened().epsilon == max(few, many)


def by_hand():
    """Two of three shares in one release: the plan is no bound of that."""
    door = Accountant(Budget(0.9, 1e-6), UNIT, SecureNoise(), n_rows=1000)
    door.split(3, composition="pure")
    door.release(additive(PureDP(0.6)), NumericStatistic("q", UNIT, np.asarray(1.0), 1.0, 1.0))
    return door.guarantee()


@pytest.mark.parametrize(
    "promise",
    [
        pytest.param(lambda: released(1.0, 0.0, [PlanEntry("noise", 50)], "pure"), id="no delta"),
        pytest.param(lambda: released(1.0, 1e-6, [PlanEntry("noise", 50)], "zcdp"), id="of any Gaussian distribution"),
        pytest.param(lambda: gaussians(1), id="discrete Gaussian"),
        pytest.param(lambda: released(1.0, 1e-6, [PlanEntry("noise", 9), PlanEntry("selection")], "zcdp"), id="mixed"),
        pytest.param(lambda: released(1.0, 1e-6, [*PLAN, PlanEntry.approximate(0.1, 1e-7)], "pure"), id="approximate"),
        pytest.param(
            lambda: released(1.0, 1e-6, [*PLAN, PlanEntry("thresholded", delta=1e-7)], "pure"), id="up to delta"
        ),
        pytest.param(by_hand, id="by hand"),
        pytest.param(lambda: validated(released(1.0, 1e-6, PLAN, "pure")), id="from a file"),
    ],
)
def test_what_is_not_supported_stays(promise):
    promise = promise()
    assert promise.tightened() is promise


def test_the_schema_costs_what_it_did():
    fit, learning = (released(1.0, 1e-6, PLAN, "pure") for _ in range(2))
    both = fit.with_learned(learning).tightened()
    assert both.epsilon == pytest.approx(fit.tightened().epsilon + 1.0, rel=1e-12)


@pytest.mark.parametrize("learner", sorted(private_learners()))
def test_answers_do_not_move_the_figure(learner):
    """Tables as different as can be, and other noise: the same settings are tightened to the same epsilon."""
    schema = Schema([Numeric("age", 0, 90), Categorical("sky", ["dim", "red"])], label=Label("ill", ["no", "yes"]))
    tables = [(list(zip(ages, ["dim", "red"] * 60, strict=True)), labels) for ages, labels in ROWS]
    promises = []
    for seed, (rows, labels) in enumerate(tables):
        model = private_learners()[learner](schema, epsilon=4.0, delta=1e-6, ledger="none", random_state=seed)
        promises.append(model.fit(rows, labels).privacy_)
    assert len({promise.tightened().epsilon for promise in promises}) == 1


def test_a_tree_that_ends_early_gains_what_any_does():
    """Fewer of the announced counts are made where these are not worth another question: the figure is the same."""
    schema = Schema([Numeric("age", 0, 90, cuts=[20, 40, 60])], label=Label("ill", ["no", "yes"]))
    asked = {"epsilon": 1.0, "delta": 1e-6, "growth": "level", "criterion": "counts", "max_depth": 3, "ledger": "none"}
    promises = []
    for seed in range(8):
        ages, labels = ROWS[seed % 2]
        tree = TreeClassifier(schema, random_state=seed, **asked)
        promises.append(tree.fit(np.repeat(ages, 5)[:, None], np.repeat(labels, 5)).privacy_)
    assert {len(promise.releases) for promise in promises} == {3, 4}
    assert len({promise.tightened().epsilon for promise in promises}) == 1


def test_a_missing_extra_is_named(monkeypatch):
    promise = released(1.0, 1e-6, [PlanEntry("noise", 5)], "zcdp")
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("dp_accounting"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"tacit\[tight\]"):
        promise.tightened()
