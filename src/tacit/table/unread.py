"""What is refused of rows and labels in memory before a cell of them is looked at."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from tacit.errors import TableError
from tacit.schema import Schema
from tacit.table.containers import check_columns
from tacit.table.data_frames import opened_frame
from tacit.table.row_weights import with_weights
from tacit.table.rows import UNEQUAL, OnInvalid, read_labels, read_rows


def check_types(table: Any, labels: Any, schema: Schema, on_invalid: OnInvalid, weights: Any = None) -> int | None:
    """Refuse an opened table and labels by names or width, types and lengths; looks at no cell.

    What reads rows reads none of them, which refuses the types that it would.

    Returns
    -------
    int or None
        How many rows there are; None of a query, which was not asked yet.
    """
    check_columns(table, schema.full)
    read_labels(labels[:0], schema.label, on_invalid=on_invalid)
    frame = opened_frame(table)
    if frame is not None and not isinstance(frame, nw.DataFrame):
        return None
    none = table[:0] if frame is None else frame.head(0)
    rows = read_rows(none, schema.full, on_invalid=on_invalid)
    with_weights(rows, none, schema, on_invalid, given=None if weights is None else weights[:0])
    n_rows = int(len(table) if frame is None else frame.shape[0])
    if n_rows == 0:
        raise TableError("Expected at least one row, got an empty table. Check how the data were read.")
    if len(labels) != n_rows:
        raise TableError(UNEQUAL)
    return n_rows
