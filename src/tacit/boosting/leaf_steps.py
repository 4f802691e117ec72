"""Leaf values of boosted trees from noisy sums, shrunk toward what the other leaves say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from tacit.features.oblivious import LevelTest
from tacit.mechanisms import ReleasedValue
from tacit.models import ObliviousTree
from tacit.queries.leaf_sums import STEPS
from tacit.rules.boosted_trees import LEAF_DEVIATION
from tacit.rules.shared import SURE_DEVIATIONS

Floats = NDArray[np.float64]

MAX_STEP = 4.0
"""Of a leaf, in units of score, before the learning rate: the end of LogitBoost's range from 2 to 4 (Friedman, Hastie
and Tibshirani 2000), needed where hardly any noise is."""

OF_TESTS = np.geomspace(0.001, 1.0, 5)
"""Deviations, in units of score, of what tests add to steps; the released sums say which are likely. From next to
nothing to what no test adds: a wider grid changes nothing."""


@dataclass(frozen=True, eq=False)
class Slopes:
    """What leaves' gradients add to leaves' values: each leaf's to its own, and by way of what leaves share.

    Parameters
    ----------
    own : array of shape (n_scores, n_leaves)
    left : array of shape (n_scores, n_leaves, n_shared)
    right : array of shape (n_scores, n_shared, n_leaves)
        The matrix whose rows are values, and columns gradients, is diag(own) + left right.
    """

    own: Floats
    left: Floats
    right: Floats

    @classmethod
    def alone(cls, own: Floats) -> Slopes:
        """Return slopes of leaves that share nothing."""
        return cls(own, np.zeros((*own.shape, 0)), np.zeros((len(own), 0, own.shape[1])))

    def times(self, factor: float) -> Slopes:
        """Return these times a factor."""
        return Slopes(factor * self.own, factor * self.left, self.right)

    def of(self, sums: Floats) -> Floats:
        """Return what gradients add to weighted sums of values: (n_sums, n_leaves) to (n_scores, n_sums, n_leaves)."""
        return np.asarray(sums * self.own[:, None] + sums @ self.left @ self.right)


@dataclass(frozen=True, eq=False)
class LeafSteps:
    """One tree, and how the values of the leaves that rows can reach follow from released gradients.

    Parameters
    ----------
    tree : ObliviousTree
    reached : int array of shape (n_reached,)
        The leaves that rows can reach.
    slopes : Slopes
        How values of these leaves follow from their gradients.
    deviation : float
        Of the noise in each gradient.
    curvature : array of shape (n_scores, n_reached)
        What an error of a leaf's score surely adds to its gradient.
    """

    tree: ObliviousTree
    reached: NDArray[np.intp]
    slopes: Slopes
    deviation: float
    curvature: Floats

    @classmethod
    def of(
        cls,
        tests: Sequence[LevelTest],
        reached: NDArray[np.intp],
        gradients: ReleasedValue,
        curvatures: ReleasedValue,
        learning_rate: float,
    ) -> LeafSteps:
        """Return the tree of these tests that follows from its leaves' released gradients and curvatures.

        Examples
        --------
        >>> from tacit.features.literals import Literal
        >>> sums = (ReleasedValue(np.asarray([[x, 50.0]]) * STEPS) for x in (10, 100))
        >>> step = LeafSteps.of([Literal("a", 0, 0)], np.asarray([0, 1]), *sums, learning_rate=0.5)
        >>> [round(value / STEPS, 3) for value in step.tree.values[0]]
        [0.05, 0.5]
        """
        tests = tuple(tests)
        gradient = gradients.value[:, reached] / STEPS
        deviation, unsure = gradients.deviation / STEPS, curvatures.deviation / STEPS
        curvature = np.broadcast_to(curvatures.value / STEPS, gradients.value.shape)[:, reached]
        # A leaf has a curvature of its noise, and of one row, at least.
        certain = np.maximum(curvature, max(unsure, 1.0))
        steps, slopes = newton_steps(_design(reached, len(tests)), gradient, certain, deviation)
        values = np.zeros(gradients.value.shape, dtype=np.int64)
        values[:, reached] = np.rint(STEPS * learning_rate * np.clip(steps, -MAX_STEP, MAX_STEP))
        # Leaves that may have no rows correct nothing.
        least = np.maximum(curvature - SURE_DEVIATIONS * unsure, 0.0)
        grown = ObliviousTree(tests, tuple(tuple(row.tolist()) for row in values))
        return cls(grown, reached, slopes.times(learning_rate), deviation, least)


def newton_steps(design: Floats, gradient: Floats, curvature: Floats, deviation: float) -> tuple[Floats, Slopes]:
    """Return a step for each leaf, shape (n_scores, n_leaves), and its derivatives by all leaves' gradients.

    Without noise, gradient over curvature. With noise, the posterior mean of the steps v under gradient = curvature v +
    noise: v is a sum of normal effects, one of each test and of all rows together, and one of each leaf alone. The
    deviation of tests is from a grid; each counts as likely as it makes the gradients of all scores, times the
    deviation, as if those were equally likely beforehand.

    Parameters
    ----------
    design : array of shape (n_leaves, n_effects)
        1 and -1: what a leaf shares with others.
    gradient, curvature : array of shape (n_scores, n_leaves)
    deviation : float
        Of the noise in each gradient.
    """
    n_effects = design.shape[1]
    if not deviation:
        return gradient / curvature, Slopes.alone(1 / curvature)
    clear, seen = curvature / deviation, gradient / deviation
    alone, shared = LEAF_DEVIATION**2, OF_TESTS**2 / n_effects
    # Axes: deviation of tests, score; then leaves or effects.
    spread = 1 + alone * clear**2
    effects = clear[..., None] * design
    weighed = effects / spread[..., None]
    precision = effects.swapaxes(1, 2) @ weighed + np.eye(n_effects) / shared[:, None, None, None]
    inverse = np.linalg.inv(precision)
    pull = np.einsum("kie,ki->ke", weighed, seen)
    fitted = np.einsum("bkef,kf->bke", inverse, pull)
    likely = _likely((fitted * pull).sum(axis=-1), precision)
    # Of each: design S A'/d + own (1 - A S A'/d), d being the spread, A the effects, S the inverse.
    own = alone * clear / spread
    outer = design - own[..., None] * effects
    each = np.einsum("kie,bke->bki", outer, fitted) + own * seen
    steps = np.einsum("b,bki->ki", likely, each)
    inner = np.einsum("b,bkef->kef", likely, inverse)
    # Gradients also say which deviation is likely, by what its steps leave of them: the steps' covariance over them.
    apart = np.sqrt(likely)[:, None] * (each - steps).swapaxes(0, 1)
    left = [outer @ inner, apart.swapaxes(1, 2)]
    right = [weighed.swapaxes(1, 2), apart * clear[:, None, :]]
    slopes = Slopes(own, np.concatenate(left, axis=2), np.concatenate(right, axis=1))
    return steps, slopes.times(1 / deviation)


def _likely(closeness: Floats, precision: Floats) -> Floats:
    """Return how likely each deviation of tests is, from how close gradients are to it."""
    volume = np.linalg.slogdet(precision)[1] + 2 * precision.shape[-1] * np.log(OF_TESTS)[:, None]
    # Deviations are as likely as they are far apart before anything is seen: even on their own scale.
    return np.asarray(softmax((closeness - volume).sum(axis=-1) / 2 + np.log(OF_TESTS)))


def _design(leaves: NDArray[np.intp], depth: int) -> Floats:
    """Return 1, and for each test 1 where it holds, else -1: shape (n_leaves, 1 + depth)."""
    holds = leaves[:, None] >> np.arange(depth) & 1
    return np.column_stack([np.ones(len(leaves)), 2.0 * holds - 1])
