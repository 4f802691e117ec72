"""Whether a share of the budget for calibration makes pure logistic regression better, on synthetic tables alone.

    python benchmarks/paid_calibration.py [tables of each kind, 1 if not given] [rows to fit, 8,000] [draws of noise, 2]
    python benchmarks/paid_calibration.py messy

The share pays for a noisy histogram of the trained model's log-odds by class on the training rows themselves, and the
log-odds are moved onto the line that it gives (``held_out.line``). Beside it a holdout of the same share, which costs
as much: rows times epsilon that train are the same. Tables of ``pure_methods``, as drawn and with positives thinned to
6 in 100, K-norm noise, everything private, simulated noise. For each number of rows times epsilon a coefficient:
accuracy and area under the ROC curve in points and minus the log-loss in hundredths of the model that nothing is paid
for, and what each share adds, with the standard error over tables; then how many fits it is a mean of, as a holdout
is refused where its noise would hide everything. With "messy": the table of ``rare_probabilities``, 70,000 rows, and
the standard error over four draws of noise.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from auto_rules import N_SCORED
from pure_methods import drawn
from scipy.special import expit
from sklearn.metrics import log_loss, roc_auc_score

from tacit import LogisticClassifier
from tacit.errors import ParameterError
from tacit.features.feature_encoding import named_encoding
from tacit.measures.held_out import HeldOut
from tacit.schema import Schema

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from harness.messy_tables import messy_table

Given = tuple[pl.DataFrame, np.ndarray, Schema]
"""Rows, of which the last are for scoring, whether each is positive, and the schema."""

SIGNALS = (12, 20, 30, 50, 100, 300, 1_000)
SHARES, HOLDOUTS = (0.02, 0.05, 0.1), (0.05, 0.1)
POSITIVES = 0.06
N_BINS, N_MESSY = 8, 70_000
EDGES = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
"""Of the levels of log-odds that the share pays for."""


def tables(seeds: int, n_rows: int) -> Iterator[tuple[str, int, Given]]:
    """Yield kind, number and table: each as drawn, and with few positives if it has many."""
    for number, (frame, labels, schema) in enumerate(drawn(seeds)):
        positive = np.asarray(labels) == sorted(schema.label.classes)[1]
        yield "as drawn", number, of_use((frame, positive, schema), n_rows)
        if positive.mean() > 2 * POSITIVES:
            kept = thinned(positive, np.random.default_rng(number))
            yield "rare", number, of_use((frame[kept], positive[kept], schema), n_rows)


def messy_tables() -> Iterator[tuple[str, int, Given]]:
    """Yield the messy table four times."""
    drawn = messy_table(N_MESSY + N_SCORED, seed=3)
    positive = (drawn.labels == "yes").to_numpy()
    for number in range(4):
        yield "messy", number, (drawn.frame, positive, Schema(drawn.schema.columns, label=drawn.schema.label))


def of_use(given: Given, n_rows: int) -> Given:
    """Return the first rows, to fit, and the last, to score."""
    frame, positive, schema = given
    kept = np.r_[:n_rows, len(positive) - N_SCORED : len(positive)]
    return frame[kept], positive[kept], schema


def thinned(positive: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return positions of all negative rows and of so many positive ones, in order."""
    count = int(POSITIVES / (1 - POSITIVES) * (~positive).sum())
    return np.sort(np.r_[np.flatnonzero(~positive), generator.permutation(np.flatnonzero(positive))[:count]])


def scores(odds: np.ndarray, positive: np.ndarray) -> list[float]:
    """Return accuracy, area and minus the logarithmic loss on the rows kept for it."""
    odds, truth = odds[-N_SCORED:], positive[-N_SCORED:]
    loss = log_loss(truth, np.clip(expit(odds), 1e-3, 1 - 1e-3))
    return [100 * float(np.mean((odds > 0) == truth)), 100 * roc_auc_score(truth, odds), -100 * loss]


def calibrated(odds: np.ndarray, positive: np.ndarray, n_rows: int, epsilon: float, seed: int) -> np.ndarray:
    """Return log-odds on the line that the training rows' noisy counts by level and class give, at this epsilon."""
    scale, noise = 2 / epsilon, np.random.default_rng(seed)
    level = np.searchsorted(EDGES, odds[:n_rows])
    counts = np.zeros((2, len(EDGES) + 1))
    np.add.at(counts, (positive[:n_rows].astype(int), level), 1)
    noisy = counts + np.rint(noise.laplace(0, scale, counts.shape))
    line = HeldOut(tuple(map(tuple, noisy.tolist())), EDGES, n_rows, scale, "Laplace").line
    return line.slope * odds + line.intercept


def fitted(given: Given, n_rows: int, **settings: Any) -> LogisticClassifier:
    """Return a model of the first rows."""
    frame, positive, schema = given
    names = np.asarray(sorted(schema.label.classes))
    learner = LogisticClassifier(schema, method="k-norm", on_invalid="coerce", **settings)
    return learner.fit(frame[:n_rows], names[positive[:n_rows].astype(int)])


def compared(given: Given, n_rows: int, epsilon: float, seed: int) -> dict[str, list[float]]:
    """Return scores of the model that nothing is paid for, of each share, and of each holdout that is not refused."""
    frame, positive, _ = given
    found = {}
    for share in (0.0, *SHARES):
        model = fitted(given, n_rows, epsilon=epsilon * (1 - share), random_state=seed)
        odds = model.decision_function(frame)
        paid = calibrated(odds, positive, n_rows, epsilon * share, seed) if share else odds
        found[f"share {share:g}"] = scores(paid, positive)
    for share in HOLDOUTS:
        try:
            model = fitted(given, n_rows, epsilon=epsilon, holdout=share, random_state=seed)
        except ParameterError:
            continue
        line = model.model_.held_out.line
        odds = line.slope * model.decision_function(frame) + line.intercept
        found[f"holdout {share:g}"] = scores(odds, positive)
    return found


def show(given: Iterable[tuple[str, int, Given]], n_rows: int, draws: int) -> None:
    """Print a line for each kind, number of rows times epsilon a coefficient, and way."""
    gains: dict[tuple[str, int, str], dict[int, list[np.ndarray]]] = defaultdict(lambda: defaultdict(list))
    for kind, number, table in given:
        n_features = named_encoding(table[2], table[2].names, "binned", N_BINS).n_features
        for signal in SIGNALS:
            for draw in range(draws):
                epsilon = signal * n_features / n_rows
                found = compared(table, n_rows, epsilon, 100 * number + draw)
                base = np.asarray(found.pop("share 0"))
                gains[kind, signal, " as it is"][number].append(base)
                for way, own in found.items():
                    gains[kind, signal, way][number].append(np.asarray(own) - base)
    for (kind, signal, way), by_table in sorted(gains.items()):
        # Draws of one table's noise are no further tables.
        means = np.asarray([np.mean(each, axis=0) for each in by_table.values()])
        errors = means.std(axis=0, ddof=1) / len(means) ** 0.5 if len(means) > 1 else np.full(3, np.nan)
        cells = [f"{mean:+.2f} +- {error:.2f}" for mean, error in zip(means.mean(axis=0), errors, strict=True)]
        print(kind, signal, way.strip(), *cells, sum(map(len, by_table.values())), sep="\t")


def main(seeds: int = 1, n_rows: int = 8_000, draws: int = 2) -> None:
    """Compare on drawn tables."""
    show(tables(seeds, n_rows), n_rows, draws)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "messy" in sys.argv:
        show(messy_tables(), N_MESSY, draws=1)
    else:
        main(*map(int, sys.argv[1:]))
