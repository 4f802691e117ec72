"""Neighbors for any object: made of the rows of a user's table, or of a schema's extreme rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np

from tacit.audit.findings import Claim
from tacit.audit.neighbors import Pair, Row, inputs_of, protected, random_pairs, values
from tacit.audit.person_pairs import PersonPair
from tacit.audit.weighed_pairs import WeighedPair
from tacit.errors import ParameterError
from tacit.schema import Categorical, Column, Label, Numeric, Schema
from tacit.table.codebook import codebook

Cells = Literal["values", "codes"]

_FEW = 6
"""Rows of a tiny table, on which one row weighs more."""

_MAX_PROBES = 16


@dataclass(frozen=True, eq=False)
class TablePair:
    """Two neighboring tables, and rows to predict.

    Parameters
    ----------
    first, second : (X, y)
        As ``fit`` takes them.
    probes : X
    name : str
    """

    first: tuple[Any, Any]
    second: tuple[Any, Any]
    probes: Any
    name: str = ""

    @property
    def classes(self) -> tuple[Any, ...]:
        """All labels of both."""
        return tuple(sorted({*np.asarray(self.first[1]).tolist(), *np.asarray(self.second[1]).tolist()}, key=str))


def pairs_of_table(X: Any, y: Any, claim: Claim, *, most: int = 8) -> list[TablePair]:
    """Return neighbors made of a table's own rows: the whole table and a few of its rows, one replaced or left out.

    Rows that differ most from the rest lose most: those with the largest or the least number in some column, and of
    the rarest class. They are replaced by one another, label and all.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns), or data frame
    y : array-like of shape (n_rows,)
    claim : Claim
        For its relation.
    most : int

    Raises
    ------
    ParameterError
        If there are fewer than three rows.
    """
    labels = np.asarray(y)
    if len(labels) < 3:
        raise ParameterError("Expected a table of at least three rows, got fewer. Pass more rows, or a schema.")
    odd = _extreme_rows(X, labels)
    probes = _take(X, odd[:_MAX_PROBES])
    pairs = []
    for at, one in enumerate(odd):
        # The extreme row that is least like it is far down the list, which alternates between ends.
        other = odd[at - 1] if odd[at - 1] != one else odd[0]
        few = [row for row in range(len(labels)) if row not in (one, other)]
        for common in (few, few[: _FEW - 1]):
            rows = ([*common, one], [*common, other] if claim.relation == "replace-one" else common)
            first, second = ((_take(X, chosen), _take(y, chosen)) for chosen in rows)
            pairs.append(TablePair(first, second, probes, f"rows {one} and {other} of {len(common) + 1}"))
    return pairs[:most]


def pairs_of_schema(schema: Schema, claim: Claim, *, cells: Cells = "values") -> list[TablePair]:
    """Return neighbors made of the schema's extreme rows.

    Parameters
    ----------
    schema : Schema
    claim : Claim
        For its relation.
    cells : {"values", "codes"}
        Frames of values as they are in a table; or float arrays, with the positions of categories.
    """
    pairs = extreme_pairs(schema)
    if claim.relation == "add-remove":
        pairs = [_without_the_row(pair) for pair in pairs if len(pair.second) > 1 and pair.first != pair.second]
    return [table_pair(pair, cells) for pair in pairs]


def extreme_pairs(schema: Schema, *, n_random: int = 4) -> list[Pair]:
    """Return replace-one neighbors that much is lost on: opposite corners, flipped labels, and some at random."""
    low, high = (tuple(_end(part, at) for part in (*schema.columns, schema.label)) for at in (0, -1))
    moved = tuple(b if may else a for a, b, may in zip(low, high, protected(schema), strict=True))
    flipped = (*low[:-1], moved[-1])
    pairs = [
        Pair(schema, (*common, low), (*common, other), f"{kind}, {len(common) + 1} rows")
        for kind, other in (("opposite corners", moved), ("label flipped", flipped))
        for common in ((), (low, high), (low,) * 20 + (high,) * 20)
        if other != low
    ]
    generated = random_pairs(schema)
    return [*pairs, *(next(generated) for _ in range(n_random))]


def _end(part: Column | Label, at: int) -> Any:
    if isinstance(part, Numeric):
        return (part.lower, part.upper)[at]
    return values(part)[at]


def _without_the_row(pair: Pair) -> Pair:
    """Return neighbors of the other kind: the second table, and what it has in common with the first."""
    differs = [one != other for one, other in zip(pair.first, pair.second, strict=True)]
    return replace(pair, first=tuple(row for row, moved in zip(pair.second, differs, strict=True) if not moved))


def table_pair(pair: Pair, cells: Cells) -> TablePair:
    """Return a pair as an object's ``fit`` takes it, and some of its rows to predict; persons as frames of values."""
    probes = tuple(dict.fromkeys((*pair.first, *pair.second)))[:_MAX_PROBES]
    if isinstance(pair, PersonPair | WeighedPair):
        return TablePair(*pair.inputs(), inputs_of(probes, pair.schema)[0], pair.kind)
    one, two, seen = (_given(rows, pair.schema, cells) for rows in (pair.first, pair.second, probes))
    return TablePair(one, two, seen[0], pair.kind)


def _given(rows: tuple[Row, ...], schema: Schema, cells: Cells) -> tuple[Any, list[Any]]:
    if cells == "values":
        return inputs_of(rows, schema)
    codes = [[_code(part, cell) for part, cell in zip(schema.columns, row[:-1], strict=True)] for row in rows]
    return np.asarray(codes, dtype=np.float64), [row[-1] for row in rows]


def _code(part: Column, cell: Any) -> float:
    return float(codebook(part).code(cell) if isinstance(part, Categorical) else cell)


def _take(rows: Any, chosen: Sequence[int]) -> Any:
    """Return some rows of a frame, a series, an array or a list, as one of the same kind."""
    if isinstance(rows, list | tuple):
        return [rows[at] for at in chosen]
    if isinstance(rows, np.ndarray):
        return rows[list(chosen)]
    native = nw.from_native(rows, allow_series=True)
    return nw.to_native(native[list(chosen)])


def _extreme_rows(X: Any, labels: np.ndarray) -> list[int]:
    """Return positions of rows, those of ends of columns and of rare classes first."""
    found: list[int] = []
    for column in _numeric_columns(X):
        order = np.argsort(column, kind="stable")
        found += [int(order[0]), int(order[-1])]
    classes, counts = np.unique(labels, return_counts=True)
    for label in classes[np.argsort(counts)]:
        found.append(int(np.flatnonzero(labels == label)[0]))
    return list(dict.fromkeys([*found, 0, 1]))


def _numeric_columns(X: Any) -> list[np.ndarray]:
    if isinstance(X, np.ndarray | list | tuple):
        columns = list(np.asarray(X, dtype=object).T)
    else:
        frame = nw.from_native(X, eager_only=True)
        columns = [column.to_numpy() for column in frame.iter_columns()]
    numeric = []
    for column in columns:
        try:
            numeric.append(column.astype(np.float64))
        except (TypeError, ValueError):
            continue
    return numeric
