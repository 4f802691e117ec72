"""Columns that the names of folders hold, as in ``year=2020/part-0.parquet``: all rows of a file have the same cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

import polars as pl

from tacit.schema import Identifier, Label, Target
from tacit.table.files.cells import Entry, left_out, typed
from tacit.table.files.frames import Beside
from tacit.table.rows import OnInvalid

_MISSING = "__HIVE_DEFAULT_PARTITION__"
"""What is written where the cell is missing."""

Held = Mapping[str, str | None]
"""The cell of each column, None for a missing one."""


def held_by_folders(path: Path) -> Held:
    """Return what the names of the folders hold in which a file lies.

    Examples
    --------
    >>> held_by_folders(Path("/data/year=2020/town=K%C3%B6ln/part-0.csv"))
    {'year': '2020', 'town': 'Köln'}
    """
    pairs = [folder.partition("=") for folder in path.absolute().parts[:-1]]
    return {unquote(key): None if cell == _MISSING else unquote(cell) for key, sign, cell in pairs if key and sign}


def in_file(entries: Sequence[Entry], held: Held) -> list[Entry]:
    """Return what is left to read in a file of which folders hold some columns."""
    found: list[Entry] = []
    for entry in entries:
        names = [name for name in entry.names if name not in held]
        if len(names) == len(entry.names):
            found.append(entry)
        elif isinstance(entry, Identifier):
            found += [Identifier(name) for name in names]
    return found


def completed(
    read: Beside, entries: Sequence[Entry], beside: Sequence[str], held: Held, on_invalid: OnInvalid
) -> Beside:
    """Return what was read of a file, with what folders hold of its rows, as the entries read texts."""
    height = max(frame.height for frame in read)
    texts = {name: pl.Series("cells", [cell], pl.String).new_from_index(0, height) for name, cell in held.items()}
    absent = left_out(entries, lambda label: _labels(label, texts, read[0]))
    given = texts if absent is None else {name: each.set(absent, None) for name, each in texts.items()}
    columns = {
        name: typed(given[name], entry, on_invalid) if name in held else read[0][name]
        for entry in entries
        for name in entry.names
    }
    others = {name: texts[name] if name in held else read[1][name] for name in beside}
    return pl.DataFrame(columns), pl.DataFrame(others)


def is_left_out(entries: Sequence[Entry], held: Held) -> bool:
    """Tell whether folders say that no row of a file has a label, and the schema leaves such rows out."""
    label = next((each for each in entries if isinstance(each, Label | Target)), None)
    if label is None or label.name not in held:
        return False
    cell = pl.Series("cells", [held[label.name]], pl.String)
    return left_out([label], lambda label: typed(cell, label, "coerce")) is not None


def _labels(label: Label | Target, texts: Mapping[str, pl.Series], read: pl.DataFrame) -> pl.Series:
    return typed(texts[label.name], label, "coerce") if label.name in texts else read[label.name]
