"""Rows that fit their schema, and how they are read: each cell by itself, whatever the others hold."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError, TableError
from tacit.kept import kept
from tacit.schema import Identifier, Label, Numeric, Schema, Target
from tacit.schema.columns import is_indicator
from tacit.schema.label import DROP
from tacit.table.codebook import UNSEEN
from tacit.table.columns import Columns
from tacit.table.containers import (
    GivenColumn,
    given_columns,
    named_column,
    opened_table,
)
from tacit.table.labels import check_labels, label_codes, read_targets
from tacit.table.persons import Members, joined_identifiers, read_identifiers
from tacit.table.read_columns import read_categories, read_numbers
from tacit.table.storage import Storage
from tacit.table.strips import given_strips

OnInvalid = Literal["raise", "coerce"]

UNEQUAL = (
    "Found input variables with inconsistent numbers of samples: expected one label for each row. Pass rows and labels "
    "of the same length."
)
NONE_LABELED = "Expected a label {name!r} in some row, got none. Check the column of labels."

_FLOAT, _CODE = np.dtype(np.float64), np.dtype(np.int32)

_STRIP = 65_536
"""Rows that are read together to be looked at once: a tenth of the time goes into opening columns of a strip."""

_ENCODED_AT_ONCE = 8_192
"""Rows whose features are computed together, in float64."""


class Encoding(Hashable, Protocol):
    """A function of the schema and of one row at a time; equal ones give the same."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""

    def transform(self, rows: Rows) -> NDArray[Any]:
        """Return an array with one row for each of the rows."""


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Validated columns: float64 numbers within their bounds, int32 codes of categories (-1 is unseen)."""

    columns: Mapping[str, NDArray[Any]]
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected rows to stay where they are, got a request to copy or pickle them.")

    def slice(self, start: int, stop: int) -> Rows:
        """Return rows ``start`` to ``stop`` as views."""
        stop = min(stop, self.n_rows)
        if start == 0 and stop == self.n_rows:
            return self
        return Rows(Columns.of(self.columns).part(start, stop), stop - start)

    def take(self, positions: NDArray[np.intp]) -> Rows:
        """Return the rows at these positions, as copies."""
        return Rows(Columns.of(self.columns).each(lambda values: values[positions]), len(positions))

    def held(self, name: str) -> NDArray[Any]:
        """Return a column in the type in which it is kept, which may be shorter than its own."""
        return self.columns.held[name] if isinstance(self.columns, Columns) else self.columns[name]

    def once(self, name: str) -> NDArray[Any]:
        """Return a column as ``held`` does, for the only time: one that is read when asked for is not kept."""
        held = self.columns.held if isinstance(self.columns, Columns) else self.columns
        return held.once(name) if isinstance(held, _LazyColumns) else self.held(name)

    def kept(self, storage: Storage) -> Rows:
        """Return the same rows in a storage."""
        return Rows(storage.columns(self.columns), self.n_rows)

    def keeping(self) -> Rows:
        """Return the same rows, ready to be read many times."""
        return self

    def encoded(self, encoding: Encoding) -> NDArray[Any]:
        """Return what an encoding makes of the rows: float32 features or byte codes; see ``Block``."""
        made = encoding.transform(self.slice(0, 0))
        if made.dtype != np.float64:
            return encoding.transform(self)
        # Some rows at a time: in float64 a whole block would fit no cache.
        features = np.empty((self.n_rows, made.shape[1]), dtype=np.float32)
        for start in range(0, self.n_rows, _ENCODED_AT_ONCE):
            strip = self.slice(start, start + _ENCODED_AT_ONCE)
            features[start : start + len(strip)] = encoding.transform(strip)
        return features


def read_rows(
    frame: Any, schema: Schema, *, on_invalid: OnInvalid = "raise", kept: NDArray[np.bool_] | None = None
) -> Rows:
    """Return the schema's columns of a data frame (by name), or of an array or list of rows (by position).

    Privacy: what a row becomes depends on that row alone, also where a library chose a column's type by all cells;
    see ``tacit.table.cell``. Errors name the column and the remedy, never a value or a count. They are for the owner's
    eyes.

    Raises TableError if a column is missing or twice there, of a type that no schema describes (lists, structs, bytes,
    spans of time, complex numbers), or holds what the schema does not admit.

    Parameters
    ----------
    frame : pandas, polars or Arrow data frame, array of shape (n_rows, n_columns), or list of rows
        Further columns of a data frame are ignored; one whose columns are numbered goes by position.
    on_invalid : {"raise", "coerce"}
        What to do with a missing number, an unlisted category, text among numbers. ``"coerce"`` makes reading
        total but for columns of a type that none describes: a missing value takes its declared code, else the
        column's center; an unlisted category takes ``other``, else none of the categories. Numbers outside their
        bounds are clipped either way.
    kept : array of shape (n_rows,), optional
        Which rows are read; no cell of the others is.
    """
    given = given_columns(opened_table(frame), schema)
    return _rows({name: of_rows(column, kept) for name, column in given.items()}, schema, on_invalid)


def read_strips(frame: Any, schema: Schema, *, on_invalid: OnInvalid = "raise") -> Iterator[Rows]:
    """Yield the rows that ``read_rows`` returns, some at a time, for what needs each once.

    They take a fixed amount of memory beside the frame, in buffers that the caches hold. Where several cells are
    refused, the error is about the first strip that has one.
    """
    for given in given_strips(frame, schema, _STRIP):
        columns = _LazyColumns(given, schema, on_invalid)
        yield Rows(Columns(columns, kinds_of(schema)), columns.n_rows)
        columns.check()


def _rows(given: Mapping[str, GivenColumn], schema: Schema, on_invalid: OnInvalid) -> Rows:
    columns = _LazyColumns(given, schema, on_invalid)
    return Rows(Columns(dict(columns), kinds_of(schema)), columns.n_rows)


class _LazyColumns(Mapping[str, NDArray[Any]]):
    """Columns that are read when they are asked for: what is used at once is still in the caches then."""

    def __init__(self, given: Mapping[str, GivenColumn], schema: Schema, on_invalid: OnInvalid):
        self._given, self._schema, self._on_invalid = given, schema, on_invalid
        self._kept: dict[str, NDArray[Any]] = {}
        self._checked: set[str] = set()
        self.n_rows = len(next(iter(given.values())).source)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._kept:
            self._read(_places(self._schema)[name])
        return self._kept[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._schema.names)

    def __len__(self) -> int:
        return len(self._schema.columns)

    def once(self, name: str) -> NDArray[Any]:
        """Return a column that is not kept here."""
        values = self[name]
        del self._kept[name]
        return values

    def check(self) -> None:
        """Read the columns that nobody asked for, as their cells are refused, too."""
        for name in self:
            if name not in self._checked:
                self.once(name)

    def _read(self, at: int) -> None:
        column = self._schema.columns[at]
        if is_indicator(column):
            self._read(at - 1)  # the number before it has it
            return
        self._checked.add(column.name)
        if not isinstance(column, Numeric):
            self._kept[column.name] = read_categories(self._given[column.name], column, self._on_invalid)
            return
        self._kept[column.name], absent = read_numbers(self._given[column.name], column, self._on_invalid)
        following = self._schema.columns[at + 1 : at + 2]
        if following and is_indicator(following[0]):
            self._kept[following[0].name] = absent
            self._checked.add(following[0].name)


@kept
def _places(schema: Schema) -> dict[str, int]:
    return {column.name: at for at, column in enumerate(schema.columns)}


@kept
def kinds_of(schema: Schema) -> dict[str, np.dtype[Any]]:
    """Return the types of the columns of rows, as encodings read them."""
    return {
        each.name: _FLOAT if isinstance(each, Numeric) and not is_indicator(each) else _CODE for each in schema.columns
    }


def read_persons(frame: Any, schema: Schema, kept: NDArray[np.bool_] | None = None) -> Members | None:
    """Return which person each row that is kept of a data frame is of, or None for a schema without an identifier.

    Raises
    ------
    TableError
        If the frame lacks a column of the identifier, it is of neither text nor whole numbers, or a row has none;
        whatever is done with invalid cells, as nobody could be protected by a missing identifier.
    """
    if schema.identifier is None:
        return None
    return Members.of(read_identifiers_of(frame, schema.identifier, kept))


def read_identifiers_of(frame: Any, identifier: Identifier, kept: NDArray[np.bool_] | None = None) -> list[str]:
    """Return each row's identifier as text; see ``read_persons``."""
    expected = "text or whole numbers in identifier"
    parts = [
        read_identifiers(of_rows(named_column(frame, name, f"{expected} {name!r}"), kept), name)
        for name in identifier.names
    ]
    return parts[0] if len(parts) == 1 else joined_identifiers(parts)


