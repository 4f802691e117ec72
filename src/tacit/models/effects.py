"""What the cells of one column add, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tacit.models.cells import ColumnCells

Floats = NDArray[np.float64]

DEVIATIONS: Final = 2.0
"""From zero, up to which an effect is indistinguishable from noise."""


@dataclass(frozen=True)
class ColumnEffects:
    """What a column's cells add to the score of a class, beyond its mean by the shares.

    Examples
    --------
    >>> from tacit.schema import Categorical
    >>> cells = ColumnCells(Categorical("smoker", ["no", "yes"]))
    >>> both = (np.asarray([0.75, 0.25]), np.asarray([-0.5, 1.5]), np.asarray([0.1, 0.3]))
    >>> ColumnEffects("ill", cells, *both, released=True).importance
    (0.85, 0.52, 1.2)
    """

    towards: Any
    """The class."""
    cells: ColumnCells
    shares: Floats
    """Of the rows, (n_cells,), as far as released; else all cells alike."""
    effects: Floats
    """Centered by the shares, (n_cells,)."""
    deviations: Floats | None
    """Standard deviations of the noise in the effects, (n_cells,); None where they are not known."""
    released: bool
    """Whether the shares follow from released counts."""
    agreed: Floats | None = None
    """How sure a difference of the rows' own classes is that goes the same way, in deviations of its noise, (n_cells,),
    zero where it goes the other; None where effects are not compared with any."""

    def times(self, factor: float) -> ColumnEffects:
        """Return the same effects in another unit, so many of which are one."""
        deviations = None if self.deviations is None else factor * self.deviations
        return replace(self, effects=factor * self.effects, deviations=deviations)

    @property
    def importance(self) -> tuple[float, float, float]:
        """How far the column moves the score, and an interval of 95 % that holds the noise; NaN where not known.

        The standard deviation of the effects by the shares. The root mean square of normal noise is beyond twice its
        own with a probability below 5 %, whatever the correlations (Szekely and Bakirov 2003), and by the triangle
        inequality the importance is off by no more than that.
        """
        size = sqrt(float(self.shares @ self.effects**2))
        if self.deviations is None:
            return size, np.nan, np.nan
        noise = float(self.shares @ self.deviations**2)
        middle = sqrt(max(size**2 - noise, 0.0))
        off = DEVIATIONS * sqrt(noise)
        return tuple(float(f"{each:.2g}") for each in (middle, max(size - off, 0.0), size + off))  # type: ignore[return-value]

    @property
    def surely(self) -> Floats:
        """How far each cell moves scores beyond two deviations of its noise, (n_cells,); zero or less where it may not.

        With what the rows' own classes show, the geometric mean of both: how far these differ varies less between fits.
        """
        sizes = np.abs(self.effects)
        if self.deviations is None:
            return sizes
        if self.agreed is not None:
            sizes = np.sqrt(sizes * np.maximum(self.agreed, 0.0) * self.deviations)
        return np.asarray(sizes - DEVIATIONS * self.deviations)

    @property
    def deviations_off(self) -> Floats:
        """How many standard deviations each effect is from zero, (n_cells,); infinitely many where it is exact.

        No more than its agreement with the rows' own classes is.
        """
        assert self.deviations is not None
        sizes, noisy = np.abs(self.effects), self.deviations > 0
        exact = not noisy.any()
        # Where one cell has all rows, neither its effect nor its noise is more than rounding.
        noisy &= sizes > 1e-12
        beyond = np.where(noisy, sizes / np.where(noisy, self.deviations, 1.0), 0.0)
        found = np.where(sizes > 1e-12, np.inf, 0.0) if exact else beyond
        return found if self.agreed is None else np.where(self.agreed > 0, np.minimum(found, self.agreed), 0.0)
