"""Whether the scores of rows are known from coefficients alone: `python -m benchmarks.score_spread`.

How far probabilities of K-norm logistic regression should be shrunk follows from the noise's distribution and from the
mean and the spread of the scores. For each kind of table and epsilon, means of three fits: the factor that held-out
rows choose for the log-odds; their mean and deviation over rows, and as the schema's even shares of cells have them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from math import sqrt

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.drawn import Drawn
from benchmarks.probabilities import N_TEST, SEEDS, tables
from tacit import LogisticClassifier, Model
from tacit.errors import PrivacyWarning

EPSILONS = (0.1, 0.3, 1.0)


def by_even_shares(model: Model) -> tuple[float, float]:
    """Return mean and deviation of the score, were each cell of a column as frequent as any other."""
    (scorer,), mean, variance = model.scorers, 0.0, 0.0
    for encoding, weights in scorer.encoded(model.schema):  # type: ignore[union-attr]
        for own in np.split(weights, np.cumsum(encoding.widths)[:-1]):
            mean, variance = mean + own.mean(), variance + own.var()
    return mean + scorer.intercept, sqrt(variance)  # type: ignore[union-attr]


def measured(drawn: Drawn, epsilon: float) -> Iterator[tuple[float, ...]]:
    """Yield, for each seed, the best factor, mean and deviation over rows, mean and deviation by even shares."""
    schema, rows, labels = drawn
    for seed in SEEDS:
        learner = LogisticClassifier(schema, epsilon=epsilon, method="k-norm", random_state=seed)
        model = learner.fit(rows[:-N_TEST], labels[:-N_TEST]).model_
        scores, truth = model.decision_function(rows[-N_TEST:]), labels[-N_TEST:] == model.classes[1]
        factor = LogisticRegression(C=1e6).fit(scores[:, None], truth).coef_[0, 0]
        yield factor, scores.mean(), scores.std(), *by_even_shares(model)


def main() -> None:
    """Print a line for each kind and epsilon."""
    warnings.simplefilter("ignore", PrivacyWarning)
    for kind, drawn in tables():
        for epsilon in EPSILONS:
            found = np.mean(list(measured(drawn, epsilon)), axis=0)
            print(f"{kind:8} {epsilon:5g} " + " ".join(f"{each:6.2f}" for each in found), flush=True)


if __name__ == "__main__":
    main()
