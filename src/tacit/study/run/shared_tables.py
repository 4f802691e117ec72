"""The tables of a study in its shared folder: read once by the parent, mapped by the workers, never pickled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import TacitError
from tacit.study.data import data_schema
from tacit.study.run.mapped_rows import mapped_rows, write_rows
from tacit.study.run.tables import Tables, WholeTable
from tacit.study.run.task import Task


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

        A table that cannot be read is left to the tasks that need it, which will fail and say why; for one that
        there is no room for, each process reads its own.
        """
        for task in _first_of_each_table(tasks):
            try:
                self._write(super()._read(task.inputs), self._place(task.inputs))
            except (TacitError, OSError, ValueError):
                continue

    def _read(self, inputs: Mapping[str, Any]) -> WholeTable:
        place = self._place(inputs)
        if not (place / "complete").is_file():
            return super()._read(inputs)
        schema, official = data_schema(inputs), place / "official.npy"
        return WholeTable(
            schema,
            mapped_rows(place, schema),
            np.asarray(np.load(place / "labels.npy", mmap_mode="r", allow_pickle=False)),
            np.load(official, allow_pickle=False) if official.is_file() else None,
        )

    def _write(self, whole: WholeTable, place: Path) -> None:
        place.mkdir()
        write_rows(whole.rows, place)
        np.save(place / "labels.npy", whole.labels, allow_pickle=False)
        if whole.official is not None:
            np.save(place / "official.npy", whole.official, allow_pickle=False)
        (place / "complete").touch()

    def _place(self, inputs: Mapping[str, Any]) -> Path:
        return self._folder / f"table-{_which(inputs)}"


def _first_of_each_table(tasks: Iterable[Task]) -> Iterable[Task]:
    return {_which(task.inputs): task for task in tasks if "data" in task.inputs}.values()


def _which(inputs: Mapping[str, Any]) -> str:
    """Return a name for the table, from its path, size and time or its packaged name, never from its content."""
    named = json.dumps([inputs.get("data"), inputs.get("file")], sort_keys=True)
    return sha256(named.encode()).hexdigest()[:16]
