"""What a fit refuses by public things alone: its parameters, the schema, and the number of rows where that is known."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import polars as pl

from tacit.errors import ParameterError, SchemaError, TableError
from tacit.schema import Column, Numeric, Schema
from tacit.table import Table
from tacit.table.cell import moments_of

# Enough that no learner asks for more; all alike, as nothing is trained on them.
_ROWS = 1_000

_SIZES = (10**2, 10**4, 10**6, 10**8)
"""Of tables whose number of rows is not known: what is refused at each of them is refused at any."""


def made_up(schema: Schema) -> Table:
    """Return a table of the schema whose rows are nobody's."""
    columns = {column.name: [_cell(column)] * _ROWS for column in schema.inputs}
    if schema.identifier is not None:
        columns |= {name: [str(row) for row in range(_ROWS)] for name in schema.identifier.names}
    labels = [schema.label.cells[row % len(schema.label.cells)] for row in range(_ROWS)]
    return Table.from_frame(pl.DataFrame(columns), labels, schema)


def refuse(schema: Any, n_rows: int | None, refused: Callable[[Table], object]) -> None:
    """Raise what a fit raises before it releases anything, for a schema and a public number of rows.

    Parameters
    ----------
    schema : Schema
        Checked before.
    n_rows : int or None
        Public: of persons where an identifier names them. None where it is not known: then what is refused whatever it
        is.
    refused : callable
        Raises for a table; trains and releases nothing.

    Raises
    ------
    ParameterError, SchemaError, TableError
        If the parameters do not suit the schema (too many levels, features or classes, or persons), or there are too
        few rows.
    """
    table = made_up(schema)
    errors = [_error(refused, table, size) for size in (_SIZES if n_rows is None else (n_rows,))]
    found = [error for error in errors if error is not None]
    if len(found) == len(errors):
        raise found[-1]  # of the most rows, for which least depends on their number


def _error(refused: Callable[[Table], object], table: Table, n_rows: int) -> Exception | None:
    """Return what is refused of a table that says that it has so many rows."""
    table.n_persons = n_rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit gives them
        try:
            refused(table)
        except (ParameterError, SchemaError, TableError) as error:
            return error
    return None


def check_schema_given(schema: object) -> None:
    """Raise ParameterError if there is no schema, and say where one comes from."""
    if schema is None:
        raise ParameterError(
            "Expected a schema, got none. Pass one: tacit.Schema([...], label=...) says what is public about the "
            "table, and `tacit schema draft` writes a first version."
        )


def _cell(column: Column) -> Any:
    if isinstance(column, Numeric):
        return moments_of([column.lower], column)[0] if column.has_dates else column.low
    return column.categories[0] if column.buckets is None else "any text"
