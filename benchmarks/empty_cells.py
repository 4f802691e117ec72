"""What empty cells that are a category of their own cost, beside the same cells at the center of their numbers.

    python benchmarks/empty_cells.py [tables, 3] [fits of each, 8]

Tables of 23 dependent numbers, of which 40 % tell, and 12,000 rows to fit; 15 % of the cells are empty, at random or
more often where numbers are large. Delta 1e-6, simulated noise. Prints the area under the ROC curve and the log-loss of
``AutoClassifier`` with the center, in points (hundredths), and what the indicator has more of each.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import polars as pl
from sklearn.metrics import log_loss, roc_auc_score

from tacit import AutoClassifier, Label, Numeric, Schema

EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0)
N_ROWS, N_SCORED, N_COLUMNS = 12_000, 4_000, 23


def drawn(seed: int, *, at_random: bool) -> tuple[pl.DataFrame, np.ndarray]:
    """Return rows with empty cells, and labels."""
    generator, shape = np.random.default_rng(seed), (N_ROWS + N_SCORED, N_COLUMNS)
    numbers = generator.normal(size=shape) @ (0.2 * generator.normal(size=(N_COLUMNS,) * 2) + np.eye(N_COLUMNS))
    numbers = np.clip(50 + 15 * numbers / numbers.std(axis=0), 0, 100)
    score = numbers @ (generator.normal(size=N_COLUMNS) * (generator.random(N_COLUMNS) < 0.4))
    labels = (2 * (score - score.mean()) / score.std() + generator.logistic(size=len(score)) > 1).astype(int)
    rank = numbers.argsort(axis=0).argsort(axis=0) / len(numbers)
    empty = generator.random(shape) < (0.15 if at_random else 0.3 * rank)
    frame = pl.DataFrame({f"n{at}": np.where(empty[:, at], np.nan, numbers[:, at]) for at in range(N_COLUMNS)})
    return frame.fill_nan(None), labels


def measured(frame: pl.DataFrame, labels: np.ndarray, missing: object, epsilon: float, seed: int) -> tuple[float, ...]:
    """Return area and log-loss on rows that are not fitted, in points."""
    schema = Schema([Numeric(name, 0, 100, missing=missing) for name in frame.columns], label=Label("y", [0, 1]))
    model = AutoClassifier(schema, epsilon=epsilon, delta=1e-6, random_state=seed).fit(frame[:N_ROWS], labels[:N_ROWS])
    chances = model.predict_proba(frame[N_ROWS:])
    return 100 * roc_auc_score(labels[N_ROWS:], chances[:, 1]), 100 * log_loss(labels[N_ROWS:], chances)


def main(n_tables: int = 3, fits: int = 8) -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    for epsilon in EPSILONS:
        for at_random in (True, False):
            cells = [
                [[measured(*table, missing, epsilon, seed) for seed in range(fits)] for missing in (50, "indicator")]
                for table in (drawn(at, at_random=at_random) for at in range(n_tables))
            ]
            center, mark = np.swapaxes(cells, 0, 1)
            more = (mark - center).reshape(-1, 2)
            error = more.std(axis=0) / np.sqrt(len(more))
            print(
                f"{epsilon:g} {at_random}",
                center.mean(axis=(0, 1)).round(2),
                more.mean(axis=0).round(2),
                error.round(2),
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
