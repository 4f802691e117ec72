"""Second readings: series that hit a published number by what is not right, and how many numbers either reading hits.

A second reading is a series beside the right one, called after it and after what it does: "BRC, second reading: ...".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from reproductions.framework.apart import reason

_MARK = ", second reading: "

POINT, SHARE, OF_RATIO = 0.01, 0.1, 0.02
"""How near a number must come: a point of accuracy or of an error in percent; a tenth of a count; two of a ratio."""


@dataclass(frozen=True)
class Reached:
    """How many published numbers are reached.

    Attributes
    ----------
    published : int
    right : int
        By the right reading.
    second : int
        By a second reading alone.
    apart : mapping
        Those that are counted apart, by reason.
    """

    published: int
    right: int
    second: int
    apart: Mapping[str, int] = field(default_factory=dict)

    @property
    def open(self) -> int:
        """Those that neither reaches, or that were not run."""
        return self.published - self.n_apart - self.right - self.second

    @property
    def n_apart(self) -> int:
        """Those that are counted apart."""
        return sum(self.apart.values())


def second(series: str, reading: str) -> str:
    """Return what the second reading of a series is called.

    Examples
    --------
    >>> right_of(second("BRC", "first rows of the file"))
    'BRC'
    """
    return f"{series}{_MARK}{reading}"


def is_second(series: str) -> bool:
    """Tell whether the series is a second reading."""
    return _MARK in series


def right_of(series: str) -> str:
    """Return the series that a second reading is beside; a right one itself."""
    return series.split(_MARK)[0]


def reached(comparison: pl.DataFrame, apart: Callable[[Mapping[str, Any]], str] = reason) -> Reached:
    """Return how many published numbers each reading reaches; a number beside two readings counts once.

    Examples
    --------
    >>> told = {"panel": "", "note": "", "x": 1.0, "published": 0.7}
    >>> reached(pl.DataFrame(told | {"series": ["a", second("a", "b")], "ours": [0.6, 0.705]}))
    Reached(published=1, right=0, second=1, apart={})
    """
    found: dict[Any, set[bool]] = defaultdict(set)
    reasons: dict[Any, str] = {}
    for row in comparison.filter(pl.col("published").is_not_null()).iter_rows(named=True):
        hit = is_near(row["panel"], row["ours"], row["published"])
        place = row["panel"], right_of(row["series"]), row["x"]
        found[place] |= {is_second(row["series"])} if hit else set()
        if why := apart(row):
            reasons[place] = why
    compared = [readings for place, readings in found.items() if place not in reasons]
    by_right = sum(False in readings for readings in compared)
    by_second = sum(readings == {True} for readings in compared)
    return Reached(len(found), by_right, by_second, dict(Counter(reasons.values())))


def in_all(each: Sequence[Reached]) -> Reached:
    """Return the sums."""
    apart: Counter[str] = Counter()
    for one in each:
        apart.update(one.apart)
    published, right, by_second = (sum(getattr(one, name) for one in each) for name in ("published", "right", "second"))
    return Reached(published, right, by_second, dict(apart))


def is_near(panel: str, ours: float | None, published: float) -> bool:
    """Tell whether ours is near what is published.

    Near is a point (accuracies, errors in percent), two hundredths (ratios) or a tenth (counts).

    Examples
    --------
    >>> is_near("accuracy", 0.832, 0.84), is_near("test error, %", 23.0, 24.1), is_near("features used", 9.2, 10)
    (True, False, True)
    """
    if ours is None:
        return False
    if "error, %" in panel:
        return abs(ours - published) <= 100 * POINT
    if "ratio" in panel:
        return abs(ours - published) <= OF_RATIO + 1e-9
    return abs(ours - published) <= (POINT if abs(published) <= 1 else SHARE * abs(published)) + 1e-9


def beside(published: Mapping[Any, float], series: Sequence[str]) -> dict[Any, float]:
    """Return the published numbers, by place, and again beside each second reading of their series."""
    again = {
        (panel, name, x): value
        for (panel, right, x), value in published.items()
        for name in series
        if is_second(name) and right_of(name) == right
    }
    return {**published, **again}
