"""Rows behind a wall: blocks of them, and sums over blocks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError, TableError
from tacit.privacy import PrivacyUnit
from tacit.schema import Schema
from tacit.table.bin_encoding import BinEncoding
from tacit.table.linear_encoding import LinearEncoding
from tacit.table.one_hot import OneHotEncoding
from tacit.table.per_block import PerBlock
from tacit.table.rows import OnInvalid, Rows, read_labels, read_rows

BLOCK_ROWS = 65_536

Summand = TypeVar("Summand", NDArray[Any], tuple[NDArray[Any], ...])
T = TypeVar("T")


class Block:
    """Consecutive rows of a table and their encodings; only a table's own operations hand it out.

    Attributes
    ----------
    index : int
        Position among the blocks; ``PerBlock`` keeps state derived from the rows under it.
    n_rows : int
    labels : array of shape (n_rows,)
        Positions among the sorted classes.
    """

    def __init__(self, index: int, labels: NDArray[Any], rows: Rows | None, encoded: dict[Hashable, NDArray[Any]]):
        self.index = index
        self.labels = labels
        self.n_rows = len(labels)
        self._rows = rows
        self._encoded = encoded

    def features(self, encoding: LinearEncoding | OneHotEncoding) -> NDArray[np.float32]:
        """Return linear features, shape (n_rows, n_features); encoded once and kept."""
        return self._memo(encoding)

    def codes(self, encoding: BinEncoding) -> NDArray[np.uint8]:
        """Return codes of bins, shape (n_rows, n_columns); encoded once and kept."""
        return self._memo(encoding)

    def _memo(self, encoding: LinearEncoding | OneHotEncoding | BinEncoding) -> NDArray[Any]:
        if encoding not in self._encoded:
            if self._rows is None:
                raise TableError("Expected the encoding that the table was made with. Make the table from a frame.")
            self._encoded[encoding] = self._rows.encoded(encoding)
        return self._encoded[encoding]

    def __repr__(self) -> str:
        return "<Block of a private table>"

    def __reduce__(self) -> Any:
        raise PrivacyError("Expected a block to stay where its rows are, got a request to copy or pickle it.")


class Table:
    """A private table: sums leave it, rows do not.

    Parameters
    ----------
    schema : Schema
    blocks : sequence of Block

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

    def __init__(self, schema: Schema, blocks: Sequence[Block]):
        self.schema = schema
        self.unit = PrivacyUnit(columns=schema.private_columns, label=schema.label.private)
        self.n_rows = sum(block.n_rows for block in blocks)
        self._blocks = tuple(blocks)
        self._starts = tuple(accumulate((block.n_rows for block in blocks), initial=0))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        labels: Any,
        schema: Schema,
        *,
        on_invalid: OnInvalid = "raise",
        block_rows: int = BLOCK_ROWS,
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
        blocks = [
            Block(block.index, (block.labels == positive).astype(np.uint8), block._rows, block._encoded)
            for block in self._blocks
        ]
        return Table(self.schema, blocks)

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
