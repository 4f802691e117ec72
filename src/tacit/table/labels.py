"""Which rows have a label, and which class each is of, or the number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError
from tacit.schema import Label, Target
from tacit.table.cell import plain
from tacit.table.codebook import Codebook
from tacit.table.containers import ColumnTypeError, GivenColumn, expected_in, given_column, opened_labels
from tacit.table.read_columns import can_be_listed, codes_of, fault, first_unseen, read_numbers

_LABELS = "Expected every label {name!r} to be among the schema's classes, of their type, got {what} {remedy}"
_NO_CLASS = (
    "A number to predict is no class, and this is a classifier: name it as the schema's target, for a regressor."
)
_NUMBERED = (
    "Tools that number the classes before they fit need a schema with Label(classes=[0, 1]), a number for each class. "
    "They are VotingClassifier, StackingClassifier, BaggingClassifier, OneVsRestClassifier, cross_val_predict, and "
    "CalibratedClassifierCV with method='temperature'."
)


class LabelBook(Codebook):
    """Codes of labels: positions among the table's sorted classes, and the next number for none.

    A label that is missing, or a text of blanks alone that is no class, is none; where the schema names the class of
    rows without a label, it is of that class.

    Parameters
    ----------
    label : Label
    """

    def __init__(self, label: Label):
        cells = sorted(label.cells)
        by_class = label.missing is not None and not label.drops_missing
        self.none = len(cells)
        super().__init__(cells, cells.index(label.missing) if by_class else self.none)  # type: ignore[arg-type]
        self.replace(label.replace or ())

    def code(self, cell: object) -> int:
        """Return the code of one cell of any type."""
        value = plain(cell)
        is_blank = type(value) is str and not value.strip() and not {value, ""} & self._texts.keys()
        return super().code(None if is_blank else cell)


def label_codes(labels: Any, label: Label) -> tuple[GivenColumn, NDArray[np.signedinteger[Any]], int]:
    """Return labels as a column, the code of each as a ``LabelBook`` has it, and the code of none."""
    book = LabelBook(label)
    given = given_column(opened_labels(labels), expected_in(label))
    return given, codes_of(given, book, book.none + 1), book.none


def without_label(labels: Any, label: Label | Target) -> NDArray[np.bool_]:
    """Return which rows have no label, shape (n_rows,).

    Privacy: only where the schema declares it public which rows have one may anything else follow from it.
    """
    if isinstance(label, Target):
        return _numbers(labels, label, "coerce")[1]
    _, codes, none = label_codes(labels, label)
    return np.asarray(codes == none)


def read_targets(
    labels: Any, target: Target, on_invalid: Literal["raise", "coerce"]
) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    """Return the numbers of rows that are kept, and which rows these are; see ``tacit.table.rows.read_labeled``.

    Where what is no number is coerced, it counts as the middle of the bounds.
    """
    numbers, absent = _numbers(labels, target, on_invalid)
    if not absent.any():
        return numbers, None
    if target.drops_missing:
        return numbers[~absent], ~absent
    if on_invalid == "raise":
        raise TableError(
            f"Expected a finite number in every row of target {target.name!r}, got input that contains NaN or infinity "
            "or nothing. Leave such rows out by missing = 'drop' of the target in the schema, which declares that "
            "everybody may know which rows have a number."
        )
    numbers[absent] = target.middle
    return numbers, None


def _numbers(
    labels: Any, target: Target, on_invalid: Literal["raise", "coerce"]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the number in each row, within the bounds, and where there is none."""
    column = target.as_column
    found, absent = read_numbers(given_column(opened_labels(labels), expected_in(target)), column, on_invalid)
    return found.astype(np.float64), absent.astype(bool)


def check_labels(
    given: GivenColumn, codes: NDArray[np.signedinteger[Any]], label: Label, on_invalid: Literal["raise", "coerce"]
) -> None:
    """Refuse labels of which some have no class; where they are coerced those of a type alone that no class has."""
    is_possible = can_be_listed(given, LabelBook(label))
    if is_possible and on_invalid == "coerce":
        return
    # Where labels are coerced their type alone is refused, and no cell is looked at.
    of_its_type = 0 if given.levels is None else ""
    cell, cells = first_unseen(given, codes) if on_invalid == "raise" else of_its_type, sorted(label.cells)
    message = _LABELS.format(name=label.name, what=fault(cell, cells)[0], remedy=_remedy(cell, cells))
    raise TableError(message) if is_possible else ColumnTypeError(message)


def _remedy(cell: Any, listed: Sequence[Any]) -> str:
    """Return what to do about a label that is no class, by its kind alone."""
    if isinstance(cell, float) and cell == cell and not cell.is_integer():
        return f"{_NO_CLASS} Or divide the numbers into classes, such as high and low."
    if isinstance(cell, bool | int | float) and cell == cell:
        return f"{_NUMBERED if isinstance(listed[0], str) else 'Complete the classes in the schema.'} {_NO_CLASS}"
    return "Convert the labels, or complete the classes in the schema." if isinstance(cell, str) else "Convert them."
