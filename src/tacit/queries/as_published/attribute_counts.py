"""The counts of the private CART of Lopuhaä-Zwakenberg and others (2021), Algorithm 3, at their cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import NumericStatistic
from tacit.queries.split_scores import question_masses
from tacit.queries.tree_rows import TreeRows


def published_attribute_counts(
    rows: TreeRows, histogram: NDArray[np.int64], spans: NDArray[np.intp]
) -> NumericStatistic:
    """Return rows by (leaf, binary attribute, value, class), shape (n_leaves, n_attributes, 2, n_classes).

    Notes
    -----
    Privacy: charged with L1 sensitivity one for each attribute, their Theorem 3.4. It is two: under replace-one a row
    leaves one cell of each attribute and enters another. Not differentially private at the stated cost.
    """
    held, everyone = question_masses(histogram, spans, rows)
    counts = np.stack([everyone[:, None, :] - held, held], axis=2)
    return _charged("rows by leaf, attribute, value and class", rows, counts, len(spans))


def published_leaf_counts(rows: TreeRows, leaves: list[int], n_attributes: int) -> NumericStatistic:
    """Return rows of each class at each leaf; the paper gives them one attribute's part of a level's budget."""
    counts = rows.totals(leaves) @ rows.strata.mass.T
    return _charged("rows of each class at each leaf", rows, counts, n_attributes)


def _charged(query: str, rows: TreeRows, counts: NDArray[np.int64], n_attributes: int) -> NumericStatistic:
    # Floats get the continuous law, as in the paper.
    value = np.asarray(counts, dtype=np.float64)
    return NumericStatistic(query, rows.unit, value, l1=float(n_attributes), l2=float(n_attributes) ** 0.5)
