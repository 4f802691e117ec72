"""Whether what is public ever hurts: ``AutoClassifier`` with a public label, public columns, or both, against neither.

    TACIT_DATA=... python benchmarks/partly_public.py [fits, 10] [rows at most, 20,000] [table ...]

Delta 1e-6, simulated noise, the same seeds. By table, epsilon and what is public: accuracy, mean area under the ROC
curve of the classes, and log-loss in points (hundredths) of everything private, what the other has more, two standard
errors of that, and "worse" where it is by more than 0.2 points (0.5 of log-loss) and these.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import polars as pl
from sklearn.metrics import log_loss, roc_auc_score

from tacit import AutoClassifier, Schema, datasets

TABLES = ("adult", "bank-marketing", "credit-default", "cod-rna", "magic-gamma", "wine-white", "nursery", "mushroom")
EPSILONS = (0.05, 0.1, 0.5, 1.0)
ALLOWED = np.asarray([0.2, 0.2, 0.5])


def measured(schema: Schema, X: pl.DataFrame, y: np.ndarray, n: int, epsilon: float, seed: int) -> list[float]:
    """Return accuracy, area and log-loss on the rows after the first ``n``."""
    model = AutoClassifier(schema, epsilon=epsilon, delta=1e-6, random_state=seed).fit(X[:n], y[:n])
    chances, truth = np.clip(model.predict_proba(X[n:]), 1e-9, None), y[n:]
    areas = [roc_auc_score(truth == each, chances[:, at]) for at, each in enumerate(model.classes_) if each in truth]
    chances = chances / chances.sum(axis=1, keepdims=True)
    right, loss = np.mean(model.predict(X[n:]) == truth), log_loss(truth, chances, labels=list(model.classes_))
    return [100 * float(right), 100 * float(np.mean(areas)), 100 * float(loss)]


def main(fits: int = 10, most: int = 20_000, *names: str) -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    for name in names or TABLES:
        data = datasets.load(name)
        order = np.random.default_rng(0).permutation(data.frame.height)[: most + 6_000]
        X, y = data.frame[order.tolist()], np.asarray(data.target[order.tolist()])
        n, columns = min(most, 3 * len(y) // 4), [column.name for column in data.schema.inputs]
        private = data.schema.with_private(columns, label=True)
        cases = {
            "label": data.schema.with_private(columns, label=False),
            "half": data.schema.with_private(columns[::2], label=True),
            "both": data.schema.with_private(columns[::2], label=False),
        }
        for epsilon in EPSILONS:
            base = np.asarray([measured(private, X, y, n, epsilon, seed) for seed in range(fits)])
            print(name, epsilon, base.mean(axis=0).round(2), flush=True)
            for case, schema in cases.items():
                more = np.asarray([measured(schema, X, y, n, epsilon, seed) for seed in range(fits)]) - base
                error = 2 * more.std(axis=0, ddof=1) / np.sqrt(fits)
                worse = (more.mean(axis=0) * [-1, -1, 1] > ALLOWED + error).any()
                print(f"  {case:6}", more.mean(axis=0).round(2), error.round(2), "worse" if worse else "", flush=True)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*map(int, given[:2]), *given[2:])
