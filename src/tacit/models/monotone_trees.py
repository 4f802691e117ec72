"""Trees made monotone in some numbers: released leaves are projected, which costs no privacy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding
from tacit.features.literals import Literal
from tacit.models.boosted_trees import ObliviousTree

Floats = NDArray[np.float64]
Signs = Mapping[str, int]
"""By numeric column 1 where scores are to rise with it, and -1 where they are to fall."""


def ordered(tree: ObliviousTree, encoding: BinEncoding, signs: Signs, weights: Floats) -> ObliviousTree:
    """Return a tree of one score whose leaves are ordered along some numbers, given the tests of the other columns.

    One number after another: isotonic regression along it, for each set of answers to the other columns' tests. As its
    weights are the same for all of these and it keeps the order of what it is given, leaves stay ordered along the
    numbers before.

    Parameters
    ----------
    tree : ObliviousTree
    encoding : BinEncoding
    signs : mapping of str to int
    weights : array of shape (n_leaves,)
        How much is known of each leaf; above zero.

    Notes
    -----
    Privacy: a function of released values and public tests.

    Examples
    --------
    >>> from tacit.features.literals import Literal
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90, cuts=[30, 60])], label=Label("ill", ["no", "yes"]))
    >>> tree = ObliviousTree((Literal("age", 0, 0),), ((1, 3),))  # 3 up to 30, 1 above
    >>> ordered(tree, BinEncoding(schema, ("age",)), {"age": 1}, np.asarray([1.0, 3.0])).values
    ((2, 2),)
    """
    names, leaves = _grid(tree, encoding)
    axes = [(at, signs[name]) for at, name in enumerate(names) if name in signs]
    if not axes:
        return tree
    values, known = np.asarray(tree.values[0], dtype=np.float64), weights[leaves]
    found = values[leaves]
    for at, sign in axes:
        along = known.sum(axis=tuple(other for other in range(known.ndim) if other != at))
        found = np.apply_along_axis(in_order, at, found, sign, along)
    whole = np.rint(found)
    for at, sign in axes:
        # Means that are equal may be rounded to neighbors.
        whole = sign * np.maximum.accumulate(sign * whole, axis=at)
    values[leaves] = whole
    return replace(tree, values=(tuple(values.astype(np.int64).tolist()),))


def masses_of(
    trees: Iterable[ObliviousTree], leaves: Iterable[Floats], encoding: BinEncoding, signs: Signs
) -> dict[str, Floats]:
    """Return by number how much is known of each of its bins: a weight of at least one for each tree that asks of it.

    Parameters
    ----------
    trees : iterable of ObliviousTree
    leaves : iterable of arrays of shape (n_leaves,)
        Of each tree what is known of its leaves, such as released curvatures: an even part goes to each bin.
    encoding : BinEncoding
    signs : mapping of str to int

    Examples
    --------
    >>> from tacit.features.literals import Literal
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90, cuts=[30, 60])], label=Label("ill", ["no", "yes"]))
    >>> tree = ObliviousTree((Literal("age", 0, 0),), ((1, 3),))  # the second leaf has the one bin up to 30
    >>> masses_of([tree], [np.asarray([8.0, 6.0])], BinEncoding(schema, ("age",)), {"age": 1})
    {'age': array([7., 5., 5.])}
    """
    found = dict[str, Floats]()
    for tree, known in zip(trees, leaves, strict=True):
        (names, places), patterns = _grid(tree, encoding), tree.patterns(encoding)
        for at, name in ((at, name) for at, name in enumerate(names) if name in signs):
            along = known[places].sum(axis=tuple(axis for axis in range(places.ndim) if axis != at))
            # Along its axis leaves of a number go down.
            leaf = np.unique(patterns[name], return_inverse=True)[1]
            own = leaf.max() - leaf
            found[name] = found.get(name, 0.0) + 1 + along[own] / np.bincount(own)[own]
    return found


def supported(
    trees: Sequence[ObliviousTree],
    encoding: BinEncoding,
    signs: Signs,
    first: Mapping[str, Floats],
    masses: Mapping[str, Floats] | None = None,
) -> list[ObliviousTree]:
    """Return the trees with their interactions shrunk as far as curves do not support them.

    A step along a number is its mean over the answers to the other columns' tests, and what these change of it. Means
    of all trees, and what comes first, add up to a curve, which is made monotone. Where that rises less than the other
    parts of all trees may take away together, these are multiplied by a factor below one.

    Parameters
    ----------
    trees : sequence of ObliviousTree
    encoding : BinEncoding
    signs : mapping of str to int
    first : mapping of str to array of shape (n_bins,)
        By number a curve of its bins that is added to the trees; level where it is left out.
    masses : mapping of str to array of shape (n_bins,), optional
        By number how much is known of each bin; else of all alike.

    Examples
    --------
    >>> from tacit.features.literals import Literal
    >>> from tacit.schema import Label, Numeric, Schema
    >>> schema = Schema([Numeric(name, 0, 9, cuts=[5]) for name in "ab"], label=Label("ill", ["no", "yes"]))
    >>> tests = Literal("a", 0, 0), Literal("b", 0, 0)
    >>> tree = ObliviousTree(tests, ((6, 2, 0, 4),))  # along a from 0 to 6 and from 4 to 2: by 2 on average, 4 apart
    >>> supported([tree], BinEncoding(schema, ("a", "b")), {"a": 1}, {})[0].values
    ((5, 3, 1, 3),)
    """
    rises = {name: np.zeros(encoding.bins_of[name] - 1) for name in signs}
    rises |= {name: signs[name] * np.diff(curve) for name, curve in first.items() if name in signs}
    taken = {name: np.zeros(encoding.bins_of[name] - 1) for name in signs}
    for tree in trees:
        parts = _Parts(tree, encoding)
        for name in signs.keys() & set(parts.names):
            mean, others = parts.steps(name)
            rises[name][parts.cuts(name)] += signs[name] * mean.ravel()
            taken[name][parts.cuts(name)] += (signs[name] * others).min(axis=parts.others(name))
    kept = {}
    for name, own in rises.items():
        room = np.diff(in_order(np.append(0.0, np.cumsum(own)), 1, (masses or {}).get(name)))
        kept[name] = np.where(-taken[name] > room, room / np.maximum(-taken[name], 1.0), 1.0)
    return [_shrunk(tree, encoding, kept) for tree in trees]


class _Parts:
    """The steps of a tree along its numbers, cells of columns being equally frequent."""

    def __init__(self, tree: ObliviousTree, encoding: BinEncoding):
        self.tree, (self.names, self.leaves) = tree, _grid(tree, encoding)
        self.values = np.asarray(tree.values[0], dtype=np.float64)[self.leaves]
        found = tree.patterns(encoding)
        # The last code of a category is of what is not listed.
        listed = [each if encoding.cuts[encoding.positions[name]] else each[:-1] for name, each in found.items()]
        unique = [np.unique(each)[::-1] for each in found.values()]
        self.shares = [(each[:, None] == own).mean(axis=0) for each, own in zip(listed, unique, strict=True)]

    def cuts(self, name: str) -> list[int]:
        """Return the bins after which leaves change along a number, ascending."""
        return sorted({test.last for test in self.tree.tests if isinstance(test, Literal) and test.column == name})

    def others(self, name: str) -> tuple[int, ...]:
        """Return the axes of the other columns."""
        return tuple(at for at, other in enumerate(self.names) if other != name)

    def steps(self, name: str) -> tuple[Floats, Floats]:
        """Return the means of steps along a number, over the other columns, and what these change of them."""
        steps = np.diff(self.values, axis=self.names.index(name))
        mean = steps
        for at in self.others(name):
            mean = (mean * _as_axis(self.shares[at], steps.ndim, at)).sum(axis=at, keepdims=True)
        return mean, steps - mean

    def shrink(self, name: str, factors: Floats) -> None:
        """Multiply what other columns change of a number's steps by factors; means along the number stay."""
        at, n_axes = self.names.index(name), self.values.ndim
        mean, others = self.steps(name)
        steps = mean + others * _as_axis(factors, n_axes, at)
        nothing = np.zeros_like(self.values.take([0], axis=at))
        found = np.concatenate([nothing, np.cumsum(steps, axis=at)], axis=at)
        share = _as_axis(self.shares[at], n_axes, at)
        self.values = found + ((self.values - found) * share).sum(axis=at, keepdims=True)


