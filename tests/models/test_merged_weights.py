"""Weights of merged models: the precision of a released mean, worked out by hand, and finite whatever a file says."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tacit.models.merged_weights import merged_weights, noise_to_sampling
from tacit.privacy import Guarantee

PLAIN = Guarantee("private", ("a",), True, 1000, 0.5, 0.0, "pure", None, (), "none", (), (), ())


def part(n_columns=2, **changed):
    """Return what weights read of a model."""
    return SimpleNamespace(guarantee=replace(PLAIN, **changed), schema=SimpleNamespace(columns=[None] * n_columns))


def test_noise_is_that_of_laplace_and_of_gaussian_means():
    # Means of 200 values of -1 or 1, each of 5 columns with a fifth of the budget: a row moves a sum by 2.
    draw = np.random.default_rng(0)
    sampling = draw.choice([-1.0, 1.0], (20_000, 200)).sum(axis=1).var()
    laplace = draw.laplace(0, 2 / (0.5 / 5), 200_000).var()
    gaussian = draw.normal(0, 2 / np.sqrt(2 * 0.1 / 5), 200_000).var()
    assert noise_to_sampling(200, 5, epsilon=0.5) == pytest.approx(laplace / sampling, rel=0.05)
    assert noise_to_sampling(200, 5, rho=0.1) == pytest.approx(gaussian / sampling, rel=0.05)


def test_parts_of_one_budget_count_by_rows_where_noise_is_small_and_by_their_squares_where_it_is_large():
    sizes = 1000, 3000
    assert merged_weights([part(n_rows=n, epsilon=100.0) for n in sizes]) == pytest.approx([0.25, 0.75], abs=0.001)
    assert merged_weights([part(n_rows=n, epsilon=0.001) for n in sizes]) == pytest.approx([0.1, 0.9], abs=0.001)


def test_weights_by_hand():
    # 1000 / (1 + 8 * 4 / 250), and 1000 / (1 + 4 / (1000 * 0.01)), and 1000 where nothing was released.
    parts = part(), part(composition="zcdp", rho=0.01, delta=1e-6), part(epsilon=0.0)
    due = np.asarray([1000 / 1.128, 1000 / 1.4, 1000])
    assert merged_weights(parts) == pytest.approx(due / due.sum())


def test_what_a_schema_cost_is_not_the_fits():
    learned = replace(PLAIN, epsilon=0.25)
    assert merged_weights([part(epsilon=0.75, learned=learned), part()]) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("epsilon", [5e-324, 1e-200, 1e200])
def test_weights_are_finite_and_add_to_one(epsilon):
    found = merged_weights([part(epsilon=epsilon), part(epsilon=epsilon, composition="zcdp", rho=epsilon)])
    assert sum(found) == pytest.approx(1) and all(each > 0 for each in found)
