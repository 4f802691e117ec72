"""Rows of a ``RankedEncoding`` in two bytes a number and one a category, and sums over them by look-up and counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.table.columns import Array

FEATURE_STEPS = 2**14
"""Steps of the grid of features in one unit: fine beside any noise, coarse enough for exact sums of products."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class CodedFeatures:
    """Features of one categorical column: in each row one is its own, the others are the same."""

    start: int
    """Position of the first."""
    n_codes: int
    """The code of a row without features is the one after all."""
    shade: int
    """Which of the pairs of numbers a row has for these features; columns as wide and as long share them."""

    @property
    def places(self) -> slice:
        """Positions of the features."""
        return slice(self.start, self.start + self.n_codes)


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Some rows: numbers in steps, categories as codes, and the two numbers that a row's categories have.

    Sums are exact in any order, as of the features written out.

    Parameters
    ----------
    places : array of shape (n_numbers,)
        Positions of the features that are kept one by one.
    coded : sequence of CodedFeatures
    steps : int16 array of shape (n_rows, n_numbers)
    codes : array of shape (n_rows, n_coded)
    others : int16 array of shape (n_rows, n_shades)
        In steps, what each of a column's features is but the row's own.
    leads : int16 array of shape (n_rows, n_shades)
        How much more its own is.
    """

    places: NDArray[np.intp]
    coded: Sequence[CodedFeatures]
    steps: NDArray[np.int16]
    codes: NDArray[Any]
    others: NDArray[np.int16]
    leads: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, rows: slice) -> RankedRows:
        """Return some rows, as views."""
        return self._of(lambda array: array[rows])

    def kept(self, keep: Callable[[Array], Array]) -> RankedRows:
        """Return the same rows, their arrays being kept by this function."""
        return self._of(keep)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.places) + sum(each.n_codes for each in self.coded)

    def features(self) -> Numbers:
        """Return the features in steps, written out, shape (n_rows, n_features)."""
        found = np.zeros((len(self), self.n_features))
        found[:, self.places] = self.steps
        for column, codes in zip(self.coded, self.codes.T, strict=True):
            seen = np.flatnonzero(codes < column.n_codes)
            found[seen, column.places] = self.others[seen, column.shade, None]
            found[seen, column.start + codes[seen]] += self.leads[seen, column.shade]
        return found

    def margins(self, weights: Numbers) -> Numbers:
        """Return features times weights, both in their units, shape (n_rows, n_outputs).

        Parameters
        ----------
        weights : array of shape (n_features, n_outputs)
        """
        found = self.steps.astype(np.float64) @ weights[self.places]
        for shade in range(self.others.shape[1]):
            own, all_others = np.zeros_like(found), np.zeros(weights.shape[1])
            unseen = np.zeros((0, 0))
            for column, codes in self._of_shade(shade):
                of_codes = np.concatenate([weights[column.places], np.zeros((1, weights.shape[1]))])
                own += of_codes.take(codes, axis=0, mode="clip")
                total = of_codes.sum(axis=0)
                all_others += total
                none = np.flatnonzero(codes == column.n_codes)
                if len(none):
                    unseen = unseen if unseen.size else np.zeros_like(found)
                    unseen[none] += total
            own *= self.leads[:, shade, None]
            found += own
            found += self.others[:, shade, None] * (all_others - unseen if unseen.size else all_others)
        found /= FEATURE_STEPS
        return found

    def sums(self, factors: Numbers) -> Numbers:
        """Return sums over rows of features, in steps, times whole factors, shape (n_features, n_outputs).

        Parameters
        ----------
        factors : array of shape (n_outputs, n_rows)
        """
        found = np.empty((self.n_features, len(factors)))
        found[self.places] = (factors @ self.steps.astype(np.float64)).T
        for shade in range(self.others.shape[1]):
            own, others = factors * self.leads[:, shade], factors * self.others[:, shade]
            totals = others.sum(axis=1)
            for column, codes in self._of_shade(shade):
                places, size = codes.astype(np.intp), column.n_codes + 1
                none = np.flatnonzero(places == column.n_codes)
                rest = totals - others[:, none].sum(axis=1) if len(none) else totals
                for output, factor in enumerate(own):
                    counted = np.bincount(places, weights=factor, minlength=size)[: column.n_codes]
                    found[column.places, output] = counted + rest[output]
        return found

    def _of_shade(self, shade: int) -> list[tuple[CodedFeatures, NDArray[Any]]]:
        return [(each, codes) for each, codes in zip(self.coded, self.codes.T, strict=True) if each.shade == shade]

    def _of(self, change: Callable[[Array], Array]) -> RankedRows:
        arrays = map(change, (self.steps, self.codes, self.others, self.leads))
        return RankedRows(self.places, self.coded, *arrays)
