"""A sum of oblivious trees, as boosting releases it, and what a form of ranks says first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar
from typing import Literal as OneOf

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from tacit.errors import ModelFileError
from tacit.features import GRID_STEPS, BinEncoding
from tacit.features.bin_encoding import Codes
from tacit.features.encoding import Cuts, check_cuts
from tacit.features.literals import Literal
from tacit.features.oblivious import DEEPEST, EveryLeaf, LevelTest, fit_encoding, patterns, reached_leaves
from tacit.features.ranked_encoding import score_steps
from tacit.kept import kept
from tacit.models.noise import Noise
from tacit.models.ranked import RankedModel
from tacit.schema import Schema
from tacit.table import Rows
from tacit.table.by_class import class_shares

STEPS = GRID_STEPS
"""In one unit of score: values are whole numbers, which add up exactly in any order."""

MAX_TREES_OF_MODEL = 1000

MAX_VALUE = 2**40
"""Steps of one leaf or start: sums over ``MAX_TREES_OF_MODEL`` are exact in float64 and far above what learners
release."""

_AT_ONCE = 2**18
"""Leaves that are looked up together: with their numbers and values they fit the second cache."""

_STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True)
class ObliviousTree:
    """Adds a value to the scores of the rows in each leaf."""

    tests: tuple[LevelTest, ...]
    values: tuple[tuple[int, ...], ...]
    """For each score the value of each leaf, in steps; a leaf's number has a bit a test, the first the highest."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are tested, each once."""
        return tuple(dict.fromkeys(test.column for test in self.tests))

    def patterns(self, encoding: BinEncoding) -> dict[str, NDArray[np.intp]]:
        """Return for each tested column what each of its codes adds to a leaf's number, shape (n_codes,)."""
        return {name: pattern.astype(np.intp) for name, pattern in patterns(self.tests, encoding).items()}

    def reached(self, encoding: BinEncoding) -> NDArray[np.intp]:
        """Return the numbers of the leaves that some row could reach, ascending."""
        return np.sort(_combined(np.unique(pattern) for pattern in self.patterns(encoding).values()))


