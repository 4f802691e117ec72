"""Which rows have a label, and which class each is of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.schema import Label
from tacit.table.cell import plain
from tacit.table.codebook import Codebook
from tacit.table.containers import GivenColumn, expected_in, given_column, opened_labels
from tacit.table.read_columns import codes_of


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
        is_blank = type(value) is str and not value.strip() and value not in self._texts
        return super().code(None if is_blank else cell)


def label_codes(labels: Any, label: Label) -> tuple[GivenColumn, NDArray[np.signedinteger[Any]], int]:
    """Return labels as a column, the code of each as a ``LabelBook`` has it, and the code of none."""
    book = LabelBook(label)
    given = given_column(opened_labels(labels), expected_in(label))
    return given, codes_of(given, book, book.none + 1), book.none


def without_label(labels: Any, label: Label) -> NDArray[np.bool_]:
    """Return which rows have no label, shape (n_rows,).

    Privacy: only where the schema declares it public which rows have one may anything else follow from it.
    """
    _, codes, none = label_codes(labels, label)
    return np.asarray(codes == none)
