"""Ranks, bins, naive Bayes and boosted trees on more than two classes under a delta, on synthetic tables alone.

    python benchmarks/ranked_classes.py [tables of each kind, 1 if not given] [rows to fit, 12,000 if not given] [clips]

Tables of ``drawn_classes``, everything private, delta 1e-5, simulated noise. By rows times epsilon a column, for tables
of categories alone and for those with numbers: naive Bayes' accuracy and area under the ROC curve (mean over classes)
in points and minus its logarithmic loss in hundredths, and what the others add, with the standard error over tables.
With "clips": ranks whose residuals count as long as all classes even make them, and what shorter ones add.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from functools import partial
from unittest.mock import patch

import numpy as np
from auto_rules import LEARNERS, N_SCORED, print_gains, scores_of
from drawn_classes import tables_of_classes

from tacit import LogisticClassifier
from tacit.learners.linear import ranked
from tacit.queries import ranked_gradients
from tacit.schema import Categorical

SIGNALS = (1, 2, 5, 10, 20, 80, 160, 320, 640, 1_280, 2_500, 10_000)
COMPARED = ("naive-bayes", "ranked", "binned", "boosted-trees")
CLIPS = ("1", "0.9", "0.8", "0.7", "0.5")
DELTA = 1e-5


def main(seeds: int, n_rows: int, clips: bool) -> None:
    warnings.simplefilter("ignore")
    LEARNERS.update({name: partial(LogisticClassifier, encoding=name) for name in ("ranked", "binned")})
    LEARNERS.update({clip: partial(Clipped, cut=float(clip)) for clip in CLIPS})
    compared = CLIPS if clips else COMPARED
    found = defaultdict(list)
    for _, frame, labels, schema in tables_of_classes(n_rows + N_SCORED, seeds):
        kind = "categories alone" if all(isinstance(c, Categorical) for c in schema.columns) else "numbers too"
        held_out = frame[-N_SCORED:], np.searchsorted(sorted(schema.label.classes), labels[-N_SCORED:])
        for signal in SIGNALS:
            budget = signal * len(schema.names) / n_rows, DELTA
            given = frame[:n_rows], labels[:n_rows]
            found[kind, signal].append([scores_of(one, schema, given, held_out, budget) for one in compared])
    print_gains(found, compared)


class Clipped(LogisticClassifier):
    """Ranks whose residuals are cut to another part of their length where all classes are as likely."""

    def __init__(self, *args: object, cut: float, **settings: object) -> None:
        super().__init__(*args, encoding="ranked", **settings)
        self._cut = cut

    def fit(self, *args: object, **settings: object) -> Clipped:
        """Fit with this cut in place of the usual one."""
        with (
            patch.object(ranked_gradients, "CUT_OF_CLASSES", self._cut),
            patch.object(ranked, "CUT_OF_CLASSES", self._cut),
        ):
            return super().fit(*args, **settings)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main(*numbers, *(1, 12_000)[len(numbers) :], clips="clips" in sys.argv)
