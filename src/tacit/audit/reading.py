"""Neighbors at the level of reading: one cell of any Python type, in any container, decides about its own row alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from itertools import count, cycle
from typing import Any

import numpy as np
import polars as pl

from tacit.audit.directed import directed_pairs
from tacit.audit.neighbors import Pair, Row, as_given, protected, random_pairs, with_unlabeled, worst_pairs
from tacit.audit.table_pairs import extreme_pairs
from tacit.mechanisms import public_generator
from tacit.schema import Column, Label, Numeric, Schema
from tacit.table.cell import moments_of
from tacit.table.labels import without_label

TEXTS = (
    "x", "", " ", "1", " 1 ", "1.0", "01", "1_0", "0x1", "1e400", "True", "false", "nan", "NaN", "inf", "None", "a",
    "2000-01-01", "2000-02-30", "20000101", "2000", "today", "now", "2000-01-01T01:00:00+02:00", "1" * 500,
    "9" * 5000, "\ud800", "\uff11", "x" * 100_000, "1,5", "1.250", "1 250", "(1)", "1-", "<1", "01.02.2000", "f",
)  # fmt: skip
FAR_DECIMAL = Decimal("1e999999")
NUMBERS = (
    0, 1, True, 0.5, 1.0, -0.0, 1e300, float("inf"), float("nan"), 2**53 + 1, 2**63, 2**64, 2**70, 10**400, -(10**400),
    Decimal(1), Decimal("1.00"), Decimal("0.1"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"),
    FAR_DECIMAL, np.int8(1), np.uint64(2**64 - 1), np.float16(1), np.float32(0.1), np.float64(1), np.bool_(True),
    np.longdouble(1), np.longdouble("1e4000"), np.longdouble("nan"),
)  # fmt: skip
DATES: tuple[Any, ...] = (
    date(2000, 1, 1), date.max, datetime(2000, 1, 1, 12), datetime.min, datetime.max,
    datetime(2000, 1, 1, tzinfo=UTC), datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    np.datetime64("2000-01-01"), np.datetime64("2000-01-01", "ns"), np.datetime64("2000", "Y"),
    np.datetime64(2**62, "Y"), np.datetime64(2**62, "s"), np.datetime64(5, ("s", 7)), np.datetime64("NaT"),
)  # fmt: skip
FOREIGN: tuple[Any, ...] = (
    b"7", b"x", bytearray(b"7"), memoryview(b"7"), np.bytes_(b"7"), 1j, np.complex64(1j), Fraction(1, 2),
    timedelta(1), np.timedelta64(5, "s"), np.timedelta64("NaT"), time(1), np.void(b"12"),
    [], [1], [[1, 2], [3]], (), (1,), {}, {"a": 1}, {1}, frozenset({1}), range(1), np.array(1), np.array([1]),
    np.zeros((2, 2)), object(), ..., NotImplemented, np.str_("a"), np.str_("1"),
)  # fmt: skip
ODD_CELLS = (*TEXTS, *NUMBERS, *DATES, None, *FOREIGN)
"""Cells that a table may hold and hardly any schema describes."""

_UNTYPED = ("lists", "tuples", "object arrays")
_FRAMED = (None, float("nan"), float("inf"), 1e300, -1e300, 0.5, 1, True, "x", "1", "nan", "")
"""Cells that libraries of frames take into a column of another type, or change its type for."""


@dataclass(frozen=True)
class ReadingPair(Pair):
    """A pair whose rows are handed over in a certain container; the changed row may hold any cell.

    Parameters
    ----------
    container : str
        A key of ``containers()``.
    """

    container: str = "lists"

    @property
    def may_be_refused(self) -> bool:
        """Whether a column's type, which its library chose by all cells, may be one that is refused."""
        return self.container not in _UNTYPED

    def inputs(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Return (X, y) of both in the container."""
        make = containers()[self.container]
        first, second = as_given(self.first, self.schema), as_given(self.second, self.schema)
        return make(first, self.schema), make(second, self.schema)


Container = Callable[[tuple[Row, ...], Schema], tuple[Any, Any]]


def containers() -> dict[str, Container]:
    """Return ways to hand over rows, by name: those of Python and NumPy, and of each library of frames that is here."""
    found: dict[str, Container] = {
        "lists": lambda rows, _: ([list(row[:-1]) for row in rows], [row[-1] for row in rows]),
        "tuples": lambda rows, _: (tuple(row[:-1] for row in rows), tuple(row[-1] for row in rows)),
        "object arrays": lambda rows, _: (
            _objects([row[:-1] for row in rows]),
            _objects([row[-1:] for row in rows])[:, 0],
        ),
        "polars": lambda rows, schema: (pl.DataFrame(_columns(rows, schema), strict=False), [row[-1] for row in rows]),
    }
    if find_spec("pandas"):
        found["pandas"] = lambda rows, schema: _framed("pandas", "DataFrame", rows, schema)
    if find_spec("pyarrow"):
        found["arrow"] = lambda rows, schema: _framed("pyarrow", "table", rows, schema)
    return found


def reading_pairs(schema: Schema, *, n_rows: int = 12, seed: int = 0) -> Iterator[ReadingPair]:
    """Yield pairs without end: one protected cell of the second table is replaced by one of any type."""
    generator = public_generator(seed)
    offered, free = containers(), np.flatnonzero(protected(schema))
    for turn, pair in zip(count(), random_pairs(schema, n_rows=n_rows, seed=seed)):
        rows = tuple(_as_written(row, schema) for row in pair.first)
        container = list(offered)[turn % len(offered)]
        # Frames type a column by all of its cells, and refuse most odd ones themselves.
        odd = ODD_CELLS if container in _UNTYPED else _FRAMED
        cell, at = odd[int(generator.integers(len(odd)))], int(generator.integers(n_rows))
        place = int(generator.choice(free))
        if schema.label.drops_missing and place == len(schema.columns) and without_label([cell], schema.label).any():
            continue  # neighbors have labels in the same rows
        changed = (*rows[at][:place], cell, *rows[at][place + 1 :])
        second = (*rows[:at], changed, *rows[at + 1 :])
        made = ReadingPair(schema, rows, second, f"{type(cell).__name__} in {container}", container)
        if _can_be_made(made):
            yield made


SIZES = (2, 5, 12, 24, 60, 240)
"""Numbers of rows: few make one row heavy, many put scores far apart."""

_FIRST = 5
"""Pairs before all others: one for objectives, some for cut points and for splits, as a short audit replays few."""


def audit_pairs(schema: Schema, *, seed: int = 0) -> Iterator[Pair]:
    """Yield the pairs of an audit without end: made for single releases, worst cases, random, odd cells, in turn."""
    generator = public_generator(seed)
    made = [*directed_pairs(schema, n_rows=SIZES[-1]), *extreme_pairs(schema, n_random=0)]
    directed = cycle(made[at] for at in generator.permutation(len(made)))
    worst = [pair for n_rows in SIZES for pair in worst_pairs(schema, n_rows=n_rows)]
    random = [random_pairs(schema, n_rows=n_rows, seed=seed) for n_rows in SIZES]
    reading = reading_pairs(schema, n_rows=SIZES[1], seed=seed)
    yield from made[:_FIRST]
    for turn in count():
        yield next(directed)
        yield worst[int(generator.integers(len(worst)))]
        yield next(directed)
        yield next(random[turn % len(SIZES)])
        yield next(reading)
        if schema.label.drops_missing:
            pair = next(random[turn % len(SIZES)])
            yield with_unlabeled(pair, generator.integers(len(pair.first), size=3).tolist())


def _as_written(row: Row, schema: Schema) -> Row:
    """Return a row with dates, and with texts where the schema says how numbers are written.

    A library that makes texts of numbers, for one text among them, does not know how: these are texts before.
    """
    return tuple(_cell(part, cell) for part, cell in zip((*schema.columns, schema.label), row, strict=True))


def _cell(part: Column | Label, cell: Any) -> Any:
    if not isinstance(part, Numeric) or not (part.has_dates or part.notation):
        return cell
    if part.notation is not None and not part.has_dates:
        return part.notation.written(cell)
    [moment] = moments_of([cell], part)
    dates = part.notation.dates if part.notation else None
    return moment if dates is None or moment is None else dates.written(moment)


def _can_be_made(pair: ReadingPair) -> bool:
    """Return whether the container takes the odd cell."""
    try:
        pair.inputs()
    # Whatever a library raises over a cell, polars' panics excepted: these cells are not put into its frames.
    except Exception:  # noqa: BLE001
        return False
    return True


def _objects(rows: list[tuple[Any, ...]]) -> Any:
    found = np.empty((len(rows), len(rows[0])), dtype=object)
    for at, row in enumerate(rows):
        for place, cell in enumerate(row):
            found[at, place] = cell
    return found


def _columns(rows: tuple[Row, ...], schema: Schema) -> dict[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(schema.input_names)}


def _framed(library: str, make: str, rows: tuple[Row, ...], schema: Schema) -> tuple[Any, Any]:
    return getattr(import_module(library), make)(_columns(rows, schema)), [row[-1] for row in rows]
