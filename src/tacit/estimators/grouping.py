"""By which column held-out rows are grouped."""

from __future__ import annotations

from functools import partial

from tacit.errors import ParameterError, shown
from tacit.estimators.holdout import Check, check_size
from tacit.measures.group_counts import MAX_GROUPS
from tacit.privacy.parameters import NONE, Kind
from tacit.queries.held_out import Groups
from tacit.schema import Categorical, Schema
from tacit.schema.columns import is_indicator

HOLDOUT_BY = NONE | Kind("the name of a column", lambda value: isinstance(value, str), "Name one of categories.")


def groups_of(schema: Schema, by: str | None) -> Groups | None:
    """Return the categories of a column as groups; None where no column is named.

    Raises
    ------
    ParameterError
        If the schema has no such column of listed categories, or only one of them, or too many.
    """
    if by is None:
        return None
    listed = [
        each.name
        for each in schema.full.inputs
        if isinstance(each, Categorical) and each.buckets is None and 2 <= each.n_codes <= MAX_GROUPS
    ]
    if by not in listed:
        known = f"It has {', '.join(listed)}." if listed else "It has none."
        raise ParameterError(
            f"Expected a column of the schema with 2 to {MAX_GROUPS} listed categories to group by, got {shown(by)}. "
            f"{known}"
        )
    column = schema.column(by)
    assert isinstance(column, Categorical) and not is_indicator(column)
    return Groups(by, column.words)


def check_by(groups: Groups | None) -> Check:
    """Return what refuses too few rows to be counted by groups, or by none."""
    return partial(check_size, groups=groups)


def check_holdout_by(holdout: float, by: str | None, schema: Schema | str | None) -> None:
    """Refuse a grouping of no held-out rows, or by no column of the schema, where that is known."""
    if by is not None and not holdout:
        raise ParameterError(
            f"Expected a holdout with holdout_by={by!r}, got none: there would be no rows to group. Add holdout=0.2."
        )
    if isinstance(schema, Schema):
        groups_of(schema, by)
