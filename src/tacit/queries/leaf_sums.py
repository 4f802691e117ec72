"""Sums over the leaves of oblivious trees: of residuals, to choose a tree and step along it, and of curvatures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.convex import NumberLoss, SquaredLoss
from tacit.errors import ParameterError
from tacit.features import GRID_STEPS, BinEncoding
from tacit.features.bin_encoding import column_groups, group_codes
from tacit.features.oblivious import LevelTest, reached_leaves
from tacit.privacy import NumericStatistic, PlanEntry, PrivacyUnit, SelectionStatistic
from tacit.queries.forests import Forest, Tests, strips
from tacit.queries.person_sums import row_sums
from tacit.queries.ranked_gradients import RankedScores
from tacit.queries.tree_parts import scores_of_parts
from tacit.sensitivities.leaf_sums import CLIP_OF_MANY, CurvatureSumsBasis, ForestScoresBasis, Moves, ResidualSumsBasis
from tacit.table import Block, Table
from tacit.table.by_class import class_shares, class_sums

STEPS = GRID_STEPS
"""In one unit of margin, residual or curvature: values are whole numbers, so that sums are exact."""


Bounds = tuple[float, float]
"""Between which two classes' residuals are cut: at most one apart."""

EVEN: Bounds = (-0.5, 0.5)

MAX_RESIDUAL = 0.7071
"""Largest bound of a residual: two of them in two leaves, less than 1 / sqrt 2 each, have a length of one at most."""


def uneven(second: float) -> Bounds:
    """Return bounds of residuals where the second class has this share of the rows, as far as was released.

    Of the rarer class from one half, where classes are even, to ``MAX_RESIDUAL``, where it has no rows; of the other
    less by as much, so that two rows in one leaf are no further apart. What is cut of a rare class's residuals, which
    are nearly one, is most of what is to be learned.

    Examples
    --------
    >>> [tuple(round(bound, 3) for bound in uneven(share)) for share in (0.5, 0.1, 1.0)]
    [(-0.5, 0.5), (-0.367, 0.633), (-0.707, 0.293)]
    """
    most = 0.5 + (MAX_RESIDUAL - 0.5) * (1 - 2 * second) ** 2
    return (most - 1, most) if second <= 0.5 else (-most, 1 - most)


class _Loss(NamedTuple):
    """Of which residuals and curvatures are: the logistic loss, or that of a number."""

    n_classes: int
    bounds: Bounds
    of_number: NumberLoss | None


@dataclass(frozen=True, eq=False)
class _RowState:
    """Of a block's rows, in steps: margins, (n_scores, n_rows), residuals and curvatures.

    The latter are whole numbers of at most 2^20, which float32 holds exactly.
    """

    margins: NDArray[np.int64]
    residuals: NDArray[np.float32]
    curvatures: NDArray[np.float32]

    def kept(self, keep: Callable[[NDArray[Any]], NDArray[Any]]) -> _RowState:
        """Keep all where the table keeps its rows."""
        return _RowState(keep(self.margins), keep(self.residuals), keep(self.curvatures))

    def follow(self, loss: _Loss, rows: slice, labels: NDArray[Any]) -> None:
        """Compute the residuals and curvatures of some rows, of these labels, from their margins."""
        residuals, curvatures = _derivatives(loss, self.margins[:, rows], labels)
        self.residuals[:, rows], self.curvatures[:, rows] = residuals, curvatures


