"""What columns add to a form of ranks on average: its sum of curves, which clips no rows.

A clipped row keeps its direction, so that what a column adds depends on the row's other cells. Its mean over these, the
other columns being independent and ranks uniform, is a function of the column alone: the first-order part of the score
(Hoeffding 1948). Ranks saturate in it, as a large one makes its row longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from tacit.features.ranked_encoding import CURVE_POINTS, CURVE_RANKS, RankedEncoding, quadratic_of
from tacit.features.ranked_rows import FEATURE_STEPS
from tacit.models.linear import on_grid
from tacit.models.ranked import RankedModel
from tacit.rules.priors import CONSTANT
from tacit.schema import Numeric, Schema

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AdditiveRanks:
    """A form of ranks of one score as a sum of functions of one column each.

    Parameters
    ----------
    scorer : RankedModel
    encoding : RankedEncoding
    weights : array of shape (n_features,)
        Of what is no number, for rows that are not clipped.
    curves : mapping of str to array of shape (CURVE_POINTS,)
        What each number adds at ``CURVE_RANKS``.
    """

    scorer: RankedModel
    encoding: RankedEncoding
    weights: Floats
    curves: Mapping[str, Floats]

    def model(self, curves: Mapping[str, Floats]) -> RankedModel:
        """Return the scorer that clips no rows, with these curves of its numbers."""
        weights, curved = self.weights.copy(), []
        for name, start in zip(self.encoding.columns, self.encoding.starts, strict=False):
            if name in curves and (size := float(np.abs(curves[name]).max())):
                # The feature has a length of its own, and its curve lies on the features' grid.
                weights[start] = size / self.encoding.length_of(name)
                heights = np.rint(curves[name] / size * FEATURE_STEPS) / FEATURE_STEPS
                curved.append((name, tuple(heights.tolist())))
        rows = (tuple(on_grid(weights).tolist()),)
        return replace(self.scorer, weights=rows, radius=self.encoding.unclipped, curved=tuple(curved))


def additive(scorer: RankedModel, schema: Schema) -> AdditiveRanks:
    """Return the sum of curves that a form of ranks of one score is on average.

    Notes
    -----
    Privacy: a function of released values and public distributions alone.
    """
    encoding, given = scorer.encoding(schema), np.asarray(scorer.weights[0])
    numbers = {column.name for column in schema.columns if isinstance(column, Numeric)} & set(encoding.columns)
    squares = {name: _squares(encoding, name) for name in encoding.blocks}
    mean = _Lengths(squares, scorer.radius)
    weights, curves = mean.factor() * given, dict[str, Floats]()
    for name, start, stop in zip(encoding.columns, encoding.starts, encoding.starts[1:], strict=False):
        own = given[start:stop]
        if name in numbers:
            features = encoding.length_of(name) * _features(encoding, CURVE_RANKS)
            curves[name] = mean.factor(name, (features**2).sum(axis=1)) * (features @ own)
            weights[start:stop] = 0.0
        elif name in squares:
            weights[start:stop] = mean.factor(name, squares[name][:1]) * own
    return AdditiveRanks(scorer, encoding, weights, curves)


def curves_of(scorer: RankedModel, schema: Schema) -> AdditiveRanks:
    """Return the curves of a form of ranks that is additive already."""
    encoding, weights, heights = scorer.encoding(schema), np.asarray(scorer.weights[0]), dict(scorer.curved)
    curves = {
        name: weights[start] * encoding.length_of(name) * np.asarray(heights.get(name, CURVE_RANKS))
        for name, start in zip(encoding.columns, encoding.starts, strict=False)
        if isinstance(encoding.by_name[name], Numeric)
    }
    return AdditiveRanks(scorer, encoding, weights, curves)


def _features(encoding: RankedEncoding, ranks: Floats) -> Floats:
    return np.column_stack([ranks, quadratic_of(ranks**2)]) if encoding.quadratic else ranks[:, None]


def _squares(encoding: RankedEncoding, name: str) -> Floats:
    """Return squared lengths of a column's features over its cells, taken to be equally frequent."""
    column = encoding.by_name[name]
    if not isinstance(column, Numeric):
        return np.asarray([encoding.square_of(column)])
    middles = (np.arange(2 * CURVE_POINTS) + 0.5) / CURVE_POINTS - 1
    return np.asarray(encoding.length_of(name) ** 2 * (_features(encoding, middles) ** 2).sum(axis=1))


class _Lengths:
    """How much rows are clipped on average, by the squared lengths of their columns' features."""

    def __init__(self, squares: Mapping[str, Floats], radius: float):
        # 1 / sqrt(a) is the integral of exp(-t a) / sqrt(pi t), and of independent a the exponentials are multiplied.
        # By the trapezoidal rule on a grid of log t that is as good as exact.
        self._logs = np.arange(-24.0, 12.0, 0.25)
        self._times, self._radius = np.exp(self._logs), radius
        self._of = {
            name: logsumexp(-np.outer(self._times, own), axis=1, b=1 / len(own)) for name, own in squares.items()
        }
        self._all = sum(self._of.values(), -self._times * CONSTANT**2)

    def factor(self, name: str | None = None, squares: Floats | None = None) -> Floats:
        """Return the mean of radius over length, at most 1; given squared lengths of one column, for each of them."""
        others = self._all - self._of[name] if name is not None else self._all
        own = np.zeros(1) if squares is None else squares
        inside = np.exp(others[:, None] - np.outer(self._times, own) + self._logs[:, None] / 2)
        return np.asarray(np.minimum(1.0, self._radius * 0.25 / sqrt(pi) * inside.sum(axis=0)))
