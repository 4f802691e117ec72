"""Naive Bayes' sums with the sensitivities of Lopuhaä-Zwakenberg and others (2021), section 3.1."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic
from tacit.queries.class_sums import ClassSums
from tacit.schema import Numeric
from tacit.table import Table


@dataclass(frozen=True)
class PublishedSums:
    """The paper's noisy answers.

    Attributes
    ----------
    classes : array of shape (n_classes,)
    counts : tuple of arrays of shape (n_classes, n_bins)
    means, deviations : arrays of shape (n_classes, n_summed)
    """

    classes: NDArray[np.float64]
    counts: tuple[NDArray[np.float64], ...]
    means: NDArray[np.float64]
    deviations: NDArray[np.float64]


class PublishedClassSums:
    """Counts, means and deviations by class, as the paper charges for them; not differentially private.

    Parameters
    ----------
    query : ClassSums
        Of all columns and the classes.
    table : Table

    Notes
    -----
    Wrong in two ways. A replaced row leaves one count and enters another, which moves every histogram by 2, not 1.
    And the noise on a mean, (high - low) / n_c, or on a deviation, (high - low) / sqrt(n_c), is scaled by the exact
    count of the class: the noise's size gives that count away, so no epsilon holds. The noise is added to
    n_c mean / (high - low) and sqrt(n_c) deviation / (high - low), of claimed sensitivity 1; ``read`` divides by
    the exact count.
    """

    def __init__(self, query: ClassSums, table: Table):
        self._query, self._table = query, table
        exact = query.read(query.statistic(table).unreleased_value)
        assert exact.classes is not None
        self._exact_sizes = np.maximum(exact.classes, 1.0)[:, None]
        means = exact.first / self._exact_sizes
        squares = exact.second / self._exact_sizes + query.offset
        deviations = np.sqrt(np.maximum(squares - means**2, 0.0)) * (exact.classes > 0)[:, None]
        self._scales = self._ranges() / self._exact_sizes, self._ranges() / np.sqrt(self._exact_sizes)
        parts = [exact.classes, *exact.counts, means / self._scales[0], deviations / self._scales[1]]
        self._value = np.concatenate([part.ravel() for part in parts])

    def statistic(self) -> NumericStatistic:
        """Return everything, scaled so that the paper takes each answer's sensitivity for 1."""
        claimed = 1.0 + len(self._query.counted) + 2 * len(self._query.summed)
        unit = self._table.unit
        return NumericStatistic("counts, means and deviations by class", unit, self._value, claimed, sqrt(claimed))

    def read(self, released: NDArray[np.float64]) -> PublishedSums:
        """Return the noisy answers, scaled back by the exact class counts, as the paper does."""
        sums = self._query.read(released * self._query.steps)
        assert sums.classes is not None
        means, deviations = (part * s for part, s in zip((sums.first, sums.second), self._scales, strict=True))
        return PublishedSums(sums.classes, sums.counts, means, deviations)

    def _ranges(self) -> NDArray[np.float64]:
        columns = [self._query.bins.schema.column(name) for name in self._query.summed]
        spans = [self._query.features.extent(row) for row in np.eye(len(self._query.features.columns))]
        by_name = dict(zip(self._query.features.columns, spans, strict=True))
        return np.asarray([by_name[c.name][1] - by_name[c.name][0] for c in columns if isinstance(c, Numeric)])
