"""Files of SPSS, Stata and SAS, whose dictionaries name what codes stand for and which ones are missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from tacit.errors import MissingExtra, TableError
from tacit.schema import Identifier, Label, Numeric
from tacit.schema.dictionary import DictionaryEntry
from tacit.table.files import survey_reader
from tacit.table.files.cells import Entry, left_out, number_texts, retyped, takes_texts_alone, typed, without
from tacit.table.files.formats import Format
from tacit.table.files.reading_process import described, frames_by
from tacit.table.rows import OnInvalid

Code = float | str

_SAS_DATES = r"(E8601|B8601|IS8601)?(DATE|DATETIME|DT|DA|DN)[A-Z]*[\d.]*|(DD|MM|YY)(MM|DD|YY)+[A-Z]*[\d.]*|JULIAN[\d.]*"
_DATES = {
    "sav": r"[AEJS]?DATE[\d.]*|DATETIME[\d.]*|YMDHMS[\d.]*",
    "dta": r"%-?(t[dcC]|d).*",
    "xpt": _SAS_DATES,
    "sas7bdat": _SAS_DATES,
}
"""Formats of variables whose cells are dates, for a draft that reads none."""


@dataclass(frozen=True)
class Variable:
    """What a file's dictionary says of a column; no cell has a part in it.

    Parameters
    ----------
    name : str
    is_text : bool
    labels : mapping of float or str to str
        What codes stand for.
    missing : sequence of (low, high)
        Ranges of codes that are declared missing, ends included.
    """

    name: str
    is_text: bool
    labels: Mapping[Code, str]
    missing: Sequence[tuple[Code, Code]]

    def is_missing(self, code: Code) -> bool:
        """Tell whether a code is declared missing."""
        return any(type(low) is type(code) and low <= code <= high for low, high in self.missing)  # type: ignore[operator]

    @property
    def levels(self) -> dict[str, str]:
        """The labels of codes that are not missing, by the code as a text."""
        return {_spelled(code): label for code, label in self.labels.items() if label and not self.is_missing(code)}

    @property
    def is_listed(self) -> bool:
        """Whether labels leave out no whole number between them, as those of a scale of which few steps have one do."""
        codes = sorted(code for code, label in self.labels.items() if label and not self.is_missing(code))
        if self.is_text:
            return bool(codes)
        return len(codes) > 1 and all(after - before == 1 for before, after in pairwise(map(float, codes)))

    def read(self, values: pl.Series, entry: Entry, on_invalid: OnInvalid) -> pl.Series:
        """Return a column as a schema entry reads it.

        Where the entry lists texts, a cell is the label of its code, unless that is not listed and the code itself
        is; of buckets, and of prefixes if the column is one of texts, a cell is its code. A code that is declared
        missing is a missing cell, unless the entry lists it or its label.
        """
        if isinstance(entry, Identifier):
            return typed(self.texts(values), entry, on_invalid)
        if isinstance(entry, Numeric):
            return retyped(self._present(values, ()), entry, on_invalid)
        listed = entry.cells if isinstance(entry, Label) else entry.categories
        if listed and not isinstance(listed[0], str):
            return retyped(self._present(values, () if self.is_text else listed), entry, on_invalid)
        if takes_texts_alone(entry) and not self.is_text:
            return self._present(values, ())  # which frames refuse, too
        if takes_texts_alone(entry) or not listed:
            return typed(self.texts(self._present(values, ())), entry, on_invalid)
        known = {*map(str, listed), *dict(entry.replace or ())}
        return typed(self._labelled(values, known), entry, on_invalid)

    def texts(self, values: pl.Series) -> pl.Series:
        """Return the cells as texts, whole numbers without a point."""
        if values.dtype.is_numeric():
            return number_texts(values)
        texts = values.cast(pl.String).str.strip_chars()
        return texts.set(texts == "", None)

    def as_declared(self, values: pl.Series) -> pl.Series:
        """Return a column for a draft: labels, typed as declared levels, where each cell that is there has one."""
        present, levels = self._present(values, ()), self.levels
        if levels and self.texts(present).drop_nulls().is_in(list(levels)).all():
            labels = pl.Enum(list(dict.fromkeys(levels.values())))
            return self.texts(present).replace_strict(levels, default=None, return_dtype=labels)
        if not present.dtype.is_float():
            return present
        whole = present.cast(pl.Int64, strict=False)
        return whole if bool((whole == present).all()) else present

    def _present(self, values: pl.Series, listed: Sequence[Any]) -> pl.Series:
        """Return the cells, missing where their code is declared so and not listed."""
        absent = pl.Series([False]).new_from_index(0, len(values))
        if not self.missing or not (self.is_text or values.dtype.is_numeric()):
            return values
        given = values.cast(pl.String).str.strip_chars() if self.is_text else values.cast(pl.Float64)
        for low, high in self.missing:
            absent |= given.is_between(low, high).fill_null(False)
        kept = pl.Series([str(code) if self.is_text else float(code) for code in listed], dtype=given.dtype)
        return values.set(absent & ~given.is_in(kept.implode()).fill_null(False), None)

    def _labelled(self, values: pl.Series, known: set[str]) -> pl.Series:
        spelled = {_spelled(code): (code, label) for code, label in self.labels.items() if label}
        texts = self.texts(values)
        absent = self._present(values, ()).is_null() & ~texts.is_in(list(known)).fill_null(False)
        cells = texts.set(absent, None)
        for text, (code, label) in spelled.items():
            read = label if label in known or text not in known else text
            if not self.is_missing(code) or read in known:
                cells = cells.set(texts == text, read)
        return cells


def read_variables(
    frame: pl.DataFrame,
    variables: Mapping[str, Variable],
    entries: Sequence[Entry],
    on_invalid: OnInvalid,
    beside: Sequence[str],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the entries' columns as they read them, and others as texts of their codes."""
    columns = {name: frame[name].alias("cells") for name in frame.columns}
    absent = left_out(entries, lambda label: variables[label.name].read(columns[label.name], label, "coerce"))
    given = columns if absent is None else {name: without(absent, each) for name, each in columns.items()}
    read = {name: variables[name].read(given[name], entry, on_invalid) for entry in entries for name in entry.names}
    return pl.DataFrame(read), pl.DataFrame({name: variables[name].texts(columns[name]) for name in beside})


