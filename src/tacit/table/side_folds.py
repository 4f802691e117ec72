"""Answers about persons, brought together of answers about some of their rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray


@dataclass
class Fold:
    """Parts that are brought together whenever they have as many rows as what they are brought into.

    So each row is looked at a few times, and at most twice as many wait as there are in the end.

    Parameters
    ----------
    joined : callable
        Returns what parts are together; in whatever order and division, the same rows.
    """

    joined: Callable[[pl.DataFrame], pl.DataFrame]
    _parts: list[pl.DataFrame] = field(default_factory=list)

    def add(self, part: pl.DataFrame) -> None:
        """Take in one more part."""
        self._parts.append(part)
        if sum(each.height for each in self._parts[1:]) >= self._parts[0].height:
            self._parts = [self.whole()]

    @property
    def has_parts(self) -> bool:
        """Whether there is one."""
        return bool(self._parts)

    def whole(self) -> pl.DataFrame:
        """Return all parts together."""
        return self.joined(pl.concat(self._parts)) if len(self._parts) > 1 else self._parts[0]


class Pairs:
    """Which values each person has, of numbers: as many pairs wait as there are different ones."""

    def __init__(self) -> None:
        self._fold = Fold(lambda rows: rows.unique())

    def add(self, rows: pl.DataFrame) -> None:
        """Take in rows of a person and a value each."""
        self._fold.add(rows.unique())

    def counts(self, name: str) -> pl.DataFrame:
        """Return the number of different values of each person who has one."""
        return self._fold.whole().group_by("person").agg(pl.len().cast(pl.Int64).alias(name))


class Marks:
    """Which categories each person has, a byte each.

    Parameters
    ----------
    n_persons, n_codes : int
    """

    def __init__(self, n_persons: int, n_codes: int):
        self._marks: NDArray[np.bool_] = np.zeros((n_persons, n_codes), dtype=np.bool_)

    def add(self, rows: pl.DataFrame) -> None:
        """Take in rows of a person and a code each."""
        self._marks[rows["person"].to_numpy(), rows["value"].to_numpy()] = True

    def counts(self, name: str) -> pl.DataFrame:
        """Return the number of different categories of each person."""
        persons = np.arange(len(self._marks), dtype=np.uint32)
        return pl.DataFrame({"person": persons, name: self._marks.sum(axis=1).astype(np.int64)})
