"""A private score: rows kept back from a fit, or rows of other people, measured with one noisy histogram."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.cut_points import affordable_levels, halved
from tacit.errors import ParameterError
from tacit.estimators.row_weights import mean_of, weighed
from tacit.measures.auc import area_error
from tacit.measures.auc_covariance import Squares, clipped
from tacit.measures.class_scores import ClassScores
from tacit.measures.group_counts import GroupCounts
from tacit.measures.held_out import HeldOut, Origin
from tacit.measures.intervals import WIDEST, accuracy_error
from tacit.measures.prediction_sets import mean_of_largest
from tacit.measures.score_cells import (
    MIDDLE,
    N_CELLS,
    TIE_BITS,
    chance_edges,
    class_cells,
    odds_of_edges,
    predicted_cells,
    score_cells,
)
from tacit.mechanisms import ReleasedValue, Releases, announce
from tacit.mechanisms.secret_draws import secret_order
from tacit.models import Model
from tacit.privacy import Accountant, Budget, Composition, NoiseSource, PlanEntry, PrivacyUnit, PureDP
from tacit.privacy.parameters import ZERO, Number
from tacit.privacy.plan import divide
from tacit.queries.held_out import (
    STEPS,
    Cells,
    Groups,
    Levels,
    held_out_medians,
    held_out_other_scores,
    held_out_own_scores,
    held_out_scores,
    held_out_squares,
    plan_held_out_scores,
)
from tacit.rules.measures import ROWS_A_DEVIATION
from tacit.rules.shared import LARGE_SHARE
from tacit.table import Rows, Table

HOLDOUT = ZERO | Number(0.01, 0.5, "Give 0 for none, or a share such as 0.1.")

MIN_HALVINGS = 2
"""Of a score: of two levels nothing would tell how rows lie in them."""


@dataclass(frozen=True)
class HoldoutSplit:
    """A table whose rows are for training, but for those that are kept back to measure what was trained."""

    training: Table
    held: Table

    def accountants(self, whole: Accountant) -> tuple[Accountant, ...]:
        """Return an accountant for each part, of the whole budget each."""
        parts = (self.training, self.held)
        return whole.in_parallel([part.unit for part in parts], n_rows=[part.n_persons for part in parts])


Further = Sequence[NDArray[np.int64]]
"""Edges of levels of each score, as cells of the grid, or none."""

Check = Callable[[int, Table, Budget, str], None]
"""Refuses so many rows to measure on as are too few, named by a text; by public numbers alone."""


def divided(table: Table, share: float, budget: Budget, noise: NoiseSource, check: Check | None = None) -> HoldoutSplit:
    """Return the rows to train on and those to keep back, by a secret order.

    Parameters
    ----------
    check : callable, optional
        By default ``check_size``, which is of classes.

    Privacy: sizes are public; nobody knows the order. Each part is paid for by itself, and both together cost what one
    of them does. Proof: ``proofs/queries/held_out_scores.md``.

    Raises
    ------
    ParameterError
        If so few rows would be kept back that their accuracy could be anything, or persons are declared but not
        named; by public numbers alone, before anything is released. A ledger's charge stays where rows were read.
    """
    size = held_size(table, share, budget, check)
    training, held = table.slices([table.n_persons - size, size], secret_order(noise, table.n_persons))
    return HoldoutSplit(training, held)


def held_size(table: Table, share: float, budget: Budget, check: Check | None = None) -> int:
    """Return how many rows are kept back, or refuse what ``divided`` refuses; looks at no row."""
    persons = table.unit.persons
    if persons is not None and persons.identifier is None:
        raise ParameterError(
            "Expected an identifier of persons with holdout, got rows_per_person alone: a person's rows would be on "
            "both sides. Name the identifier, or keep one row of each person."
        )
    size = int(share * table.n_persons)
    (check or check_size)(size, table, budget, f"holdout={float(share):g}")
    return size


def measured(
    model: Model,
    held: Table,
    accountant: Accountant,
    *,
    origin: Origin,
    groups: Groups | None = None,
    further: Further = (),
) -> HeldOut:
    """Return counts of the held rows by class and level of the model's score, and of many classes by each one's score.

    Where there are groups, the counts by class and level are by group, too, and added up. ``further`` are edges of
    levels of each score that were released before.

    Privacy: medians of parts of the scores, which are the levels' edges, a release of ``held_out_scores``, and of more
    than two classes ``held_out_own_scores``, ``held_out_other_scores`` and ``held_out_squares``, at the accountant's
    whole budget; which of them follows from public numbers.
    """
    given = held.n_persons, held.n_classes, held.unit, accountant.budget, number_of(groups)
    asked, held = asked_of(*given, rarest=rarest_of(held), mean=mean_of(held)), weighed(held)
    releases = announce(accountant, asked.plan, composition=asked.composition)
    by_class = None
    if held.n_classes == 2:
        counted, edges = _of_two(model, held, releases, asked.halvings, groups, further)
    else:
        levels = _levels(held, partial(_class_cells, model), held.n_classes, asked.halvings, releases, further)
        edges = chance_edges(held.n_classes, few=groups is not None)
        predicted, n_cells = partial(_predicted, model, edges), held.n_classes * (len(edges) + 1)
        counted = releases.noisy(held_out_scores(held, predicted, n_cells, groups=groups))
        by_class = _by_class(model, held, releases, asked, levels) if levels else None
    counts = counted.value.astype(np.float64)
    by_group = None
    if groups is not None:
        each = tuple(tuple(map(tuple, of_group)) for of_group in counts.tolist())
        by_group, counts = GroupCounts(groups.column, groups.names, each), counts.sum(axis=0)
    return HeldOut(
        tuple(map(tuple, counts.tolist())),
        edges,
        held.n_persons,
        counted.scale,
        counted.distribution,
        rows_of_person=held.unit.most_rows,
        origin=origin,
        by_class=by_class,
        by_group=by_group,
        max_levels=2**asked.halvings + 1 + most_of(further),
        weighed=held.schema.weight is not None,
    )


def _of_two(
    model: Model, held: Table, releases: Releases, halvings: int, groups: Groups | None, further: Further
) -> tuple[ReleasedValue, tuple[float, ...]]:
    """Return counts by class and level of the score, with the edges of the levels, of which zero is one."""
    cells = partial(_cells, model)
    levels = _levels(held, cells, 1, halvings, releases, (np.append(further, MIDDLE).astype(np.int64),))
    assert levels is not None
    counted = releases.noisy(held_out_scores(held, cells, levels.n_levels, levels=levels, groups=groups))
    return counted, odds_of_edges(levels.edges[0])


def _levels(
    held: Table, cells: Cells, n_scores: int, halvings: int, releases: Releases, further: Further
) -> Levels | None:
    """Return levels whose edges are private quantiles of the scores, and further ones; None without any halving."""
    if not halvings:
        return None
    asked = held_out_medians(held, cells, n_scores, n_cells=N_CELLS, coins=1 << TIE_BITS)
    found = [halved(each, halvings, releases) for each in asked]
    if len(further):
        found = [np.union1d(each, own) for each, own in zip(found, further, strict=True)]
    # Of many scores as many levels of each, whatever the rows: the last edge again, where scores could not be halved so
    # often.
    most = 2**halvings - 1 + most_of(further) if n_scores > 1 else len(found[0])
    edges = [np.append(each, np.full(most - len(each), each[-1] if len(each) else MIDDLE)) for each in found]
    return Levels(edges, N_CELLS, 1 << TIE_BITS)


def most_of(further: Further) -> int:
    """Return how many edges are added to a score's at most."""
    return max(map(len, further), default=0)


