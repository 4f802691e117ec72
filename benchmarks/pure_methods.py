"""From how many rows times epsilon a coefficient on K-norm noise beats the mean operator, on synthetic tables alone.

    python benchmarks/pure_methods.py [tables of each kind, 2 if not given] [rows to fit, 16,000 if not given]

Tables of ``auto_rules`` (half with bounds a hundred times too wide) and ``rule_tables``, whole and with 2, 4 or 8 of
their columns, everything private, eight bins, simulated noise. Printed are accuracy and area under
the ROC curve of the mean operator in points, minus its logarithmic loss in hundredths, and what K-norm noise adds to
each, with the standard error over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import polars as pl
from auto_rules import N_SCORED, tables
from rule_tables import two_valued, varied
from scipy.special import expit
from sklearn.metrics import log_loss, roc_auc_score

from tacit import LogisticClassifier
from tacit.features.feature_encoding import named_encoding
from tacit.schema import Schema

COLUMNS = (2, 4, 8, 99)
"""The last means all of them."""

SIGNALS = (4, 8, 12, 16, 24, 32)
METHODS = ("mean-operator", "k-norm")
MAX_FITTED, N_BINS = 16_000, 8


def drawn(seeds: int) -> Iterator[tuple[pl.DataFrame, np.ndarray, Schema]]:
    """Yield rows, labels and schema of all tables."""
    for _, frame, labels, schema in tables(seeds):
        yield frame, labels, schema
    for seed in range(4 * seeds):
        yield varied(seed, MAX_FITTED + N_SCORED)
    for seed in range(2 * seeds):
        yield two_valued(seed, MAX_FITTED + N_SCORED)


def some(schema: Schema, columns: int, seed: int) -> Schema:
    """Return the schema of so many columns, drawn at random."""
    kept = sorted(np.random.default_rng(seed).permutation(len(schema.names))[:columns])
    return Schema([schema.columns[at] for at in kept], label=schema.label)


def scores(
    method: str, schema: Schema, given: tuple[pl.DataFrame, np.ndarray], n_rows: int, epsilon: float
) -> list[float]:
    """Return accuracy, area and minus the logarithmic loss on held-out rows."""
    frame, labels = given
    model = LogisticClassifier(
        schema, epsilon=epsilon, method=method, encoding="binned", n_bins=N_BINS, random_state=0, on_invalid="coerce"
    )
    score = model.fit(frame[:n_rows], labels[:n_rows]).decision_function(frame[-N_SCORED:])
    truth = np.asarray(labels[-N_SCORED:]) == sorted(schema.label.classes)[1]
    loss = log_loss(truth, np.clip(expit(score), 1e-3, 1 - 1e-3))
    return [100 * float(np.mean((score > 0) == truth)), 100 * roc_auc_score(truth, score), -100 * loss]


def main(seeds: int = 2, n_rows: int = MAX_FITTED) -> None:
    warnings.simplefilter("ignore")
    found = defaultdict(list)
    for seed, (frame, labels, whole) in enumerate(drawn(seeds)):
        for columns in COLUMNS:
            if columns >= len(whole.names) and columns != COLUMNS[-1]:
                continue
            schema = some(whole, columns, seed)
            own = frame.select(list(schema.names))
            n_features = named_encoding(schema, schema.names, "binned", N_BINS).n_features
            for signal in SIGNALS:
                epsilon = signal * n_features / n_rows
                both = [scores(method, schema, (own, labels), n_rows, epsilon) for method in METHODS]
                found[columns, signal].append(both)
    for (columns, signal), values in sorted(found.items()):
        base, other = np.asarray(values).transpose(1, 0, 2)
        gain = other - base
        error = gain.std(axis=0, ddof=1) / len(gain) ** 0.5
        cells = [f"{mean:+.1f} +- {one:.1f}" for mean, one in zip(gain.mean(axis=0), error, strict=True)]
        print(columns, signal, *base.mean(axis=0).round(1), *cells, sep="\t")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