def read_labels(labels: Any, label: Label | Target, *, on_invalid: OnInvalid = "raise") -> NDArray[Any]:
    """Return each label as its position among the sorted classes, shape (n_rows,), where no row is left out.

    Of a number to predict, the number, within its bounds.

    Raises
    ------
    TableError
        As of ``read_labeled``, or if a row has no label where the schema leaves out such rows.
    """
    codes, kept = read_labeled(labels, label, on_invalid=on_invalid)
    if kept is not None:
        raise TableError(f"Expected rows with a label {label.name!r} alone, got some without. Leave those out before.")
    return codes


def read_labeled(
    labels: Any, label: Label | Target, *, on_invalid: OnInvalid = "raise"
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return the labels of rows that are kept, as positions among the sorted classes, and which rows these are.

    Numbers to predict are float64, within their bounds.

    All are kept, for which None is returned, but where the schema declares it public which rows have a label.

    Raises
    ------
    TableError
        If a label is missing and the schema does not say what becomes of the row, or is not among its classes, and
        ``on_invalid`` is ``"raise"``. With ``"coerce"`` such a label becomes the first class that the schema lists. Or
        if they are of a type that no class has, whatever the cells are.

    Notes
    -----
    Privacy: rows are left out by this function alone. Proof: ``proofs/privacy/labeled_rows.md``.
    """
    if isinstance(label, Target):
        return read_targets(labels, label, on_invalid)
    cells = sorted(label.cells)
    given, codes, none = label_codes(labels, label)
    absent, kept = codes == none, None
    if absent.any():
        if label.drops_missing:
            given, codes, kept = of_rows(given, ~absent), codes[~absent], ~absent
        elif on_invalid == "raise":
            raise TableError(_no_label(label))
        codes[codes == none] = UNSEEN
    unseen = codes < 0
    if unseen.any():
        check_labels(given, codes, label, on_invalid)
        first = label.cells[0] if label.listed is None else label.listed[0]
        codes[unseen] = cells.index(first)
    classes = sorted(label.classes)
    places = np.asarray([classes.index(label.class_of(cell)) for cell in cells])
    return np.asarray(places.astype(np.uint8 if len(classes) <= 256 else np.uint16)[codes]), kept


def _no_label(label: Label) -> str:
    readers = " Some readers of CSV turn texts such as None and NA into missing cells."
    return (
        f"Expected a label {label.name!r} in every row, got a row without one. Leave such rows out by missing = "
        f"{DROP!r} of the label in the schema, which declares that everybody may know which rows have a label; or list "
        f"a class of its own for them, and name it there.{readers if isinstance(label.cells[0], str) else ''}"
    )


def of_rows(given: GivenColumn, kept: NDArray[np.bool_] | None) -> GivenColumn:
    """Return the rows of a column that are kept."""
    if kept is None:
        return given
    if len(kept) != len(given.source):
        raise TableError(UNEQUAL)
    return replace(given, source=given.source[np.flatnonzero(kept)])
