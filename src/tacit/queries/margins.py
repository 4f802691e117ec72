"""Each row's margin under a growing vote, and what a weak learner asks of weights that follow from margins."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.queries.bin_counts import BinCounts
from tacit.sensitivities.masses import MassBounds
from tacit.table import Block, Table
from tacit.table.blocks import PerBlock


class RowWeights(Protocol):
    """Weights of rows as positions in a short table; all rows together weigh 1."""

    @property
    def values(self) -> NDArray[np.float64]:
        """The table of weights, shape (n_positions,)."""

    @property
    def bounds(self) -> MassBounds:
        """How far weights are apart on two neighboring tables, and what rounding adds; public."""

    @property
    def cap(self) -> float:
        """The most that a row can weigh in any round, 1/(density n); public."""

    def positions(self, block: Block) -> NDArray[np.int16]:
        """Return each row's position in ``values``, shape (n_rows,); do not change it."""

    def bin_counts(self, encoding: BinEncoding) -> BinCounts:
        """Return counts of rows by (position, column bin, label), kept up to date from round to round."""


class StartMargins(Protocol):
    """A margin that rows have before the first round, from public columns alone."""

    @property
    def steps_per_vote(self) -> int:
        """Steps of the grid to one vote."""

    @property
    def reach(self) -> int:
        """Largest absolute margin, in steps."""

    def margins(self, block: Block) -> NDArray[np.int64]:
        """Return each row's margin towards the second class, in steps, within the reach."""


class Margins:
    """Each row's margin under a growing vote, as an integer that stays with the row.

    A row's margin is the number of votes for its label less those against it, in steps (one step to a vote
    unless a public start needs a finer grid).

    Privacy: nothing is released here; margins and counts of them are as private as the rows.

    Parameters
    ----------
    table : Table
        Two classes.
    rounds : int
        How often ``vote`` may be called.

    Attributes
    ----------
    votes : int
        How many there were.
    spread : int
        The most by which the margins of two rows can differ by now, in steps, whatever the rows are; public.
    """

    def __init__(self, table: Table, *, rounds: int, start: StartMargins | None = None):
        if rounds < 1:
            raise ParameterError(f"Expected at least one round, got rounds={rounds}. Choose 9, say.")
        self._table, self.n_rows = table, table.n_persons
        self.steps_per_vote, reach = (start.steps_per_vote, start.reach) if start else (1, 0)
        # Without a start all margins have the same parity: positions are two steps apart.
        self._stride = 1 if start else 2
        self._jump = 2 * self.steps_per_vote // self._stride
        self._offset, self.votes = 0, 0
        self.spread = 2 * reach
        # Positions for every margin that all rounds together can lead to, so that none is ever out of range.
        middle = self._jump * rounds + reach
        # There are 2 middle + 1 positions, which 16 bits must number.
        if middle > np.iinfo(np.int16).max // 2:
            raise ParameterError(f"Expected fewer rounds, got rounds={rounds}. Choose at most a thousand.")
        self._steps = self._stride * np.arange(-middle, middle + 1)
        self._positions = table.per_block(partial(_start_positions, middle, start))
        self._bin_counts: dict[BinEncoding, BinCounts] = {}
        self._counts = table.sum(lambda block: block.counted(self._positions[block], len(self._steps)))

    def __getstate__(self) -> dict[str, object]:
        # What was counted stays here where rows are elsewhere.
        return {**vars(self), "_counts": None, "_bin_counts": {}}

    @property
    def values(self) -> NDArray[np.int64]:
        """The margin at each position, in steps, ascending; public."""
        return np.asarray(self._steps + self._offset)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows at each position, or what they weigh: unreleased."""
        return self._counts

    def positions(self, block: Block) -> NDArray[np.int16]:
        """Return each row's position among ``values``."""
        return self._positions[block]

    def bin_counts(self, encoding: BinEncoding) -> BinCounts:
        """Return counts by (position, column bin, label); counted at the first call, updated after."""
        if encoding not in self._bin_counts:
            self._bin_counts[encoding] = BinCounts(self._table, encoding, self.positions, len(self._steps))
        return self._bin_counts[encoding]

    def vote(self, decide: Callable[[Block], NDArray[np.bool_]]) -> None:
        """Give every row the vote of a released classifier.

        All margins shift by one vote; only the rows on the smaller side, right or wrong, are moved back by two.
        """
        right = self._table.per_block(lambda block: decide(block) == block.labels.astype(bool))
        decided = self._table.sum(lambda block: _by_label(block.labels, right[block]))
        # All margins shift at once by an offset; moving the smaller side costs at most half of the rows.
        mostly_right = 2 * int(decided[:, 1].sum()) >= int(decided.sum())
        self._offset += self.steps_per_vote if mostly_right else -self.steps_per_vote
        jump = -self._jump if mostly_right else self._jump
        moved = self._table.per_block(lambda block: right[block] != mostly_right)
        self._follow(moved, jump, movers=2 * decided[:, int(not mostly_right)] <= decided.sum(axis=1))
        self._positions.advance(lambda block, positions: positions + np.int16(jump) * moved[block])
        self.spread += 2 * self.steps_per_vote
        self.votes += 1

    def _follow(self, moved: PerBlock[NDArray[np.bool_]], jump: int, movers: NDArray[np.bool_]) -> None:
        """Update all counts; where most rows of a label move, bins are counted of those of its rows that do not."""

        def fewer(block: Block) -> tuple[NDArray[np.intp], NDArray[np.int16]]:
            some = moved[block]
            if not movers.all():
                # Compared with each row's own label: looking the answer up by label takes ten times as long.
                some = some == (block.labels == movers[1]) if movers.any() else ~some
            rows = np.flatnonzero(some)
            return rows, self._positions[block].take(rows)

        picked = self._table.per_block(fewer)
        for counts in self._bin_counts.values():
            counts.move(lambda block: picked[block], jump, movers)
            self._counts = counts.by_position
        if not self._bin_counts:
            left = self._table.sum(lambda block: self._count(block, moved[block]))
            self._counts = self._counts - left + np.roll(left, jump)

    def _count(self, block: Block, moved: NDArray[np.bool_]) -> NDArray[np.int64]:
        rows = np.flatnonzero(moved)
        return block.counted(self._positions[block][rows], len(self._steps), rows)


def _by_label(labels: NDArray[Any], right: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the rows of each label that are wrong and that are right, shape (2, 2)."""
    found = np.asarray([np.count_nonzero(labels), np.count_nonzero(right), np.count_nonzero(right & (labels == 1))])
    return np.asarray(
        [[len(labels) - found[0] - found[1] + found[2], found[1] - found[2]], [found[0] - found[2], found[2]]]
    )


def _start_positions(middle: int, start: StartMargins | None, block: Block) -> NDArray[np.int16]:
    positions = np.full(block.n_rows, middle, dtype=np.int16)
    if start:
        signs = 2 * block.labels.astype(np.int64) - 1
        positions += (signs * start.margins(block)).astype(np.int16)
    return positions
