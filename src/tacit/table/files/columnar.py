"""Parquet and Arrow files, which polars decodes; pyarrow where polars cannot open a file for the type of one column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from tacit.errors import TableError, guarded
from tacit.table import arrow_columns
from tacit.table.files.frames import frames_of_query, rows_together, slices
from tacit.table.files.parquet import EVERY, Range, first_damaged, scanned
from tacit.table.files.places import state_of
from tacit.table.files.reading_process import ReadingProcess, described, frames_by, is_possible

_MAX_DIGITS = 38
"""Of a decimal number that polars reads."""

Decoder = Callable[[Path], Iterator[pl.DataFrame]]


@dataclass(frozen=True)
class ColumnarFiles:
    """Files that have columns with types.

    Parameters
    ----------
    paths : tuple of Path
    rows : Range
        Which are read of each.
    called : callable
        Returns what a file is called in messages.
    """

    paths: tuple[Path, ...]
    rows: Range
    called: Callable[[Path], str]

    def damaged(self, path: Path) -> TableError:
        """Return what is said of a file that cannot be read."""
        return TableError(f"Expected a whole file, got a damaged one in {self.called(path)}. Write it again.")

    def opens_by_arrow(self) -> bool:
        """Tell whether pyarrow opens the files, as polars cannot open all of them.

        Raises
        ------
        TableError
            If neither can.
        """
        states = tuple(map(state_of, self.paths))
        damaged = _first_unopened(self.paths, states) if self.paths else None
        return damaged is not None and self._checked(damaged)

    def names(self, path: Path, *, by_arrow: bool) -> Sequence[str]:
        """Return the names of a file's columns."""
        if by_arrow:
            names: list[str] = self._described(path)["names"]
            return names
        return guarded(lambda: scanned(path).collect_schema().names(), self.damaged(path))

    def n_rows(self) -> int | None:
        """Return how many rows there are, as each file says; None where polars cannot open one."""
        if self.opens_by_arrow():
            return None
        return sum(self.height(path) for path in self.paths)

    def height(self, path: Path) -> int:
        """Return how many rows there are in a file that polars opens."""
        return guarded(lambda: int(scanned(path).select(pl.len()).collect().item()), self.damaged(path))

    @contextmanager
    def decoder(self, names: Sequence[str]) -> Iterator[tuple[Decoder, bool]]:
        """Give a function that yields the frames of each file, in their order, and whether pyarrow makes them.

        Of the named columns a file may lack some, which folders hold.
        """
        if not self.paths:
            yield (lambda path: iter(())), False
            return
        n_rows = rows_together(len(names))
        if not is_possible():
            damaged = first_damaged(self.paths, names, n_rows, self.rows)
            if damaged is None and not self._lacks_types(names):
                yield (
                    (
                        lambda path: frames_of_query(
                            scanned(path, self.rows), self._own(path, names), self.damaged(path)
                        )
                    ),
                    False,
                )
                return
        else:
            with ReadingProcess(self.paths, names, n_rows, self.rows) as process:
                damaged = process.first_damaged()
                if damaged is None and not self._lacks_types(names):
                    yield (lambda path: slices(process.frames(self.damaged(path)), n_rows)), False
                    return
        self._checked(self.paths[0] if damaged is None else damaged)
        yield (lambda path: self._frames_by_arrow(path, names, n_rows)), True

    def _frames(self, path: Path, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        return frames_of_query(scanned(path, self.rows), names, self.damaged(path))

    def _own(self, path: Path, names: Sequence[str]) -> list[str]:
        present = self.names(path, by_arrow=False)
        return [name for name in names if name in present]

    def _frames_by_arrow(self, path: Path, names: Sequence[str], n_rows: int) -> Iterator[pl.DataFrame]:
        found = self._described(path)
        unknown, names = found["types"], [name for name in names if name in found["names"]]
        for name in names:
            if name in unknown:
                raise TableError(
                    f"Expected numbers, texts, dates or truth values in column {name!r} of {self.called(path)}, got "
                    f"the type {unknown[name]}. Convert the column, or leave it out of the schema."
                )
        rows = None if self.rows == EVERY else list(self.rows)
        return frames_by(arrow_columns, path, names, n_rows, {"rows": rows}, self.damaged(path))

    def _lacks_types(self, names: Sequence[str]) -> bool:
        """Tell whether one of the columns has decimals that polars opens and does not read."""
        for path in self.paths:
            kinds = guarded(scanned(path).collect_schema, self.damaged(path))
            if any(_is_too_wide(kinds[name]) for name in names if name in kinds):
                return True
        return False

    def _checked(self, damaged: Path) -> bool:
        """Return true if pyarrow is there and opens a file."""
        self._described(damaged)
        return True

    def _described(self, path: Path) -> dict[str, Any]:
        found: dict[str, Any] | None = described(arrow_columns, path, {}) if find_spec("pyarrow") is not None else None
        if found is None:
            raise self.damaged(path)
        return found


def _is_too_wide(kind: pl.DataType) -> bool:
    return isinstance(kind, pl.Decimal) and (kind.precision or 0) > _MAX_DIGITS


@lru_cache(maxsize=16)  # asked for several times where a file is read once
def _first_unopened(paths: tuple[Path, ...], states: tuple[tuple[int, ...], ...]) -> Path | None:
    if not is_possible():
        return first_damaged(paths, (), 1)
    with ReadingProcess(paths, (), 1) as process:
        return process.first_damaged()
