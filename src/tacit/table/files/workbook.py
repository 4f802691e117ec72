"""Spreadsheets: each cell has a type of its own, and is read by the schema, whatever others in its column are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from tacit.errors import MissingExtra, TableError
from tacit.schema import Categorical, Numeric
from tacit.schema.notation import Notation
from tacit.table.files import workbook_reader
from tacit.table.files.cells import Entry, left_out, number_texts, takes_texts_alone, typed
from tacit.table.files.frames import names_of
from tacit.table.files.reading_process import described, frames_by
from tacit.table.rows import OnInvalid


@dataclass(frozen=True)
class Workbook:
    """A file of a spreadsheet program.

    Parameters
    ----------
    path : Path
    where : str
        What it is called in messages.
    sheet : str, optional
        The one that is the table, if there are several.
    """

    path: Path
    where: str
    sheet: str | None = None

    def names(self) -> list[str]:
        """Return the names of the columns; an empty text for one without.

        Raises
        ------
        MissingExtra
            If no library is there that reads it.
        TableError
            If it is damaged, or no spreadsheet, or does not have the one sheet; no row is read.
        """
        names: list[str] = self._described()["names"]
        return names

    def frames(self, names: Sequence[str], n_rows: int, on_invalid: OnInvalid = "raise") -> Iterator[pl.DataFrame]:
        """Yield the named columns some rows at a time, each as ``Cells`` has it.

        Raises
        ------
        TableError
            If the sheet ends with blank rows, unless invalid cells are coerced: they are rows, and none is by mistake.
        """
        found = self._described()
        if found["n_blank"] and on_invalid == "raise":
            raise TableError(
                f"Expected a cell with something in it in the last row of the sheet in {self.where}, got blank rows at "
                "the end. They count as rows. Delete these rows, and not only their contents; or pass "
                "on_invalid='coerce' to read them as rows whose cells are missing."
            )
        told = {"sheet": found["sheets"][0], "n_blank": found["n_blank"]}
        return frames_by(workbook_reader, self.path, names, n_rows, told, self._damaged())

    def _described(self) -> dict[str, Any]:
        if find_spec("python_calamine") is None:
            raise MissingExtra(
                f"Expected python-calamine to read the spreadsheet {self.where}, got none. Install tacit[excel]."
            )
        found: dict[str, Any] | None = described(workbook_reader, self.path, {"sheet": self.sheet})
        if found is None:
            raise self._damaged()
        names, sheets = found["names"], found["sheets"]
        if names is None:
            raise TableError(
                f"Expected the sheet that is the table in {self.where}, got sheet={self.sheet!r} of these: "
                f"{', '.join(map(repr, sheets))}. Name one of them, as an option or in the schema under [file]."
            )
        if not any(names):
            raise TableError(f"Expected a table in {self.where}, got an empty sheet. Check how it was written.")
        named = [name for name in names if name]
        if len(set(named)) < len(named):
            raise TableError(
                f"Expected different names of columns in the first row of {self.where}, got one of them twice. "
                "Rename all but one; or does the sheet lack a first row with names?"
            )
        return found

    def _damaged(self) -> TableError:
        return TableError(
            f"Expected a whole spreadsheet without a password, got another or a damaged file in {self.where}. Save it "
            "again, or export the sheet as CSV."
        )


@dataclass(frozen=True)
class Cells:
    """Some cells of a column, each a text, a number, a moment or missing: at most one of the three in a row."""

    texts: pl.Series
    numbers: pl.Series
    moments: pl.Series

    @classmethod
    def of(cls, frame: pl.DataFrame, place: int) -> Cells:
        """Return the column at a place of those that were asked for."""
        return cls(*(frame[f"{place} {part}"].alias("cells") for part in ("text", "number", "moment")))

    def as_texts(self) -> pl.Series:
        """Return all cells as texts, numbers as they are spelled and dates in the form of ISO."""
        return _either(_either(self.texts, number_texts(self.numbers)), _moment_texts(self.moments))

    def read(self, entry: Entry, on_invalid: OnInvalid) -> pl.Series:
        """Return the cells as a schema entry reads them: a number is that number, however texts are written."""
        if takes_texts_alone(entry):
            assert isinstance(entry, Categorical)
            return typed(_either(self.texts, self._no_texts(entry, on_invalid)), entry, on_invalid)
        if not isinstance(entry, Numeric):
            return typed(self.as_texts(), entry, on_invalid)
        if entry.has_dates:
            codes = Notation.of(entry).texts_of_numbers
            digits = number_texts(self.numbers).set(self.numbers.is_in(list(codes)), None)
            coded = self.numbers.replace_strict(codes, default=None, return_dtype=pl.String)
            texts = _either(self.texts, _either(digits, coded))
            return _either(typed(texts, entry, on_invalid), self.moments)
        return _either(typed(_either(self.texts, _moment_texts(self.moments)), entry, on_invalid), self.numbers)

    def _no_texts(self, entry: Categorical, on_invalid: OnInvalid) -> pl.Series:
        """Return a text that no prefix begins for each cell that is a number or a moment, or refuse such cells."""
        others = self.numbers.is_not_null() | self.moments.is_not_null()
        if on_invalid == "raise" and others.any():
            raise TableError(
                f"Expected texts in column {entry.name!r}, whose categories are prefixes, got a number or a date in a "
                "cell: numbers lose the zeros of a code. Give the column of the sheet the format of text and write "
                "the codes again, or pass on_invalid='coerce' to count such cells as others."
            )
        known = {str(text)[0] for text in (*entry.categories, *dict(entry.replace or ()))}
        return self.texts.clear(len(self.texts)).set(
            others, next(chr(sign) for sign in count(33) if chr(sign) not in known)
        )

    def without(self, absent: pl.Series) -> Cells:
        """Return the same cells, empty in some rows."""
        parts = (self.texts, self.numbers, self.moments)
        return Cells(*(part.zip_with(~absent, part.clear(len(part))) for part in parts))

    def as_they_are(self) -> pl.Series | None:
        """Return the cells as numbers or moments, if all that are there are such ones; for a draft."""
        n_there = [len(part) - part.null_count() for part in (self.texts, self.numbers, self.moments)]
        if not n_there[0] and n_there[1] and not n_there[2]:
            whole = self.numbers.cast(pl.Int64, strict=False)
            return whole if (whole == self.numbers).all() else self.numbers
        if n_there[2] and not n_there[0] and not n_there[1]:
            days = self.moments.cast(pl.Date)
            return days if (days.cast(pl.Datetime("us")) == self.moments).all() else self.moments
        return None


def read_cells(
    frame: pl.DataFrame, entries: Sequence[Entry], on_invalid: OnInvalid, beside: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the entries' columns as they read them, and others as texts."""
    columns = {name: Cells.of(frame, place) for place, name in enumerate(names_of(entries, beside))}
    absent = left_out(entries, lambda label: columns[label.name].read(label, "coerce"))
    given = columns if absent is None else {name: each.without(absent) for name, each in columns.items()}
    read = {name: given[name].read(entry, on_invalid) for entry in entries for name in entry.names}
    return pl.DataFrame(read), pl.DataFrame({name: columns[name].as_texts() for name in beside})


def _either(first: pl.Series, second: pl.Series) -> pl.Series:
    """Return what is there of two columns of one type."""
    return first.zip_with(first.is_not_null(), second)


def _moment_texts(moments: pl.Series) -> pl.Series:
    days, whole = moments.dt.to_string("%Y-%m-%d"), moments.dt.to_string("%Y-%m-%dT%H:%M:%S")
    return days.zip_with(moments == moments.dt.truncate("1d"), whole)
