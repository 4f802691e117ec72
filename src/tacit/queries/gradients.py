"""Sums of per-row gradients of a linear form over bins and categories: histograms of clipped residuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import frexp

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from tacit.errors import ParameterError
from tacit.features import OneHotEncoding
from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit
from tacit.queries.grouped_bins import GroupedBins
from tacit.queries.linear_rows import Offset
from tacit.queries.person_sums import row_sums
from tacit.sensitivities import ROUNDED_UP
from tacit.sensitivities.counts import MarginalsBasis
from tacit.sensitivities.gradients import GradientsBasis, clipped
from tacit.table import Block, PerBlock, Table

RESIDUAL_STEPS = 2**20
"""Steps of the integer grid in one unit of residual: sums are exact before noise."""

_STRIP_ROWS = 65_536
"""Rows that are worked on together: far more than a group has cells, and margins and residuals stay in the cache."""

_MARGIN_CELLS = 4_096
"""Cells of the grid of margins on which a pair of residuals is bounded from above; more make the bound tighter."""

_WIDE_GAP = 80.0
"""From this gap between two margins on, two cells are enough: sigma(40) is 1 in float64."""


@dataclass(frozen=True, eq=False)
class Gradients:
    """Sums over rows of r z, z being a row's one-hot features and r its residual, clipped to a public bound.

    The residual is sigma(w . z + offset) - y, cut to [-clip, clip]: every row's gradient is then shorter than
    clip * sqrt(columns). It is the gradient of the logistic loss, made linear where a row is further on
    the wrong side than the clip admits.

    Privacy: ``statistic`` moves in L2 by at most sqrt(columns) * min(2 clip, a bound that the released w
    implies), under replace-one of any protected cells; by sqrt 2 clip sqrt(columns) where the label is
    public. ``marginals`` moves by sqrt(2 * protected columns). Proof: ``proofs/queries/gradients.md``.
    """

    table: Table
    """Labels 0 and 1."""
    encoding: OneHotEncoding
    """Of the columns whose coefficients are learned."""
    offset: Offset | None = None
    """A margin of public columns."""
    clip: float = 0.5
    """In (0, 1]; at 1 nothing is cut."""
    _grouped: GroupedBins = field(init=False, repr=False)
    _public_margins: PerBlock[NDArray[np.float64]] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_grouped", GroupedBins(self.table, self.encoding))
        # Here and not when rows ask for it, as these may be on other machines.
        margins = None if self.offset is None else self.table.per_block(self.offset.margins)
        object.__setattr__(self, "_public_margins", margins)
        if not 0 < self.clip <= 1:
            raise ParameterError(f"Expected 0 < clip <= 1, got clip={self.clip!r}. Take 0.5.")

    def statistic(self, weights: NDArray[np.float64]) -> NumericStatistic:
        """Return the gradient at released weights, in steps of ``RESIDUAL_STEPS`` to one, shape (n_features,)."""
        reach = self.offset.reach if self.offset else 0.0
        weights = _exactly_summing(weights, self.encoding)
        # Of the weights on the grid, since those are what residuals are computed from.
        basis = _gradients_basis(self.encoding, self.table.unit, self.clip, weights, reach)
        return row_sums(basis, self.table, self._sums(weights))

    def marginals(self) -> NumericStatistic:
        """Return the numbers of rows with each feature, shape (n_features,); labels are not read."""
        return marginals(self.table, self.encoding)

    def _sums(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        tables = self._grouped.tables(weights)

        def of_block(block: Block) -> tuple[NDArray[np.float64], ...]:
            sums = tuple(np.zeros(len(table)) for table in tables)
            codes, offsets = self._grouped.codes(block), self._offsets(block)
            for start in range(0, block.n_rows, _STRIP_ROWS):
                rows = slice(start, start + _STRIP_ROWS)
                margins = _margins(codes[rows], tables, None if offsets is None else offsets[rows])
                residuals = block.weighted(self._residuals(margins, block.labels[rows]), rows)
                for group, total in enumerate(sums):
                    # Whole numbers below 2^53, for up to 2^33 rows, or weights of persons: exact in any order.
                    total += np.bincount(codes[rows, group], weights=residuals, minlength=len(total))
            return sums

        return self._grouped.features(self.table.sum(of_block)).astype(np.int64)

    def _residuals(self, margins: NDArray[np.float64], labels: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return clipped residuals in steps; margins are used up.

        sigma(m) - y = tanh(m / 2) / 2 + (1/2 - y): in [0, 1] for y = 0, in [-1, 0] for y = 1, rounding included.
        """
        residuals = margins
        residuals *= 0.5
        np.tanh(residuals, out=residuals)
        residuals *= RESIDUAL_STEPS / 2
        residuals += np.where(labels, -RESIDUAL_STEPS / 2, RESIDUAL_STEPS / 2)
        np.clip(residuals, -self.clip * RESIDUAL_STEPS, self.clip * RESIDUAL_STEPS, out=residuals)
        np.trunc(residuals, out=residuals)  # towards zero: neither longer nor of another sign
        return residuals

    def _offsets(self, block: Block) -> NDArray[np.float64] | None:
        return None if self._public_margins is None else self._public_margins[block]


