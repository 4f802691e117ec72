"""A table or figure of a paper: which tasks make it, and how their results compare with the published numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from reproductions.framework.apart import reason
from tacit.errors import ParameterError
from tacit.study.run import Task

Kind = Literal["curve", "bars", "table", "histogram", "heat-map", "box"]

COMPARISON = ("panel", "series", "x", "ours", "deviation", "runs", "published", "note")
"""Columns of a comparison, always all and in this order; ``x`` holds numbers or texts."""

_TYPES = {
    "panel": pl.String,
    "series": pl.String,
    "ours": pl.Float64,
    "deviation": pl.Float64,
    "runs": pl.Int64,
    "published": pl.Float64,
    "note": pl.String,
}
_ABSENT: dict[str, Any] = {"panel": "", "series": "", "runs": 0, "note": ""}


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes
    ----------
    key : str
        First author and year: ``"shen2022"``.
    citation : str
        Authors, year, title.
    """

    key: str
    citation: str


@dataclass(frozen=True)
class Axis:
    """What is drawn against what.

    Attributes
    ----------
    x, y : str
        Labels.
    kind : {"curve", "bars", "table", "histogram", "heat-map", "box"}
    log : bool
        Whether x is logarithmic.
    """

    x: str
    y: str
    kind: Kind
    log: bool = False


@dataclass(frozen=True)
class Artefact:
    """A table or figure of a paper.

    Attributes
    ----------
    name : str
        ``"salamatian2021-figure5.2"``.
    title : str
    paper : Paper
    setting : str
        What is run, in words.
    differences : tuple of str
        Why ours differs, each a sentence; "not here yet: ..." for series that are missing.
    hours : float
        Expected at the paper's repetitions on two cores.
    quick : str
        The stated fraction, in words.
    axis : Axis
    tasks : callable
        Returns the tasks, of the quick form or of the paper's repetitions. A task is one fit or one fold, so that
        little is lost when a run is interrupted.
    compare : callable
        Turns the store's rows of these tasks into a comparison, with the columns of `COMPARISON`; rows that failed or
        are missing leave ``ours`` null.
    data : tuple of str
        Data sets that it needs.
    large : tuple of str
        Those of them that are only downloaded when asked for.
    full : str
        The paper's own repetitions, in words.
    apart : callable
        Returns why the published number of a comparison's row is counted apart; nothing where it can be compared.
    tried : str
        What was tried for numbers that are open.
    """

    name: str
    title: str
    paper: Paper
    setting: str
    differences: tuple[str, ...]
    hours: float
    quick: str
    axis: Axis
    tasks: Callable[[bool], Sequence[Task]]
    compare: Callable[[pl.DataFrame], pl.DataFrame]
    data: tuple[str, ...] = ()
    large: tuple[str, ...] = ()
    full: str = "the paper's own repetitions"
    apart: Callable[[Mapping[str, Any]], str] = reason
    tried: str = ""


def compared(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Return a comparison of these rows; what a row leaves out is empty or null.

    Raises
    ------
    ParameterError
        If a row has another column.

    Examples
    --------
    >>> compared([{"panel": "adult", "series": "brc", "x": 0.01, "ours": 0.7, "runs": 3}]).columns == list(COMPARISON)
    True
    """
    kept = list(rows)
    if unknown := sorted({name for row in kept for name in row} - set(COMPARISON)):
        raise ParameterError(f"Expected columns among {COMPARISON}, got {unknown[0]!r}. Drop it or rename it.")
    frame = pl.DataFrame(
        {name: [row.get(name, _ABSENT.get(name)) for row in kept] for name in COMPARISON},
        schema_overrides=_TYPES,
        strict=False,
    )
    return frame.with_columns(pl.col("x").cast(pl.String if frame["x"].dtype == pl.String else pl.Float64))
