"""The attack on rados that are not private, and what can and cannot be reconstructed."""

from __future__ import annotations

import numpy as np
import pytest

from reproductions.nock2015.attack import recover_column, which_rows
from reproductions.nock2015.reconstruction import (
    far_twin,
    hausdorff,
    other_edges,
    probe_sample_subsumption,
    recover_edges,
    sparse_approximation,
)
from tacit.errors import ParameterError
from tacit.estimators import make_rados
from tacit.schema import Label, Numeric, Schema


def test_the_attack_reads_the_column_that_dp_feat_protects():
    generator = np.random.default_rng(0)
    income, ill = generator.uniform(-1, 1, 14), generator.choice([-1.0, 1.0], 14)
    labels = generator.choice([0, 1], 14)
    schema = Schema([Numeric("income", -1, 1, private=False), Numeric("ill", -1, 1)], label=Label("y", [0, 1]))
    made = make_rados(
        np.column_stack([income, ill]),
        labels,
        schema,
        epsilon=3.0,
        protection="marginal",
        protected_column="ill",
        count=60,
    )
    sign = np.where(labels == 1, 1.0, -1.0)
    grid = np.rint(income * 2**20) / 2**20
    found = recover_column(made.rados[:, 0], made.rados[:, 1], grid * sign)
    sure = ~np.isnan(found.column)
    assert sure.sum() == 14
    assert (np.rint(found.column[sure]) == (ill * sign)[sure]).all()


def test_the_attack_gets_nowhere_with_private_rados():
    generator = np.random.default_rng(1)
    rows = np.column_stack([generator.uniform(-1, 1, 24), generator.choice([-1.0, 1.0], 24)])
    schema = Schema([Numeric("income", -1, 1), Numeric("ill", -1, 1)], label=Label("y", [0, 1]))
    made = make_rados(rows, generator.choice([0, 1], 24), schema, epsilon=1.0, count=30)
    found = recover_column(made.rados[:, 0], made.rados[:, 1], rows[:, 0])
    assert len(found.parts) < 30


def test_rows_of_a_sum():
    edges = np.random.default_rng(3).normal(size=20)
    chosen = np.random.default_rng(4).integers(0, 2, 20).astype(bool)
    assert (which_rows(float(edges[chosen].sum()), edges) == chosen).all()
    assert which_rows(100.0, edges) is None
    assert which_rows(1.0, np.asarray([1.0, 1.0, 0.5])) is None  # two answers
    with pytest.raises(ParameterError, match="1 to 32 rows"):
        which_rows(0.0, np.zeros(33))


def test_lemma_9():
    generator = np.random.default_rng(0)
    edges, parts = generator.normal(size=(6, 3)), generator.integers(0, 2, (12, 6))
    np.testing.assert_allclose(recover_edges(parts @ edges, parts), edges, atol=1e-9)
    assert other_edges(edges, parts) is None
    few = parts[:5]
    with pytest.raises(ParameterError, match="fewer independent"):
        recover_edges(few @ edges, few)
    twin = other_edges(edges, few)
    np.testing.assert_allclose(few @ twin, few @ edges, atol=1e-9)
    assert hausdorff(twin, edges) > 0.01


def test_lemma_10():
    generator = np.random.default_rng(1)
    for n_features in (2, 5):
        edges = generator.normal(size=(9, n_features))
        radius = float(np.linalg.norm(edges, axis=1).max()) * 1.01
        parts = generator.integers(0, 2, (7, 9))
        twin, twin_parts = far_twin(edges, parts, radius)
        np.testing.assert_allclose(twin_parts @ twin, parts @ edges)
        assert (np.linalg.norm(twin, axis=1) < radius).all()
        assert hausdorff(twin, edges) >= radius / np.sqrt(n_features) / 2
    with pytest.raises(ParameterError, match="inside the ball"):
        far_twin(edges, parts, 0.1)


def test_sparse_approximation():
    rados = np.asarray([[1.0, 0.0], [1.0, 1.0]])
    for norm in (2, np.inf):
        found = sparse_approximation(rados, 2, length=1.0, tolerance=0.0, norm=norm)
        assert found is not None
        assert (np.linalg.norm(found, ord=norm, axis=1) <= 1 + 1e-6).all()
        assert sparse_approximation(3 * rados, 2, length=1.0, tolerance=0.5, norm=norm) is None
    # (3, 3) from two edges of at most 1: the nearest sum is (sqrt 2, sqrt 2), 2.243 away
    near = {"n_rows": 2, "length": 1.0}
    assert sparse_approximation(np.asarray([[3.0, 3.0]]), **near, tolerance=2.25) is not None
    assert sparse_approximation(np.asarray([[3.0, 3.0]]), **near, tolerance=2.24) is None
    with pytest.raises(ParameterError, match="NP-hard"):
        sparse_approximation(np.zeros((10, 1)), 5, length=1, tolerance=0)
    with pytest.raises(ParameterError, match="norm"):
        sparse_approximation(rados, 2, length=1, tolerance=0, norm=0.5)


def test_probe_sample_subsumption():
    generator = np.random.default_rng(2)
    examples = generator.normal(size=(7, 2))
    hidden = examples[[1, 4, 6]]
    rados = np.stack([hidden[0] + hidden[2], hidden.sum(axis=0), hidden[1]])
    assert probe_sample_subsumption(examples, rados, 3, tolerance=1e-9) == (1, 4, 6)
    assert probe_sample_subsumption(np.delete(examples, 4, 0), rados, 3, tolerance=1e-9) is None
    with pytest.raises(ParameterError, match="NP-hard"):
        probe_sample_subsumption(np.zeros((60, 2)), rados, 10, tolerance=0)
