"""Is the reference of `prediction_sets.py` what MAPIE says? `python benchmarks/sets_by_mapie.py [TABLES]`.

Needs MAPIE, of the extra `works-with`. The models, held-out rows and new rows are made as there. Of each class MAPIE's
`SplitConformalClassifier` (score "lac") is conformalized on the held-out rows of the class alone, and says of each new
row whether the class is in its set. Printed are mean sizes by both, in how many cells they differ, and MAPIE's least
coverage of a class.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from mapie.classification import SplitConformalClassifier
from prediction_sets import COVERAGES, DELTA, HOLDOUT, MOST_ROWS, _without_privacy, scored, tables
from sklearn.base import BaseEstimator, ClassifierMixin

from tacit import LogisticClassifier


class Given(ClassifierMixin, BaseEstimator):
    """A classifier of rows that are probabilities already."""

    def __init__(self, n_classes: int = 2):
        self.n_classes = n_classes
        self.classes_ = np.arange(n_classes)

    def fit(self, X: np.ndarray, y: np.ndarray) -> Given:
        """Learn nothing."""
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the rows."""
        return np.asarray(X)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the likeliest class of each row."""
        return np.asarray(X).argmax(axis=1)


def by_mapie(held: np.ndarray, truth: np.ndarray, new: np.ndarray, coverage: float) -> np.ndarray:
    """Return sets of new rows by probabilities, each class by the held-out rows of the class."""
    n_classes, sets = held.shape[1], np.ones(new.shape, dtype=bool)
    for at in range(n_classes):
        own = truth == at
        if not own.any():
            continue
        mapie = SplitConformalClassifier(
            Given(n_classes), confidence_level=coverage, conformity_score="lac", prefit=True
        )
        mapie.conformalize(held[own], truth[own])
        sets[:, at] = mapie.predict_set(new)[1][:, at, 0]
    return sets


def main(*names: str) -> None:
    """Print a line for each table and coverage."""
    warnings.simplefilter("ignore")
    print("table | nominal | size by hand | size by MAPIE | cells that differ | MAPIE's least coverage")
    for name, frame, labels, schema in tables():
        if names and name not in names:
            continue
        schema, n_rows = schema.all_private(), min(MOST_ROWS, int(0.8 * len(labels)))
        order = np.random.default_rng(0).permutation(len(labels))
        train, rest = np.split(order, [n_rows - int(HOLDOUT * n_rows)])
        model = LogisticClassifier(schema, epsilon=1.0, delta=DELTA, random_state=0).fit(frame[train], labels[train])
        held, new = np.split(rest, [int(HOLDOUT * n_rows)])
        both = [scored(model.model_, frame[at], labels[at]) for at in (held, new)]
        likely = [model.predict_proba(frame[at]) for at in (held, new)]
        for coverage in COVERAGES:
            hand = _without_privacy(*both, 1 - coverage)
            mapie = by_mapie(likely[0], both[0].truth, likely[1], coverage)
            least = min(mapie[both[1].truth == at, at].mean() for at in np.unique(both[1].truth))
            print(
                f"{name} | {100 * coverage:g} | {hand.sum(axis=1).mean():.4f} | {mapie.sum(axis=1).mean():.4f} |",
                f"{(hand != mapie).mean():.5f} | {100 * least:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
