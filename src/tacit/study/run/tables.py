"""Cache of the tables that measures read: the last of each kind."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.datasets import Dataset
from tacit.errors import TacitError
from tacit.schema import Schema
from tacit.study.data import data_schema, protected, read_data, unchanged
from tacit.study.run.task import Task
from tacit.study.splits import Split, split_rows
from tacit.table import MEMORY, Disk, OnInvalid, Rows, Storage, Table, read_labels, read_rows
from tacit.table.batches import Batch, in_blocks, joined, read_batches
from tacit.table.partitions import Partitions
from tacit.table.persons import Members
from tacit.table.rows import read_persons
from tacit.table.sources import is_small
from tacit.table.table import BLOCK_ROWS

Kept = TypeVar("Kept")

_OF_A_SPLIT = ("data", "file", "split", "seed", "privacy")  # inputs that say which rows a task reads


@dataclass(frozen=True, eq=False, repr=False)
class WholeTable:
    """All rows of a table as its schema reads them."""

    schema: Schema
    rows: Rows
    labels: NDArray[Any]
    """Of shape (n_rows,). Positions among the sorted classes, or the numbers to predict."""
    official: NDArray[np.str_] | None
    """Of shape (n_rows,). "train" or "test" for each row."""
    members: Members | None = None
    """Which person each row is of, where the schema has an identifier."""
    storage: Storage = MEMORY
    """Of encodings and state of the rows of splits."""


class Tables:
    """Reads what tasks are about, and keeps the last of each kind: the runner sorts tasks so that this suffices."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, Any]] = {}

    def dataset(self, task: Task) -> Dataset:
        """Return the data set of the task's inputs ``data`` and ``file``, as a frame."""
        return self._keep("dataset", _only(task, "data", "file"), read_data)

    def whole(self, task: Task) -> WholeTable:
        """Return all rows of the task's data set as its schema reads them."""
        return self._keep("whole", _only(task, "data", "file"), self._read)

    def split(self, task: Task) -> Split:
        """Return the rows that the task's inputs ``split`` and ``seed`` choose, protected as ``privacy`` says."""
        wanted = _only(task, *_OF_A_SPLIT)
        return self._keep("split", wanted, lambda inputs: self._split(task, inputs))

    def schema(self, task: Task) -> Schema:
        """Return the schema of the task's data set, protected as ``privacy`` says; reads no rows."""
        return protected(data_schema(task.inputs), task.inputs.get("privacy", "as-declared"))

    def _read(self, inputs: Mapping[str, Any]) -> WholeTable:
        if inputs.get("file") is not None:
            return joined_table(*read_file(inputs["file"], MEMORY))
        data = read_data(inputs)
        rows, labels = read_rows(data.frame, data.schema), read_labels(data.target, data.schema.label)
        return WholeTable(data.schema, rows, labels, data.split, read_persons(data.frame, data.schema))

    def _split(self, task: Task, inputs: Mapping[str, Any]) -> Split:
        whole = self.whole(task)
        members = whole.members
        persons = None if members is None else members.person
        train, test = split_rows(inputs["split"], whole.labels, whole.official, inputs["seed"], persons)
        schema = protected(whole.schema, inputs.get("privacy", "as-declared"))
        labels = whole.labels[train]
        rows = whole.rows.take(train)
        own = None if members is None else members.part(train)
        table = Table.from_rows(rows, labels, schema, members=own, storage=whole.storage)
        tested = whole.rows.take(test)
        if whole.storage is MEMORY:
            tested = tested.keeping()
        return Split(schema, table, rows, tested, labels, whole.labels[test], train, test, _on_invalid(inputs))

    def _keep(self, kind: str, inputs: Mapping[str, Any], make: Callable[[Mapping[str, Any]], Kept]) -> Kept:
        wanted = json.dumps(inputs, sort_keys=True)
        found, value = self._kept.get(kind, ("", None))
        if found != wanted:
            self._kept.pop(kind, None)  # before the next is made: two large tables may not fit in memory
            value = _made(make, inputs)
            self._kept[kind] = wanted, value
        if isinstance(value, TacitError):
            raise value.with_traceback(None)
        return value


def read_file(file: Mapping[str, Any], storage: Storage) -> tuple[Schema, list[Batch], Members | None]:
    """Return the schema of a table on disk and its rows, read some at a time into a storage, and whose they are."""
    schema, source = unchanged(file)
    names = Partitions(storage)
    batches = [
        Batch(batch.rows.kept(storage), storage.kept(batch.labels))
        for batch in in_blocks(read_batches(source, schema, file["on_invalid"], names.add), BLOCK_ROWS)
    ]
    return schema, batches, None if schema.identifier is None else names.members()


def counted_file(file: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many people, or rows where no identifier names them, and how many classes a table on disk has.

    Of a number to predict no classes are counted.
    """
    schema, source = unchanged(file)
    names, seen, n_rows = Partitions(MEMORY if is_small(source) else Disk()), set(), 0
    for batch in read_batches(source, schema, file["on_invalid"], names.add):
        if not schema.target:
            seen.update(np.unique(batch.labels).tolist())
        n_rows += len(batch)
    return n_rows if schema.identifier is None else names.members().n_persons, len(seen)


def joined_table(schema: Schema, batches: Sequence[Batch], members: Members | None) -> WholeTable:
    """Return the rows of batches together, in memory."""
    whole = joined(batches)
    return WholeTable(schema, whole.rows, whole.labels, None, members)


def in_groups(tasks: Iterable[Task]) -> list[list[Task]]:
    """Return tasks that share a split, or at least a table, group by group."""
    groups: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        groups[json.dumps(_only(task, *_OF_A_SPLIT), sort_keys=True)].append(task)
    return list(groups.values())


def _made(make: Callable[[Mapping[str, Any]], Kept], inputs: Mapping[str, Any]) -> Kept | TacitError:
    """Return what was made, or why it cannot be: what fails once, a download for example, is not tried for each row."""
    try:
        return make(inputs)
    except TacitError as error:
        return error


def _on_invalid(inputs: Mapping[str, Any]) -> OnInvalid:
    found: OnInvalid = (inputs.get("file") or {}).get("on_invalid", "raise")
    return found


def _only(task: Task, *names: str) -> dict[str, Any]:
    return {name: task.inputs[name] for name in names if name in task.inputs}
