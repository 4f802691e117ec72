"""Persons of a table that does not fit into memory: their rows are brought together in partitions on disk."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.table.persons import Members
from tacit.table.storage import Storage

_PARTITIONS = 128
"""A partition is read into memory as a whole: of a hundred million rows, less than a million."""

_ROWS_TOGETHER = 2**19
"""Rows that are divided at once; fewer would make many small arrays."""

Part = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]
"""Texts one after the other in UTF-8, the bytes of each, and the rows that they are of."""


class Partitions:
    """Identifiers of rows, divided by a hash, so that all rows of a person are in one partition.

    Parameters
    ----------
    storage : Storage
        Keeps them.

    Notes
    -----
    ``members`` are those that ``Members.of`` gives for all identifiers together: the hash only decides where a person
    is looked for, and names that share a hash stay different persons.
    """

    def __init__(self, storage: Storage):
        self._storage = storage
        self._parts: list[list[Part]] = [[] for _ in range(_PARTITIONS)]
        self._waiting: list[str] = []
        self._n_rows = 0

    def add(self, identifiers: list[str]) -> None:
        """Add the identifiers of the next rows."""
        self._waiting += identifiers
        if len(self._waiting) >= _ROWS_TOGETHER:
            self._divide()

    def members(self) -> Members:
        """Return whose rows all of them are."""
        self._divide()
        if not self._n_rows:
            return Members.of([])
        rank, count, first = (self._storage.joined(_zeros(self._n_rows)) for _ in range(3))
        key = self._storage.joined(_zeros(self._n_rows)).view(np.uint64)
        for parts in filter(None, self._parts):
            rows = np.concatenate([rows for _, _, rows in parts])
            own = Members.of([name for part in parts for name in _names(part)])
            rank[rows], count[rows], key[rows] = own.rank, own.count, own.key
            # Rows ascend within a partition, and persons are numbered by their first rows.
            _, first_rows = np.unique(own.person, return_index=True)
            first[rows] = rows[first_rows][own.person]
        return Members(self._storage.joined(self._numbered(first)), rank, count, key)

    def _divide(self) -> None:
        names, self._waiting = pl.Series("names", self._waiting, dtype=pl.String), []
        partition = (names.hash() % _PARTITIONS).to_numpy()
        order = np.argsort(partition, kind="stable")
        ends = np.cumsum(np.bincount(partition, minlength=_PARTITIONS))[:-1]
        for parts, rows in zip(self._parts, np.split(order, ends), strict=True):
            if len(rows):
                own = names.gather(rows)
                text = np.frombuffer("".join(own.to_list()).encode("utf-8"), dtype=np.uint8)
                kept = (text, own.str.len_bytes().to_numpy().astype(np.int64), rows + self._n_rows)
                parts.append((self._storage.kept(kept[0]), self._storage.kept(kept[1]), self._storage.kept(kept[2])))
        self._n_rows += len(names)

    def _numbered(self, first: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Yield the numbers of persons in the order in which they first appear, given each row's person's first row."""
        is_first = (
            first[start : start + _ROWS_TOGETHER] == np.arange(start, min(start + _ROWS_TOGETHER, self._n_rows))
            for start in range(0, self._n_rows, _ROWS_TOGETHER)
        )
        numbers = self._storage.joined(_running_totals(is_first))
        for start in range(0, self._n_rows, _ROWS_TOGETHER):
            yield numbers[first[start : start + _ROWS_TOGETHER]] - 1


def _zeros(n_rows: int) -> Iterator[NDArray[np.int64]]:
    for start in range(0, n_rows, _ROWS_TOGETHER):
        yield np.zeros(min(_ROWS_TOGETHER, n_rows - start), dtype=np.int64)


def _running_totals(parts: Iterator[NDArray[np.bool_]]) -> Iterator[NDArray[np.int64]]:
    before = 0
    for part in parts:
        totals = np.cumsum(part, dtype=np.int64)
        totals += before
        before = int(totals[-1])
        yield totals


def _names(part: Part) -> Iterator[str]:
    text, lengths, _ = part
    content, start = text.tobytes(), 0
    for length in lengths.tolist():
        yield content[start : start + length].decode("utf-8")
        start += length
