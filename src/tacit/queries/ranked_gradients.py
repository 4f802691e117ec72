"""Sums of clipped residuals times features of bounded length, for two classes or many, and second moments."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from tacit.privacy import NumericStatistic, Planned, PrivacyUnit
from tacit.queries.linear_rows import STRIP_ROWS, Offset
from tacit.table import Block, PerBlock, Table
from tacit.table.ranked_encoding import FEATURE_STEPS, RankedEncoding

RESIDUAL_STEPS = 2**12
"""Steps of the grid of residuals in one unit."""

GRADIENT_STEPS = RESIDUAL_STEPS * FEATURE_STEPS
"""Steps in one unit of a gradient. A block of 2^16 rows sums to less than 2^53 of them, for rows shorter than 2^10:
exact in float64, in any order."""

MOMENT_STEPS = FEATURE_STEPS**2
"""Steps in one unit of a second moment, before its weight: exact in a block for rows shorter than 2^4."""

ON_DIAGONAL, OFF_DIAGONAL = 29, 41
"""Weights of the entries of the triangle. 41 / 29 is just below sqrt 2: the weighted triangle is then no longer than 29
times the whole matrix, in which entries off the diagonal occur twice, and their noise is less by sqrt 2."""

MOST_MOMENT_FEATURES = 512
"""Features up to which second moments are asked for: 131,328 numbers, and one eigendecomposition below a second."""

_ROUNDED_UP = 1 + 2.0**-40


def clip_of(n_classes: int) -> float:
    """Return the largest L2 norm of a row's residuals: their norm where all classes are as likely.

    Of two classes the one residual counts, whose negative is the other's.

    Examples
    --------
    >>> clip_of(2), round(clip_of(4) ** 2, 6)
    (0.5, 0.75)
    """
    return 0.5 if n_classes == 2 else sqrt(1 - 1 / n_classes)


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
    under replace-one of any protected cells, and ``moments`` by 29 sqrt(2) c^2. Proof:
    ``proofs/queries/ranked_gradients.md``.
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

        def of_block(block: Block) -> NDArray[np.int64]:
            features, total = block.features(self.encoding), np.zeros(weights.shape)
            offsets = None if public is None else public[block]
            for start in range(0, block.n_rows, STRIP_ROWS):
                strip = features[start : start + STRIP_ROWS].astype(np.float64)
                margins = _margins(strip, weights)
                if offsets is not None:
                    margins += offsets[start : start + STRIP_ROWS]
                steps = _residual_steps(margins, block.labels[start : start + STRIP_ROWS])
                total += (strip * FEATURE_STEPS).T @ steps
            return total.astype(np.int64)

        return NumericStatistic(
            "summed gradients of ranked rows",
            self.table.unit,
            self.table.sum(of_block),
            l1=GRADIENT_STEPS * l1,
            l2=GRADIENT_STEPS * l2,
        )

    def moments(self) -> NumericStatistic:
        """Return the weighted upper triangle of the sum of x x', ``MOMENT_STEPS`` to one; labels are not read."""
        upper = np.triu_indices(self.encoding.n_features)

        def of_block(block: Block) -> NDArray[np.int64]:
            features, total = block.features(self.encoding), np.zeros((self.encoding.n_features,) * 2)
            for start in range(0, block.n_rows, STRIP_ROWS):
                strip = features[start : start + STRIP_ROWS].astype(np.float64) * FEATURE_STEPS
                total += strip.T @ strip
            return total[upper].astype(np.int64) * np.where(upper[0] == upper[1], ON_DIAGONAL, OFF_DIAGONAL)

        l1, l2 = moment_sensitivity(self.encoding, self.table.unit)
        return NumericStatistic(
            "second moments of ranked rows",
            self.table.unit,
            self.table.sum(of_block),
            l1=MOMENT_STEPS * l1,
            l2=MOMENT_STEPS * l2,
        )

    def unweighted(self, triangle: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the symmetric matrix, in units, of a released triangle."""
        n_features = self.encoding.n_features
        upper = np.triu_indices(n_features)
        matrix = np.zeros((n_features, n_features))
        matrix[upper] = triangle / MOMENT_STEPS / np.where(upper[0] == upper[1], ON_DIAGONAL, OFF_DIAGONAL)
        return matrix + np.triu(matrix, 1).T

    def _public_margins(self) -> PerBlock[NDArray[np.float64]] | None:
        if not self.offsets:
            return None
        return self.table.per_block(lambda block: np.column_stack([one.margins(block) for one in self.offsets]))


def n_outputs(n_classes: int) -> int:
    """Return the number of linear forms: one for two classes, else one for each."""
    return 1 if n_classes == 2 else n_classes


def gradient_sensitivity(encoding: RankedEncoding, unit: PrivacyUnit, n_classes: int) -> tuple[float, float]:
    """Return the L1 and L2 sensitivities of a gradient; zero where nothing protected is read."""
    if not unit.label and not set(encoding.columns) & set(unit.columns):
        return 0.0, 0.0
    l2 = 2 * clip_of(n_classes) * encoding.radius * _ROUNDED_UP
    # A row has at most so many features other than zero; its residuals are one negative number and the rest positive.
    spread = 1.0 if n_classes == 2 else 2 * clip_of(n_classes)
    return l2 * spread * sqrt(1 + len(encoding.columns)), l2


def moment_sensitivity(encoding: RankedEncoding, unit: PrivacyUnit) -> tuple[float, float]:
    """Return the L1 and L2 sensitivities of second moments; zero where no column is protected."""
    if not set(encoding.columns) & set(unit.columns):
        return 0.0, 0.0
    # Of one row at most 41/2 |x|_1^2 + (29 - 41/2) |x|_2^2, with |x|_1^2 <= (P + 1) c^2; of two rows twice that.
    squared = encoding.radius**2 * _ROUNDED_UP
    l1 = OFF_DIAGONAL * (1 + len(encoding.columns)) + 2 * ON_DIAGONAL - OFF_DIAGONAL
    return l1 * squared, ON_DIAGONAL * sqrt(2) * squared * _ROUNDED_UP


def plan_moments(encoding: RankedEncoding, unit: PrivacyUnit, weight: float) -> list[Planned]:
    """Return the release of second moments to announce; none where no column is private."""
    l1, l2 = moment_sensitivity(encoding, unit)
    return [Planned("noise", weight=weight, l1=l1, l2=l2)] if l1 else []


def plan_gradients(
    encoding: RankedEncoding, unit: PrivacyUnit, n_classes: int, *, count: int, weight: float
) -> list[Planned]:
    """Return so many releases of gradients to announce; none where nothing protected is read."""
    l1, l2 = gradient_sensitivity(encoding, unit, n_classes)
    return [Planned("noise", count=count, weight=weight, l1=l1, l2=l2)] if l1 else []


def _margins(features: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x . w on grids on which sums are exact, so that a row's margin depends on no other row."""
    # BLAS may add in another order for another number of rows: products of 2^-14 and this step add up exactly.
    largest = float(np.abs(weights).sum(axis=0).max(initial=0.0))
    step = 2.0 ** (np.frexp(max(largest, 2.0**-30))[1] - 36)
    return np.asarray(features @ (np.rint(weights / step) * step))


def _residual_steps(margins: NDArray[np.float64], labels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return clipped residuals in steps, shape (n_rows, n_outputs)."""
    if margins.shape[1] == 1:
        residuals = expit(margins) - (labels == 1)[:, None]
        return np.asarray(np.trunc(np.clip(residuals, -0.5, 0.5) * RESIDUAL_STEPS))
    residuals = softmax(margins, axis=1)
    residuals[np.arange(len(labels)), labels] -= 1.0
    # Added up class after class: the same for a row wherever it lies.
    norms = np.sqrt(sum(residuals[:, k] ** 2 for k in range(residuals.shape[1])))
    clip = clip_of(margins.shape[1]) * (1 - 2.0**-40)
    residuals *= (np.minimum(1.0, clip / np.maximum(norms, clip)) * RESIDUAL_STEPS)[:, None]
    return np.asarray(np.trunc(residuals))
