"""Boosted trees where one class is rare, on tables drawn at random: how residuals are cut, and how deep trees are.

    python benchmarks/uneven_trees.py [tables of each kind, 3 if not given] [pure]

The tables of two classes of ``auto_bound.py``, 5,000 rows to fit; of the second class as many are kept as make a share.
Everything private, delta 1e-5 or, with "pure", none; simulated noise. By that share and by rows times epsilon a column:
accuracy, area under the ROC curve and minus the logarithmic loss, in points (hundredths), of trees as of even classes;
what it adds to cut residuals unevenly, which is done under a delta; and what a level less for each halving of the
classes' variance adds to that; with the standard errors of these differences over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from functools import partial
from itertools import pairwise
from unittest.mock import patch

import auto_bound
import auto_rules
import numpy as np

from tacit import BoostedTreesClassifier
from tacit.boosting import boosted_trees
from tacit.queries.leaf_sums import EVEN

SHARES = (0.03, 0.07, 0.12, 0.2)
SIGNALS = {1e-5: (500, 1_500, 5_000), 0.0: (500, 2_000, 10_000)}
DRAWN, FITTED, SCORED = 20_000, 5_000, 6_000
TREES = "boosted trees"


def thinned(labels: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Return which rows to keep, so that the second class has about this share of them."""
    second = labels == np.unique(labels)[1]
    kept = share / (1 - share) * (~second).sum() / second.sum()
    return ~second | (np.random.default_rng(seed).random(len(labels)) < kept)


def main(seeds: int = 3, *, pure: bool = False) -> None:
    """Print a line for each share and budget."""
    warnings.simplefilter("ignore")
    auto_rules.LEARNERS[TREES] = partial(BoostedTreesClassifier)
    delta = 0.0 if pure else 1e-5
    found: dict[tuple[float, int], list[tuple[np.ndarray, ...]]] = defaultdict(list)
    for at, (_, frame, labels, schema) in enumerate(auto_bound.tables(seeds, DRAWN)):
        for share in SHARES:
            kept = np.flatnonzero(thinned(labels, share, at))
            if len(kept) < FITTED + SCORED:
                continue
            (fitted, its), (scored, truth) = ((frame[each], labels[each]) for each in np.split(kept, [FITTED])[:2])
            held_out = scored[:SCORED], np.searchsorted(np.unique(labels), truth[:SCORED])
            for signal in SIGNALS[delta]:
                budget = signal * len(schema.names) / FITTED, delta
                scores = partial(auto_rules.scores_of, TREES, schema, (fitted, its), held_out, budget)
                both = scores()
                with patch.object(boosted_trees, "_halvings", return_value=0):
                    cut = scores()
                    with patch.object(boosted_trees, "uneven", return_value=EVEN):
                        found[share, signal].append((scores(), cut, both))
    for (share, signal), values in found.items():
        each = np.asarray(values).swapaxes(0, 1)
        said = [f"{share:5.2f} {signal:7,}  {len(values)} tables", str(each[0].mean(axis=0).round(1))]
        for one, more in pairwise(each):
            error = (more - one).std(axis=0, ddof=1) / len(values) ** 0.5
            added = zip((more - one).mean(axis=0), error, strict=True)
            said.append(" / ".join(f"{m:+.1f} +- {e:.1f}" for m, e in added))
        print("   ".join(said), flush=True)


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:] if each != "pure"), pure="pure" in sys.argv)