def _margins(
    codes: NDArray[np.uint16], tables: list[NDArray[np.float64]], offsets: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    margins = np.zeros(len(codes))
    found = np.empty(len(codes))
    for group, table in enumerate(tables):
        # Every code is a place in its table; "clip" spares a buffer and a check for each.
        margins += table.take(codes[:, group], out=found, mode="clip")
    if offsets is not None:  # last: the sum before it is exact
        margins += offsets
    return margins


def _exactly_summing(weights: NDArray[np.float64], encoding: OneHotEncoding) -> NDArray[np.float64]:
    """Return the weights on a grid on which sums of one weight a column are exact, in any order and grouping.

    Columns are grouped by whether any row holds an unlisted category: rounding must not carry that to other rows.
    """
    total = float(np.maximum.reduceat(np.abs(weights), encoding.starts[:-1]).sum())
    step = 2.0 ** max(frexp(total)[1] - 52, -1000)  # so that dividing by it does not overflow
    return np.asarray(np.rint(weights / step) * step)


def marginals(table: Table, encoding: OneHotEncoding) -> NumericStatistic:
    """Return the numbers of rows by bin or category, shape (n_features,); labels are not read.

    Privacy: moves in L1 by 2 and in squared L2 by 2 for each protected column. Proof: ``proofs/queries/gradients.md``.
    """
    table = table.unweighed  # no label is read

    def of_block(block: Block) -> NDArray[np.int64]:
        codes = block.codes(encoding.bins)
        counts = [block.counted(codes[:, j], k + 1)[:k] for j, k in enumerate(encoding.widths)]
        return np.concatenate(counts).astype(np.int64)

    return row_sums(MarginalsBasis(encoding.columns), table, table.sum(of_block))


def plan_marginals(columns: Sequence[str], unit: PrivacyUnit, weight: float) -> list[PlanEntry]:
    """Return the release of the numbers of rows by bin to announce; none where no column is private."""
    l1, l2 = MarginalsBasis(tuple(columns)).of_row(unit)
    return [PlanEntry("noise", weight=weight, l1=l1, l2=l2)] if l1 else []


def plan_gradients(
    encoding: OneHotEncoding, unit: PrivacyUnit, clip: float, *, count: int, weight: float
) -> list[PlanEntry]:
    """Return so many releases of gradients to announce, at the sensitivity of the first; none where none can move."""
    l1, l2 = _gradients_basis(encoding, unit, clip, np.zeros(encoding.n_features)).in_residuals(unit)
    return [PlanEntry("last noise", count=count, weight=weight, l1=l1, l2=l2)] if l1 else []


def _gradients_basis(
    encoding: OneHotEncoding, unit: PrivacyUnit, clip: float, weights: NDArray[np.float64], reach: float = np.inf
) -> GradientsBasis:
    squares = gradient_sensitivity(encoding, unit, clip, weights, reach)
    unread = tuple(name for name in unit.columns if name not in encoding.columns)
    public = len(set(encoding.columns) - set(unit.columns))
    return GradientsBasis(unread, public, clip, squares if clip > 0.5 else None)


def gradient_sensitivity(
    encoding: OneHotEncoding, unit: PrivacyUnit, clip: float, weights: NDArray[np.float64], offset_reach: float = np.inf
) -> float:
    """Return the squared L2 sensitivity of the sum of r z, in units of residual.

    With a private columns, b public ones and c the clip, rows of the same label differ by at most
    max(2 a, a + b) c^2, zero if a = 0; rows of different labels by at most 4 (a + b) c^2, which is exact
    for c <= 1/2. Above, released weights limit how large residuals, and both at once, can be; offsets are at most
    ``offset_reach``.
    """
    private = len(set(encoding.columns) & set(unit.columns))
    public = len(encoding.columns) - private
    # Up to one half the clip itself is attained; above it, how far released weights let residuals go matters.
    if clip <= 0.5:
        return clipped(private, public, unit.label, clip)
    reach = max(map(abs, encoding.extent(weights))) + offset_reach
    same = clipped(private, public, False, min(clip, float(expit(reach + _rounding(weights))) * ROUNDED_UP))
    return same if not unit.label else max(same, _flip_sensitivity(encoding, unit, clip, weights))


def _rounding(weights: NDArray[np.float64]) -> float:
    """Bound the rounding of a margin, or of a span of margins."""
    return 2.0**-40 * float(np.abs(weights).sum())


def _flip_sensitivity(encoding: OneHotEncoding, unit: PrivacyUnit, clip: float, weights: NDArray[np.float64]) -> float:
    """Return the bound for rows of different labels: over the number of private columns that differ."""
    n_columns = len(encoding.columns)
    ends = [encoding.ends(at, weights) for at, name in enumerate(encoding.columns) if name in unit.columns]
    spans = np.sort([high - low for low, high in ends])[::-1]
    # Widest spans first: the most that so many differing columns can move the margin.
    gaps = np.concatenate([[0.0], np.cumsum(spans)]) + 2 * _rounding(weights)
    return max(_largest_pair(float(gap), clip, n_columns, n_columns - differing) for differing, gap in enumerate(gaps))


def _largest_pair(gap: float, clip: float, n_columns: int, n_shared: int) -> float:
    """Bound P (s^2 + t^2) + 2 Q s t for s = sigma(m) and t = sigma(gap - m) cut at the clip, over all m.

    Both ends of a cell of m bound one of s and t from above, so the largest cell bounds all of them.
    """
    m = np.linspace(-20.0, gap + 20.0, _MARGIN_CELLS) if gap < _WIDE_GAP else np.asarray([gap / 2])
    edges = np.concatenate([[-np.inf], m, [np.inf]])
    s = np.minimum(expit(edges[1:]), clip)
    t = np.minimum(expit(gap - edges[:-1]), clip)
    return float((n_columns * (s * s + t * t) + 2 * n_shared * s * t).max()) * ROUNDED_UP
