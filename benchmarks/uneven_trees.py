"""Depth of boosted trees where one class is rare, on tables drawn at random.

    python benchmarks/uneven_trees.py [tables of each kind, 3 if not given] [pure]

The tables of two classes of ``auto_bound.py``, 5,000 rows to fit; of the second class as many are kept as make a share.
Everything private, delta 1e-5 or, with "pure", none; simulated noise. By that share and by rows times epsilon a column:
accuracy, area under the ROC curve and minus the logarithmic loss, in points (hundredths), of trees as deep as even
classes have them, and what a level less for each halving of the classes' variance adds, with the standard error of that
difference over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from functools import partial
from unittest.mock import patch

import auto_bound
import auto_rules
import numpy as np

from tacit import BoostedTreesClassifier
from tacit.boosting import boosted_trees

SHARES = (0.03, 0.07, 0.12)
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
    found: dict[tuple[float, int], list[tuple[np.ndarray, np.ndarray]]] = defaultdict(list)
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
                lower = scores()
                with patch.object(boosted_trees, "_halvings", return_value=0):
                    found[share, signal].append((scores(), lower))
    for (share, signal), values in found.items():
        as_deep, lower = np.asarray(values).swapaxes(0, 1)
        error = (lower - as_deep).std(axis=0, ddof=1) / len(values) ** 0.5
        added = (f"{m:+.1f} +- {e:.1f}" for m, e in zip((lower - as_deep).mean(axis=0), error, strict=True))
        print(f"{share:5.2f} {signal:7,}  {len(values)} tables", as_deep.mean(axis=0).round(1), *added, flush=True)


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:] if each != "pure"), pure="pure" in sys.argv)
