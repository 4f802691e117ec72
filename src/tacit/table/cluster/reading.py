"""Tables of a cluster: workers read files or partitions, and make the same blocks of them as one process would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from distributed import Client, Future

from tacit.errors import ParameterError, TableError, guarded
from tacit.privacy.progress_events import RowsRead, is_followed
from tacit.schema import FileFormat, Schema
from tacit.table.batches import entries_of, joined, read_batches
from tacit.table.cluster.client import NO_PARTITION, checked_client, fetched, new_keys, sent, submitted
from tacit.table.cluster.division import Division
from tacit.table.cluster.grouping import grouped
from tacit.table.cluster.shipping import Held, PackedCall, held, packed_argument, unpacked
from tacit.table.files.csv_chunks import Span
from tacit.table.files.csv_ranges import RANGE, has_odd_quotes, spans_of, starts_of
from tacit.table.files.frames import Query, frame_of_partition, names_of
from tacit.table.files.parquet import Range
from tacit.table.files.places import state_of
from tacit.table.files.several import Files, NoRowsError
from tacit.table.persons import unit_weight_for
from tacit.table.rows import OnInvalid
from tacit.table.shards import SHARD_BLOCKS
from tacit.table.table import BLOCK_ROWS, Table

_COLUMN_BYTES = 8 * SHARD_BLOCKS * BLOCK_ROWS
"""What a dashboard is told that a column of a shard takes."""


@dataclass(frozen=True)
class _FilePart:
    """Rows of a file, and what shows that it has changed since the driver saw it: a lost worker's are read again."""

    path: Path
    rows: Range
    state: tuple[int, ...]
    written: FileFormat
    span: Span | None = None

    def source(self, _: None) -> Files:
        if not self.path.is_file():
            raise TableError(
                f"Expected files that every worker can open under the driver's paths, got none under {self.path.name}. "
                "Put them where all machines see them, or pass a Dask data frame."
            )
        if state_of(self.path) != self.state:
            raise TableError(
                f"Expected files that stay the same while they are read, got changes in {self.path.name}. Read it "
                "again when nothing writes there."
            )
        return Files((self.path,), self.path.name, rows=self.rows, span=self.span, written=self.written)


@dataclass(frozen=True)
class _FramePart:
    """A partition of a Dask data frame."""

    def source(self, partition: Any) -> Query:
        frame = frame_of_partition(partition)
        return Query(tuple(frame.columns), lambda names, n_rows: _slices(frame, n_rows))


def check_cluster(source: Files | Query, client: Any) -> Client:
    """Return the client of a cluster that can read a source; no row is read for it.

    Raises
    ------
    ParameterError, ClusterError
        As ``checked_client``; and if the source is no set of files and no Dask data frame.
    """
    if isinstance(source, Files) and source.is_pipe:
        raise ParameterError("Expected files with names on a cluster, got a pipe. Write it to a file first.")
    if isinstance(source, Query) and source.partitions is None:
        raise ParameterError(
            "Expected files or a Dask data frame with a client, got a query of this process. Write it to files."
        )
    return checked_client(client)


def read_on_cluster(
    source: Files | Query,
    schema: Schema,
    client: Client,
    *,
    on_invalid: OnInvalid = "raise",
    block_rows: int = BLOCK_ROWS,
    shard_blocks: int = SHARD_BLOCKS,
    range_bytes: int = RANGE,
) -> Table:
    """Return the table of a source that workers read: files, parts of large ones, or partitions.

    Blocks and shards are those of a table in memory. The driver learns how many rows each file has.

    Raises
    ------
    ParameterError
        If the source is no set of files and no Dask data frame.
    TableError
        As of ``read_source``.
    ClusterError
        If the cluster is not there, or is lost.
    """
    client = check_cluster(source, client)
    if isinstance(source, Files) and len(source.paths) > 1:  # no worker sees all of them
        source.check_columns(names_of(entries_of(schema), ()))
    order, size = (schema, on_invalid), len(schema.full.columns) * _COLUMN_BYTES
    parts = [
        submitted(client, "read", _read, partition, packed_argument((part, *order)), size)
        for part, partition in _parts(source, client, block_rows * shard_blocks, range_bytes)
    ]
    counts, unit_weight = list(_told(client, parts, source, schema)), None
    if schema.identifier is not None:
        rows = schema.identifier.rows
        parts, n_persons = grouped(client, parts, counts, None if rows == "mean" else rows, size)
        counts, unit_weight = _counts(client, parts), unit_weight_for(n_persons) if rows == "mean" else None
    shards = Division(block_rows, shard_blocks, size, unit_weight).shards(client, parts, counts)
    return Table(schema, shards, unit_weight=unit_weight or 1)


