"""How many rows each column of categories alone would tell the class of: what columns are chosen by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import Planned, SelectionStatistic
from tacit.table import Block, Table
from tacit.table.ranked_encoding import RankedEncoding

RANGE = 2.0
"""Of the scores, in rows: one that leaves takes up to one from some scores and nothing from others, and so one that
enters."""


class ColumnScores:
    """By column of categories the sum over these of the rows of the category's most frequent class.

    So many rows would be told right from that column alone, which is what a tree of one question with a leaf for each
    category would have. Rows of categories that are not listed are counted nowhere.

    Parameters
    ----------
    table : Table
    encoding : RankedEncoding
        Of categories alone.

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
    >>> ColumnScores(table, RankedEncoding(schema, ("c", "d"), radius=0.5)).best_of([0, 1]).unreleased_value.tolist()
    [4, 2]
    """

    def __init__(self, table: Table, encoding: RankedEncoding):
        self._table, self._encoding = table, encoding

    def best_of(self, columns: Sequence[int]) -> SelectionStatistic:
        """Return a choice among these columns, by their places in the encoding."""
        return SelectionStatistic(
            query="rows that a column alone tells the class of",
            unit=self._table.unit,
            unreleased_value=self._told[np.asarray(columns, dtype=np.intp)],
            range=RANGE * self._table.influence,
        )

    @cached_property
    def _told(self) -> NDArray[np.int64]:
        """Return the scores of all columns, whole numbers of what one person weighs."""
        places, n_classes = self._encoding.places_of_categories, self._table.n_classes
        starts = np.asarray([place.start - 1 for place in places])

        def of_block(block: Block) -> NDArray[np.int64]:
            counts = np.zeros((self._encoding.n_features - 1, n_classes), dtype=np.int64)
            labels = block.labels.astype(np.int64)
            for place, codes in zip(places, block.scored(self._encoding.codes), strict=True):
                seen = np.flatnonzero(codes >= 0)
                cells = codes[seen].astype(np.int64) * n_classes + labels[seen]
                counted = block.counted(cells, (place.stop - place.start) * n_classes, seen)
                counts[place.start - 1 : place.stop - 1] = counted.reshape(-1, n_classes)
            return counts

        return np.asarray(np.add.reduceat(self._table.sum(of_block).max(axis=1), starts))


def plan_columns(count: int, weight: float) -> list[Planned]:
    """Return the choices of so many columns to announce, one after another, which weigh so much together."""
    return [Planned("selection", count=count, weight=weight / count)] if count else []
