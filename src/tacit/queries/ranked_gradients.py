"""Sums of clipped residuals times features of bounded length, for two classes or many, and the features' moments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.errors import ParameterError
from tacit.privacy import NumericStatistic, Planned, PrivacyUnit
from tacit.queries.linear_rows import STRIP_ROWS, Offset
from tacit.queries.person_sums import row_sums
from tacit.rules.priors import CUT_OF_CLASSES
from tacit.schema import Column, Numeric
from tacit.table import Block, PerBlock, Table
from tacit.table.by_class import class_shares, class_sums
from tacit.table.ranked_encoding import FEATURE_STEPS, RankedEncoding, score_steps

RESIDUAL_STEPS = 2**12
"""Steps of the grid of residuals in one unit."""

GRADIENT_STEPS = RESIDUAL_STEPS * FEATURE_STEPS
"""Steps in one unit of a gradient. A block of 2^16 rows sums to less than 2^53 of them, for rows shorter than 2^10:
exact in float64, in any order."""

MOMENT_STEPS = FEATURE_STEPS**2
"""Steps in one unit of a squared feature: sums are exact."""

WEIGHTED_ROWS = 1_024
"""Rows added up at once where they have weights of up to 2^12: below 2^53 steps for rows shorter than 2^5."""

_ROUNDED_UP = 1 + 2.0**-40

NUMBER_MOVES = {False: (1.5625, 1.28616), True: (1.87686, 1.3796)}
"""With bends or without: how far half of a number's rank, its square, and its bend's move in L1, and in squared L2; and
at least how long they are, as a person may have one row more than in a neighboring table."""

BENT_ROUNDING = 5 / FEATURE_STEPS
"""What a number's moments may move further together, as both features are cut to their grid toward zero."""


def clip_of(n_classes: int) -> float:
    """Return the largest L2 norm of a row's residuals: a part of their norm where all classes are as likely.

    Of two classes the one residual counts, whose negative is the other's, and all of it.

    Examples
    --------
    >>> clip_of(2), round(clip_of(4) ** 2, 6)
    (0.5, 0.6075)
    """
    return 0.5 if n_classes == 2 else CUT_OF_CLASSES * sqrt(1 - 1 / n_classes)


