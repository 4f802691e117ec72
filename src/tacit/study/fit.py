"""The measure "fit": one learner trained on one split at one budget, scored on its test rows; columns of results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from tacit.errors import ParameterError
from tacit.study.learners import Predicted, PredictedNumbers, Predictions, learner_kind, predictions
from tacit.study.run.measures import measure
from tacit.study.run.tables import Tables
from tacit.study.run.task import Task
from tacit.study.splits import Split

_TEXTS = ("key", "data", "privacy", "learner", "name", "kind", "parameters")
TENTHS = 10
NUMBER_MEASURES = ("rmse", "mae", "r2")
_SIZES = ("n_train", "n_test", "n_columns", "n_private_columns")
COLUMNS = {
    **dict.fromkeys(_TEXTS, pl.String),
    **dict.fromkeys(("epsilon", "delta"), pl.Float64),
    **dict.fromkeys(("repeat", "fold", "seed"), pl.Int64),
    **dict.fromkeys(("status", "error", "message"), pl.String),
    **dict.fromkeys(("accuracy", "auc", "fit_seconds", "predict_seconds"), pl.Float64),
    **dict.fromkeys(_SIZES, pl.Int64),
    **dict.fromkeys(("balanced_accuracy", "log_loss", "brier", "majority"), pl.Float64),
    "calibration": pl.String,
    **dict.fromkeys(NUMBER_MEASURES, pl.Float64),
}
"""Names and types of the results of fits.

