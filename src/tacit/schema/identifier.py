"""The column that says which rows are of one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tacit.errors import SchemaError, shown
from tacit.schema._checks import as_call, checked_name, plain

if TYPE_CHECKING:
    from typing import Any

MOST_ROWS = 10_000
"""Of one person, where rows are counted and not averaged: beyond, noise hides everything."""

RowsOfPerson = Literal["mean"] | int


@dataclass(frozen=True, repr=False)
class Identifier:
    """The column whose equal values are one person: neighboring tables differ in all rows of one person.

    Parameters
    ----------
    name : str
        Of text or whole numbers in every row. It is no feature, and predicting does not need it.
    rows : "mean" or int
        ``"mean"``: each person weighs one, divided evenly among that person's rows; noise is that of one row. A
        number: at most so many rows of each person are read, which count one each; noise is so many times as much.

    Raises
    ------
    SchemaError
        If there is no name, or ``rows`` is neither.

    Examples
    --------
    >>> Identifier("person_id")
    Identifier('person_id')
    >>> Identifier("person_id", rows=3).rows
    3
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    rows: RowsOfPerson = "mean"

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_name(self.name, "the identifier"))
        object.__setattr__(self, "rows", _checked_rows(self.rows))

    def __repr__(self) -> str:
        return as_call(self, positional=1)


def checked_rows_per_person(value: object) -> int:
    """Return the declared number of rows of one person; a schema's default is 1."""
    given = plain(value)
    if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= MOST_ROWS:
        return given
    raise SchemaError(
        f"Expected a whole number of rows from 1 to {MOST_ROWS:,}, got rows_per_person={shown(value)}. "
        "Give the most rows that one person has."
    )


def _checked_rows(rows: object) -> RowsOfPerson:
    given = plain(rows)
    if given == "mean" and isinstance(given, str):
        return "mean"
    if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= MOST_ROWS:
        return given
    raise SchemaError(
        f"Expected rows 'mean' or a whole number from 1 to {MOST_ROWS:,} for the identifier, got rows={shown(rows)}. "
        "Write 'mean' to weigh each person one."
    )
