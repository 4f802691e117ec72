"""Whole tables of files as frames: by a schema, by kinds, or as they look, for a draft."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tacit.errors import TableError, guarded
from tacit.schema import Identifier, Kinds, Schema
from tacit.schema.guesses.conventions import Conventions
from tacit.schema.guesses.header import NO_NAMES
from tacit.schema.kinds import ColumnKind
from tacit.table.files.cells import Entry, as_it_looks
from tacit.table.files.frames import Beside, Query
from tacit.table.files.hive import held_by_folders
from tacit.table.files.memory import check_memory
from tacit.table.files.several import Files
from tacit.table.files.workbook import Cells
from tacit.table.rows import OnInvalid


def read_features(path: Path, schema: Schema, on_invalid: OnInvalid) -> pl.DataFrame:
    """Return the schema's columns; the label need not be there, and further columns are ignored."""
    return _whole(Files.of(path, schema.file), schema.inputs, on_invalid)[0]


def read_with_labels(
    source: Files | Query | Path, schema: Schema, on_invalid: OnInvalid
) -> tuple[pl.DataFrame, pl.Series]:
    """Return the schema's columns, with the identifier if there is one, and the labels."""
    files = Files.of(source, schema.file) if isinstance(source, Path) else source
    weight = None if schema.weight is None else schema.weight.as_column
    further = [each for each in (schema.identifier, weight) if each is not None]
    frame, _ = _whole(files, (*schema.full.inputs, schema.label, *further), on_invalid)
    names = [name for each in further for name in each.names]
    return frame[[*schema.full.input_names, *names]], frame[schema.label.name]


def read_for_draft(source: Files | Path, label: str | None) -> pl.DataFrame:
    """Return all named columns, typed as they look, from which a schema may be guessed; that is not private.

    The label must be there; a side table has none.
    """
    asked = () if label is None else (label,)
    files = source if isinstance(source, Files) else Files.of(source).in_found_encoding()
    files.check_columns(asked)
    listed = [name.strip() and name for name in files.names(asked)]
    names = [name for name in listed if name]
    if files.are_workbooks:
        return pl.DataFrame({name: _as_it_is(cells) for name, cells in files.cells(names).items()})
    if files.are_surveys:
        return files.declared(names)
    # Libraries write the number of each row without a name in front; some programs end each line with a separator.
    if "" in listed[1 : listed.index(names[-1])]:
        raise TableError(NO_NAMES)
    _, frame = _whole(files, (), "raise", names)
    if files.has_types:
        held, columns = held_by_folders(files.paths[0]), {each.name: each for each in frame.iter_columns()}
        return pl.DataFrame(
            {name: as_it_looks(each.alias("cells")) if name in held else each for name, each in columns.items()}
        )
    looks = pl.DataFrame({column.name: as_it_looks(column.alias("cells")) for column in frame.iter_columns()})
    if Conventions.of_frame(looks).decimal != ".":
        return looks
    return pl.DataFrame(
        {column.name: as_it_looks(column.alias("cells"), points=True) for column in frame.iter_columns()}
    )


def _as_it_is(cells: Cells) -> pl.Series:
    """Return a spreadsheet's column by the types of all of its cells."""
    found = cells.as_they_are()
    return as_it_looks(cells.as_texts()) if found is None else found


def kinds_of_types(source: Files | Path) -> Kinds | None:
    """Return the kinds that the types of a Parquet file's columns are, or None for a CSV file, which has no types."""
    files = source if isinstance(source, Files) else Files.of(source)
    types = files.types() if files.has_types else None
    return None if types is None else Kinds({name: _kind_of(dtype) for name, dtype in types.items()})


def read_by_kinds(files: Files, kinds: Kinds, identifier: Identifier | None = None) -> pl.DataFrame:
    """Return the columns that kinds name and do not ignore; cells that are none of their kind are missing."""
    numbers = [kinds.entry(name) for name in kinds.of("number", "date")]
    others = [name for name in kinds.used if name not in (*kinds.of("number"), *kinds.of("date"))]
    read, texts = _whole(files, [*numbers, *([identifier] if identifier else [])], "coerce", others)
    names = (*kinds.used, *(identifier.names if identifier else ()))
    return pl.DataFrame([read[name] if name in read.columns else texts[name] for name in names])


def _kind_of(dtype: pl.DataType) -> ColumnKind:
    if dtype.is_numeric():
        return "number"
    if dtype == pl.Boolean:
        return "boolean"
    if dtype in (pl.Date, pl.Datetime):
        return "date"
    return "category" if dtype in (pl.String, pl.Categorical, pl.Enum) else "ignored"


def _whole(files: Files | Query, entries: Sequence[Entry], on_invalid: OnInvalid, beside: Sequence[str] = ()) -> Beside:
    """Return the entries' columns as they are declared, and others as they are."""
    if isinstance(files, Files):
        check_memory(files.n_bytes, files.name)
    read = list(files.frames(entries, on_invalid, beside))
    frames, kept = zip(*read, strict=True)
    # A column may be coded where all cells of a frame are listed, and text in the next.
    return _joined(frames), _joined(kept)


def _joined(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    error = TableError("Expected types of columns that go together in all files, got others. Name one of the files.")
    return guarded(lambda: pl.concat(frames, how="vertical_relaxed"), error)
