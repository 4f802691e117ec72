"""A private table whose columns have public names and kinds, but no bounds and no categories yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError, TableError
from tacit.privacy import Persons, PrivacyUnit
from tacit.privacy.stability import ColumnValue
from tacit.schema import Identifier, Kinds, Label, Schema
from tacit.schema.replacing import Pairs
from tacit.table.cell import as_float, number_of_text, plain
from tacit.table.containers import GivenColumn, named_column, refusal
from tacit.table.data_frames import Unread, collected
from tacit.table.persons import Members, unit_weight_for
from tacit.table.rows import read_identifiers_of, read_rows

LONGEST_VALUE = 200
"""Characters of a category; a longer text is no name of anything and counts as missing."""

_NO_NAMES = "Expected a data frame with named columns, got something else. Name the columns."

_WHOLE = 2**53
"""Whole numbers below it are the same as doubles, in which other tables may hold them."""


class RawTable:
    """Rows by kind of column alone: numbers within bounds that hold every number, and values of categories.

    Parameters
    ----------
    frame : data frame
        With the columns that the kinds name.
    kinds : Kinds
        Public; ignored columns are not read.
    rows_per_person : int
        The most rows that one person has.
    identifier : Identifier, optional
        Where persons have several rows that it names: of numbers and dates alone, as a person brings many values.

    Attributes
    ----------
    unit : PrivacyUnit
        Every column that is read is protected.
    n_persons : int
        Public: persons where an identifier names them, else rows.
    unit_weight : int
        What counts are in: so many are one row, or one person.

    Raises
    ------
    TableError
        If a column is missing, or of a type that its kind cannot be, whatever its cells hold, or a row has no
        identifier.

    Notes
    -----
    Privacy: each cell is read by itself, and no cell is refused: what its kind cannot hold counts as missing. Only
    ``tacit.queries`` asks a table for counts. It cannot be pickled.
    """

    def __init__(
        self, frame: Any, kinds: Kinds, *, rows_per_person: int = 1, identifier: Identifier | None = None
    ) -> None:
        frame = collected(frame, (*kinds.used, *(identifier.names if identifier else ())))
        if not isinstance(frame, nw.DataFrame):
            raise TableError(_NO_NAMES)
        persons = Persons(None, rows_per_person, True) if rows_per_person > 1 else None
        if identifier:
            persons = Persons(identifier.name, identifier.rows)
        self.unit = PrivacyUnit(kinds.used, label=False, persons=persons)
        if identifier and (listed := kinds.of("category", "code")):
            raise PrivacyError(f"Expected numbers and dates of persons, got column {listed[0]!r}. Declare its values.")
        # Columns of booleans need no release, and are not looked at.
        categories = {name: _categories(frame, name, kinds) for name in kinds.of("category", "code")}
        self._values = {name: values for name, (values, _) in categories.items()}
        self._columns = _numbers(frame, kinds) | {name: codes for name, (_, codes) in categories.items()}
        self.n_persons, self.unit_weight = _checked_height(frame), 1
        self._weights: NDArray[np.float64] | None = None
        if identifier:
            self._read_persons(frame, identifier)

    def rows_by_cell(self, name: str, edges: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return rows by cell of a column of numbers, shape (n_edges + 1,): cell i ends at edge i, which it holds.

        Of persons that an identifier names, by the weights of their rows; missing numbers are in the first cell.
        """
        found = np.searchsorted(edges, self._columns[name], side="left")
        return np.bincount(found, self._weights, minlength=len(edges) + 1).astype(np.int64)

    def rows_by_value(self, name: str) -> tuple[tuple[ColumnValue, ...], NDArray[np.int64]]:
        """Return the values that occur in a column of categories, ascending, and how many rows have each."""
        values, codes = self._values[name], self._columns[name]
        counts = np.bincount(codes[codes >= 0], minlength=len(values)).astype(np.int64)
        # A column's type may list values that no row has.
        present = np.flatnonzero(counts)
        return tuple(values[at] for at in present), counts[present]

    def __repr__(self) -> str:
        return f"<RawTable of {len(self.unit.columns)} columns; rows stay inside>"

    def __reduce__(self) -> Any:
        raise PrivacyError("Expected a table to stay where its rows are, got a request to copy or pickle it.")

    def _read_persons(self, frame: Any, identifier: Identifier) -> None:
        members = Members.of(read_identifiers_of(frame, identifier))
        self.n_persons = members.n_persons
        if identifier.rows == "mean":
            self.unit_weight = unit_weight_for(self.n_persons)
            self._weights = members.weights(self.unit_weight)
            return
        kept, _ = members.first(identifier.rows)
        self._columns = {name: column[kept] for name, column in self._columns.items()}


