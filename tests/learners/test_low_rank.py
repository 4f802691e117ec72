"""Matrices in factors: each operation is that of the matrix written out, and so is what learners make of it."""

from __future__ import annotations

from math import inf

import numpy as np
import polars as pl
import pytest

from tacit import Categorical, Label, LogisticClassifier, Numeric, Schema
from tacit.features.ranked_encoding import RankedEncoding
from tacit.learners.linear import ranked
from tacit.learners.linear.low_rank import LowRank
from tacit.learners.linear.rank_moments import in_factors, independent_moments, rank_of
from tacit.learners.linear.shrinkage import LearnedPrior, quicker_in_factors, regressed

N = 12


def drawn(seed=0, rank=2):
    generator = np.random.default_rng(seed)
    left = generator.normal(size=(N, rank))
    return LowRank(generator.uniform(1, 2, N), left, generator.normal(size=(N, rank)))


def positive(seed=0):
    left = np.random.default_rng(seed).normal(size=(N, 2))
    return LowRank(np.random.default_rng(seed + 1).uniform(1, 2, N), left, left)


def test_operations_are_those_of_the_matrix_written_out():
    one, other = drawn(0), drawn(1, rank=3)
    columns = np.random.default_rng(2).normal(size=(N, 4))
    assert one @ columns == pytest.approx(one.dense() @ columns)
    assert one @ columns[:, 0] == pytest.approx(one.dense() @ columns[:, 0])
    assert columns.T @ one == pytest.approx(columns.T @ one.dense())
    assert one.times(other).dense() == pytest.approx(one.dense() @ other.dense())
    assert one.T.dense() == pytest.approx(one.dense().T)
    assert (3.0 * one - other).dense() == pytest.approx(3 * one.dense() - other.dense())
    assert one[5] == pytest.approx(one.dense()[5]) and one.all_diagonal() == pytest.approx(np.diag(one.dense()))


def test_a_sum_is_solved_inverted_and_has_its_determinant():
    matrix = positive()
    written = 2 * matrix.dense() + 0.5 * np.eye(N)
    factors, columns = matrix.plus(2.0, 0.5), np.random.default_rng(2).normal(size=(N, 4))
    assert factors.solve(columns) == pytest.approx(np.linalg.solve(written, columns))
    assert factors.inverse().dense() == pytest.approx(np.linalg.inv(written))
    assert factors.log_determinant == pytest.approx(np.linalg.slogdet(written)[1])
    assert np.linalg.eigvalsh(matrix.dense())[-1] <= matrix.largest == pytest.approx(np.trace(matrix.dense()))


@pytest.mark.parametrize("radius", [inf, 0.9])
def test_moments_in_factors_are_the_moments(radius):
    columns = [
        Numeric("x", -1, 1, missing="indicator"),
        Categorical("c", list("abcde"), other=True),
        Numeric("z", -1, 1),
        Categorical("d", ["u", "v"]),
    ]
    schema = Schema(columns, label=Label("y", [0, 1]))
    encoding = RankedEncoding(schema, schema.names, radius, quadratic=True)
    squares = np.random.default_rng(0).uniform(0.05, 0.3, encoding.n_features - 1)
    moments = independent_moments(encoding, np.asarray([0.2, -0.1]), squares)
    found = in_factors(encoding, moments, squares)
    assert found.dense() == pytest.approx(moments, abs=1e-15)
    # One for the means, one each for two columns of categories, and one for each other feature, the constant's too.
    assert found.left.shape[1] == rank_of(encoding) == 1 + 2 + 6


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("deviation", [3.0, 0.01])
def test_gradients_say_the_same_of_a_hessian_in_factors(outputs, deviation):
    hessian = 40.0 * positive()
    generator = np.random.default_rng(3)
    points = [generator.normal(size=(N, outputs)) for _ in range(4)]
    best = generator.normal(size=(N, outputs))
    gradients = [hessian @ (w - best) + deviation * generator.normal(size=w.shape) for w in points]
    means, found = generator.normal(size=N - 1), []
    for assumed in (hessian, hessian.dense()):
        prior = LearnedPrior((1, 4, N), means, uneven=True, curved=np.linspace(1, 2, outputs))
        told = regressed(points, gradients, deviation**2, assumed)
        prior.learn(told)
        noise = prior.noise(told, wider=1.5)
        found.append([prior.width, prior.relative, prior.coefficients(told), told.answer, told.variance])
        found[-1] += [np.stack(noise.distinct), told.hessian @ np.eye(N)]
    for factored, written in zip(*found, strict=True):
        assert factored == pytest.approx(written, rel=1e-6, abs=1e-9)


def test_thousands_of_categories_are_learned_in_factors_and_scored_the_same(monkeypatch):
    generator = np.random.default_rng(0)
    words = [f"v{code}" for code in range(60)]
    schema = Schema([Categorical(f"c{at}", words) for at in range(4)], label=Label("y", [0, 1]))
    codes = {f"c{at}": np.asarray(words)[generator.integers(0, 60, 400)] for at in range(4)}
    rows = pl.DataFrame(codes)
    y = np.where(codes["c0"] < "v3", generator.random(400) < 0.9, generator.random(400) < 0.1).astype(int)
    scores, asked = [], []
    for factors in (True, False):
        monkeypatch.setattr(ranked, "quicker_in_factors", lambda *sizes, own=factors: asked.append(own) or own)
        model = LogisticClassifier(schema, epsilon=3.0, delta=1e-6, encoding="ranked", random_state=0)
        scores.append(model.fit(rows, y).decision_function(rows))
    assert asked == [True, False]
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)
    assert np.std(scores[0]) > 0.1


def test_matrices_are_kept_in_factors_where_that_is_less_work():
    # 25 widths times 16 squared is as much as 80 squared.
    assert quicker_in_factors(81, 2, steps=4) and not quicker_in_factors(80, 2, steps=4)
