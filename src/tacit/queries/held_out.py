"""Rows that models were not trained on: losses, by which a search chooses, and scores, by which a model is measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit, SelectionStatistic
from tacit.queries.median_scores import RowCells, as_often_as_read, rows_read
from tacit.queries.person_sums import row_sums
from tacit.rules.shared import LARGE_SHARE, SMALL_SHARE
from tacit.sensitivities.counts import HeldOutCountsBasis, HeldOutGroupsBasis
from tacit.sensitivities.scores import HeldOutLossBasis, HeldOutSquaresBasis, Score
from tacit.table import Block, Rows, Table
from tacit.table.by_class import class_sums

LOG_LOSS_BOUND = 3.0
"""Nats, where a log-loss is clipped: a class that was given a probability below 1/20 costs no more."""

STEPS = 1024
"""Parts of the largest loss of one row: losses are whole numbers of them, so that sums are exact."""

Predictor = Callable[[Rows], NDArray[Any]]
"""Of rows, positions of classes or numbers, shape (n_rows,), or probabilities of classes, shape (n_rows, n_classes)."""


def held_out_losses(
    table: Table,
    predictors: Sequence[Predictor],
    score: Score,
    handicaps: Sequence[int] | None = None,
    *,
    clip: float = 1.0,
) -> SelectionStatistic:
    """Return minus the summed loss of each model, in steps, for a selection.

    Privacy: a row's loss of each model is a whole number from 0 to ``largest_loss(score)``, a function of this row and
    of released models alone, so a difference of two models' sums moves by at most twice that: the range, replace-one,
    whatever is protected; of persons, as often as one counts. Handicaps are public. Proof:
    ``proofs/queries/held_out_losses.md``.

    Parameters
    ----------
    predictors : sequence of callable
        Of models that were trained on other rows.
    handicaps : sequence of int, optional
        Of each model, in steps, added to its loss; public.
    clip : float
        Of absolute errors, in the target's unit, above 0; public, or released before.
    """
    added = np.asarray([0] * len(predictors) if handicaps is None else handicaps, dtype=np.int64)
    sums = _sums(table, predictors, score, clip) + added * table.unit_weight
    basis = HeldOutLossBasis(score, table.unit_weight)
    range_ = basis.sensitivity(table.unit, table.n_persons)["range"]
    return SelectionStatistic(f"held-out {score} of candidates", table.unit, -sums, range=range_, basis=basis)


def held_out_loss(table: Table, predictor: Predictor, score: Score, *, clip: float = 1.0) -> NumericStatistic:
    """Return the summed loss of one model, in steps, to leave with noise; ``clip`` as for ``held_out_losses``.

    Privacy: moves by at most ``largest_loss(score)``, L1 and L2, replace-one; of persons, as often as one counts.
    Proof: ``proofs/queries/held_out_losses.md``.
    """
    basis = HeldOutLossBasis(score, table.unit_weight)
    moves = basis.sensitivity(table.unit, table.n_persons)
    total = _sums(table, [predictor], score, clip)
    return NumericStatistic(f"held-out {score}", table.unit, total, l1=moves["l1"], l2=moves["l2"], basis=basis)


def plan_held_out_loss(unit: PrivacyUnit) -> list[PlanEntry]:
    """Return the noisy release to announce."""
    return [] if unit.protects_nothing else [PlanEntry("noise")]


def plan_held_out_losses(unit: PrivacyUnit) -> list[PlanEntry]:
    """Return the selection to announce."""
    return [] if unit.protects_nothing else [PlanEntry("selection")]


def _sums(table: Table, predictors: Sequence[Predictor], score: Score, clip: float) -> NDArray[np.int64]:
    def losses(block: Block) -> NDArray[np.int64]:
        predicted = [block.scored(predict) for predict in predictors]
        if score == "absolute-error":
            each = [_absolute_errors(one, block.targets, clip) for one in predicted]
        else:
            each = [_losses(one, block.labels, score) for one in predicted]
        # Whole numbers below 2^53 in all, so sums of floats are exact.
        return np.asarray([block.weighted(one).sum() for one in each], dtype=np.int64)

    total: NDArray[np.int64] = table.sum(losses)
    return total


def _losses(predicted: NDArray[Any], labels: NDArray[Any], score: Score) -> NDArray[np.float64]:
    """Return the loss of each row in whole steps, whatever the model predicts."""
    if score == "accuracy":
        return np.asarray(predicted != labels, dtype=np.float64)
    right = predicted[np.arange(len(labels)), labels.astype(np.intp)]
    if score == "log-loss":
        fractions = -np.log(np.clip(right, 1e-300, 1.0)) / LOG_LOSS_BOUND
    else:
        # Half the squared distance to the label's corner, at most 1 for probabilities.
        fractions = (class_sums(predicted**2, axis=1)[:, 0] - 2 * right + 1) / 2
    return _in_steps(fractions)


def _absolute_errors(predicted: NDArray[Any], targets: NDArray[Any], clip: float) -> NDArray[np.float64]:
    """Return how far each row's number is from what is predicted, as a share of the clip, in whole steps."""
    # Differences of numbers near the largest float may be infinite, and count as the clip.
    with np.errstate(over="ignore", invalid="ignore"):
        return _in_steps(np.abs(targets - np.asarray(predicted, dtype=np.float64)) / clip)


