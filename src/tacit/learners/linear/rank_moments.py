"""What noisy means and mean squares of features on ranks say of their second moments, columns being independent."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx

from tacit.features.ranked_encoding import RankedEncoding, quadratic_of
from tacit.learners.linear.category_shares import likely_shares
from tacit.learners.linear.low_rank import LowRank
from tacit.rules.priors import CONSTANT, QUADRATIC, USUAL_MEAN

MAX_OF_SQUARE = 0.999
"""Largest mean of a number's ranks or quadratic terms over the root of their mean square. With 0.9 a column that is the
same in all rows took part of the base rate, and was listed as a finding."""


def rows_a_person(encoding: RankedEncoding, squares: NDArray[np.float64], most: int) -> float:
    """Return about how many rows a person has, from one to most: what columns say of it, the median.

    Of a category the rows are counted; of a number they are where its ranks are uniform, and where it is missing.
    """
    if most == 1 or not len(squares):
        return 1.0
    told = np.add.reduceat(squares, np.asarray(encoding.starts[:-1]) - 1)
    at = np.searchsorted(encoding.starts, encoding.ranks)
    told[at] = 3 * squares[encoding.ranks - 1]
    marks, owners = _marks(encoding)
    # Rows without a number are in the count of its mark, which is none of the rows on its own.
    told[np.searchsorted(encoding.starts, owners)] += squares[marks - 1]
    return float(np.clip(np.median(np.delete(told, np.searchsorted(encoding.starts, marks))), 1, most))


def expected_squares(encoding: RankedEncoding, released: NDArray[np.float64], deviation: float) -> NDArray[np.float64]:
    """Return what to expect of the mean square of each feature but the constant: of a category that is its share.

    Before the release a number's is as uncertain as it is large, were ranks uniform, and above zero: a noisy square
    below zero says little, and not that all ranks are zero.
    """
    at = encoding.ranks - 1
    numbers = np.append(at, at + 1) if encoding.quadratic else at
    usual = np.repeat([1 / 3, QUADRATIC**2 / 5], len(at))[: len(numbers)]
    most = np.repeat([1.0, QUADRATIC**2], len(at))[: len(numbers)]
    trust = usual**2 / (usual**2 + deviation**2)
    mean, scale = usual + trust * (released[numbers] - usual), np.maximum(usual * np.sqrt(1 - trust), 1e-9)
    found = np.empty(encoding.n_features - 1)
    # Of a normal variable that is known to be above zero.
    found[numbers] = np.clip(mean + scale * sqrt(2 / pi) / erfcx(-mean / scale / sqrt(2)), 0.0, most)
    places, shares = likely_shares(encoding, released, deviation)
    found[places] = shares
    return found


def expected_means(
    released: NDArray[np.float64], deviation: float, squares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what to expect of the mean rank of each number, of these mean squares."""
    trust, most = USUAL_MEAN**2 / (USUAL_MEAN**2 + deviation**2), MAX_OF_SQUARE * np.sqrt(squares)
    return np.asarray(np.clip(trust * released, -most, most))


