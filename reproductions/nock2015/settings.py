"""Settings of Nock, Patrini and Friedman (2015), and their table 1.

Everything here reads rows without privacy, as the paper's experiments do: features are standardized on the training
fold, and the rule with the least training error is kept. The factor 1/2 of Definition 1 is applied here; the authors'
program leaves it out, which changes coefficients by a factor and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold

import reproductions.nock2015.large_records  # noqa: F401  lets `load` know the large tables
from reproductions.nock2015.adaboost import TrainingError, boost_examples
from tacit.boosting.radoboost import RoundSettings, WeakLearnerName, boost_rados
from tacit.datasets import load
from tacit.features import LinearEncoding
from tacit.mechanisms.rado_signatures import FreeSignatures, RandomBits
from tacit.queries.rademacher_sums import sum_parts
from tacit.table import read_rows

ROUNDS, FOLDS = 1000, 10
"""Section 4."""

MAX_RADOS = 1000
"""Section 4: n = min(1000, half of the training fold)."""

OUTLIER = 100
"""Standard deviations from the mean; table 1's column 100 sigma counts the features that have such a value."""


@dataclass(frozen=True, eq=False)
class Fold:
    """Edges of training and test rows, features standardized on the training rows.

    Attributes
    ----------
    train, test : array of shape (n_rows, n_features)
    seed : tuple of int
        Of everything random in this fold.
    """

    train: np.ndarray
    test: np.ndarray
    seed: tuple[int, int] = (0, 0)

    @property
    def n_rados(self) -> int:
        """min(1000, half of the training rows)."""
        return min(MAX_RADOS, len(self.train) // 2)

    def generator(self) -> np.random.Generator:
        """Return a generator of its own for this fold, always at its beginning."""
        return np.random.default_rng(list(self.seed))

    def error(self, theta: np.ndarray) -> float:
        """Return the test error in percent, ties counted as wrong."""
        return 100 * float(np.mean(self.test @ theta <= 0))


def edges_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return features as numbers, shape (n_rows, n_features), and labels -1 or 1, of a packaged data set.

    Numbers are taken as they are in the data set, beyond the schema's bounds too; categories are ordinal.
    """
    data = load(name)
    schema = data.schema
    encoding = LinearEncoding(schema, schema.names)
    features = encoding.transform(read_rows(data.frame, schema))
    for place, column in enumerate(schema.names):
        if data.frame[column].dtype.is_numeric():
            features[:, place] = data.frame[column].to_numpy().astype(np.float64)
    labels = np.where(data.target.to_numpy() == sorted(schema.classes)[1], 1.0, -1.0)
    return features, labels


def folds(
    features: np.ndarray, labels: np.ndarray, n_folds: int = FOLDS, seed: int = 0, binary: int | None = None
) -> Iterator[Fold]:
    """Yield stratified folds.

    Parameters
    ----------
    features, labels : arrays
    n_folds, seed : int
    binary : int, optional
        A feature of two values that is coded -1 and 1 instead of standardized, as DP-Feat needs it.
    """
    splits = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(features, labels)
    for number, (train, test) in enumerate(splits):
        mean, deviation = features[train].mean(axis=0), features[train].std(axis=0)
        scaled = (features - mean) / np.where(deviation > 0, deviation, 1)
        if binary is not None:
            scaled[:, binary] = np.where(features[:, binary] > features[:, binary].min(), 1.0, -1.0)
        edges = scaled * labels[:, None]
        yield Fold(edges[train], edges[test], (seed, number))


def outlier_features(features: np.ndarray) -> int:
    """Return how many features have a value further than 100 standard deviations from the mean.

    Examples
    --------
    >>> outlier_features(np.eye(10_002, 2))  # a one among 10,001 zeros is 100.005 deviations from their mean
    2
    """
    deviation = np.where(features.std(axis=0) > 0, features.std(axis=0), 1)
    return int(np.sum((np.abs(features - features.mean(axis=0)) / deviation > OUTLIER).any(axis=0)))


def table1_errors(
    fold: Fold, *, rounds: int = ROUNDS, rado_learner: WeakLearnerName = "strongest", least_edge: float = 0.0
) -> dict[str, float]:
    """Return the test errors in percent of AdaBoost, AdaBoost(n) and RadoBoost on one fold.

    Parameters
    ----------
    fold : Fold
    rounds : int
    rado_learner : {"strongest", "capped", "median"}
        RadoBoost's weak learner; the examples' is ``"strongest"``.
    least_edge : float
        AdaBoost's minimal |r|.
    """
    generator, train = fold.generator(), fold.train
    examples = RoundSettings(rounds, least_edge=least_edge)
    chosen = generator.choice(len(train), fold.n_rados, replace=False)
    rados = sum_parts(train, FreeSignatures(fold.n_rados, RandomBits(generator)))
    settings = RoundSettings(rounds, rado_learner)
    rules = {
        "adaboost": boost_examples(train, examples),
        "adaboost(n)": boost_examples(train, examples, rows=chosen),
        "radoboost": boost_rados(rados, settings, reached=TrainingError(train)),
        "radoboost, by rado risk": boost_rados(rados, settings, iterate="rado-risk"),
    }
    return {name: fold.error(rule.theta) for name, rule in rules.items()}
