"""Ranks, bins, naive Bayes and boosted trees on more than two classes under a delta, on synthetic tables alone.

    python benchmarks/ranked_classes.py [tables of each kind, 1 if not given] [rows to fit, 12,000 if not given]

Tables of ``drawn_classes``, everything private, delta 1e-5, simulated noise. By rows times epsilon a column, for tables
of categories alone and for those with numbers: naive Bayes' accuracy and area under the ROC curve (mean over classes)
in points and minus its logarithmic loss in hundredths, and what the others add, with the standard error over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from functools import partial

import numpy as np
from auto_rules import LEARNERS, N_SCORED, print_gains, scores_of
from drawn_classes import tables_of_classes

from tacit import LogisticClassifier
from tacit.schema import Categorical

SIGNALS = (1, 2, 5, 10, 20, 80, 160, 320, 640, 1_280, 2_500, 10_000)
COMPARED = ("naive-bayes", "ranked", "binned", "boosted-trees")
DELTA = 1e-5


def main(seeds: int = 1, n_rows: int = 12_000) -> None:
    warnings.simplefilter("ignore")
    LEARNERS.update({name: partial(LogisticClassifier, encoding=name) for name in ("ranked", "binned")})
    found = defaultdict(list)
    for _, frame, labels, schema in tables_of_classes(n_rows + N_SCORED, seeds):
        kind = "categories alone" if all(isinstance(c, Categorical) for c in schema.columns) else "numbers too"
        held_out = frame[-N_SCORED:], np.searchsorted(sorted(schema.label.classes), labels[-N_SCORED:])
        for signal in SIGNALS:
            budget = signal * len(schema.names) / n_rows, DELTA
            given = frame[:n_rows], labels[:n_rows]
            found[kind, signal].append([scores_of(one, schema, given, held_out, budget) for one in COMPARED])
    print_gains(found, COMPARED)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