@dataclass(frozen=True)
class SurveyFile:
    """A file of a statistics program.

    Parameters
    ----------
    path : Path
    where : str
        What it is called in messages.
    kind : Format
    encoding : str, optional
        Of its texts, where the file does not say so.
    """

    path: Path
    where: str
    kind: Format
    encoding: str | None = None

    def dictionary(self) -> dict[str, Any]:
        """Return what the file says of its columns, as ``survey_reader.described`` does; no row is read.

        Raises
        ------
        MissingExtra
            If no library is there that reads it.
        TableError
            If it is damaged.
        """
        if find_spec("pyreadstat") is None:
            raise MissingExtra(f"Expected pyreadstat to read {self.where}, got none. Install tacit[survey].")
        found: dict[str, Any] | None = described(survey_reader, self.path, self._told)
        if found is None:
            raise self.damaged()
        return found

    def declared(self) -> list[DictionaryEntry]:
        """Return what the dictionary says of each column, for a draft."""
        found, variables = self.dictionary(), self.variables(self.dictionary()["names"])
        dates = re.compile(_DATES[self.kind])
        return [
            DictionaryEntry(
                name,
                "text" if each.is_text else "date" if dates.fullmatch(found["formats"].get(name) or "") else "number",
                tuple(dict.fromkeys(each.levels.values())),
                each.is_listed or found["measures"].get(name) == "nominal",
                bool(each.missing),
            )
            for name, each in variables.items()
        ]

    def variables(self, names: Sequence[str]) -> dict[str, Variable]:
        """Return what the dictionary says of the named columns."""
        found = self.dictionary()
        return {
            name: Variable(
                name,
                found["texts"][name],
                # Codes of numbers that are letters are Stata's further missing ones.
                {
                    _code(code): label
                    for code, label in found["labels"].get(name, ())
                    if isinstance(code, str) == found["texts"][name]
                },
                [(_code(low), _code(high)) for low, high in found["missing"].get(name, ())],
            )
            for name in names
        }

    def frames(self, names: Sequence[str], n_rows: int) -> Iterator[pl.DataFrame]:
        """Yield the named columns, each as it is there, some rows at a time."""
        return frames_by(survey_reader, self.path, names, n_rows, self._told, self.damaged())

    @property
    def _told(self) -> dict[str, Any]:
        return {"kind": self.kind, "encoding": self.encoding}

    def damaged(self) -> TableError:
        """Return what is said of a file that cannot be read."""
        return TableError(
            f"Expected a whole file of SPSS, Stata or SAS, with dates of the years 1 to 9999, got another in "
            f"{self.where}. Write it again, or export it as CSV."
        )


def _code(code: object) -> Code:
    """Return a code as cells have it: numbers are all doubles."""
    return code if isinstance(code, str) else float(code)  # type: ignore[arg-type]


def _spelled(code: Code) -> str:
    return code.strip() if isinstance(code, str) else number_texts(pl.Series([code], dtype=pl.Float64))[0]