class LeafSums:
    """Sums over leaves of what boosting needs, at margins that grow tree by tree.

    Two classes have one margin a row, towards the second; more have one for each class. A row's residual is 1 at its
    label (0 elsewhere) minus the probability, clipped; its curvature is p (1 - p). A number to predict has one margin;
    its residual is that of the table's loss, at most one half, and counts of rows, a quarter each, stand in for
    curvatures.

    Parameters
    ----------
    table : Table
    encoding : BinEncoding
        Of the columns that trees test.
    start : int array of shape (n_scores,)
        Margins of all rows before the first tree, in steps; released or public.
    first : RankedScores, optional
        Margins of each row before the first tree in place of those, of as many scores.
    bounds : pair of float
        Between which two classes' residuals are cut; released or public.

    Notes
    -----
    Privacy: nothing is released here. Margins are functions of the row and of what was released; ``Moves`` says how far
    each statistic moves. Proof: ``proofs/queries/leaf_sums.md``.
    """

    def __init__(
        self,
        table: Table,
        encoding: BinEncoding,
        start: NDArray[np.int64],
        first: RankedScores | None = None,
        bounds: Bounds = EVEN,
    ):
        low, high = bounds
        if not -MAX_RESIDUAL <= low <= 0 <= high <= MAX_RESIDUAL or high - low > 1:
            raise ParameterError(f"Expected bounds of residuals within {MAX_RESIDUAL} and one apart, got {bounds}.")
        number = table.loss if table.n_classes == 1 else None
        self._table, self.encoding, self._loss = table, encoding, _Loss(table.n_classes, bounds, number)
        self._reads_private = first is not None and bool(set(first.encoding.columns) & set(table.unit.columns))
        self._summed: dict[Tests, NDArray[np.int64]] = {}
        self._nearer = 1.0
        # Kept, as finding them in a block means hashing the schema.
        self._codes = table.per_block(lambda block: block.codes(encoding))
        self._groups = groups = column_groups(encoding.n_codes)
        self._joint = table.per_block(lambda block: group_codes(block.codes(encoding), encoding.n_codes, groups))
        self._rows = table.per_block(partial(_first, self._loss, start, first))

    def __getstate__(self) -> dict[str, object]:
        # What was summed stays here where rows are elsewhere.
        return {**vars(self), "_summed": {}}

    def scores(self, trees: Sequence[Tests]) -> SelectionStatistic:
        """Return for each tree the sum over its leaves of the length of the leaf's summed residuals, in steps.

        Parameters
        ----------
        trees : sequence of Tests
            Candidates of one depth, drawn without looking at rows.
        """
        sums = self._sums(trees, lambda rows: rows.residuals)
        self._summed = dict(zip(trees, sums, strict=True))  # one of them is asked for next
        if self._loss.n_classes <= 2:
            return self._selection(trees, np.abs(sums).sum(axis=(1, 2)))
        lengths = np.sqrt((sums.astype(np.float64) ** 2).sum(axis=1)).sum(axis=1)
        return self._selection(trees, np.rint(lengths).astype(np.int64), self._rounding(sums.shape))

    def scores_of_parts(self, trees: Sequence[Tests], depth: int) -> SelectionStatistic:
        """Return the same of all trees that have ``depth`` of a tree's tests, tree by tree, of one margin a row.

        Residuals are those of the loss that ``clip_by`` was given for choices.
        """
        nearer, most = self._nearer, STEPS / 2

        def near(rows: _RowState) -> NDArray[np.float32]:
            return np.asarray(np.trunc(np.clip(nearer * rows.residuals, -most, most)))

        return self._selection(trees, scores_of_parts(self._sums(trees, near)[:, 0], depth).ravel())

    def gradients(self, tests: Tests) -> NumericStatistic:
        """Return the sums of residuals by score and leaf, in steps, shape (n_scores, 2^depth)."""
        sums = self._summed[tests] if tests in self._summed else self._sums([tests], lambda rows: rows.residuals)[0]
        return row_sums(ResidualSumsBasis(**vars(self._moves(tests))), self._table, sums)

    def curvatures(self, tests: Tests) -> NumericStatistic:
        """Return the sums of p (1 - p) by score and leaf, in steps, shape (n_scores, 2^depth)."""
        sums = self._sums([tests], lambda rows: rows.curvatures)[0]
        return row_sums(CurvatureSumsBasis(**vars(self._moves(tests))), self._table, sums)

    @property
    def table(self) -> Table:
        """The rows."""
        return self._table

    @property
    def reads_private(self) -> bool:
        """Whether margins depend on a protected column."""
        return self._reads_private

    def scored(self, block: Block) -> NDArray[np.float64]:
        """Return the one margin of each row of a block, as private as the rows, shape (n_rows,)."""
        return np.asarray(self._rows[block].margins[0] / STEPS)

    def clip_by(self, loss: SquaredLoss, choosing: SquaredLoss) -> None:
        """Take residuals of another loss from now on, and for choices of one that is clipped nearer; both released."""
        self._nearer = max(loss.clip / choosing.clip, 1.0)
        self._loss = changed = self._loss._replace(of_number=loss)

        def step(block: Block, rows: _RowState) -> _RowState:
            for strip in strips(block.n_rows):
                rows.follow(changed, strip, block.outcomes[strip])
            return rows

        self._rows.advance(step)
        self._summed = {}

    @property
    def curved(self) -> float:
        """By what released curvatures are multiplied: of classes by one, of a number they are counts of rows."""
        return 4 * self._loss.of_number.slope if self._loss.of_number else 1.0

    def advance(self, tests: Tests, values: NDArray[np.int64]) -> None:
        """Add released values, in steps, to the margins of the rows in each leaf, shape (n_scores, 2^depth)."""
        loss = self._loss

        def step(block: Block, rows: _RowState) -> _RowState:
            leaves = reached_leaves(tests, self._codes[block], self.encoding)
            for strip in strips(block.n_rows):
                for margins, of_leaf in zip(rows.margins, values, strict=True):
                    # The default mode would check all leaves first.
                    margins[strip] += of_leaf.take(leaves[strip], mode="clip")
                rows.follow(loss, strip, block.outcomes[strip])
            return rows

        self._rows.advance(step)
        self._summed = {}
        self._reads_private |= self._is_private(tests)

    def _sums(self, trees: Sequence[Tests], of_rows: Callable[[_RowState], NDArray[np.float32]]) -> NDArray[np.int64]:
        """Return sums by tree, score and leaf, of trees of one depth; one pass for all, so that blocks stay cached."""
        forest = Forest(trees, self.encoding, self._groups)

        def of_block(block: Block) -> NDArray[np.float64]:
            values = of_rows(self._rows[block])
            joint = self._joint[block] if forest.reads_groups else None
            return forest.sums(
                self._codes[block],
                joint,
                lambda strip: block.weighted(values[:, strip].astype(np.float64), strip),
            )

        return self._table.sum(of_block).astype(np.int64)

    def _selection(
        self, trees: Sequence[Tests], scores: NDArray[np.int64], rounding: float = 0.0
    ) -> SelectionStatistic:
        """Return scores of trees, or of parts of them."""
        moves = self._moves([test for tests in trees for test in tests])
        unit = self._table.unit if moves.range else PrivacyUnit((), label=False)
        basis = ForestScoresBasis(**vars(moves), weight=self._table.unit_weight, rounding=rounding)
        range_ = basis.sensitivity(self._table.unit, self._table.n_persons)["range"]
        return SelectionStatistic(basis.query, unit, scores, range=range_, basis=basis)

    def _moves(self, tests: Sequence[LevelTest]) -> Moves:
        table = self._table
        leaf, weighs_classes, most = self._is_private(tests), table.weighs_classes, max(map(abs, self._loss.bounds))
        return Moves(table.n_classes, table.unit.label, leaf, self._reads_private, weighs_classes, most)

    def _is_private(self, tests: Sequence[LevelTest]) -> bool:
        return any(test.column in self._table.unit.columns for test in tests)

    def _rounding(self, shape: tuple[int, ...]) -> float:
        """Bound the rounding of one score of more than two classes: a norm of each leaf, added up."""
        _, n_scores, n_leaves = shape
        return self._table.n_persons * self._table.influence * STEPS * (n_scores + n_leaves + 8) * 2.0**-53


