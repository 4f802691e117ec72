"""Which of the cells that held-out rows are counted in are of which group, class, level and prediction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Layout:
    """Cells in the order group, class, cell of the score, the last the fastest.

    Parameters
    ----------
    n_classes : int
    edges : tuple of float
        As those of ``HeldOut``.
    n_groups : int
    """

    n_classes: int
    edges: tuple[float, ...]
    n_groups: int = 1

    @property
    def width(self) -> int:
        """How many cells a group's class has."""
        n_levels = len(self.edges) + 1
        return n_levels if self.n_classes == 2 else n_levels * self.n_classes

    @cached_property
    def every(self) -> Mask:
        """All cells."""
        return np.ones(self.n_groups * self.n_classes * self.width, dtype=bool)

    @cached_property
    def groups(self) -> list[Mask]:
        """The cells of each group."""
        of_cell = np.repeat(np.arange(self.n_groups), self.n_classes * self.width)
        return [of_cell == at for at in range(self.n_groups)]

    @cached_property
    def classes(self) -> list[Mask]:
        """The cells of each class."""
        of_cell = np.tile(np.repeat(np.arange(self.n_classes), self.width), self.n_groups)
        return [of_cell == at for at in range(self.n_classes)]

    @cached_property
    def level(self) -> NDArray[np.int64]:
        """The level of each cell."""
        return np.tile(np.arange(self.width) % (len(self.edges) + 1), self.n_groups * self.n_classes)

    @cached_property
    def predicted(self) -> list[Mask]:
        """The cells in which each class is predicted."""
        cells = np.arange(self.width)
        of_cell = cells > self.edges.index(0.0) if self.n_classes == 2 else cells // (len(self.edges) + 1)
        return [np.tile(of_cell == at, self.n_groups * self.n_classes) for at in range(self.n_classes)]

    @cached_property
    def right(self) -> Mask:
        """The cells whose class is predicted."""
        pairs = zip(self.classes, self.predicted, strict=True)
        return np.asarray(np.any([own & said for own, said in pairs], axis=0))

    @property
    def hits(self) -> Mask:
        """The cells whose share a level's probability is of: of the second of two classes, of more what is right."""
        return self.classes[1] if self.n_classes == 2 else self.right

    def between(self, first: int, last: int) -> Mask:
        """Return the cells of consecutive levels, the last included."""
        return (self.level >= first) & (self.level <= last)

    @property
    def chances(self) -> list[float]:
        """Bounds of the levels, as probabilities."""
        if self.n_classes == 2:
            return [0.0, *(1 / (1 + exp(-edge)) for edge in self.edges), 1.0]
        return [1 / self.n_classes, *self.edges, 1.0]

    @property
    def tenths(self) -> list[tuple[int, int]]:
        """The first and last level of each tenth of probability that some level's middle is in."""
        of_level = [min(int(5 * (low + high)), 9) for low, high in pairwise(self.chances)]
        last = len(of_level) - 1
        return [(of_level.index(each), last - of_level[::-1].index(each)) for each in sorted(set(of_level))]
