"""Whether probabilities of a rare class come true on a messy table: `python benchmarks/rare_probabilities.py [fits]`.

For each learner and budget, means over fits on 70,000 rows of which 9.5 in 100 are of the second class, measured on
30,000 others: the mean probability, the largest; of the hundredth of rows with the largest ones what was said and how
many came true; and log-loss in nats, beside that of the share alone. Everything private, simulated noise.
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
    """Return mean, largest, said and came of the top hundredth, and log-loss."""
    top = likely >= np.quantile(likely, 0.99)
    own = np.where(truth, likely, 1 - likely)
    return likely.mean(), likely.max(), likely[top].mean(), truth[top].mean(), -np.log(np.maximum(own, 1e-9)).mean()


def main() -> None:
    """Print a line for each learner and budget."""
    warnings.simplefilter("ignore")
    fits = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    messy = messy_table(N_TRAIN + N_TEST, seed=3)
    schema = tacit.Schema(messy.schema.columns, label=messy.schema.label)
    rows, labels = messy.frame.head(N_TRAIN), messy.labels.head(N_TRAIN)
    others, truth = messy.frame.tail(N_TEST), (messy.labels.tail(N_TEST) == "yes").to_numpy()
    share = float((labels == "yes").mean())  # type: ignore[arg-type]
    print(f"share {share:.3f}, log-loss of it {-np.log(np.where(truth, share, 1 - share)).mean():.3f}")
    print(f"{'learner':52} mean largest  top: said came  log-loss")
    for name, budget in LEARNERS:
        make = getattr(tacit, name)
        models = (make(schema, random_state=at, **budget).fit(rows, labels) for at in range(fits))
        found = np.mean([measured(model.predict_proba(others)[:, 1], truth) for model in models], axis=0)
        print(f"{name + ' ' + str(budget):52} " + " ".join(f"{each:6.3f}" for each in found), flush=True)


if __name__ == "__main__":
    main()
