"""How many rows a column tells the class of, classes weighing: what columns are chosen by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.features.ranked_encoding import RankedEncoding
from tacit.privacy import PlanEntry, SelectionStatistic
from tacit.sensitivities.scores import ColumnScoresBasis
from tacit.table import Block, Table

WEIGHT_STEPS = 2**10
"""Of a class's weight in one: scores are whole numbers of them."""


class ColumnScores:
    """By column the sum over its categories, or bins of a number, of the rows of the cell's most frequent class.

    So many rows would be told right from that column alone, which is what a tree of one question with a leaf for each
    cell would have. Rows of categories that are not listed are counted nowhere; empty cells of a number with an
    indicator are a cell of their own.

    Parameters
    ----------
    table : Table
    encoding : RankedEncoding
        Choices are among its ``blocks``.
    weights : sequence of float
        In [0, 1], what a row of each class counts here; public, or released before.

    Notes
    -----
    Privacy: ``best_of`` has range 2 under replace-one of any protected cells, for any number of classes, in units of
    what one person weighs at most. Proof: ``proofs/queries/column_scores.md``.

    Examples
    --------
    >>> from tacit.schema import Categorical, Label, Schema
    >>> columns = [Categorical("c", ["a", "b"]), Categorical("d", ["u", "v"])]
    >>> schema = Schema(columns, label=Label("y", ["no", "yes"]))
    >>> rows = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"]]
    >>> table = Table.from_frame(rows, ["no", "no", "yes", "yes"], schema)
    >>> scores = ColumnScores(table, RankedEncoding(schema, ("c", "d"), radius=0.5), (1.0, 1.0))
    >>> scores.best_of([0, 1]).unreleased_value.tolist()
    [4096, 2048]

    Raises ParameterError if a weight is not in [0, 1].
    """

    def __init__(self, table: Table, encoding: RankedEncoding, weights: Sequence[float] | NDArray[np.float64]):
        steps = np.rint(np.asarray(weights) * WEIGHT_STEPS)
        if not (len(steps) == table.n_classes and (steps >= 0).all() and (steps <= WEIGHT_STEPS).all()):
            raise ParameterError(f"Expected a weight in [0, 1] for each class, got {weights}. Divide by the largest.")
        self._table, self._encoding, self._weights = table, encoding, steps.astype(np.int64)

    def best_of(self, columns: Sequence[int]) -> SelectionStatistic:
        """Return a choice among these columns, by their places in the encoding's ``blocks``."""
        basis, table = ColumnScoresBasis(self._table.unit_weight), self._table
        scores = self._told[np.asarray(columns, dtype=np.intp)]
        range_ = basis.sensitivity(table.unit, table.n_persons)["range"]
        return SelectionStatistic(basis.query, table.unit, scores, range=range_, basis=basis)

    @cached_property
    def _told(self) -> NDArray[np.int64]:
        """Return the scores of all columns, in steps of what one person weighs."""
        encoding, n_classes = self._encoding, self._table.n_classes
        bins = BinEncoding(encoding.schema, encoding.columns, released=encoding.released)
        marks = {name: bins.positions[mark] for name, mark in encoding.mark_of.items()}
        sizes = [bins.separable[name][0] + (name in marks) for name in encoding.blocks]

        def of_block(block: Block) -> NDArray[np.int64]:
            labels, found = block.labels.astype(np.int64), []
            codes = block.codes(bins)
            for name, size in zip(encoding.blocks, sizes, strict=True):
                own = codes[:, bins.positions[name]].astype(np.int64)
                if name in marks:
                    own[codes[:, marks[name]] == 1] = size - 1
                seen = np.flatnonzero(own < size)
                cells = own[seen] * n_classes + labels[seen]
                found.append(block.counted(cells, size * n_classes, seen))
            return np.concatenate(found).astype(np.int64)

        counts = self._table.sum(of_block).reshape(-1, n_classes)
        starts = np.append(0, np.cumsum(sizes)[:-1])
        return np.asarray(np.add.reduceat((counts * self._weights).max(axis=1), starts))


def plan_columns(count: int, weight: float) -> list[PlanEntry]:
    """Return the choices of so many columns to announce, one after another, which weigh so much together."""
    return [PlanEntry("selection", count=count, weight=weight / count)] if count else []
