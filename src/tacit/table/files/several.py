"""The files of a table: a path, a pattern of paths or a folder, which must stay the same while they are read."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import polars as pl

from tacit.errors import TableError, guarded
from tacit.privacy.progress_events import RowsRead, is_followed
from tacit.schema import FileFormat
from tacit.schema.dictionary import DictionaryEntry
from tacit.schema.file_format import PLAIN
from tacit.table.files.cells import Entry, as_entries, of_texts, spelled_numbers
from tacit.table.files.columnar import ColumnarFiles, Decoder
from tacit.table.files.csv_chunks import CsvFile, Span, is_compressed
from tacit.table.files.csv_text import HEAD, Header
from tacit.table.files.formats import COLUMNAR, SURVEY, format_of
from tacit.table.files.frames import (
    Beside,
    check_names,
    has_public_count,
    kept,
    names_of,
    rows_together,
)
from tacit.table.files.hive import Held, completed, held_by_folders, in_file, is_left_out
from tacit.table.files.parquet import EVERY, Range, scanned
from tacit.table.files.places import Copy, in_folder, matching, state_of
from tacit.table.files.survey import SurveyFile, read_variables
from tacit.table.files.workbook import Cells, Workbook, read_cells
from tacit.table.rows import OnInvalid

_LIKELIEST = ("cp1252", "utf-16-le", "utf-16-be")
"""Encodings other than UTF-8 that a draft tries. The first has no five of all bytes, which tells most others from it;
text in UTF-16 has zeros in others, and no text has."""
_REMNANT = 0.25
"""Of a part: so few last rows are read with those before them."""


class NoRowsError(TableError):
    """A file without rows, which only a side table may be."""


@dataclass(frozen=True)
class Files:
    """Files that hold a table's rows together, one after the other.

    Parameters
    ----------
    paths : tuple of Path
        What is read, in this order.
    name : str
        What the user named, for messages.
    """

    paths: tuple[Path, ...]
    name: str
    copy: Copy | None = None
    """Of a pipe, what keeps the file to which the path leads."""
    rows: Range = EVERY
    """Which are read, of one Parquet or Arrow file."""
    span: Span | None = None
    """Which bytes are read, of one CSV file; there may be no row in all but the first."""
    written: FileFormat = PLAIN
    """How the files are written, where they do not say so themselves."""

    @classmethod
    def of(cls, given: str | Path, written: FileFormat | None = None) -> Files:
        """Return the files that a path names: one, those of a folder, or those that a pattern matches, sorted by path.

        Parameters
        ----------
        given : str or Path
        written : FileFormat, optional
            As the schema or its user says.

        Raises
        ------
        TableError
            If there is none, or one of them twice.
        """
        path, written = Path(given), written or PLAIN
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):
            mode = 0
        if stat.S_ISREG(mode):
            return cls((path,), path.name, written=written)
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            copy = Copy.of(path)
            return cls((copy.path,), path.name, copy, written=written)
        matched = in_folder(path) if stat.S_ISDIR(mode) else matching(str(given)) if not mode else []
        if not matched:
            raise TableError(
                f"Expected a file with a table, got path={str(given)!r}, where there is none. Check the path."
            )
        if len({(each.stat().st_dev, each.stat().st_ino) for each in matched}) < len(matched):
            raise TableError(
                f"Expected each file once, got one under two names by path={str(given)!r}: its rows would count twice. "
                "Leave out links to files that are there."
            )
        return cls(tuple(matched), str(given), written=written)

    @property
    def is_pipe(self) -> bool:
        """Whether what is read is a copy, which has no name."""
        return self.copy is not None

    @property
    def n_bytes(self) -> int:
        """Size of the files."""
        return sum(path.stat().st_size for path in self.paths)

    @property
    def has_types(self) -> bool:
        """Whether the columns of every file have types, as those of Parquet and Arrow have."""
        return all(format_of(path) in COLUMNAR for path in self.paths)

    def in_found_encoding(self) -> Files:
        """Return the same files, for a draft, in the likeliest encoding that their text has where it is no UTF-8.

        Privacy: it depends on cells. Only a draft, which is not private, may use this.
        """
        if self.has_types or self.written.encoding:
            return self
        tried = (self, *(replace(self, written=FileFormat(each).over(self.written)) for each in _LIKELIEST))
        return next((each for each in tried if each._is_text()), self)

    def _is_text(self) -> bool:
        return all(self._csv(path).is_text() for path in self.paths if format_of(path) == "csv")

    @property
    def are_workbooks(self) -> bool:
        """Whether every file is a spreadsheet, whose cells have types of their own."""
        return all(format_of(path) == "workbook" for path in self.paths)

    def cells(self, names: Sequence[str]) -> dict[str, Cells]:
        """Return the named columns of spreadsheets, cell by cell, for a draft."""
        books = [self._workbook(path) for path in self.paths]
        frames = [frame for book in books for frame in book.frames(names, rows_together(len(names)))]
        if not frames:
            raise self._no_rows(self.paths[0])
        whole = pl.concat(frames)
        return {name: Cells.of(whole, place) for place, name in enumerate(names)}

    @property
    def are_surveys(self) -> bool:
        """Whether every file is one of SPSS, Stata or SAS, which has a dictionary."""
        return all(format_of(path) in SURVEY for path in self.paths)

    def dictionary(self) -> list[DictionaryEntry]:
        """Return what the first file's dictionary declares of its columns; no row is read.

        Raises
        ------
        TableError
            If it has none.
        """
        if not self.are_surveys:
            raise TableError(
                f"Expected a file of SPSS, Stata or SAS for its dictionary, got another in {self.name}. Draft from the "
                "rows, without --dictionary."
            )
        return self.survey(self.paths[0]).declared()

    def declared(self, names: Sequence[str]) -> pl.DataFrame:
        """Return the named columns of surveys with their labels as declared levels, for a draft."""
        files = [self.survey(path) for path in self.paths]
        frames = [frame for file in files for frame in file.frames(names, rows_together(len(names)))]
        if not frames:
            raise self._no_rows(self.paths[0])
        whole, variables = pl.concat(frames, how="vertical_relaxed"), files[0].variables(names)
        return pl.DataFrame({name: variables[name].as_declared(whole[name].alias("cells")) for name in names})

    def n_rows(self) -> int | None:
        """Return how many rows there are, where every file says so, as Parquet and Arrow do; else None."""
        if not self.has_types:
            return None
        return self._columnar.n_rows()

    def about_n_rows(self) -> int | None:
        """Return about how many rows there are, by sizes and the beginning of CSV files; None of compressed ones.

        Privacy: it depends on how long cells are. For the terminal of the owner of the files, and for no event.
        """
        is_plain = all(format_of(path) == "csv" and not is_compressed(path) for path in self.paths)
        return self.n_rows() or (sum(map(_about_height, self.paths)) if is_plain else None)

    def parts(self, n_rows: int) -> Iterator[Files]:
        """Yield the same rows in files of their own, Parquet and Arrow files divided into parts of about so many rows.

        A part is never much shorter, as a process of its own reads each.
        """
        for path in self.paths:
            whole = Files((path,), path.name, written=self.written)
            if format_of(path) not in COLUMNAR:
                yield whole
                continue
            if whole._columnar.opens_by_arrow():
                yield whole
                continue
            height = self._columnar.height(path)
            n_parts = max(1, ceil(height / n_rows - _REMNANT))
            for at in range(n_parts):
                yield replace(whole, rows=(at * n_rows, n_rows if at < n_parts - 1 else None))

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse files without the columns before a row is read."""
        self._held(names, by_arrow=self._columnar.opens_by_arrow())

    def _held(self, names: Sequence[str], *, by_arrow: bool) -> dict[Path, Held]:
        """Return which of the named columns folders hold, for each file, and refuse one that lacks a column."""
        found: dict[Path, Held] = {}
        for path in self.paths:
            own, held = self._names(path, names, by_arrow=by_arrow), held_by_folders(path)
            check_names([*own, *held], names, self._called(path))
            found[path] = {name: held[name] for name in names if name in held and name not in own}
        return found

    def types(self) -> dict[str, pl.DataType] | None:
        """Return the types of the first file's columns, and texts that folders hold; None where polars cannot open it.

        Raises
        ------
        TableError
            If it is damaged.
        """
        path = self.paths[0]
        if self._columnar.opens_by_arrow():
            return None
        types = guarded(lambda: dict(scanned(path).collect_schema()), self._columnar.damaged(path))
        return {**dict.fromkeys(held_by_folders(path), pl.String()), **types}

    def header(self, wanted: Sequence[str]) -> Header:
        """Return the first line of the first file, which is a CSV file with the wanted columns."""
        return self._csv(self.paths[0]).header(wanted)

    def names(self, wanted: Sequence[str]) -> Sequence[str]:
        """Return the names of the first file's columns, and of those that folders hold beside them.

        The wanted ones tell what separates those of a CSV file.
        """
        own = self._names(self.paths[0], wanted, by_arrow=self._columnar.opens_by_arrow())
        if self.are_workbooks or self.are_surveys:
            return own
        return [*own, *(name for name in held_by_folders(self.paths[0]) if name not in own)]

    def _names(self, path: Path, wanted: Sequence[str], *, by_arrow: bool) -> Sequence[str]:
        format_ = format_of(path)
        if format_ in COLUMNAR:
            return self._columnar.names(path, by_arrow=by_arrow)
        if format_ == "workbook":
            return self._workbook(path).names()
        if format_ in SURVEY:
            names: list[str] = self.survey(path).dictionary()["names"]
            return names
        return self._csv(path).header(wanted).names

    def frames(self, entries: Sequence[Entry], on_invalid: OnInvalid, beside: Sequence[str] = ()) -> Iterator[Beside]:
        """Yield the columns of the entries, as these read them, some rows at a time; and further ones as they are.

        Raises
        ------
        TableError
            If a file is damaged, changes while it is read, or does not fit the entries. After all rows were yielded, if
            there are none, or a text file has none: of Parquet files Spark writes empty ones.
        """
        before, names = [state_of(path) for path in self.paths], names_of(entries, beside)
        empty: list[Path] = []
        with self._columnar.decoder(names) as (frames_of, by_arrow):
            held = self._held(names, by_arrow=by_arrow)
            rows = RowsRead(self.n_rows() if is_followed() else None, are_public=has_public_count(entries))
            for path in self.paths:
                n_rows = 0
                for read in self._complete(path, frames_of, entries, on_invalid, beside, held[path]):
                    height = max(frame.height for frame in read)  # one of them may be without columns
                    n_rows += height
                    yield read
                    rows.add(height)
                if n_rows == 0 and (self.span is None or self.span.start == 0):
                    empty.append(path)
        if [state_of(path) for path in self.paths] != before:
            raise TableError(
                f"Expected files that stay the same while they are read, got changes in {self.name}. Read it again "
                "when nothing writes there."
            )
        for path in empty:
            if len(empty) == len(self.paths) or format_of(path) not in COLUMNAR:
                raise self._no_rows(path)
        rows.end()

    def _complete(
        self,
        path: Path,
        frames_of: Decoder,
        entries: Sequence[Entry],
        on_invalid: OnInvalid,
        beside: Sequence[str],
        held: Held,
    ) -> Iterator[Beside]:
        """Yield the rows of a file with what folders hold of them."""
        if not held:
            yield from self._frames(path, frames_of, entries, on_invalid, beside)
            return
        own, others = in_file(entries, held), [name for name in beside if name not in held]
        if not own and not others:
            raise TableError(
                f"Expected a column of the schema in {self._called(path)}, got all of them in names of folders. Name "
                "one more in the schema."
            )
        # No cell is refused of rows that are left out.
        own_invalid: OnInvalid = "coerce" if is_left_out(entries, held) else on_invalid
        for read in self._frames(path, frames_of, own, own_invalid, others):
            yield completed(read, entries, beside, held, on_invalid)

    def _frames(
        self,
        path: Path,
        frames_of: Decoder,
        entries: Sequence[Entry],
        on_invalid: OnInvalid,
        beside: Sequence[str],
    ) -> Iterator[Beside]:
        names, format_ = names_of(entries, beside), format_of(path)
        if format_ in COLUMNAR:
            for frame in frames_of(path):
                yield as_entries(frame, entries, on_invalid), kept(frame, beside)
            return
        if format_ == "workbook":
            for frame in self._workbook(path).frames(names, rows_together(len(names)), on_invalid):
                yield read_cells(frame, entries, on_invalid, beside)
            return
        if format_ in SURVEY:
            variables = self.survey(path).variables(names)
            for frame in self.survey(path).frames(names, rows_together(len(names))):
                yield read_variables(frame, variables, entries, on_invalid, beside)
            return
        numbers = spelled_numbers(entries) - set(beside)
        for texts in self._csv(path).texts(names, numbers, on_invalid, self.span):
            yield of_texts(texts, entries, on_invalid), kept(texts, beside)

    @property
    def _columnar(self) -> ColumnarFiles:
        return ColumnarFiles(tuple(path for path in self.paths if format_of(path) in COLUMNAR), self.rows, self._called)

    def _no_rows(self, path: Path) -> TableError:
        where = self._called(path)
        return NoRowsError(f"Expected at least one row in {where}, got none. Check how the file was written.")

    def _called(self, path: Path) -> str:
        return self.name if self.is_pipe else path.name

    def _csv(self, path: Path) -> CsvFile:
        return CsvFile(path, self._called(path), self.written.encoding)

    def _workbook(self, path: Path) -> Workbook:
        return Workbook(path, self._called(path), self.written.sheet)

    def survey(self, path: Path) -> SurveyFile:
        """Return one of the files as one of SPSS, Stata or SAS."""
        return SurveyFile(path, self._called(path), format_of(path), self.written.encoding)


def _about_height(path: Path) -> int:
    """Return the size of a CSV file by the mean length of its first lines."""
    with path.open("rb") as stream:
        first = stream.read(HEAD)
    return path.stat().st_size * max(1, first.count(b"\n")) // max(1, len(first))
