"""Exact output densities of boosted trees on tiny tables: the budget is kept, and half of the noise is caught."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import tacit.boosting.boosted_trees as boosted_trees
import tacit.queries.leaf_sums as leaf_sums
from harness.neighbors import Pair, all_pairs
from harness.scripted import permute_and_flip_probabilities
from tacit.boosting.boosted_trees import BoostedTrees
from tacit.learners.linear import RankedLogistic
from tacit.mechanisms import announce
from tacit.privacy import Accountant, Budget
from tacit.queries.leaf_sums import STEPS
from tacit.schema import Categorical, Label, Numeric, Schema

EPSILON = 0.7
TWO = Schema([Numeric("x", -1, 1, cuts=[0.0]), Categorical("c", ["a", "b", "d"])], label=Label("y", ["no", "yes"]))
THREE = Schema(TWO.columns, label=Label("y", ["p", "q", "r"]))
CASES = {"all": (["x", "c"], True), "features": (["x", "c"], False), "label": ([], True), "partial": (["c"], False)}
FOUR_CASES = pytest.mark.parametrize("case", CASES)
CLASSES = pytest.mark.parametrize("base", [TWO, THREE], ids=["two", "three"])


SETTINGS = {"n_trees": 2, "depth": 1, "public_depth": 1, "candidates": 3}


class Recording:
    """Answers whatever is asked from a seed, far from the rows; keeps what was asked, and at which scale of noise."""

    is_private, description, sampler = False, "scripted answers, for tests", "script"

    def __init__(self, seed):
        self._draw, self.asked = np.random.default_rng(seed), []

    def laplace(self, values, scale):
        return self._number("laplace", values, scale)

    def gaussian(self, values, deviation):
        return self._number("gaussian", values, deviation)

    def permute_and_flip(self, scores, scale):
        return self._choice("permute-and-flip", scores, scale)

    def exponential_mechanism(self, scores, scale):
        return self._choice("exponential-mechanism", scores, scale)

    def _number(self, distribution, values, scale):
        self.asked.append((distribution, np.asarray(values, float), scale))
        return (2 * self._draw.integers(0, 2, values.shape) - 1) * 3 * STEPS

    def _choice(self, distribution, scores, scale):
        self.asked.append((distribution, np.asarray(scores, float), scale))
        return int(self._draw.integers(len(scores)))


def loss(distribution, one, two, scale):
    """The exact loss of one release: the largest log ratio over all answers, or the rho of Gaussian noise.

    Of the exponential mechanism the divergence of order two, over two: rho is at least that.
    """
    if distribution == "laplace":
        return np.abs(one - two).sum() / scale
    if distribution == "gaussian":
        return ((one - two) ** 2).sum() / (2 * scale**2)
    if distribution == "permute-and-flip":
        p, q = (permute_and_flip_probabilities(scores, scale) for scores in (one, two))
        return np.abs(np.log(p) - np.log(q)).max()
    p, q = (np.exp(scores / scale - np.logaddexp.reduce(scores / scale)) for scores in (one, two))
    return float(np.log((p**2 / q).sum())) / 2


def losses(schema, pairs, delta, *, ranks=False, **more):
    """The largest loss of a release over its share, and of a run over the sum of shares; the same answers for both.

    Then the former at half of the noise, as answers do not depend on it. With ranks that come before the trees, or
    without; with more settings.
    """
    first = RankedLogistic(schema, steps=2) if ranks else None
    largest, total, halved = 0.0, 0.0, 0.0
    for pair, seed in product(pairs, range(2)):
        asked = []
        for table in pair.tables():
            noise = Recording(seed)
            accountant = Accountant(Budget(EPSILON, delta), table.unit, noise, n_rows=table.n_rows)
            learner = BoostedTrees(schema, **SETTINGS, ranks=first, **more)
            releases = announce(accountant, learner.plan(table.unit), composition="zcdp" if delta else "pure")
            learner.train(table, releases, np.random.default_rng(seed))
            asked.append(noise.asked)
        assert [(distribution, scale) for distribution, _, scale in asked[0]] == [
            (distribution, scale) for distribution, _, scale in asked[1]
        ]
        spent, more_spent = (
            [
                loss(distribution, one, two, scale * stretch)
                for (distribution, one, scale), (_, two, _) in zip(*asked, strict=True)
            ]
            for stretch in (1.0, 0.5)
        )
        shares = [each.share.rho if delta else each.share.epsilon for each in releases.announced]
        if len(spent) == len(shares):  # else a tree of public columns took none of its releases
            largest = max(largest, max(one / share for one, share in zip(spent, shares, strict=True)))
            halved = max(halved, max(one / share for one, share in zip(more_spent, shares, strict=True)))
        total = max(total, sum(spent) / sum(shares))
    return largest, total, halved


def neighbors_of(schema, case):
    """Neighbors that differ in the last row, among crowds that make leaves lean either way."""
    columns, label = CASES[case]
    schema = schema.with_private(columns, label=label)
    first, second = schema.label.classes[:2]
    even = ((-1.0, "a", first), (1.0, "b", first), (-1.0, "d", second))
    apart = (*((-1.0, name, first) for name in "aabb"), *[(-1.0, "d", second)] * 6)
    pairs = list(all_pairs(schema, 1))
    chosen = [pairs[at] for at in np.random.default_rng(0).permutation(len(pairs))[:8]]
    crowds = product((even, apart), chosen)
    return schema, [Pair(schema, (*crowd, *pair.first), (*crowd, *pair.second)) for crowd, pair in crowds]


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@FOUR_CASES
@CLASSES
def test_a_run_keeps_to_its_budget_and_half_of_the_noise_is_caught(base, case, delta):
    schema, pairs = neighbors_of(base, case)
    largest, total, halved = losses(schema, pairs, delta)
    assert 0.75 < largest <= 1 + 1e-9
    assert 0.3 < total <= 1 + 1e-9
    assert halved > 1.5


@pytest.mark.parametrize("case", [name for name, (_, label) in CASES.items() if label])
@CLASSES
def test_a_run_that_ranks_begin_keeps_to_its_budget(base, case):
    """The trees' curvatures read the columns of ranks from the first tree on."""
    schema, pairs = neighbors_of(base, case)
    largest, total, halved = losses(schema, pairs, 1e-3, ranks=True)
    assert 0.75 < largest <= 1 + 1e-9
    assert 0.3 < total <= 1 + 1e-9
    assert halved > 1.5


