"""Whether logistic probabilities should be shrunk by their known noise: `python -m benchmarks.moderation`.

For each kind of table, method and epsilon the log-loss of held-out rows: as they are; with the log-odds s divided by
sqrt(1 + pi v / 8) (MacKay 1992), v being the variance of the noise in the row's score by released values and the
noise's distribution; and with the part of v beyond twice its mean over rows alone, the noise of rare categories.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.metrics import log_loss

from benchmarks.probabilities import N_TRAIN, SEEDS, tables
from tacit import LogisticClassifier, Model
from tacit.errors import PrivacyWarning
from tacit.models.attribution import attribution
from tacit.models.cells import ColumnCells
from tacit.table import Rows

METHODS: tuple[tuple[float, Mapping[str, str]], ...] = (
    (0.0, {"method": "k-norm"}),
    (0.0, {"method": "mean-operator"}),
    (1e-6, {"encoding": "ranked"}),
    (1e-6, {"encoding": "binned"}),
)


def cells_of(model: Model) -> dict[str, ColumnCells]:
    """Return the cells of each column, by which the model states its noise."""
    return {cell.column.name: cell for cell in attribution(model.scorers[0], model.schema).cells}


def variances(model: Model, rows: Rows) -> tuple[NDArray[np.float64], float]:
    """Return the noise's variance in the score of each row, and its mean by the released shares of cells."""
    cells, total, mean = cells_of(model), np.zeros(rows.n_rows), 0.0
    for noise in model.scorers[0].noise:
        squares = np.asarray(noise.deviations[0]) ** 2
        total += np.append(squares, 0.0)[cells[noise.column].codes(rows)]
        mean += float(np.asarray(noise.shares) @ squares)
    return total, mean


def main() -> None:
    """Print a line for each kind, method and epsilon."""
    warnings.simplefilter("ignore", PrivacyWarning)
    for kind, (schema, given, labels) in tables():
        for delta, method in METHODS:
            for epsilon in (0.03, 0.1, 0.3, 1.0, 5.0):
                losses = []
                for seed in SEEDS:
                    fitted = LogisticClassifier(schema, epsilon=epsilon, delta=delta, random_state=seed, **method)
                    model = fitted.fit(given[:N_TRAIN], labels[:N_TRAIN]).model_
                    rows = model.read(given[N_TRAIN:])
                    scores, (own, mean) = model.decision_function(rows), variances(model, rows)
                    truth = labels[N_TRAIN:] == model.classes[1]
                    losses.append(
                        [
                            log_loss(truth, expit(scores / np.sqrt(1 + np.pi / 8 * v)))
                            for v in (0.0, own, np.maximum(own - 2 * mean, 0.0))
                        ]
                    )
                plain, shrunk, beyond = np.mean(losses, axis=0)
                print(f"{kind:8} {method} {epsilon:5g}  {plain:.4f}  {shrunk:.4f}  {beyond:.4f}", flush=True)


if __name__ == "__main__":
    main()
