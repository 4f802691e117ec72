"""Tables from files: CSV by the schema's types, or Parquet; errors name the column and never repeat a cell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from tacit.errors import TableError
from tacit.schema import Identifier, Kinds, Numeric, Schema
from tacit.schema.kinds import ColumnKind
from tacit.table.files.cells import Entry, as_entries, as_it_looks, of_texts
from tacit.table.files.csv_text import Header, read_header, read_texts
from tacit.table.files.parquet import parquet_names, read_parquet
from tacit.table.files.source import Source
from tacit.table.rows import OnInvalid

_PARQUET = b"PAR1"
_PACKED = {
    b"PK\x03\x04": "a spreadsheet or zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"\x28\xb5\x2f\xfd": "an archive",
}


def read_features(path: Path, schema: Schema, on_invalid: OnInvalid) -> pl.DataFrame:
    """Return the schema's columns; the label need not be there, and further columns are ignored."""
    return _read(path, schema.inputs, on_invalid)


def read_features_beside(
    path: Path, schema: Schema, on_invalid: OnInvalid, name: str
) -> tuple[pl.DataFrame, pl.Series]:
    """Return the schema's columns, and one more of the file as it is there: of a CSV, its texts."""
    frame, column = _read_beside(path, schema.inputs, on_invalid, (name,))
    return frame, column[name]


def read_with_labels(path: Path, schema: Schema, on_invalid: OnInvalid) -> tuple[pl.DataFrame, pl.Series]:
    """Return the schema's columns, with the identifier if there is one, and the labels."""
    frame = _read(path, (*schema.inputs, schema.label, *_identifier(schema)), on_invalid)
    return frame[[*schema.input_names, *(entry.name for entry in _identifier(schema))]], frame[schema.label.name]


def check_header(path: Path, schema: Schema) -> None:
    """Refuse a CSV file without the schema's columns or the label, by its first line alone: no row is read.

    Pipes, which are read once, and Parquet are left to be refused where they are read.
    """
    if not path.is_file():
        if not path.exists():
            Source.of(path)
        return
    source = Source.of(path)
    if not _is_parquet(source):
        names = [*schema.input_names, schema.label.name, *(entry.name for entry in _identifier(schema))]
        check_names(read_header(source, names).names, names, path.name)


def read_for_draft(path: Path, label: str) -> pl.DataFrame:
    """Return all named columns, typed as they look, from which a schema may be guessed; that is not private."""
    source = Source.of(path)
    if _is_parquet(source):
        frame = read_parquet(source, None)
        check_names(parquet_names(source), (label,), path.name)
        return _with_rows(frame[[name for name in frame.columns if name.strip()]], path)
    header = read_header(source, (label,))
    check_names(header.names, (label,), path.name)
    texts = _with_rows(read_texts(source, header, [name for name in header.names if name]), path)
    comma = header.separator == ";"  # as files with decimal commas have; a draft may look at a whole file
    return pl.DataFrame(
        {column.name: as_it_looks(column.alias("cells"), decimal_comma=comma) for column in texts.iter_columns()}
    )


def kinds_of_types(path: Path) -> Kinds | None:
    """Return the kinds that the types of a Parquet file's columns are, or None for a CSV file, which has no types."""
    source = Source.of(path)
    if not _is_parquet(source):
        return None
    read_parquet(source, ())  # refuses a damaged file
    return Kinds({name: _kind_of(dtype) for name, dtype in pl.read_parquet_schema(source.for_polars).items()})


def read_by_kinds(path: Path, kinds: Kinds) -> pl.DataFrame:
    """Return the columns that kinds name and do not ignore; cells that are none of their kind are missing."""
    source, names = Source.of(path), list(kinds.used)
    if _is_parquet(source):
        frame = read_parquet(source, names)
        check_names(parquet_names(source), names, path.name)
        return _with_rows(frame, path)[names]
    header = read_header(source, names)
    check_names(header.names, names, path.name)
    texts = _with_rows(read_texts(source, header, names, on_invalid="coerce"), path)
    numbers: dict[str, Entry] = {name: Numeric(name, 0, 1) for name in kinds.of("number")}
    numbers |= {name: Numeric(name, "2000-01-01", "2000-01-02") for name in kinds.of("date")}
    read = {name: of_texts(texts, [entry], "coerce")[name] for name, entry in numbers.items()}
    return pl.DataFrame({name: read.get(name, texts[name]) for name in names})


def _kind_of(dtype: pl.DataType) -> ColumnKind:
    if dtype.is_numeric():
        return "number"
    if dtype == pl.Boolean:
        return "boolean"
    if dtype in (pl.Date, pl.Datetime):
        return "date"
    return "category" if dtype in (pl.String, pl.Categorical, pl.Enum) else "ignored"


def _identifier(schema: Schema) -> tuple[Identifier, ...]:
    return (schema.identifier,) if schema.identifier else ()


def _read(path: Path, entries: Sequence[Entry], on_invalid: OnInvalid) -> pl.DataFrame:
    return _read_beside(path, entries, on_invalid, ())[0]


def _read_beside(
    path: Path, entries: Sequence[Entry], on_invalid: OnInvalid, beside: tuple[str, ...]
) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Return the entries' columns as they are declared, and others as they are; a pipe is read once for both."""
    names = list(dict.fromkeys([*(entry.name for entry in entries), *beside]))
    source = Source.of(path)
    if _is_parquet(source):
        frame = read_parquet(source, names)
        check_names(parquet_names(source), names, path.name)
        frame = _with_rows(frame, path)
        read = as_entries(frame, entries, on_invalid)
    else:
        header: Header = read_header(source, names)
        check_names(header.names, names, path.name)
        frame = _with_rows(read_texts(source, header, names, on_invalid=on_invalid), path)
        read = of_texts(frame, entries, on_invalid)
    return read, {name: frame[name] for name in beside}


def _is_parquet(source: Source) -> bool:
    """Tell Parquet by its first bytes, whatever the file is called."""
    with source.open() as stream:
        head = stream.read(4)
    refuse_packed(head, source.name)
    return head == _PARQUET


def refuse_packed(head: bytes, name: str) -> None:
    """Refuse what is known by its first bytes to hold files of other formats."""
    for mark, kind in _PACKED.items():
        if head.startswith(mark):
            raise TableError(f"Expected a CSV or Parquet file, got {kind} in {name}. Export or unpack it first.")


def check_names(present: Sequence[str], wanted: Sequence[str], where: str) -> None:
    """Say which wanted name is not there; never list those that are: without a header they are cells."""
    for name in wanted:
        if name not in present:
            folded = [each.strip().casefold() for each in present]
            near = name.strip().casefold() in folded
            remedy = (
                "There is one that differs in upper and lower case or blanks: names must be equal."
                if near
                else "Check the spelling, and that the first line of the file holds the names."
            )
            raise TableError(f"Expected a column named {name!r} in {where}, got none. {remedy}")


def _with_rows(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    if frame.height == 0:
        raise TableError(f"Expected at least one row in {path.name}, got none. Check how the file was written.")
    return frame
