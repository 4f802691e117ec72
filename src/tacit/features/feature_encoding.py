"""One-hot features of bins and categories, and the linear encodings by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features.bin_encoding import BinEncoding
from tacit.features.cut_grid import CutPoints, kind_of
from tacit.features.encoding import Cuts, Encoding
from tacit.features.linear_encoding import CategoricalEncoding, LinearEncoding, Lookup, code_lookup
from tacit.features.range_words import range_words
from tacit.schema import Categorical, Column, Numeric, Schema
from tacit.table.rows import Rows


@dataclass(frozen=True)
class OneHotEncoding(Encoding):
    """Features of the named columns, in order: exactly one of a column's features is 1, the others are 0.

    It offers what ``LinearEncoding`` does, and ``bins``, the same information in one byte a row and column.

    A category outside the schema's list, where none is declared for it, has no feature: its column is all zeros.
    """

    n_bins: int = 32
    """Number of equal parts of a number that names no cut points, on the scale that ``long_tailed`` gives it."""

    @cached_property
    def bins(self) -> BinEncoding:
        """The codes of the columns, whose order is that of the features."""
        return BinEncoding(self.schema, self.columns, self.n_bins, long_tails=True, released=self.released)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns of the codes."""
        return self.bins.by_name

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of features of each column."""
        # A category that the schema does not list has a code, but no feature.
        return tuple(
            n_bins if isinstance(column, Numeric) else column.n_codes
            for column, n_bins in zip(self._columns, self.bins.n_codes, strict=True)
        )

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features."""
        return tuple(name for position in range(len(self.columns)) for name in self._names(position))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return sum(self.widths)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Position of each column's first feature, and the number of features last."""
        return np.concatenate([[0], np.cumsum(self.widths, dtype=np.intp)]).astype(np.intp)

    def may_be_zero(self, position: int) -> bool:
        """Tell whether a row may have none of a column's features."""
        column = self._columns[position]
        return isinstance(column, Categorical) and not column.other

    def positions(self, columns: tuple[str, ...]) -> NDArray[np.intp]:
        """Return which features come from the given columns."""
        places = sorted(self._places[name] for name in set(columns) & self._places.keys())
        spans = [np.arange(self.starts[place], self.starts[place + 1], dtype=np.intp) for place in places]
        return np.concatenate([np.empty(0, dtype=np.intp), *spans])

    def transform(self, rows: Rows) -> NDArray[np.float64]:
        """Return the features, shape (n_rows, n_features)."""
        features = np.zeros((rows.n_rows, self.n_features))
        codes = self.bins.transform(rows)
        for position, (start, width) in enumerate(zip(self.starts, self.widths, strict=False)):
            seen = np.flatnonzero(codes[:, position] < width)
            features[seen, start + codes[seen, position]] = 1.0
        return features

    def lookups(self, weights: NDArray[np.float64]) -> list[tuple[str, Lookup]]:
        """Return functions of columns whose sum is ``transform(rows) @ weights``, without the features."""
        return [(column.name, self._lookup(position, weights)) for position, column in enumerate(self._columns)]

    def _lookup(self, position: int, weights: NDArray[np.float64]) -> Lookup:
        own = weights[self.starts[position] : self.starts[position + 1]]
        column, cuts = self._columns[position], self.bins.cuts[position]
        if not isinstance(column, Numeric):
            return code_lookup(own)
        of_kind = cache(lambda kind: CutPoints(cuts, kind).lookup(own, column.lower, column.upper))
        return lambda values: np.asarray(of_kind(kind_of(values))(values))

    def extent(self, weights: NDArray[np.float64]) -> tuple[float, float]:
        """Return bounds of weights . features over every row that the schema admits."""
        low = high = 0.0
        for position in range(len(self.columns)):
            ends = self.ends(position, weights)
            low, high = low + ends[0], high + ends[1]
        return low, high

    def ends(self, position: int, weights: NDArray[np.float64]) -> tuple[float, float]:
        """Return the least and the largest that a column can add to weights . features."""
        own = weights[self.starts[position] : self.starts[position + 1]]
        zero = [0.0] if self.may_be_zero(position) else []
        return min((float(own.min()), *zero)), max((float(own.max()), *zero))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.columns)}

    def _names(self, position: int) -> tuple[str, ...]:
        column = self._columns[position]
        if isinstance(column, Numeric):
            cuts = self.bins.cuts[position]
            if column.whole:
                return tuple(f"{column.name} {range_words(column, cuts, at, at)}" for at in range(len(cuts) + 1))
            between = (f"{column.name} above {low:g} to {high:g}" for low, high in pairwise(cuts))
            return (f"{column.name} at most {cuts[0]:g}", *between, f"{column.name} above {cuts[-1]:g}")
        return column.feature_names


EncodingName = Literal["binned", "ranked", "one-hot", "ordinal"]

FeatureEncoding = LinearEncoding | OneHotEncoding


def named_encoding(
    schema: Schema, columns: tuple[str, ...], name: EncodingName, n_bins: int = 8, released: Cuts = ()
) -> FeatureEncoding:
    """Return the encoding of the columns.

    Parameters
    ----------
    name : {"binned", "ranked", "one-hot", "ordinal"}
        Numbers and categories one-hot, numbers by the bins of a public grid; numbers in [-1, 1], by their ranks between
        cut points where they have any, and categories one-hot; the same by numbers' places within their bounds; or
        numbers' and categories' places in [-1, 1].
    n_bins : int
        Bins of a number without cut points, for ``"binned"``.
    released : Cuts
        Cut points that count in place of the schema's.
    """
    if name not in get_args(EncodingName):
        raise ParameterError(
            f"Expected encoding 'binned', 'ranked', 'one-hot' or 'ordinal', got encoding={name!r}. Choose one of them."
        )
    if name == "binned":
        return OneHotEncoding(schema, columns, n_bins, released=released)
    categorical: CategoricalEncoding = "ordinal" if name == "ordinal" else "one-hot"
    return LinearEncoding(schema, columns, categorical, ranked=name == "ranked", released=released)


def has_ranks(encoding: FeatureEncoding) -> bool:
    """Return whether some number is one feature, its rank between cut points."""
    numbers = [column for column in encoding.by_name.values() if isinstance(column, Numeric)]
    return isinstance(encoding, LinearEncoding) and any(map(encoding.is_ranked, numbers))
