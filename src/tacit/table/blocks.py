"""Blocks of a table's rows, and state kept beside them: one value for each block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError, TableError
from tacit.table.persons import GOLDEN, Members, mixed
from tacit.table.rows import Encoding, Rows
from tacit.table.storage import MEMORY, Storage, kept_state

KEPT_ENCODINGS = 8
"""Of a block: more than a fit needs, as a study fits many models to the same rows, most of them to cut points of their
own."""

T = TypeVar("T")
Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]


class Block:
    """Consecutive rows of a table and their encodings; only a table's own operations hand it out.

    Attributes
    ----------
    index : int
        Position among the blocks; ``PerBlock`` keeps state derived from the rows under it.
    members : Members or None
        Which person each row is of, where an identifier names persons.
    weights : float64 array of shape (n_rows,), or None
        How much each row counts, in units of which ``Table.unit_weight`` are one person; whole numbers. None where
        each row counts one. Class weights are among them.
    """

    def __init__(
        self,
        index: int,
        labels: NDArray[Any],
        rows: Rows | None,
        encoded: dict[Hashable, NDArray[Any]],
        members: Members | None = None,
        weights: NDArray[np.float64] | None = None,
        storage: Storage = MEMORY,
    ):
        self.index = index
        self._labels = storage.kept(labels)
        self.n_rows = len(labels)
        self.members = members if members is None else members.kept(storage)
        self.weights = weights if weights is None else storage.kept(weights)
        self._rows = rows if rows is None else rows.kept(storage)
        self._encoded, self._storage = encoded, storage

    @property
    def labels(self) -> NDArray[Any]:
        """Positions among the sorted classes, shape (n_rows,).

        Raises TableError where a number is to be predicted: what counts classes never reads one.
        """
        if self._labels.dtype.kind == "f":
            raise TableError("Expected rows with classes, got rows with a number to predict. Take a regressor.")
        return self._labels

    @property
    def targets(self) -> NDArray[np.float64]:
        """Numbers to predict, within their bounds, shape (n_rows,); raises TableError where classes are."""
        if self._labels.dtype.kind != "f":
            raise TableError("Expected rows with a number to predict, got rows with classes. Take a classifier.")
        return self._labels

    def features(self, encoding: Encoding) -> NDArray[np.float32]:
        """Return linear features, shape (n_rows, n_features); encoded once and kept."""
        return self._memo(encoding)

    def codes(self, encoding: Encoding) -> NDArray[Any]:
        """Return codes of bins, shape (n_rows, n_columns); encoded once and kept."""
        return self._memo(encoding)

    def scored(self, score: Callable[[Rows], T]) -> T:
        """Return what a public function, or a released model, makes of the rows; computed at each call and not kept."""
        return score(self._given())

    @property
    def outcomes(self) -> NDArray[Any]:
        """``labels`` or ``targets``, whichever rows have."""
        return self._labels

    def scaled(self, scale: tuple[float, float]) -> Block:
        """Return the same rows with targets less a released number, over another; encodings are shared."""
        start, unit = scale
        return self.with_labels((self.targets - start) / unit)

    def with_labels(self, labels: NDArray[Any]) -> Block:
        """Return the same rows with other labels; encodings are shared."""
        return Block(self.index, labels, self._rows, self._encoded, self.members, self.weights, self._storage)

    def weighing(self, classes: Numbers | None, name: str | None, unit_weight: int) -> Block:
        """Return the same rows, each counting as much as its class, and what it has in a column of weights, say.

        Parameters
        ----------
        classes : array of shape (n_classes,), optional
            In (0, 1].
        name : str, optional
            Of numbers from 0 to 1.
        unit_weight : int
            What the heaviest row counts where each counted one before.
        """
        parts = np.ones(self.n_rows) if name is None else self._given().columns[name]
        if classes is not None:
            parts = parts * classes[self.labels]
        own = np.rint((unit_weight if self.weights is None else self.weights) * parts)
        if self.weights is None and name is None:
            # Never nothing: a class that is a thousand times as frequent keeps its rows.
            own = np.maximum(own, 1.0)
        return Block(self.index, self._labels, self._rows, self._encoded, self.members, own, self._storage)

    def counted(self, cells: NDArray[Any], n_cells: int, rows: slice | NDArray[np.intp] = slice(None)) -> Counts:
        """Return how much the given rows weigh in each cell, shape (n_cells,).

        Parameters
        ----------
        cells : int array
            Of each of these rows, below ``n_cells``.
        """
        if self.weights is None:
            return np.bincount(cells, minlength=n_cells)
        # Whole numbers below 2^53 in all: exact.
        return np.bincount(cells, self.weights[rows], n_cells).astype(np.int64)

    def weights_of(self, unit_weight: int) -> Numbers:
        """Return how much each row counts if a person weighs so much, shape (n_rows,)."""
        if self.weights is None or self.members is None:
            raise TableError("Expected rows that a person's weight is divided among. Count each row as one.")
        return self.members.weights(unit_weight)

    def weighted(self, values: NDArray[np.float64], rows: slice | NDArray[np.intp] = slice(None)) -> Numbers:
        """Return values of the given rows, the last axis, times what these weigh."""
        return values if self.weights is None else values * self.weights[rows]

    def against_rest(self, positive: int) -> Block:
        """Return the same rows with the label 1 for one class and 0 for all others."""
        return self.with_labels((self.labels == positive).astype(np.uint8))

    def first_rows(self) -> int:
        """Count the persons whose first row is here; of rows of persons."""
        assert self.members is not None
        return int(np.count_nonzero(self.members.rank == 0))

    def person_numbers(self) -> NDArray[np.int64]:
        """Return the number of each row's person; of rows of persons. Not public, and no person's own."""
        assert self.members is not None
        return self.members.person

    def person_keys(self) -> NDArray[np.uint64]:
        """Return the hash of the identifier of each row's person; of rows of persons."""
        assert self.members is not None
        return self.members.key

    def coins(self, n: int) -> NDArray[np.uint64]:
        """Return words that look random, shape (n_rows, n): of a row's person, or else of its place, never its cells.

        Notes
        -----
        Privacy: neighbors share those of all other persons. Proof: ``proofs/queries/held_out_scores.md``.
        """
        # Of the identifier and not of the person's number: that counts who appears before, which another person moves.
        # Two persons whose identifiers share a hash share a coin, which is still each one's own.
        own = self.person_keys() if self.members is not None else self._places()
        each = mixed(own * GOLDEN)[:, None]
        return mixed(each + np.arange(1, n + 1, dtype=np.uint64) * GOLDEN)

    def has_weights(self) -> int:
        """Return 1 if rows have weights, else 0."""
        return int(self.weights is not None)

    def take(self, taken: tuple[int, NDArray[np.intp]]) -> Block:
        """Return the rows at some positions, as copies, as the block of an index in another table."""
        index, positions = taken
        # Where there are no columns to encode again, what is encoded is all there is.
        encoded = (
            {} if self._rows is not None else {encoding: kept[positions] for encoding, kept in self._encoded.items()}
        )
        rows = self._rows.take(positions) if self._rows is not None else None
        members = self.members.take(positions) if self.members is not None else None
        weights = self.weights[positions] if self.weights is not None else None
        return Block(index, self._labels[positions], rows, encoded, members, weights, self._storage)

    def _memo(self, encoding: Encoding) -> NDArray[Any]:
        if encoding not in self._encoded:
            made = self._storage.kept(self._given().encoded(encoding))
            # A block that was made of encodings alone could not make them again.
            while self._rows is not None and len(self._encoded) >= KEPT_ENCODINGS:
                self._encoded.pop(next(iter(self._encoded)))
            self._encoded[encoding] = made
        return self._encoded[encoding]

    def _places(self) -> NDArray[np.uint64]:
        return (np.arange(self.n_rows) + (self.index << 40)).astype(np.uint64)

    def _given(self) -> Rows:
        if self._rows is None:
            raise TableError("Expected the encoding that the table was made with. Make the table from a frame.")
        return self._rows

    def __repr__(self) -> str:
        return "<Block of a private table>"

    def __reduce__(self) -> Any:
        raise PrivacyError("Expected a block to stay where its rows are, got a request to copy or pickle it.")


