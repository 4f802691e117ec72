"""Columns of rows in the types that they came in, or in shorter ones, widened when they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_HEAD = 64
"""Numbers that are looked at first: most columns of doubles show at once that they are no floats."""

_CACHE = 2**18
"""Bytes of rows that are turned into columns together."""

_NEAR = 1_024
"""Whole numbers so near each other are numbered without looking which of them occur."""


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

    def __getitem__(self, name: str) -> Array:
        return self.held[name].astype(self._kinds[name], copy=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


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


def near_integers(array: NDArray[np.integer[Any]]) -> tuple[list[Any], NDArray[np.intp]] | None:
    """Return all whole numbers from the least to the largest, and each row's place among them; None if too many."""
    low, high = (int(array.min()), int(array.max())) if len(array) else (0, _NEAR)
    if high - low >= _NEAR:
        return None
    # Differences wrap around to themselves in the unsigned type of as many bytes.
    offsets = (array - array.dtype.type(low)).view(f"u{array.dtype.itemsize}")
    return list(range(low, high + 1)), offsets.astype(np.intp)