def residual_sum(table: Table) -> NumericStatistic:
    """Return the sum of all rows' residuals at a score of zero, in steps: of a table whose loss is of a number."""

    def of_block(block: Block) -> NDArray[np.float64]:
        residuals = np.trunc(STEPS * table.loss.residuals(block.outcomes, np.zeros(block.n_rows)))
        return np.asarray(block.weighted(residuals[None], slice(None)).sum(axis=1))

    moves = Moves(1, table.unit.label, leaf=False, margin=False)
    return row_sums(ResidualSumsBasis(**vars(moves)), table, table.sum(of_block).astype(np.int64))


def plan_leaf_sums(
    unit: PrivacyUnit,
    n_classes: int,
    *,
    selection: float,
    curvature: float,
    gradient: float,
    weighs_classes: bool = False,
    most: float = 0.5,
) -> dict[str, list[PlanEntry]]:
    """Return the releases of one tree at these weights, by name, at the most that they can move.

    Parameters
    ----------
    unit : PrivacyUnit
    n_classes : int
    selection, curvature, gradient : float
        Weights; a release of weight 0, or of what no neighbor moves, is not announced.
    most : float
        The largest that a residual of two classes may be.
    """
    private = bool(unit.columns)
    moves = Moves(n_classes, unit.label, leaf=private, margin=private, weighs_classes=weighs_classes, most=most)
    plan = {"selection": [PlanEntry("selection", weight=selection)] if selection and moves.range else []}
    for name, weight, (l1, l2) in (("curvature", curvature, moves.curvatures), ("gradient", gradient, moves.gradients)):
        plan[name] = [PlanEntry("noise", weight=weight, l1=l1, l2=l2)] if l1 else []
    return plan


