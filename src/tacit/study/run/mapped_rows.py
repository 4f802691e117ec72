"""Rows of a table in the files of a folder, mapped into memory, and their encodings, made some rows at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.features import BinEncoding, LinearEncoding, OneHotEncoding
from tacit.schema import Schema
from tacit.schema.side_features import bare
from tacit.table import Rows, Storage
from tacit.table.rows import kinds_of
from tacit.table.table import BLOCK_ROWS

Where = slice | NDArray[np.intp]
"""Positions of rows in a whole table."""

_ENCODINGS = BinEncoding | LinearEncoding | OneHotEncoding


@dataclass(frozen=True, eq=False, repr=False)
class MappedRows(Rows):
    """Some rows of a table in a folder; consecutive ones are views of the mapped files, others copied when read.

    Encodings of the columns as they are declared are made once, of the whole table, by the process that first needs
    them, and mapped as well: a worker copies what a fit reads of a split, never the table. Those by cut points that a
    fit has learned are its own.
    """

    columns: _Columns
    arrays: Arrays
    where: Where
    schema: Schema

    @classmethod
    def of(cls, arrays: Arrays, schema: Schema) -> MappedRows:
        """Return all rows of the table in a folder."""
        return cls(_Columns(arrays, kinds_of(schema), slice(None)), arrays.n_rows, arrays, slice(None), _bare(schema))

    def slice(self, start: int, stop: int) -> MappedRows:
        """Return rows ``start`` to ``stop``."""
        stop = min(stop, self.n_rows)
        return self._at(_composed(self.where, slice(start, stop)), stop - start)

    def take(self, positions: NDArray[np.intp]) -> MappedRows:
        """Return the rows at these positions."""
        return self._at(_composed(self.where, positions), len(positions))

    def kept(self, storage: Storage) -> MappedRows:
        """Return the rows themselves: they are mapped already."""
        return self

    def keeping(self) -> MappedRows:
        """Return the same rows, which keep what was read of a column: for rows that are read many times."""
        return replace(self, columns=self.columns.at(self.where, keep=True))

    def encoded(self, encoding: Any) -> NDArray[Any]:
        """Return what an encoding makes of the rows."""
        if not isinstance(encoding, _ENCODINGS):
            return super().encoded(encoding)
        bare, own = replace(encoding, schema=_bare(encoding.schema), released=()), dict(encoding.released)
        if any(name in own or bare.schema.column(name) != self.schema.column(name) for name in bare.columns):
            return super().encoded(encoding)
        name = sha256(f"{type(bare).__name__} {bare!r}".encode()).hexdigest()[:32]
        if not self.arrays.has(name) and not self.arrays.write(name, self._made(encoding), self.arrays.n_rows):
            return super().encoded(encoding)
        return _taken(self.arrays[name], self.where)

    def _made(self, encoding: Any) -> Iterator[NDArray[Any]]:
        """Yield what an encoding makes of the whole table, some rows at a time."""
        for start in range(0, self.arrays.n_rows, BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, self.arrays.n_rows)
            yield Rows.encoded(self._at(slice(start, stop), stop - start), encoding)

    def _at(self, where: Where, n_rows: int) -> MappedRows:
        return replace(self, columns=self.columns.at(where), n_rows=n_rows, where=where)


class Arrays:
    """Arrays in the files of a folder, each mapped into memory once."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._mapped: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._mapped:
            self._mapped[name] = np.asarray(np.load(self._folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
        return self._mapped[name]

    def has(self, name: str) -> bool:
        """Tell whether there is an array of this name."""
        return name in self._mapped or (self._folder / f"{name}.npy").is_file()

    @property
    def n_rows(self) -> int:
        """Rows of the whole table."""
        return len(self["labels"])

    def write(self, name: str, parts: Iterable[NDArray[Any]], n_rows: int) -> bool:
        """Write an array whole or not at all; False if there is no room. Two processes may write the same."""
        part = self._folder / f"{uuid4().hex}.part.npy"
        try:
            _save_parts(part, parts, n_rows)
            os.replace(part, self._folder / f"{name}.npy")
        except OSError:
            part.unlink(missing_ok=True)
            return False
        return True

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected files to stay where they are, got a request to copy or pickle them.")


class _Columns(Mapping[str, NDArray[Any]]):
    """Columns that are read when they are asked for."""

    def __init__(self, arrays: Arrays, kinds: Mapping[str, np.dtype[Any]], where: Where, *, keep: bool = False):
        self._arrays, self._kinds, self._where = arrays, kinds, where
        self._places = {name: at for at, name in enumerate(kinds)}
        self._kept: dict[str, NDArray[Any]] | None = {} if keep else None

    def __getitem__(self, name: str) -> NDArray[Any]:
        if self._kept is not None and name in self._kept:
            return self._kept[name]
        held = _taken(self._arrays[column_name(self._places[name])], self._where)
        values = held.astype(self._kinds[name], copy=False)
        if self._kept is not None:
            self._kept[name] = values
        return values

    def at(self, where: Where, *, keep: bool = False) -> _Columns:
        """Return the columns of other rows of the table."""
        return _Columns(self._arrays, self._kinds, where, keep=keep)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected columns to stay where they are, got a request to copy or pickle them.")


def save(path: Path, parts: Sequence[NDArray[Any]]) -> None:
    """Write arrays as one, along the first axis, in a type that holds the values of all."""
    kind = np.result_type(*{each.dtype for each in parts})
    _save_parts(path, (each.astype(kind, copy=False) for each in parts), sum(map(len, parts)))


def _save_parts(path: Path, parts: Iterable[NDArray[Any]], n_rows: int) -> None:
    """Write arrays of one type as one of so many rows, laid out in memory as the first of them."""
    start = 0
    with path.open("wb") as stream:
        for part in parts:
            by_column = part.ndim == 2 and part.flags.f_contiguous and not part.flags.c_contiguous
            if start == 0:
                stated = {"descr": np.lib.format.dtype_to_descr(part.dtype), "fortran_order": by_column}
                np.lib.format.write_array_header_1_0(stream, {**stated, "shape": (n_rows, *part.shape[1:])})
                head, columns = stream.tell(), by_column
            if columns:
                for at in range(part.shape[1]):
                    stream.seek(head + (at * n_rows + start) * part.itemsize)
                    stream.write(np.ascontiguousarray(part[:, at]).data)
            else:
                stream.write(np.ascontiguousarray(part).data)
            start += len(part)


def column_name(position: int) -> str:
    """Return what the array of a column is called."""
    return f"column-{position}"


def _bare(schema: Schema) -> Schema:
    """Return the schema with nothing private, as that changes nothing of an encoding: all privacy cases share one."""
    return bare(schema)


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
