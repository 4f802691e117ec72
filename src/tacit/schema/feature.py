"""What a column is computed of where it is in no table: one person's rows in a side table."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, get_args

from tacit.errors import SchemaError, shown
from tacit.schema._checks import Value, as_call, checked_name, kind_of, plain

Take = Literal["count", "any", "share", "distinct", "mean", "min", "max", "sum", "latest", "first", "span"]
"""What is taken of a person's rows."""

OF_ROWS: frozenset[Take] = frozenset(("count", "any", "distinct", "sum"))
"""What a person without rows has, too: nothing, counted. All others are missing then."""
_OF_VALUE: frozenset[Take] = frozenset(("count", "any", "share"))
_WITHOUT_COLUMN: frozenset[Take] = frozenset(("count", "any", "span"))


@dataclass(frozen=True, repr=False)
class Feature:
    """What a column is, for each person, of that person's rows in a side table.

    Parameters
    ----------
    table : str
        Name of the side table.
    take : {"count", "any", "share", "distinct", "mean", "min", "max", "sum", "latest", "first", "span"}
        How many rows there are; whether any; the share of rows with ``value``; the number of different values; a
        number's mean, least, largest and sum; the value of the latest and of the first row by the table's ``date``;
        the largest number or date less the least, of dates in days.
    of : str, optional
        Column of the side table that is read; cells that are missing there are passed over. ``"count"`` and ``"any"``
        count rows without it, ``"span"`` takes the table's date.
    value : str, int, float or bool, optional
        A category: only rows with it count for ``"count"``, ``"any"`` and ``"share"``.

    Raises
    ------
    SchemaError
        If fields contradict each other.

    Notes
    -----
    Privacy: a function of one person's rows and of the schema alone. Of several rows of one date the latest is the
    highest value and the first the lowest, in the order of a category's list. ``proofs/queries/side_tables.md``.

    Examples
    --------
    >>> Feature("visits", "share", "ward", "surgery")
    Feature('visits', 'share', 'ward', 'surgery')
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    table: str
    take: Take
    of: str | None = None
    value: Value | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", checked_name(self.table, "a side table"))
        given: object = self.take
        if not isinstance(given, str) or given not in get_args(Take):
            raise SchemaError(
                f"Expected take to be one of {', '.join(get_args(Take))}, got take={shown(given)}. Write one of them."
            )
        if self.of is not None:
            object.__setattr__(self, "of", checked_name(self.of, "a column of a side table"))
        object.__setattr__(self, "value", plain(self.value))
        self._check_together()

    def __repr__(self) -> str:
        return as_call(self, positional=4)

    def pairs(self) -> dict[str, Any]:
        """Return what it says, by name, as a schema file has it."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in found.items() if value is not None}

    def _check_together(self) -> None:
        if self.of is None and self.take not in _WITHOUT_COLUMN:
            raise SchemaError(
                f"Expected of with take={self.take!r}, got none. Name the column of the side table that is read."
            )
        if self.value is None:
            if self.take == "share":
                raise SchemaError("Expected value with take='share', got none. Name the category whose share is meant.")
            return
        if self.take not in _OF_VALUE or self.of is None or kind_of(self.value) is None:
            raise SchemaError(
                f"Expected value, a category, with of and take 'count', 'any' or 'share', got "
                f"value={shown(self.value)} with take={self.take!r}. Leave value out, or name the column that lists it "
                "under of."
            )


def read_feature(entry: object, where: str) -> Feature | None:
    """Return the feature that ``from`` of an entry of a schema file says, None for none.

    Raises
    ------
    SchemaError
        If it is no table of known names.
    """
    names = [field.name for field in fields(Feature)]
    if entry is None or isinstance(entry, Feature):
        return entry
    if not isinstance(entry, dict) or not {"table", "take"} <= set(entry) <= set(names):
        raise SchemaError(
            f"Expected {', '.join(names)} under from of {where}, got something else. Write from = {{table = ..., "
            'take = "count"}.'
        )
    return Feature(**entry)


def checked_source(feature: object, private: bool, where: str) -> None:
    """Refuse what is no feature, and one that would be public.

    Raises
    ------
    SchemaError
        If it is something else; or if it is public: how many rows a person has in a side table, and whether any, is
        protected.
    """
    if feature is None:
        return
    if not isinstance(feature, Feature):
        raise SchemaError(f"Expected from_table of {where} to be a Feature, got {shown(feature)}. Write Feature(...).")
    if not private:
        raise SchemaError(
            f"Expected a private {where}, as it is computed of rows in a side table, which are always protected, got "
            "private=False. Leave private out, or write private = true."
        )
