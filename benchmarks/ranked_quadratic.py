"""What quadratic terms of numbers and more cut points add to ranks, and from where on, on synthetic tables alone.

    python benchmarks/ranked_quadratic.py [tables of each kind, else 2] [rows to fit, else 4,000] [classes]

Tables with numbers of ``ranked_rules``, or, with "classes", of ``drawn_classes``, everything private, delta 1e-5, four
draws of simulated noise. Printed are, by rows times epsilon a column, the mean accuracy, area under the ROC curve
(of more than two classes the mean over classes) and minus the logarithmic loss (in hundredths) of ranks alone, and for
each change what it adds, with the standard error of that difference over tables.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import ranked_rules
from drawn_classes import tables_of_classes
from noisy_gradient_rules import trained
from ranked_rules import DELTA, N_SCORED, tables
from sklearn.metrics import log_loss, roc_auc_score

import tacit.learners.linear.rank_moments as moments_module
import tacit.queries.ranked_gradients as query_module
from tacit.convex import LogisticLoss
from tacit.cut_points import affordable_cuts, cuts_of_ranks
from tacit.features import ranked_encoding
from tacit.learners.linear import Linear, NoisyGradient, RankedLogistic
from tacit.learners.linear.defaults import gradient_bins
from tacit.privacy import Budget
from tacit.rules.shared import SMALL_SHARE
from tacit.schema import Numeric, Schema
from tacit.table import Table, read_rows

SIGNALS = (30, 45, 60, 70, 80, 100, 150, 300, 1_000, 3_000)
SIZES = (0.4, 0.8)
DRAWS = 4


def tries(schema: Schema, table: Table, epsilon: float) -> Iterator[tuple[str, object]]:
    """Yield the settings that are compared, the reference first."""
    cuts = cuts_of_ranks(schema, table.unit, table.n_rows, epsilon, DELTA)
    usual = RankedLogistic(schema, cuts, quadratic=False)
    yield "ranks", usual
    yield "more for moments", replace(usual, moments=SMALL_SHARE)
    yield "quadratic", replace(usual, quadratic=True)
    yield "both", (both := replace(usual, quadratic=True, moments=SMALL_SHARE))
    yield "more levels", replace(usual, cuts=affordable_cuts(schema, table.unit, table.n_rows, epsilon, DELTA))
    yield "both, more levels", replace(both, cuts=affordable_cuts(schema, table.unit, table.n_rows, epsilon, DELTA))
    if table.n_classes > 2:
        return
    with patch.object(moments_module, "USUAL_MEAN", 1e-9):
        yield "no means, ranks", usual
        yield "no means, both", both
    for size in SIZES:
        with ExitStack() as patched:
            for module in (ranked_encoding, moments_module, query_module):
                patched.enter_context(patch.object(module, "QUADRATIC", size))
            yield f"quadratic of {size:g}", replace(usual, quadratic=True)
    yield "bins", Linear(schema, LogisticLoss(), NoisyGradient(), n_bins=gradient_bins(table.n_rows, epsilon, DELTA))


def drawn(seeds: int, n_rows: int, classes: bool) -> Iterator[tuple]:
    """Yield the tables that have numbers."""
    given = (each[1:] for each in tables_of_classes(n_rows + N_SCORED, seeds)) if classes else tables(seeds)
    for frame, labels, schema in given:
        if any(isinstance(column, Numeric) for column in schema.columns):
            yield frame, labels, schema


def main(seeds: int = 2, n_rows: int = 4_000, *, classes: bool) -> None:
    ranked_rules.N_FITTED = n_rows
    found = defaultdict(list)
    for at, (frame, labels, schema) in enumerate(drawn(seeds, n_rows, classes)):
        given = frame[:n_rows], labels[:n_rows], schema
        table = Table.from_frame(*given, on_invalid="coerce")
        rows = read_rows(frame[n_rows:], schema, on_invalid="coerce")
        truth = np.searchsorted(sorted(schema.label.classes), labels[n_rows:])
        for signal in SIGNALS:
            epsilon = signal * len(schema.names) / n_rows
            for name, learner in tries(schema, table, epsilon):
                # Each table has noise of its own, so that no draw of it counts more than once.
                own = Table.from_frame(*given, on_invalid="coerce")  # which has no features of another size
                each = [
                    measured(trained(learner, own, Budget(epsilon, DELTA), seed).probabilities(rows, schema), truth)
                    for seed in range(DRAWS * at, DRAWS * (at + 1))
                ]
                found[signal, name].append(np.mean(each, axis=0))
    for (signal, name), values in found.items():
        base = np.array(found[signal, "ranks"])
        if name == "ranks":
            print(f"\n{signal:g} rows times epsilon a column, {len(base)} tables:", *base.mean(axis=0).round(2))
            continue
        gain = np.array(values) - base
        error = gain.std(axis=0, ddof=1) / len(gain) ** 0.5
        print(f"  {name:18s}", *(f"{m:+7.2f} +- {e:.2f}" for m, e in zip(gain.mean(axis=0), error, strict=True)))


def measured(likely: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return accuracy, area and minus the logarithmic loss, in hundredths."""
    if likely.shape[1] == 2:
        area = roc_auc_score(truth, likely[:, 1])
    else:
        seen = np.unique(truth)
        area = np.mean([roc_auc_score(truth == at, likely[:, at]) for at in seen])
    loss = log_loss(truth, likely, labels=np.arange(likely.shape[1]))
    return 100 * np.array([np.mean(likely.argmax(axis=1) == truth), area, -loss])


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:] if word.isdecimal()), classes="classes" in sys.argv)
