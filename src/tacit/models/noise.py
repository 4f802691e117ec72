"""How noisy what a model says of each column is, as a model file keeps it: shares of rows, and standard deviations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError

_DIGITS = 4
"""That count: more would say nothing, and make files larger."""

MAX_DEVIATION = 1e300
"""In units of score: squares of quotients by it stay finite."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ColumnNoise:
    """How sure a column's effects are.

    Parameters
    ----------
    column : str
    shares : tuple of float
        Of the rows, in each cell of the column (a bin, a category), of sum 1: by released counts, or by public
        distribution.
    deviations : tuple of tuple of float
        For each score, the standard deviation of the noise in each cell's effect, which is centered by the shares.
    released : bool
        Whether the shares follow from released counts; else every cell is taken to be as frequent as any other.

    Notes
    -----
    Privacy: computed from released values and the distributions of their noise alone.

    Examples
    --------
    >>> ColumnNoise("smoker", (0.75, 0.25), ((0.1, 0.3),), released=True).shares
    (0.75, 0.25)
    """

    column: str
    shares: tuple[float, ...]
    deviations: tuple[tuple[float, ...], ...]
    released: bool

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    @classmethod
    def of(cls, column: str, shares: Floats, covariances: Sequence[Floats], *, released: bool) -> ColumnNoise:
        """Return the noise of effects that are to be centered.

        Parameters
        ----------
        shares : array of shape (n_cells,)
            Scaled to sum 1.
        covariances : sequence of arrays of shape (n_cells, n_cells), or (n_cells,) for variances of independent ones
            Of the effects before they are centered, one for each score.
        """
        shares = even_shares(len(shares)) if not shares.sum() > 0 else shares / shares.sum()
        found = np.asarray([_centered(one, shares) for one in covariances])
        return cls.centered(column, shares, found, released=released)

    @classmethod
    def centered(cls, column: str, shares: Floats, variances: Floats, *, released: bool) -> ColumnNoise:
        """Return the noise of effects that are centered, from shares of sum 1 and variances (n_scores, n_cells)."""
        deviations = np.sqrt(np.maximum(variances, 0.0))
        return cls(column, _rounded(shares), tuple(map(_rounded, deviations)), released)

    def times(self, factor: float) -> ColumnNoise:
        """Return the noise of effects that are multiplied by a factor above zero.

        Examples
        --------
        >>> ColumnNoise("smoker", (0.75, 0.25), ((0.1, 0.3),), released=True).times(0.5).deviations
        ((0.05, 0.15),)
        """
        return replace(self, deviations=tuple(_rounded(factor * np.asarray(row)) for row in self.deviations))

    @staticmethod
    def check_names(noise: Noise, names: Collection[str]) -> None:
        """Raise ModelFileError unless each column is one of these, once."""
        own = [each.column for each in noise]
        if len(set(own)) != len(own) or not set(own) <= set(names):
            raise ModelFileError("Expected noise of the model's columns, each once. The file is damaged.")

    def check(self, n_cells: int, n_scores: int) -> None:
        """Raise ModelFileError unless there are so many cells and scores, with shares and deviations that can be."""
        sizes = {len(self.shares), *map(len, self.deviations)}
        fits = sizes == {n_cells} and len(self.deviations) == n_scores
        fits = fits and all(0 <= share <= 1 for share in self.shares) and abs(sum(self.shares) - 1) < 0.01
        if not fits or not all(0 <= each <= MAX_DEVIATION for row in self.deviations for each in row):
            raise ModelFileError("Expected shares and deviations of the columns' cells. The file is damaged.")


MAX_KNOWN = 512
"""Cells of a column whose effects depend on each other: their covariances take time and memory by the square."""

Noise = tuple[ColumnNoise, ...]
"""Of the columns of one scorer; those that it lacks say nothing, or nothing is known of their noise."""


def even_shares(n_cells: int) -> Floats:
    """Return the public distribution: each cell as frequent as any other, shape (n_cells,)."""
    return np.full(n_cells, 1 / n_cells)


def independent(variances: Floats) -> list[Floats]:
    """Return covariances of independent noise, from variances of shape (n_scores, n_cells)."""
    return list(variances)


def _centered(covariance: Floats, shares: Floats) -> Floats:
    """Return the variance of each effect less the mean of all by their shares, shape (n_cells,)."""
    if covariance.ndim == 1:
        return np.asarray(covariance * (1 - 2 * shares) + covariance @ shares**2)
    with_mean = covariance @ shares  # of each effect with the mean
    return np.asarray(np.diag(covariance) - 2 * with_mean + shares @ with_mean)


def _rounded(values: Floats) -> tuple[float, ...]:
    return tuple(float(f"{value:.{_DIGITS}g}") for value in values.tolist())
