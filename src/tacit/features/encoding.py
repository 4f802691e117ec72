"""Columns as encodings read them: a schema declares them, and some have cut points that were released."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Self

from tacit.errors import ModelFileError, SchemaError, TacitError
from tacit.kept import kept
from tacit.schema import Column, Numeric, Schema

Cuts = tuple[tuple[str, tuple[float, ...]], ...]
"""Cut points by column, in the column's units (days for dates)."""

_FIRST_DAY = date(1970, 1, 1)


@dataclass(frozen=True)
class Encoding:
    """What is computed of the named columns, in order, from one row at a time.

    Privacy: costs nothing, as nothing but the schema and what was released decides.
    """

    schema: Schema
    columns: tuple[str, ...]
    """Names of the columns to encode."""
    released: Cuts = field(default=(), kw_only=True)
    """Cut points that were released, which count in place of the schema's; those of other columns say nothing."""

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns, numbers with the cut points that were released for them."""
        found: dict[str, Column] = {}
        for name in self.columns:
            column = self.schema.column(name)
            if isinstance(column, Numeric) and name in self._cuts:
                column = cut_at(column, self._cuts[name])
            found[name] = column
        return found

    def alone(self, name: str) -> Self:
        """Return the same encoding of one column."""
        return replace(self, columns=(name,), released=((name, self._cuts[name]),) if name in self._cuts else ())

    @cached_property
    def _columns(self) -> tuple[Column, ...]:
        return tuple(map(self.by_name.__getitem__, self.columns))

    @cached_property
    def _cuts(self) -> dict[str, tuple[float, ...]]:
        return dict(self.released)


@kept
def cut_at(column: Numeric, points: tuple[float, ...]) -> Numeric:
    """Return the column with these cut points, in its units.

    Raises
    ------
    SchemaError
        If they are no days where it has dates, or do not increase strictly between its bounds.
    """
    if not column.is_date:
        return replace(column, cuts=tuple(points))
    if any(not point.is_integer() or not column.lower < point < column.upper for point in points):
        raise SchemaError(f"Expected days of column {column.name!r} as cut points, got others. Take whole numbers.")
    return replace(column, cuts=tuple(_FIRST_DAY + timedelta(days=int(point)) for point in points))


def check_cuts(schema: Schema, cuts: Cuts) -> None:
    """Raise ModelFileError unless they are cut points of numeric columns of the schema, each named once."""
    names = tuple(name for name, _ in cuts)
    try:
        columns = Encoding(schema, names, released=cuts).by_name
    except TacitError:
        columns = {}
    if len(columns) < len(cuts) or not all(isinstance(column, Numeric) for column in columns.values()):
        raise ModelFileError("Expected cut points that fit the schema. The file is damaged.")