class PerBlock(ABC, Generic[T]):
    """A value for each block, made when it is first asked for; only ``Table.per_block`` makes one.

    What is kept must be a function of the block's rows and of what was released so far: then a table whose blocks
    lie on disk or on other machines can recompute it, in any order, where it was lost.

    Privacy: as private as the rows. It cannot be printed, copied or pickled.
    """

    @abstractmethod
    def __getitem__(self, block: Block) -> T:
        """Return a block's value, where the block is."""

    @abstractmethod
    def advance(self, update: Callable[[Block, T], T]) -> None:
        """Replace every block's value by a function of the block and of its value.

        The function owns the old value: it may change it in place and return it.
        """

    def __repr__(self) -> str:
        return "<state of a private table's blocks>"

    def __reduce__(self) -> Any:
        raise PrivacyError("Expected state of rows to stay where the rows are, got a request to copy or pickle it.")


class LocalState(PerBlock[T]):
    """State of the blocks of this process.

    Parameters
    ----------
    visit : callable
        Calls a function of each block.
    start : callable
        Returns a block's first value: arrays, or a ``Stateful`` with arrays, are kept in the storage.
    storage : Storage
        Of the table's rows.
    """

    def __init__(
        self, visit: Callable[[Callable[[Block], object]], None], start: Callable[[Block], T], storage: Storage = MEMORY
    ):
        self._visit, self._start, self._storage = visit, start, storage
        # By position: a block that is read again is another object, with the same rows.
        self._values: dict[int, T] = {}

    def __getitem__(self, block: Block) -> T:
        """Return a block's value, made now if it is asked for the first time."""
        if block.index not in self._values:
            self._values[block.index] = kept_state(self._storage, self._start(block))
        return self._values[block.index]

    def advance(self, update: Callable[[Block, T], T]) -> None:
        """Replace every block's value, block by block."""

        def follow(block: Block) -> None:
            self._values[block.index] = kept_state(self._storage, update(block, self[block]))

        self._visit(follow)
