"""Exact output densities of naive Bayes on tiny tables; half the noise is caught."""

from __future__ import annotations

import numpy as np
import pytest

from harness.neighbors import all_pairs
from harness.scripted import ScriptedNoise, largest_log_ratio
from tacit.learners import NaiveBayes
from tacit.mechanisms import announce
from tacit.privacy import Accountant, Budget
from tacit.schema import Categorical, Label, Numeric, Schema

EPSILON = 0.7
ALL = Schema([Numeric("x", -1, 1), Categorical("c", ["a", "b"])], label=Label("y", ["no", "yes"]))
PUBLIC_LABEL = Schema(ALL.columns, label=Label("y", ["no", "yes"], private=False))
LABEL_ONLY = ALL.with_private([], label=True)
PARTIAL = ALL.with_private(["x"], label=False)
FOUR_CASES = pytest.mark.parametrize(
    "schema", [ALL, PUBLIC_LABEL, LABEL_ONLY, PARTIAL], ids=["all", "features", "label only", "partial"]
)


def settings_of(schema, numeric="binned"):
    return NaiveBayes(schema, numeric=numeric, n_bins=2)


def run(learner, budget=Budget(EPSILON)):  # noqa: B008
    def once(table, noise):
        accountant = Accountant(budget, table.unit, noise, n_rows=table.n_rows)
        releases = announce(accountant, learner.plan(table.unit))
        return learner.train(table, releases, np.random.default_rng(0))

    return once


def changes(learner, pair):
    """The exact difference of the first release between two neighbors, as signs: where it is largest."""
    values = []
    for table in pair.tables():
        query = learner.query(table.unit, 7 / 8)
        values.append(query.statistic(table).unreleased_value)
    return np.sign(values[0] - values[1])


def worst(learner, pairs, stretch=1.0):
    """Answers far out in the direction of the change have the largest ratio that there is."""
    ratios = []
    far = 8 * 2**20 if learner.numeric == "gaussian" else 8
    for pair in pairs:
        first = changes(learner, pair) * far
        ratios.append(largest_log_ratio(run(learner), [pair], [[first], [0]], stretch))
    return max(ratios)


@FOUR_CASES
@pytest.mark.parametrize("numeric", ["binned", "gaussian"])
def test_the_budget_is_nearly_used_up_and_half_the_noise_is_caught(schema, numeric):
    learner = settings_of(schema, numeric)
    pairs = list(all_pairs(schema, 1, points=5))
    pairs = pairs[:: 1 + len(pairs) // 30]
    assert 0.999 * EPSILON < worst(learner, pairs) <= EPSILON + 1e-9
    assert worst(learner, pairs, stretch=0.5) > EPSILON


def test_gaussian_noise_fits_the_largest_movement():
    """At the plan's rho, no pair's squared movement over twice the variance exceeds rho, and one comes close."""
    budget = Budget(EPSILON, 1e-3)
    learner = settings_of(ALL, "gaussian")
    largest = 0.0
    for pair in list(all_pairs(ALL, 1, points=5))[::3]:
        seen = []

        class Recording(ScriptedNoise):
            def gaussian(self, values, deviation, seen=seen):
                seen.append((np.asarray(values, float), deviation))
                return super().gaussian(values, deviation)

        for table in pair.tables():
            run(learner, budget)(table, Recording([0]))
        (one, deviation), (two, _) = seen
        accountant = Accountant(budget, table.unit, ScriptedNoise([]), n_rows=table.n_rows)
        [share] = accountant.split(learner.plan(table.unit))
        largest = max(largest, ((one - two) ** 2).sum() / (2 * deviation**2) / share.rho)
    assert 0.999 < largest <= 1
