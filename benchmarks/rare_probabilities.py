"""Whether probabilities of a rare class come true: `python benchmarks/rare_probabilities.py [fits] [calibrated]`.

For each learner and budget, means over fits on 70,000 rows of which 9.5 in 100 are of the second class, measured on
30,000 others: the mean probability, the largest; of the hundredth of rows with the largest ones what was said and how
many came true; of rows with at least one half the same, and how many; and log-loss in nats, beside that of the share
alone. Everything private, simulated noise. With "calibrated" a tenth is held out, and nothing
else calibrates: a second line has probabilities that are calibrated by it.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tacit

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from harness.messy_tables import messy_table

N_TRAIN, N_TEST = 70_000, 30_000

LEARNERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("NaiveBayesClassifier", {"epsilon": 0.1}),
    ("NaiveBayesClassifier", {"epsilon": 1.0}),
    ("LogisticClassifier", {"epsilon": 0.1}),
    ("LogisticClassifier", {"epsilon": 1.0}),
    ("LogisticClassifier", {"epsilon": 0.1, "delta": 1e-6}),
    ("LogisticClassifier", {"epsilon": 1.0, "delta": 1e-6}),
    ("AutoClassifier", {"epsilon": 0.1, "delta": 1e-6}),
    ("AutoClassifier", {"epsilon": 1.0, "delta": 1e-6}),
)


def measured(likely: NDArray[np.float64], truth: NDArray[np.bool_]) -> tuple[float, ...]:
    """Return mean, largest, said and came of the top hundredth, log-loss; of one half and more rows, said and came."""
    top, over = likely >= np.quantile(likely, 0.99), likely >= 0.5
    loss = -np.log(np.maximum(np.where(truth, likely, 1 - likely), 1e-9)).mean()
    tops = likely.mean(), likely.max(), likely[top].mean(), truth[top].mean(), loss
    return *tops, over.sum(), likely[over].sum(), truth[over].sum()


def main() -> None:
    """Print a line for each learner and budget."""
    warnings.simplefilter("ignore")
    fits = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    ways = (False, True) if "calibrated" in sys.argv else (False,)
    kept: dict[str, Any] = {"holdout": 0.1, "calibration": 0} if len(ways) > 1 else {}
    messy = messy_table(N_TRAIN + N_TEST, seed=3)
    schema = tacit.Schema(messy.schema.columns, label=messy.schema.label)
    rows, labels = messy.frame.head(N_TRAIN), messy.labels.head(N_TRAIN)
    others, truth = messy.frame.tail(N_TEST), (messy.labels.tail(N_TEST) == "yes").to_numpy()
    share = float((labels == "yes").mean())  # type: ignore[arg-type]
    print(f"share {share:.3f}, log-loss of it {-np.log(np.where(truth, share, 1 - share)).mean():.3f}")
    print(f"{'learner':52} mean largest  top: said came  log-loss  half: rows said came")
    for name, budget in LEARNERS:
        make = getattr(tacit, name)
        models = [make(schema, random_state=at, **budget, **kept).fit(rows, labels) for at in range(fits)]
        for calibrated in ways:
            likely = [model.predict_proba(others, calibrated=calibrated)[:, 1] for model in models]
            *found, over, said, came = np.mean([measured(each, truth) for each in likely], axis=0)
            shares = f"{over:7.1f} {said / max(over, 1e-9):6.3f} {came / max(over, 1e-9):6.3f}"
            print(f"{name + ' ' + str(budget):52} " + " ".join(f"{each:6.3f}" for each in found), shares, flush=True)


if __name__ == "__main__":
    main()
