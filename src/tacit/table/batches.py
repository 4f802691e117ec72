"""Rows that were read together, and their division into blocks of equal size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.schema import Schema
from tacit.table.columns import Columns
from tacit.table.files.cells import Entry
from tacit.table.files.frames import Query
from tacit.table.files.several import Files
from tacit.table.persons import Members
from tacit.table.row_weights import with_weights
from tacit.table.rows import OnInvalid, Rows, read_identifiers_of, read_labeled, read_rows


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """Validated rows with their labels and, where an identifier names persons, whose they are."""

    rows: Rows
    labels: NDArray[Any]
    members: Members | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected rows to stay where they are, got a request to copy or pickle them.")

    def slice(self, start: int, stop: int) -> Batch:
        """Return rows ``start`` to ``stop`` as views."""
        members = None if self.members is None else self.members.take(slice(start, stop))
        return Batch(self.rows.slice(start, stop), self.labels[start:stop], members)

    def first_of_each(self, most: int) -> Batch:
        """Return at most so many rows of each person, as copies."""
        assert self.members is not None
        kept, members = self.members.first(most)
        return Batch(self.rows.take(kept), self.labels[kept], members)


def read_batches(
    source: Files | Query, schema: Schema, on_invalid: OnInvalid, add: Callable[[list[str]], None] | None = None
) -> Iterator[Batch]:
    """Yield the rows of files or a query as they are read; ``add`` gets identifiers of persons, batch by batch."""
    for frame, _ in source.frames(entries_of(schema), on_invalid):
        if frame.height == 0:
            continue
        labels, kept = read_labeled(frame[schema.label.name], schema.label, on_invalid=on_invalid)
        if kept is not None:
            frame = frame.filter(kept)
            if frame.height == 0:
                continue
        if add is not None and schema.identifier is not None:
            add(read_identifiers_of(frame, schema.identifier))
        rows = read_rows(frame, schema.full, on_invalid=on_invalid)
        yield Batch(with_weights(rows, frame, schema, on_invalid), labels)


def entries_of(schema: Schema) -> tuple[Entry, ...]:
    """Return what is read of a source."""
    identifier = () if schema.identifier is None else (schema.identifier,)
    weight = () if schema.weight is None else (schema.weight.as_column,)
    return (*schema.full.inputs, schema.label, *identifier, *weight)


def in_blocks(batches: Iterable[Batch], block_rows: int) -> Iterator[Batch]:
    """Yield the rows in batches of so many, the last one of fewer; views where a batch has them together."""
    waiting: list[Batch] = []
    missing = block_rows
    for batch in batches:
        start = 0
        while len(batch) - start >= missing:
            yield joined([*waiting, batch.slice(start, start + missing)])
            waiting, start, missing = [], start + missing, block_rows
        if start < len(batch):
            waiting.append(batch.slice(start, len(batch)))
            missing -= len(batch) - start
    if waiting:
        yield joined(waiting)


def joined(batches: Sequence[Batch]) -> Batch:
    """Return the rows of batches as one, in their order."""
    if len(batches) == 1:
        return batches[0]
    members = [batch.members for batch in batches]
    columns = Columns.joined([Columns.of(batch.rows.columns) for batch in batches])
    labels = np.concatenate([batch.labels for batch in batches])
    return Batch(Rows(columns, len(labels)), labels, Members.joined([each for each in members if each is not None]))
