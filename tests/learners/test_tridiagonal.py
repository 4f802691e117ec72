"""Matrices turned to tridiagonal ones: products of inverses and determinants are those of the matrix itself."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.learners.linear.tridiagonal import tridiagonal


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (2, 2), (3, 1), (40, 40), (40, 7)])
def test_products_and_determinants_are_those_of_the_matrix(n, rank):
    generator = np.random.default_rng(n)
    factor = generator.normal(size=(n, rank))
    matrix, first, second = factor @ factor.T, generator.normal(size=(n, 3)), generator.normal(size=(n, 1))
    turned, [one, other] = tridiagonal(matrix, [first, second])
    assert turned.largest == pytest.approx(np.linalg.eigvalsh(matrix)[-1])
    for times, added in ((0.3, 0.5), (4.0, 1e-6)):
        whole = times * matrix + added * np.eye(n)
        covariance = turned.plus(times, added)
        assert covariance.log_determinant == pytest.approx(np.linalg.slogdet(whole)[1])
        expected = first.T @ np.linalg.solve(whole, np.concatenate([first, second], axis=1))
        assert one.T @ covariance.solve(np.concatenate([one, other], axis=1)) == pytest.approx(expected, rel=1e-6)