``epsilon`` and ``delta`` are null without privacy, ``fold`` without cross-validation, ``error`` and ``message`` where
the fit succeeded, the measured values where it failed, and ``auc`` where it has no meaning. ``majority`` is the
accuracy of predicting the most frequent class of the training rows for all; earlier results lack it and its neighbors.
``calibration``, of two classes, is a JSON list: for each tenth of the probability scale the test rows, their mean
probability of the second class, and the share that has it. Of a number to predict the measures are ``rmse`` and
``mae``, in the target's unit, and ``r2``: by how much of its own the squared error is below that of the training rows'
mean, so that always predicting this mean has an R2 of exactly 0. It is null where the mean is right in every test row.
"""


def fit_results(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of fits, as a store gives them, with exactly the columns of a study's results.

    Raises
    ------
    ParameterError
        If a value is of another type than its column.
    """
    columns = [
        (pl.col(name) if name in rows.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in COLUMNS.items()
    ]
    try:
        return rows.select(columns)
    except pl.exceptions.PolarsError:
        message = "Expected results of fits in the store, got values that no fit gives. Choose another store."
    raise ParameterError(message)


def fit_task(
    *,
    data: str,
    learner: str,
    split: Mapping[str, Any],
    epsilon: float | None = None,
    delta: float | None = None,
    parameters: Mapping[str, Any] | None = None,
    privacy: str = "as-declared",
    repeat: int = 0,
    seed: int = 0,
    file: Mapping[str, Any] | None = None,
    name: str | None = None,
    **labels: Any,
) -> Task:
    """Return the task of one fit of a learner by name, see `tacit.study.learners`; without privacy it has no epsilon.

    Parameters
    ----------
    data, file
        As `tacit.study.data.packaged_or_file` gives them.
    split : mapping
        See `tacit.study.splits.split_rows`.
    repeat, seed : int
        The repetition, and the study's seed.
    name : str, optional
        What to call the learner.
    **labels
        Further columns of the row, which do not change what is computed.

    Examples
    --------
    >>> task = fit_task(data="adult", learner="brc", epsilon=1.0, delta=0.0, split={"kind": "official"})
    >>> task.measure, task.labels["kind"]
    ('fit', 'private')
    """
    inputs = {
        "data": data,
        "file": file,
        "privacy": privacy,
        "learner": learner,
        "parameters": dict(parameters or {}),
        "epsilon": epsilon if epsilon is None else float(epsilon),
        "delta": delta if delta is None else float(delta),
        "split": dict(split),
        "repeat": repeat,
        "fold": split.get("fold"),
        "seed": seed,
    }
    return Task("fit", inputs, {"name": name or learner, "kind": learner_kind(learner), **labels})


@measure("fit")
def fit(task: Task, tables: Tables) -> dict[str, Any]:
    """Return accuracy and area under the curve, or errors of a number to predict; seconds and sizes."""
    split, given = tables.split(task), task.inputs
    made = predictions(
        given["learner"],
        split,
        epsilon=given["epsilon"],
        delta=given["delta"],
        seed=task.seed,
        parameters=given["parameters"],
    )
    return scored(made, split)


def scored(made: Predicted, split: Split) -> dict[str, Any]:
    """Return the results of a fit by name."""
    sizes = {
        "fit_seconds": made.fit_seconds,
        "predict_seconds": made.predict_seconds,
        "n_train": len(split.train_index),
        "n_test": len(split.test_index),
        "n_columns": len(split.schema.columns),
        "n_private_columns": len(split.schema.private_columns),
    }
    return sizes | (_of_numbers(made, split) if isinstance(made, PredictedNumbers) else _of_classes(made, split))


def _of_numbers(made: PredictedNumbers, split: Split) -> dict[str, float | None]:
    """Return errors in the target's unit, and R2 against the training rows' mean."""
    misses = made.numbers - split.test_labels
    square = float(np.mean(misses**2))
    by_mean = float(np.mean((split.train_labels.mean() - split.test_labels) ** 2))
    r2 = 1.0 - square / by_mean if by_mean > 0.0 else None
    return {"rmse": sqrt(square), "mae": float(np.mean(np.abs(misses))), "r2": r2}


def _of_classes(made: Predictions, split: Split) -> dict[str, Any]:
    right = split.test_labels
    return {
        "accuracy": float(np.mean(made.codes == right)),
        "auc": _area(made, right),
        "balanced_accuracy": float(np.mean([np.mean(made.codes[right == k] == k) for k in np.unique(right)])),
        **_of_probabilities(made, right),
        "calibration": _calibration(made, right),
        "majority": float(np.mean(right == np.bincount(split.train_labels).argmax())),
    }


def _area(made: Predictions, right: NDArray[np.integer]) -> float | None:
    """Return the area under the ROC curve; of more than two classes, the mean over pairs (Hand and Till 2001)."""
    if made.scores is not None:
        return area_under_curve(made.scores, right)
    if made.likely is None or len(np.unique(right)) < made.likely.shape[1]:
        return None
    return float(roc_auc_score(right, made.likely, multi_class="ovo"))


def _of_probabilities(made: Predictions, right: NDArray[np.integer]) -> dict[str, float | None]:
    """Return the logarithmic loss in nats, probabilities clipped at 1e-6, and the Brier score, from 0 to 1."""
    if made.likely is None:
        return {"log_loss": None, "brier": None}
    own = made.likely[np.arange(len(right)), right]
    squares = (made.likely**2).sum(axis=1) - 2 * own + 1
    return {"log_loss": float(-np.log(np.maximum(own, 1e-6)).mean()), "brier": float(squares.mean() / 2)}


def _calibration(made: Predictions, right: NDArray[np.integer]) -> str | None:
    """Return rows, mean probability and share of the second of two classes in each tenth, as JSON."""
    # Those of other libraries may be anything.
    if made.likely is None or made.likely.shape[1] != 2 or not np.isfinite(made.likely).all():
        return None
    second = np.clip(made.likely[:, 1], 0.0, 1.0)
    places = np.minimum((second * TENTHS).astype(np.intp), TENTHS - 1)
    rows, said, came = (np.bincount(places, each, minlength=TENTHS) for each in (np.ones(len(right)), second, right))
    most = np.maximum(rows, 1.0)
    return json.dumps(
        [[int(n), round(p, 6), round(q, 6)] for n, p, q in zip(rows, said / most, came / most, strict=True)]
    )


def area_under_curve(scores: NDArray[np.float64], labels: NDArray[np.integer]) -> float | None:
    """Return how often a row of class 1 scores above one of class 0, ties counting half; None with one class.

    Examples
    --------
    >>> area_under_curve(np.array([0.1, 0.2, 0.2, 0.9]), np.array([0, 1, 0, 1]))
    0.875
    """
    if len(np.unique(labels)) < 2:
        return None
    # Ranks have the same area, and are finite where a score is not, as those of other libraries may be.
    ranks = np.unique(scores, return_inverse=True)[1]
    return float(roc_auc_score(labels, ranks))
