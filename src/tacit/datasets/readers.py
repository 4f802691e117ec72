"""From the bytes of a data set's files to one table, with all features in the schema's order and the label last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import polars as pl

from tacit.schema import Categorical, Column, Label, Schema

Reader = Callable[..., pl.DataFrame]

Header = Literal["none", "names", "unused", "unused, if any"]


def read_cells(
    contents: Sequence[bytes],
    schema: Schema,
    *,
    separator: str = ",",
    header: Header = "none",
    label: Literal["last", "first"] = "last",
    leave_out: int = 0,
    numbers: Literal["whole", "real"] = "whole",
    class_from: float | None = None,
) -> pl.DataFrame:
    """Read files of separated cells, one below the other.

    Parameters
    ----------
    schema : Schema
        Names and types of all columns.
    header : {"none", "names", "unused", "unused, if any"}
        Whether the first line names the columns, and whether those are the schema's names. A header begins with a
        letter; without names, columns come in the schema's order.
    label : {"last", "first"}
        Where it is without names.
    leave_out : int
        Columns in front that are no features.
    numbers : {"whole", "real"}
        What numeric features become.
    class_from : float, optional
        The label is a score; its class is 1 from here on.
    """
    cells = pl.concat([_cells(each, separator, header) for each in contents])
    if header != "names":
        cells = _named(cells.select(cells.columns[leave_out:]), schema, label)
    if class_from is not None:
        cells = cells.with_columns(_class_from(schema.label.name, class_from))
    columns = (*schema.columns, schema.label)
    return cells.select(_typed(each, numbers) for each in columns)


def read_adult(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read adult.data and adult.test, which begins with a comment and has a full stop after each label."""
    lines = [b"\n".join(line.rstrip(b".") for line in each.splitlines() if line[:1] != b"|") for each in contents]
    return read_cells(lines, schema)


def read_credit(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read the credit table, whose header is either that of the spreadsheet or X1 to X23 and Y."""
    header, _, rows = contents[0].partition(b"\n")
    numbered = {f"X{place}": name for place, name in enumerate(schema.names, start=1)} | {"Y": schema.label.name}
    names = [name.strip('"') for name in header.decode().strip().split(",")]
    renamed = ",".join(numbered.get(name, name) for name in names)
    return read_cells([renamed.encode() + b"\n" + rows], schema, header="names")


def read_arff(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read the rows of one ARFF file, which begin after a line @DATA."""
    return read_cells([contents[0].partition(b"@DATA")[2]], schema, numbers="real")


def read_libsvm(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read sparse text in which every row has every feature: ``label 1:value 2:value ...``."""
    # Some copies end each line with a blank, which is no further column.
    cells = pl.concat([_cells(part.replace(b" \n", b"\n"), " ", "none") for part in contents])
    first, *rest = cells.columns
    bare = [pl.col(name).str.strip_prefix(f"{place}:") for place, name in enumerate(rest, start=1)]
    named = _named(cells.select(pl.col(first).str.strip_prefix("+"), *bare), schema, "first")
    return named.select(_typed(each, "real") for each in (*schema.columns, schema.label))


def read_breast_cancer(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read the table that scikit-learn ships; there are no files."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    frame = pl.from_numpy(bunch.data, schema=[str(name) for name in bunch.feature_names])
    target = pl.Series(schema.label.name, bunch.target_names[bunch.target].tolist(), dtype=pl.String)
    return frame.with_columns(target).select(*schema.names, schema.label.name)


READERS: dict[str, Reader] = {
    "cells": read_cells,
    "adult": read_adult,
    "credit": read_credit,
    "arff": read_arff,
    "libsvm": read_libsvm,
    "breast-cancer": read_breast_cancer,
}
"""By the name that the catalog calls them."""


def _cells(content: bytes, separator: str, header: Header) -> pl.DataFrame:
    """Return all cells as text, without blanks around them."""
    text = content.replace(b"\r\n", b"\n").strip()
    frame = pl.read_csv(text, has_header=header == "names", separator=separator, infer_schema=False)
    above = header == "unused" or (header == "unused, if any" and text[:1].isalpha())
    return frame[int(above) :].with_columns(pl.all().str.strip_chars(" "))


def _named(cells: pl.DataFrame, schema: Schema, label: Literal["last", "first"]) -> pl.DataFrame:
    own = [schema.label.name]
    names = [*own, *schema.names] if label == "first" else [*schema.names, *own]
    if cells.width != len(names):
        raise ValueError("Expected a column for each of the schema's, and the label.")
    return cells.rename(dict(zip(cells.columns, names, strict=True)))


def _class_from(label: str, limit: float) -> pl.Expr:
    return (pl.col(label).cast(pl.Float64) >= limit).cast(pl.Int64).cast(pl.String)


def _typed(entry: Column | Label, numbers: Literal["whole", "real"]) -> pl.Expr:
    """Return a column of texts as what its entry describes."""
    text = pl.col(entry.name)
    listed = entry.cells if isinstance(entry, Label) else entry.categories if isinstance(entry, Categorical) else None
    if listed is not None and (not listed or isinstance(listed[0], str)):
        return text
    # Some copies of credit-default write round amounts as 1e+05: through a float, whole numbers too.
    real = text.cast(pl.Float64)
    return real if listed is None and numbers == "real" else real.cast(pl.Int64)
