"""The tables of a study in its shared folder: read once by the parent, mapped by the workers, never pickled."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import TableError, TacitError
from tacit.saving import SCRATCH
from tacit.study.data import data_schema
from tacit.study.run.mapped_rows import Arrays, MappedRows, column_name, save
from tacit.study.run.tables import Tables, WholeTable, read_file
from tacit.study.run.task import Task
from tacit.table import MEMORY, Disk
from tacit.table.batches import Batch
from tacit.table.columns import Columns
from tacit.table.files.several import Files
from tacit.table.persons import Members
from tacit.table.sources import is_small

_COMPLETE, _LARGE, _FAILED = "complete", "large", "failed"
"""Files that say that all of a table is there, that splits of it are kept on disk, too, and why it is not there."""

_NO_ROOM = (
    "Expected room on disk for the rows of a study, got too little. Make room in the user's cache, or name another "
    f"folder in the environment variable {SCRATCH}."
)


def is_large(inputs: Mapping[str, Any]) -> bool:
    """Tell whether the table of a task is one that ``fit`` would keep on disk."""
    if inputs.get("file") is None or not hasattr(os, "pwrite"):  # without which there are no rows on disk
        return False
    return not is_small(Files.of(inputs["file"]["path"]))


def any_large(tasks: Iterable[Task]) -> bool:
    """Tell whether one of the tables is large; one that cannot be read is not."""
    for inputs in {_which(task.inputs): task.inputs for task in tasks if "data" in task.inputs}.values():
        with suppress(TacitError):
            if is_large(inputs):
                return True
    return False


class SharedTables(Tables):
    """Tables that other processes have, too.

    Parameters
    ----------
    folder : Path
        Of a running study; see `tacit.study.run.shared_folder`.
    """

    def __init__(self, folder: Path):
        super().__init__()
        self._folder = folder

    def share(self, tasks: Iterable[Task]) -> None:
        """Read the tables of the tasks and write them into the folder.

        A table that cannot be read is left to the tasks that need it, which will fail and say why; for a small one that
        there is no room for, each process reads its own.
        """
        for inputs in {_which(task.inputs): task.inputs for task in tasks if "data" in task.inputs}.values():
            place = self._folder / _which(inputs)
            try:
                place.mkdir()
                self._write(inputs, place)
            except TacitError as error:
                with suppress(OSError):
                    (place / _FAILED).write_text(str(error), encoding="utf-8")
            except (OSError, ValueError):
                continue

    def _read(self, inputs: Mapping[str, Any]) -> WholeTable:
        place = self._folder / _which(inputs)
        if not (place / _COMPLETE).is_file():
            if is_large(inputs):
                failed = place / _FAILED
                raise TableError(failed.read_text(encoding="utf-8") if failed.is_file() else _NO_ROOM)
            return super()._read(inputs)
        arrays, schema = Arrays(place), data_schema(inputs)
        official = arrays["official"] if arrays.has("official") else None
        members = None
        if arrays.has("members"):
            person, rank, count, key = arrays["members"]
            members = Members(person, rank, count, key.view(np.uint64))
        storage = Disk(place) if (place / _LARGE).exists() else MEMORY
        return WholeTable(schema, MappedRows.of(arrays, schema), arrays["labels"], official, members, storage)

    def _write(self, inputs: Mapping[str, Any], place: Path) -> None:
        if inputs.get("file") is None:
            whole = super()._read(inputs)
            batches, members = [Batch(whole.rows, whole.labels)], whole.members
            if whole.official is not None:
                np.save(place / "official.npy", whole.official, allow_pickle=False)
        else:
            large = is_large(inputs)
            if large:
                (place / _LARGE).touch()
            _, batches, members = read_file(inputs["file"], Disk(place) if large else MEMORY)
        columns = [Columns.of(batch.rows.columns) for batch in batches]
        for position, name in enumerate(columns[0]):
            save(place / f"{column_name(position)}.npy", [each.held[name] for each in columns])
        save(place / "labels.npy", [batch.labels for batch in batches])
        if members is not None:
            # Numbers and hashes, and not identifiers: the folder needs no names.
            numbers = (members.person, members.rank, members.count, members.key.view(np.int64))
            save(place / "members.npy", [each[None] for each in numbers])
        (place / _COMPLETE).touch()  # last: a table that a full disk has cut short is not read


def _which(inputs: Mapping[str, Any]) -> str:
    """Return a name for the table, from its path, size and time or its packaged name, never from its content."""
    named = json.dumps([inputs.get("data"), inputs.get("file")], sort_keys=True)
    return f"table-{sha256(named.encode()).hexdigest()[:16]}"
