"""Queries and data sets of other libraries as frames of some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import narwhals as nw
import polars as pl

from tacit.errors import TableError, guarded
from tacit.privacy.progress_events import RowsRead
from tacit.schema import Identifier
from tacit.table.arrow_columns import plain_table
from tacit.table.data_frames import arrow_reader, is_dask_frame, is_of, known
from tacit.table.files.cells import Entry, as_entries
from tacit.table.rows import OnInvalid

Beside = tuple[pl.DataFrame, pl.DataFrame]
"""Columns as the schema reads them, and further columns of the same rows as they are."""

_CELLS = 2**22
"""Of a frame: 32 MiB of numbers, and a few times that while they are read."""

_NO_QUERY = "Expected a query or data set that can be read, got one that fails. Read some of its rows, to see why."


def check_names(present: Sequence[str], wanted: Sequence[str], where: str) -> None:
    """Say which wanted name is not there; never list those that are: without a header they are cells."""
    for name in wanted:
        if name not in present:
            folded = [each.strip().casefold() for each in present]
            near = name.strip().casefold() in folded
            remedy = (
                "There is one that differs in upper and lower case or blanks: names must be equal."
                if near
                else "Check the spelling, and that the first line of the file holds the names."
            )
            raise TableError(f"Expected a column named {name!r} in {where}, got none. {remedy}")


def rows_together(n_columns: int) -> int:
    """Return how many rows of so many columns are read at a time."""
    return max(1024, min(2**17, _CELLS // max(1, n_columns)))


def names_of(entries: Sequence[Entry], beside: Sequence[str]) -> list[str]:
    """Return the columns to read, each once."""
    return list(dict.fromkeys([*(name for entry in entries for name in entry.names), *beside]))


def has_public_count(entries: Sequence[Entry]) -> bool:
    """Tell whether the number of rows is public: no identifier is among what is read."""
    return not any(isinstance(entry, Identifier) for entry in entries)


def kept(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return columns as they are; to polars an empty list of names means all."""
    return pl.DataFrame([frame[name] for name in names])


