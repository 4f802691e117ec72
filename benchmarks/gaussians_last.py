"""What counting the last Gaussian releases by their exact distribution is worth, on synthetic tables alone.

    python benchmarks/gaussians_last.py [tables of each kind, 2 if not given]

Noisy gradients on ranks with their defaults, on tables of ``ranked_rules`` and of ``drawn``, 15,000 rows to fit,
everything private, delta 1e-5, simulated noise, two draws. By rows times epsilon a column: the mean accuracy, area
under the ROC curve and minus the logarithmic loss (in hundredths) where the accountant composes in rho alone, and what
the exact distribution adds, with the standard error over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import polars as pl
from drawn import species, telling
from ranked_rules import DELTA, widened
from rule_tables import synthetic_tables, two_valued, varied
from scipy.special import expit
from sklearn.metrics import log_loss, roc_auc_score

from tacit.cut_points import cuts_of_ranks
from tacit.learners.linear import RankedLogistic
from tacit.mechanisms.noise import noise_source
from tacit.mechanisms.releases import announce
from tacit.privacy import Accountant, Budget, Composition
from tacit.schema import Schema
from tacit.table import Table, read_rows

SIGNALS = (3, 10, 30, 60, 100, 200)
N_FITTED, N_SCORED, DRAWS = 15_000, 6_000, 2


def tables(seeds: int) -> Iterator[tuple[pl.DataFrame, np.ndarray, Schema]]:
    """Yield tables; of every second one of the first kinds the bounds of numbers are a hundred times as wide."""
    n_rows = N_FITTED + N_SCORED
    for at, (_, frame, labels, schema) in enumerate(synthetic_tables(n_rows, seeds)):
        yield frame, labels, schema if (at + at // 4) % 2 == 0 else widened(schema, 100.0)
    for seed in range(2 * seeds):
        yield varied(seed, n_rows)
        yield two_valued(seed, n_rows)
    for seed in range(seeds):
        for draw in (species, telling):
            schema, rows, labels = draw(seed, n_rows)
            yield pl.DataFrame(rows.astype(str), schema=list(schema.names)), labels, schema


def scores(table: Table, epsilon: float, composition: Composition | None, seed: int, held_out: tuple) -> list[float]:
    """Return accuracy, area and minus the logarithmic loss of one fit on held-out rows."""
    rows, truth = held_out
    cuts = cuts_of_ranks(table.schema, table.unit, table.n_rows, epsilon, DELTA)
    learner = RankedLogistic(table.schema, cuts)
    accountant = Accountant(Budget(epsilon, DELTA), table.unit, noise_source(seed), n_rows=table.n_rows)
    releases = announce(accountant, learner.plan(table.unit), composition=composition)
    score = learner.train(table, releases, np.random.default_rng(seed)).scores(rows, table.schema)
    loss = log_loss(truth, expit(score))
    return [100 * float(np.mean((score > 0) == truth)), 100 * roc_auc_score(truth, score), -100 * loss]


def main(seeds: int) -> None:
    warnings.simplefilter("ignore")
    found = defaultdict(list)
    for seed, (frame, labels, schema) in enumerate(tables(seeds)):
        table = Table.from_frame(frame[:N_FITTED], labels[:N_FITTED], schema, on_invalid="coerce")
        truth = np.asarray(labels[N_FITTED:]) == sorted(schema.label.classes)[1]
        held_out = read_rows(frame[N_FITTED:], schema, on_invalid="coerce"), truth
        for signal in SIGNALS:
            epsilon = signal * len(schema.names) / N_FITTED
            both = [
                np.mean([scores(table, epsilon, how, seed + 100 * draw, held_out) for draw in range(DRAWS)], axis=0)
                for how in ("zcdp", None)
            ]
            found[signal].append(both)
    for signal, values in found.items():
        base, exact = np.asarray(values).transpose(1, 0, 2)
        gain = exact - base
        error = gain.std(axis=0, ddof=1) / len(gain) ** 0.5
        cells = [f"{mean:+.2f} +- {one:.2f}" for mean, one in zip(gain.mean(axis=0), error, strict=True)]
        print(signal, *base.mean(axis=0).round(1), *cells, sep="\t")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
