"""The shares of the budget that all learners have in common, on public tables: halved, and doubled.

    python benchmarks/shares.py [rows, 7,000 if not given] [seeds, 2 if not given]

A share is one number for every learner that takes it (``tacit.rules.shared``), so it changes in all of them at once.
``AutoClassifier`` with and without a delta, and the learners of the papers, everything private, simulated noise,
epsilon 0.1 and 1, a fifth of at most so many rows held out. Printed are means over tables of accuracy and area under
the ROC curve by the shares as they are, and what half and twice of each add, in points, with the standard error over
tables.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

import numpy as np
from sklearn.metrics import roc_auc_score

import tacit.rules.shared as rules

PUBLIC = ("adult", "bank-marketing", "credit-default", "skin-segmentation", "magic-gamma", "mushroom")
SHARES, TIMES, EPSILONS = ("TINY_SHARE", "SMALL_SHARE", "LARGE_SHARE"), (0.5, 2.0), (0.1, 1.0)


def measured(n_rows: int, seeds: int) -> dict[str, list[list[float]]]:
    """Return accuracy and area of each table, in points, by learner."""
    # The shares were changed before any learner is imported, as they are defaults of some.
    import tacit
    from tacit.datasets import load

    learners = {
        "auto, delta": (tacit.AutoClassifier, {"delta": 1e-5}),
        "auto, pure": (tacit.AutoClassifier, {"delta": 0}),
        "logistic": (tacit.LogisticClassifier, {}),
        "lazybb": (tacit.LazyBBClassifier, {}),
        "radoboost": (tacit.RadoBoostClassifier, {}),
    }
    found: dict[str, list[list[float]]] = {name: [] for name in learners}
    for name in PUBLIC:
        data = load(name)
        order = np.random.default_rng(0).permutation(data.frame.height)[:n_rows]
        frame, labels, part = data.frame[order], np.asarray(data.target)[order], len(order) * 4 // 5
        for learner, (made, settings) in learners.items():
            rows = []
            for epsilon in EPSILONS:
                for seed in range(seeds):
                    model = made(data.schema.all_private(), epsilon=epsilon, random_state=seed, **settings)
                    model.fit(frame[:part], labels[:part])
                    area = roc_auc_score(labels[part:] == model.classes_[1], model.decision_function(frame[part:]))
                    rows.append((model.score(frame[part:], labels[part:]), area))
            found[learner].append((100 * np.mean(rows, axis=0)).tolist())
    return found


def main(n_rows: int = 7_000, seeds: int = 2) -> None:
    tried = [("", 1.0), *((share, times) for share in SHARES for times in TIMES)]
    usual = None
    for share, times in tried:
        command = [sys.executable, __file__, "measure", share, str(times), str(n_rows), str(seeds)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        usual = usual or found
        for learner, rows in found.items():
            own = np.asarray(rows) - (np.asarray(usual[learner]) if share else 0.0)
            mean, error = own.mean(axis=0), own.std(axis=0, ddof=1) / len(own) ** 0.5
            said = (f"{m:+.2f} +- {e:.2f}" for m, e in zip(mean, error, strict=True)) if share else mean.round(2)
            print(f"{share} x {times:g}" if share else "as they are", learner, *said, sep="\t", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["measure"]:
        share, times, *sizes = sys.argv[2:]
        if share:
            setattr(rules, share, getattr(rules, share) * float(times))
        print(json.dumps(measured(*(int(each) for each in sizes))))
    else:
        main(*(int(each) for each in sys.argv[1:]))