def _by_class(model: Model, held: Table, releases: Releases, asked: HoldoutQuestions, levels: Levels) -> ClassScores:
    cells = partial(_class_cells, model)
    own, others = (releases.noisy(ask(held, cells, levels)) for ask in (held_out_own_scores, held_out_other_scores))
    counts = np.stack([others.value, own.value], axis=1).astype(np.float64)
    squares = None
    if asked.squares is not None:
        influence, clip, most = clipped(counts, asked.squares)
        summed = releases.noisy(held_out_squares(held, cells, levels, influence, most))
        row = most**2 / STEPS
        squares = Squares(float(summed.value[0]) * row, summed.scale * row, clip)
    each = tuple((tuple(rest), tuple(of_class)) for rest, of_class in counts.tolist())
    edges = tuple(odds_of_edges(of_class) for of_class in levels.edges)
    return ClassScores(each, edges, others.scale, own.scale, own.distribution, squares)


def check_size(size: int, table: Table, budget: Budget, said: str, groups: Groups | None = None) -> None:
    """Refuse so few rows to measure on that nothing would be known; by public numbers alone."""
    n_groups = number_of(groups)
    error = partial(_accuracy_error, table=table, budget=budget, n_groups=n_groups)
    what = "the accuracy" if groups is None else f"the accuracy, counted by {n_groups} groups,"
    refuse_few(size, table, budget, said, error, what)


