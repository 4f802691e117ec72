"""Tables of files, queries and data sets: read once, some rows at a time, into memory or onto disk."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal
from weakref import finalize

import numpy as np

from tacit.errors import MissingExtra, TableError
from tacit.schema import Schema
from tacit.table.batches import Batch, entries_of, in_blocks, read_batches
from tacit.table.files.frames import Query, names_of
from tacit.table.files.memory import memory_left
from tacit.table.files.several import Files
from tacit.table.files.writing import write_alike
from tacit.table.partitions import Partitions
from tacit.table.rows import NONE_LABELED, OnInvalid, read_identifiers_of, read_labeled
from tacit.table.side_tables import Joined
from tacit.table.storage import MEMORY, Disk, Storage, made_scratch_folder
from tacit.table.table import BLOCK_ROWS, Table

Place = Literal["auto", "memory", "disk"]
"""Where rows are kept."""

_NO_ROWS = "Expected at least one row, got none. Check the query."

SHARE = 16
"""Rows go to disk where files are larger than this part of the memory that is left: rows, encodings and state of rows
may take as much as that together, of compressed files with small numbers."""


def opened_source(given: Any, schema: Schema | None = None) -> Files | Query | None:
    """Return the files, written as a schema says, or the query that an object names; None for anything else."""
    if isinstance(given, Files | Query):
        return given
    if isinstance(given, str | Path):
        return Files.of(given, schema.file if schema else None)
    return Query.of(given)


def check_source(source: Files | Query, schema: Schema) -> int | None:
    """Refuse a source without the schema's columns, or whose files differ in them, before a row is read.

    Returns
    -------
    int or None
        The number of rows that are read, where it is public and files say so: None under an identifier, or where rows
        without a label are left out.
    """
    source.check_columns(names_of(entries_of(schema), ()))
    is_known = schema.identifier is None and not schema.label.drops_missing
    n_rows = source.n_rows() if isinstance(source, Files) and is_known else None
    if isinstance(source, Joined) and is_known:
        n_rows = source.n_persons
    if n_rows == 0:
        raise TableError(_NO_ROWS)
    return n_rows


def count_source(source: Files | Query, schema: Schema, place: Place = "auto") -> int:
    """Return how many rows, or persons whom the schema's identifier names, are read of a source.

    Without an identifier it reads labels alone, and those only where files do not say how many rows they have.

    Raises
    ------
    TableError
        If the source lacks columns, is damaged, or a row has no identifier.
    """
    known = check_source(source, schema)
    if known is not None:
        return known
    label, identifier = schema.label, schema.identifier
    persons, n_rows = Partitions(_storage(source, place)), 0
    # Nothing but the number may leave: a label that is no class is refused by the fit, which is paid for.
    for frame, _ in source.frames((label, *([identifier] if identifier else [])), "coerce"):
        if label.drops_missing:
            _, kept = read_labeled(frame[label.name], label, on_invalid="coerce")
            frame = frame if kept is None else frame.filter(kept)
        if identifier is not None:
            persons.add(read_identifiers_of(frame, identifier))
        n_rows += frame.height
    n_rows = persons.members().n_persons if identifier else n_rows
    if n_rows == 0:
        raise TableError(_NO_ROWS)
    return n_rows


def check_client(source: Files | Query, client: Any) -> None:
    """Refuse, before a row is read, a client that cannot read a source; None is none.

    Raises
    ------
    MissingExtra
        If Dask is not installed.
    ParameterError
        If it is no client, or workers cannot open the source.
    ClusterError
        If it is closed, or its scheduler or workers do not answer.
    """
    if client is not None:
        dask_cluster().check_cluster(source.main if isinstance(source, Joined) else source, client)


def dask_cluster() -> Any:
    """Return the package of what is done on clusters, imported when it is asked for: Dask takes long, and is an extra.

    Raises
    ------
    MissingExtra
        If Dask is not installed.
    """
    try:
        from tacit.table import cluster
    except ModuleNotFoundError:
        pass
    else:
        return cluster
    raise MissingExtra("Expected Dask for a cluster, got none. Install tacit[dask], here and on the workers.")


def read_source(
    source: Files | Query,
    schema: Schema,
    *,
    on_invalid: OnInvalid = "raise",
    place: Place = "auto",
    client: Any = None,
) -> Table:
    """Return the table of a source, whose label and identifier are named by the schema.

    With the client of a Dask cluster its workers read the source and hold the rows.

    Raises
    ------
    TableError
        If the source is damaged, changes while it is read, or does not fit the schema; or if the disk is full.

    Notes
    -----
    Privacy: what a row becomes depends on that row alone, wherever it is and with which others it is read. Where rows
    are kept depends on the size of files, never on a cell.
    """
    if client is not None and isinstance(source, Joined):
        return _of_rows(_joined_on_cluster(source, schema, client, on_invalid))
    if client is not None:
        return _of_rows(dask_cluster().read_on_cluster(source, schema, client, on_invalid=on_invalid))
    storage = _storage(source, place)
    if schema.identifier is None:
        return _of_rows(Table.from_batches(read_batches(source, schema, on_invalid), schema, storage=storage))
    names = Partitions(storage)
    kept = [
        Batch(batch.rows.kept(storage), storage.kept(batch.labels))
        for batch in in_blocks(read_batches(source, schema, on_invalid, names.add), BLOCK_ROWS)
    ]
    members, ends = names.members(), np.cumsum([len(batch) for batch in kept])
    of_each = [members.take(slice(end - len(batch), end)) for batch, end in zip(kept, ends, strict=True)]
    batches = [Batch(batch.rows, batch.labels, own) for batch, own in zip(kept, of_each, strict=True)]
    return _of_rows(Table.from_batches(batches, schema, storage=storage))


def _joined_on_cluster(source: Joined, schema: Schema, client: Any, on_invalid: OnInvalid) -> Table:
    """Return the table of a source with side tables, which is written once, for workers to read as any other."""
    folder = TemporaryDirectory(dir=made_scratch_folder())  # of mode 0700
    frames = (frame for frame, _ in source.frames(entries_of(schema), on_invalid))
    files = Files(tuple(write_alike(frames, Path(folder.name))), "the main table with its features")
    table: Table = dask_cluster().read_on_cluster(files, schema, client, on_invalid=on_invalid)
    # Rows of a lost worker are read again.
    finalize(table, folder.cleanup)
    return table


def is_small(source: Files | Query) -> bool:
    """Tell whether a source is kept in memory unless another place is named."""
    if isinstance(source, Joined) and source.main is not None:
        source = source.main
    return isinstance(source, Files) and source.n_bytes * SHARE <= memory_left()


def _storage(source: Files | Query, place: Place) -> Storage:
    in_memory = is_small(source) if place == "auto" else place == "memory"
    return MEMORY if in_memory else Disk()


def _of_rows(table: Table) -> Table:
    if table.n_persons == 0:
        label = table.schema.label
        none = NONE_LABELED.format(name=label.name)
        raise TableError(none if label.drops_missing else _NO_ROWS)
    return table
