"""Paired comparisons of learners: ratios to a baseline, signed-rank tests, mean ranks over data sets."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from tacit.errors import ParameterError
from tacit.study.summary.accuracies import PRICE, SETTING, SPLIT, TABLE, accuracies, check_alone, finished

DIGITS = 12
"""Decimals to which differences are rounded: 0.8 - 0.7 and 0.9 - 0.8 are a tie."""


@dataclass(frozen=True)
class SignedRank:
    """Result of Wilcoxon's signed-rank test."""

    pairs: int
    statistic: float | None
    """The smaller of the two rank sums."""
    z: float | None
    """The statistic less its mean, in standard deviations corrected for ties; at most 0."""
    p: float | None
    """Two-sided, by the normal approximation. None, as the other two, with fewer than two pairs."""


def signed_rank(first: ArrayLike, second: ArrayLike) -> SignedRank:
    """Wilcoxon's signed-rank test of paired values: scipy's, with zero differences split and the normal approximation.

    Parameters
    ----------
    first, second : array-like of shape (n_pairs,)
        Finite. Differences are rounded to twelve decimals, as scipy advises, so that equal ones tie.

    Notes
    -----
    The test of Lopuhaä-Zwakenberg and others (2021), definition 4.1: half of the zeros' ranks go to either sum. Their
    formula (22) divides by the root of N(N+1)(2N+1)/4, where the variance of a rank sum is N(N+1)(2N+1)/24, less what
    ties take off. With their 1/4, at their N = 60 (six tables, ten epsilons) even the most extreme sum, 0, has
    z = -2.75 and a two-sided p of 0.006, so their p = 0.003 cannot come from it; with 1/24 it can.

    The pairs ought to be independent. Splits of one table are not, as they share rows, and neither are the epsilons of
    one split: over these p is too small, and ranks pairs of learners rather than giving an error rate. The p of
    many comparisons are not adjusted for their number.

    Examples
    --------
    >>> signed_rank([0.9, 0.8, 0.7], [0.6, 0.6, 0.6]).statistic
    0.0
    """
    from scipy.stats import wilcoxon

    differences = np.round(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64), DIGITS)
    if len(differences) < 2:  # one pair has a rank, but no test
        return SignedRank(len(differences), None, None, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some versions warn of few pairs; their number is in the result
        # The normal distribution; newer versions call it "asymptotic", and know this name too.
        found = wilcoxon(differences, zero_method="zsplit", correction=False, alternative="two-sided", method="approx")
    return SignedRank(len(differences), float(found.statistic), float(found.zstatistic), float(found.pvalue))


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
    """Paired comparison of every two learners on the same tables, splits, epsilons and deltas.

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
        If two fits of one name are indistinguishable, or `unit` is something else.

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


def ratios(frame: pl.DataFrame, baseline: str | Mapping[str, str]) -> pl.DataFrame:
    """Return each setting's accuracy relative to that of a non-private baseline on the same splits.

    The ratio is the mean of the ratios of paired splits, not the ratio of the means: each split is measured against
    what was possible on it.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned.
    baseline : str or mapping of str to str
        The ``name`` of the baseline, or its ``learner`` if none has that name; or one for each learner's ``name`` or
        ``learner``, as in table 2 of Lopuhaä-Zwakenberg and others (2021). Settings of a learner without one have no
        row.

    Returns
    -------
    polars.DataFrame
        The setting, ``baseline`` as it was asked for, ``ratio`` (mean), ``deviation`` (standard deviation,
        null for a single pair), and ``pairs``: the splits on which both were trained and the
        baseline was right at least once. Without any, the ratio is null.

    Raises
    ------
    ParameterError
        If several baselines of different names are of the learner that was asked for, or two have one name.
    """
    ratio = pl.col("accuracy") / pl.col("reached")
    return (
        _paired(frame, baseline)
        .group_by(*SETTING, "baseline", maintain_order=True)
        .agg(ratio=ratio.mean(), deviation=ratio.std(), pairs=ratio.count().cast(pl.Int64))
    )


MIN_WAY = 0.005
"""From the majority class to a baseline: of half a point, noise between splits is a large share."""


def shares_learned(frame: pl.DataFrame, baseline: str | Mapping[str, str]) -> pl.DataFrame:
    """Return how much of the way from the majority class to a non-private baseline each setting has come.

    0 is no better than always predicting the majority class, which a ratio of accuracies hides; 1 is the baseline.
    Means over splits of both differences, the first over the second.

    Parameters
    ----------
    frame, baseline
        As of `ratios`.

    Returns
    -------
    polars.DataFrame
        As of `ratios`; null where the baseline is less than half a point above the majority class, or results are of a
        version that did not record it.
    """
    gain = (pl.col("accuracy") - pl.col("majority")).filter(pl.col("reached").is_not_null())
    way = (pl.col("reached") - pl.col("majority")).mean()
    length = pl.when(way >= MIN_WAY).then(way)
    return (
        _paired(frame, baseline)
        .group_by(*SETTING, "baseline", maintain_order=True)
        .agg(ratio=gain.mean() / length, deviation=gain.std() / length, pairs=pl.col("reached").count().cast(pl.Int64))
    )


def _paired(frame: pl.DataFrame, baseline: str | Mapping[str, str]) -> pl.DataFrame:
    """Return fits with the accuracy that their baseline ``reached`` on the same split."""
    rows = finished(frame).filter(pl.col("kind") != "baseline")
    paired = rows.with_columns(_asked(baseline).alias("baseline")).filter(pl.col("baseline").is_not_null())
    asked = paired["baseline"].unique(maintain_order=True)
    return paired.join(_baseline_accuracies(frame, asked), on=[*SPLIT, "baseline"], how="left", nulls_equal=True)


def _asked(baseline: str | Mapping[str, str]) -> pl.Expr:
    if isinstance(baseline, str):
        return pl.lit(baseline)
    by_learner = (
        pl.col(column).replace_strict(dict(baseline), default=None, return_dtype=pl.String)
        for column in ("name", "learner")
    )
    return pl.coalesce(*by_learner)


def _baseline_accuracies(frame: pl.DataFrame, asked: Iterable[str]) -> pl.DataFrame:
    """Return the accuracy of each baseline that was asked for on each split, under what it was called."""
    rows = finished(frame).filter(pl.col("kind") == "baseline", pl.col("accuracy") > 0)
    found = pl.concat([rows.clear().with_columns(baseline=pl.lit("")), *(_called(rows, each) for each in asked)])
    check_alone(found, [*SPLIT, "baseline"])
    return found.select(*SPLIT, "baseline", reached="accuracy")


def _called(rows: pl.DataFrame, asked: str) -> pl.DataFrame:
    """Return the rows of the baseline of this name, or, without one, of this learner."""
    named = rows.filter(pl.col("name") == asked)
    found = named if len(named) else rows.filter(pl.col("learner") == asked)
    names = found["name"].unique(maintain_order=True).to_list()
    if len(names) > 1:
        listed = ", ".join(map(repr, names))
        raise ParameterError(f"Expected one baseline, got baseline={asked!r}, which is {listed}. Pass one of these.")
    return found.with_columns(baseline=pl.lit(asked))


_CELL = ("privacy", *PRICE)


def mean_ranks(frame: pl.DataFrame) -> pl.DataFrame:
    """Return each learner's rank by mean accuracy, 1 for the best, averaged over data sets.

    Parameters
    ----------
    frame : polars.DataFrame
        What ``Study.run`` returned; rows without an epsilon are left out.

    Returns
    -------
    polars.DataFrame
        ``privacy``, ``epsilon``, ``delta``, ``name``, ``rank`` and ``data_sets``. Learners that are equal on a data set
        share the mean of their ranks. Ranked are the learners that finished at least one fit under that privacy,
        epsilon and delta, on the data sets on which all of them did: ``data_sets`` of these. Without any, the
        rank is null.

    Raises
    ------
    ParameterError
        If two learners of one name are indistinguishable.
    """
    means = accuracies(frame).filter(pl.col("epsilon").is_not_null(), pl.col("runs") > 0)
    check_alone(means, [*_CELL, "data", "name"])
    competitors = pl.col("name").n_unique().over(_CELL)
    here = pl.col("name").n_unique().over(*_CELL, "data")
    rank = (-pl.col("mean").round(DIGITS)).rank("average").over(*_CELL, "data")
    shared = pl.when(competitors == here).then(rank)
    return (
        means.with_columns(rank=shared)
        .group_by(*_CELL, "name", maintain_order=True)
        .agg(pl.col("rank").mean(), data_sets=pl.col("rank").count().cast(pl.Int64))
    )
