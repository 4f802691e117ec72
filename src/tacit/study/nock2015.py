"""Settings and figures of Nock, Patrini and Friedman (2015): table 1, and learning from protected rados.

Everything here reads rows without privacy, as the paper's experiments do: features are standardized on the training
fold, and the rule with the least training error is kept. The factor 1/2 of Definition 1 stands here; the authors'
program leaves it out, which changes coefficients by a factor and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import stats
from sklearn.model_selection import StratifiedKFold

from tacit.boosting.adaboost import TrainingError, boost_examples
from tacit.boosting.radoboost import RoundSettings, boost_rados
from tacit.datasets import load
from tacit.mechanisms.rado_signatures import DrawnSignatures, FreeSignatures, RandomBits, draw_subsets
from tacit.queries.rademacher_sums import sum_parts
from tacit.table import LinearEncoding, read_rows

PUBLISHED = {
    "abalone": {"adaboost": (22.96, 1.44), "adaboost(n)": (23.20, 1.44), "radoboost": (25.14, 1.83)},
    "wine-white": {"adaboost": (30.93, 3.42), "adaboost(n)": (30.44, 3.25), "radoboost": (32.48, 3.55)},
    "magic-gamma": {"adaboost": (21.07, 0.98), "adaboost(n)": (20.91, 0.99), "radoboost": (22.75, 1.51)},
    "eeg-eye-state": {"adaboost": (46.04, 1.38), "adaboost(n)": (44.36, 1.99), "radoboost": (44.23, 1.73)},
}
"""Errors in percent, mean and standard deviation over ten folds: table 1."""

OUTLIER = 100
"""Standard deviations from the mean; table 1's column 100 sigma counts the features that have such a value."""


@dataclass(frozen=True, eq=False)
class Fold:
    """Edges of training and test rows, features standardized on the training rows."""

    train: np.ndarray
    test: np.ndarray


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
    labels = np.where(data.target.to_numpy() == sorted(schema.label.classes)[1], 1.0, -1.0)
    return features, labels


def folds(features: np.ndarray, labels: np.ndarray, n_folds: int = 10, seed: int = 0) -> Iterator[Fold]:
    """Yield stratified folds."""
    splits = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(features, labels)
    for train, test in splits:
        mean, deviation = features[train].mean(axis=0), features[train].std(axis=0)
        scaled = (features - mean) / np.where(deviation > 0, deviation, 1)
        edges = scaled * labels[:, None]
        yield Fold(edges[train], edges[test])


def outlier_features(features: np.ndarray) -> int:
    """Return how many features have a value further than 100 standard deviations from the mean."""
    deviation = np.where(features.std(axis=0) > 0, features.std(axis=0), 1)
    return int(np.sum((np.abs(features - features.mean(axis=0)) / deviation > OUTLIER).any(axis=0)))


def table1(
    name: str,
    *,
    rounds: int = 1000,
    n_folds: int = 10,
    seed: int = 0,
    rado_learner: str = "strongest",
    least_edge: float = 0.0,
) -> pl.DataFrame:
    """Return test errors in percent of AdaBoost, AdaBoost(n) and RadoBoost, one row a fold.

    Parameters
    ----------
    name : str
        A packaged data set of two classes.
    rounds, n_folds, seed : int
    rado_learner : {"strongest", "capped", "median"}
        RadoBoost's weak learner; the examples' is ``"strongest"``.
    least_edge : float
        AdaBoost's minimal |r|.
    """
    features, labels = edges_of(name)
    examples = RoundSettings(rounds, least_edge=least_edge)
    rows = []
    for number, fold in enumerate(folds(features, labels, n_folds, seed)):
        generator = np.random.default_rng([seed, number])
        n = min(1000, len(fold.train) // 2)
        chosen = generator.choice(len(fold.train), n, replace=False)
        rados = sum_parts(fold.train, FreeSignatures(n, RandomBits(generator)))
        settings = RoundSettings(rounds, rado_learner)  # type: ignore[arg-type]
        rules = {
            "adaboost": boost_examples(fold.train, examples).theta,
            "adaboost(n)": boost_examples(fold.train, examples, rows=chosen).theta,
            "radoboost": boost_rados(rados, settings, reached=TrainingError(fold.train)).theta,
            "radoboost, by rado risk": boost_rados(rados, settings, iterate="rado-risk").theta,
        }
        rows.append({"fold": number, **{key: 100 * float(np.mean(fold.test @ t <= 0)) for key, t in rules.items()}})
    return pl.DataFrame(rows)


def p_values(table: pl.DataFrame) -> tuple[float, float]:
    """Return p and p': paired two-sided t-tests of RadoBoost against AdaBoost and AdaBoost(n)."""
    ours = table["radoboost"].to_numpy()
    tests = [stats.ttest_rel(table[other].to_numpy(), ours).pvalue for other in ("adaboost", "adaboost(n)")]
    return float(tests[0]), float(tests[1])


def noisy_edges(
    name: str, deviation: float, *, support: float = 0.5, rounds: int = 1000, seed: int = 0, n_folds: int = 10
) -> pl.DataFrame:
    """Return test errors with Gaussian noise of this deviation on each standardized training edge: table 2, right.

    AdaBoost on the noisy edges; RadoBoost with the strongest learner on plain rados; RadoBoost with the median learner
    on rados of fixed support.
    """
    features, labels = edges_of(name)
    rows = []
    for number, fold in enumerate(folds(features, labels, n_folds, seed)):
        generator = np.random.default_rng([seed, number])
        noisy = fold.train + deviation * generator.standard_normal(fold.train.shape)
        n, size = min(1000, len(noisy) // 2), max(1, int(support * len(noisy)))
        bits = RandomBits(generator)
        plain = sum_parts(noisy, FreeSignatures(n, bits))
        fixed = sum_parts(noisy, DrawnSignatures(draw_subsets(np.full(n, size), len(noisy), bits)))
        median, error = RoundSettings(rounds, "median"), TrainingError
        rules = {
            "adaboost": boost_examples(noisy, RoundSettings(rounds)).theta,
            "radoboost": boost_rados(plain, RoundSettings(rounds), reached=error(noisy)).theta,
            "prudential, fixed support": boost_rados(fixed, median, reached=error(noisy)).theta,
        }
        rows.append({"fold": number, **{key: 100 * float(np.mean(fold.test @ t <= 0)) for key, t in rules.items()}})
    return pl.DataFrame(rows)
