"""The one-hot columns of Salamatian (2021): ten to each number, as its table 5.3 shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from tacit.schema import Numeric, Schema
from tacit.study.splits import Split
from tacit.table import Rows, Table

PARTS = 10

_KEPT: WeakKeyDictionary[Split, dict[str, Split]] = WeakKeyDictionary()


def with_ten_parts(schema: Schema, rows: Rows) -> Schema:
    """Return the schema whose numbers are cut into ten equal parts between the rows' extremes, the least value apart.

    Table 5.3 has "age <= 17", "capital-gain = 0" and "13 <= education-num <= 14.5": for numbers from 17, 0 and 1 to 16
    these are the least value and a tenth of the range; with ten columns to a number, Adult's 162 columns come out.
    What is above the last tenth but one has no column there and one more here.

    Notes
    -----
    Privacy: the extremes are read off the rows, exactly: for a comparison with the thesis alone.
    """
    columns = []
    for column in schema.columns:
        if isinstance(column, Numeric):
            values = rows.columns[column.name]
            least, step = float(values.min()), (float(values.max()) - float(values.min())) / PARTS
            cuts = tuple(least + step * at for at in range(PARTS))
            low, high = min(column.lower, least - step), max(column.upper, cuts[-1] + step)
            column = Numeric(column.name, low, high, cuts=cuts, private=column.private)
        columns.append(column)
    return replace(schema, columns=tuple(columns))


def with_uniform_parts(schema: Schema, rows: Rows) -> Schema:
    """Return the schema whose numbers are cut into ten equal parts between the rows' extremes, none of them apart.

    With a column for each category, '?' among them, that gives Adult's 162 columns and cod-RNA's 80 exactly;
    table 5.3's labels ("age <= 17") are then labels of bins, off by one edge.

    Notes
    -----
    Privacy: as above, the extremes are read off the rows.
    """
    columns = []
    for column in schema.columns:
        if isinstance(column, Numeric):
            values = rows.columns[column.name]
            edges = np.linspace(float(values.min()), float(values.max()), PARTS + 1)
            low, high = min(column.lower, edges[0]), max(column.upper, edges[-1])
            column = Numeric(column.name, low, high, cuts=tuple(edges[1:-1].tolist()), private=column.private)
        columns.append(column)
    return replace(schema, columns=tuple(columns))


CUTS: dict[str, Callable[[Schema, Rows], Schema]] = {"ten parts": with_ten_parts, "uniform": with_uniform_parts}
"""How numbers are cut, by what tasks call it."""


def in_parts(split: Split, rows: Rows, numbers: str) -> Split:
    """Return the split with numbers in parts; the same one for the same split, so that fits share encodings."""
    kept = _KEPT.setdefault(split, {})
    if numbers not in kept:
        schema = CUTS[numbers](split.schema, rows)
        kept[numbers] = replace(split, schema=schema, table=Table.from_rows(split.train, split.train_labels, schema))
    return kept[numbers]
