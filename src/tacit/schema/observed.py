"""What guessing a schema needs to see of a column: its kind, its values, whether cells are missing."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from tacit.schema._checks import Value, plain

ObservedKind = Literal["number", "boolean", "text", "category", "date", "time", "mixed", "empty"]


@dataclass(frozen=True, eq=False)
class Observed:
    """A column as guessing sees it; nothing of its rows is in the repr."""

    kind: ObservedKind
    """"number", "boolean", "text", "category" (what the frame calls categories), "date", "time" (moments and
    durations), "mixed" (anything else) or "empty" (no value at all)."""
    missing: bool = field(repr=False)
    """Whether a cell is missing or not a number."""
    n_present: int = field(repr=False)
    """How many cells are not missing."""
    numbers: NDArray[Any] = field(default_factory=lambda: np.empty(0), repr=False)
    """Shape (n_present,). The values of a "number"."""
    distinct: tuple[Value, ...] = field(default=(), repr=False)
    """The different values of a "text", a "category" or a "boolean", sorted; of a "date", as text."""
    codes: tuple[str, ...] = ()
    """What people say stands for a missing cell."""


def observe_series(series: nw.Series[Any]) -> Observed:
    """Look at a column of a frame."""
    dtype = series.dtype
    # Under a name of ours: polars takes a name between ^ and $ for a pattern of names.
    present = series.alias("cells").drop_nulls()
    missing, n_present = len(present) < len(series), len(present)
    if n_present == 0:
        return Observed("empty", missing, 0)
    if dtype.is_numeric():
        numbers = present.cast(nw.Float64()) if dtype.is_decimal() else present
        return _observe_numbers(numbers.to_numpy(), missing)
    if dtype == nw.Boolean:
        return Observed("boolean", missing, n_present, distinct=tuple(sorted(present.unique().to_list())))
    if dtype == nw.Date:
        return _observe_days(present.unique().to_list(), missing, n_present)
    if dtype.is_temporal():
        return Observed("time", missing, n_present)
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _observe_listed(present.unique().to_list(), missing, n_present, categories=dtype != nw.String)
    if dtype == nw.Object:
        return observe_values(series.to_list())
    return Observed("mixed", missing, n_present)


def observe_array(column: NDArray[Any]) -> Observed:
    """Look at a column of an array, shape (n_rows,)."""
    kind = column.dtype.kind
    if kind in "iuf":
        return _observe_numbers(column, missing=False)
    if kind == "b":
        return Observed("boolean", False, len(column), distinct=tuple(np.unique(column).tolist()))
    if kind == "U":
        return _observe_listed(np.unique(column).tolist(), False, len(column))
    return observe_values(column.tolist())


def observe_values(values: Iterable[object]) -> Observed:
    """Look at values of any type, one by one."""
    listed = [plain(value) for value in values]
    present = [value for value in listed if not _is_missing(value)]
    missing = len(present) < len(listed)
    if not present:
        return Observed("empty", missing, 0)
    kind = _common_kind(present)
    if kind == "number":
        return _observe_numbers(_as_array(present), missing)
    if kind == "text":
        return _observe_listed(set(present), missing, len(present))
    if kind == "date":
        return _observe_days({value for value in present if isinstance(value, date)}, missing, len(present))
    distinct = tuple(value for value in (False, True) if value in present) if kind == "boolean" else ()
    return Observed(kind, missing, len(present), distinct=distinct)


def _observe_numbers(values: NDArray[Any], missing: bool) -> Observed:
    if values.dtype.kind not in "iu":
        with np.errstate(all="ignore"):  # long doubles overflow with a warning that would tell of a cell
            values = values.astype(np.float64, copy=False)
        present = values[~np.isnan(values)]
        values, missing = present, missing or len(present) < len(values)
    return Observed("number" if len(values) else "empty", missing, len(values), numbers=values)


def _observe_listed(distinct: Iterable[Any], missing: bool, n_present: int, *, categories: bool = False) -> Observed:
    values: list[Any] = [plain(value) for value in distinct]
    kind = _common_kind(values)
    if kind not in ("text", "number"):
        return Observed(kind, missing, n_present)
    label: ObservedKind = "category" if categories else "text"
    return Observed(label, missing, n_present, distinct=tuple(sorted(values)))


def _observe_days(distinct: Iterable[date], missing: bool, n_present: int) -> Observed:
    return Observed("date", missing, n_present, distinct=tuple(map(str, sorted(distinct))))


def _common_kind(values: Iterable[object]) -> ObservedKind:
    kinds = {_kind(value) for value in values}
    return kinds.pop() if len(kinds) == 1 else "mixed"


def _kind(value: object) -> ObservedKind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float | Decimal):
        return "number"
    if isinstance(value, date | time | timedelta):
        return "date" if type(value) is date else "time"
    return "text" if isinstance(value, str) else "mixed"


def _is_missing(value: object) -> bool:
    # pandas has its own marks, known by name so that pandas stays optional.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | Decimal) and math.isnan(value)


def _as_array(values: list[Any]) -> NDArray[Any]:
    integers = all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in values)
    return np.asarray(values, dtype=np.int64 if integers else np.float64)
