"""Coefficients of a linear form with the covariance of their noise, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding
from tacit.features.feature_encoding import FeatureEncoding
from tacit.learners.linear.shrinkage import OutputNoise
from tacit.models import RankedModel
from tacit.models.attribution import RankedAttribution
from tacit.models.cells import Distribution, cells_of
from tacit.models.noise import MAX_KNOWN, ColumnNoise, Noise, even_shares
from tacit.schema import Schema

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Coefficients:
    """What a linear method learned.

    Parameters
    ----------
    weights : array of shape (design.n_features,)
        The intercept last if the design has one.
    covariances : sequence of arrays of shape (width, width)
        Of the noise in each column's coefficients, from released values and the noise's distribution; empty if not
        known.
    shares : sequence of arrays of shape (width,)
        Of the rows in each bin of each column, from released counts; empty if none were released.
    """

    weights: Floats
    covariances: Sequence[Floats] = field(default=())
    shares: Sequence[Floats] = field(default=())

    def noise(self, encoding: FeatureEncoding) -> Noise:
        """Return the noise of what the columns of the encoding add to the score."""
        cells = cells_of(encoding)
        shares = self.shares or [even_shares(each.n_cells) for each in cells]
        found = []
        for each, own, covariance in zip(cells, shares, self.covariances, strict=False):
            features = encoding.alone(each.column.name).transform(each.rows)
            spread = features @ covariance @ features.T
            found.append(ColumnNoise.of(each.column.name, own, [spread], released=bool(self.shares)))
        return tuple(found)


def exact_noise(encoding: FeatureEncoding) -> Noise:
    """Return no noise at all, for coefficients of public cells, whose bins are taken to be alike."""
    covariances = [np.zeros((width, width)) for width in encoding.widths]
    return Coefficients(np.zeros(0), covariances).noise(encoding)


def in_blocks(variances: Floats, widths: Sequence[int]) -> Iterator[Floats]:
    """Yield each column's covariances, from variances of independent coefficients, shape (n_features,)."""
    start = 0
    for width in widths:
        yield np.diag(variances[start : start + width])
        start += width


def averaged_noise(curvature: NDArray[Any], inverse: NDArray[Any], steps: int, step_size: float) -> Floats:
    """Return the covariance that independent noise of variance one in each gradient leaves in the averaged steps.

    To first order: a step takes the gradient's noise, and from then on each step shrinks what is there by the
    curvature. The averaged steps are the later half.

    Parameters
    ----------
    curvature : array of shape (n, n)
        What released counts say of the Hessian, columns being independent.
    inverse : array of shape (n, n)
        What a gradient is multiplied by in a step, beside the step size.
    """
    step = step_size * inverse
    kept = np.eye(len(step)) - step @ curvature
    later, covariance = np.zeros_like(step), np.zeros_like(step)
    for at in reversed(range(steps)):
        # How much of the noise of this step the sum of the later half holds.
        later = later @ kept + (np.eye(len(step)) if at >= steps // 2 else 0.0)
        covariance += later @ step @ (later @ step).T
    return np.asarray(covariance / (steps - steps // 2) ** 2)


def ranked_noise(model: RankedModel, noise: OutputNoise, schema: Schema) -> Noise:
    """Return the noise of what columns add to each score of a form of ranks.

    Where there are several outputs, effects are less their mean: noise of each output is independent of the others'.
    """
    how = RankedAttribution(model, schema)
    distribution, n_scores = Distribution.of(how.cells), len(model.weights)
    kept, found = np.eye(n_scores) - (1 / n_scores if n_scores > 1 else 0.0), []
    factor = how.factor(distribution)  # of all columns: once, as there may be thousands
    for name, at in how.positions():
        features = factor * how.features(name, distribution.cells[name].rows)
        variances = kept**2 @ noise.variances(features - distribution.shares[name] @ features, at)
        found.append(ColumnNoise.centered(name, distribution.shares[name], variances, released=False))
    exact = [each for each in how.cells if each.column.name not in model.columns]
    nothing = [
        ColumnNoise.of(
            each.column.name, even_shares(each.n_cells), [np.zeros((each.n_cells,) * 2)] * n_scores, released=False
        )
        for each in exact
    ]
    return (*found, *nothing)


def ranked_effects(model: RankedModel, noise: OutputNoise, encoding: BinEncoding) -> dict[str, Floats]:
    """Return by column the covariance of the noise in what its bins add to each score, (n_scores, n_bins, n_bins).

    ``encoding`` has the bins. Columns of too many of them are left out.
    """
    distribution = Distribution.of(cells_of(encoding))
    how, found = RankedAttribution(model, encoding.schema), dict[str, Floats]()
    factor = how.factor(distribution)
    for name, at in how.positions():
        if distribution.cells[name].n_cells <= MAX_KNOWN:
            features = factor * how.features(name, distribution.cells[name].rows)
            found[name] = noise.covariances(features - distribution.shares[name] @ features, at)
    return found
