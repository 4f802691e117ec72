"""From the bytes of a data set's files to one table: a function for each data set's layout.

Each takes the files' contents, in the record's order, and the schema, which knows names and types. It returns the
features in the schema's order with the label as the last column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from tacit.schema import Categorical, Column, Label, Schema

Types = Mapping[str, type[pl.DataType]]


def read_adult(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read adult.data and adult.test: no header, blanks after commas, a full stop after each test label."""
    types = _types(schema, numbers=pl.Int64)
    parts = [_headless(part.replace(b", ", b","), types) for part in contents]
    return pl.concat(parts).with_columns(pl.col(schema.label.name).str.strip_suffix("."))


def read_semicolons(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read one file with a header, separated by semicolons, text in double quotes."""
    return _in_order(pl.read_csv(contents[0], separator=";", schema_overrides=_types(schema, numbers=pl.Int64)), schema)


def read_commas(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read one file with a header, separated by commas."""
    return _in_order(pl.read_csv(contents[0], schema_overrides=_types(schema, numbers=pl.Int64)), schema)


def read_credit(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read the credit table, whose header is either that of the spreadsheet or X1 to X23 and Y.

    Some copies write round amounts as 1e+05, so that every number is read as a float before it becomes an integer.
    """
    frame = pl.read_csv(contents[0], infer_schema=False)
    numbered = {f"X{place}": name for place, name in enumerate(schema.names, start=1)} | {"Y": schema.label.name}
    frame = _in_order(frame.rename(numbered, strict=False), schema)
    return frame.with_columns(pl.all().str.strip_chars().cast(pl.Float64).cast(pl.Int64))


def read_class_first(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read one file without a header, separated by commas, the class in front."""
    types = _types(schema, numbers=pl.Int64)
    label = schema.label.name
    return _in_order(_headless(contents[0], {label: types[label], **types}), schema)


def read_class_first_parts(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read files without a header, the class in front, one after the other."""
    return pl.concat([read_class_first([content.replace(b"\r\n", b"\n")], schema) for content in contents])


def read_class_last(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read one file without a header, separated by commas, the class at the end."""
    return _in_order(_headless(contents[0], _types(schema, numbers=pl.Int64)), schema)


def read_tabs(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read one file without a header, separated by tabs, the class at the end."""
    content = contents[0].replace(b"\r\n", b"\n")
    return _in_order(_headless(content, _types(schema, numbers=pl.Int64), separator="\t"), schema)


def read_libsvm(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read sparse text in which every row has every feature: ``label 1:value 2:value ...``."""
    names = ("class", *schema.names)
    types = dict.fromkeys(names, pl.String)
    # Some copies end each line with a blank, which is no further column.
    parts = [_headless(part.replace(b" \n", b"\n"), types, separator=" ") for part in contents]
    values = [
        pl.col(name).str.strip_prefix(f"{place}:").cast(pl.Float64) for place, name in enumerate(schema.names, start=1)
    ]
    return pl.concat(parts).select(*values, _whole("class").alias(schema.label.name))


def read_breast_cancer(contents: Sequence[bytes], schema: Schema) -> pl.DataFrame:
    """Read the table that scikit-learn ships; there are no files."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    frame = pl.from_numpy(bunch.data, schema=[str(name) for name in bunch.feature_names])
    target = pl.Series(schema.label.name, bunch.target_names[bunch.target].tolist(), dtype=pl.String)
    return _in_order(frame.with_columns(target), schema)


def _headless(text: bytes, types: Types, *, separator: str = ",") -> pl.DataFrame:
    # A bar begins a comment line in the files of the MLC++ library.
    return pl.read_csv(
        text.strip(),
        has_header=False,
        separator=separator,
        comment_prefix="|",
        schema=types,
    )


def _types(schema: Schema, *, numbers: type[pl.DataType]) -> dict[str, type[pl.DataType]]:
    return {entry.name: _type(entry, numbers) for entry in (*schema.columns, schema.label)}


def _type(entry: Column | Label, numbers: type[pl.DataType]) -> type[pl.DataType]:
    if isinstance(entry, Categorical | Label):
        values = entry.classes if isinstance(entry, Label) else entry.categories
        return pl.String if isinstance(values[0], str) else pl.Int64
    return numbers


def _whole(name: str) -> pl.Expr:
    return pl.col(name).str.strip_prefix("+").cast(pl.Int64)


def _in_order(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    return frame.select(*schema.names, schema.label.name)
