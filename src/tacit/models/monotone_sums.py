"""Sums of trees and ranks made monotone in some numbers: by the curves that all of them have together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacit.features import BinEncoding
from tacit.features.number_scale import rank_of
from tacit.features.ranked_encoding import CURVE_RANKS
from tacit.models.boosted_trees import MAX_TREES_OF_MODEL, STEPS, ObliviousTree
from tacit.models.document import MAX_VALUES
from tacit.models.monotone_trees import Signs, in_order, in_steps, ordered, separated, supported
from tacit.models.ranked import RankedModel
from tacit.models.ranked_curves import AdditiveRanks, curves_of
from tacit.schema import Numeric

Floats = NDArray[np.float64]


def monotone_sum(
    trees: Sequence[ObliviousTree],
    first: RankedModel | None,
    encoding: BinEncoding,
    signs: Signs,
    masses: Mapping[str, Floats],
) -> tuple[tuple[ObliviousTree, ...], RankedModel | None]:
    """Return trees and what ranks say first whose sum is monotone in some numbers.

    Of each number, what ranks, trees of that number alone, and steps that other trees take for all rows add together
    becomes the nearest monotone curve of its bins, in squared differences weighted by what is known of each: bins
    without rows, of which noise says anything, follow the others (``masses_of``). Within bins it keeps the slope of
    ranks as far as its neighbors allow.

    Parameters
    ----------
    trees : sequence of ObliviousTree
        Of one score.
    first : RankedModel, optional
        Monotone itself.
    encoding : BinEncoding
    signs : mapping of str to int
    masses : mapping of str to array of shape (n_bins,)
        By number how much is known of each bin; numbers may be left out.

    Notes
    -----
    Privacy: a function of released values and public distributions alone.
    """
    if not trees:
        return (), first
    ranks = curves_of(first, encoding.schema) if first else None
    left, curves = separated(supported(trees, encoding, signs, _of_bins(ranks, encoding), masses), encoding, signs)
    depth = max(len(tree.tests) for tree in trees)
    smooth, found, base = dict[str, Floats](), [tree for tree in left if any(tree.values[0])], 0
    for name, curve in curves.items():
        steps = curve.astype(np.float64)
        if ranks and name in ranks.curves and name not in ranks.encoding.mark_of:
            smooth[name], steps = _both(ranks, name, steps / STEPS, encoding, signs[name], masses.get(name))
            steps = STEPS * steps
        whole = np.rint(in_order(steps, signs[name], masses.get(name))).astype(np.int64)
        found += list(in_steps(name, whole, depth, encoding))
        base += int(whole[0])
    # What is added to all rows is in the first tree, even if it tells none from others.
    [first_tree, *others] = found or [replace(trees[0], values=((0,) * len(trees[0].values[0]),))]
    found = [replace(first_tree, values=(tuple(value + base for value in first_tree.values[0]),)), *others]
    if len(found) > MAX_TREES_OF_MODEL or sum(1 << len(tree.tests) for tree in found) > MAX_VALUES // 2:
        # More curves than a file holds: each tree alone, whose sum is monotone, too.
        return tuple(ordered(tree, encoding, signs, np.ones(1 << len(tree.tests))) for tree in trees), first
    return tuple(found), ranks.model({**ranks.curves, **smooth}) if ranks else None


def _of_bins(ranks: AdditiveRanks | None, encoding: BinEncoding) -> dict[str, Floats]:
    """Return by number the mean of what ranks add in each of its bins, in steps, where they add it for all rows."""
    shared = [name for name in ranks.curves if name not in ranks.encoding.mark_of] if ranks else []
    return {name: STEPS * _means(ranks.curves[name], _edges(ranks, name, encoding)) for name in shared if ranks}


def _edges(ranks: AdditiveRanks, name: str, encoding: BinEncoding) -> Floats:
    """Return ranks between which a number's bins are."""
    column = ranks.encoding.by_name[name]
    assert isinstance(column, Numeric)
    inner = rank_of(np.asarray(encoding.cuts[encoding.positions[name]], dtype=np.float64), column)
    return np.asarray([-1.0, *inner, 1.0])


def _both(
    ranks: AdditiveRanks, name: str, steps: Floats, encoding: BinEncoding, sign: int, known: Floats | None
) -> tuple[Floats, Floats]:
    """Return a smooth curve of a number's ranks and steps of its bins, both monotone, nearly of the given sum."""
    curve, edges = sign * ranks.curves[name], _edges(ranks, name, encoding)
    before = _means(curve, edges)
    whole = in_order(before + sign * steps, 1, known)
    rises, asked = np.diff(whole), np.diff(before)
    # Where the sum rises less than ranks do, these rise less in both bins.
    ratio = np.where(asked > rises, rises / np.where(asked > 0, asked, 1.0), 1.0)
    of_bins = np.minimum(np.append(1.0, ratio), np.append(ratio, 1.0))
    meets = (edges[:-1, None] < CURVE_RANKS[1:]) & (edges[1:, None] > CURVE_RANKS[:-1])
    factors = np.where(meets, of_bins[:, None], 1.0).min(axis=0)
    kept = curve[0] + np.append(0.0, np.cumsum(factors * np.diff(curve)))
    kept += before.mean() - _means(kept, edges).mean()
    return sign * kept, sign * in_order(whole - _means(kept, edges), 1, known)


def _means(curve: Floats, edges: Floats) -> Floats:
    """Return a curve's mean between neighboring ranks."""
    inside = (np.arange(len(CURVE_RANKS)) + 0.5) / len(CURVE_RANKS)
    places = edges[:-1, None] + np.diff(edges)[:, None] * inside
    return np.asarray(np.interp(places, CURVE_RANKS, curve).mean(axis=1))
