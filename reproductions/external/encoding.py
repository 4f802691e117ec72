"""What external learners are trained on: arrays that follow from the public schema and one row at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.features.bin_encoding import long_tailed
from tacit.features.feature_encoding import FeatureEncoding, named_encoding
from tacit.features.number_scale import stretch
from tacit.schema import Categorical, Column, Numeric, Schema
from tacit.table import Rows

PeerEncoding = Literal["linear", "ordinal", "codes"]


@dataclass(frozen=True, eq=False)
class PeerArrays:
    """Rows as an external learner gets them.

    Attributes
    ----------
    train, test : array of shape (n_rows, n_features)
    low, high : tuple of float
        Bounds of each feature, from the schema.
    categories : tuple of int
        Of each feature: how many categories it has, or 0 if it is a number.
    norm : float
        The largest Euclidean norm of a row that the schema admits, or a bound of it.
    """

    train: NDArray[np.floating[Any]]
    test: NDArray[np.floating[Any]]
    low: tuple[float, ...]
    high: tuple[float, ...]
    categories: tuple[int, ...]
    norm: float


def external_arrays(schema: Schema, train: Rows, test: Rows, encoding: str, parts: int = 8) -> PeerArrays:
    """Return the rows encoded.

    Parameters
    ----------
    schema : Schema
    train, test : Rows
    encoding : {"one-hot", "binned", "ordinal", "codes"}
        Numbers in [-1, 1] and categories one-hot; both one-hot, numbers by the bins of a public grid, which is what
        our own linear learners see; numbers and positions of categories in [-1, 1]; or numbers in their own
        units and positions as they are. Numbers with a long tail are on a logarithmic scale throughout.
    parts : int
        Bins of a number, for ``"binned"``.

    Notes
    -----
    Privacy: bounds, norms and categories are read off the schema, never off rows.
    """
    known = replace(schema, columns=tuple(map(long_tailed, schema.columns)))
    if encoding == "codes":
        return _codes(known, train, test)
    if encoding not in ("one-hot", "binned", "ordinal"):
        raise ParameterError(f"Expected encoding 'one-hot' or 'binned', got encoding={encoding!r}. Choose one.")
    features: FeatureEncoding = (
        LinearEncoding(known, known.names)
        if encoding == "ordinal"
        else named_encoding(known, known.names, "binned" if encoding == "binned" else "one-hot", parts)
    )
    units = np.eye(features.n_features)
    low, high = zip(*(features.extent(unit) for unit in units), strict=True)
    encoded = [features.transform(rows).astype(np.float32) for rows in (train, test)]
    # A number adds at most 1 to the squared norm, and so do all features of a category or of a number's bins.
    return PeerArrays(encoded[0], encoded[1], low, high, (0,) * len(low), sqrt(len(known.names)))


def _codes(schema: Schema, train: Rows, test: Rows) -> PeerArrays:
    bounds = [_bounds(column) for column in schema.columns]
    low, high = zip(*bounds, strict=True)
    categories = tuple(column.n_codes if isinstance(column, Categorical) else 0 for column in schema.columns)
    norm = sqrt(sum(max(ends[0] ** 2, ends[1] ** 2) for ends in bounds))
    return PeerArrays(_plain(schema, train), _plain(schema, test), low, high, categories, norm)


def _bounds(column: Column) -> tuple[float, float]:
    if isinstance(column, Numeric):
        low, high = stretch([column.lower, column.upper], column).tolist()
        return low, high
    return 0.0, float(column.n_codes - 1)


def _plain(schema: Schema, rows: Rows) -> NDArray[np.float64]:
    return np.column_stack([_values(column, rows.columns[column.name]) for column in schema.columns])


def _values(column: Column, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers on the column's scale, or codes; a category outside the list counts as the middle one."""
    if isinstance(column, Numeric):
        return stretch(values, column)
    return np.where(values < 0, round(column.middle), values).astype(np.float64)
