"""Steps in leaves: by hand without noise, as a posterior mean with it, and what is said of their noise."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from tacit.boosting.leaf_steps import OF_TESTS, LeafSteps, newton_steps
from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.features.oblivious import Subset
from tacit.mechanisms import ReleasedValue
from tacit.models import ObliviousTree
from tacit.queries.leaf_sums import STEPS
from tacit.rules.boosted_trees import LEAF_DEVIATION
from tacit.schema import Categorical, Label, Numeric, Schema

SCHEMA = Schema([Numeric("x", 0, 4, cuts=[1, 2, 3]), Categorical("c", list("abc"))], label=Label("y", ["no", "yes"]))
ENCODING = BinEncoding(SCHEMA, SCHEMA.names)
TESTS = (Literal("x", 0, 2), Literal("x", 0, 0), Subset("c", (1,)))
REACHED = [0, 1, 4, 5, 6, 7]  # what is at most the first cut is at most the third
DESIGN = np.asarray([[1, x, z] for x, z in product((1, -1), repeat=2)], dtype=float)


def test_leaves_that_no_row_reaches_are_known():
    assert ObliviousTree(TESTS, ()).reached(ENCODING).tolist() == REACHED


def matrix(slopes):
    """The first score's values (rows) by all gradients."""
    return slopes.of(np.eye(slopes.own.shape[1]))[0]


def test_steps_without_noise_by_hand():
    gradients = ReleasedValue(STEPS * np.asarray([[40.0, 40.0, 9.0, 9.0, -1e6, 0.5, 3.0, 4.0]]))
    curvatures = ReleasedValue(STEPS * np.asarray([[100.0, -7.0, 9.0, 9.0, 10.0, 1.0, 6.0, 8.0]]))
    step = LeafSteps.of(TESTS, np.asarray(REACHED), gradients, curvatures, 0.5)
    # A leaf counts as one row at least, a step is at most 4, and no row reaches leaves 2 and 3.
    assert np.asarray(step.tree.values[0]) / STEPS == pytest.approx([0.2, 2.0, 0, 0, -2.0, 0.25, 0.25, 0.25], abs=1e-6)
    assert step.tree.tests == TESTS
    assert not step.deviation
    assert np.diagonal(matrix(step.slopes)) * step.curvature[0] == pytest.approx([0.5, 0.0, 0.5, 0.5, 0.5, 0.5])


def posterior(gradient, curvature, deviation):
    """The mean over deviations of tests, by the multivariate normal distribution of gradients."""
    means, logs = [], []
    for shared in OF_TESTS:
        prior = shared**2 / DESIGN.shape[1] * DESIGN @ DESIGN.T + LEAF_DEVIATION**2 * np.eye(len(DESIGN))
        distribution = np.diag(curvature) @ prior @ np.diag(curvature) + deviation**2 * np.eye(len(DESIGN))
        means.append(prior @ np.diag(curvature) @ np.linalg.solve(distribution, gradient))
        logs.append(multivariate_normal(cov=distribution).logpdf(gradient) + np.log(shared))
    weights = np.exp(np.asarray(logs) - max(logs))
    return weights @ np.asarray(means) / weights.sum()


@pytest.mark.parametrize("deviation", [0.5, 10.0, 200.0])
def test_steps_are_the_posterior_mean_of_a_normal_model(deviation):
    gradient, curvature = np.asarray([30.0, -8.0, 25.0, -20.0]), np.asarray([100.0, 40.0, 80.0, 5.0])
    [steps], slopes = newton_steps(DESIGN, gradient[None], curvature[None], deviation)
    assert steps == pytest.approx(posterior(gradient, curvature, deviation), rel=1e-9)
    for at, step in enumerate(1e-3 * np.eye(4)):
        sides = [posterior(gradient + sign * step, curvature, deviation) for sign in (1, -1)]
        assert matrix(slopes)[:, at] == pytest.approx((sides[0] - sides[1]) / 2e-3, rel=1e-4, abs=1e-9)


def test_leaves_share_what_their_tests_say():
    given = STEPS * np.arange(8.0)[None]
    step = LeafSteps.of(
        TESTS, np.asarray(REACHED), ReleasedValue(given, 6.0 * STEPS, "Gaussian"), ReleasedValue(given + 9 * STEPS), 0.5
    )
    design = np.asarray([[1, *(1 if leaf & bit else -1 for bit in (4, 2, 1))] for leaf in REACHED], dtype=float)
    [steps], slopes = newton_steps(design, given[:, REACHED] / STEPS, given[:, REACHED] / STEPS + 9, 6.0)
    assert np.asarray(step.tree.values[0])[REACHED] / STEPS == pytest.approx(0.5 * steps, abs=1e-6)
    assert step.deviation * matrix(step.slopes) == pytest.approx(6.0 * 0.5 * matrix(slopes))


def test_scores_share_how_large_steps_are():
    gradient, curvature = np.asarray([[600.0] * 4] + [[0.0] * 4] * 9), np.full((10, 4), 500.0)
    all_of_them, alone = (newton_steps(DESIGN, gradient[:n], curvature[:n], 500.0)[0] for n in (10, 1))
    # Beside scores whose steps are small a step is believed less.
    assert all_of_them[0].sum() < 0.9 * alone[0].sum()


def test_a_leaf_that_noise_hides_follows_the_others():
    """Leaves of few rows are filled in from those with which they share a test; a lone leaf is held to itself."""
    curvature, gradient = np.asarray([[400.0, 400.0, 400.0, 1.0]]), np.asarray([[300.0, 300.0, -300.0, 0.0]])
    [steps], _ = newton_steps(DESIGN, gradient, curvature, 10.0)
    assert steps[:3] == pytest.approx([0.75, 0.75, -0.75], abs=0.03)
    assert steps[3] < -0.15  # the third's test is failed by it, too; on its own it would have 0


def test_noise_reaches_values_as_stated():
    """Two thousand draws of noise around one gradient, deviations being sure: the values' covariance is the stated."""
    generator, deviation = np.random.default_rng(0), 30.0
    gradient, curvature = generator.normal(0, 150, 6), generator.uniform(200, 600, 6)
    full = np.zeros(8)
    full[REACHED] = curvature
    curvatures = ReleasedValue(STEPS * full[None])

    def fitted(noise):
        given = np.zeros((1, 8))
        given[0, REACHED] = STEPS * (gradient + noise)
        return LeafSteps.of(
            TESTS, np.asarray(REACHED), ReleasedValue(given, deviation * STEPS, "Gaussian"), curvatures, 0.3
        )

    step = fitted(0.0)
    stated = step.deviation * matrix(step.slopes)
    values = [fitted(one).tree.values[0] for one in generator.normal(0, deviation, (2000, 6))]
    found = np.cov(np.asarray(values)[:, REACHED].T / STEPS)
    assert np.sqrt(np.diag(found)) == pytest.approx(np.sqrt((stated**2).sum(axis=1)), rel=0.1)


def test_laplace_noise_counts_with_its_standard_deviation():
    sums, rows = np.full((1, 8), 30.0 * STEPS), ReleasedValue(np.full((1, 8), 50.0 * STEPS))
    of = [
        LeafSteps.of(
            TESTS, np.asarray(REACHED), ReleasedValue(sums, scale * STEPS, distribution), rows, 1.0
        ).tree.values
        for scale, distribution in ((10.0, "Laplace"), (10.0 * 2**0.5, "Gaussian"))
    ]
    assert of[0] == of[1]
