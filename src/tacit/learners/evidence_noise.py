"""How noisy the evidence of naive Bayes is, by column and cell; from released values, at no privacy cost."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tacit.features import LinearEncoding
from tacit.learners.class_distributions import BinDistribution, NormalDistribution
from tacit.models import NaiveBayesModel
from tacit.models.cells import ColumnCells, cells_of
from tacit.models.noise import ColumnNoise, Noise, even_shares, independent
from tacit.schema import Categorical, Schema

Floats = NDArray[np.float64]


def evidence_noise(
    model: NaiveBayesModel,
    distributions: Mapping[str, BinDistribution | NormalDistribution],
    sizes: Floats,
    schema: Schema,
) -> Noise:
    """Return the noise of a model's columns.

    Shares are of all rows, from released counts. Of bins the posterior's deviation, of normal distributions what noise
    on their sums moves them to first order; the slope's own noise, which all columns share, is left out.

    Parameters
    ----------
    sizes : array of shape (n_classes,)
        Rows of each class, as far as released.
    """
    numbers = model.encodings(schema)[1]
    normal = {each.column.name: each for each in cells_of(numbers)}
    found = []
    for name, distribution in distributions.items():
        if isinstance(distribution, BinDistribution):
            column = schema.column(name)
            # Without the last code where that is the one of unlisted categories.
            kept = slice(column.n_codes if isinstance(column, Categorical) else None)
            shares, variances = (
                distribution.probabilities[kept] @ (sizes / sizes.sum()),
                distribution.deviations[kept].T ** 2,
            )
            released = True
        else:
            variances, released = _normal_variances(distribution, normal[name], sizes, numbers), False
            shares = even_shares(variances.shape[1])
        found.append(
            ColumnNoise.of(name, shares, independent(model.slope**2 * _contrast(variances)), released=released)
        )
    return tuple(found)


def _contrast(variances: Floats) -> Floats:
    """Return variances of the second class less the first, or of each of more less the mean, from (n_classes, n)."""
    n_classes = len(variances)
    if n_classes == 2:
        return np.asarray(variances.sum(axis=0, keepdims=True))
    weights = (np.eye(n_classes) - 1 / n_classes) ** 2
    return np.asarray(weights @ variances)


def _normal_variances(
    distribution: NormalDistribution, cells: ColumnCells, sizes: Floats, numbers: LinearEncoding
) -> Floats:
    """Return variances of the log density in each cell, (n_classes, n_cells)."""
    places = numbers.alone(cells.column.name).transform(cells.rows)[:, 0]
    mean, variance = distribution.means[:, None], distribution.variances[:, None]
    by_mean, by_variance = (places - mean) / variance, ((places - mean) ** 2 / variance - 1) / (2 * variance)
    # The variance is the mean square less the squared mean, and each of the two sums has noise of its own.
    first, second = by_mean - 2 * mean * by_variance, by_variance
    return np.asarray((first**2 + second**2) * (distribution.noise / np.maximum(sizes, 1.0)[:, None]) ** 2)
