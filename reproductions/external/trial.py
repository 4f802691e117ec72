"""Whether an environment works: each of its external learners is fitted once to rows that are made up."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from reproductions.external.environment import Environment
from reproductions.external.registry import EXTERNAL
from reproductions.external.session import Session
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.splits import Split
from tacit.table import Table, read_rows

_SCHEMA = Schema(
    [Numeric("size", 0, 10), Numeric("wealth", 0, 1000, center=0), Categorical("shape", ["round", "square", "flat"])],
    label=Label("class", ["a", "b"]),
)
_ROWS = 120


def try_out(environment: Environment, folder: Path | None = None) -> None:
    """Fit each learner of the environment once.

    Raises
    ------
    MissingExtra
        If it is not installed.
    ExternalFailed
        If one cannot be fitted.
    """
    tried, split = Session(folder), made_up()
    try:
        for learner in EXTERNAL.values():
            if learner.environment is environment:
                given = learner.complete({})
                tried.fit(learner, split, given, {**learner.settings(given, 1.0, 1e-3), "seed": 0})
    finally:
        tried.close()


def made_up() -> Split:
    """Return a split of rows that belong to nobody, the same each time."""
    at = np.arange(2 * _ROWS)
    sizes = at % 11
    frame = np.column_stack([sizes, (at * 37) % 1001, np.asarray(["round", "square", "flat"], dtype=object)[at % 3]])
    labels = np.where(sizes > 5, "b", "a")
    rows, codes = read_rows(frame, _SCHEMA), (sizes > 5).astype(np.uint8)
    train, test = at[:_ROWS], at[_ROWS:]
    table = Table.from_frame(frame[train], labels[train], _SCHEMA)
    return Split(_SCHEMA, table, rows.take(train), rows.take(test), codes[train], codes[test], train, test)
