"""What a model predicts for the rows in each cell, and what their classes are: noisy counts that explain it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError
from tacit.features import Encoding
from tacit.features.encoding import cut_at
from tacit.models.cells import ColumnCells
from tacit.models.effects import DEVIATIONS, ColumnEffects
from tacit.models.noise import even_shares
from tacit.schema import Column, Numeric, Schema
from tacit.table import Rows

Floats = NDArray[np.float64]

PARTS = 8
"""Of a number at most: each cell has the noise of all, so that few with many rows say more."""

MAX_COUNT = 1e15
"""Rows, or noise in rows: squares of quotients stay finite."""

BY_CHANCE = 0.1
"""Of the effects that agree with the rows' classes: how many may do so by chance."""

FEW_CELLS = 20
"""Of all columns and classes."""

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True)
class ColumnProfile:
    """Of the rows in each cell of a column, how many are predicted to be of each sorted class, and how many are."""

    column: str
    predicted: tuple[tuple[float, ...], ...]
    """For each cell the sum over its rows of each class's predicted probability, with noise."""
    labels: tuple[tuple[float, ...], ...]
    """For each cell the number of rows of each class, with noise."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT


@dataclass(frozen=True)
class Profile:
    """Mean predictions by cell, released for a share of the budget.

    Parameters
    ----------
    columns : tuple of ColumnProfile
        All columns of the schema, in its order.
    deviation : float
        Standard deviation of the noise in each number, in rows.

    Examples
    --------
    >>> from tacit.schema import Categorical, Label
    >>> schema = Schema([Categorical("smoker", ["no", "yes"])], label=Label("ill", ["no", "yes"]))
    >>> counts = ((720.0, 80.0), (80.0, 120.0))
    >>> [effects] = Profile((ColumnProfile("smoker", counts, counts),), 0.0).effects(schema, ())
    >>> effects.effects.round(2).tolist()
    [-0.1, 0.4]
    """

    columns: tuple[ColumnProfile, ...]
    deviation: float

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    @classmethod
    def of(cls, counts: Floats, cells: Sequence[ColumnCells], deviation: float) -> Profile:
        """Return the profile of noisy counts by (cell, class, predicted class), each with this deviation."""
        ends = np.cumsum([0, *(each.n_cells for each in cells)]).tolist()
        columns = [
            ColumnProfile(each.column.name, _in_rows(own.sum(axis=1)), _in_rows(own.sum(axis=2)))
            for each, own in zip(cells, (counts[start:stop] for start, stop in pairwise(ends)), strict=True)
        ]
        return cls(tuple(columns), float(f"{deviation * counts.shape[1] ** 0.5:.4g}"))

    def check(self, schema: Schema, scorers: Sequence[object]) -> None:
        """Raise ModelFileError unless there are numbers for each cell and class of the schema."""
        cells, n_classes = profile_cells(schema, scorers), len(schema.classes)
        fits = [each.column for each in self.columns] == [each.column.name for each in cells]
        for each, own in zip(self.columns, cells, strict=False):
            for table in (each.predicted, each.labels):
                fits &= len(table) == own.n_cells and all(len(row) == n_classes for row in table)
                fits &= all(abs(count) <= MAX_COUNT for row in table for count in row)
        if not fits or not 0 <= self.deviation <= MAX_COUNT:
            raise ModelFileError("Expected counts of the cells of all columns by class. The file is damaged.")

    def effects(self, schema: Schema, scorers: Sequence[object]) -> Iterator[ColumnEffects]:
        """Yield by column and class what is predicted in each cell beyond the mean of all rows, with its noise."""
        cells, classes = profile_cells(schema, scorers), sorted(schema.classes)
        predicted = _Beyond.of([np.asarray(each.predicted) for each in self.columns], self.deviation)
        labels = _Beyond.of([np.asarray(each.labels) for each in self.columns], self.deviation)
        scores = [1] if len(classes) == 2 else list(range(len(classes)))
        agreed = [_agreement(predicted.of_column(at), labels.of_column(at))[:, scores] for at in range(len(cells))]
        least = _least_agreement(np.concatenate([each.ravel() for each in agreed]))
        for at, own in enumerate(cells):
            effects, deviations, rows = predicted.of_column(at)
            shares = np.where(rows > predicted.doubtful, rows, 0.0)
            shares = shares / shares.sum() if shares.any() else even_shares(own.n_cells)
            sure = np.where(agreed[at] >= least, agreed[at], 0.0)
            for place, score in enumerate(scores):
                found = effects[:, score], deviations[:, score]
                yield ColumnEffects(classes[score], own, shares, *found, released=True, agreed=sure[:, place])


@dataclass(frozen=True)
class _Beyond:
    """Shares of classes in cells less those in all rows."""

    counts: list[Floats]
    """By column, (n_cells, n_classes)."""
    deviation: float
    means: Floats
    weights: Floats
    """Of the columns in the means, (n_columns,), in units of the rows of all: their number times the weights is one."""

    @classmethod
    def of(cls, counts: list[Floats], deviation: float) -> _Beyond:
        # Each column counts all rows: those of few cells have the least noise in their sum.
        few = np.asarray([1 / len(own) for own in counts])
        totals = np.asarray([part * own.sum(axis=0) for part, own in zip(few, counts, strict=True)]).sum(axis=0)
        n_rows = max(float(totals.sum()), 1.0)
        return cls(counts, deviation, totals / n_rows, few / n_rows)

    @property
    def doubtful(self) -> float:
        """Rows up to which noise may have made all of a cell."""
        return float(2.0 * self.deviation * len(self.means) ** 0.5)

    def of_column(self, at: int) -> _Effects:
        """Return effects and deviations, (n_cells, n_classes), and rows, (n_cells,)."""
        own = self.counts[at]
        rows = own.sum(axis=1)
        least = np.maximum(rows, max(self.doubtful, 1.0))[:, None]
        # What is taken off holds the noise of all cells, this one's with the column's weight.
        others = sum(weight**2 * len(each) for weight, each in zip(self.weights, self.counts, strict=True))
        factor = np.maximum(1 - 2 * rows * self.weights[at] + rows**2 * others, 0.0)[:, None]
        deviations = np.sqrt(_spread(self.means, self.deviation) * factor) / least
        return (own - rows[:, None] * self.means) / least, deviations, rows


_Effects = tuple[Floats, Floats, Floats]


def _agreement(predicted: _Effects, labels: _Effects) -> Floats:
    """Return how many deviations of its noise the labels differ by, below zero where predictions go the other way."""
    difference, deviations, _ = labels
    sure = np.abs(difference) / np.where(deviations > 0, deviations, 1e-12)
    return np.asarray(sure * np.sign(difference * predicted[0]))


def _least_agreement(agreed: Floats) -> float:
    """Return how sure labels have to differ for what agrees with them to be more than chance.

    Of cells where the model says nothing that another fit would, as many disagree with their labels as agree: those
    that disagree count the others, with one more to be sure (as Barber and Candes 2015 count their knockoffs). Where at
    most ``BY_CHANCE`` agree by chance, half of which another fit turns round, 95 of 100 keep their sign. Few cells can
    only be asked for none that disagrees.
    """
    levels = np.sort(np.abs(agreed[np.abs(agreed) > DEVIATIONS]))
    for level in levels.tolist():
        right, wrong = int((agreed >= level).sum()), int((agreed <= -level).sum())
        if wrong + 1 <= BY_CHANCE * right or (wrong == 0 and len(agreed) <= FEW_CELLS):
            return float(level)
    return np.inf


def _spread(means: Floats, deviation: float) -> Floats:
    """Return the variance of counts by class less the means' share of all of them: their noises are independent."""
    return np.asarray(deviation**2 * ((1 - means) ** 2 + (len(means) - 1) * means**2))


