"""A private table: blocks of encoded rows, accessible only through block-wise sums."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError, PrivacyError, TableError
from tacit.privacy import PrivacyUnit, Slice
from tacit.schema import Schema
from tacit.table.blocks import Block, PerBlock
from tacit.table.feature_encoding import OneHotEncoding
from tacit.table.linear_encoding import LinearEncoding
from tacit.table.rows import OnInvalid, Rows, read_labels, read_rows

BLOCK_ROWS = 65_536

Summand = TypeVar("Summand", NDArray[Any], tuple[NDArray[Any], ...])
T = TypeVar("T")


class Table:
    """A private table: sums leave it, rows do not.

    Parameters
    ----------
    schema : Schema
    blocks : sequence of Block
    slice : Slice, optional
        Which of several disjoint sets of rows these are.
    unit_weight : int
        What rows' weights are multiples of: so much counts as one row.

    Attributes
    ----------
    schema : Schema
    unit : PrivacyUnit
        The protected columns, and whether the label is protected: what two neighboring tables may differ in.
    n_rows : int
        Public: no row is ever dropped, and neighbors have the same number.

    Notes
    -----
    Privacy: ``sum`` and ``gather`` return exact values, and ``visit`` and ``per_block`` show rows to a function.
    Only ``tacit.queries`` calls them, and wraps what it gets in a ``Statistic``. Tables, blocks and their state cannot
    be pickled.
    """

    def __init__(self, schema: Schema, blocks: Sequence[Block], *, slice: Slice | None = None, unit_weight: int = 1):
        self.schema = schema
        self.unit = PrivacyUnit(columns=schema.private_columns, label=schema.label.private, slice=slice)
        self.unit_weight = unit_weight
        self.n_rows = sum(block.n_rows for block in blocks)
        self._blocks = tuple(blocks)
        self._starts = tuple(accumulate((block.n_rows for block in blocks), initial=0))

    @classmethod
    def from_frame(
        cls, frame: Any, labels: Any, schema: Schema, *, on_invalid: OnInvalid = "raise", block_rows: int = BLOCK_ROWS
    ) -> Table:
        """Return the table of a data frame or array, and of its labels.

        Raises
        ------
        TableError
            If rows and schema do not fit; see ``read_rows``.
        """
        rows = read_rows(frame, schema, on_invalid=on_invalid)
        return cls.from_rows(
            rows, read_labels(labels, schema.label, on_invalid=on_invalid), schema, block_rows=block_rows
        )

    @classmethod
    def from_rows(cls, rows: Rows, labels: NDArray[Any], schema: Schema, *, block_rows: int = BLOCK_ROWS) -> Table:
        """Return the table of rows and labels that ``read_rows`` and ``read_labels`` have read by the schema.

        What is private may have changed since: reading does not depend on it.

        Raises
        ------
        TableError
            If there is not one label for each row.
        """
        if len(labels) != rows.n_rows:
            raise TableError(
                "Found input variables with inconsistent numbers of samples: "
                "expected one label for each row. Pass rows and labels of the same length."
            )
        starts = range(0, rows.n_rows, block_rows)
        return cls(
            schema,
            [
                Block(index, labels[start : start + block_rows], rows.slice(start, start + block_rows), {})
                for index, start in enumerate(starts)
            ],
        )

    @classmethod
    def from_encoded(
        cls, matrix: NDArray[np.float32], labels: Any, encoding: LinearEncoding, *, block_rows: int = BLOCK_ROWS
    ) -> Table:
        """Return the table of rows that are encoded already; the matrix is not copied."""
        codes = read_labels(labels, encoding.schema.label)
        if matrix.shape != (len(codes), encoding.n_features):
            raise TableError("Expected one row for each label and one column for each feature of the encoding.")
        starts = range(0, len(codes), block_rows)
        return cls(
            encoding.schema,
            [
                Block(i, codes[start : start + block_rows], None, {encoding: matrix[start : start + block_rows]})
                for i, start in enumerate(starts)
            ],
        )

    @property
    def n_classes(self) -> int:
        """Number of classes that the schema lists, with rows or without."""
        return len(self.schema.label.classes)

    def strips(self, most_rows: int) -> int:
        """Return in how many strips of at most so many rows the blocks are read; public, as the blocks' sizes are."""
        return sum(-(-block.n_rows // most_rows) for block in self._blocks)

    def sum(self, function: Callable[[Block], Summand]) -> Summand:
        """Return the sum of a function of the blocks, added in row order whatever computes them."""
        blocks = iter(self._blocks)
        total = function(next(blocks))
        for block in blocks:
            part = function(block)
            total = tuple(a + b for a, b in zip(total, part, strict=True)) if isinstance(total, tuple) else total + part
        return total

    def visit(self, function: Callable[[Block], None]) -> None:
        """Call a function of each block, in row order; for what is neither a sum nor state of the block."""
        for block in self._blocks:
            function(block)

    def per_block(self, start: Callable[[Block], T]) -> PerBlock[T]:
        """Return state of the blocks, each block's first being a function of it that is called when it is needed."""
        return PerBlock(self.visit, start)

    def gather(self, function: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """Return a function's values of all rows, in row order, the first axis being the rows."""
        return np.concatenate([function(block) for block in self._blocks])

    def first_row(self, block: Block) -> int:
        """Return the position of a block's first row among all rows."""
        return self._starts[block.index]

    def one_against_rest(self, positive: int) -> Table:
        """Return the table whose label tells one class (1) from all others (0); encodings are shared.

        Its schema stays the same, and so does what it protects.
        """
        return self._of(block.with_labels((block.labels == positive).astype(np.uint8)) for block in self._blocks)

    def slices(self, sizes: Sequence[int], order: NDArray[np.integer[Any]] | None = None) -> tuple[Table, ...]:
        """Divide the rows into tables of so many rows each, for releases that are paid for in parallel.

        Rows keep their order inside a slice. Rows that no size asks for are in none.

        Parameters
        ----------
        sizes : sequence of int
            At least one row each.
        order : array of shape (n_rows,), optional
            A permutation of the rows' positions: the first slice gets the rows at its first positions, and so on.
            By default rows are taken in the table's order.

        Raises
        ------
        ParameterError
            If a size is no whole number.
        TableError
            If sizes ask for more rows than there are, or the order is no permutation.

        Notes
        -----
        Privacy: sizes and order must be fixed without looking at protected cells. In a table that is sorted by one,
        positions follow from cells: draw a secret permutation from the noise source then.
        ``Accountant.in_parallel`` takes the tables' units.
        """
        order = np.arange(self.n_rows) if order is None else np.asarray(order)
        if not all(isinstance(size, int | np.integer) and not isinstance(size, bool) for size in sizes):
            raise ParameterError(f"Expected whole numbers of rows, got sizes={list(sizes)!r:.80}. Pass integers.")
        # In whole numbers of Python: a sum that wraps around could give a row to two slices.
        ends = list(accumulate(map(operator.index, sizes)))
        if len(sizes) == 0 or min(sizes) < 1 or ends[-1] > self.n_rows:
            raise TableError("Expected sizes of at least one row each, of all rows at most. Choose smaller ones.")
        if order.dtype.kind not in "iu" or not np.array_equal(np.sort(order), np.arange(self.n_rows)):
            raise TableError("Expected an order with each row's position once. Pass a permutation, or none.")
        parts = np.split(order[: ends[-1]], ends[:-1])
        units = self.unit.divided(len(parts))
        return tuple(self._taken(np.sort(part), unit.slice) for part, unit in zip(parts, units, strict=True))

    def with_weights(self, weights: NDArray[np.integer[Any]], *, unit_weight: int) -> Table:
        """Return the table whose rows count by integer weights, ``unit_weight`` being one row; encodings are shared.

        Raises
        ------
        TableError
            If there is not one whole number of at least zero for each row.

        Notes
        -----
        Privacy: the law that gives a row its weight must be public. Queries see weights as ``Block.weights``.
        """
        weights = np.asarray(weights)
        if weights.shape != (self.n_rows,) or weights.dtype.kind not in "iu" or weights.min() < 0 or unit_weight < 1:
            raise TableError("Expected a whole number of at least zero for each row. Check how weights were made.")
        parts = np.split(weights.astype(np.int64), self._starts[1:-1])
        return self._of(
            (block.with_weights(part) for block, part in zip(self._blocks, parts, strict=True)), unit_weight=unit_weight
        )

    @property
    def is_weighted(self) -> bool:
        """Whether rows were given weights."""
        return self.unit_weight != 1 or any((block.weights != 1).any() for block in self._blocks)

    def _taken(self, positions: NDArray[np.intp], slice: Slice | None) -> Table:
        """Return the table of the rows at ascending positions; each block keeps its own, so none is read twice."""
        parts = np.split(positions, np.searchsorted(positions, self._starts[1:-1]))
        taken = [(block, part - start) for block, part, start in zip(self._blocks, parts, self._starts, strict=False)]
        kept = [(block, part) for block, part in taken if len(part)]
        return self._of((block.take(index, part) for index, (block, part) in enumerate(kept)), slice=slice)

    def _of(self, blocks: Iterable[Block], *, slice: Slice | None = None, unit_weight: int | None = None) -> Table:
        """Return a table of these blocks, and of this one's slice and weights where no others are named."""
        return Table(
            self.schema, tuple(blocks), slice=slice or self.unit.slice, unit_weight=unit_weight or self.unit_weight
        )

    def public_features(self, encoding: LinearEncoding | OneHotEncoding) -> NDArray[np.float32]:
        """Return features of public columns, shape (n_rows, n_features).

        Raises
        ------
        PrivacyError
            If one of the columns is protected.
        """
        protected = set(encoding.columns) & set(self.unit.columns)
        if protected:
            raise PrivacyError(f"Expected public columns, got the protected {sorted(protected)}. Query them instead.")
        return self.gather(lambda block: block.features(encoding))

    def public_labels(self) -> NDArray[Any]:
        """Return the labels as positions among the sorted classes, shape (n_rows,).

        Raises
        ------
        PrivacyError
            If the label is protected.
        """
        if self.unit.label:
            raise PrivacyError("Expected a public label, got a protected one. Query it instead.")
        return self.gather(lambda block: block.labels)

    def __repr__(self) -> str:
        return f"<Table of {self.n_rows} rows, {len(self.schema.columns)} columns; rows stay inside>"

    def __reduce__(self) -> Any:
        raise PrivacyError("Expected a table to stay where its rows are, got a request to copy or pickle it.")
