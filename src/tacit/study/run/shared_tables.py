"""The tables of a study in its shared folder: read once by the parent, mapped by the workers, never pickled."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError, TacitError
from tacit.study.data import data_schema
from tacit.study.run.tables import Tables, WholeTable
from tacit.study.run.task import Task
from tacit.table import BinEncoding, LinearEncoding, OneHotEncoding, Rows
from tacit.table.persons import Members
from tacit.table.storage import Storage

Where = slice | NDArray[np.intp]
"""Positions of rows in a whole table."""

_ENCODINGS = BinEncoding | LinearEncoding | OneHotEncoding


class SharedTables(Tables):
    """Tables that other processes have, too.

    Parameters
    ----------
    folder : Path
        Of a running study; see `tacit.study.run.shared_folder`.
    """

    def __init__(self, folder: Path):
        super().__init__()
        self._folder = folder

    def share(self, tasks: Iterable[Task]) -> None:
        """Read the tables of the tasks and write them into the folder.

        A table that cannot be read is left to the tasks that need it, which will fail and say why; for one that
        there is no room for, each process reads its own.
        """
        for inputs in {_which(task.inputs): task.inputs for task in tasks if "data" in task.inputs}.values():
            try:
                self._write(super()._read(inputs), self._folder / _which(inputs))
            except (TacitError, OSError, ValueError):
                continue

    def _read(self, inputs: Mapping[str, Any]) -> WholeTable:
        place = self._folder / _which(inputs)
        if not (place / "complete").is_file():
            return super()._read(inputs)
        arrays, schema = _Arrays(place), data_schema(inputs)
        rows = MappedRows(_Columns(arrays, schema.names, slice(None)), len(arrays["labels"]), arrays, slice(None))
        official = arrays["official"] if arrays.has("official") else None
        members = Members(*arrays["members"]) if arrays.has("members") else None
        return WholeTable(schema, rows, arrays["labels"], official, members)

    def _write(self, whole: WholeTable, place: Path) -> None:
        place.mkdir()
        for position, values in enumerate(whole.rows.columns.values()):
            np.save(place / f"{_column(position)}.npy", values, allow_pickle=False)
        np.save(place / "labels.npy", whole.labels, allow_pickle=False)
        if whole.official is not None:
            np.save(place / "official.npy", whole.official, allow_pickle=False)
        if (members := whole.members) is not None:
            # Numbers and not identifiers: the folder needs no names.
            kept = np.stack([members.person, members.rank, members.count])
            np.save(place / "members.npy", kept, allow_pickle=False)
        (place / "complete").touch()  # last: a table that a full disk has cut short is not read


@dataclass(frozen=True, eq=False, repr=False)
class MappedRows(Rows):
    """Some rows of a table in a folder; consecutive ones are views of the mapped files, others copied when read.

    Encodings are made once, of the whole table, by the process that first needs them, and mapped as well: a worker
    copies what a fit reads of a split, never the table.
    """

    arrays: _Arrays
    where: Where

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
        return replace(self, columns=_Columns(self.arrays, tuple(self.columns), self.where, keep=True))

    def encoded(self, encoding: Any) -> NDArray[Any]:
        """Return what an encoding makes of the rows."""
        if not isinstance(encoding, _ENCODINGS):
            return super().encoded(encoding)
        # What is private changes nothing of an encoding, so that all privacy cases share one.
        bare = replace(encoding, schema=encoding.schema.without_persons().with_private((), label=False))
        name = sha256(f"{type(bare).__name__} {bare!r}".encode()).hexdigest()[:32]
        if not self.arrays.has(name):
            whole = self._at(slice(None), 0).columns
            made = Rows(whole, len(next(iter(whole.values())))).encoded(encoding)
            if not self.arrays.write(name, made):
                return _taken(made, self.where)
        return _taken(self.arrays[name], self.where)

    def _at(self, where: Where, n_rows: int) -> MappedRows:
        return MappedRows(_Columns(self.arrays, tuple(self.columns), where), n_rows, self.arrays, where)


class _Arrays:
    """Arrays in the files of a folder, each mapped into memory once."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._mapped: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._mapped:
            self._mapped[name] = np.asarray(np.load(self._folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
        return self._mapped[name]

    def has(self, name: str) -> bool:
        return name in self._mapped or (self._folder / f"{name}.npy").is_file()

    def write(self, name: str, values: NDArray[Any]) -> bool:
        """Write an array whole or not at all; False if there is no room. Two processes may write the same."""
        part = self._folder / f"{uuid4().hex}.part.npy"
        try:
            np.save(part, values, allow_pickle=False)
            os.replace(part, self._folder / f"{name}.npy")
        except OSError:
            part.unlink(missing_ok=True)
            return False
        return True

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected files to stay where they are, got a request to copy or pickle them.")


class _Columns(Mapping[str, NDArray[Any]]):
    """Columns that are read when they are asked for."""

    def __init__(self, arrays: _Arrays, names: tuple[str, ...], where: Where, *, keep: bool = False):
        self._arrays, self._names, self._where = arrays, names, where
        self._kept: dict[str, NDArray[Any]] | None = {} if keep else None

    def __getitem__(self, name: str) -> NDArray[Any]:
        if self._kept is not None and name in self._kept:
            return self._kept[name]
        values = _taken(self._arrays[_column(self._names.index(name))], self._where)
        if self._kept is not None:
            self._kept[name] = values
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected columns to stay where they are, got a request to copy or pickle them.")


def _which(inputs: Mapping[str, Any]) -> str:
    """Return a name for the table, from its path, size and time or its packaged name, never from its content."""
    named = json.dumps([inputs.get("data"), inputs.get("file")], sort_keys=True)
    return f"table-{sha256(named.encode()).hexdigest()[:16]}"


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