def _first(loss: _Loss, start: NDArray[np.int64], first: RankedScores | None, block: Block) -> _RowState:
    margins = np.repeat(start[:, None], block.n_rows, axis=1) if first is None else first.steps(block)
    state = _RowState(margins, *(np.empty(margins.shape, dtype=np.float32) for _ in range(2)))
    for strip in strips(block.n_rows):
        state.follow(loss, strip, block.outcomes[strip])
    return state


def _derivatives(
    loss: _Loss, margins: NDArray[np.int64], labels: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return clipped residuals in steps, rounded towards zero, and p (1 - p) in steps, rounded down.

    So residuals are neither longer nor of another sign.
    """
    bounds = loss.bounds
    if loss.of_number:
        residuals = STEPS * loss.of_number.residuals(labels, margins / STEPS)
        return np.trunc(residuals, out=residuals), np.full(margins.shape, STEPS / 4.0)
    if loss.n_classes == 2:
        residuals = _half_tanh(margins)
        curvatures = np.floor(STEPS * (0.25 - residuals**2))
        np.subtract(labels - 0.5, residuals, out=residuals)
        residuals *= STEPS
        np.clip(residuals, STEPS * bounds[0], STEPS * bounds[1], out=residuals)
        return np.trunc(residuals, out=residuals), curvatures
    likely = class_shares(margins / STEPS, axis=0)
    curvatures = np.floor(STEPS * likely * (1 - likely))
    residuals = -likely
    residuals[labels, np.arange(len(labels))] += 1
    lengths = np.sqrt(class_sums(residuals**2, axis=0))
    residuals *= STEPS * np.minimum(1.0, CLIP_OF_MANY / np.maximum(lengths, 1e-9))
    return np.trunc(residuals, out=residuals), curvatures


def _half_tanh(margins: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return sigma(m) - 1/2 = tanh(m / 2) / 2, of margins in steps: within [-1/2, 1/2], rounding included."""
    halves = margins.astype(np.float64)
    halves *= 0.5 / STEPS
    np.tanh(halves, out=halves)
    halves *= 0.5
    return halves
