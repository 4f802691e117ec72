"""What questions of a tree should improve, on synthetic tables: `python benchmarks/weighted_errors.py [tables]`.

The tables of ``paid_calibration``, so many of each kind, 8,000 rows, as drawn and with positives thinned to 6 in 100,
everything private, pure epsilon, simulated noise, two draws of it. For each number of rows times epsilon a column:
accuracy and area under the ROC curve in points and minus the log-loss in hundredths with ``criterion="error"``, and
what the others add, with the standard error over tables.
"""

from __future__ import annotations

import sys
import warnings
from collections import defaultdict

import numpy as np
from auto_rules import N_SCORED
from paid_calibration import tables
from paid_links import scores

from tacit import TreeClassifier

N_ROWS, DRAWS = 8_000, 2
SIGNALS = (30, 100, 300, 1_000, 3_000, 10_000)
CRITERIA = ("error", "weighted-error", "gini")


def main(seeds: int = 1) -> None:
    """Print a line for each kind, number of rows times epsilon a column, and criterion."""
    found: dict[tuple[str, int, str], list[np.ndarray]] = defaultdict(list)
    for kind, number, (frame, positive, schema) in tables(seeds, N_ROWS):
        names = np.asarray(sorted(schema.label.classes))
        labels, truth, last = names[positive[:N_ROWS].astype(int)], positive[-N_SCORED:], frame[-N_SCORED:]
        for signal in SIGNALS:
            epsilon, usual = signal * len(schema.columns) / N_ROWS, np.zeros(3)
            for criterion in CRITERIA:
                own = []
                for draw in range(DRAWS):
                    how = {"criterion": criterion, "on_invalid": "coerce", "random_state": 10 * number + draw}
                    model = TreeClassifier(schema, epsilon=epsilon, **how).fit(frame[:N_ROWS], labels)
                    said, likely = model.predict(last) == names[1], model.predict_proba(last)[:, 1]
                    own.append(scores(truth, said, likely))
                mean = np.mean(own, axis=0)
                usual = mean if criterion == "error" else usual
                found[kind, signal, criterion].append(mean if criterion == "error" else mean - usual)
    for key, each in found.items():
        means, errors = np.mean(each, axis=0), np.std(each, axis=0, ddof=1) / len(each) ** 0.5
        print(*key, *(f"{mean:+.2f} +- {error:.2f}" for mean, error in zip(means, errors, strict=True)), sep="\t")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*map(int, sys.argv[1:]))
