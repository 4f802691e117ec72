"""From what is handed over to rows that fit their schema: each cell by itself, whatever the others are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError
from tacit.schema import Categorical, Column, Label, Numeric, Schema
from tacit.table.codebook import UNSEEN, Codebook
from tacit.table.containers import given_columns, opened_labels
from tacit.table.given_column import GivenColumn, expected_in, given_column, refusal
from tacit.table.numbers import read_numbers
from tacit.table.rows import OnInvalid, Rows


def read_rows(frame: Any, schema: Schema, *, on_invalid: OnInvalid = "raise") -> Rows:
    """Return the schema's columns of a data frame (by name), or of an array or list of rows (by position).

    Parameters
    ----------
    frame : pandas, polars or Arrow data frame, array of shape (n_rows, n_columns), or list of rows
        Further columns of a data frame are ignored; one whose columns are numbered goes by position.
    schema : Schema
    on_invalid : {"raise", "code"}
        What to do with a missing number, an unlisted category, text among numbers. ``"code"`` makes reading
        total but for columns of a type that none describes: a missing value takes its declared code, else the
        column's center; an unlisted category takes ``other``, else none of the categories. Numbers outside their
        bounds are clipped either way.

    Raises
    ------
    TableError
        If a column is missing or twice there, of a type that no schema describes (lists, structs, bytes, spans of
        time, complex numbers), or holds what the schema does not admit.

    Notes
    -----
    Privacy: what a row becomes depends on that row alone, also where a library chose a column's type by all cells;
    see ``tacit.table.cell``. Errors name the column and the remedy, never a value or a count. They are for the owner's
    eyes.
    """
    given = given_columns(frame, schema)
    columns = {column.name: _read(given[column.name], column, on_invalid) for column in schema.columns}
    n_rows = len(next(iter(columns.values())))
    if n_rows == 0:
        raise TableError("Expected at least one row, got an empty table. Check how the data were read.")
    return Rows(columns, n_rows)


def read_labels(labels: Any, label: Label, *, on_invalid: OnInvalid = "raise") -> NDArray[np.uint8]:
    """Return each label as its position among the sorted classes, shape (n_rows,).

    Raises
    ------
    TableError
        If a label is missing or not among the schema's classes, and ``on_invalid`` is ``"raise"``. With
        ``"code"`` such a label becomes the first class that the schema lists. Or if they are of a type that no label
        has.
    """
    classes = sorted(label.classes)
    codes = _codes(given_column(opened_labels(labels), expected_in(label)), Codebook(classes))
    if (codes == UNSEEN).any():
        if on_invalid == "raise":
            raise TableError(
                f"Expected every label {label.name!r} to be among the schema's classes, of their type. "
                "Complete the classes in the schema, or pass on_invalid='code' to count others as the first class."
            )
        codes[codes == UNSEEN] = classes.index(label.classes[0])
    return codes.astype(np.uint8 if len(classes) <= 256 else np.uint16)


def _read(given: GivenColumn, column: Column, on_invalid: OnInvalid) -> NDArray[Any]:
    if isinstance(column, Numeric):
        return read_numbers(given, column, on_invalid)
    return _read_categories(given, column, on_invalid)


def _read_categories(given: GivenColumn, column: Categorical, on_invalid: OnInvalid) -> NDArray[np.int32]:
    other = len(column.categories) if column.other else UNSEEN
    missing = UNSEEN
    if column.missing is not None:
        missing = Codebook(column.categories).code(column.missing)
    codes = _codes(given, Codebook(column.categories, other if missing == UNSEEN else missing))
    unseen = codes == UNSEEN
    if unseen.any():
        if not column.other and on_invalid == "raise":
            raise TableError(
                f"Expected every value of column {column.name!r} to be among the schema's categories, of their type "
                "(text, whole numbers and so on), and none to be missing. Complete `categories`, set `other = true` "
                "or `missing`, or pass on_invalid='code'."
            )
        codes[unseen] = other
    return codes


def _codes(given: GivenColumn, book: Codebook) -> NDArray[np.int32]:
    if given.kind == "moment":
        # As text, which one odd cell may turn the column into, moments could be categories.
        raise refusal(given.expected, "dates")
    if given.kind == "number" and book.ambiguous and (book.is_text or given.is_floating):
        raise refusal(given.expected, "numbers where two of those in the schema are the same number")
    return book.codes(given.cells(), of_one_type=given.kind != "cells")
