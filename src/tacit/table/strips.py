"""Some rows of a table at a time, for what looks at each once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any

from tacit.schema import Schema
from tacit.table.containers import GivenColumn, given_columns, is_frame, opened_table

_OPENED = 4
"""Strips of a pandas frame whose columns are opened together: opening one takes as long as reading 10,000 numbers."""


def given_strips(table: Any, schema: Schema, size: int) -> Iterator[Mapping[str, GivenColumn]]:
    """Yield the schema's columns as ``given_columns`` returns them, so many rows at a time."""
    opened = opened_table(table)
    if not is_frame(opened):
        for start in range(0, max(1, len(opened)), size):
            # Turned into columns strip by strip, as the whole array would be copied.
            yield given_columns(opened[start : start + size], schema)
        return
    whole = given_columns(opened, schema)
    for first, last in pairwise(_places_to_open(next(iter(whole.values())).source, size)):
        opened = {name: column.part(first, last).opened() for name, column in whole.items()}
        for start in range(0, max(1, last - first), size):
            yield {name: column.part(start, start + size) for name, column in opened.items()}


def _places_to_open(series: Any, size: int) -> list[int]:
    """Return where the rows begin, and end, whose columns are opened together: one strip, or several of pandas'."""
    if series.implementation.is_pandas_like():
        return [*range(0, len(series), _OPENED * size), len(series)] if len(series) else [0, 0]
    # Polars copies what lies in several chunks: strips end where chunks end, but for short ones.
    lengths = series.to_native().chunk_lengths() if series.implementation.is_polars() else [len(series)]
    places = [0]
    for end in accumulate(lengths):
        if 2 * (end - places[-1]) >= size or end == len(series):
            parts = max(1, -(-(end - places[-1]) // size))
            places += [places[-1] + (end - places[-1]) * part // parts for part in range(1, parts + 1)]
    return places
