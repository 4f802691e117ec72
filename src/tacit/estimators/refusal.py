"""What a learner refuses of a table, as ``fit`` does, without a fit."""

from __future__ import annotations

from typing import Any

import polars as pl

from tacit.estimators.base import PrivateClassifier
from tacit.estimators.training import plan_of
from tacit.schema import Column, Numeric, Schema
from tacit.table import Table
from tacit.table.cell import moments_of

# Enough that no learner asks for more; all alike, as nothing is trained on them.
_ROWS = 1_000


def made_up(schema: Schema) -> Table:
    """Return a table of the schema whose rows are nobody's."""
    columns = {column.name: [_cell(column)] * _ROWS for column in schema.inputs}
    if schema.identifier is not None:
        columns |= {name: [str(row) for row in range(_ROWS)] for name in schema.identifier.names}
    labels = [schema.label.cells[row % len(schema.label.cells)] for row in range(_ROWS)]
    return Table.from_frame(pl.DataFrame(columns), labels, schema)


def refuse(estimator: PrivateClassifier, table: Table) -> None:
    """Raise what ``fit`` would raise for the table before it spends; train nothing, release nothing.

    Parameters
    ----------
    estimator : PrivateClassifier
        Whose schema is the table's.
    table : Table
        May be made up: what is asked are the schema, the number of rows, and whether they are of persons.

    Raises
    ------
    ParameterError, SchemaError, TableError
        If the parameters do not suit the schema: too many levels, features or classes, or persons.
    """
    checked = estimator._checked()
    plan_of(checked._learner_for(table), table)


def _cell(column: Column) -> Any:
    if isinstance(column, Numeric):
        return moments_of([column.lower], column)[0] if column.has_dates else column.low
    return column.categories[0] if column.buckets is None else "any text"
