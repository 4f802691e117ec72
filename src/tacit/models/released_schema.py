"""What a fit's releases add to a schema: cut points, and the certificate of a learned schema."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache

from tacit.errors import ModelFileError, SchemaError, TacitError
from tacit.kept import kept
from tacit.models.document import as_plain, canonical, validated
from tacit.privacy import Guarantee
from tacit.schema import LearnedEntries, Numeric, Schema

Cuts = tuple[tuple[str, tuple[float, ...]], ...]
"""Cut points by column, in the column's units (days for dates)."""

_FIRST_DAY = date(1970, 1, 1)


@kept
def with_cuts(schema: Schema, cuts: Cuts) -> Schema:
    """Return the schema with other cut points in the named numeric columns.

    Raises ModelFileError if a column is named twice or is not numeric, or a cut point of dates is no day, or
    SchemaError if cut points do not increase strictly between the column's bounds.
    """
    if not cuts:
        return schema
    named = dict(cuts)
    if len(named) < len(cuts) or any(not isinstance(schema.column(name), Numeric) for name in named):
        raise ModelFileError("Expected cut points of numeric columns. The file is damaged.")
    columns = tuple(
        replace(column, cuts=_in_units(column, named[column.name]))
        if isinstance(column, Numeric) and column.name in named and column.cut_points != named[column.name]
        else column
        for column in schema.columns
    )
    return schema if columns == schema.columns else replace(schema, columns=columns)


def checked_cuts(schema: Schema, cuts: Cuts) -> Schema:
    """Return ``with_cuts``, every failure being one of the file.

    Raises
    ------
    ModelFileError
        If the cut points do not fit the schema.
    """
    try:
        return with_cuts(schema, cuts)
    except (TacitError, KeyError):
        raise ModelFileError("Expected cut points that fit the schema. The file is damaged.") from None


def _in_units(column: Numeric, cuts: tuple[float, ...]) -> tuple[float | date, ...]:
    if not column.is_date:
        return cuts
    if any(not cut.is_integer() or not column.lower < cut < column.upper for cut in cuts):
        raise ModelFileError("Expected days as cut points of dates. The file is damaged.")
    return tuple(_FIRST_DAY + timedelta(days=int(cut)) for cut in cuts)


def marked_learned(schema: Schema, guarantee: Guarantee, names: tuple[str, ...] | None = None) -> Schema:
    """Return a schema of which entries, all if they are not named, were learned at the cost of a certificate."""
    names = (*schema.names, schema.label.name) if names is None else names
    return replace(schema, learned=LearnedEntries(names, canonical(as_plain(guarantee))))


def schema_guarantee(schema: Schema) -> Guarantee | None:
    """Return the certificate of what learning a schema cost, or None if nothing was learned.

    Raises
    ------
    SchemaError
        If it is damaged.
    """
    return None if schema.learned is None else _read(schema.learned.certificate)


def on_schema(guarantee: Guarantee, schema: Schema) -> Guarantee:
    """Return the certificate of a fit with what learning its schema cost."""
    learned = schema_guarantee(schema)
    return guarantee if learned is None else guarantee.with_learned(learned)


@lru_cache(maxsize=16)
def _read(certificate: str) -> Guarantee:
    try:
        return validated(Guarantee, certificate)
    except ModelFileError:
        message = "Expected the certificate that `tacit schema learn` wrote under [learned], got a damaged one."
    raise SchemaError(f"{message} Learn the schema again.")
