"""Some rows of a table at a time, for what looks at each once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from tacit.schema import Schema
from tacit.table.containers import GivenColumn, given_columns, is_frame, opened_table

_OPENED = 4
"""Strips whose columns are opened together: opening one of pandas' takes as long as reading 10,000 numbers."""


def given_strips(table: Any, schema: Schema, size: int) -> Iterator[Mapping[str, GivenColumn]]:
    """Yield the schema's columns as ``given_columns`` returns them, so many rows at a time."""
    opened = opened_table(table)
    if not is_frame(opened):
        for start in range(0, max(1, len(opened)), size):
            # Turned into columns strip by strip, as the whole array would be copied.
            yield given_columns(opened[start : start + size], schema)
        return
    whole = given_columns(opened, schema)
    for first, last, step in _groups(next(iter(whole.values())).source, size):
        opened = {name: column.part(first, last).opened() for name, column in whole.items()}
        for start in range(0, max(1, last - first), step):
            yield {name: column.part(start, start + step) for name, column in opened.items()}


def _groups(series: Any, size: int) -> Iterator[tuple[int, int, int]]:
    """Yield the rows whose columns are opened together: the first and the last, and how many are a strip of them."""
    # Polars copies what lies in several chunks: strips end where chunks end, but for short ones.
    lengths = series.to_native().chunk_lengths() if series.implementation.is_polars() else [len(series)]
    start = 0
    for end in accumulate(lengths):
        if 2 * (end - start) < size and end < len(series):
            continue
        step = -(-(end - start) // max(1, -(-(end - start) // size))) or size
        for first in range(start, max(end, start + 1), _OPENED * step):
            yield first, min(first + _OPENED * step, end), step
        start = end