def _shrunk(tree: ObliviousTree, encoding: BinEncoding, kept: Mapping[str, Floats]) -> ObliviousTree:
    parts = _Parts(tree, encoding)
    for name in parts.names if len(parts.names) > 1 else ():
        if name in kept and (factors := kept[name][parts.cuts(name)]).min() < 1:
            parts.shrink(name, factors)
    values = np.asarray(tree.values[0])
    values[parts.leaves] = np.rint(parts.values)
    return replace(tree, values=(tuple(values.tolist()),))


def separated(
    trees: Iterable[ObliviousTree], encoding: BinEncoding, signs: Signs
) -> tuple[list[ObliviousTree], dict[str, NDArray[np.int64]]]:
    """Return ordered trees, and by number a curve of its bins, whose sum is that of the trees.

    A curve has all trees of its number alone, and each step of others as far as it is the same for all rows at least.
    """
    left, curves = list[ObliviousTree](), dict[str, NDArray[np.int64]]()
    for tree in trees:
        names, leaves = _grid(tree, encoding)
        values, found = np.asarray(tree.values[0]), tree.patterns(encoding)
        for at, name in ((at, name) for at, name in enumerate(names) if name in signs):
            along = np.diff(values[leaves], axis=at)
            others = tuple(axis for axis in range(leaves.ndim) if axis != at)
            # A tree of one number goes over whole.
            steps = signs[name] * (signs[name] * along).min(axis=others) if others else along
            own = np.append(0, np.cumsum(steps))
            values = values.copy()
            values[leaves] -= _as_axis(own, leaves.ndim, at)
            places = np.unique(found[name])[::-1].tolist()
            by_code = own[[places.index(leaf) for leaf in found[name].tolist()]]
            curves[name] = curves.get(name, np.zeros(len(by_code), dtype=np.int64)) + by_code
        left.append(replace(tree, values=(tuple(values.tolist()),)))
    return left, curves