@dataclass(frozen=True, eq=False)
class RankedGradients:
    """Sums over rows of x r', x being a row's features and r its residuals, cut to a public length.

    For two classes r is the number sigma(x . w + o) - y; for more the vector softmax(W' x + o) - e_y.

    Parameters
    ----------
    table : Table
    encoding : RankedEncoding
    offsets : tuple of Offset
        Margins of public columns, one for each output; empty for none.

    Notes
    -----
    Privacy: with c the encoding's radius and C = ``clip_of(n_classes)``, ``statistic`` moves in L2 by at most 2 C c
    under replace-one of any protected cells; ``moments`` by the root of 1.29 times the number of protected numbers
    (with bends 1.38 times) plus twice that of protected categories. Proof: ``proofs/queries/ranked_gradients.md``.
    """

    table: Table
    encoding: RankedEncoding
    offsets: tuple[Offset, ...] = ()

    @property
    def n_outputs(self) -> int:
        """One for two classes, else one for each."""
        return n_outputs(self.table.n_classes)

    def statistic(self, weights: NDArray[np.float64]) -> NumericStatistic:
        """Return the gradient at released weights, both of shape (n_features, n_outputs); ``GRADIENT_STEPS`` to one."""
        l1, l2 = gradient_sensitivity(self.encoding, self.table.unit, self.table.n_classes)
        public = self._public_margins()
        length = WEIGHTED_ROWS if self.table.is_weighted else STRIP_ROWS
        if self.table.n_persons * self.table.influence * GRADIENT_STEPS * self.encoding.radius >= 2.0**63:
            raise ParameterError(
                "Expected fewer columns or persons for ranks, got more than whole numbers hold. Take encoding='binned'."
            )

        def of_block(block: Block) -> NDArray[np.int64]:
            features, total = block.features(self.encoding), np.zeros(weights.shape, dtype=np.int64)
            offsets = None if public is None else public[block]
            for start in range(0, block.n_rows, length):
                rows = slice(start, start + length)
                strip = features[rows].astype(np.float64)
                margins = _margins(strip, weights)
                if offsets is not None:
                    margins += offsets[rows]
                steps = block.weighted(residual_steps(margins, block.labels[rows]).T, rows)
                # Features are multiples of 1 / FEATURE_STEPS: the product is as exact as that of their steps.
                total += ((steps @ strip) * FEATURE_STEPS).T.astype(np.int64)
            return total

        sums = self.table.sum(of_block)
        return row_sums(
            "summed gradients of ranked rows", self.table, sums, l1=GRADIENT_STEPS * l1, l2=GRADIENT_STEPS * l2
        )

    def moments(self) -> NumericStatistic:
        """Return sums over rows before these are shortened: half of each rank, then each feature's square.

        ``MOMENT_STEPS`` to one. Labels and the constant are not read. For a category it is the number of its rows.
        """
        table, encoding = self.table.unweighed, self.encoding  # no label is read
        length = WEIGHTED_ROWS if table.is_weighted else STRIP_ROWS

        def of_block(block: Block) -> NDArray[np.int64]:
            means = np.zeros(len(encoding.numbers), dtype=np.int64)
            squares = np.zeros(encoding.n_features - 1, dtype=np.int64)
            # Column by column, so that no matrix of all is made.
            for number, name in enumerate(encoding.numbers):
                own, at = block.scored(partial(encoding.steps_of, name)), encoding.ranks[number] - 1
                for start in range(0, block.n_rows, length):
                    rows = slice(start, start + length)
                    strip = own[:, rows]
                    weighted = block.weighted(strip, rows)
                    means[number] += int(weighted[0].sum()) * (FEATURE_STEPS // 2)
                    squares[at : at + len(own)] += np.einsum("ji,ji->j", weighted, strip).astype(np.int64)
            for place, codes in zip(encoding.places_of_categories, block.scored(encoding.codes), strict=True):
                seen = np.flatnonzero(codes >= 0)
                counts = block.counted(codes[seen], place.stop - place.start, seen)
                squares[place.start - 1 : place.stop - 1] = counts * FEATURE_STEPS**2
            return np.concatenate([means, squares])

        l1, l2 = moment_sensitivity(self.encoding, table.unit)
        sums = table.sum(of_block)
        return row_sums("moments of ranked rows", table, sums, l1=MOMENT_STEPS * l1, l2=MOMENT_STEPS * l2)

    def _public_margins(self) -> PerBlock[NDArray[np.float64]] | None:
        if not self.offsets:
            return None
        return self.table.per_block(lambda block: np.column_stack([one.margins(block) for one in self.offsets]))


@dataclass(frozen=True, eq=False)
class RankedScores:
    """What a released form of ranks says of rows.

    Parameters
    ----------
    encoding : RankedEncoding
    weights : float64 array of shape (n_features, n_outputs)
        Multiples of ``tacit.table.GRID``, with which sums are exact.
    """

    encoding: RankedEncoding
    weights: NDArray[np.float64]

    def steps(self, block: Block) -> NDArray[np.int64]:
        """Return scores in steps of the grid, shape (n_outputs, n_rows), each from its row alone."""
        features = block.features(self.encoding)
        found = np.empty((self.weights.shape[1], block.n_rows), dtype=np.int64)
        for start in range(0, block.n_rows, STRIP_ROWS):
            rows = slice(start, start + STRIP_ROWS)
            found[:, rows] = score_steps(_margins(features[rows].astype(np.float64), self.weights))
        return found


def n_outputs(n_classes: int) -> int:
    """Return the number of linear forms: one for two classes, else one for each."""
    return 1 if n_classes == 2 else n_classes


def gradient_sensitivity(encoding: RankedEncoding, unit: PrivacyUnit, n_classes: int) -> tuple[float, float]:
    """Return the L1 and L2 sensitivities of a gradient; zero where nothing protected is read."""
    if not unit.label and not set(encoding.columns) & set(unit.columns):
        return 0.0, 0.0
    l2 = 2 * clip_of(n_classes) * encoding.radius * _ROUNDED_UP
    # A row has at most so many features other than zero, as it has a number or the mark that it has none; its residuals
    # are one negative number and the rest positive.
    spread = 1.0 if n_classes == 2 else 2 * sqrt(1 - 1 / n_classes)
    return l2 * spread * sqrt(encoding.n_features - len(encoding.marks)), l2


def moment_sensitivity(encoding: RankedEncoding, unit: PrivacyUnit) -> tuple[float, float]:
    """Return the L1 and L2 sensitivities of the moments; zero where no column is protected."""
    protected = [encoding.schema.column(name) for name in encoding.columns if name in unit.columns]
    moved = [_moments_move(encoding, column) for column in protected]
    return sum((l1 for l1, _ in moved), 0.0), sqrt(sum(square for _, square in moved)) * _ROUNDED_UP


def _moments_move(encoding: RankedEncoding, column: Column) -> tuple[float, float]:
    """Return how far the moments of a column move, in L1 and in squared L2."""
    if encoding.is_mark(column):
        # Beside what its number counts: no further than those of rank 1 are from none.
        return 1.0, 1.0
    if not isinstance(column, Numeric):
        # One count falls and another rises.
        return 2.0, 2.0
    bends = encoding.bends
    l1, square = NUMBER_MOVES[bends]
    return (l1 + BENT_ROUNDING, (sqrt(square) + BENT_ROUNDING) ** 2) if bends else (l1, square)


def plan_moments(encoding: RankedEncoding, unit: PrivacyUnit, weight: float) -> list[Planned]:
    """Return the release of the moments to announce; none where no column is private."""
    l1, l2 = moment_sensitivity(encoding, unit)
    return [Planned("last noise", weight=weight, l1=l1, l2=l2)] if l1 else []


def plan_gradients(
    encoding: RankedEncoding, unit: PrivacyUnit, n_classes: int, *, count: int, weight: float
) -> list[Planned]:
    """Return so many releases of gradients to announce; none where nothing protected is read."""
    l1, l2 = gradient_sensitivity(encoding, unit, n_classes)
    return [Planned("last noise", count=count, weight=weight, l1=l1, l2=l2)] if l1 else []


def _margins(features: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x . w on grids on which sums are exact, so that a row's margin depends on no other row."""
    # BLAS may add in another order for another number of rows: products of 2^-14 and this step add up exactly.
    largest = float(np.abs(weights).sum(axis=0).max(initial=0.0))
    step = 2.0 ** (np.frexp(max(largest, 2.0**-30))[1] - 36)
    return np.asarray(features @ (np.rint(weights / step) * step))


def residual_steps(margins: NDArray[np.float64], labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return clipped residuals in steps, shape (n_rows, n_outputs)."""
    if margins.shape[1] == 1:
        residuals = expit(margins) - (labels == 1)[:, None]
        return np.asarray(np.trunc(np.clip(residuals, -0.5, 0.5) * RESIDUAL_STEPS))
    residuals = class_shares(margins, axis=1)
    residuals[np.arange(len(labels)), labels] -= 1.0
    norms = np.sqrt(class_sums(residuals**2, axis=1))
    clip = clip_of(margins.shape[1]) * (1 - 2.0**-40)
    residuals *= np.minimum(1.0, clip / np.maximum(norms, clip)) * RESIDUAL_STEPS
    return np.asarray(np.trunc(residuals))
