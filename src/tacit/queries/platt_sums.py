"""Sums over rows that say by which line log-odds are calibrated (Platt scaling): residuals and curvatures."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.errors import ParameterError
from tacit.features import GRID_STEPS
from tacit.measures.platt_moments import FARTHEST
from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.privacy.plan import Kind
from tacit.queries.person_sums import row_sums
from tacit.sensitivities.platt import OF_TWO, Bounds, PlattBasis
from tacit.table import Block, Table
from tacit.table.by_class import class_shares

Floats = NDArray[np.float64]

STEPS = GRID_STEPS
"""In one unit of a sum: what a row adds is a whole number, so that sums are exact."""

SCALES = np.asarray([1.0, 2.0, 2.0, 4.0, 8.0, 0.25])
"""What the sums of two classes are multiplied by, so that less noise is on those that move less, or that a loss depends
on more: a slope's error costs ten times what an intercept's does."""


RESIDUAL_OF_MANY = 0.625


def platt_sums(
    table: Table, scores: Callable[[Block], Floats], n_classes: int, largest: float = inf
) -> NumericStatistic:
    """Return the sums that tell the line from log-odds to calibrated ones, in steps.

    Of two classes six sums, all but the last of a row's weight w = 1 / (2 max(p, 1 - p)), by which a residual is at
    most one half, however sure and wrong a row's probability p of the second class is: w (y - p), its product with the
    row's place m, w p (1 - p) times 1, m and m^2, and m itself, all times ``SCALES``. The place is the log-odds over
    ``FARTHEST``, from -1 to 1.

    Of more classes two: half of how much higher the label's place is than the mean place by the row's probabilities,
    and half of the variance of places, which are log-odds against the likeliest class over ``FARTHEST``, from -1 to 0.

    Privacy: L1 2.86 and L2 1.53 for two classes, 2.26 and 1.25 where the label is public, and less where log-odds are
    small; 0.75 and 0.638 for more. Proof: ``proofs/queries/platt_sums.md``.

    Parameters
    ----------
    scores : callable
        Gives each row of a block its log-odds of the second class, (n_rows,), or log-weights of all, (n_rows,
        n_classes), from that row and released values alone.
    n_classes : int
        That the scores are of: two of one class against the rest, however many the label has.
    largest : float
        What log-odds of two classes are cut to; public or released.
    """
    known = _known(largest)

    def of_block(block: Block) -> NDArray[np.int64]:
        found = scores(block)
        if found.shape[1:] != (() if n_classes == 2 else (n_classes,)):
            raise ParameterError("Expected scores of as many classes as are told. Tell how many there are.")
        terms = of_rows(np.clip(found, -known, known) if found.ndim == 1 else found, block.labels)
        return np.asarray(block.weighted(np.trunc(STEPS * terms)).astype(np.int64).sum(axis=1))

    return row_sums(_basis(n_classes, largest), table, table.sum(of_block))


def in_rows(sums: NDArray[Any], deviation: float) -> tuple[Floats, Floats]:
    """Return released sums and the standard deviation of the noise of each, as numbers of rows."""
    step = STEPS * (SCALES if len(sums) == len(SCALES) else np.ones(len(sums)))
    return np.asarray(sums, dtype=np.float64) / step, deviation / step


def plan_platt_sums(unit: PrivacyUnit, n_classes: int, weight: float, kind: Kind) -> list[PlanEntry]:
    """Return the release to announce."""
    l1, l2 = _basis(n_classes).of_row(unit)
    return [] if unit.protects_nothing else [PlanEntry(kind, weight=weight, l1=l1, l2=l2)]


def sensitivity(unit: PrivacyUnit, n_classes: int, largest: float = inf) -> Bounds:
    """Return the L1 and L2 sensitivity, in units of one."""
    l1, l2 = _basis(n_classes, largest).of_row(unit)
    return l1 / STEPS, l2 / STEPS


def _basis(n_classes: int, largest: float = inf) -> PlattBasis:
    known = _known(largest)
    return PlattBasis(n_classes, None if known == inf else known)


def _known(largest: float) -> float:
    """Return the least bound of log-odds for which it is proved how far the sums move."""
    return min(each for each in OF_TWO if each >= largest)


def of_rows(scores: Floats, labels: NDArray[Any]) -> Floats:
    """Return what each row adds, shape (n_sums, n_rows)."""
    if scores.ndim > 1:
        return _of_many(scores, labels)
    second = expit(scores)
    weight = 0.5 / np.maximum(second, 1 - second)
    place = np.clip(scores / FARTHEST, -1.0, 1.0)
    residual, curvature = weight * ((labels == 1) - second), weight * second * (1 - second)
    terms = np.stack([residual, residual * place, curvature, curvature * place, curvature * place**2, place])
    return np.asarray(SCALES[:, None] * terms)


def _of_many(scores: Floats, labels: NDArray[Any]) -> Floats:
    likely = class_shares(scores, axis=1)
    places = np.maximum((scores - scores.max(axis=1, keepdims=True)) / FARTHEST, -1.0)
    # Column after column: a row's sum depends on no other row.
    mean = sum(likely[:, k] * places[:, k] for k in range(scores.shape[1]))
    variance = sum(likely[:, k] * (places[:, k] - mean) ** 2 for k in range(scores.shape[1]))
    higher = places[np.arange(len(labels)), labels] - mean
    return np.stack([np.clip(higher, -1.0, 2 * RESIDUAL_OF_MANY - 1) / 2, np.asarray(variance) / 2])
