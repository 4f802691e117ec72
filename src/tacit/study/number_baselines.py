"""Non-private baselines of a number to predict, with which a study compares private regressors."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np

from tacit.features.feature_encoding import named_encoding
from tacit.study.baselines import Scores, check_fits, fitted_on_numbers, plain_numbers, same_for_all
from tacit.study.splits import Split

NumberBaseline = Callable[..., Scores]
"""Called with a split, a seed, and parameters of its own; returns what predicts numbers of rows, shape (n_rows,)."""


def mean(split: Split, seed: int) -> Scores:
    """Return the mean of the training rows' numbers for every row: what R2 of a study is measured against.

    Privacy: none, as a study is not private and says so.
    """
    return same_for_all(np.asarray(split.train_labels.mean()))


def ridge(split: Split, seed: int, *, alpha: float = 1.0) -> Scores:
    """Return ridge regression on numbers within [-1, 1] and one-hot categories; ``alpha`` is scikit-learn's."""
    from sklearn.linear_model import Ridge

    encoded = named_encoding(split.schema, split.schema.names, "one-hot", 2)
    check_fits(split, encoded.n_features)
    model = Ridge(alpha=alpha).fit(encoded.transform(split.train), split.train_labels)
    return lambda rows: np.asarray(model.predict(encoded.transform(rows)), dtype=np.float64)


def hist_gradient_boosting(
    split: Split, seed: int, *, max_iter: int = 100, learning_rate: float = 0.1, max_leaf_nodes: int = 31
) -> Scores:
    """Return scikit-learn's gradient boosting on histograms, categories as such where they are few enough."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    given: dict[str, Any] = {"max_iter": max_iter, "learning_rate": learning_rate, "max_leaf_nodes": max_leaf_nodes}
    model = fitted_on_numbers(HistGradientBoostingRegressor, split, seed, categories=True, **given)
    return lambda rows: np.asarray(model.predict(plain_numbers(rows)), dtype=np.float64)


NUMBER_BASELINES: MappingProxyType[str, NumberBaseline] = MappingProxyType(
    {"mean": mean, "ridge": ridge, "hist-gradient-boosting": hist_gradient_boosting}
)
