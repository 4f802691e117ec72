"""A private table: blocks of encoded rows, accessible only through block-wise sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import accumulate, chain, islice, repeat
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tacit.convex.number_losses import UNSCALED, NumberLoss
from tacit.errors import PrivacyError, TableError
from tacit.privacy import Slice
from tacit.schema import Schema
from tacit.table.batches import Batch, in_blocks
from tacit.table.blocks import Block, PerBlock
from tacit.table.data_frames import collected
from tacit.table.persons import Members, unit_of, unit_weight_for
from tacit.table.row_weights import with_weights
from tacit.table.rows import (
    NONE_LABELED,
    UNEQUAL,
    Encoding,
    OnInvalid,
    Rows,
    read_labeled,
    read_labels,
    read_persons,
    read_rows,
)
from tacit.table.shards import LocalShards, Shards, in_order
from tacit.table.slicing import positions_of
from tacit.table.storage import MEMORY, Storage
from tacit.table.weighed import RowWeighting

BLOCK_ROWS = 65_536

MAX_STRIPS = 2**20
"""Bounds the strips of a table whose number of rows is private: 4,096 rows each are more than memory holds."""

Summand = TypeVar("Summand")
T = TypeVar("T")


class Table:
    """A private table: sums leave it, rows do not.

    Parameters
    ----------
    schema : Schema
    blocks : sequence of Block, or Shards
        Shards say where blocks are worked on. No query knows where.
    slice : Slice, optional
        Which of several disjoint sets of rows these are.
    unit_weight : int
        What rows' weights are multiples of: so much weighs one person.
    storage : Storage
        Where arrays of rows are, those that queries keep included.
    weighed : RowWeighting, optional
        That rows count as much as their classes weigh, and the same rows without.
    loss : NumberLoss
        Of numbers to predict that were scaled: it follows from what was released.

    Attributes
    ----------
    schema : Schema
    unit : PrivacyUnit
        The protected columns, whether the label is, and what is one person's: in these, neighboring tables may differ.
    n_persons : int
        Public: persons where an identifier names them, else rows. Neighbors have the same number.

    Notes
    -----
    Privacy: ``sum`` and ``gather`` return exact values, and ``visit`` and ``per_block`` show rows to a function.
    Only ``tacit.queries`` calls them, and wraps what it gets in a ``Statistic``. Tables, blocks and their state cannot
    be pickled.
    """

    def __init__(
        self,
        schema: Schema,
        blocks: Sequence[Block] | Shards,
        *,
        slice: Slice | None = None,
        unit_weight: int = 1,
        storage: Storage = MEMORY,
        weighed: RowWeighting | None = None,
        loss: NumberLoss = UNSCALED,
    ):
        self.schema, self._storage, self._weighed = schema, storage, weighed
        self.loss, self.unit_weight = loss, unit_weight
        self._shards: Shards = LocalShards.of(blocks, storage) if isinstance(blocks, Sequence) else blocks
        self.unit = unit_of(schema, slice)
        self._sizes = tuple(chain.from_iterable(self._shards.sizes))
        self._starts = tuple(accumulate(self._sizes, initial=0))
        self.n_persons = (  # the blocks of an empty table have nothing to add
            self._starts[-1] if schema.identifier is None or not self._sizes else int(self.sum(Block.first_rows))
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        labels: Any,
        schema: Schema,
        *,
        on_invalid: OnInvalid = "raise",
        block_rows: int = BLOCK_ROWS,
        storage: Storage = MEMORY,
        weights: Any = None,
    ) -> Table:
        """Return the table of a data frame or array, of its labels, and of weights that are no column of it.

        Raises TableError if rows and schema do not fit, or there are none; see ``read_rows``.
        """
        if schema.identifier is not None:
            others = (*schema.identifier.names, *(schema.weight or schema.label).names)
            frame = collected(frame, (*schema.full.names, *others))
        codes, kept = read_labeled(labels, schema.label, on_invalid=on_invalid)
        if kept is not None and not len(codes):
            raise TableError(NONE_LABELED.format(name=schema.label.name))
        rows = read_rows(frame, schema.full, on_invalid=on_invalid, kept=kept)
        rows = with_weights(rows, frame, schema, on_invalid, kept=kept, given=weights)
        members = read_persons(frame, schema, kept)
        if rows.n_rows == 0:
            raise TableError("Expected at least one row, got an empty table. Check how the data were read.")
        return cls.from_rows(rows, codes, schema, members=members, block_rows=block_rows, storage=storage)

    @classmethod
    def from_rows(
        cls,
        rows: Rows,
        labels: NDArray[Any],
        schema: Schema,
        *,
        members: Members | None = None,
        block_rows: int = BLOCK_ROWS,
        storage: Storage = MEMORY,
    ) -> Table:
        """Return the table of rows and labels that ``read_rows`` and ``read_labels`` have read by the schema.

        What is private may have changed since: reading does not depend on it.

        Raises TableError if there is not one label, and under an identifier one member, for each row.
        """
        if (schema.identifier is None) != (members is None):
            raise TableError("Expected persons where the schema has an identifier, and only there. Read both by it.")
        if len(labels) != rows.n_rows or (members is not None and len(members) != rows.n_rows):
            raise TableError(UNEQUAL)
        if schema.weight is not None and schema.weight.name not in rows.columns:
            raise TableError(f"Expected rows with the weight {schema.weight.name!r}, got some without. Read both.")
        return cls.from_batches([Batch(rows, labels, members)], schema, block_rows=block_rows, storage=storage)

    @classmethod
    def from_batches(
        cls, batches: Iterable[Batch], schema: Schema, *, block_rows: int = BLOCK_ROWS, storage: Storage = MEMORY
    ) -> Table:
        """Return the table of rows that come some at a time; more than these are held only by the storage.

        Under an identifier all batches have members, and are a sequence.
        """
        unit_weight, weigh = 1, False
        if schema.identifier is not None:
            members = [batch.members for batch in batches]
            if schema.identifier.rows == "mean":
                unit_weight, weigh = unit_weight_for(sum(each.n_persons for each in members if each is not None)), True
            else:
                most = schema.identifier.rows
                batches = (batch.first_of_each(most) for batch in batches)
        blocks = []
        for index, batch in enumerate(in_blocks(batches, block_rows)):
            weights = batch.members.weights(unit_weight) if weigh and batch.members is not None else None
            blocks.append(Block(index, batch.labels, batch.rows, {}, batch.members, weights, storage))
        return cls(schema, blocks, unit_weight=unit_weight, storage=storage)

    @classmethod
    def from_encoded(
        cls, matrix: NDArray[Any], labels: Any, schema: Schema, encoding: Encoding, *, block_rows: int = BLOCK_ROWS
    ) -> Table:
        """Return the table of rows that are encoded already; the matrix is not copied."""
        codes = read_labels(labels, schema.label)
        if len(matrix) != len(codes):
            raise TableError("Expected one row for each label. Pass as many of both.")
        parts = [slice(start, start + block_rows) for start in range(0, len(codes), block_rows)]
        return cls(schema, [Block(at, codes[own], None, {encoding: matrix[own]}) for at, own in enumerate(parts)])

    @property
    def n_rows(self) -> int:
        """Number of rows: public, and never dropped, where there is no identifier.

        Raises
        ------
        PrivacyError
            If an identifier names persons, as one person may then have any number of rows.
        """
        if self.schema.identifier is not None:
            raise PrivacyError("Expected a table whose number of rows is public, got persons. Ask for n_persons.")
        return self.n_persons

    @property
    def influence(self) -> int:
        """How much one person weighs at most, in units of rows' weights; ``unit_weight`` of them are one row."""
        return self.unit_weight * self.unit.most_rows

    @property
    def weighs_classes(self) -> bool:
        """Whether rows count as much as their classes weigh: then every sum over rows reads the label."""
        return self._weighed is not None and self._weighed.classes is not None

    @property
    def counts_rows(self) -> bool:
        """Whether each row counts one, as far as is public: then their number is what they weigh together."""
        return self._weighed is None or (self._weighed.classes is None and self._weighed.mean == 1.0)

    @property
    def unweighed(self) -> Table:
        """The same rows without weights of classes or their own, for what must not depend on labels or weights."""
        return self if self._weighed is None else self._weighed.table

    @property
    def without_class_weights(self) -> Table:
        """The same rows with weights of their own alone, where they have some."""
        return self._weighed.without_classes(self) if self._weighed else self

    @property
    def mean_weight(self) -> float:
        """How much a row counts on average, in (0, 1], by what is public or released of weights and classes' shares."""
        return 1.0 if self._weighed is None else self._weighed.mean

    def weighing_classes(self, weights: Sequence[float], mean: float) -> Table:
        """Return the same rows, each counting as much as its class weighs, and as its own weight; encodings are shared.

        Weights are of each of the sorted classes, in (0, 1]: no row counts more than one. ``mean`` is that of all rows,
        as far as it is public.
        """
        weighed = RowWeighting.of_classes(self, weights, mean, self._weighed)
        return weighed.table.weighing(weighed)

    def weighing_rows(self, mean: float) -> Table:
        """Return the same rows, each counting as its own weight over the cap; ``mean`` is that of all, as far as known.

        Privacy: a row's weight is one of its cells. Proof: ``proofs/queries/survey_weights.md``.
        """
        return self.weighing(RowWeighting.of_rows(self, mean, self._weighed))

    @property
    def n_classes(self) -> int:
        """Number of classes that the schema lists, with rows or without; 1 where a number is predicted."""
        return self.schema.n_classes

    def strips(self, most_rows: int) -> int:
        """Return in how many strips of at most so many rows the blocks are read, or a public bound on it.

        Raises
        ------
        TableError
            If an identifier names persons, and the bound does not hold.
        """
        strips = sum(-(-size // most_rows) for size in self._sizes)
        if self.schema.identifier is None:
            return strips
        if strips > MAX_STRIPS:
            raise TableError("Expected a shorter table of persons with several rows. Take rows=1 of the identifier.")
        return MAX_STRIPS

    def sum(self, function: Callable[[Block], Summand]) -> Summand:
        """Return the sum of a function of the blocks, added in one order whatever computes them."""
        return self._shards.sum(partial(in_order, function))

    def sum_shards(self, function: Callable[[Sequence[Block]], Summand]) -> Summand:
        """Return the sum of a function of several consecutive blocks, for what is faster of many rows together."""
        return self._shards.sum(function)

    def visit(self, function: Callable[[Block], object]) -> None:
        """Call a function of each block for its effect there, such as an encoding that is kept; nothing comes back."""
        self._shards.visit(function)

    def per_block(self, start: Callable[[Block], T]) -> PerBlock[T]:
        """Return state of the blocks, each block's first being a function of it that is called when it is needed."""
        return self._shards.per_block(start)

    def gather(self, function: Callable[[Block], NDArray[Any]]) -> NDArray[Any]:
        """Return a function's values of all rows, in row order, the first axis being the rows."""
        return self.gathering(function)()

    def gathering(self, function: Callable[[Block], NDArray[Any]]) -> Callable[[], NDArray[Any]]:
        """Return what gathers the values when it is called, once; the workers of a cluster begin now."""
        return partial(self._storage.joined, self._shards.values(function))

    def first_row(self, block: Block) -> int:
        """Return the position of a block's first row among all rows."""
        return self._starts[block.index]

    def first_strip(self, block: Block, most_rows: int) -> int:
        """Return how many strips of at most so many rows the blocks before this one are read in."""
        return sum(-(-size // most_rows) for size in self._sizes[: block.index])

    def one_against_rest(self, positive: int) -> Table:
        """Return the table whose label tells one class (1) from all others (0); encodings are shared.

        Its schema stays the same, and so does what it protects.
        """
        return self._of(self._shards.replaced(Block.against_rest, repeat(positive), self._shards.sizes))

    def scaled(self, start: float, unit: float, loss: NumberLoss) -> Table:
        """Return the table whose numbers to predict are less a released one, over another; encodings are shared."""
        return self._of(self._shards.replaced(Block.scaled, repeat((start, unit)), self._shards.sizes), loss=loss)

    def slices(self, sizes: Sequence[int], order: NDArray[np.integer[Any]] | None = None) -> tuple[Table, ...]:
        """Divide the persons into tables of so many each, for releases that are paid for in parallel.

        Rows keep their order inside a slice, and all rows of a person are in one. Persons that no size asks for are
        in none. Where no identifier names persons, each row counts as one.

        Parameters
        ----------
        sizes : sequence of int
            At least one person each.
        order : array of shape (n_persons,), optional
            A permutation of the persons' positions: the first slice gets those at its first positions, and so on.
            By default rows are taken in the table's order; persons have no order that is public.

        Raises
        ------
        ParameterError, TableError
            As of ``positions_of``; or if an order is missing where an identifier names persons, or rows have weights.

        Notes
        -----
        Privacy: sizes and order must be fixed without looking at protected cells. In a table that is sorted by one,
        positions follow from cells, and positions of persons follow from who else is there: draw a secret permutation
        from the noise source then. ``Accountant.in_parallel`` takes the tables' units.
        """
        if order is None and self.schema.identifier is not None:
            raise TableError("Expected an order, as positions of persons are private. Draw a secret permutation.")
        if self._weighed is not None:
            raise TableError("Expected rows without weights to divide, got some with. Set weights afterwards.")
        parts = positions_of(sizes, order, self.n_persons)
        units = self.unit.divided(len(parts))
        return tuple(self._taken(self._rows_of(part), unit.slice) for part, unit in zip(parts, units, strict=True))

    @cached_property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return bool(self._sizes) and int(self.sum(Block.has_weights)) > 0

    def _rows_of(self, persons: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
        """Return the positions of all rows of some persons, ascending."""
        if self.schema.identifier is None:
            return np.sort(persons)
        _, first, number = np.unique(self.gather(Block.person_numbers), return_index=True, return_inverse=True)
        # By identifier and not by who appears first: of neighbors with the same persons, an order has the same ones.
        position = np.argsort(np.argsort(self.gather(Block.person_keys)[first], kind="stable"))
        return np.flatnonzero(np.isin(position[number], persons))

    def _taken(self, positions: NDArray[np.intp], slice: Slice | None) -> Table:
        """Return the table of the rows at ascending positions; each block keeps its own, so none is read twice."""
        parts = np.split(positions, np.searchsorted(positions, self._starts[1:-1]))
        own = [part - start for part, start in zip(parts, self._starts, strict=False)]
        left = iter(map(len, own))
        sizes = tuple(tuple(islice(left, len(of_shard))) for of_shard in self._shards.sizes)
        # Blocks of which nothing is taken are left out, and the others numbered again.
        index = np.cumsum([len(part) > 0 for part in own]) - 1
        taken = self._shards.replaced(Block.take, list(zip(index.tolist(), own, strict=True)), sizes)
        return self._of(taken, slice=slice)

    def weighing(self, weighed: RowWeighting) -> Table:
        """Return the same rows with these weights."""
        return self._of(weighed.shards(self._shards), unit_weight=weighed.unit_weight, weighed=weighed)

    def _of(self, shards: Shards, **others: Any) -> Table:
        """Return a table of these blocks, and of this one's slice, weights and storage where no others are named."""
        own = {"slice": self.unit.slice, "unit_weight": self.unit_weight, "weighed": self._weighed, "loss": self.loss}
        return Table(self.schema, shards, storage=self._storage, **{**own, **others})

    def public_features(self, encoding: Encoding) -> NDArray[np.float32]:
        """Return features of public columns, shape (n_rows, n_features); raises PrivacyError if one is protected."""
        if protected := set(encoding.columns) & set(self.unit.columns):
            raise PrivacyError(f"Expected public columns, got the protected {sorted(protected)}. Query them instead.")
        return self.gather(lambda block: block.features(encoding))

    def public_labels(self) -> NDArray[Any]:
        """Return the labels as positions among the sorted classes, shape (n_rows,).

        Raises PrivacyError if the label is protected.
        """
        if self.unit.label:
            raise PrivacyError("Expected a public label, got a protected one. Query it instead.")
        return self.gather(lambda block: block.labels)

    def __repr__(self) -> str:
        counted = "rows" if self.schema.identifier is None else "persons"
        return f"<Table of {self.n_persons} {counted}, {len(self.schema.columns)} columns; rows stay inside>"

    def __reduce__(self) -> Any:
        raise PrivacyError("Expected a table to stay where its rows are, got a request to copy or pickle it.")
