"""Features of persons: a side table's rows, grouped by person some at a time, in memory that persons alone take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import TableError, guarded
from tacit.schema import Categorical, Feature, Numeric
from tacit.table.rows import OnInvalid
from tacit.table.side_folds import Fold, Marks, Pairs
from tacit.table.side_rows import MICROSECONDS, Cells, SideSource, form_for, numbers_of, side_frames, step_of

_TO_ZERO = 2**62
"""Microseconds added to a time, so that none is negative."""
_SPAN = 2**64
"""Of the integers that stand for a value at a time."""

_FAILED = "Expected a side table that can be read, got one that fails. Read some of its rows, to see why."


@dataclass(frozen=True, eq=False, repr=False)
class MainRows:
    """Whose the rows of the main table are, in its order.

    Parameters
    ----------
    keys : series of texts
        Of one column of keys, all different.
    until : float64 array of shape (n_rows,), optional
        Of each person the date before which rows count, in days; NaN where there is none, and no row counts.
    """

    keys: pl.Series
    until: NDArray[np.float64] | None = None


def grouped(source: SideSource, cells: Cells, main: MainRows, on_invalid: OnInvalid) -> pl.DataFrame:
    """Return the features of each person, a row for each row of the main table.

    Rows whose key no person has are left out. Sums are of integers, and everything else is a maximum, a minimum or a
    count, so that neither the order of rows nor the engine's division of them changes a bit.

    Raises
    ------
    TableError
        If the side table is damaged, or does not fit the schema.

    Notes
    -----
    Privacy: each row is a function of that person's rows, own date and the schema. Proof:
    ``proofs/queries/side_tables.md``.
    """
    features = _Features(cells)
    rows = _rows_of_persons(source, cells, main, on_invalid)
    found = guarded(lambda: features.folded(rows, len(main.keys)), TableError(_FAILED))
    everyone = pl.DataFrame({"person": np.arange(len(main.keys), dtype=np.uint32)})
    each = everyone.join(found, on="person", how="left", maintain_order="left")
    return pl.DataFrame({f"feature {at}": features.made(each, column) for at, column in enumerate(cells.features)})


def _rows_of_persons(source: SideSource, cells: Cells, main: MainRows, on_invalid: OnInvalid) -> Iterator[pl.DataFrame]:
    """Yield the rows of persons within their windows, about as many at a time as there are persons, or more.

    So what is done once for each yield is done about once for each row, and takes no more memory than persons do.
    """
    window = _window(cells)
    persons: dict[Any, pl.DataFrame] = {}
    for frame in _gathered(side_frames(source, cells, on_invalid), len(main.keys)):
        kind = frame["key"].dtype
        if kind not in persons:
            persons[kind] = _persons(main, kind)
        rows = frame.join(persons[kind], on="key")
        yield rows if window is None else rows.filter(window)


def _gathered(frames: Iterator[pl.DataFrame], height: int) -> Iterator[pl.DataFrame]:
    """Yield the same rows in frames of at least so many, but for the last."""
    waiting: list[pl.DataFrame] = []
    for frame in frames:
        if waiting and waiting[0].schema != frame.schema:  # keys of another type
            yield pl.concat(waiting)
            waiting = []
        waiting.append(frame)
        if sum(each.height for each in waiting) >= height:
            yield pl.concat(waiting)
            waiting = []
    if waiting:
        yield pl.concat(waiting)


def _persons(main: MainRows, kind: Any) -> pl.DataFrame:
    """Return keys in the type that the side table has, with the place of their persons in the main table."""
    keys = main.keys.alias("key")
    frame = pl.DataFrame({"key": keys, "person": np.arange(len(keys), dtype=np.uint32)})
    if main.until is not None:
        frame = frame.with_columns(until=_microseconds(main.until))
    if kind == pl.String:
        return frame
    # "007" is no whole number of a side table: numbers are the texts of their digits.
    whole = keys.cast(pl.Int64, strict=False)
    return frame.with_columns(key=whole).filter((whole.cast(pl.String) == keys).fill_null(value=False))


def _microseconds(days: NDArray[np.float64]) -> pl.Series:
    missing = np.isnan(days)
    ticks = np.rint(np.where(missing, 0, days) * MICROSECONDS).astype(np.int64)
    return pl.Series("until", ticks).set(pl.Series(missing), None)


def _window(cells: Cells) -> pl.Expr | None:
    table = cells.table
    if table.as_of is None:
        return None
    public = table.until
    until = pl.col("until") if public is None else pl.lit(round(public * MICROSECONDS), dtype=pl.Int64)
    inside = pl.col("time") < until
    return inside if table.days is None else inside & (pl.col("time") >= until - table.days * MICROSECONDS)


@dataclass(frozen=True)
class _Answer:
    """What is asked of a part of a person's rows, and what brings the answers about parts together.

    Parameters
    ----------
    of : expression
        Of "unique" the value in each row.
    again : {"sum", "max", "min", "unique"}
    n_codes : int
        Of categories, of which each has a code below it; 0 of numbers.
    """

    of: pl.Expr
    again: Literal["sum", "max", "min", "unique"]
    n_codes: int = 0

    @classmethod
    def counted(cls, of: pl.Expr) -> _Answer:
        """Return a number of rows, in 64 bits as all are."""
        return cls(of.cast(pl.Int64), "sum")


class _Features:
    """What polars is asked for each person, and what columns are made of the answers."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._answers: dict[str, _Answer] = {}
        for column in cells.features:
            assert column.from_table is not None
            self._answers |= self._asked(column.from_table)

    def folded(self, frames: Iterator[pl.DataFrame], n_persons: int) -> pl.DataFrame:
        """Return the answers about each person who has a row."""
        single = {name: each for name, each in self._answers.items() if each.again != "unique"}
        several = {name: each for name, each in self._answers.items() if each.again == "unique"}
        again = [getattr(pl.col(name), each.again)() for name, each in single.items()]
        fold = Fold(lambda rows: rows.group_by("person").agg(again))
        values = {name: Marks(n_persons, each.n_codes) if each.n_codes else Pairs() for name, each in several.items()}
        for rows in frames:
            fold.add(rows.group_by("person").agg(**{name: each.of for name, each in single.items()}))
            for name, each in several.items():
                values[name].add(rows.select("person", value=each.of).drop_nulls())
        if not fold.has_parts:
            return pl.DataFrame(schema={"person": pl.UInt32, **dict.fromkeys(self._answers, pl.Int64)})
        found = fold.whole()
        for name, of in values.items():
            found = found.join(of.counts(name), on="person", how="left")
        return found

    def made(self, each: pl.DataFrame, column: Numeric | Categorical) -> pl.Series:
        """Return a column of features as a table would have it; null where a person has none."""
        feature = column.from_table
        assert feature is not None
        answers = [each[name] for name in self._asked(feature)]
        if feature.take in ("count", "distinct"):
            return answers[0].fill_null(0).cast(pl.Float64)
        if feature.take == "any":
            found = answers[0].fill_null(0) > 0
            return found if isinstance(column, Categorical) else found.cast(pl.Float64)
        if feature.take == "share":
            return _ratio(answers[0], answers[1])
        if feature.take == "sum":
            return answers[0].fill_null(0).cast(pl.Float64) * self._step(feature)
        if feature.take == "mean":
            return _ratio(answers[0], answers[1]) * self._step(feature)
        if feature.take == "span":
            return answers[0] - answers[1]
        if feature.take in ("min", "max"):
            return _as_dates(answers[0]) if _has_dates(column) else answers[0].cast(pl.Float64)
        return self._of_one_row(answers[0], feature, column)

    def _asked(self, feature: Feature) -> dict[str, _Answer]:
        """Return the answers that a feature needs, by names that equal features share."""
        take = feature.take
        if take in ("count", "any", "share"):
            return self._counts(feature)
        if take == "distinct":
            name = self._form(feature)
            return {f"distinct {name}": _Answer(pl.col(name), "unique", self._n_codes(feature))}
        if take in ("sum", "mean"):
            name = self._form(feature)
            asked = {f"sum {name}": _Answer(pl.col(name).sum(), "sum")}
            return asked if take == "sum" else asked | {f"count {name}": _Answer.counted(pl.col(name).count())}
        if take in ("latest", "first"):
            name = self._form(feature)
            # Time and value as one integer: the latest is the largest, and of one time the largest value.
            time = (pl.col("time") + _TO_ZERO).cast(pl.Int128)
            both = time * _wide(_SPAN) + (pl.col(name).cast(pl.Int128) + _wide(_SPAN // 2))
            answer = _Answer(both.max(), "max") if take == "latest" else _Answer(both.min(), "min")
            return {f"{take} {name}": answer}
        name = self._form(feature)
        ends = {
            f"max {name}": _Answer(pl.col(name).max(), "max"),
            f"min {name}": _Answer(pl.col(name).min(), "min"),
        }
        return ends if take == "span" else {f"{take} {name}": ends[f"{take} {name}"]}

    def _counts(self, feature: Feature) -> dict[str, _Answer]:
        if feature.of is None:
            return {"rows": _Answer.counted(pl.len())}
        name = self._form(feature)
        all_rows = {f"count {name}": _Answer.counted(pl.col(name).count())}
        if feature.value is None:
            return all_rows
        of = self._cells.table.column(feature.of)
        assert isinstance(of, Categorical)
        code = of.categories.index(feature.value)
        found = {f"count {name} {code}": _Answer.counted((pl.col(name) == code).sum())}
        return found if feature.take != "share" else found | all_rows

    def _n_codes(self, feature: Feature) -> int:
        of = self._cells.table.column(feature.of or "")
        if isinstance(of, Numeric):
            return 0
        return len(of.categories) + 1 if of.buckets is None else of.buckets

    def _form(self, feature: Feature) -> str:
        """Return the name of a column in the form that a feature needs; categories have one."""
        name = self._cells.table.date if feature.of is None else feature.of
        assert name is not None
        is_category = isinstance(self._cells.table.column(name), Categorical)
        return f"{'code' if is_category else form_for(feature.take)} {self._cells.place(name)}"

    def _step(self, feature: Feature) -> float:
        assert feature.of is not None
        of = self._cells.table.column(feature.of)
        assert isinstance(of, Numeric)
        return step_of(of)

    def _of_one_row(self, both: pl.Series, feature: Feature, column: Numeric | Categorical) -> pl.Series:
        """Return the value at a time."""
        assert feature.of is not None
        rest = pl.col("both").cast(pl.Int128) % _wide(_SPAN) - _wide(_SPAN // 2)
        order = both.to_frame("both").select(rest.cast(pl.Int64)).to_series()
        of = self._cells.table.column(feature.of)
        if isinstance(of, Categorical):
            # What is not listed there has a code, but no value here.
            listed = dict(enumerate(of.categories))
            kind = pl.Series(of.categories).dtype
            return order.replace_strict(list(listed), pl.Series([*listed.values()], dtype=kind), default=None)
        absent = order.is_null()
        numbers = pl.Series(numbers_of(order.fill_null(0).to_numpy())).set(absent, None)
        return _as_dates(numbers) if _has_dates(column) else numbers


def _wide(number: int) -> pl.Expr:
    return pl.lit(number, dtype=pl.Int128)


def _ratio(part: pl.Series, whole: pl.Series) -> pl.Series:
    return part.cast(pl.Float64) / whole.cast(pl.Float64).set(whole.fill_null(0) == 0, None)


def _has_dates(column: Numeric | Categorical) -> bool:
    return isinstance(column, Numeric) and column.has_dates


def _as_dates(days: pl.Series) -> pl.Series:
    return (days * MICROSECONDS).round().cast(pl.Int64).cast(pl.Datetime("us"))