def refuse_few(size: int, table: Table, budget: Budget, said: str, error: Callable[[int], float], what: str) -> None:
    """Refuse so few rows that what is measured could be off by more than ``WIDEST``, and say how many more are enough.

    A few more rows may be asked more questions, and leave more noise on each answer.
    """

    def too_few(size: int) -> bool:
        return error(size) > WIDEST

    if size >= 2 and not too_few(size):
        return
    tried, enough = max(size, 2), 0
    while not enough or tried <= 2 * enough:
        enough = 0 if too_few(tried) else enough or tried
        tried = ceil(tried * 1.05) + 1
    counted = "persons" if table.schema.identifier else "rows"
    raise ParameterError(
        f"Expected at least {enough:,} {counted} to measure on at epsilon {budget.epsilon:g}, got {said} of "
        f"{table.n_persons:,}, which is {size:,}: too small, as {what} could be anything within {WIDEST:g} and "
        "more. Give more rows, a larger share or a larger epsilon."
    )


def number_of(groups: Groups | None) -> int:
    """Return how many groups rows are counted by; one where they are not."""
    return 1 if groups is None else len(groups.names)


@dataclass(frozen=True)
class HoldoutQuestions:
    """What is asked of held-out rows, by public numbers alone.

    Parameters
    ----------
    plan : list of PlanEntry
        The releases to announce.
    composition : {"pure", "zcdp"}
        The one in which counts have less noise: medians may have more.
    halvings : int
        How often each score is halved; of many classes 0 where these have no scores of their own.
    deviation : float
        Of the noise on each count by class and level, in rows.
    squares : float, optional
        Of the noise on the squares, as a number of rows; None where they are not asked for.
    """

    plan: list[PlanEntry]
    composition: Composition
    halvings: int
    deviation: float
    squares: float | None = None


def asked_of(
    size: int,
    n_classes: int,
    unit: PrivacyUnit,
    budget: Budget,
    n_groups: int = 1,
    *,
    rarest: float | None = None,
    mean: float = 1.0,
) -> HoldoutQuestions:
    """Return what to ask of so many rows, by public numbers alone.

    Levels are no more than leave the rarest class sets, by its declared prevalence, or as if classes were even.

    Of several groups levels are as many as an even part of the rows would have: each has noise of its own. Scores of
    each of many classes are asked for where noise hides neither their mean area nor then the accuracy, and
    how far their areas go together where there are rows enough to tell.

    Rows count as much as their declared ``mean`` weight.
    """
    counted = size * mean
    n_scores = 0 if n_classes == 2 else n_classes
    # Public scores have as many levels as there may be, but for groups, of which each level's count has noise.
    private = max(n_scores, 1) if unit.columns or n_groups > 1 else 0

    def halvings_of(composition: Composition) -> int:
        """Return how often to halve each score: as often as the last medians are still found."""
        delta = budget.delta if composition == "zcdp" else 0.0
        rows = size // unit.most_rows // n_groups
        return affordable_levels(rows, budget.epsilon, delta, private, share=LARGE_SHARE)

    fewest = counted * (1 / n_classes if rarest is None else rarest) if unit.most_rows == 1 else 0.0
    composition = composition_of(plan_held_out_scores(unit, n_medians=0), budget)
    if n_classes == 2:
        noise = deviations_of(plan_held_out_scores(unit, n_medians=1), unit, budget, composition)[0] * sqrt(n_groups)
        halvings = halvings_for_sets(max(halvings_of(composition), MIN_HALVINGS), noise, fewest)
        plan = plan_held_out_scores(unit, n_medians=halvings)
        return HoldoutQuestions(plan, composition, halvings, deviations_of(plan, unit, budget, composition)[0])
    n_levels, added = len(chance_edges(n_classes, few=n_groups > 1)) + 1, sqrt(n_groups)
    for squares in (True, False):
        counts = plan_held_out_scores(unit, n_medians=0, n_scores=n_scores, squares=squares)
        found = composition_of(counts, budget)
        planned = plan_held_out_scores(unit, n_medians=1, n_scores=n_scores, squares=squares)
        halvings = halvings_for_sets(halvings_of(found), deviations_of(planned, unit, budget, found)[1], fewest)
        plan = plan_held_out_scores(unit, n_medians=halvings * n_scores, n_scores=n_scores, squares=squares)
        cells, own, others, *steps = deviations_of(plan, unit, budget, found)
        enough = accuracy_error(n_classes, counted, cells * added, unit.most_rows, n_levels) <= WIDEST
        enough &= halvings >= MIN_HALVINGS and area_error(n_classes, counted, own, others, 2**halvings) <= WIDEST
        if enough and all(ROWS_A_DEVIATION * each <= STEPS * counted for each in steps):
            return HoldoutQuestions(plan, found, halvings, cells, steps[0] / STEPS if steps else None)
    plan = plan_held_out_scores(unit, n_medians=0)
    return HoldoutQuestions(plan, composition, 0, deviations_of(plan, unit, budget, composition)[0])


