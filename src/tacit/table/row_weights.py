"""Survey weights of rows, read of a column of their own and kept with the columns that are learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TableError
from tacit.table.columns import Columns
from tacit.table.containers import GivenColumn, given_column, named_column, opened_labels
from tacit.table.read_columns import read_numbers
from tacit.table.rows import UNEQUAL, OnInvalid, Rows, of_rows

if TYPE_CHECKING:
    from tacit.schema import Schema, Weight


def opened_weights(given: Any) -> Any:
    """Return weights as a series or an array."""
    try:
        return opened_labels(given)
    except TableError:
        raise TableError(
            "Expected one weight for each row, as a 1D array, a list or a column, got something else. Pass numbers."
        ) from None


def with_weights(
    rows: Rows,
    frame: Any,
    schema: Schema,
    on_invalid: OnInvalid,
    *,
    kept: NDArray[np.bool_] | None = None,
    given: Any = None,
) -> Rows:
    """Return rows with their weights, under the weight's name, as parts of the cap; as they are where there are none.

    Parameters
    ----------
    rows : Rows
        That were kept of the frame.
    frame : data frame, array or list of rows
    kept : array of shape (n_rows,), optional
        Which rows of the frame they are.
    given : series or array of shape (n_rows,), optional
        Weights that are no column of the frame, opened.

    Raises
    ------
    TableError
        If the frame has no such column, or a weight is no number of at least 0.

    Notes
    -----
    Privacy: what a row weighs depends on that row alone. No message repeats a weight.
    """
    weight = schema.weight
    if weight is None:
        return rows
    expected = f"numbers in weight {weight.name!r}"
    column = named_column(frame, weight.name, expected) if given is None else given_column(given, expected)
    if given is not None and len(column.source) != (rows.n_rows if kept is None else len(kept)):
        raise TableError(UNEQUAL.replace("label", "weight"))
    parts = _parts(of_rows(column, kept), weight, on_invalid)
    return Rows(Columns.of(rows.columns).with_column(weight.name, parts), rows.n_rows)


def _parts(column: GivenColumn, weight: Weight, on_invalid: OnInvalid) -> NDArray[np.float64]:
    found, absent = read_numbers(column, weight.as_column, "coerce")
    numbers = np.asarray(found, dtype=np.float64)
    refused = (absent != 0) | (numbers < 0)
    if refused.any():
        if on_invalid == "raise":
            raise TableError(
                f"Expected a finite number of at least 0 as the weight {weight.name!r} of every row, got a row with "
                "another or none. Correct it, or leave such rows out; with on_invalid='coerce' they count nothing."
            )
        numbers = np.where(refused, 0.0, numbers)
    return parts_of_cap(np.rint(numbers) if weight.whole else numbers, weight)


def parts_of_cap(numbers: NDArray[np.float64], weight: Weight) -> NDArray[np.float64]:
    """Return weights of at least 0 over the public cap, from 0 to 1: each follows from its own row alone.

    Privacy: what a row can move rests on the clip, and on dividing by nothing that was read of the table.
    """
    return np.asarray(np.minimum(numbers, weight.cap) / weight.cap)