def in_steps(name: str, curve: NDArray[np.int64], depth: int, encoding: BinEncoding) -> Iterator[ObliviousTree]:
    """Yield trees of one number, with so many tests at most, whose sum is a curve of its bins but for a constant."""
    cuts = np.flatnonzero(np.diff(curve)).tolist()
    for start in range(0, len(cuts), depth):
        tests = tuple(Literal(name, 0, cut) for cut in cuts[start : start + depth])
        steps = np.zeros(len(curve), dtype=np.int64)
        for test in tests:
            steps[test.last + 1] = curve[test.last + 1] - curve[test.last]
        values = np.zeros(1 << len(tests), dtype=np.int64)
        values[ObliviousTree(tests, ()).patterns(encoding)[name]] = np.cumsum(steps)
        yield ObliviousTree(tests, (tuple(values.tolist()),))


def _as_axis(values: NDArray[Any], n_axes: int, at: int) -> NDArray[Any]:
    return values.reshape([-1 if axis == at else 1 for axis in range(n_axes)])


def in_order(values: Floats, sign: int, weights: Floats | None = None) -> Floats:
    """Return the nearest values that never fall (1), or never rise (-1): isotonic regression (Ayer and others 1955)."""
    from scipy.optimize import isotonic_regression  # not for those who read a model alone

    return np.asarray(sign * isotonic_regression(sign * values, weights=weights).x)


def is_ordered(tree: ObliviousTree, encoding: BinEncoding, signs: Signs) -> bool:
    """Return whether a tree's leaves are ordered along each of the numbers, given the tests of the other columns."""
    names, leaves = _grid(tree, encoding)
    values = np.asarray(tree.values[0])[leaves]
    return all((signs[name] * np.diff(values, axis=at) >= 0).all() for at, name in enumerate(names) if name in signs)


def _grid(tree: ObliviousTree, encoding: BinEncoding) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return the tested columns, and the leaves that rows reach with an axis for each; numbers rise along theirs."""
    found = tree.patterns(encoding)
    leaves = np.zeros((), dtype=np.intp)
    for pattern in found.values():
        # Of a number the tests of its lower bins hold, and are the larger leaves.
        leaves = np.add.outer(leaves, np.unique(pattern)[::-1])
    return tuple(found), leaves
