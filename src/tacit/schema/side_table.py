"""Further tables, in which a person may have any number of rows, and of which features of each person are computed."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from tacit.errors import SchemaError, shown
from tacit.schema._checks import as_call, as_number, as_tuple, checked_bound, checked_name, plain, unknown_name
from tacit.schema.columns import Column, Numeric
from tacit.schema.feature import checked_source
from tacit.schema.parts import checked_columns

if TYPE_CHECKING:
    import os

MAX_DAYS = 366 * 200
"""Of a window: longer than a life."""

_ISO_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, repr=False)
class SideTable:
    """A further table, in which one person may have any number of rows, or none.

    Parameters
    ----------
    name : str
        By which features, commands and ``tables=`` name it.
    columns : sequence of Numeric or Categorical
        What is read of it, as a schema's columns are. All of it is protected. A cell without anything is passed over,
        unless ``missing`` says what it counts as.
    key : str
        Its column that says whose a row is: text or whole numbers, read as an identifier is.
    main_key : str, optional
        The column of the main table that has the same values, each in one row; ``key`` if not given.
    file : str or path, optional
        Where it is: one file, a folder or a pattern. In a schema file it is relative to that file's folder.
    date : str, optional
        Its column that says when a row was, for "latest", "first", "span" and ``as_of``. A row whose date is missing or
        outside of that column's bounds is at no time.
    as_of : str or datetime.date, optional
        Rows count that were before it, by their date: a column of dates of the main table, or one date for all.
    days : int, optional
        With ``as_of``, how many days before it rows count, at most.

    Raises
    ------
    SchemaError
        If a field has the wrong type or contradicts another; the message names the table.

    Examples
    --------
    >>> SideTable("visits", [Numeric("cost", 0, 500)], key="person").main
    'person'
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    columns: tuple[Column, ...]
    _: KW_ONLY
    key: str
    main_key: str | None = None
    file: str | None = None
    date: str | None = None
    as_of: str | datetime.date | None = None
    days: int | None = None

    if TYPE_CHECKING:

        def __init__(  # what is accepted is wider than what is stored
            self,
            name: str,
            columns: Sequence[Column],
            *,
            key: str,
            main_key: str | None = None,
            file: str | os.PathLike[str] | None = None,
            date: str | None = None,
            as_of: str | datetime.date | None = None,
            days: int | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        self._set("name", checked_name(self.name, "a side table"))
        self._set("key", checked_name(self.key, f"the key of {self._where}"))
        if self.main_key is not None:
            self._set("main_key", checked_name(self.main_key, f"the main table's key of {self._where}"))
        if self.file is not None:
            self._set("file", checked_name(str(self.file), f"the file of {self._where}"))
        # A count of rows alone reads no column.
        listed = as_tuple(self.columns, "columns", self._where)
        self._set("columns", checked_columns(listed) if listed else ())
        for column in self.columns:
            self._check_column(column)
        if self.date is not None:
            self._check_date()
        self._check_window()

    def __repr__(self) -> str:
        return as_call(self, positional=2)

    @property
    def entry(self) -> str:
        """What ``guessed`` of a schema calls it, as a column may have its name."""
        return f"[[table]] {self.name}"

    @property
    def main(self) -> str:
        """The column of the main table that has the keys."""
        return self.key if self.main_key is None else self.main_key

    @property
    def day(self) -> Numeric | None:
        """The column of dates that says when a row was."""
        found = None if self.date is None else self.column(self.date)
        return found if isinstance(found, Numeric) else None

    @property
    def until(self) -> float | None:
        """The public date before which rows count, in days since 1970-01-01; None where each person has an own one."""
        return as_number(self.as_of) if isinstance(self.as_of, datetime.date) else None

    @property
    def until_column(self) -> str | None:
        """The main table's column of dates before which rows count."""
        return self.as_of if isinstance(self.as_of, str) else None

    def column(self, name: str) -> Column:
        """Return the column of this name; raises SchemaError if there is none."""
        found = next((column for column in self.columns if column.name == name), None)
        if found is None:
            raise SchemaError(f"In {self._where}: {unknown_name(name, [each.name for each in self.columns])}")
        return found

    def without_file(self) -> SideTable:
        """Return the same table, wherever it is."""
        return replace(self, file=None)

    @property
    def _where(self) -> str:
        return f"side table {self.name!r}"

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)

    def _check_column(self, column: Column) -> None:
        checked_source(column.from_table, column.private, f"column {column.name!r}")
        if column.from_table is not None or not column.private:
            raise SchemaError(
                f"Expected columns of {self._where} that are read from it, and private as all of it is, got column "
                f"{column.name!r}, which is not. Leave from and private out there."
            )
        if column.name == self.key:
            raise SchemaError(
                f"Expected a key of {self._where} that is no column, got {self.key!r}. Leave it out of the columns."
            )
        if isinstance(column, Numeric) and column.is_open:
            raise SchemaError(
                f"Expected low and high of column {column.name!r} in {self._where}, got open bounds. Write what is "
                "known from what the column means."
            )

    def _check_date(self) -> None:
        column = self.column(checked_name(self.date, f"the date of {self._where}"))
        if not (isinstance(column, Numeric) and column.is_date) or column.missing is not None:
            raise SchemaError(
                f"Expected date of {self._where} to be a column with dates as bounds, and nothing for missing ones, "
                f"got {self.date!r}. Write low and high as dates, and leave missing out."
            )

    def _check_window(self) -> None:
        day = self.day
        if self.as_of is None:
            if self.days is not None:
                raise SchemaError(
                    f"Expected as_of with days in {self._where}, got none. Say before which date the days are."
                )
            return
        if day is None:
            raise SchemaError(
                f"Expected date with as_of in {self._where}, got none. Name the column that says when a row was."
            )
        given = checked_bound(self.as_of, "as_of", self._where) if _is_date(self.as_of) else self.as_of
        self._set(
            "as_of", given if isinstance(given, datetime.date) else checked_name(given, f"as_of of {self._where}")
        )
        if self.until is not None and not day.lower < self.until <= day.upper + 1:
            raise SchemaError(
                f"Expected as_of within the bounds of column {day.name!r} in {self._where}, got as_of="
                f"{self.as_of}, before which no row is, or all are. Move it, or the bounds."
            )
        self._set("days", plain(self.days))
        if self.days is not None and not (type(self.days) is int and 1 <= self.days <= MAX_DAYS):
            raise SchemaError(
                f"Expected days of {self._where} to be a whole number from 1 to {MAX_DAYS:,}, got "
                f"days={shown(self.days)}. Write how many days before as_of count."
            )


def _is_date(value: object) -> bool:
    """Tell dates, and texts that spell one, from names of columns."""
    return isinstance(value, datetime.date) or (isinstance(value, str) and _ISO_DATE.fullmatch(value) is not None)
