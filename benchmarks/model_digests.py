"""A digest of what each learner's seeded fits say: the same before and after a change that must not change models.

Run: python benchmarks/model_digests.py > before.txt; make the change; run it again into after.txt; diff the two.

One line a fit: table, what is private, budget, learner, settings; then two digests: of the scores on the training rows
(all bits), and of the releases (sensitivity, noise scale, loss of each). Less than a minute together.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import tacit
from tacit.datasets import load
from tacit.schema import Schema

SEED = 7
ROWS = {"adult": 4000, "mushroom": 3000, "nursery": 2000}
LEARNERS: dict[str, list[dict[str, Any]]] = {
    "BRCClassifier": [{}, {"intercept": "selected", "encoding": "one-hot"}],
    "LazyBBClassifier": [
        {},
        {"weak_learner": "tree"},
        {"literals": "both", "cut_points": "private"},
        {"public_start": False},
    ],
    "NaiveBayesClassifier": [{}, {"numeric": "gaussian"}],
    "BoostedTreesClassifier": [{}, {"structure": "additive"}],
    "TreeClassifier": [{}, {"criterion": "gini"}, {"growth": "level", "criterion": "counts"}, {"leaf_detail": "plain"}],
    "LogisticClassifier": [
        {},
        {"encoding": "ordinal"},
        {"method": "objective-perturbation"},
        {"method": "mean-operator"},
    ],
    "SVMClassifier": [{}],
    "RadoBoostClassifier": [{"protection": "private"}, {"protection": "private", "rule": "linear"}],
}
WITH_DELTA: dict[str, list[dict[str, Any]]] = {
    **{name: settings[:1] for name, settings in LEARNERS.items() if name not in ("SVMClassifier",)},
    "LogisticClassifier": [{}, {"method": "noisy-gradient"}, {"method": "gaussian-objective"}],
}


def units(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Everything private; a public label; a public label and half of the columns public."""
    yield "all", schema.all_private()
    yield "features", schema.with_private(schema.names, label=False)
    yield "half", schema.with_private(schema.names[::2], label=False)


def fits() -> Iterator[tuple[str, str, float, str, dict[str, Any], Schema, Any, Any]]:
    """Yield each fit's description and its rows."""
    for name, n_rows in ROWS.items():
        data = load(name)
        rows = np.random.default_rng(SEED).permutation(data.frame.height)[:n_rows]
        frame, target = data.frame[rows], data.target[rows]
        for unit, schema in units(data.schema):
            for delta, learners in ((0.0, LEARNERS), (1e-6, WITH_DELTA)):
                for learner, all_settings in learners.items():
                    for settings in all_settings:
                        yield name, unit, delta, learner, settings, schema, frame, target


def digest(*parts: bytes) -> str:
    """Return the first 12 digits of a digest."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
    return total.hexdigest()[:12]


def main() -> None:
    """Print a line for each fit."""
    warnings.simplefilter("ignore")
    for name, unit, delta, learner, settings, schema, frame, target in fits():
        given = " ".join(f"{key}={value}" for key, value in settings.items()) or "defaults"
        described = f"{name} {unit} delta={delta:g} {learner} {given}"
        try:
            model = getattr(tacit, learner)(schema, epsilon=1.0, delta=delta, random_state=SEED, **settings)
            model.fit(frame, target)
        except tacit.TacitError as error:
            print(described, "refused:", type(error).__name__, flush=True)
            continue
        scores = np.ascontiguousarray(model.decision_function(frame)).astype("<f8")
        releases = [(line.sensitivity, line.noise_scale, line.loss) for line in model.privacy_.releases]
        print(described, digest(scores.tobytes()), digest(np.asarray(releases, dtype="<f8").tobytes()), flush=True)


if __name__ == "__main__":
    sys.exit(main())
