"""The one-hot columns of Salamatian (2021): ten to each number, as its table 5.3 shows them."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

from tacit.schema import Numeric, Schema
from tacit.study.splits import Split
from tacit.table import Rows, Table

PARTS = 10

_KEPT: WeakKeyDictionary[Split, Split] = WeakKeyDictionary()


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


def in_ten_parts(split: Split, rows: Rows) -> Split:
    """Return the split with numbers in ten parts; the same one for the same split, so that fits share encodings."""
    if split not in _KEPT:
        schema = with_ten_parts(split.schema, rows)
        _KEPT[split] = replace(split, schema=schema, table=Table.from_rows(split.train, split.train_labels, schema))
    return _KEPT[split]