def _told(client: Client, parts: Sequence[Future], source: Files | Query, schema: Schema) -> Iterator[int]:
    """Yield how many rows each part has, and tell the progress of it where their number is public."""
    are_public = schema.identifier is None
    is_told = are_public and not schema.label.drops_missing and is_followed()
    n_rows = source.n_rows() if is_told and isinstance(source, Files) else None
    rows = RowsRead(n_rows, are_public=are_public)
    for count in [submitted(client, "count", _counted, part) for part in parts]:
        (found,) = fetched(client, [count])
        rows.add(found)
        yield found
    rows.end()


def _parts(source: Files | Query, client: Client, n_rows: int, n_bytes: int) -> Iterator[tuple[Any, Future | None]]:
    if isinstance(source, Files):
        states = {path: state_of(path) for path in source.paths}
        files = [
            _FilePart(path.absolute(), part.rows, states[path], part.written)
            for part in source.parts(n_rows)
            for path in part.paths
        ]
        yield from ((each, None) for each in _divided(files, client, n_bytes))
    elif source.partitions is not None:
        error = TableError(NO_PARTITION)
        delayed = guarded(source.partitions.to_delayed, error)
        for future in sent(client, lambda: guarded(lambda: client.compute(delayed), error)):
            yield _FramePart(), future


def _divided(parts: Sequence[_FilePart], client: Client, n_bytes: int) -> Iterator[_FilePart]:
    """Yield parts, CSV files in ranges of so many bytes, after workers have counted the quotes in each."""
    starts = [starts_of(part.path, n_bytes, part.written.encoding) for part in parts]
    asked = [packed_argument((part, *ends)) for part, own in zip(parts, starts, strict=True) for ends in pairwise(own)]
    keys = new_keys("quotes", len(asked))
    odd = iter(fetched(client, sent(client, lambda: client.map(_odd, asked, key=keys, pure=False)) if asked else []))
    for part, own in zip(parts, starts, strict=True):
        for span in spans_of(own, n_bytes, list(islice(odd, len(own) - 1))):
            yield replace(part, span=span)


def _odd(order: PackedCall) -> Held:
    def odd() -> bool:
        part, start, stop = unpacked(order)
        part.source(None)  # refuses a file that has changed
        return has_odd_quotes(part.path, start, stop)

    return held(odd, (), 64)


def _read(partition: Any, order: PackedCall, size: int) -> Held:
    def read(partition: Any) -> Any:
        part, schema, on_invalid = unpacked(order)
        identifiers: list[str] = []
        batches = list(_batches(part.source(partition), schema, on_invalid, identifiers.extend))
        rows = joined(batches) if batches else ()  # partitions of a filtered frame may be empty
        return rows if schema.identifier is None else (rows, identifiers)

    return held(read, (partition,), size)


def _batches(source: Files | Query, *order: Any) -> Iterator[Any]:
    """Yield the batches of a part; of typed files some may be empty, which the driver looks at."""
    try:
        yield from read_batches(source, *order)
    except NoRowsError:
        if isinstance(source, Query) or not source.has_types:
            raise


def _counts(client: Client, parts: Sequence[Future]) -> list[int]:
    return fetched(client, [submitted(client, "count", _counted, part) for part in parts])


def _counted(part: Held) -> Held:
    return held(lambda read: len(read[0] if isinstance(read, tuple) and read else read), (part,), 64)


def _slices(frame: Any, n_rows: int) -> Iterator[Any]:
    return iter(frame.iter_slices(n_rows))
