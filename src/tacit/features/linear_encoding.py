"""Features for linear forms, from the schema alone: each number in [-1, 1], categories ordinal or one-hot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features.encoding import Encoding
from tacit.features.number_scale import rank_of, scaled
from tacit.privacy.parameters import Number
from tacit.schema import Categorical, Column, Numeric
from tacit.table.rows import Rows

Lookup = Callable[[NDArray[Any]], NDArray[np.float64]]
"""From a column as rows hold it, shape (n_rows,), to what it adds to a linear form."""

CategoricalEncoding = Literal["ordinal", "one-hot"]

GRID = 2.0**-20
"""Features are multiples of this step, so that float32 holds them exactly, and products with coefficients on
the same grid sum exactly in float64, in any order: a prediction is the same on every machine."""

GRID_STEPS = round(1 / GRID)
"""Steps of that grid in one unit: sums of features are kept in steps, as integers, and so are exact before noise."""

MAX_FEATURES = 20_000
"""In an encoding: a block of 65,536 rows of as many takes 10 GB."""

CLIP = Number(0.001, 1, "1 clips nothing within the bounds.")
"""Less would leave a handful of steps of the grid between center and clip of a column with long bounds."""


@dataclass(frozen=True)
class LinearEncoding(Encoding):
    """Features of the named columns, in order; a function of the schema and of one row at a time.

    A number x of a column with bounds and public center becomes z = (t(x) - t(center)) / (clip * reach), cut to
    [-1, 1], reach being the larger of t(high) - t(center) and t(center) - t(low); t is the identity or, for
    ``scale="log"``, the symmetric logarithm.
    """

    categorical: CategoricalEncoding = "ordinal"
    """A category's position in the schema's list, scaled to [-1, 1] around the public center or else the middle of the
    list; or one 0/1 feature for each category."""
    clip: float = 1.0
    """In (0, 1]. Numbers farther than this share of the reach from their center count as this far, and the features of
    the rest are that much larger; categories are not clipped."""
    ranked: bool = False
    """Whether numbers of columns with cut points count by their approximate ranks between these, and not by z."""

    def __post_init__(self) -> None:
        if self.categorical not in get_args(CategoricalEncoding):
            raise ParameterError(
                f"Expected encoding 'ordinal' or 'one-hot', got encoding={self.categorical!r}. Choose one of the two."
            )
        CLIP.check("clip", self.clip)
        check_features(self.n_features)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features: the column's, or ``column=category``."""
        return tuple(name for column in self._columns for name in self._names(column))

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of features of each column."""
        return tuple(map(self._width, self._columns))

    @cached_property
    def n_features(self) -> int:
        """Number of features."""
        return sum(self.widths)

    def positions(self, columns: tuple[str, ...]) -> NDArray[np.intp]:
        """Return which features come from the given columns."""
        spans = sorted(self._spans[name] for name in set(columns) & self._spans.keys())
        return np.concatenate([np.arange(*span, dtype=np.intp) for span in [(0, 0), *spans]])

    @cached_property
    def _spans(self) -> dict[str, tuple[int, int]]:
        """First and one after the last feature of each column."""
        ends = accumulate(map(self._width, self._columns), initial=0)
        return dict(zip(self.columns, pairwise(ends), strict=True))

    def transform(self, rows: Rows) -> NDArray[np.float64]:
        """Return the features, shape (n_rows, n_features), each in [-1, 1] and a multiple of ``GRID``."""
        features = np.zeros((rows.n_rows, self.n_features))
        position = 0
        for column in self._columns:
            width = self._width(column)
            self._fill(features[:, position : position + width], column, rows.columns[column.name])
            position += width
        return features

    def lookups(self, weights: NDArray[np.float64]) -> list[tuple[str, Lookup]]:
        """Return functions of columns whose sum is ``transform(rows) @ weights``, without the features."""
        return [(column.name, self._lookup(column, weights)) for column in self._columns]

    def _lookup(self, column: Column, weights: NDArray[np.float64]) -> Lookup:
        own = weights[slice(*self._spans[column.name])]
        if isinstance(column, Categorical):
            ordinal = self.categorical == "ordinal"
            return code_lookup(_on_grid(_ordinal(np.arange(column.n_codes), column)) * own if ordinal else own)
        return lambda values: self._of_numbers(values, column) * own[0]

    def extent(self, weights: NDArray[np.float64]) -> tuple[float, float]:
        """Return bounds of weights . features over every row that the schema admits."""
        low = high = 0.0
        position = 0
        for column in self._columns:
            width = self._width(column)
            reached = self._reach(column, weights[position : position + width])
            low, high, position = low + min(reached), high + max(reached), position + width
        return low, high

    def _width(self, column: Column) -> int:
        return 1 if isinstance(column, Numeric) or self.categorical == "ordinal" else column.n_codes

    def _names(self, column: Column) -> tuple[str, ...]:
        if isinstance(column, Numeric) or self.categorical == "ordinal":
            return (column.name,)
        return column.feature_names

    def _fill(self, features: NDArray[np.float64], column: Column, values: NDArray[Any]) -> None:
        if isinstance(column, Numeric):
            features[:, 0] = self._of_numbers(values, column)
        elif self.categorical == "ordinal":
            features[:, 0] = _on_grid(_ordinal(values, column))
        else:
            seen = np.flatnonzero(values >= 0)
            features[seen, values[seen]] = 1.0

    def _of_numbers(self, values: NDArray[np.float64], column: Numeric) -> NDArray[np.float64]:
        return _on_grid(rank_of(values, column) if self.is_ranked(column) else scaled(values, column) / self.clip)

    def is_ranked(self, column: Numeric) -> bool:
        """Return whether the column's numbers count by their ranks."""
        return self.ranked and bool(column.cut_points)

    def _reach(self, column: Column, weights: NDArray[np.float64]) -> tuple[float, ...]:
        if isinstance(column, Numeric):
            return tuple(self._of_numbers(np.asarray([column.lower, column.upper]), column) * weights[0])
        if self.categorical == "ordinal":
            return (0.0, *_on_grid(_ordinal(np.asarray([0, column.n_codes - 1]), column)) * weights[0])
        return (0.0, *weights)


def code_lookup(table: NDArray[np.float64]) -> Lookup:
    """Return a function from codes to what a table has for them; the code -1, of unlisted categories, has 0."""
    table = np.append(table, 0.0)
    return lambda codes: table.take(codes, mode="wrap")


def check_features(n_features: int) -> None:
    """Raise ParameterError if so many features of one block of rows would not fit in memory."""
    if n_features > MAX_FEATURES:
        raise ParameterError(
            f"Expected at most {MAX_FEATURES:,} features, got {n_features:,} after encoding. Gather rare categories "
            "under `other`, or choose encoding='ordinal'."
        )


def _ordinal(codes: NDArray[Any], column: Categorical) -> NDArray[np.float64]:
    reach = max(column.n_codes - 1 - column.middle, column.middle)
    return np.where(codes < 0, 0.0, (codes - column.middle) / reach if reach else 0.0)


def _on_grid(features: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.clip(np.rint(features / GRID) * GRID, -1.0, 1.0))