def _in_steps(fractions: NDArray[np.float64]) -> NDArray[np.float64]:
    # What is no number counts as the largest loss: the bound must hold for all rows.
    bounded = np.clip(np.nan_to_num(fractions, nan=1.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    return np.asarray(np.rint(bounded * STEPS))


Cells = Callable[[Rows], NDArray[Any]]
"""Of rows, the cell of each, from that row and a released model alone: shape (n_rows,) where a row has one, else
(n_rows, n_scores)."""

Edges = Sequence[NDArray[np.int64]]
"""Of each score, ascending edges between cells of a public grid, released before: edge e is below the cell e."""


def held_out_medians(table: Table, cells: Cells, n_scores: int, *, n_cells: int, coins: int) -> list[RowCells]:
    """Return the rows by cell of each score, to be halved.

    Privacy: a row's cell is a function of this row, of its place or its person's identifier, and of a released model,
    so that halving has the ranges of ``median_scores``. The label is not read. Proof:
    ``proofs/queries/held_out_scores.md``.

    Parameters
    ----------
    cells : callable
        Its answer, shape (n_rows, n_scores), is brought into 0 to n_cells - 1.
    n_cells : int
    coins : int
        So many cells from a score's on are the same score: a coin of the row or its person tells which it is in.
    """
    table = table.unweighed
    unit = table.unit if table.unit.columns else PrivacyUnit((), label=False)
    found = table.gathering(partial(_read, cells=cells, n_cells=n_cells, coins=coins))()
    query, reads = "medians of held-out rows' score", rows_read(table)
    return [RowCells(query, unit, n_cells, np.sort(found[:, at]), reads) for at in range(n_scores)]


@dataclass(frozen=True)
class Groups:
    """The categories of a column, by which rows are grouped: each row is in one.

    Parameters
    ----------
    column : str
    names : tuple of str
        Of each code.
    """

    column: str
    names: tuple[str, ...]

    def of(self, block: Block) -> NDArray[np.int64]:
        """Return the group of each row, shape (n_rows,); a cell of no listed category is in the first."""
        return _bounded(block.scored(self.codes), len(self.names))

    def codes(self, rows: Rows) -> NDArray[Any]:
        """Return the code of each row's cell."""
        return rows.held(self.column)


def held_out_scores(
    table: Table, cells: Cells, n_cells: int, *, levels: Levels | None = None, groups: Groups | None = None
) -> NumericStatistic:
    """Return counts of rows by (class, cell), shape (n_classes, n_cells), or of each group, one axis before these.

    Privacy: a replaced row leaves one count and enters another: L1 2, L2 sqrt 2, replace-one, whatever is protected; of
    persons, as often as one counts. The model was trained on other rows, or released before. Proof:
    ``proofs/queries/held_out_scores.md``.

    Parameters
    ----------
    cells : callable
        Its answer is brought into 0 to n_cells - 1, so that each row is in one cell, whatever the model makes of it.
    levels : Levels, optional
        Of what ``cells`` says; by default each cell is counted by itself.
    groups : Groups, optional
        By which rows are counted besides: the cell of a row is then (group, class, cell).
    """
    n_classes, n_groups = table.n_classes, 1 if groups is None else len(groups.names)

    def count(block: Block) -> NDArray[np.int64]:
        at = levels.of(block, cells)[:, 0] if levels else _bounded(block.scored(cells), n_cells)
        at += block.labels.astype(np.int64) * n_cells
        if groups is not None:
            at += groups.of(block) * (n_classes * n_cells)
        return block.counted(at, n_groups * n_classes * n_cells)

    counts, name = table.sum(count).astype(np.int64), "held-out rows by class and level of the score"
    if groups is None:
        return row_sums(HeldOutCountsBasis(1), table, counts.reshape(n_classes, n_cells), query=name)
    basis = HeldOutGroupsBasis((groups.column,))
    return row_sums(basis, table, counts.reshape(n_groups, n_classes, n_cells), query=f"{name}, and {groups.column!r}")


def held_out_own_scores(table: Table, cells: Cells, levels: Levels) -> NumericStatistic:
    """Return counts of each class's rows by level of its own score, shape (n_classes, n_levels).

    Privacy: a replaced row leaves one count and enters another: L1 2, L2 sqrt 2, replace-one, whatever is protected; of
    persons, as often as one counts. Proof: ``proofs/queries/held_out_scores.md``.

    Parameters
    ----------
    cells : callable
        Of rows, shape (n_rows, n_classes).
    levels : Levels
        As many of each class.
    """
    n_classes, n_levels = table.n_classes, levels.n_levels

    def count(block: Block) -> NDArray[np.int64]:
        own = block.labels.astype(np.int64)
        at = levels.of(block, cells)[np.arange(len(own)), own]
        return block.counted(own * n_levels + at, n_classes * n_levels)

    counts = table.sum(count).astype(np.int64).reshape(n_classes, n_levels)
    name = "held-out rows by class and level of its own score"
    return row_sums(HeldOutCountsBasis(1), table, counts, query=name)


def held_out_other_scores(table: Table, cells: Cells, levels: Levels) -> NumericStatistic:
    """Return counts of all rows but a class's own by level of the class's score, shape (n_classes, n_levels).

    Privacy: a replaced row leaves a count of each class but its own and enters as many: L1 2, L2 sqrt 2 for each class
    but one, replace-one, whatever is protected; of persons, as often as one counts. Proof:
    ``proofs/queries/held_out_scores.md``.

    Parameters
    ----------
    cells, levels
        As for ``held_out_own_scores``.
    """
    n_classes, n_levels = table.n_classes, levels.n_levels

    def count(block: Block) -> NDArray[np.int64]:
        at = levels.of(block, cells)
        # A further level takes a class's own rows, and is left out.
        at[np.arange(len(at)), block.labels.astype(np.int64)] = n_levels
        return np.stack([block.counted(each, n_levels + 1)[:n_levels] for each in at.T])

    name = "held-out rows of other classes by level of each class's score"
    return row_sums(HeldOutCountsBasis(n_classes - 1), table, table.sum(count).astype(np.int64), query=name)


def held_out_squares(
    table: Table, cells: Cells, levels: Levels, influence: NDArray[np.float64], most: float
) -> NumericStatistic:
    """Return the sum over rows of the square of a sum over classes, as a share of a public most, in steps.

    Privacy: a row adds a whole number from 0 to ``STEPS``, a function of this row and of released values alone, so the
    sum moves by at most ``STEPS``, L1 and L2, replace-one, whatever is protected; of persons, as often as one counts.
    Proof: ``proofs/queries/held_out_scores.md``.

    Parameters
    ----------
    cells, levels
        As for ``held_out_own_scores``.
    influence : array of shape (n_classes, 2, n_levels)
        What each class adds for a row of that level of its score, of another class and of its own; released before.
    most : float
        Above zero; sums beyond it count as it.
    """
    n_classes = len(influence)

    def squares(block: Block) -> NDArray[np.int64]:
        at = levels.of(block, cells)
        own = (block.labels[:, None] == np.arange(n_classes)).astype(np.int64)
        sums = class_sums(influence[np.arange(n_classes), own, at], axis=1)[:, 0]
        steps = np.rint(np.minimum(np.abs(sums) / most, 1.0) ** 2 * STEPS)
        # Whole numbers below 2^53 in all, so sums of floats are exact.
        return np.asarray([block.weighted(steps).sum()], dtype=np.int64)

    return row_sums(HeldOutSquaresBasis(), table, table.sum(squares))


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels of scores, between edges that were released before.

    Parameters
    ----------
    edges : sequence of int64 arrays of shape (n_levels - 1,)
        Of each score, never falling: level i has the cells from edge i - 1 up to and without edge i.
    n_cells, coins : int
        As for ``held_out_medians``.
    """

    edges: Edges
    n_cells: int
    coins: int

    @property
    def n_levels(self) -> int:
        """Number of levels of each score."""
        return len(self.edges[0]) + 1

    def of(self, block: Block, cells: Cells) -> NDArray[np.int64]:
        """Return the level of each row by each score, shape (n_rows, n_scores)."""
        found = _told_apart(block, cells, self.n_cells, self.coins)
        return np.column_stack(
            [np.searchsorted(edges, each, side="right") for edges, each in zip(self.edges, found.T, strict=True)]
        )


def plan_held_out_scores(
    unit: PrivacyUnit, *, n_medians: int, n_scores: int = 0, squares: bool = False
) -> list[PlanEntry]:
    """Return the releases to announce: medians, counts by class and level, and by many classes' scores, squares."""
    if unit.protects_nothing:
        return []
    l1, l2 = HeldOutCountsBasis(1).of_row(unit)
    planned = [PlanEntry("noise", l1=l1, l2=l2)]
    if n_scores:
        # As much for a class's own rows as for all others: of areas both sides' noise is then alike.
        for counted in (1, n_scores - 1):
            l1, l2 = HeldOutCountsBasis(counted).of_row(unit)
            planned.append(PlanEntry("noise", l1=l1, l2=l2))
    if squares:
        planned.append(PlanEntry("noise", weight=SMALL_SHARE, l1=float(STEPS), l2=float(STEPS)))
    if not unit.columns or not n_medians:
        return planned
    weight = sum(each.weight for each in planned) * LARGE_SHARE / (1 - LARGE_SHARE) / n_medians
    return [PlanEntry("selection", weight=weight, count=n_medians), *planned]


def _read(block: Block, cells: Cells, n_cells: int, coins: int) -> NDArray[np.int64]:
    return as_often_as_read(block, _told_apart(block, cells, n_cells, coins))


def _told_apart(block: Block, cells: Cells, n_cells: int, coins: int) -> NDArray[np.int64]:
    """Return the cells of rows, shape (n_rows, n_scores), those of the same score by coins."""
    found = np.asarray(block.scored(cells))
    found = found.reshape(len(found), -1)
    return _bounded(found + (block.coins(found.shape[1]) % np.uint64(coins)).astype(np.int64), n_cells)


def _bounded(cells: NDArray[Any], n_cells: int) -> NDArray[np.int64]:
    """Return what a released model makes of rows, brought into 0 to n_cells - 1, whatever that is."""
    at = np.nan_to_num(np.asarray(cells, dtype=np.float64), nan=0.0)
    return np.clip(at, 0, n_cells - 1).astype(np.int64)
