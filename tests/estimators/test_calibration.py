"""Calibration by held-out rows lowers the log-loss of drawn tables in the mean, and makes next to none worse."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.drawn_classes import by_class, crowds, ratings, rules
from tacit.estimators import LogisticClassifier, NaiveBayesClassifier, TreeClassifier

N_TEST = 4_000


@pytest.mark.parametrize(
    ("n_classes", "n_rows", "settings"),
    [
        (2, 5_000, {"epsilon": 0.5, "holdout": 0.1}),
        pytest.param(5, 20_000, {"epsilon": 1.0, "holdout": 0.15}, marks=pytest.mark.study),
    ],
)
def test_calibration_by_few_rows_gains_in_the_mean_and_does_no_harm(n_classes, n_rows, settings):
    """Noise hides much of where so few scores lie, and of what came true."""
    changes = []
    for at, draw in enumerate((by_class, crowds, ratings, rules)):
        X, y, schema = draw(np.random.default_rng([20 + at, n_classes]), n_rows + N_TEST, n_classes)
        for learner in (LogisticClassifier, NaiveBayesClassifier, TreeClassifier):
            for seed in range(3):
                fitted = learner(schema, random_state=seed, on_invalid="coerce", **settings)
                model = fitted.fit(X.head(n_rows), y[:n_rows]).model_
                own = np.searchsorted(model.classes, y[n_rows:])
                losses = [
                    -np.log(model.predict_proba(X.tail(N_TEST), calibrated=how)[np.arange(N_TEST), own]).mean()
                    for how in (False, True)
                ]
                changes.append(losses[1] - losses[0])
    assert np.mean(changes) < -0.005
    assert np.mean(np.asarray(changes) > 0.02) < 0.03 and np.max(changes) < 0.05
