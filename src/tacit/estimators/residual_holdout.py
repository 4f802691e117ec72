"""A private score of a regressor: rows kept back, or of other people, counted by what predictions miss them by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.cut_points import affordable_levels, halved
from tacit.estimators.holdout import MIN_HALVINGS, composition_of, deviations_of, refuse_few
from tacit.estimators.row_weights import mean_of, weighed
from tacit.measures.held_out import Origin
from tacit.measures.held_out_residuals import COVERAGE, DistanceCounts, HeldOutResiduals
from tacit.measures.intervals import accuracy_error
from tacit.measures.residual_intervals import Reach
from tacit.measures.score_cells import N_CELLS, cells_of_odds, odds_of_edges
from tacit.mechanisms import ReleasedValue, announce
from tacit.models import RegressionModel
from tacit.privacy import Accountant, Budget, Composition, PlanEntry, PrivacyUnit
from tacit.queries.held_out_residuals import (
    Residuals,
    distance_counts,
    plan_held_out_residuals,
    residual_counts,
    residual_medians,
)
from tacit.rules.shared import LARGE_SHARE, MAX_LEVELS, SURE_DEVIATIONS
from tacit.table import Table

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class ResidualQuestions:
    """What is asked of held-out rows, by public numbers alone.

    Parameters
    ----------
    plan : list of PlanEntry
        The releases to announce.
    composition : {"pure", "zcdp"}
        The one in which counts have less noise.
    halvings : int
        How often residuals are halved.
    deviation : float
        Of the noise on each count, in rows.
    """

    plan: list[PlanEntry]
    composition: Composition
    halvings: int
    deviation: float


def residuals_asked(size: int, unit: PrivacyUnit, budget: Budget) -> ResidualQuestions:
    """Return what to ask of so many rows: as many levels as their medians are still found."""
    composition = composition_of(plan_held_out_residuals(unit, n_medians=0), budget)
    delta, private = budget.delta if composition == "zcdp" else 0.0, 0 if unit.protects_nothing else 1
    given = (size // unit.most_rows, budget.epsilon, delta, private)
    halvings = max(affordable_levels(*given, most=MAX_LEVELS + 1, share=LARGE_SHARE), MIN_HALVINGS)
    plan = plan_held_out_residuals(unit, n_medians=halvings)
    return ResidualQuestions(plan, composition, halvings, deviations_of(plan, unit, budget, composition)[0])


def check_residuals(size: int, table: Table, budget: Budget, said: str) -> None:
    """Refuse so few rows to measure on that no share of them would be known; by public numbers alone."""

    def error(size: int) -> float:
        asked, counted = residuals_asked(size, table.unit, budget), size * mean_of(table)
        # Of half of the levels between private quantiles: of two classes there would be half as many.
        return accuracy_error(2, counted, asked.deviation, table.unit.most_rows, 2 ** (asked.halvings - 1))

    refuse_few(size, table, budget, said, error, "the share of the rows in an interval")


def measured_residuals(
    model: RegressionModel, held: Table, accountant: Accountant, *, origin: Origin
) -> HeldOutResiduals:
    """Return counts of the held rows by level of what the model misses their numbers by.

    Privacy: medians of parts of the residuals, which are the levels' edges, and releases of ``residual_counts`` and
    ``distance_counts``, at the accountant's whole budget; which of them follows from public numbers.
    """
    asked = residuals_asked(held.n_persons, held.unit, accountant.budget)
    releases = announce(accountant, asked.plan, composition=asked.composition)
    residuals, spread = Residuals(model.predict, model.scale.spread), model.scale.spread
    found = halved(residual_medians(held, residuals), asked.halvings, releases)
    before, kept, behind = _levels_of(found, asked.halvings)
    outer = _most_outer(asked.halvings)
    edges, interval = np.concatenate([before, kept, behind]), None
    if origin == "evaluation" and model.held_out is not None and model.held_out.rows_of_person == 1:
        interval = model.reach(COVERAGE)
        edges = np.union1d(edges, _cells_of(interval, spread))
    held = weighed(held)
    counted = releases.noisy(residual_counts(held, residuals, edges))
    # Two edges for each doubling, up to two deviations: beyond, a distance counts as the last one.
    away = [SURE_DEVIATIONS * spread * 2.0 ** (-at / 2) for at in range(MAX_LEVELS, -1, -1)]
    distances = releases.noisy(distance_counts(held, model.scale.start, np.asarray(away)))
    return HeldOutResiduals(
        _plain(counted),
        tuple(edge * spread for edge in odds_of_edges(edges)),
        (len(before), len(behind)),
        spread,
        model.target.upper - model.target.lower,
        held.n_persons,
        counted.scale,
        counted.distribution,
        DistanceCounts(_plain(distances), tuple(away), distances.scale, distances.distribution),
        rows_of_person=held.unit.most_rows,
        origin=origin,
        interval=interval,
        weighed=held.schema.weight is not None,
        max_levels=2**asked.halvings + 2 * outer + (0 if interval is None else len(interval)),
        max_outer=outer,
    )


def _levels_of(found: Cells, halvings: int) -> tuple[Cells, Cells, Cells]:
    """Return edges below private quantiles, those quantiles that are kept, and edges above.

    The outer ones are farther and farther from the median, by as many steps for each doubling as there are halvings,
    from where the quartile is. They tell how long the tails are that the quantiles leave. Quantiles beyond all of
    them were missed by their selection, or are of tails so long that nothing is known of these.
    """
    low, middle, high = odds_of_edges(found[[len(found) // 4, len(found) // 2, -1 - len(found) // 4]])
    below, above = _distances(middle - low, halvings), _distances(high - middle, halvings)
    ends = cells_of_odds(np.asarray([middle - _usual(below, halvings), middle + _usual(above, halvings)]))
    kept = found[(found >= ends[0]) & (found <= ends[1])]
    # Where the outermost is far, the tail is long: edges go twice as far.
    first, last = (2 * abs(end - middle) for end in odds_of_edges(kept[[0, -1]]))
    before, behind = (
        np.unique(cells_of_odds(middle + way * _thinned(far[far <= max(farthest, _usual(far, halvings))], halvings)))
        for way, far, farthest in ((-1, below, first), (1, above, last))
    )
    return before[(before > 0) & (before < kept[0])], kept, behind[(behind > kept[-1]) & (behind < N_CELLS)]


def _distances(quartile: float, halvings: int) -> NDArray[np.float64]:
    """Return distances of outer edges from the median, that many to a doubling of the quartile's, five doublings."""
    # No more than a spread, as noise may have put a quartile anywhere; and more than nothing, of equal residuals.
    least = min(quartile, 1.0) or 2.0**-MAX_LEVELS
    return np.asarray(least * 2.0 ** (np.arange(1, MAX_LEVELS * halvings + 1) / halvings))


def _most_outer(halvings: int) -> int:
    """Return how many outer edges there are at each end at most: half as many as the distances that they may have."""
    return (MAX_LEVELS * halvings + 1) // 2


def _thinned(distances: NDArray[np.float64], halvings: int) -> NDArray[np.float64]:
    """Return every second distance, the farthest among them, of more than there may be edges."""
    return distances if len(distances) <= _most_outer(halvings) else distances[::-1][::2][::-1]


def _usual(distances: NDArray[np.float64], halvings: int) -> float:
    """Return how far outer edges go: two doublings and a half, or where training clipped, as nearly all are nearer."""
    near = distances[distances <= SURE_DEVIATIONS]
    return float(max(distances[MAX_LEVELS * halvings // 2 - 1], near[-1] if len(near) else 0.0))


def _cells_of(interval: Reach, spread: float) -> Cells:
    """Return the cells at the ends of an interval of residuals."""
    return cells_of_odds(np.asarray([end / spread for end in interval if end is not None]))


def _plain(released: ReleasedValue) -> tuple[float, ...]:
    return tuple(released.value.astype(np.float64).tolist())