@pytest.mark.parametrize("case", [name for name, (_, label) in CASES.items() if label])
def test_a_run_that_cuts_residuals_unevenly_keeps_to_its_budget(case, monkeypatch):
    schema, pairs = neighbors_of(TWO, case)
    start = BoostedTrees._start

    def unevenly(odds, bounds):
        """Begin at these log-odds, as if they had been released, and cut residuals there."""

        def begun(*given):
            scores, *others = start(*given)
            return 0 * scores + round(odds * STEPS), *others

        monkeypatch.setattr(BoostedTrees, "_start", begun)
        monkeypatch.setattr(boosted_trees, "uneven", lambda share: bounds)

    # The chance at which residuals of both labels are as long as they can be.
    unevenly(
        np.log((1 - leaf_sums.MAX_RESIDUAL) / leaf_sums.MAX_RESIDUAL),
        (leaf_sums.MAX_RESIDUAL - 1, leaf_sums.MAX_RESIDUAL),
    )
    largest, total, halved = losses(schema, pairs, 1e-3, cut_unevenly=True)
    assert 0.75 < largest <= 1 + 1e-9
    assert 0.3 < total <= 1 + 1e-9
    assert halved > 1.5
    if case == "all":  # bounds as far apart, but further from zero: rows that change their leaf move sums by root two
        monkeypatch.setattr(leaf_sums, "MAX_RESIDUAL", 1.0)
        unevenly(-5.0, (0.0, 1.0))
        yes = [pair for pair in all_pairs(schema, 1) if pair.first[0][2] == pair.second[0][2] == "yes"]
        pairs = [
            pair for pair in yes if all(a != b for a, b in zip(pair.first[0][:2], pair.second[0][:2], strict=True))
        ]
        assert losses(schema, pairs, 1e-3, cut_unevenly=True)[0] > 1.5


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize(
    ("base", "bound"),
    [(TWO, "range"), *product((TWO, THREE), ("gradients", "curvatures"))],
    ids=lambda each: each if isinstance(each, str) else f"{len(each.label.classes)} classes",
)
def test_half_of_a_sensitivity_is_caught(base, bound, delta, monkeypatch):
    stated = getattr(leaf_sums.Moves, bound).fget

    def halved(moves):
        return stated(moves) / 2 if bound == "range" else tuple(each / 2 for each in stated(moves))

    monkeypatch.setattr(leaf_sums.Moves, bound, property(halved))
    assert losses(*neighbors_of(base, "all"), delta)[0] > 1.2
