"""Reweighting and projection of smooth boosting: Salamatian (2021), Algorithm 2, from counts of integer margins."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.privacy import PrivacyUnit
from tacit.privacy.parameters import Number
from tacit.queries.bin_counts import BinCounts
from tacit.queries.margins import Margins
from tacit.sensitivities.masses import MassBounds
from tacit.table import Block

DENSITY = Number(1e-6, 1, "0.3 to 0.5 does well.")
_ONE_ROW = PrivacyUnit((), label=True)
"""Weights of which all rows have one together move no further for persons with several."""

LEARNING_RATE = Number(1e-6, 100, "0.45 does well.")


@dataclass(frozen=True, eq=False)
class Measure:
    """The measure exp(-learning_rate * margin) on the rows: heavier, the more votes were against a row's label."""

    margins: Margins
    learning_rate: float
    """For one vote."""

    @property
    def rate(self) -> float:
        """The learning rate for one step of margins."""
        return self.learning_rate / self.margins.steps_per_vote


@dataclass(frozen=True, eq=False)
class SmoothWeights:
    """The projection of a measure onto the smooth ones, of which no row holds more than 1/(density n).

    It serves until the next vote, which moves the margins.

    Privacy: nothing is released here. ``zeta`` bounds the total variation over records between neighbors' weights,
    whichever cells are protected: at most 1/(density n), and r/(n - 1 + r) while the margins that any row can have
    differ by a factor r in weight. Proof: ``proofs/boosting/smooth_weights.md``.
    """

    measure: Measure
    density: float
    _votes: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_votes", self.measure.margins.votes)

    @property
    def _margins(self) -> Margins:
        """The margins, as long as they are those that were weighed: later ones would not fit ``values``."""
        if self.measure.margins.votes != self._votes:
            raise ParameterError("Expected weights of this round, got those of an earlier one. Project again.")
        return self.measure.margins

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The weight at each position."""
        margins = self._margins
        return smooth_weights(margins.values, margins.counts, density=self.density, learning_rate=self.measure.rate)

    @property
    def zeta(self) -> float:
        """The most that a row can weigh in this round, whatever the rows are: 1/n in the first, soon the cap."""
        return self.bounds.influence(_ONE_ROW, self._margins.n_rows)

    @property
    def cap(self) -> float:
        """1/(density n)."""
        return 1 / (self.density * self._margins.n_rows)

    @property
    def bounds(self) -> MassBounds:
        """What bounds weights in this round, and their rounding, from public numbers alone."""
        margins = self._margins
        return MassBounds(1, self.density, self.measure.rate, margins.spread, len(margins.values))

    def positions(self, block: Block) -> NDArray[np.int16]:
        """Return each row's position in ``values``."""
        return self._margins.positions(block)

    def bin_counts(self, encoding: BinEncoding) -> BinCounts:
        """Return counts by (position, column bin, label)."""
        return self._margins.bin_counts(encoding)


def reweight(margins: Margins, learning_rate: float) -> Measure:
    """Return the measure of the vote so far: a vote for a row's label divides its weight by exp(learning_rate)."""
    return Measure(margins, learning_rate)


def project(measure: Measure, density: float) -> SmoothWeights:
    """Return the Bregman projection onto measures of that density, normalized: Definition 2.2.4."""
    return SmoothWeights(measure, density)


def smooth_weights(
    margins: NDArray[np.int64], counts: NDArray[np.int64], *, density: float, learning_rate: float
) -> NDArray[np.float64]:
    """Return the weight of a row at each margin: p = min(1/(density n), c exp(-learning_rate margin)).

    The factor c is the one for which all n rows together weigh 1. It is found over the distinct margins, by going
    through them from the lowest (heaviest) up: those below some margin are capped, the others share what is left.

    Privacy: not a release. When one row is replaced, the weights of two neighboring tables differ by at most
    zeta = 1/(density n) in total variation over records. Proof: ``proofs/boosting/smooth_weights.md``. Rounding is
    part of ``MassBounds.rounding``. Source: Salamatian (2021), Definitions 2.2.1 and 2.2.4, Algorithm 2.

    Parameters
    ----------
    margins : array of shape (n_margins,)
        Strictly increasing.
    counts : array of shape (n_margins,)
        Rows at each margin; n is their sum.
    density : float
        In [1e-6, 1]. No row weighs more than 1/(density n).
    learning_rate : float
        In [1e-6, 100], for one unit of margin.
    """
    check_smoothness(density, learning_rate)
    n_rows = int(counts.sum())
    occupied = np.flatnonzero(counts)
    first, scale = _first_uncapped(margins[occupied], counts[occupied], density * n_rows, learning_rate)
    above = np.maximum(margins - margins[occupied[first]], 0)
    shares = np.where(margins < margins[occupied[first]], 1.0, scale * np.exp(-learning_rate * above))
    return np.asarray(np.minimum(shares, 1.0) / (density * n_rows))


def check_smoothness(density: float, learning_rate: float) -> None:
    """Refuse a density or a learning rate out of range."""
    DENSITY.check("density", density)
    LEARNING_RATE.check("learning_rate", learning_rate)


def _first_uncapped(
    margins: NDArray[np.int64], counts: NDArray[np.int64], mass: float, learning_rate: float
) -> tuple[int, float]:
    """Return the lowest margin that is not capped, and the weight there in units of the cap.

    With ``mass`` = density n in units of the cap, and those below k capped, margin k gets
    (mass - rows below k) / sum over j >= k of counts_j exp(-learning_rate (margin_j - margin_k)).
    """
    gaps = np.exp(-learning_rate * np.diff(margins)).tolist()
    sizes = counts.tolist()
    # Summed from the lightest margin on, relative to the next: no exponential of a large margin overflows.
    tails = [float(sizes[-1])]
    for size, gap in zip(sizes[-2::-1], gaps[::-1], strict=True):
        tails.append(size + gap * tails[-1])
    below = 0
    for k, (size, tail) in enumerate(zip(sizes, tails[::-1], strict=True)):
        if mass - below <= tail:
            return k, (mass - below) / tail
        below += size
    raise AssertionError("a mass of at most all rows fits under the cap")
