"""Private quantiles by recursive halving: Kaplan, Schnapp and Stemmer (2022), over a fine public grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tacit.cut_points.rule import affordable_levels, worthwhile_levels
from tacit.features import Cuts, DistanceEncoding, GridEncoding
from tacit.mechanisms import Releases
from tacit.privacy import PlanEntry, PrivacyUnit, in_part
from tacit.queries import RowCells, scores_of_each
from tacit.rules.cut_points import PURE_SHARE_OF_NUMBERS, ROWS_OF_PURE_RANKS, ROWS_TO_START
from tacit.rules.shared import MAX_LEVELS, SMALL_SHARE
from tacit.schema import Numeric, Schema
from tacit.table import Table

CutPoints = Literal["auto", "private", "grid"]


@dataclass(frozen=True)
class PrivateCuts:
    """Settings of private cut points.

    Parameters
    ----------
    schema : Schema
        Its scales say how long a part of a column is: logarithmic ones suit long tails.
    levels : int
        Each column is halved so often: at most 2^levels - 1 cut points.
    share : float
        Of the budget, for all of them together.
    columns : tuple of str, optional
        By default all that are numeric and name no cut points in the schema.
    public_levels : int, optional
        How often public columns are halved; by default like protected ones.
    symmetric : bool
        Of two levels let the second one of a protected column find the median distance from the first one's median, and
        cut at that distance on both sides: all rows find one number, where half of them find each quartile.
    outer : int
        How often the first and the last of these intervals are halved further: what a long tail says is in few rows.

    Notes
    -----
    Privacy: one selection for each level of each protected column. Quantiles of public columns are exact and free.
    """

    schema: Schema
    levels: int
    share: float = SMALL_SHARE
    columns: tuple[str, ...] | None = None
    public_levels: int | None = None
    symmetric: bool = False
    outer: int = 0

    @property
    def found(self) -> tuple[str, ...]:
        """The columns whose cut points are released."""
        if self.columns is not None:
            return self.columns
        return columns_without_cuts(self.schema)

    def plan(self, unit: PrivacyUnit, others: Sequence[PlanEntry]) -> list[PlanEntry]:
        """Return the selections, weighted so that they get their share beside the other releases."""
        count = (self.levels + self.outer) * sum(name in unit.columns for name in self.found)
        if count == 0 or not others:
            return []
        rest = sum(release.weight * release.count for release in others)
        # Solved for the weight of one: count * weight / (count * weight + rest) = share.
        return [PlanEntry("selection", weight=rest * self.share / (1 - self.share) / count, count=count)]

    def spends(self, unit: PrivacyUnit) -> float:
        """Return the share of the budget that the selections take."""
        return self.share if self.levels and set(self.found) & set(unit.columns) else 0.0

    def before(self, others: Sequence[PlanEntry], unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the whole plan: the selections as its part "cuts", and then the other releases."""
        return [*in_part("cuts", self.plan(unit, others)), *others]

    def release(self, table: Table, releases: Releases) -> Cuts:
        """Return cut points by column; ``releases`` are those of the plan."""
        table = table.unweighed  # no label is read
        public_levels = self.levels if self.public_levels is None else self.public_levels
        levels = [self.levels if name in table.unit.columns else public_levels for name in self.found]
        if not self.symmetric or self.levels != 2:
            given = table, self.found, levels, releases
            return tuple(private_cut_points(*given, schema=self.schema, outer=self.outer).items())
        protected = set(table.unit.columns)
        halved = [1 if name in protected else level for name, level in zip(self.found, levels, strict=True)]
        found = dict(private_cut_points(table, self.found, halved, releases, schema=self.schema))
        middles = {name: cuts[0] for name, cuts in found.items() if name in protected}
        return tuple((found | _with_distances(table, middles, releases, self.schema)).items())


def affordable_cuts(
    schema: Schema,
    unit: PrivacyUnit,
    n_rows: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    most: int = MAX_LEVELS,
    most_outer: int = 0,
) -> PrivateCuts | None:
    """Return settings for as many levels as a tenth of the budget pays for, or None if there is nothing to release.

    Where it pays for none, only public columns get cut points, and the tenth stays with the learner.

    Parameters
    ----------
    schema : Schema
    unit : PrivacyUnit
    n_rows : int
    epsilon, delta : float
        Of the whole training.
    most : int
        Levels to halve at most.
    most_outer : int
        Further levels, of which only the outermost intervals are halved, at most.
    """
    columns = columns_without_cuts(schema)
    private = tuple(name for name in columns if name in unit.columns)
    found = affordable_levels(n_rows, epsilon, delta, len(private), most=most + most_outer)
    if not found:
        columns, found = tuple(name for name in columns if name not in private), most
    levels = min(found, most)
    return PrivateCuts(schema, levels, columns=columns, outer=found - levels) if columns else None


