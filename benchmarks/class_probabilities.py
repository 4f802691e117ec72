"""Whether calibrated probabilities of three to seven classes are better: `python benchmarks/class_probabilities.py`.

For each learner and budget, over 15 drawn tables of 20,000 rows of which 0.15 are held out: the mean log-loss in nats
on 10,000 other rows, of probabilities as they are and calibrated, and how much the worst table loses. Everything
private, simulated noise.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import tacit

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.drawn_classes import tables_of_classes

N_TRAIN, N_TEST = 20_000, 10_000

LEARNERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("NaiveBayesClassifier", {}),
    ("LogisticClassifier", {}),
    ("LogisticClassifier", {"delta": 1e-6}),
    ("TreeClassifier", {}),
    ("LazyBBClassifier", {}),
    ("BoostedTreesClassifier", {}),
)


def log_loss(likely: np.ndarray, positions: np.ndarray) -> float:
    """Return the mean over rows in nats."""
    return float(-np.log(np.maximum(likely[np.arange(len(positions)), positions], 1e-12)).mean())


def main() -> None:
    """Print a line for each learner and budget."""
    warnings.simplefilter("ignore")
    tables = list(tables_of_classes(N_TRAIN + N_TEST, 1))
    print(f"{'learner':36} epsilon  as it is  calibrated  worst table  tables")
    for name, settings in LEARNERS:
        for epsilon in (1.0, 4.0):
            losses = []
            for _, frame, labels, schema in tables:
                make = getattr(tacit, name)(schema, epsilon=epsilon, holdout=0.15, random_state=1, **settings)
                model = make.fit(frame.head(N_TRAIN), labels[:N_TRAIN]).model_
                if not model.held_out.calibrates:
                    continue
                positions = np.searchsorted(model.classes, labels[N_TRAIN:])
                rows = model.read(frame.tail(N_TEST))
                both = (model.predict_proba(rows, calibrated=how) for how in (False, True))
                losses.append([log_loss(likely, positions) for likely in both])
            own, moved = np.asarray(losses).T
            said = f"{own.mean():8.3f} {moved.mean():11.3f} {(moved - own).max():+12.3f} {len(losses):7}"
            print(f"{name + ' ' + str(settings or ''):36} {epsilon:7g} {said}", flush=True)


if __name__ == "__main__":
    main()
