"""The column, or several together, that says which rows are of one person."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tacit.errors import SchemaError, shown
from tacit.schema._checks import as_call, as_tuple, checked_name, plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_ROWS = 10_000
"""Of one person, where rows are counted and not averaged: beyond, noise hides everything."""

RowsOfPerson = Literal["mean"] | int


@dataclass(frozen=True, repr=False)
class Identifier:
    """The column whose equal values are one person: neighboring tables differ in all rows of one person.

    Parameters
    ----------
    name : str or sequence of str
        Of text or whole numbers in every row. It is no feature, and predicting does not need it. Of several columns,
        rows with equal values in each are one person's.
    rows : "mean" or int
        ``"mean"``: each person has weight one, divided evenly among that person's rows; noise is that of one row. A
        number: at most so many rows of each person are read, which count one each; noise is so many times as much.

    Raises
    ------
    SchemaError
        If there is no name, or one twice, or ``rows`` is neither.

    Examples
    --------
    >>> Identifier("person_id")
    Identifier('person_id')
    >>> Identifier("person_id", rows=3).rows
    3
    >>> Identifier(["household", "number"]).names
    ('household', 'number')
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str | tuple[str, ...]
    rows: RowsOfPerson = "mean"

    if TYPE_CHECKING:

        def __init__(self, name: str | Sequence[str], rows: RowsOfPerson = "mean") -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _checked_names(self.name))
        object.__setattr__(self, "rows", _checked_rows(self.rows))

    def __repr__(self) -> str:
        return as_call(self, positional=1)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that name a person together; most identifiers have one."""
        return (self.name,) if isinstance(self.name, str) else self.name


def checked_rows_per_person(value: object) -> int:
    """Return the declared number of rows of one person; a schema's default is 1."""
    given = plain(value)
    if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= MAX_ROWS:
        return given
    raise SchemaError(
        f"Expected a whole number of rows from 1 to {MAX_ROWS:,}, got rows_per_person={shown(value)}. "
        "Give the most rows that one person has."
    )


def check_identifier(given: object, taken: Collection[str], rows_per_person: object) -> None:
    """Refuse what is no identifier, or has a taken name, or comes with a number of rows of its own; None is none."""
    if given is None:
        return
    if not isinstance(given, Identifier):
        raise SchemaError(
            f"Expected identifier to be an Identifier, got identifier={shown(given)}. Write Identifier(name)."
        )
    if double := [name for name in given.names if name in taken]:
        raise SchemaError(
            f"Expected an identifier that is neither a column nor the label, got identifier {double[0]!r}. "
            "Leave it out of the columns: a model of identifiers would give people away."
        )
    if plain(rows_per_person) != 1:
        raise SchemaError(
            f"Expected an identifier or rows_per_person, got rows_per_person={shown(rows_per_person)} with "
            "an identifier. Write Identifier(name, rows=...) alone."
        )


def _checked_names(name: object) -> str | tuple[str, ...]:
    """Return the name of one column, or the names of several; a list of one is that one."""
    if isinstance(name, str) or not isinstance(name, Collection):
        return checked_name(name, "the identifier")
    names = tuple(checked_name(each, "the identifier") for each in as_tuple(name, "name", "the identifier"))
    if not names or len(set(names)) < len(names):
        raise SchemaError(
            "Expected different columns for the identifier, which name a person together, got none, or one twice. Name "
            "each once."
        )
    return names[0] if len(names) == 1 else names


def _checked_rows(rows: object) -> RowsOfPerson:
    given = plain(rows)
    if given == "mean" and isinstance(given, str):
        return "mean"
    if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= MAX_ROWS:
        return given
    raise SchemaError(
        f"Expected rows 'mean' or a whole number from 1 to {MAX_ROWS:,} for the identifier, got rows={shown(rows)}. "
        "Write 'mean' to give each person weight one."
    )
