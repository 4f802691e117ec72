"""A private score: rows kept back from a fit, or rows of other people, measured with one noisy histogram."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from tacit.errors import ParameterError
from tacit.mechanisms import Releases, announce
from tacit.mechanisms.secret_draws import secret_order
from tacit.models import Model
from tacit.models.area_influence import ROWS_A_DEVIATION, Squares, clipped
from tacit.models.class_areas import ClassScores, area_error, class_edges, levels_of
from tacit.models.held_out import HeldOut, Origin, accuracy_error, cell_of, edges_of
from tacit.privacy import Accountant, Budget, NoiseSource, Planned, PureDP
from tacit.privacy.parameters import ZERO, Number
from tacit.privacy.plan import divide
from tacit.queries.held_out import (
    STEPS,
    held_out_class_scores,
    held_out_scores,
    held_out_squares,
    plan_held_out_scores,
)
from tacit.table import Rows, Table

HOLDOUT = ZERO | Number(0.01, 0.5, "Give 0 for none, or a share such as 0.1.")

WIDEST = 0.1
"""Half of the widest interval of an accuracy that says anything: at one half it would reach from 0.4 to 0.6."""


@dataclass(frozen=True)
class Divided:
    """A table whose rows are for training, but for those that are kept back to measure what was trained."""

    training: Table
    held: Table

    def accountants(self, whole: Accountant) -> tuple[Accountant, ...]:
        """Return an accountant for each part, of the whole budget each."""
        parts = (self.training, self.held)
        return whole.in_parallel([part.unit for part in parts], n_rows=[part.n_persons for part in parts])


def divided(table: Table, share: float, budget: Budget, noise: NoiseSource) -> Divided:
    """Return the rows to train on and those to keep back, by a secret order.

    Privacy: sizes are public; nobody knows the order. Each part is paid for by itself, and both together cost what one
    of them does. Proof: ``proofs/queries/held_out_scores.md``.

    Raises
    ------
    ParameterError
        If so few rows would be kept back that their accuracy could be anything, or persons are declared but not
        named; by public numbers alone, before anything is released. A ledger's charge stays, as rows were read.
    """
    persons = table.unit.persons
    if persons is not None and persons.identifier is None:
        raise ParameterError(
            "Expected an identifier of persons with holdout, got rows_per_person alone: a person's rows would be on "
            "both sides. Name the identifier, or keep one row of each person."
        )
    size = int(share * table.n_persons)
    check_size(size, table, budget, f"holdout={share:g}")
    training, held = table.slices([table.n_persons - size, size], secret_order(noise, table.n_persons))
    return Divided(training, held)


def measured(model: Model, held: Table, accountant: Accountant, *, origin: Origin) -> HeldOut:
    """Return counts of the held rows by class and level of the model's score, and of many classes by each one's score.

    Privacy: a release of ``held_out_scores`` at the accountant's whole budget, or one of ``held_out_class_scores``
    beside it, and one of ``held_out_squares`` beside both, which of the three follows from public numbers.
    """
    plan, deviations = _asked(held, accountant.budget)
    releases = announce(accountant, plan)
    edges = edges_of(held.n_classes, held.n_persons, deviations[0])
    n_cells = (len(edges) + 1) * (held.n_classes if held.n_classes > 2 else 1)
    released = releases.noisy(held_out_scores(held, lambda rows: _cells(model, rows, edges), n_cells))
    counts = released.value.astype(np.float64)
    return HeldOut(
        tuple(map(tuple, counts.tolist())),
        edges,
        held.n_persons,
        released.scale,
        released.law,
        rows_of_person=held.unit.most_rows,
        origin=origin,
        by_class=_by_class(model, held, releases, deviations[1:]) if len(deviations) > 1 else None,
    )


def _by_class(model: Model, held: Table, releases: Releases, deviations: tuple[float, ...]) -> ClassScores:
    edges = class_edges(held.n_classes, held.n_persons, deviations[0])

    def levels(rows: Rows) -> np.ndarray:
        return levels_of(model.predict_proba(rows), edges)

    released = releases.noisy(held_out_class_scores(held, levels, len(edges) + 1))
    counts = released.value.astype(np.float64)
    squares = None
    if len(deviations) > 1:
        influence, clip, most = clipped(counts, deviations[1])
        summed = releases.noisy(held_out_squares(held, levels, influence, most))
        row = most**2 / STEPS
        squares = Squares(float(summed.value[0]) * row, summed.scale * row, clip)
    each = tuple((tuple(rest), tuple(own)) for rest, own in counts.tolist())
    return ClassScores(each, edges, released.scale, released.law, squares)


def check_size(size: int, table: Table, budget: Budget, said: str) -> None:
    """Refuse so few rows to measure on that nothing would be known; by public numbers alone."""
    deviation, classes = noise_deviation(table, budget), table.n_classes
    if size >= 2 and accuracy_error(classes, size, deviation, table.unit.most_rows) <= WIDEST:
        return
    least = _least(classes, deviation, table.unit.most_rows)
    counted = "persons" if table.schema.identifier else "rows"
    raise ParameterError(
        f"Expected at least {least:,} {counted} to measure on at epsilon {budget.epsilon:g}, got {said} of "
        f"{table.n_persons:,}, which is {size:,}: too small, as the accuracy could be anything within {WIDEST:g} and "
        "more. Give more rows, a larger share or a larger epsilon."
    )


def noise_deviation(table: Table, budget: Budget) -> float:
    """Return the standard deviation of the noise on each count by class and level alone, in rows."""
    return _deviations(plan_held_out_scores(table.unit), table, budget)[0]


def _asked(table: Table, budget: Budget) -> tuple[list[Planned], tuple[float, ...]]:
    """Return the releases to announce and the standard deviation of each one's noise; of public numbers alone.

    Scores of each of many classes are asked for where noise hides neither their mean area nor then the accuracy, and
    how far their areas go together where there are rows enough to tell.
    """
    size, classes = table.n_persons, table.n_classes
    for squares in (True, False) if classes > 2 else ():
        plan = plan_held_out_scores(table.unit, n_scores=classes, squares=squares)
        cells, scores, *steps = _deviations(plan, table, budget)
        enough = accuracy_error(classes, size, cells, table.unit.most_rows) <= WIDEST
        enough &= area_error(classes, size, scores) <= WIDEST
        if enough and all(ROWS_A_DEVIATION * each <= STEPS * size for each in steps):
            return plan, (cells, scores, *(each / STEPS for each in steps))
    return plan_held_out_scores(table.unit), (noise_deviation(table, budget),)


def _deviations(plan: list[Planned], table: Table, budget: Budget) -> list[float]:
    """Return the standard deviation of the noise on each count of planned releases, in rows; 0 where there are none."""
    if not plan:
        return [0.0, 0.0, 0.0]
    shares = zip(plan, divide(budget, plan).shares, strict=True)
    return [
        (sqrt(2) * each.l1 / share.epsilon if isinstance(share, PureDP) else each.l2 / sqrt(2 * share.rho))
        * table.unit.most_rows
        for each, share in shares
    ]


def _cells(model: Model, rows: Rows, edges: tuple[float, ...]) -> np.ndarray:
    favored = np.searchsorted(model.classes, model.predict(rows))
    return cell_of(model.predict_proba(rows), favored, edges)


def _least(n_classes: int, deviation: float, rows_of_person: int) -> int:
    """Return the fewest rows that are enough."""
    size = 2
    while accuracy_error(n_classes, size, deviation, rows_of_person) > WIDEST:
        size = ceil(size * 1.05) + 1
    return size
