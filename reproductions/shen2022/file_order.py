"""The rows that Shen and others (2022) seem to have kept: of each class the first of the file, and credit's row number.

Their accuracies without privacy come out so, and not with rows deleted at random. A second reading for their numbers
alone: it is no random sample of the table, and a row number says nothing of a person.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproductions.shen2022.alphabetical import alphabetical
from tacit.schema import Numeric
from tacit.study.fit import scored
from tacit.study.learners import predictions
from tacit.study.run import Task
from tacit.study.run.measures import measure
from tacit.study.run.tables import Tables
from tacit.study.splits import Split, split_rows
from tacit.table import Rows, Table, read_rows

NUMBERED = ("credit-default",)
"""Tables whose file begins with the number of the row, which the packaged schema leaves out."""


@measure("shen2022-first-rows")
def fit_first_rows(task: Task, tables: Tables) -> dict[str, Any]:
    """Return what the measure "fit" does, on the first rows of each class in the file's order."""
    given, split = task.inputs, first_rows(task, tables)
    budget = {"epsilon": given["epsilon"], "delta": given["delta"]}
    made = predictions(given["learner"], split, seed=task.seed, parameters=given["parameters"], **budget)
    return scored(made, split)


def first_rows(task: Task, tables: Tables) -> Split:
    """Return a split of as many first rows of each class as the smallest has, ordered by the file.

    With ``alphabetical`` among the inputs, categories are in alphabetical order, as label encoders have them.
    """
    whole, schema = tables.whole(task), tables.schema(task)
    rows = whole.rows
    if task.inputs.get("alphabetical"):
        schema = alphabetical(schema)
        rows = read_rows(tables.dataset(task).frame, schema)
    if task.inputs["data"] in NUMBERED:
        number = Numeric("ID", 1, rows.n_rows, center=(1 + rows.n_rows) / 2)
        schema = replace(schema, columns=(*schema.columns, number))
        rows = Rows({**rows.columns, "ID": np.arange(1.0, rows.n_rows + 1)}, rows.n_rows)
    kept = first_of_each(whole.labels)
    parts = split_rows(task.inputs["split"], whole.labels[kept], None, task.inputs["seed"])
    train, test = (kept[part] for part in parts)
    table = Table.from_rows(rows.take(train), whole.labels[train], schema)
    labels = whole.labels[train], whole.labels[test]
    return Split(schema, table, rows.take(train), rows.take(test), *labels, train, test)


def first_of_each(labels: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the positions of the first rows of each class, as many as the smallest class has, ascending.

    Examples
    --------
    >>> first_of_each(np.array([0, 0, 1, 0, 1, 0]))
    array([0, 1, 2, 4])
    """
    classes, counts = np.unique(labels, return_counts=True)
    return np.sort(np.concatenate([np.flatnonzero(labels == value)[: counts.min()] for value in classes]))
