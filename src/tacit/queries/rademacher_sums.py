"""Rademacher observations: sums of the edges of random subsets of rows, made as millions of rows stream by.

Nock, Patrini and Friedman (2015), Definition 1: with signature sigma, (1/2) sum_i (sigma_i + y_i) x_i, the sum of the
edges y_i x_i over the rows where sigma_i = y_i. A rado is an exact sum over rows. **Nothing here is differentially
private**, which is why nothing here is a statistic: see ``proofs/queries/rademacher_sums.md`` for what holds instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.queries.edges import EdgeForm
from tacit.table import Block, Table

STRIP_ROWS = 2_048
"""Rows whose parts are drawn and multiplied together: those of a thousand rados take 8 MB."""

Rounding = Callable[[NDArray[Any]], NDArray[np.int8]]


class Parts(Protocol):
    """Tells which rows take part in which rado."""

    @property
    def count(self) -> int:
        """Number of rados."""

    def strip(self, start: int, n_rows: int) -> NDArray[np.float32]:
        """Return 1.0 where a row takes part, shape (count, n_rows)."""


def rademacher_sums(table: Table, form: EdgeForm, parts: Parts) -> NDArray[np.float64]:
    """Return rados, shape (count, n_features).

    A strip of random parts times a strip of edges, in float32; strips are added in float64.

    Privacy: none. Exact sums over protected rows; only for ``protection="none"`` or where all is public.
    """
    return table.sum(lambda block: sum_parts(form.of_block(block), parts, table.first_row(block)))


def sum_parts(edges: NDArray[Any], parts: Parts, start: int = 0) -> NDArray[np.float64]:
    """Return rados of given edges, shape (count, n_features), the first row being number ``start``."""
    total = np.zeros((parts.count, edges.shape[1]))
    for first in range(0, len(edges), STRIP_ROWS):
        strip = edges[first : first + STRIP_ROWS]
        total += parts.strip(start + first, len(strip)) @ np.ascontiguousarray(strip, dtype=np.float32)
    return total


def exact_error(table: Table, form: EdgeForm, theta: NDArray[np.float64]) -> float:
    """Return the share of rows that a rule gets wrong, ties included.

    Privacy: none; an exact answer about rows, for ``protection="none"`` alone.
    """

    def of_block(block: Block) -> NDArray[np.int64]:
        return np.asarray([np.count_nonzero(form.of_block(block) @ theta <= 0)], dtype=np.int64)

    return float(table.sum(of_block)[0] / table.n_rows)


class WindowedSums:
    """Rados whose entries in some columns stay within DP-Feat's window: Algorithm 2, without its rejections.

    A row agrees if it takes part and its edge in the column is 1, or does not and its edge is -1. Agreements are
    drawn first, from the window's distribution, which does not depend on the rows; they and the edges' signs give the
    parts.

    Privacy: **marginal only**. Of one column, the entries of the rados are (epsilon, delta)-indistinguishable when one
    row's cell changes; the rado as a whole is not. Proof: ``proofs/queries/rademacher_sums.md``.

    Parameters
    ----------
    table : Table
        Two classes.
    columns : tuple of str
        One feature each. Their edges must be -1 or 1; others are first rounded to one of these at random.
    round_signs : callable
        Returns -1 or 1 for each number in [-1, 1], with that mean.
    """

    def __init__(self, table: Table, form: EdgeForm, columns: tuple[str, ...], round_signs: Rounding):
        self._table, self._form = table, form
        self._places = _single_places(form, columns)
        self._signs = self._rounded(round_signs)
        flips = self._signs[:, 1:] != self._signs[:, :1]
        self._flips = np.packbits(flips.T, axis=1, bitorder="little")

    def counts(self, agreements: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return how many rows agree in each further column, given the first column's: (count, n_columns - 1)."""
        turned = [np.bitwise_count(agreements ^ flips).sum(axis=1, dtype=np.int64) for flips in self._flips]
        return np.stack(turned, axis=1) if turned else np.zeros((len(agreements), 0), dtype=np.int64)

    def rados(self, agreements: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return the rados of packed agreements in the first column, shape (count, n_features)."""
        parts = _Agreeing(agreements, self._signs[:, 0])

        def of_block(block: Block) -> NDArray[np.float64]:
            start = self._table.first_row(block)
            edges = self._form.of_block(block)
            edges[:, self._places] = self._signs[start : start + block.n_rows]
            return sum_parts(edges, parts, start)

        return self._table.sum(of_block)

    def _rounded(self, round_signs: Rounding) -> NDArray[np.int8]:
        def of_block(block: Block) -> NDArray[np.int8]:
            edges = self._form.of_block(block)
            return np.stack([round_signs(edges[:, place]) for place in self._places], axis=1)

        return self._table.gather(of_block)


class _Agreeing:
    """Parts from agreements: a row whose edge is -1 takes part where it does not agree."""

    def __init__(self, agreements: NDArray[np.uint8], signs: NDArray[np.int8]):
        self.count = len(agreements)
        self._agreements, self._signs = agreements, signs

    def strip(self, start: int, n_rows: int) -> NDArray[np.float32]:
        first, last = start // 8, -(-(start + n_rows) // 8)
        bits = np.unpackbits(self._agreements[:, first:last], axis=1, bitorder="little")
        agree = bits[:, start - 8 * first : start - 8 * first + n_rows]
        return (agree ^ (self._signs[start : start + n_rows] < 0)).astype(np.float32)


def _single_places(form: EdgeForm, columns: tuple[str, ...]) -> list[int]:
    places = [form.encoding.positions((name,)) for name in columns]
    if not columns or len(set(columns)) < len(columns) or any(len(each) != 1 for each in places):
        raise ParameterError(
            "Expected different protected columns of one feature each. Use encoding='ordinal', or name other columns."
        )
    return [int(each[0]) for each in places]
