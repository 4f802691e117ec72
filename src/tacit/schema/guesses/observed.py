"""What guessing a schema needs to see of a column: its kind, its values and how often each occurs, missing cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from tacit.schema._checks import Value, plain

ObservedKind = Literal["number", "boolean", "text", "category", "date", "time", "mixed", "empty"]


@dataclass(frozen=True, eq=False)
class ObservedColumn:
    """A column as guessing sees it; nothing of its rows is in the repr."""

    kind: ObservedKind
    """"number", "boolean", "text", "category" (what the frame calls categories), "date" (days and moments), "time"
    (of no day, and spans), "mixed" (anything else) or "empty" (no value at all)."""
    missing: bool = field(repr=False)
    """Whether a cell is missing or not a number."""
    numbers: NDArray[Any] = field(default_factory=lambda: np.empty(0), repr=False)
    """Shape (n_values,). The different values of a "number", ascending."""
    distinct: tuple[Value, ...] = field(default=(), repr=False)
    """The different values of a "text", a "category" or a "boolean", sorted."""
    days: tuple[date, ...] = field(default=(), repr=False)
    """The first and the last day of a "date"."""
    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    """Shape (n_values,). In how many rows each value is."""
    levels: tuple[Value, ...] = field(default=(), repr=False)
    """The values of a "category" that the frame says are possible, in its order."""
    declared: bool = False
    """Whether the levels are a type that somebody wrote, and not what a library may have read off the rows."""
    codes: tuple[str, ...] = ()
    """What people say stands for a missing cell."""
    own_codes: tuple[str, ...] = ()
    """Those of them that they say of this column, and not of all."""

    @property
    def n_present(self) -> int:
        """How many cells are not missing."""
        return int(self.counts.sum())

    @property
    def n_values(self) -> int:
        """How many different values there are."""
        return len(self.counts)

    @property
    def mean_rows(self) -> float:
        """In how many rows each value is on average."""
        return self.n_present / self.n_values

    @cached_property
    def is_whole(self) -> bool:
        """Whether all are whole numbers, which identifiers are also where a library made floats of them."""
        return self.kind == "number" and bool(np.isfinite(self.numbers).all() and (self.numbers % 1 == 0).all())

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The different values that are texts."""
        return tuple(value for value in self.distinct if isinstance(value, str))


def observe_series(series: nw.Series[Any]) -> ObservedColumn:
    """Look at a column of a frame."""
    dtype = series.dtype
    # Under a name of ours: polars takes a name between ^ and $ for a pattern of names.
    present = series.alias("cells").drop_nulls()
    missing = len(present) < len(series)
    if len(present) == 0:
        return ObservedColumn("empty", missing)
    if dtype.is_numeric():
        numbers = present.cast(nw.Float64()) if dtype.is_decimal() else present
        return _observe_numbers(numbers.to_numpy(), missing)
    if dtype == nw.Boolean:
        return _observed("boolean", Counter(present.to_list()), missing)
    if dtype in (nw.Date, nw.Datetime):
        return _observe_days([present.min(), present.max()], missing)
    if dtype.is_temporal():
        return ObservedColumn("time", missing)
    if dtype == nw.String:
        return _observe_listed(present.to_list(), missing)
    if dtype in (nw.Categorical, nw.Enum):
        levels, declared = _levels(series)
        return _observe_listed(present.to_list(), missing, levels, is_category=True, declared=declared)
    if dtype == nw.Object:
        return observe_values(series.to_list())
    return ObservedColumn("mixed", missing)


def observe_array(column: NDArray[Any]) -> ObservedColumn:
    """Look at a column of an array, shape (n_rows,)."""
    kind = column.dtype.kind
    if kind in "iuf":
        return _observe_numbers(column, missing=False)
    if kind == "b":
        return _observed("boolean", Counter(column.tolist()), missing=False)
    if kind == "M":
        column = column.astype("datetime64[us]")  # of finer units NumPy makes integers
    return _observe_listed(column.tolist(), False) if kind == "U" else observe_values(column.tolist())


def observe_values(values: Iterable[object]) -> ObservedColumn:
    """Look at values of any type, one by one."""
    listed = [plain(value) for value in values]
    present = [value for value in listed if not _is_missing(value)]
    missing = len(present) < len(listed)
    if not present:
        return ObservedColumn("empty", missing)
    kind = _common_kind(present)
    if kind == "number":
        return _observe_numbers(_as_array(present), missing)
    if kind == "date":
        return _observe_days([value for value in present if isinstance(value, date)], missing)
    return _observed(kind, Counter(present), missing) if kind in ("text", "boolean") else ObservedColumn(kind, missing)


def _levels(series: nw.Series[Any]) -> tuple[list[Any], bool]:
    """Return what a type of categories lists; what polars calls Categorical lists other columns' values, too."""
    is_polars = series.implementation.is_polars()
    if is_polars and series.dtype != nw.Enum:
        return [], False
    return series.cat.get_categories().to_list(), is_polars


def _observe_numbers(values: NDArray[Any], missing: bool) -> ObservedColumn:
    if values.dtype.kind not in "iu":
        with np.errstate(all="ignore"):  # long doubles overflow with a warning that would tell of a cell
            values = values.astype(np.float64, copy=False)
        present = values[~np.isnan(values)]
        values, missing = present, missing or len(present) < len(values)
    numbers, counts = np.unique(values, return_counts=True)
    return ObservedColumn("number" if len(values) else "empty", missing, numbers=numbers, counts=counts)


def _observe_listed(
    values: Sequence[Any],
    missing: bool,
    levels: Sequence[Any] = (),
    *,
    is_category: bool = False,
    declared: bool = False,
) -> ObservedColumn:
    counted = Counter(plain(value) for value in values)
    if _common_kind([*counted, *levels]) not in ("text", "number"):
        return ObservedColumn(_common_kind(counted), missing)
    kind: ObservedKind = "category" if is_category else "text"
    return _observed(kind, counted, missing, tuple(plain(level) for level in levels), declared=declared)


def _observe_days(values: Sequence[Any], missing: bool) -> ObservedColumn:
    """Look at days and moments, those of a time zone as they are read: in UTC."""
    days = [_day(plain(value)) for value in values]
    return ObservedColumn("date", missing, days=(min(days), max(days)))


def _day(value: Any) -> date:
    if not isinstance(value, datetime):
        return date.fromisoformat(str(value)[:10])
    return (value.astimezone(UTC) if value.tzinfo else value).date()


def _observed(
    kind: ObservedKind, counted: Counter[Any], missing: bool, levels: tuple[Any, ...] = (), *, declared: bool = False
) -> ObservedColumn:
    distinct = tuple(sorted(counted))
    counts = np.asarray([counted[value] for value in distinct], dtype=np.int64)
    return ObservedColumn(kind, missing, distinct=distinct, counts=counts, levels=levels, declared=declared)


def _common_kind(values: Iterable[object]) -> ObservedKind:
    kinds = {_kind(plain(value)) for value in values}
    return kinds.pop() if len(kinds) == 1 else "mixed"


def _kind(value: object) -> ObservedKind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float | Decimal):
        return "number"
    if isinstance(value, date | time | timedelta):
        return "date" if isinstance(value, date) else "time"
    return "text" if isinstance(value, str) else "mixed"


def _is_missing(value: object) -> bool:
    # pandas has its own marks, known by name so that pandas stays optional.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | Decimal) and math.isnan(value)


def _as_array(values: list[Any]) -> NDArray[Any]:
    integers = all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in values)
    return np.asarray(values, dtype=np.int64 if integers else np.float64)
