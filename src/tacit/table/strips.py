"""Some rows of a table at a time, for what looks at each once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from tacit.schema import Schema
from tacit.table.containers import GivenColumn, given_columns, opened_table

_OPENED = 4
"""Strips whose columns are opened together: opening one of pandas' takes as long as reading 10,000 numbers."""


def given_strips(table: Any, schema: Schema, size: int) -> Iterator[Mapping[str, GivenColumn]]:
    """Yield the schema's columns as ``given_columns`` returns them, so many rows at a time."""
    opened = opened_table(table)
    if isinstance(opened, np.ndarray):
        for start in range(0, max(1, len(opened)), size):
            # Turned into columns strip by strip, as the whole array would be copied.
            yield given_columns(opened[start : start + size], schema)
        return
    whole = given_columns(opened, schema)
    for first, last, step in _groups([column.source for column in whole.values()], size):
        together = {name: column.part(first, last).opened() for name, column in whole.items()}
        for start in range(0, max(1, last - first), step):
            yield {name: column.part(start, start + step) for name, column in together.items()}


def _groups(columns: list[Any], size: int) -> Iterator[tuple[int, int, int]]:
    """Yield the rows whose columns are opened together: the first and the last, and how many are a strip of them."""
    start, n_rows = 0, len(columns[0])
    for end in accumulate(_lengths(columns)):
        if 2 * (end - start) < size and end < n_rows:
            continue
        step = -(-(end - start) // max(1, -(-(end - start) // size))) or size
        for first in range(start, max(end, start + 1), _OPENED * step):
            yield first, min(first + _OPENED * step, end), step
        start = end


def _lengths(columns: list[Any]) -> list[int]:
    """Return rows that lie together: polars copies what lies in several chunks, so that strips end where these end."""
    # Columns whose type narwhals does not know are arrays already.
    native = (column.to_native() for column in columns if not isinstance(column, np.ndarray))
    chunks = next((series.chunk_lengths() for series in native if hasattr(series, "chunk_lengths")), None)
    return chunks or [len(columns[0])]