def check_undescribed(frame: Any, kinds: Kinds, identifier: Identifier | None = None) -> int | None:
    """Refuse an opened frame by names and types of its columns, as ``RawTable`` does; looks at no cell.

    Returns
    -------
    int or None
        How many rows there are; None where an identifier names persons, and of a query, which was not asked yet.
    """
    if isinstance(frame, Unread):
        return None
    if not isinstance(frame, nw.DataFrame):
        raise TableError(_NO_NAMES)
    none = frame.head(0)
    if identifier:
        read_identifiers_of(none, identifier)
    _numbers(none, kinds)
    for name in kinds.of("category", "code"):
        _categories(none, name, kinds)
    n_rows = _checked_height(frame)
    return None if identifier else n_rows


def _checked_height(frame: nw.DataFrame[Any]) -> int:
    if not len(frame):
        raise TableError("Expected at least one row, got none. Check the table.")
    return len(frame)


def _numbers(frame: Any, kinds: Kinds) -> dict[str, NDArray[Any]]:
    entries = [kinds.entry(name) for name in kinds.of("number", "date")]
    if not entries:
        return {}
    # The label is not read with columns.
    wide = Schema(entries, label=Label(_unused(kinds), [False, True]))
    read = read_rows(frame, wide, on_invalid="coerce").columns
    # Below every cell of a grid: what a missing one counts as may be a number of another row.
    return {
        number.name: np.where(read[absent.name] == 1, -np.inf, read[number.name])
        for number, absent in zip(wide.inputs, wide.columns[1::2], strict=True)
    }


def _categories(frame: Any, name: str, kinds: Kinds) -> tuple[tuple[ColumnValue, ...], NDArray[np.int64]]:
    read: Callable[[object], ColumnValue | None] = _text if name in kinds.of("category") else _code
    given = named_column(frame, name, f"text, numbers or truth values in column {name!r}")
    if given.kind == "moment":  # by type: libraries refuse a column for one moment that Python does not know
        raise refusal(given.expected, "dates")
    return _coded(given, _replacing(kinds.replaced(name), read))


def _coded(
    given: GivenColumn, read: Callable[[object], ColumnValue | None]
) -> tuple[tuple[ColumnValue, ...], NDArray[np.int64]]:
    """Return the values that occur, ascending, and each row's place among them, -1 for a missing one."""
    found = given.distinct()
    if found is None:
        cells = given.cells()
        memo: dict[Any, ColumnValue | None] = {}
        read_cells = [_remembered(memo, cell, read) for cell in cells]
    else:
        read_cells = [read(cell) for cell in found[0]]
    values = tuple(sorted({value for value in read_cells if value is not None}))
    place: Mapping[ColumnValue | None, int] = {value: at for at, value in enumerate(values)} | {None: -1}
    codes = np.asarray([place[value] for value in read_cells], dtype=np.int64)
    return values, codes if found is None else codes[found[1]]


def _remembered(
    memo: dict[Any, ColumnValue | None], cell: Any, read: Callable[[object], ColumnValue | None]
) -> ColumnValue | None:
    if type(cell) is not str:
        return read(cell)  # 1, 1.0 and True are one key of a dict, and a cell may have any type
    if cell not in memo:
        memo[cell] = read(cell)
    return memo[cell]


def _replacing(pairs: Pairs, read: Callable[[object], ColumnValue | None]) -> Callable[[object], ColumnValue | None]:
    """Return what reads a cell after its text was replaced; a number goes by its value, as in a schema's columns."""
    if not pairs:
        return read
    texts = dict(pairs)
    spelled = {text: number_of_text(text) for text in texts}
    numbers = {as_float(number): texts[text] for text, number in spelled.items() if number is not None}

    def replaced(cell: object) -> ColumnValue | None:
        value = plain(cell)
        text = value.strip() if isinstance(value, str) else None
        number = number_of_text(text) if text is not None else value
        by = texts.get(text) if text is not None else None
        if by is None and isinstance(number, bool | int | float):
            by = numbers.get(as_float(number))
        return read(value if by is None else by)

    return replaced


def _text(cell: object) -> str | None:
    """Return the category that a cell names; a number is the text that spells it."""
    value = plain(cell)
    if isinstance(value, bool | int):
        # Python refuses to spell thousands of digits.
        return str(int(value)) if abs(value) < 10**LONGEST_VALUE else None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < _WHOLE else repr(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    return text if text and len(text) <= LONGEST_VALUE and text.isprintable() else None


def _code(cell: object) -> int | None:
    """Return the whole number that a cell is or spells."""
    value = plain(cell)
    value = number_of_text(value) if isinstance(value, str) else value
    if isinstance(value, bool | int | float) and abs(value) < _WHOLE and value == int(value):
        return int(value)
    return None


def _unused(kinds: Kinds) -> str:
    """Return a name that no column has."""
    return "x" * (1 + max(len(name) for name, _ in kinds.columns))
