"""Whether a table fits its schema, column by column: what a fit would refuse, told before one is paid for."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tacit.errors import TableError
from tacit.schema import Identifier, Label, Schema, Target
from tacit.table.batches import entries_of, read_batches
from tacit.table.files.cells import Entry
from tacit.table.files.frames import Query
from tacit.table.files.several import Files
from tacit.table.labels import without_label
from tacit.table.rows import read_identifiers_of, read_labels, read_rows


def table_faults(source: Files | Query, schema: Schema) -> tuple[str, ...]:
    """Return what a fit would refuse of a table: the first fault of each column, or nothing.

    Parameters
    ----------
    source : Files or Query
    schema : Schema

    Notes
    -----
    Privacy: each message names a column and a remedy, never a value or a count; but that there is one depends on the
    cells. The answer is for the owner of the rows, and no private output.
    """
    if _fits(source, schema):
        return ()
    # Only now each column by itself: most tables fit, and are read once.
    return tuple(dict.fromkeys(fault for entry in entries_of(schema) for fault in _faults(source, schema, entry)))


def _fits(source: Files | Query, schema: Schema) -> bool:
    try:
        return sum(len(batch) for batch in read_batches(source, schema, "raise", lambda names: None)) > 0
    except TableError:
        return False


def _faults(source: Files | Query, schema: Schema, entry: Entry) -> Iterator[str]:
    """Yield what is wrong with one column."""
    # Beside the label where rows without one are left out: no cell of theirs is read.
    entries = (entry,) if entry is schema.label or not schema.label.drops_missing else (entry, schema.label)
    n_rows = 0
    try:
        for read, _ in source.frames(entries, "raise"):
            frame = _labeled(read, schema.label)
            n_rows += frame.height
            if frame.height:
                _read(frame, schema, entry)
    except TableError as error:
        yield str(error)
    else:
        if not n_rows:
            yield "Expected at least one row, got none. Check the table."


def _labeled(frame: pl.DataFrame, label: Label | Target) -> pl.DataFrame:
    """Return the rows that a fit keeps: those with a label, where others are left out."""
    return frame.filter(~without_label(frame[label.name], label)) if label.drops_missing else frame


def _read(frame: pl.DataFrame, schema: Schema, entry: Entry) -> None:
    if isinstance(entry, Identifier):
        read_identifiers_of(frame, entry)
    elif isinstance(entry, Label | Target):
        read_labels(frame[entry.name], entry)
    else:
        read_rows(frame, Schema([entry], label=schema.label))
