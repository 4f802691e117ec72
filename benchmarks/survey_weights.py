"""A drawn survey of a known population: weighted fits with privacy and without, and fits that forget the weights.

`python -m benchmarks.survey_weights`. People are in a stratum that is no column: of the second one, of which the
outcome is more frequent, a survey asks eight times as many. The weight is one over that chance, so it follows from the
row alone.
Errors are on people of the population whom nobody asked.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.preprocessing import SplineTransformer

from tacit import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    Categorical,
    Label,
    LinearRegressor,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    Schema,
    Target,
    TreeClassifier,
    Weight,
)

COLUMNS = [Numeric("age", 18, 90), Numeric("hours", 0, 80), Categorical("region", ["n", "e", "s", "w"])]
CLASSES = Schema(COLUMNS, label=Label("ill", ["no", "yes"]), weight=Weight("w", 8))
NUMBER = Schema(COLUMNS, label=Target("cost", 0, 100), weight=Weight("w", 8))
CLASSIFIERS = (LogisticClassifier, NaiveBayesClassifier, TreeClassifier, BoostedTreesClassifier)
REGRESSORS = (LinearRegressor, BoostedTreesRegressor)


def people(n: int, draw: np.random.Generator) -> pl.DataFrame:
    """Return people of the population, with both outcomes and the chance of being asked."""
    age, hours = draw.uniform(18, 90, n), draw.uniform(0, 80, n)
    region, stratum = draw.integers(0, 4, n), draw.random(n) < 0.1 + 0.2 * (age > 55)
    log_odds = -2.2 + 0.03 * (age - 50) + 0.02 * np.abs(hours - 40) + 0.4 * (region == 1) + 2.5 * stratum
    ill = draw.random(n) < 1 / (1 + np.exp(-log_odds))
    cost = np.clip(20 + 0.2 * age - 0.1 * hours + 5 * (region == 2) + 25 * stratum + draw.normal(0, 8, n), 0, 100)
    chance = np.where(stratum, 1.0, 1 / 8)
    return pl.DataFrame(
        {"age": age, "hours": hours, "region": np.asarray(["n", "e", "s", "w"])[region],
         "ill": np.where(ill, "yes", "no"), "cost": cost, "w": 1 / chance, "chance": chance}
    )  # fmt: skip


def survey(n: int, draw: np.random.Generator) -> pl.DataFrame:
    """Return so many people who were asked."""
    found = people(12 * n, draw)
    return found.filter(pl.Series(draw.random(len(found)) < found["chance"].to_numpy()))[:n]


def features(frame: pl.DataFrame, *, smooth: bool) -> np.ndarray:
    """Return the columns as numbers; of a linear model regions one-hot, and numbers as splines between public knots."""
    numbers = frame.select("age", "hours").to_numpy()
    codes = frame["region"].replace_strict(["n", "e", "s", "w"], range(4), return_dtype=pl.Int64).to_numpy()
    if not smooth:
        return np.column_stack([numbers, codes])
    knots = SplineTransformer(knots=np.linspace([18, 0], [90, 80], 6)).fit(numbers)
    return np.column_stack([knots.transform(numbers), np.eye(4)[codes]])


def without_privacy(asked: pl.DataFrame, others: pl.DataFrame, outcome: str, *, smooth: bool) -> np.ndarray:
    """Return what weighted fits without privacy predict: a linear one on splines, or boosted trees."""
    number = outcome == "cost"
    kinds = (LinearRegression, HistGradientBoostingRegressor) if number else (
        partial(LogisticRegression, max_iter=1_000), HistGradientBoostingClassifier
    )  # fmt: skip
    fitted = kinds[not smooth]().fit(
        features(asked, smooth=smooth), asked[outcome].to_numpy(), sample_weight=asked["w"]
    )
    rows = features(others, smooth=smooth)
    return fitted.predict(rows) if number else fitted.predict_proba(rows)[:, 1]


def error(predicted: np.ndarray, others: pl.DataFrame, outcome: str) -> float:
    """Return the mean squared error of a number, of a probability the Brier score."""
    truth = others["cost"].to_numpy() if outcome == "cost" else (others["ill"] == "yes").to_numpy()
    return float(np.mean((predicted - truth) ** 2))


def of_ours(make, schema, asked: pl.DataFrame, others: pl.DataFrame, outcome: str, epsilon: float, seed: int) -> float:
    """Return the error of a fit with privacy."""
    model = make(schema, epsilon=epsilon, delta=0.0, random_state=seed).fit(asked, asked[outcome])
    predicted = model.predict(others) if outcome == "cost" else model.predict_proba(others)[:, 1]
    return error(np.asarray(predicted), others, outcome)


def main() -> None:
    """Print a line for each learner and epsilon: errors relative to the better weighted fit without privacy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--draws", type=int, default=10)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'learner':28}{'epsilon':>8}{'weighted':>10}{'unweighted':>12}   over the weighted fit without privacy")
    for outcome, schema, kinds in (("ill", CLASSES, CLASSIFIERS), ("cost", NUMBER, REGRESSORS)):
        found: dict[tuple[str, float], list[tuple[float, float]]] = {}
        for seed in range(options.draws):
            draw = np.random.default_rng(seed)
            asked, others = survey(options.rows, draw), people(200_000, draw)
            best = min(
                error(without_privacy(asked, others, outcome, smooth=each), others, outcome) for each in (True, False)
            )
            for make in kinds:
                for epsilon in (1.0, 10.0):
                    both = (of_ours(make, each, asked, others, outcome, epsilon, seed)
                            for each in (schema, replace(schema, weight=None)))  # fmt: skip
                    found.setdefault((make.__name__, epsilon), []).append(tuple(each / best for each in both))
        for (name, epsilon), each in found.items():
            mean, spread = np.mean(each, axis=0), np.std(each, axis=0) / len(each) ** 0.5
            print(
                f"{name:28}{epsilon:8g}{mean[0]:10.4f}{mean[1]:12.4f}   +- {spread[0]:.4f}, {spread[1]:.4f}", flush=True
            )


if __name__ == "__main__":
    main()
