"""Every learner against every other, on what both were trained on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Literal, get_args

import polars as pl

from tacit.errors import ParameterError
from tacit.study.summary.fits import PRICE, SPLIT, TABLE, check_alone, finished
from tacit.study.summary.signed_rank import DIGITS, signed_rank

Unit = Literal["fit", "setting"]

_SCHEMA = {
    "first": pl.String,
    "second": pl.String,
    "pairs": pl.Int64,
    "better": pl.Int64,
    "equal": pl.Int64,
    "worse": pl.Int64,
    "difference": pl.Float64,
    "statistic": pl.Float64,
    "z": pl.Float64,
    "p": pl.Float64,
}


def comparisons(frame: pl.DataFrame, unit: Unit = "fit") -> pl.DataFrame:
    """Return a row for each two learners, compared on the same table, split, epsilon and delta.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned; rows without an epsilon are left out. For one table or one epsilon, filter it.
    unit : {"fit", "setting"}
        Whether a pair is of two fits on one split, or of two means over splits, at one table, epsilon and delta. The
        latter is what Lopuhaä-Zwakenberg and others (2021) compare, and needs several tables or epsilons.

    Returns
    -------
    polars.DataFrame
        ``first`` and ``second``, names of learners; ``pairs``, where both are there, in how many of them the first is
        ``better``, ``equal`` or ``worse``; the mean ``difference`` of accuracy, first less second; and ``statistic``,
        ``z`` and ``p`` of `signed_rank`, null with fewer than two pairs.

    Raises
    ------
    ParameterError
        If two fits of one name cannot be told apart, or `unit` is something else.

    Notes
    -----
    With ``"setting"``, means are taken over the splits that both learners finished.
    """
    if unit not in get_args(Unit):
        raise ParameterError(f"Expected unit 'fit' or 'setting', got unit={unit!r}. Choose one of the two.")
    rows = finished(frame).filter(pl.col("epsilon").is_not_null())
    check_alone(rows, [*SPLIT, *PRICE, "name"])
    by_name = {name: own for (name,), own in rows.group_by("name", maintain_order=True)}
    found = [_compared(_pairs(*two, unit), *names) for names, two in _by_two(by_name)]
    return pl.DataFrame(found, schema=_SCHEMA, orient="row")


def p_values(frame: pl.DataFrame, unit: Unit = "fit") -> pl.DataFrame:
    """Return the p-values of `comparisons` as a matrix, for a heat map.

    Returns
    -------
    polars.DataFrame
        ``name``, and a column for each learner, in the same order: symmetric, null on the diagonal and wherever there
        are fewer than two pairs.
    """
    found = comparisons(frame, unit)
    rows = finished(frame).filter(pl.col("epsilon").is_not_null())
    names = rows["name"].unique(maintain_order=True).to_list()
    p = {(first, second): value for first, second, value in found.select("first", "second", "p").iter_rows()}
    columns = {name: [p.get((name, other), p.get((other, name))) for other in names] for name in names}
    return pl.DataFrame(
        [pl.Series("name", names, pl.String), *(pl.Series(name, p, pl.Float64) for name, p in columns.items())]
    )


def _by_two(by_name: dict[Any, pl.DataFrame]) -> Iterator[tuple[tuple[Any, Any], tuple[pl.DataFrame, pl.DataFrame]]]:
    """Return any two names with their rows, cut down once to what pairs need."""
    rows = {name: own.select(*SPLIT, *PRICE, "accuracy") for name, own in by_name.items()}
    return (((first, second), (rows[first], rows[second])) for first, second in combinations(rows, 2))


def _pairs(one: pl.DataFrame, other: pl.DataFrame, unit: Unit) -> pl.DataFrame:
    pairs = one.join(other, on=[*SPLIT, *PRICE], suffix="_second", nulls_equal=True, maintain_order="left")
    if unit == "fit":
        return pairs
    return pairs.group_by(*TABLE, *PRICE, maintain_order=True).agg(pl.col("accuracy", "accuracy_second").mean())


def _compared(pairs: pl.DataFrame, first: str, second: str) -> tuple[object, ...]:
    test = signed_rank(pairs["accuracy"], pairs["accuracy_second"])
    differences = (pairs["accuracy"] - pairs["accuracy_second"]).round(DIGITS)
    signs = [int(differences.sign().eq(sign).sum()) for sign in (1.0, 0.0, -1.0)]
    return (first, second, test.pairs, *signs, differences.mean(), test.statistic, test.z, test.p)