def halvings_for_sets(most: int, deviation: float, n_rows: float) -> int:
    """Return how often to halve a score, for prediction sets of 90 % to leave out a class of so many rows.

    As often as noise takes no more rows than half of a level has, by which an edge misses the best place on average;
    and as often as may be, where so few rows have no such sets anyway. Of more levels sums have more noise.
    """
    enough = [
        halvings
        for halvings in range(MIN_HALVINGS, most + 1)
        if mean_of_largest(deviation, 2**halvings + 1) <= n_rows / 2 ** (halvings + 1)
    ]
    return enough[-1] if enough else most


def rarest_of(table: Table) -> float | None:
    """Return the declared share of the rarest class; None where none is declared."""
    shares = None if table.schema.target else table.schema.class_label.sorted_prevalence
    return None if shares is None else min(shares)


def _accuracy_error(size: int, table: Table, budget: Budget, n_groups: int) -> float:
    """Return half of the widest interval that the accuracy of so many rows may have."""
    n_classes, unit = table.n_classes, table.unit
    mean = mean_of(table)
    asked = asked_of(size, n_classes, unit, budget, n_groups, rarest=rarest_of(table), mean=mean)
    n_levels = levels_of(asked, n_classes, n_groups)
    return accuracy_error(n_classes, size * mean, asked.deviation * sqrt(n_groups), unit.most_rows, n_levels)


def levels_of(asked: HoldoutQuestions, n_classes: int, n_groups: int) -> int:
    """Return in how many levels of its score a class's rows are counted at most."""
    return 2**asked.halvings + 1 if n_classes == 2 else len(chance_edges(n_classes, few=n_groups > 1)) + 1


def composition_of(plan: list[PlanEntry], budget: Budget) -> Composition:
    """Return the composition in which planned releases have less noise."""
    return divide(budget, plan).composition


def deviations_of(plan: list[PlanEntry], unit: PrivacyUnit, budget: Budget, composition: Composition) -> list[float]:
    """Return the standard deviation of the noise of planned releases, in rows; 0 where there are none."""
    if not plan:
        return [0.0, 0.0, 0.0, 0.0]
    each_one = [each for each in plan for _ in range(each.count)]
    shares = zip(each_one, divide(budget, plan, composition).shares, strict=True)
    return [
        (sqrt(2) * each.l1 / share.epsilon if isinstance(share, PureDP) else each.l2 / sqrt(2 * share.rho))
        * unit.most_rows
        for each, share in shares
        if each.kind == "noise"
    ]


def _cells(model: Model, rows: Rows) -> np.ndarray:
    return score_cells(model.predict_proba(rows), _favored(model, rows))


def _class_cells(model: Model, rows: Rows) -> np.ndarray:
    return class_cells(model.predict_proba(rows))


def _predicted(model: Model, edges: tuple[float, ...], rows: Rows) -> np.ndarray:
    return predicted_cells(model.predict_proba(rows), _favored(model, rows), edges)


def _favored(model: Model, rows: Rows) -> np.ndarray:
    return np.searchsorted(model.classes, model.predict(rows))
