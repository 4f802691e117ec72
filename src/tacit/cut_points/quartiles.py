"""Private quartiles of numbers, for ranks, by rounds of noisy counts, each where the ones before point to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.cut_points.halving import (
    CutPoints,
    PrivateCuts,
    columns_without_cuts,
    private_cut_points,
    pure_cuts_of_ranks,
)
from tacit.cut_points.mixture_posterior import MixturePosterior
from tacit.features import Cuts, GridEncoding, GridWindow
from tacit.mechanisms import Releases
from tacit.privacy import PlanEntry, PrivacyUnit, in_part
from tacit.queries.place_counts import PlaceCounts, plan_places
from tacit.rules.cut_points import ROUNDS
from tacit.rules.shared import MAX_LEVELS, SMALL_SHARE
from tacit.schema import Schema
from tacit.table import Table

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class NoisyQuartiles:
    """Settings of noisy quartiles.

    Where rows are few, medians that are selected are missed: the chance of a place falls with the exponential of the
    rows that it is off by, while counts with Gaussian noise tell places apart by the exponential of their square.

    Parameters
    ----------
    schema : Schema
        Columns that are numeric and name no cut points in it are asked for.
    share : float
        Of the budget, for all rounds together.
    rounds : int
        How often rows are counted, of all columns at once.

    Notes
    -----
    Privacy: releases of ``PlaceCounts``; quartiles, and what is counted next, follow from what was released, the
    distribution of its noise and the schema. Quantiles of public columns are exact and free.
    """

    schema: Schema
    share: float
    rounds: int = ROUNDS

    def plan(self, unit: PrivacyUnit, others: Sequence[PlanEntry]) -> list[PlanEntry]:
        """Return the releases, weighted so that they get their share beside the others."""
        rest = sum(release.weight * release.count for release in others)
        if not rest:
            return []
        weight = rest * self.share / (1 - self.share) / self.rounds
        return plan_places(unit, columns_without_cuts(self.schema), count=self.rounds, weight=weight)

    def spends(self, unit: PrivacyUnit) -> float:
        """Return the share of the budget that the releases take."""
        return self.share if set(columns_without_cuts(self.schema)) & set(unit.columns) else 0.0

    def before(self, others: Sequence[PlanEntry], unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the whole plan: the counts as its part "cuts", and then the other releases."""
        return [*in_part("cuts", self.plan(unit, others)), *others]

    def release(self, table: Table, releases: Releases) -> Cuts:
        """Return cut points by column; ``releases`` are those of the plan."""
        table = table.unweighed  # no label is read
        columns = columns_without_cuts(self.schema)
        protected = tuple(name for name in columns if name in table.unit.columns)
        public = tuple(name for name in columns if name not in protected)
        levels = [MAX_LEVELS] * len(public)
        found = dict(private_cut_points(table, public, levels, Releases.none(), schema=self.schema))
        if protected:
            found |= self._quartiles(table, protected, releases)
        return tuple(found.items())

    def _quartiles(self, table: Table, columns: Sequence[str], releases: Releases) -> dict[str, tuple[float, ...]]:
        grids = [GridEncoding(self.schema, name) for name in columns]
        posteriors = counted_posteriors(table, grids, releases, self.rounds, PlaceCounts)
        wanted = np.asarray(QUARTILES)
        found = {
            posterior.window.grid.column: posterior.window.grid.cuts_at(posterior.quantiles(wanted))
            for posterior in posteriors
        }
        return {name: cuts for name, cuts in found.items() if cuts}


def counted_posteriors(
    table: Table, grids: Sequence[GridEncoding], releases: Releases, rounds: int, places_of: type[PlaceCounts]
) -> list[MixturePosterior]:
    """Return what so many rounds of noisy counts say of numbers on each grid.

    Privacy: releases counts; what is counted next follows from what was released and the distribution of its noise.
    """
    posteriors = [MixturePosterior(GridWindow(grid)) for grid in grids]
    places = None
    for _ in range(rounds):
        narrowed = [posterior.narrowed() for posterior in posteriors]
        if places is None or any(narrowed):
            places = places_of(table, [posterior.window for posterior in posteriors])
        edges = np.stack([posterior.quarters() for posterior in posteriors])
        released = releases.noisy(places.statistic(edges))
        n_rows = _rows(table, released.value)
        for posterior, own, counts in zip(posteriors, edges, released.value, strict=True):
            posterior.learn(own, counts / n_rows, released.deviation / n_rows)
    return posteriors


def _rows(table: Table, counts: NDArray[np.float64]) -> float:
    """Return how many rows there are: where each of a known person's counts one, as the counts of all columns tell."""
    if table.schema.identifier is None:
        return float(table.n_persons)  # nobody's rows are left out
    told = float(counts.sum(axis=1).mean())
    return float(np.clip(told, table.n_persons, table.n_persons * table.unit.most_rows))


RankCuts = NoisyQuartiles | PrivateCuts
"""Settings of cut points between which numbers are ranks."""


def cuts_of_ranks(
    schema: Schema, unit: PrivacyUnit, n_rows: int, epsilon: float, delta: float, *, asked: CutPoints = "auto"
) -> RankCuts | None:
    """Return settings of cut points for ranks, or None if there is nothing to release.

    With a delta noisy quartiles, of any budget. Without one noise grows with the number of rounds, and medians are
    selected where that pays: few columns that fill their bounds were ranked worse by noisy quartiles.

    Parameters
    ----------
    schema, unit, n_rows, epsilon, delta
        As for ``affordable_cuts``.
    asked : {"auto", "private", "grid"}
        Where they pay, in any case, or none.
    """
    if asked == "grid" or not columns_without_cuts(schema):
        return None
    if not delta:
        return pure_cuts_of_ranks(schema, unit, n_rows, epsilon, asked=asked)
    return NoisyQuartiles(schema, SMALL_SHARE)