def pure_cuts_of_ranks(
    schema: Schema, unit: PrivacyUnit, n_rows: int, epsilon: float, *, asked: CutPoints = "auto"
) -> PrivateCuts | None:
    """Return settings for ranks without a delta: at most two levels, the second one of distances from the median.

    A tenth of the budget where it pays for both levels, else three tenths of the numbers' part of the columns where
    that does; else as ``affordable_cuts``. Further levels would only replace a number's distance from the median, on
    which more depends, by its rank (``benchmarks/ranked_quadratic.py``).

    Parameters
    ----------
    schema : Schema
    unit : PrivacyUnit
    n_rows : int
    epsilon : float
        Of the whole training.
    asked : {"auto", "private"}
        By these rules, or two levels in any case.
    """
    found = affordable_cuts(schema, unit, n_rows, epsilon, most=2)
    private = sum(name in unit.columns for name in columns_without_cuts(schema))
    budget = (n_rows, epsilon, 0.0, private)
    if private and affordable_levels(*budget) < 2:
        share = PURE_SHARE_OF_NUMBERS * private / len(schema.paid_columns)
        two = affordable_levels(*budget, most=2, rows_per_scale=ROWS_OF_PURE_RANKS, share=share)
        if two == 2 or asked == "private":
            found = PrivateCuts(schema, 2, share)
    return found and replace(found, symmetric=True, public_levels=MAX_LEVELS)


def chosen_cuts(
    asked: CutPoints, table: Table, epsilon: float, delta: float, *, most: int = MAX_LEVELS
) -> PrivateCuts | None:
    """Return settings of cut points for one training, or None for an even grid; reads no row.

    Parameters
    ----------
    asked : {"auto", "private", "grid"}
        Private ones where their share of the budget is worth it, in any case, or never.
    table : Table
    epsilon, delta : float
        Of the training.
    most : int
        Levels beyond which the learner does not gain by them.
    """
    columns = columns_without_cuts(table.schema)
    private = tuple(name for name in columns if name in table.unit.columns)
    budget, levels = (table.n_persons, epsilon, delta, len(private)), 0
    if private and asked == "private":
        levels = max(1, affordable_levels(*budget, most=most, rows_per_scale=ROWS_TO_START))
    elif private:
        levels = worthwhile_levels(*budget, most=most)
    found = columns if levels else tuple(name for name in columns if name not in private)
    if asked == "grid" or not found:
        return None
    # Under a public label public columns are fitted exactly, and fine bins cost nothing.
    return PrivateCuts(table.schema, levels, columns=found, public_levels=most if table.unit.label else MAX_LEVELS)


def columns_without_cuts(schema: Schema) -> tuple[str, ...]:
    """Return the numeric columns whose cut points the schema does not name."""
    return tuple(column.name for column in schema.columns if isinstance(column, Numeric) and column.cuts is None)


def private_cut_points(
    table: Table,
    columns: Sequence[str],
    levels: Sequence[int],
    releases: Releases,
    *,
    schema: Schema | None = None,
    outer: int = 0,
) -> Mapping[str, tuple[float, ...]]:
    """Return at most 2^level - 1 + 2 outer cut points of each column, near its quantiles, in increasing order.

    Parameters
    ----------
    table : Table
    columns : sequence of str
        Numeric.
    levels : sequence of int
        Of each column.
    releases : Releases
        One selection for each level of each protected column.
    schema : Schema, optional
        Of other scales than the table's.
    outer : int
        Further levels, of which only the outermost intervals are halved.

    Notes
    -----
    Privacy: releases one cell for each interval and level, each level under the ranges of ``MedianScores``; a level's
    intervals end at cells that the levels before it released. A column without a cut point left, as between two
    neighboring floats, has none in the result.
    """
    found = {}
    grids = [GridEncoding(schema or table.schema, name) for name in columns]
    for scores, level in zip(scores_of_each(table, grids), levels, strict=True):
        cuts = scores.grid.cuts(halved(scores, level, releases, outer) - 1)
        if cuts:
            found[scores.grid.column] = cuts
    return found


def _with_distances(
    table: Table, middles: Mapping[str, float], releases: Releases, schema: Schema
) -> dict[str, tuple[float, ...]]:
    """Return each released median with the numbers that are as far from it, on both sides, as half of the rows.

    Notes
    -----
    Privacy: releases one cell for each column, of distances from what was released before.
    """
    found = {}
    cells = [DistanceEncoding(schema, name, middle) for name, middle in middles.items()]
    for scores in scores_of_each(table, cells):
        [edge] = halved(scores, 1, releases)
        found[scores.grid.column] = scores.grid.around(int(edge) - 1)
    return found


def halved(scores: RowCells, levels: int, releases: Releases, outer: int = 0) -> NDArray[np.int64]:
    """Return the edges between cells at which intervals were halved, ascending; then the outermost ones alone.

    Notes
    -----
    Privacy: releases one cell for each interval and level.
    """
    edges = np.asarray([0, scores.n_cells], dtype=np.int64)
    for _ in range(levels):
        # An interval of one cell cannot be halved; that is public, as all edges were released.
        if np.diff(edges).max() < 2:
            break
        edges = np.union1d(edges, releases.cells(scores.statistic(edges)) + 1)
    for _ in range(outer):
        # What is between the outermost intervals is one more: halving it as well costs nothing, and is not used.
        asked = np.unique(edges[[0, 1, -2, -1]])
        if np.diff(asked)[[0, -1]].max() < 2:
            break
        statistic = scores.statistic(asked)
        first, last = statistic.intervals.T
        is_outer = (first == edges[0]) | (last == edges[-1] - 1)
        edges = np.union1d(edges, (releases.cells(statistic) + 1)[is_outer])
    return edges[1:-1]
