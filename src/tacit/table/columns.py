"""Columns of rows in the types that they came in, or in shorter ones, and the different cells of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

Array = NDArray[Any]

_HEAD = 64
"""Numbers that are looked at first: most columns of doubles show at once that they are no floats."""

_CACHE = 2**18
"""Bytes of rows that are turned into columns together."""

_NEAR = 1_024
"""Whole numbers so near each other are numbered without looking which of them occur."""

_EXACT = 2.0**53
"""Below it, a float that is a whole number is one alone."""


class Columns(Mapping[str, Array]):
    """Columns by name, as encodings read them: reading fewer bytes takes less time than widening them.

    Parameters
    ----------
    held : mapping of arrays of shape (n_rows,)
        In any types that hold the same values.
    kinds : mapping of dtypes
        What each column is widened to.
    """

    def __init__(self, held: Mapping[str, Array], kinds: Mapping[str, np.dtype[Any]]):
        self.held, self._kinds = held, kinds

    @classmethod
    def of(cls, columns: Mapping[str, Array]) -> Columns:
        """Return columns that are held in the types they have, or the same ones."""
        if isinstance(columns, Columns):
            return columns
        return cls(columns, {name: values.dtype for name, values in columns.items()})

    @classmethod
    def joined(cls, parts: Sequence[Columns]) -> Columns:
        """Return the rows of several parts, one after the other."""
        first = parts[0]
        # Held in different types, whole numbers and floats become doubles: what each is widened to.
        return cls({name: np.concatenate([part.held[name] for part in parts]) for name in first}, first._kinds)

    def each(self, change: Callable[[Array], Array]) -> Columns:
        """Return what a function makes of each column as it is held."""
        return Columns({name: change(values) for name, values in self.held.items()}, self._kinds)

    def with_column(self, name: str, values: Array) -> Columns:
        """Return the columns with one more."""
        return Columns({**self.held, name: values}, {**self._kinds, name: values.dtype})

    def part(self, start: int, stop: int) -> Columns:
        """Return some rows as views, each column's made when it is asked for: most encodings read one of many."""
        return Columns(_Part(self.held, slice(start, stop)), self._kinds)

    def __getitem__(self, name: str) -> Array:
        return self.held[name].astype(self._kinds[name], copy=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


class _Part(Mapping[str, Array]):
    """Some rows of columns, as views."""

    def __init__(self, held: Mapping[str, Array], rows: slice):
        self._held, self._rows = held, rows

    def __getitem__(self, name: str) -> Array:
        return self._held[name][self._rows]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


def narrowed(values: Array) -> Array:
    """Return the same values in fewer bytes, if there is a type that holds all of them."""
    shorter = {"f": (np.float32,), "i": (np.int8, np.int16)}.get(values.dtype.kind, ())
    with np.errstate(over="ignore", invalid="ignore"):
        for kind in shorter:
            if np.dtype(kind).itemsize >= values.dtype.itemsize:
                break
            if np.array_equal(values[:_HEAD].astype(kind), values[:_HEAD]):
                short = values.astype(kind)
                if np.array_equal(short, values):
                    return short
    return values


def by_column(array: Array) -> Array:
    """Return the columns of an array, each together in memory, as one after the other is read."""
    if array.dtype.kind not in "biuf" or not array.flags.c_contiguous:
        return array.T
    columns = np.empty(array.shape[::-1], dtype=array.dtype)
    # As many rows as fit the second cache: of whole columns, each number would be fetched with its neighbors.
    step = max(16, _CACHE // max(1, array[:1].nbytes))
    for start in range(0, len(array), step):
        columns[:, start : start + step] = array[start : start + step].T
    return columns


def near_integers(array: NDArray[Any]) -> tuple[list[Any], NDArray[np.intp]] | None:
    """Return all whole numbers from the least to the largest, and each row's place among them; None if too many.

    Of an array of integers, or of floats that are whole numbers; those are returned as floats.
    """
    if array.dtype.kind not in "iuf" or not len(array):
        return None
    low, high = array.min().item(), array.max().item()
    if array.dtype.kind == "f":
        # False of NaN, which a column with one has for both ends; and of long doubles, which are no Python numbers.
        if not (type(low) is float and abs(low) < _EXACT and high - low < _NEAR):
            return None
        whole = array.astype(np.int64)
        if not np.array_equal(whole, array):
            return None
        return list(map(float, range(int(low), int(high) + 1))), whole - int(low)
    if high - low >= _NEAR:
        return None
    # Differences wrap around to themselves in the unsigned type of as many bytes.
    offsets = (array - array.dtype.type(low)).view(f"u{array.dtype.itemsize}")
    return list(range(low, high + 1)), offsets.astype(np.intp)


Distinct = tuple[list[Any], NDArray[np.integer[Any]]]
"""Cells of one type, missing ones as None, and for each row which one it has."""


def distinct(series: nw.Series[Any]) -> Distinct | None:
    """Return the cells that occur, or more of their type; None if the library has no way to find them."""
    return _of_pandas(series) if series.implementation.is_pandas_like() else _of_polars(series.to_native())


def _of_polars(series: Any) -> Distinct | None:
    if type(series).__module__.startswith("pyarrow."):
        series = pl.Series(series)
    if not isinstance(series, pl.Series):
        return None
    series = series.alias("cells")  # polars would take a name such as ^a$ for a pattern
    if isinstance(series.dtype, pl.Enum):
        # The last place is that of missing cells.
        listed = series.dtype.categories.to_list()
        return [*listed, None], series.to_physical().cast(pl.Int64).fill_null(len(listed)).to_numpy()
    if series.dtype == pl.Categorical:
        series = series.cast(pl.String)
    if series.dtype.is_numeric() and not series.null_count() and (near := near_integers(series.to_numpy())):
        return near
    if not (series.dtype in (pl.String, pl.Boolean) or series.dtype.is_integer()):
        return None
    values = series.unique()
    places = series.replace_strict(values, pl.int_range(len(values), eager=True), return_dtype=pl.Int64)
    return values.to_list(), places.to_numpy().astype(np.int64, copy=False)  # an empty column has another type


def _of_pandas(series: Any) -> Distinct | None:
    native = series.to_native()
    if isinstance(native.dtype, np.dtype):
        return near_integers(native.to_numpy())
    if getattr(native.dtype, "storage", None) == "pyarrow":  # text; kept as Python's, it may hold what Arrow refuses
        return _of_polars(series.to_arrow())
    listed = native.dtype.categories.tolist() if series.dtype == nw.Categorical else []
    if set(map(type, listed)) not in ({str}, {int}):
        return None
    codes = native.cat.codes.to_numpy().astype(np.int64)
    return [*listed, None], np.where(codes < 0, len(listed), codes)  # the last place is that of missing cells
