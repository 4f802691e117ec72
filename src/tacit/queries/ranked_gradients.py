"""Sums of clipped residuals times features of bounded length, for classes or a number, and the features' moments."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.convex import NumberLoss
from tacit.errors import ParameterError
from tacit.features.ranked_encoding import RankedEncoding, score_steps
from tacit.features.ranked_rows import FEATURE_STEPS, RankedRows
from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.queries.linear_rows import STRIP_ROWS, Offset
from tacit.queries.person_sums import row_sums
from tacit.schema import Numeric
from tacit.sensitivities.gradients import MomentsBasis, RankedGradientsBasis, clip_of
from tacit.table import Block, PerBlock, Table
from tacit.table.by_class import class_shares, class_sums

RESIDUAL_STEPS = 2**12
"""Steps of the grid of residuals in one unit."""

GRADIENT_STEPS = RESIDUAL_STEPS * FEATURE_STEPS
"""Steps in one unit of a gradient. A block of 2^16 rows sums to less than 2^53 of them, for rows shorter than 2^10:
exact in float64, in any order."""

MOMENT_STEPS = FEATURE_STEPS**2
"""Steps in one unit of a squared feature: sums are exact."""

WEIGHTED_ROWS = 1_024
"""Rows added up at once where they have weights of up to 2^12: below 2^53 steps for rows shorter than 2^5."""


@dataclass(frozen=True, eq=False)
class RankedGradients:
    """Sums over rows of x r', x being a row's features and r its residuals, cut to a public length.

    For two classes r is the number sigma(x . w + o) - y; for more the vector softmax(W' x + o) - e_y; for a number y to
    predict minus the residual of the table's loss: at most one half then, as of two classes.

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
    (with quadratic terms 1.38 times) plus twice that of protected categories. Proof:
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
        public, ranked, on_step = self._public_margins, self._rows, _exact(weights)
        loss = self.table.loss if self.table.n_classes == 1 else None
        length = WEIGHTED_ROWS if self.table.is_weighted else STRIP_ROWS
        if self.table.n_persons * self.table.influence * GRADIENT_STEPS * self.encoding.radius >= 2.0**63:
            raise ParameterError(
                "Expected fewer columns or persons for ranks, got more than whole numbers hold. Take encoding='binned'."
            )

        def of_block(block: Block) -> NDArray[np.int64]:
            encoded, total = ranked[block], np.zeros(weights.shape, dtype=np.int64)
            offsets = None if public is None else public[block]
            for start in range(0, block.n_rows, length):
                rows = slice(start, start + length)
                strip = encoded[rows]
                margins = strip.margins(on_step)
                if offsets is not None:
                    margins += offsets[rows]
                total += strip.sums(block.weighted(residual_steps(margins, block.outcomes[rows], loss).T, rows)).astype(
                    np.int64
                )
            return total

        sums = self.table.sum(of_block)
        return row_sums(_gradients_basis(self.encoding, self.table.unit, self.table.n_classes), self.table, sums)

    def moments(self) -> NumericStatistic:
        """Return sums over rows before these are clipped: half of each rank, then each feature's square.

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

        return row_sums(_moments_basis(self.encoding), table, table.sum(of_block))

    @cached_property
    def _rows(self) -> PerBlock[RankedRows]:
        """The rows in a few bytes each, as long as gradients are asked for: no other stage of a fit reads them."""
        return self.table.per_block(partial(_ranked, self.encoding))

    @cached_property
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
    offsets : tuple of Offset
        Margins of public columns, one for each output; empty for none.
    """

    encoding: RankedEncoding
    weights: NDArray[np.float64]
    offsets: tuple[Offset, ...] = ()

    def steps(self, block: Block) -> NDArray[np.int64]:
        """Return scores in steps of the grid, shape (n_outputs, n_rows), each from its row alone."""
        encoded, weights = _ranked(self.encoding, block), _exact(self.weights)
        offsets = np.zeros((block.n_rows, weights.shape[1]))
        for output, one in enumerate(self.offsets):
            offsets[:, output] = one.margins(block)
        found = np.empty((weights.shape[1], block.n_rows), dtype=np.int64)
        for start in range(0, block.n_rows, STRIP_ROWS):
            rows = slice(start, start + STRIP_ROWS)
            found[:, rows] = score_steps(encoded[rows].margins(weights) + offsets[rows])
        return found


def n_outputs(n_classes: int) -> int:
    """Return the number of linear forms: one for two classes or a number, else one for each."""
    return max(1, n_classes) if n_classes != 2 else 1


def gradient_sensitivity(encoding: RankedEncoding, unit: PrivacyUnit, n_classes: int) -> tuple[float, float]:
    """Return the L1 and L2 sensitivities of a gradient; zero where nothing protected is read."""
    return _gradients_basis(encoding, unit, n_classes).in_residuals()


def moment_sensitivity(encoding: RankedEncoding, unit: PrivacyUnit) -> tuple[float, float]:
    """Return the L1 and L2 sensitivities of the moments; zero where no column is protected."""
    return _moments_basis(encoding).in_squares(unit)


def _gradients_basis(encoding: RankedEncoding, unit: PrivacyUnit, n_classes: int) -> RankedGradientsBasis:
    reads_protected = unit.label or bool(set(encoding.columns) & set(unit.columns))
    return RankedGradientsBasis(reads_protected, n_classes, encoding.radius, encoding.n_features - len(encoding.marks))


def _moments_basis(encoding: RankedEncoding) -> MomentsBasis:
    columns = [encoding.schema.column(name) for name in encoding.columns]
    marks = tuple(column.name for column in columns if encoding.is_mark(column))
    numbers = tuple(column.name for column in columns if isinstance(column, Numeric) and column.name not in marks)
    categories = tuple(name for name in encoding.columns if name not in {*marks, *numbers})
    return MomentsBasis(numbers, categories, marks, encoding.quadratic)


def plan_moments(encoding: RankedEncoding, unit: PrivacyUnit, weight: float) -> list[PlanEntry]:
    """Return the release of the moments to announce; none where no column is private."""
    l1, l2 = moment_sensitivity(encoding, unit)
    return [PlanEntry("last noise", weight=weight, l1=l1, l2=l2)] if l1 else []


def plan_gradients(
    encoding: RankedEncoding, unit: PrivacyUnit, n_classes: int, *, count: int, weight: float
) -> list[PlanEntry]:
    """Return so many releases of gradients to announce; none where nothing protected is read."""
    l1, l2 = gradient_sensitivity(encoding, unit, n_classes)
    return [PlanEntry("last noise", count=count, weight=weight, l1=l1, l2=l2)] if l1 else []


def _ranked(encoding: RankedEncoding, block: Block) -> RankedRows:
    return block.scored(encoding.of)


def _exact(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights on a grid on which x . w is exact, so that a row's margin depends on no other row."""
    # BLAS may add in another order for another number of rows: products of 2^-14 and this step add up exactly.
    largest = float(np.abs(weights).sum(axis=0).max(initial=0.0))
    step = 2.0 ** (np.frexp(max(largest, 2.0**-30))[1] - 36)
    return np.asarray(np.rint(weights / step) * step)


def residual_steps(
    margins: NDArray[np.float64], labels: NDArray[Any], loss: NumberLoss | None = None
) -> NDArray[np.float64]:
    """Return clipped residuals in steps, shape (n_rows, n_outputs): of classes, or of numbers by their loss."""
    if margins.shape[1] == 1:
        residuals = -loss.residuals(labels[:, None], margins) if loss else expit(margins) - (labels == 1)[:, None]
        return np.asarray(np.trunc(np.clip(residuals, -0.5, 0.5) * RESIDUAL_STEPS))
    residuals = class_shares(margins, axis=1)
    residuals[np.arange(len(labels)), labels] -= 1.0
    norms = np.sqrt(class_sums(residuals**2, axis=1))
    clip = clip_of(margins.shape[1]) * (1 - 2.0**-40)
    residuals *= np.minimum(1.0, clip / np.maximum(norms, clip)) * RESIDUAL_STEPS
    return np.asarray(np.trunc(residuals))
