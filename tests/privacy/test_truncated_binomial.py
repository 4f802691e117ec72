"""DP-Feat's window: the published figures, its distribution and delta against enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, exp

import numpy as np
import pytest

from tacit.errors import ParameterError
from tacit.privacy.marginal import MarginalGuarantee, Window


@pytest.mark.parametrize(
    ("n_rows", "epsilon", "delta"),
    [(100, 0.1, 1.0), (1000, 0.1, 0.033), (10_000, 0.1, 3.7e-4), (100, 1.0, 7.3e-3), (1000, 1.0, 2.3e-15)],
)
def test_the_figures(n_rows, epsilon, delta):
    assert Window(n_rows, epsilon).delta() == pytest.approx(delta, rel=0.02)


@pytest.mark.parametrize(("n_rows", "epsilon"), [(9, 1.0), (12, 2.0), (100, 0.1), (41, 0.7)])
def test_delta_against_fractions(n_rows, epsilon):
    beta = 1 / (1 + exp(epsilon / 2))
    inside = [k for k in range(n_rows + 1) if beta * (n_rows + 1) <= k <= n_rows - beta * (n_rows + 1)]
    window = Window(n_rows, epsilon)
    assert (window.low, window.high) == (inside[0], inside[-1])
    total = sum(comb(n_rows, k) for k in inside)
    distribution = {k: Fraction(comb(n_rows, k), total) for k in inside}
    np.testing.assert_allclose(np.exp(window.log_distribution), [float(distribution[k]) for k in inside], rtol=1e-12)
    for at in (epsilon / 4, epsilon / 2, epsilon, 2 * epsilon):
        factor = Fraction(exp(at))
        exact = sum(
            max(Fraction(0), p - factor * distribution.get(k + 1, Fraction(0))) for k, p in distribution.items()
        )
        assert float(exact) <= window.delta(at) <= float(exact) * (1 + 1e-9) + 1e-12


def test_inside_the_window_half_of_epsilon_is_enough():
    window = Window(1000, 1.0)
    steps = np.abs(np.diff(window.log_distribution))
    assert 0.4 < steps.max() <= 0.5


@pytest.mark.parametrize("n_rows", [38, 79, 2])
def test_an_empty_window_is_refused(n_rows):
    with pytest.raises(ParameterError, match="window of DP-Feat is empty"):
        Window(n_rows, 0.1)
    assert Window(40, 0.1).low == 20
    assert Window(81, 0.1).low == 40


def distribution_of_entries(signs, window, columns):
    """The exact distribution of the entries in a rado's columns, all windows holding, by enumeration."""
    distribution = {}
    for parts in product((0, 1), repeat=len(signs)):
        agree = [sum(p == (s > 0) for p, s in zip(parts, signs[:, j], strict=True)) for j in range(columns)]
        if all(window.low <= k <= window.high for k in agree):
            entry = int(np.asarray(parts) @ signs[:, 0])
            distribution[entry] = distribution.get(entry, 0) + 1
    total = sum(distribution.values())
    return {entry: count / total for entry, count in distribution.items()}


@pytest.mark.parametrize("columns", [1, 2])
def test_the_marginal_guarantee_by_enumeration(columns):
    window, generator = Window(10, 3.0), np.random.default_rng(2)
    epsilon, delta = window.several(columns)
    worst = 0.0
    for _ in range(6):
        signs = generator.choice([-1, 1], (10, columns))
        changed = signs.copy()
        changed[0, 0] *= -1
        one, two = (distribution_of_entries(each, window, columns) for each in (signs, changed))
        for p, q in ((one, two), (two, one)):
            worst = max(worst, sum(max(0.0, v - exp(epsilon) * q.get(k, 0.0)) for k, v in p.items()))
    assert worst <= delta + 1e-12
    if columns == 1:
        assert worst == pytest.approx(delta, rel=1e-9)


def test_several_columns_that_cannot_hold_together_are_refused():
    with pytest.raises(ParameterError, match="hold together"):
        Window(100, 0.1).several(2)


def test_the_certificate_claims_no_differential_privacy():
    made = MarginalGuarantee.of(("sex",), n_rows=1000, count=100, epsilon=0.1, noise="n", secure=True)
    assert (made.kind, made.total_epsilon, made.total_delta) == ("marginal", pytest.approx(10.0), 1.0)
    assert "NOT DIFFERENTIAL PRIVACY" in str(made)
    assert "promise nothing" in str(made)
    simulated = MarginalGuarantee.of(("sex",), n_rows=1000, count=1, epsilon=1.0, noise="n", secure=False)
    assert simulated.status == "simulated"
    assert "SIMULATED" in str(simulated)
