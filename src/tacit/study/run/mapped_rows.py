"""Rows that lie in files and are mapped into memory: all processes read the same pages, none gets a copy of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.schema import Schema
from tacit.study.run.mapped_files import MappedFiles
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
    files : MappedFiles
    where : slice or array of positions
    """

    files: MappedFiles
    where: Where

    def slice(self, start: int, stop: int) -> MappedRows:
        """Return rows ``start`` to ``stop``."""
        stop = min(stop, self.n_rows)
        return self._at(_composed(self.where, slice(start, stop)), stop - start)

    def take(self, positions: NDArray[np.intp]) -> MappedRows:
        """Return the rows at these positions."""
        return self._at(_composed(self.where, positions), len(positions))

    def keeping(self) -> MappedRows:
        """Return the same rows, which keep what was read of a column: for rows that are read many times."""
        columns = _Columns(self.files, tuple(self.columns), self.where, keep=True)
        return replace(self, columns=columns)

    def encoded(self, encoding: Any) -> NDArray[Any]:
        """Return what an encoding makes of the rows."""
        if not isinstance(encoding, _ENCODINGS):
            return super().encoded(encoding)
        name = _digest(encoding)
        if not self.files.has(name):
            whole = self._at(slice(None), 0).columns
            made = Rows(whole, len(next(iter(whole.values())))).encoded(encoding)
            if not self.files.write(name, made):
                return _taken(made, self.where)
        return _taken(self.files[name], self.where)

    def _at(self, where: Where, n_rows: int) -> MappedRows:
        return MappedRows(_Columns(self.files, tuple(self.columns), where), n_rows, self.files, where)


class _Columns(Mapping[str, NDArray[Any]]):
    """Columns that are read when they are asked for."""

    def __init__(self, files: MappedFiles, names: tuple[str, ...], where: Where, *, keep: bool = False):
        self._files, self._names, self._where = files, names, where
        self._kept: dict[str, NDArray[Any]] | None = {} if keep else None

    def __getitem__(self, name: str) -> NDArray[Any]:
        if self._kept is None:
            return self._read(name)
        if name not in self._kept:
            self._kept[name] = self._read(name)
        return self._kept[name]

    def _read(self, name: str) -> NDArray[Any]:
        return _taken(self._files[_column(self._names.index(name))], self._where)

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
        np.save(folder / f"{_column(position)}.npy", values, allow_pickle=False)


def mapped_rows(folder: Path, schema: Schema) -> MappedRows:
    """Return all rows of a folder, whose columns are the schema's."""
    files = MappedFiles(folder)
    return MappedRows(_Columns(files, schema.names, slice(None)), len(files[_column(0)]), files, slice(None))


def _column(position: int) -> str:
    return f"column-{position}"


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


def _digest(encoding: Any) -> str:
    """Return a name for what the encoding makes, which does not depend on what is private."""
    bare = replace(encoding, schema=encoding.schema.with_private((), label=False))
    return sha256(f"{type(bare).__name__} {bare!r}".encode()).hexdigest()[:32]
