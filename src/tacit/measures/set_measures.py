"""How often prediction sets hold each class, of rows that were counted by level of the score; only post-processing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.measures.held_out import HeldOut
from tacit.measures.intervals import Estimate, NoisyCells
from tacit.measures.layout import Layout, Mask
from tacit.measures.prediction_sets import SLACK, SetBound
from tacit.measures.score_cells import TIE_BITS, steps_of_edges


@dataclass(frozen=True)
class ClassInSets:
    """How often sets hold a class.

    Parameters
    ----------
    name : str
        Of the class.
    always : bool
        Whether each set has it, as noise hides which rows could go without.
    covered : Estimate
        Of the rows of the class, the share whose set has it.
    named : Estimate
        Of all rows, the share whose set has it.
    """

    name: str
    always: bool
    covered: Estimate
    named: Estimate


@dataclass(frozen=True)
class SetMeasures:
    """How often the sets of one coverage hold each class, and how large they are.

    Rows at the level of an edge count as rows whose set lacks the class, though it may have it. Of more than two
    classes so do rows of which it is the predicted class.

    Parameters
    ----------
    coverage : float
        That was asked for.
    classes : tuple of ClassInSets
    """

    coverage: float
    classes: tuple[ClassInSets, ...]

    @property
    def size(self) -> float:
        """How many classes a set has on average, about."""
        return sum(each.named.value for each in self.classes)

    def document(self) -> dict[str, Any]:
        """Return it as what JSON can hold."""
        return asdict(self) | {"classes": [asdict(each) for each in self.classes], "size": self.size}

    def lines(self) -> Iterator[str]:
        """Yield it in words."""
        if all(each.always for each in self.classes):
            yield f"Sets of {self.coverage:.0%} have all classes: noise hides which rows could go without one."
            return
        yield f"Sets of {self.coverage:.0%} have {self.size:.2f} of {len(self.classes)} classes on average."
        for each in self.classes:
            if each.always:
                yield f"Each has {each.name!r}: noise hides which rows could go without."
            else:
                yield f"Of the rows of {each.name!r} the set has the class in {each.covered}."


def set_measures(held_out: HeldOut, bounds: Sequence[SetBound], coverage: float, classes: Sequence[Any]) -> SetMeasures:
    """Return how often sets hold each class, by counts of rows."""
    if held_out.n_classes == 2:
        layout = held_out.layout
        masks = zip(layout.classes, kept_cells(bounds, layout), strict=True)
        each = [(held_out.cells, own, kept) for own, kept in masks]
    elif held_out.by_class is None:
        # Their own scores were not counted, so that each set has all of them.
        each = [(held_out.cells, own, held_out.layout.every) for own in held_out.layout.classes]
    else:
        each = [
            (cells, own, np.tile(_kept_levels(bound, edges), 2))
            for bound, edges, (cells, own) in zip(
                bounds, held_out.by_class.edges, held_out.by_class.cells(held_out.known_total, 1), strict=True
            )
        ]
    return SetMeasures(
        coverage,
        tuple(
            _of_class(str(name), bound, *counted) for name, bound, counted in zip(classes, bounds, each, strict=True)
        ),
    )


def kept_cells(bounds: Sequence[SetBound], layout: Layout) -> list[Mask]:
    """Return the cells whose rows' sets hold each of two classes."""
    levels = [_kept_levels(bound, layout.edges) for bound in bounds]
    return [said | kept[layout.level] for kept, said in zip(levels, layout.predicted, strict=True)]


def edges_of_sets(bounds: Sequence[SetBound], n_scores: int) -> tuple[NDArray[np.int64], ...]:
    """Return between which cells of each score sets begin to have a class, so that levels can end there."""
    found: list[list[int]] = [[] for _ in range(n_scores)]
    for place, upward, edge in bounds:
        if edge is not None:
            # Steps are whole: the last that is left out is the last one that lies before the edge.
            found[place].append((floor(edge - SLACK) if upward else ceil(edge + SLACK)) << TIE_BITS)
    most = max(map(len, found))
    # As many of each score.
    return tuple(np.asarray((each * most + [0] * most)[:most], dtype=np.int64) for each in found)


def _kept_levels(bound: SetBound, edges: Sequence[float]) -> Mask:
    """Return which levels of a score have rows whose set has the class."""
    steps = steps_of_edges(edges)
    below, above = np.append(-np.inf, steps), np.append(steps, np.inf)
    _, upward, edge = bound
    limit = edge if edge is not None else -np.inf if upward else np.inf
    # An edge between whole steps leaves out the rows of no further step.
    return ~(above <= limit if upward else below >= limit)


def _of_class(name: str, bound: SetBound, cells: NoisyCells, own: Mask, kept: Mask) -> ClassInSets:
    if bound[2] is None:
        return ClassInSets(name, True, _ALL, _ALL)
    covered, every = cells.ratio(own & kept, own), np.ones(len(own), dtype=bool)
    return ClassInSets(name, False, Estimate.of(covered), Estimate.of(cells.ratio(kept, every)))


_ALL = Estimate(1.0, 1.0, 1.0)
