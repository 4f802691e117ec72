"""The linear encodings by name, as parameters and model files write them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from tacit.errors import ParameterError
from tacit.schema import Column, Numeric, Schema
from tacit.table.linear_encoding import LinearEncoding
from tacit.table.one_hot import OneHotEncoding

EncodingName = Literal["binned", "one-hot", "ordinal"]

FeatureEncoding = LinearEncoding | OneHotEncoding


def named_encoding(schema: Schema, columns: tuple[str, ...], name: EncodingName, parts: int = 8) -> FeatureEncoding:
    """Return the encoding of the columns.

    Parameters
    ----------
    schema : Schema
    columns : tuple of str
    name : {"binned", "one-hot", "ordinal"}
        Numbers and categories one-hot, numbers by the bins of a public grid; numbers in [-1, 1] and categories
        one-hot; or numbers and the categories' positions in [-1, 1].
    parts : int
        Bins of a number without cut points, for ``"binned"``.

    Raises
    ------
    ParameterError
        If there is no encoding of this name, or the parts are too many or too few.

    Examples
    --------
    >>> from tacit.schema import Label, Schema
    >>> schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["low", "high"]))
    >>> named_encoding(schema, ("age",), "binned", parts=3).n_features
    3
    """
    if name not in get_args(EncodingName):
        raise ParameterError(
            f"Expected encoding 'binned', 'one-hot' or 'ordinal', got encoding={name!r}. Choose one of them."
        )
    if name == "binned":
        return OneHotEncoding(with_long_tails(schema), columns, parts)
    return LinearEncoding(schema, columns, name)


def with_long_tails(schema: Schema) -> Schema:
    """Return the schema with a logarithmic grid where the public center of a number is one of its bounds.

    Equal parts would put nearly everybody into one bin: who declares that the middle of a column is its end says
    that it has a long tail. Columns with cut points, or on a logarithmic scale already, stay as they are.

    Examples
    --------
    >>> from tacit.schema import Label, Schema
    >>> schema = Schema([Numeric("gain", 0, 1000, center=0)], label=Label("income", ["low", "high"]))
    >>> with_long_tails(schema).columns[0].scale
    'log'
    """
    return replace(schema, columns=tuple(_long_tailed(column) for column in schema.columns))


def _long_tailed(column: Column) -> Column:
    if not isinstance(column, Numeric) or column.is_date or column.center is None or column.cuts is not None:
        return column
    return replace(column, scale="log") if column.middle in (column.lower, column.upper) else column
