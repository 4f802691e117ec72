"""More than two classes on ranks: what counts of the classes add, on synthetic tables of uneven ones alone.

    python benchmarks/class_counts.py [tables of each kind, 2 if not given] [rows to fit, 6,000 if not given]

Where ``share_of_classes`` comes from. Tables of ``drawn_classes`` whose classes are thinned out to shares of a
Dirichlet distribution, as they are and with the classes of half of the rows exchanged among these, so that much is
chance; everything private, delta 1e-5, simulated noise. By rows times epsilon: accuracy, area under the ROC curve (mean
over classes of at least 20 held-out rows) and minus the logarithmic loss of ranks without such counts, in points
(hundredths), and what a share of the budget for them adds, with the standard error over tables; and the logarithmic
loss of the shares alone.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from unittest.mock import patch

import numpy as np
import polars as pl
from auto_rules import N_SCORED
from drawn_classes import tables_of_classes
from sklearn.metrics import log_loss, roc_auc_score

import tacit.estimators.logistic as module
from tacit import LogisticClassifier
from tacit.learners.linear.defaults import share_of_classes
from tacit.schema import Schema

SIGNALS = (25, 50, 100, 200, 400, 1_000, 4_000)
SHARES = (0.02, 0.05, 0.1, 0.2)
EVEN = (0.7, 3.0)
"""Parameters of the Dirichlet distribution of shares: uneven, and as many of each class as tables often have."""
DELTA, MIN_SCORED, SPARE = 1e-5, 20, 4


def tables(seeds: int, n_rows: int) -> Iterator[tuple[str, pl.DataFrame, np.ndarray, Schema]]:
    """Yield what kind it is, rows, labels and schema."""
    for number, (_, frame, labels, schema) in enumerate(tables_of_classes(SPARE * n_rows, seeds)):
        for even in EVEN:
            generator = np.random.default_rng([number, int(10 * even)])
            kept = thinned(np.asarray(labels), generator.dirichlet(np.full(len(schema.label.classes), even)), generator)
            if len(kept) >= n_rows:
                rows, own = frame[kept[:n_rows]], np.asarray(labels)[kept[:n_rows]]
                yield f"Dirichlet {even}", rows, own, schema
                exchanged = generator.choice(n_rows, n_rows // 2, replace=False)
                own = own.copy()
                own[exchanged] = own[generator.permutation(exchanged)]
                yield f"Dirichlet {even}, half chance", rows, own, schema


def thinned(labels: np.ndarray, shares: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return places of rows, in any order, whose classes have these shares."""
    _, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes)
    # As many as the class allows that is the first to be short of rows; a fraction that is tiny keeps one row.
    factor = (counts / np.maximum(shares[: len(counts)], 1e-9)).min(initial=np.inf, where=shares[: len(counts)] > 0.02)
    wanted = np.minimum(counts, np.maximum(1, shares[: len(counts)] * factor)).astype(int)
    kept = [generator.choice(np.flatnonzero(codes == at), size, replace=False) for at, size in enumerate(wanted)]
    return generator.permutation(np.concatenate(kept))


def spending(share: float, n_rows: int, epsilon: float, n_classes: int, chosen: int) -> float:
    """Return the share of the budget for counts, which stays as it is where columns are chosen."""
    return share_of_classes(n_rows, epsilon, n_classes, chosen) if chosen else share


def scores(model: LogisticClassifier, frame: pl.DataFrame, labels: np.ndarray) -> list[float]:
    """Return accuracy, area and minus log-loss, in points."""
    likely, classes = model.predict_proba(frame), model.classes_
    told = [
        roc_auc_score(labels == one, likely[:, at])
        for at, one in enumerate(classes)
        if MIN_SCORED <= (labels == one).sum() < len(labels)
    ]
    right = (model.predict(frame) == labels).mean()
    return [100 * right, 100 * float(np.mean(told)), -100 * log_loss(labels, likely, labels=classes)]


def main(seeds: int = 2, n_rows: int = 6_000) -> None:
    """Print a line for each share of the budget."""
    warnings.simplefilter("ignore")
    found = defaultdict(list)
    for at, (kind, frame, labels, schema) in enumerate(tables(seeds, n_rows + N_SCORED)):
        given, held_out = (frame[:n_rows], labels[:n_rows]), (frame[n_rows:], labels[n_rows:])
        classes = sorted(schema.label.classes)
        usual = [np.mean(given[1] == one) + 1 / n_rows for one in classes]
        alone = -100 * log_loss(held_out[1], np.tile(usual, (N_SCORED, 1)) / np.sum(usual), labels=classes)
        for signal in SIGNALS:
            rows = []
            rule = share_of_classes(n_rows, signal / n_rows, len(classes), 0)
            for share in (0.0, *SHARES, rule):
                with patch.object(module, "share_of_classes", partial(spending, share)):
                    made = LogisticClassifier(
                        schema, epsilon=signal / n_rows, delta=DELTA, encoding="ranked", random_state=at
                    )
                    rows.append(scores(made.fit(*given), *held_out))
            found[kind, signal].append([*rows, [np.nan, np.nan, alone]])
    for (kind, signal), each in sorted(found.items()):
        values = np.asarray(each)
        gains = values[:, 1:] - values[:, :1]
        mean, error = gains.mean(axis=0), gains.std(axis=0, ddof=1) / len(gains) ** 0.5
        print(f"{kind}, {signal:6,}, {len(gains)} tables:", *(f"{one:.1f}" for one in values[:, 0].mean(axis=0)))
        for name, own, off in zip((*map(str, SHARES), "rule", "shares alone"), mean, error, strict=True):
            print(f"  {name:>12}", *(f"{one:+.1f} +- {half:.1f}" for one, half in zip(own, off, strict=True)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