@dataclass(frozen=True)
class Query:
    """A polars LazyFrame, a pyarrow dataset, a DuckDB relation, a Dask data frame or a stream of Arrow's batches.

    Its rows are counted when they are read, of a stream once.

    Parameters
    ----------
    names : tuple of str
        Its columns.
    open : callable
        Returns the frames of the named columns, of about so many rows each.
    partitions : object, optional
        The Dask data frame, whose partitions the workers of a cluster read.
    is_read_once : bool
        Of a stream.
    """

    names: tuple[str, ...]
    open: Callable[[Sequence[str], int], Iterator[pl.DataFrame]]
    partitions: Any = None
    is_read_once: bool = False

    @classmethod
    def of(cls, given: Any) -> Query | None:
        """Return the query of an object, None if it is none of these; their libraries need not be there."""
        given = nw.to_native(given, pass_through=True)
        if isinstance(given, pl.LazyFrame):
            error = TableError(_NO_QUERY)
            names = guarded(lambda: given.collect_schema().names(), error)
            return cls(tuple(names), lambda names, n_rows: frames_of_query(given, names, error))
        if is_of(given, "pyarrow.dataset", "Dataset"):
            return cls(tuple(given.schema.names), lambda names, n_rows: _frames_of_dataset(given, names, n_rows))
        if is_of(given, "duckdb", "DuckDBPyRelation"):
            return cls(tuple(given.columns), lambda names, n_rows: _frames_of_relation(given, names, n_rows))
        if is_dask_frame(given):
            return cls(tuple(given.columns), lambda names, n_rows: _frames_of_partitions(given, names, n_rows), given)
        # What narwhals knows is in memory, or is a query that it reads, and may have Arrow's interface, too.
        if known(given) is given and (reader := arrow_reader(given)) is not None:
            stream = partial(_frames_of_stream, reader)
            return cls(tuple(reader.schema.names), stream, is_read_once=True)
        return None

    def about_n_rows(self) -> int | None:
        """Return None: how many rows a query has is known when it was read."""
        return None

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse a query without the columns, before a row is read."""
        check_names(self.names, names, "the query")

    def frames(self, entries: Sequence[Entry], on_invalid: OnInvalid, beside: Sequence[str] = ()) -> Iterator[Beside]:
        """Yield the columns of the entries, as these read them, some rows at a time; and further ones as they are."""
        names = names_of(entries, beside)
        self.check_columns(names)
        rows = RowsRead(None, are_public=has_public_count(entries))
        for frame in self.open(names, rows_together(len(names))):
            yield as_entries(frame, entries, on_invalid), kept(frame, beside)
            rows.add(frame.height)
        rows.end()


def frames_of_query(query: pl.LazyFrame, names: Sequence[str], error: TableError) -> Iterator[pl.DataFrame]:
    """Yield the named columns of a query some rows at a time; what polars says of a failure could quote cells."""
    n_rows = rows_together(len(names))
    # By position: polars takes a name between ^ and $ for a pattern of names.
    present = guarded(lambda: query.collect_schema().names(), error)
    chosen = query.select(pl.nth([present.index(name) for name in names]))
    if hasattr(chosen, "collect_batches"):
        frames = _each(lambda: chosen.collect_batches(chunk_size=n_rows, maintain_order=True), error)
    else:  # older polars: whole, as parts of a query that is run again may have another order
        frames = iter((guarded(lambda: chosen.collect(engine="streaming"), error),))
    yield from slices(frames, n_rows)


def slices(frames: Iterable[pl.DataFrame], n_rows: int) -> Iterator[pl.DataFrame]:
    """Yield frames, those of much more rows than asked for in parts."""
    for frame in frames:
        yield from frame.iter_slices(n_rows) if frame.height > 2 * n_rows else (frame,)


def _frames_of_dataset(dataset: Any, names: Sequence[str], n_rows: int) -> Iterator[pl.DataFrame]:
    # Read ahead as little as can be: by default dozens of batches of each column wait in memory.
    few = {"batch_size": n_rows, "batch_readahead": 1, "fragment_readahead": 1}
    return _as_frames(lambda: dataset.to_batches(columns=list(names), **few))


def _frames_of_relation(relation: Any, names: Sequence[str], n_rows: int) -> Iterator[pl.DataFrame]:
    chosen = relation.select(", ".join('"' + name.replace('"', '""') + '"' for name in names))
    return _as_frames(lambda: (getattr(chosen, "to_arrow_reader", None) or chosen.fetch_record_batch)(n_rows))


def _frames_of_stream(reader: Any, names: Sequence[str], n_rows: int) -> Iterator[pl.DataFrame]:
    return slices(_as_frames(lambda: (batch.select(list(names)) for batch in reader)), n_rows)


def _frames_of_partitions(given: Any, names: Sequence[str], n_rows: int) -> Iterator[pl.DataFrame]:
    chosen = given[list(names)]
    for part in chosen.partitions:
        yield from frame_of_partition(guarded(part.compute, TableError(_NO_QUERY))).iter_slices(n_rows)


def frame_of_partition(partition: Any) -> pl.DataFrame:
    """Return a partition, which is a pandas data frame, as polars'.

    Raises
    ------
    TableError
        If a column's cells are of different types.
    """
    return guarded(lambda: pl.from_pandas(partition, include_index=False), TableError(_NO_QUERY))


def _as_frames(batches: Callable[[], Iterable[Any]]) -> Iterator[pl.DataFrame]:
    error = TableError(_NO_QUERY)
    for batch in _each(batches, error):
        yield guarded(lambda batch=batch: pl.DataFrame(pl.from_arrow(plain_table(batch))), error)  # type: ignore[misc]


def _each(items: Callable[[], Iterable[Any]], error: TableError) -> Iterator[Any]:
    iterator = guarded(lambda: iter(items()), error)
    while (item := guarded(lambda: next(iterator, None), error)) is not None:
        yield item
