"""Parquet files written frame by frame, so that no table is ever whole in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from tacit.errors import TableError


def write_alike(frames: Iterator[pl.DataFrame], folder: Path) -> Iterator[Path]:
    """Write frames into files of a folder, a new one where the types of columns change; yield their paths."""
    for at, (_, alike) in enumerate(groupby(map(_plain, frames), key=lambda frame: frame.schema)):
        path = folder / f"{at:06}.parquet"
        write_parquet(alike, path)
        yield path


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose categories are texts: those of one part of a column may be others than of the next."""
    return pl.DataFrame(
        [each.cast(pl.String) if each.dtype in (pl.Enum, pl.Categorical) else each for each in frame.iter_columns()]
    )


def write_parquet(frames: Iterator[pl.DataFrame], path: Path) -> None:
    """Write frames of the same columns one after the other.

    Raises
    ------
    TableError
        If there is none. What the frames themselves raise comes through as it is.
    """
    first, failures = next(frames, None), []
    if first is None:
        raise TableError("Expected at least one row, got none. Check the query.")

    def given(*_: Any) -> Iterator[pl.DataFrame]:
        try:
            yield from chain((first,), frames)
        except Exception as error:
            failures.append(error)  # our own, as polars would wrap it
            raise

    try:
        register_io_source(given, schema=first.schema).sink_parquet(path)
    except pl.exceptions.PolarsError:
        if not failures:
            raise
    if failures:
        raise failures[0]
