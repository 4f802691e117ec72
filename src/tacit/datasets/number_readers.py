"""Readers of tables of measurements: every number becomes a float."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from tacit.schema import Categorical, Schema

Reader = Callable[[Sequence[bytes], Schema], pl.DataFrame]


def read_plain(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read one file without a header, separated by commas, the class at the end."""
    return _table(_cells(contents[0], ","), schema)


def read_blanks(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read one file without a header, separated by blanks, the class at the end."""
    return _table(_cells(contents[0], " "), schema)


def read_below_header(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read one file with a header, whose names are not used, separated by commas with stray blanks."""
    return _table(_cells(contents[0], ",")[1:], schema)


def read_below_header_if_any(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read one file separated by commas, with or without a header; a header begins with a letter."""
    return (read_below_header if contents[0][:1].isalpha() else read_plain)(contents, schema)


def read_arff(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read the rows of one ARFF file, which begin after a line @DATA."""
    _, _, rows = contents[0].partition(b"@DATA")
    return _table(_cells(rows, ","), schema)


def read_after_number(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read one file without a header, separated by commas, with a number of the sample in front, left out."""
    cells = _cells(contents[0], ",")
    return _table(cells.select(cells.columns[1:]), schema)


def at_least(limit: float, *, separator: str = ",", header: bool = False) -> Reader:
    """Return a reader of one file whose last column is a score; the class is 1 where it is at least the limit."""

    def read(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
        cells = _cells(contents[0], separator)[int(header) :]
        last = cells.columns[-1]
        reached = (pl.col(last).cast(pl.Float64) >= limit).cast(pl.Int64).cast(pl.String)
        return _table(cells.with_columns(reached.alias(last)), schema)

    return read


def _cells(content: bytes, separator: str) -> pl.DataFrame:
    """Return all cells as text without blanks around them."""
    text = content.replace(b"\r\n", b"\n").strip()
    frame = pl.read_csv(text, has_header=False, separator=separator, infer_schema=False)
    return frame.with_columns(pl.all().str.strip_chars(" "))


def _table(cells: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    names = (*schema.names, schema.label.name)
    if cells.width != len(names):
        raise ValueError("Expected a column for each of the schema's, and the label.")
    frame = cells.rename(dict(zip(cells.columns, names, strict=True)))
    label = schema.label
    whole = [label.name] if isinstance(label.classes[0], int) else []
    floats = [column.name for column in schema.columns if not isinstance(column, Categorical)]
    return frame.with_columns(pl.col(floats).cast(pl.Float64), pl.col(whole).cast(pl.Int64))