def profile_cells(schema: Schema, scorers: Sequence[object]) -> list[ColumnCells]:
    """Return the cells of all columns: categories, and at most ``PARTS`` of a number's, by cuts that are public."""
    # Several scorers have cuts of their own.
    released = getattr(scorers[0], "cuts", ()) if len(scorers) == 1 else ()
    read = Encoding(schema, schema.names, released=released).by_name.values()
    return [ColumnCells(_in_parts(column), PARTS) for column in read]


def cell_codes(cells: Sequence[ColumnCells], rows: Rows) -> NDArray[np.intp]:
    """Return the cell of each row in each column, (n_rows, n_columns); -1 is none."""
    return np.column_stack([each.codes(rows) for each in cells])


def _in_parts(column: Column) -> Column:
    if not isinstance(column, Numeric) or len(cuts := column.cut_points or ()) < PARTS:
        return column
    at = np.unique(np.rint(np.linspace(0, len(cuts) - 1, PARTS + 1)[1:-1]).astype(int))
    return cut_at(column, tuple(cuts[each] for each in at.tolist()))


def _in_rows(counts: Floats) -> tuple[tuple[float, ...], ...]:
    # A tenth of a row is far below the noise.
    return tuple(tuple(row) for row in np.round(counts, 1).tolist())