def _combined(patterns: Iterable[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Return the leaves of all combinations of some columns' patterns, the last varying fastest."""
    places = np.zeros(1, dtype=np.intp)
    for pattern in patterns:
        places = np.add.outer(places, pattern).ravel()
    return places


@dataclass(frozen=True)
class BoostedTreesModel:
    """The sum of trees' leaf values: log-odds of the second of two classes, or log-weights of each of more.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("age", 0, 100, cuts=[18])], label=Label("works", ["no", "yes"]))
    >>> tree = ObliviousTree((Literal("age", 0, 0),), ((2**19, -(2**20)),))
    >>> BoostedTreesModel((0,), (tree,)).words(schema)
    ('age moves the score by 1.50, in 1 tree', 'age at most 18: -1.00 for yes', 'age above 18: +0.50 for yes')
    """

    start: tuple[int, ...]
    """Scores of the class shares alone, in steps: one, or one for each class. Those of all rows before the first tree,
    unless ``first`` says them."""
    trees: tuple[ObliviousTree, ...]
    n_bins: int = 32
    """Equal parts of numeric columns without cut points."""
    cuts: Cuts = ()
    """Cut points of numeric columns that are not the schema's: released privately, or of public columns."""
    noise: Noise = ()
    """How sure what is said of each column is; empty where that is not known."""
    first: RankedModel | None = None
    """Scores of each row before the first tree, rounded to steps; without noise of its own, which ``noise`` holds."""
    kind: OneOf["boosted-trees"] = "boosted-trees"

    multiclass: ClassVar[bool] = True
    reach: ClassVar[float] = 0.0
    """One model serves all classes, so nothing is compared in units of it."""
    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT

    @property
    def class_shares(self) -> tuple[float, ...]:
        """Of the training rows, as class weights weigh them, in each sorted class: ``start`` has their log-odds.

        Of more than two classes it has their logarithms.
        """
        start = np.asarray(self.start) / STEPS
        shares = np.asarray([expit(-start[0]), expit(start[0])]) if len(start) == 1 else np.asarray(softmax(start))
        return tuple(shares.tolist())

    @property
    def is_additive(self) -> bool:
        """Whether each tree tests one column alone, so that the score is a sum of curves, one for each column."""
        return self.first is None and all(len(tree.columns) == 1 for tree in self.trees)

    def scores(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return log-odds of the second of two classes, (n_rows,); or log-weights of each, (n_rows, n_classes)."""
        totals, leaves = self._starts(rows, schema), self._leaves(schema)
        codes, values, firsts = leaves.encoding.transform(rows), *self._values()
        step = max(1, _AT_ONCE // max(1, len(self.trees)))
        for start in range(0, rows.n_rows, step):
            strip = slice(start, start + step)
            reached = leaves.of(codes[strip]) + firsts
            for total, own in zip(totals, values, strict=True):
                total[strip] += own.take(reached, mode="clip").sum(axis=0)
        return _as_scores(totals)

    def staged_scores(self, rows: Rows, schema: Schema) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each tree."""
        encoding = self.encoding(schema)
        totals = self._starts(rows, schema)
        codes = encoding.transform(rows)
        for tree in self.trees:
            _add(tree, totals, codes, encoding)
            yield _as_scores(totals)

    def probabilities(self, rows: Rows, schema: Schema) -> NDArray[np.float64]:
        """Return class probabilities, (n_rows, n_classes): logistic or softmax of the scores."""
        scores = self.scores(rows, schema)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return class_shares(scores, axis=1)

    @kept
    def encoding(self, schema: Schema) -> BinEncoding:
        """Return the encoding whose codes the trees test."""
        return BinEncoding(schema, schema.names, self.n_bins, released=self.cuts)

    @kept
    def _leaves(self, schema: Schema) -> EveryLeaf:
        return EveryLeaf([tree.tests for tree in self.trees], self.encoding(schema))

    @kept
    def _values(self) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """Return the values of all trees' leaves, (n_scores, n_leaves), and each tree's first leaf, (n_trees, 1)."""
        sizes = [2 ** len(tree.tests) for tree in self.trees]
        firsts = np.cumsum([0, *sizes], dtype=np.intp)[:-1]
        values = [[value for tree in self.trees for value in tree.values[score]] for score in range(len(self.start))]
        return np.asarray(values, dtype=np.int64), firsts[:, None]

    def check(self, schema: Schema) -> None:
        """Raise ModelFileError unless the trees test the schema's columns and score its classes."""
        check_cuts(schema, self.cuts)
        encoding = self.encoding(schema)
        if len(self.start) != schema.n_scores or len(self.trees) > MAX_TREES_OF_MODEL:
            raise ModelFileError("Expected a score for each class, and fewer trees. The file is damaged.")
        if not all(self._fits(tree, encoding) for tree in self.trees):
            raise ModelFileError("Expected trees that fit the schema. The file is damaged.")
        if self.first:
            self.first.check(schema)
            if self.first.noise:
                raise ModelFileError("Expected ranks without noise of their own. The file is damaged.")
        largest = max(max(max(values), -min(values)) for values in (self.start, *_all_values(self.trees)))
        if largest > MAX_VALUE:
            raise ModelFileError("Expected leaf values within bounds. The file is damaged.")

    def importances(self, schema: Schema) -> dict[str, float]:
        """Return how far each column moves the scores, by column, the largest first.

        Of each tree, the range of its leaves' values as the column's cell changes, a mean over the leaves that the
        other columns reach; of more than two classes, that of the class that moves most. Added up over trees, and what
        ranks say first.
        """
        encoding = self.encoding(schema)
        total = dict.fromkeys(schema.names, 0.0) | (self.first.ranges(schema) if self.first else {})
        for tree in self.trees:
            unique = {name: np.unique(pattern) for name, pattern in tree.patterns(encoding).items()}
            for name, own in unique.items():
                rest = _combined(each for other, each in unique.items() if other != name)
                values = np.asarray(tree.values)[:, np.add.outer(own, rest)]
                total[name] += float(np.ptp(values, axis=1).mean(axis=1).max()) / STEPS
        return dict(sorted(total.items(), key=lambda item: -item[1]))

    def curves(self, schema: Schema) -> dict[str, NDArray[np.float64]]:
        """Return what each code of a column adds to the scores, (n_scores, n_codes) by column, of an additive model."""
        encoding = self.encoding(schema)
        found = {name: np.zeros((len(self.start), encoding.bins_of[name])) for name in schema.names}
        for tree in self.trees:
            name = tree.columns[0]
            found[name] += np.asarray(tree.values)[:, tree.patterns(encoding)[name]] / STEPS
        return found

    def words(self, schema: Schema) -> tuple[str, ...]:
        """Return how far each column moves the score and in how many trees, then the curves of an additive model."""
        tested = [name for tree in self.trees for name in tree.columns]
        listed = [(name, size) for name, size in self.importances(schema).items() if size > 0]
        lines = [f"{name} moves the score by {size:.2f}, in {self._where(tested.count(name))}" for name, size in listed]
        if self.first:
            lines += [f"ranks: {line}" for line in self.first.words(schema)]
        if self.is_additive:
            curves = self.curves(schema)
            lines += [line for name, _ in listed for line in self._curve_words(name, curves[name], schema)]
        return tuple(lines)

    def _where(self, n_trees: int) -> str:
        counted = "1 tree" if n_trees == 1 else f"{n_trees} trees"
        return " and ".join(["ranks"] * bool(self.first) + [counted] * bool(n_trees or not self.first))

    def _curve_words(self, name: str, curve: NDArray[np.float64], schema: Schema) -> Iterator[str]:
        encoding, towards = self.encoding(schema), schema.score_names
        if len(curve) > 1:  # a constant for all classes says nothing
            curve = curve - curve.mean(axis=0)
        codes = encoding.bins_of[name] - (not encoding.cuts[encoding.positions[name]])
        for code in range(codes):
            best = int(np.argmax(curve[:, code]))
            yield f"{Literal(name, code, code).words(encoding)}: {curve[best, code]:+.2f} for {towards[best]}"

    def _fits(self, tree: ObliviousTree, encoding: BinEncoding) -> bool:
        sizes = {len(values) for values in tree.values}
        shaped = 1 <= len(tree.tests) <= DEEPEST and sizes == {2 ** len(tree.tests)}
        return shaped and len(tree.values) == len(self.start) and fit_encoding(tree.tests, encoding)

    def _starts(self, rows: Rows, schema: Schema) -> NDArray[np.int64]:
        """Return scores before the first tree, in steps, shape (n_scores, n_rows)."""
        if self.first:
            return score_steps(np.atleast_2d(self.first.scores(rows, schema).T).T)
        return np.repeat(np.asarray(self.start, dtype=np.int64)[:, None], rows.n_rows, axis=1)


def _add(tree: ObliviousTree, totals: NDArray[np.int64], codes: Codes, encoding: BinEncoding) -> None:
    leaves = reached_leaves(tree.tests, codes, encoding)
    for total, values in zip(totals, tree.values, strict=True):
        total += np.asarray(values, dtype=np.int64)[leaves]


def _as_scores(totals: NDArray[np.int64]) -> NDArray[np.float64]:
    scores = totals / STEPS
    return np.asarray(scores[0] if len(scores) == 1 else scores.T)


def _all_values(trees: tuple[ObliviousTree, ...]) -> Iterator[tuple[int, ...]]:
    for tree in trees:
        yield from tree.values
