"""Rows that lie in files and are mapped into memory: all processes read the same pages, none gets a copy of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.schema import Schema
from tacit.table import BinEncoding, LinearEncoding, OneHotEncoding, Rows

Where = slice | NDArray[np.intp]

_ENCODINGS = BinEncoding | LinearEncoding | OneHotEncoding


@dataclass(frozen=True, eq=False, repr=False)
class MappedRows(Rows):
    """Some rows of a table in a folder; consecutive ones are views of the mapped files, others copied when read.

    Encodings are made once, of the whole table, by whoever first needs them, and mapped as well.

    Parameters
    ----------
    columns : mapping
        Reads a column when asked for it.
    n_rows : int
    folder : Path
    where : slice or array of positions
    """

    folder: Path
    where: Where

    def slice(self, start: int, stop: int) -> MappedRows:
        """Return rows ``start`` to ``stop``."""
        stop = min(stop, self.n_rows)
        return self._at(_composed(self.where, slice(start, stop)), stop - start)

    def take(self, positions: NDArray[np.intp]) -> MappedRows:
        """Return the rows at these positions."""
        return self._at(_composed(self.where, positions), len(positions))

    def encoded(self, encoding: Any) -> NDArray[Any]:
        """Return what an encoding makes of the rows."""
        if not isinstance(encoding, _ENCODINGS):
            return super().encoded(encoding)
        path = self.folder / f"{_digest(encoding)}.npy"
        if not path.is_file():
            whole = self._at(slice(None), 0).columns
            made = Rows(whole, len(next(iter(whole.values())))).encoded(encoding)
            if not _written(made, path):
                return _taken(made, self.where)
        return _taken(_mapped(path), self.where)

    def _at(self, where: Where, n_rows: int) -> MappedRows:
        return MappedRows(_Columns(self.folder, tuple(self.columns), where), n_rows, self.folder, where)


class _Columns(Mapping[str, NDArray[Any]]):
    """Columns that are read from their files when they are asked for, and not kept."""

    def __init__(self, folder: Path, names: tuple[str, ...], where: Where):
        self._folder, self._names, self._where = folder, names, where

    def __getitem__(self, name: str) -> NDArray[Any]:
        return _taken(_mapped(self._folder / f"column-{self._names.index(name)}.npy"), self._where)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected columns to stay where they are, got a request to copy or pickle them.")


def write_rows(rows: Rows, folder: Path) -> None:
    """Write the columns into a folder, from which `mapped_rows` reads them.

    Raises
    ------
    OSError
        If there is no room.
    """
    for position, values in enumerate(rows.columns.values()):
        np.save(folder / f"column-{position}.npy", values, allow_pickle=False)


def mapped_rows(folder: Path, schema: Schema) -> MappedRows:
    """Return all rows of a folder, whose columns are the schema's."""
    columns = _Columns(folder, schema.names, slice(None))
    return MappedRows(columns, len(columns[schema.names[0]]), folder, slice(None))


def _composed(where: Where, then: Where) -> Where:
    """Return the positions in the table of positions among chosen rows; consecutive ones as a slice."""
    if isinstance(where, slice) and isinstance(then, slice):
        start = (where.start or 0) + then.start
        return slice(start, start + then.stop - then.start)
    if isinstance(where, slice):
        return _as_slice(np.asarray(then) + (where.start or 0))
    return _as_slice(where[then])


def _as_slice(positions: NDArray[np.intp]) -> Where:
    if len(positions) and (np.diff(positions) == 1).all():
        return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions


def _taken(values: NDArray[Any], where: Where) -> NDArray[Any]:
    """Return the rows, laid out in memory as before: counting reads column after column."""
    if isinstance(where, slice) or values.ndim == 1 or values.flags.c_contiguous:
        return values[where]
    return np.asfortranarray(values[where])


def _mapped(path: Path) -> NDArray[Any]:
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))


def _written(values: NDArray[Any], path: Path) -> bool:
    """Write a file whole or not at all; False if there is no room. Two processes may write the same: it is the same."""
    part = path.with_name(f"{uuid4().hex}.part.npy")
    try:
        np.save(part, values, allow_pickle=False)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        return False
    return True


def _digest(encoding: Any) -> str:
    """Return a name for what the encoding makes, which does not depend on what is private."""
    bare = replace(encoding, schema=encoding.schema.with_private((), label=False))
    return sha256(f"{type(bare).__name__} {bare!r}".encode()).hexdigest()[:32]
