"""What a fit refuses by public things alone: its parameters, the schema, and the number of rows where that is known."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import polars as pl

from tacit.errors import ParameterError, SchemaError, TableError
from tacit.learners.learner import Learner
from tacit.schema import Column, Numeric, Schema
from tacit.table import Table
from tacit.table.cell import moments_of

MAX_RESTS = 100
"""Trainings of one class against the rest."""

# Enough that no learner asks for more; all alike, as nothing is trained on them.
_ROWS = 1_000

_SIZES = tuple(2**power for power in range(28))
"""Of tables whose number of rows is not known. Some fits need many rows, and some methods are taken of few alone: what
is refused at each of these sizes is refused at any."""


def made_up(schema: Schema) -> Table:
    """Return a table of the schema whose rows are nobody's."""
    columns = {column.name: [_cell(column)] * _ROWS for column in schema.full.inputs}
    if schema.identifier is not None:
        columns |= {name: [str(row) for row in range(_ROWS)] for name in schema.identifier.names}
    if schema.weight is not None:
        columns[schema.weight.name] = [schema.weight.cap] * _ROWS
    cells = (schema.target.low, schema.target.high) if schema.target else schema.class_label.cells
    labels = [cells[row % len(cells)] for row in range(_ROWS)]
    return Table.from_frame(pl.DataFrame(columns), labels, schema)


def refuse(schema: Any, n_rows: int | None, delta: float, refused: Callable[[Table], object]) -> None:
    """Raise what a fit raises before it releases anything, for a schema and a public number of rows.

    Parameters
    ----------
    schema : Schema
        Checked before.
    n_rows : int or None
        Public: of persons where an identifier names them. None where it is not known: then what is refused whatever it
        is.
    delta : float
        Of the fit, which is below 1/n_rows.
    refused : callable
        Raises for a table; trains and releases nothing.

    Raises
    ------
    ParameterError, SchemaError, TableError
        If the parameters do not suit the schema (too many levels, features or classes, or persons), or there are too
        few rows.
    """
    table = made_up(schema)
    error: Exception | None = None
    for size in _sizes(delta) if n_rows is None else (n_rows,):
        error = _error(refused, table, size)
        if error is None:
            return
    assert error is not None
    raise error  # of the most rows, for which least depends on their number


def _sizes(delta: float) -> list[int]:
    """Return the sizes that a delta admits, ascending; the last is the largest, as more rows suit most fits better."""
    largest = int(min(1 / delta, _SIZES[-1])) if delta else _SIZES[-1]
    if delta >= 1 / largest:
        largest -= 1
    return [*(size for size in _SIZES if size < largest), largest]


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


def check_groups_alone(schema: Schema) -> None:
    """Refuse a schema that protects nothing but columns that no model reads.

    Raises
    ------
    ParameterError
        If so.
    """
    if schema.full.private_columns and not schema.private_columns and not schema.label.private:
        raise ParameterError(
            "Expected a protected label, or a protected column that models read, with the private column "
            f"{schema.full.private_columns[0]!r}, got a schema whose model would need no privacy. Declare that column "
            "public, or fit without it, and evaluate by it afterwards."
        )


def check_suits(learner: Learner, table: Table, name: str) -> None:
    """Refuse a table that a learner does not take.

    Raises
    ------
    ParameterError
        If there are more trainings of one class against the rest than would end, or have a share of the budget; or
        persons with several rows where no proof covers them.
    """
    if not learner.multiclass and table.n_classes > MAX_RESTS:
        raise ParameterError(
            f"Expected at most {MAX_RESTS} classes, as {name} trains one against the rest for each, got "
            f"{table.n_classes:,}. Gather rare classes, or use NaiveBayesClassifier or TreeClassifier."
        )
    persons = table.unit.persons
    reason = learner.unsupported(persons) if persons else None
    if reason:
        raise ParameterError(
            f"Expected persons with one row each for {name}, got {persons}: {reason}. Choose another learner or "
            "setting, or keep one row of each person."
        )


def _cell(column: Column) -> Any:
    if isinstance(column, Numeric):
        return moments_of([column.lower], column)[0] if column.has_dates else column.low
    return column.categories[0] if column.buckets is None else "any text"
