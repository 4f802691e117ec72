"""Features of persons: what polars' streaming engine makes of a side table's rows, grouped by person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.io.plugins import register_io_source

from tacit.errors import TableError
from tacit.schema import Categorical, Feature, Numeric
from tacit.table.rows import OnInvalid
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
    frames = side_frames(source, cells, on_invalid)
    first = next(frames, None)
    found = None if first is None else _collected(chain((first,), frames), first, cells, features, main)
    everyone = pl.DataFrame({"person": np.arange(len(main.keys), dtype=np.uint32)})
    if found is None:
        found = pl.DataFrame(schema={"person": pl.UInt32, **dict.fromkeys(features.asked, pl.Int64)})
    each = everyone.join(found, on="person", how="left", maintain_order="left")
    return pl.DataFrame({f"feature {at}": features.made(each, column) for at, column in enumerate(cells.features)})


def _collected(
    frames: Iterator[pl.DataFrame], first: pl.DataFrame, cells: Cells, features: _Features, main: MainRows
) -> pl.DataFrame:
    failures: list[Exception] = []

    def given(with_columns: list[str] | None, predicate: Any, *_: Any) -> Iterator[pl.DataFrame]:
        try:
            for frame in frames:
                chosen = frame if predicate is None else frame.filter(predicate)
                yield chosen if with_columns is None else chosen.select(with_columns)
        except Exception as error:
            failures.append(error)  # our own, as polars would wrap it
            raise

    rows = register_io_source(given, schema=first.schema).join(_persons(main, first["key"].dtype).lazy(), on="key")
    window = _window(cells)
    rows = rows if window is None else rows.filter(window)
    try:
        found = rows.group_by("person").agg(**features.asked).collect(engine="streaming")
    except Exception as error:
        if not failures and not isinstance(error, pl.exceptions.PolarsError):
            raise
    else:
        return found
    # Outside of the handler: what polars says could quote cells.
    raise failures[0] if failures else TableError(_FAILED)


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


class _Features:
    """What polars is asked for each person, and what columns are made of the answers."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self.asked: dict[str, pl.Expr] = {}
        for column in cells.features:
            assert column.from_table is not None
            self.asked |= self._asked(column.from_table)

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

    def _asked(self, feature: Feature) -> dict[str, pl.Expr]:
        """Return the answers that a feature needs, by names that equal features share."""
        take = feature.take
        if take in ("count", "any", "share"):
            return self._counts(feature)
        if take == "distinct":
            name = self._form(feature)
            return {f"distinct {name}": pl.col(name).drop_nulls().n_unique()}
        if take in ("sum", "mean"):
            name = self._form(feature)
            asked = {f"sum {name}": pl.col(name).sum()}
            return asked if take == "sum" else asked | {f"count {name}": pl.col(name).count()}
        if take in ("latest", "first"):
            name = self._form(feature)
            # Time and value as one integer: the latest is the largest, and of one time the largest value.
            time = (pl.col("time") + _TO_ZERO).cast(pl.Int128)
            both = time * _wide(_SPAN) + (pl.col(name).cast(pl.Int128) + _wide(_SPAN // 2))
            return {f"{take} {name}": both.max() if take == "latest" else both.min()}
        name = self._form(feature)
        ends = {f"max {name}": pl.col(name).max(), f"min {name}": pl.col(name).min()}
        return ends if take == "span" else {f"{take} {name}": ends[f"{take} {name}"]}

    def _counts(self, feature: Feature) -> dict[str, pl.Expr]:
        if feature.of is None:
            return {"rows": pl.len()}
        name = self._form(feature)
        all_rows = {f"count {name}": pl.col(name).count()}
        if feature.value is None:
            return all_rows
        of = self._cells.table.column(feature.of)
        assert isinstance(of, Categorical)
        code = of.categories.index(feature.value)
        found = {f"count {name} {code}": (pl.col(name) == code).sum()}
        return found if feature.take != "share" else found | all_rows

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
