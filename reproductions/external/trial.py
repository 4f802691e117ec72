"""Whether an environment works: each of its external learners is fitted once to rows that are made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproductions.external.environment import Environment
from reproductions.external.registry import EXTERNAL
from reproductions.external.session import Session
from tacit.schema import Categorical, Label, Numeric, Schema, Target
from tacit.study.splits import Split
from tacit.table import Table, read_labels, read_rows

_SCHEMA = Schema(
    [Numeric("size", 0, 10), Numeric("wealth", 0, 1000, center=0), Categorical("shape", ["round", "square", "flat"])],
    label=Label("class", ["a", "b"]),
)
_OF_NUMBERS = Schema(_SCHEMA.columns, label=Target("weight", 0, 20))
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
    tried, split, of_numbers = Session(folder), made_up(), made_up_numbers()
    try:
        for learner in EXTERNAL.values():
            if learner.environment is environment:
                given = learner.complete({})
                settings = {**learner.settings(given, 1.0, 1e-3), "seed": 0}
                if learner.of_numbers:
                    tried.fit_number(learner, of_numbers, given, settings)
                else:
                    tried.fit(learner, split, given, settings)
    finally:
        tried.close()


def made_up() -> Split:
    """Return a split of rows that belong to nobody, the same each time."""
    return _split(_SCHEMA, np.where(_sizes() > 5, "b", "a"))


def made_up_numbers() -> Split:
    """Return the same rows with a number to predict, twice the size and a little more or less."""
    return _split(_OF_NUMBERS, 2.0 * _sizes() + 0.1 * np.sin(np.arange(2 * _ROWS)))


def _sizes() -> NDArray[np.intp]:
    return np.arange(2 * _ROWS) % 11


def _split(schema: Schema, labels: NDArray[Any]) -> Split:
    at = np.arange(2 * _ROWS)
    shapes = np.asarray(["round", "square", "flat"], dtype=object)[at % 3]
    frame = np.column_stack([_sizes(), (at * 37) % 1001, shapes])
    rows, codes = read_rows(frame, schema), read_labels(labels, schema.label)
    train, test = at[:_ROWS], at[_ROWS:]
    table = Table.from_frame(frame[train], labels[train], schema)
    return Split(schema, table, rows.take(train), rows.take(test), codes[train], codes[test], train, test)