def independent_moments(
    encoding: RankedEncoding, ranks: NDArray[np.float64], squares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the mean of x x' of clipped rows, from mean ranks and mean squares, columns being independent."""
    widths, center = np.diff(encoding.starts), encoding.centers
    column = np.repeat(np.arange(len(widths)), widths)
    # Of a category what was released is its share of the rows.
    means, (marks, owners) = squares - center, _marks(encoding)
    means[encoding.ranks - 1] = ranks
    if encoding.quadratic:
        # Quadratic terms follow from squares of ranks, and so does their mean; but no further from zero than noise
        # lets both be true: where all of them were the same, the constant could not be told from them.
        most = MAX_OF_SQUARE * np.sqrt(squares[encoding.ranks])
        terms = quadratic_of(squares)
        # Where there is no number there is no such term, and that of rank zero is not zero.
        terms[owners - 1] -= quadratic_of(np.zeros(1)) * squares[marks - 1]
        means[encoding.ranks] = np.clip(terms[encoding.ranks - 1], -most, most)
    means = np.concatenate([[CONSTANT], means])
    moments = np.outer(means, means)
    # A row has one category of a column: of two of its features one at least is minus the center.
    together = center**2 - center * (squares[:, None] + squares)
    moments[1:, 1:] = np.where(column[:, None] == column, together, moments[1:, 1:])
    if encoding.quadratic:
        at = encoding.ranks
        products = _mean_products(ranks, squares[at - 1], squares[at])
        moments[at, at + 1] = moments[at + 1, at] = products
    for at in encoding.marks.values():
        # A row has a number or the mark of none.
        moments[at[0], at[1:]] = moments[at[1:], at[0]] = 0.0
    squares = np.concatenate([[CONSTANT**2], squares * (1 - 2 * center) + center**2])
    np.fill_diagonal(moments, squares)
    lengths = np.append(1.0, encoding.lengths)
    return np.asarray(np.outer(lengths, lengths) * moments * min(1.0, encoding.radius**2 / float(squares @ lengths**2)))


def in_factors(encoding: RankedEncoding, moments: NDArray[np.float64], squares: NDArray[np.float64]) -> LowRank:
    """Return the moments of independent columns as a diagonal and a few products, from the same mean squares.

    One product is that of the means. A row has one category of a column, so that of two what goes together is less by
    the product of their shares. Numbers and marks of empty cells, which are few features, have products of their own.
    """
    length = sqrt(moments[0, 0])
    mean, units = moments[0] / length, np.append(1.0, encoding.lengths) * length / CONSTANT
    categories = _categories(encoding)
    left, others = np.zeros((len(mean), 1 + len(categories))), np.ones(len(mean), dtype=bool)
    left[:, 0] = mean
    for at, places in enumerate(categories, start=1):
        left[places, at] = units[places] * squares[places.start - 1 : places.stop - 1]
        others[places] = False
    # A row has one category of a column: of two, nothing is left of the product of means but minus that of shares.
    right = np.append(left[:, :1], -left[:, 1:], axis=1)
    # Numbers have squares and marks of their own, whose products follow no shares: each feature by itself.
    kept = np.flatnonzero(others)
    own, beyond = np.zeros((2, len(mean), len(kept)))
    own[kept, np.arange(len(kept))] = 1.0
    beyond[kept] = moments[np.ix_(kept, kept)] - np.outer(mean[kept], mean[kept])
    beyond[kept, np.arange(len(kept))] = 0.0
    left, right = np.append(left, own, axis=1), np.append(right, beyond, axis=1)
    return LowRank(np.diag(moments) - (left * right).sum(axis=1), left, right)


def rank_of(encoding: RankedEncoding) -> int:
    """Return how many products that takes."""
    categories = _categories(encoding)
    return int(1 + len(categories) + encoding.n_features - sum(each.stop - each.start for each in categories))


def _categories(encoding: RankedEncoding) -> list[slice]:
    """Return the positions of the features of columns of categories."""
    marks, _ = _marks(encoding)
    return [places for places in encoding.places_of_categories if places.start not in marks]


def _marks(encoding: RankedEncoding) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the positions of marks of empty cells, and of the ranks of their numbers."""
    found = np.asarray([at[:2] for at in encoding.marks.values()], dtype=np.intp).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _mean_products(
    ranks: NDArray[np.float64], squares: NDArray[np.float64], quadratic: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the mean of rank times quadratic term of each number, from its mean rank and both mean squares.

    It follows from the mean rank and the mean of cubes, which are taken to be as they are where a rank's density is
    linear: the mean times 9/5 of the mean square, or the mean itself where that is less.
    """
    found = QUADRATIC * ranks * (1.5 * np.minimum(1.8 * squares, 1.0) - 0.5)
    most = MAX_OF_SQUARE * np.sqrt(squares * quadratic)
    return np.asarray(np.clip(found, -most, most))
