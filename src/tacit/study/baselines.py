"""Non-private baselines on the schema's features, with which a study compares private learners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.features import BinEncoding
from tacit.features.feature_encoding import EncodingName, named_encoding
from tacit.features.literals import literals
from tacit.schema import Categorical
from tacit.study.splits import Split
from tacit.table import Rows
from tacit.table.files.memory import check_memory

Scores = Callable[[Rows], NDArray[np.float64]]
"""Returns scores of rows: shape (n_rows,), above zero for the second class; or (n_rows, n_classes)."""


@dataclass(frozen=True)
class FittedBaseline:
    """What a baseline has learned."""

    scores: Scores
    likely: Scores | None
    """Returns class probabilities, (n_rows, n_classes); None where the baseline has none."""


_HELD = 24
"""Bytes of memory for each number of a training row: a double, and copies of it."""

Baseline = Callable[..., FittedBaseline]
"""Called with a split, a seed, and parameters of its own; returns what was fitted."""


def majority(split: Split, seed: int) -> FittedBaseline:
    """Return the majority class of the training rows for every row, and their shares of the classes as probabilities.

    Privacy: none, as a study is not private and says so.
    """
    counts = np.bincount(split.train_labels, minlength=len(split.classes)).astype(np.float64)
    constant = counts if len(counts) > 2 else np.sign(counts[1] - counts[0])
    return FittedBaseline(same_for_all(constant), same_for_all(counts / counts.sum()))


def logistic(
    split: Split,
    seed: int,
    *,
    encoding: EncodingName = "one-hot",
    n_bins: int = 32,
    C: float = 1.0,
    columns: Literal["all", "public"] = "all",
) -> FittedBaseline:
    """Return logistic regression; ``C`` is scikit-learn's."""
    from sklearn.linear_model import LogisticRegression

    names = split.schema.names if columns == "all" else split.schema.public_columns
    if not names:
        raise ParameterError("Expected public columns for baseline:logistic-public, got none. Leave it out.")
    encoded = named_encoding(split.schema, names, encoding, n_bins)
    check_fits(split, encoded.n_features)
    # Packaged tables take 21 to 76 iterations: 5,000 ends only what does not converge.
    model = LogisticRegression(C=C, max_iter=5000).fit(encoded.transform(split.train), split.train_labels)
    return _decisions(model, encoded.transform, len(split.classes))


def logistic_public(split: Split, seed: int, **parameters: Any) -> FittedBaseline:
    """Return logistic regression on the public columns alone."""
    return logistic(split, seed, columns="public", **parameters)


def hist_gradient_boosting(
    split: Split, seed: int, *, max_iter: int = 100, learning_rate: float = 0.1, max_leaf_nodes: int = 31
) -> FittedBaseline:
    """Return scikit-learn's gradient boosting on histograms, categories as such where they are few enough."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    given: dict[str, Any] = {"max_iter": max_iter, "learning_rate": learning_rate, "max_leaf_nodes": max_leaf_nodes}
    model = fitted_on_numbers(HistGradientBoostingClassifier, split, seed, categories=True, **given)
    return _decisions(model, plain_numbers, len(split.classes))


def random_forest(split: Split, seed: int, *, n_estimators: int = 100, min_samples_leaf: int = 1) -> FittedBaseline:
    """Return scikit-learn's random forest, on ordinal codes."""
    from sklearn.ensemble import RandomForestClassifier

    given: dict[str, Any] = {"n_estimators": n_estimators, "min_samples_leaf": min_samples_leaf}
    return _decisions(
        fitted_on_numbers(RandomForestClassifier, split, seed, **given), plain_numbers, len(split.classes)
    )


def one_rule(split: Split, seed: int, *, n_bins: int = 32) -> FittedBaseline:
    """Return the condition on one column of least training error; for two classes."""
    if len(split.classes) != 2:
        raise ParameterError("Expected two classes for baseline:one-rule, got more. Leave it out.")
    encoding = BinEncoding(split.schema, split.schema.names, n_bins)
    check_fits(split, len(split.schema.columns))
    signs = 2.0 * split.train_labels - 1.0
    codes = encoding.transform(split.train)
    asked = literals(encoding, "both")
    # A condition and its denial are one question: the sign of the agreement says which of them.
    agreement = [signs @ _answers(codes, encoding, each) for each in asked]
    best = int(np.argmax(np.abs(agreement)))
    side = np.sign(agreement[best]) or 1.0
    return FittedBaseline(lambda rows: side * _answers(encoding.transform(rows), encoding, asked[best]), None)


BASELINES: MappingProxyType[str, Baseline] = MappingProxyType(
    {
        "majority": majority,
        "one-rule": one_rule,
        "logistic": logistic,
        "logistic-public": logistic_public,
        "hist-gradient-boosting": hist_gradient_boosting,
        "random-forest": random_forest,
    }
)


def fitted_on_numbers(
    kind: Callable[..., Any], split: Split, seed: int, *, categories: bool = False, **given: Any
) -> Any:
    """Return one of scikit-learn's estimators, fitted to numbers and codes; or to categories, where it takes them."""
    check_fits(split, len(split.schema.columns))
    if categories:
        columns = [split.schema.column(name) for name in split.schema.names]
        # scikit-learn's bound: a byte, less missing ones
        given["categorical_features"] = [isinstance(each, Categorical) and each.n_codes < 255 for each in columns]
    return kind(random_state=seed % 2**32, **given).fit(plain_numbers(split.train), split.train_labels)


def check_fits(split: Split, n_features: int) -> None:
    """Refuse training rows whose features do not fit into memory, where scikit-learn has them as a whole."""
    check_memory(len(split.train_index) * n_features * _HELD, "the training rows for a learner without privacy")


def _decisions(model: Any, features: Callable[[Rows], NDArray[np.float64]], n_classes: int) -> FittedBaseline:
    """Return the lead of the second of two classes, else probabilities; a class without training rows has none."""

    def likely(rows: Rows) -> NDArray[np.float64]:
        found = np.zeros((rows.n_rows, n_classes))
        found[:, model.classes_] = model.predict_proba(features(rows))
        return found

    def lead(rows: Rows) -> NDArray[np.float64]:
        found = likely(rows)
        return found[:, 1] - found[:, 0]

    return FittedBaseline(lead if n_classes == 2 else likely, likely)


def same_for_all(values: NDArray[np.float64]) -> Scores:
    """Return what gives each row the same value or values."""
    return lambda rows: np.broadcast_to(values, (rows.n_rows, *np.shape(values)))


def plain_numbers(rows: Rows) -> NDArray[np.float64]:
    """Return numbers and codes as they are; a category outside the list is missing."""
    columns = [np.where(v < 0, np.nan, v) if v.dtype.kind == "i" else v for v in rows.columns.values()]
    return np.column_stack(columns).astype(np.float64)


def _answers(codes: NDArray[Any], encoding: BinEncoding, literal: Any) -> NDArray[np.float64]:
    return 2.0 * literal.holds(codes[:, encoding.columns.index(literal.column)]) - 1.0
