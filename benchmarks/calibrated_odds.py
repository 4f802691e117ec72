"""Probabilities of logistic regression, boosted trees and auto with and without their calibration.

    python benchmarks/calibrated_odds.py [tables|rare|both] [fits]

"tables": of auto on public tables of two classes with 1,000 test rows and more, where rows times epsilon to a column
are above 30, everything private, the default delta: the slope that test rows want of the log-odds (1 is right), the
error of calibration (by tenths of rows), log-loss in hundredths, and how far that changes, with its standard error.
"rare": mean probability of a rare class over its share, of each learner, on 20,000 rows, at epsilon 1 and 100. Noise is
simulated.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logit
from sklearn.metrics import log_loss

import tacit
from tacit import AutoClassifier, Label, Numeric, Schema
from tacit.datasets import load
from tacit.rules.shared import TINY_SHARE

TABLES = (
    "adult", "bank-marketing", "credit-default", "sepsis-survival", "mushroom", "cod-rna", "skin-segmentation",
    "abalone", "wine-white", "magic-gamma", "eeg-eye-state",
)  # fmt: skip
EPSILONS, SHARES = (0.05, 0.1, 0.3, 1.0), (0.3, 0.1, 0.03, 0.01)
LEARNERS = (
    "LogisticClassifier", "BoostedTreesClassifier", "NaiveBayesClassifier", "TreeClassifier", "SVMClassifier",
    "LazyBBClassifier", "RadoBoostClassifier", "BRCClassifier",
)  # fmt: skip
ROWS = 20_000


def slope_wanted(odds: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """Return the slope of the logistic regression of classes on log-odds."""

    def loss(line: NDArray[np.float64]) -> float:
        return float(np.logaddexp(0, -(2 * truth - 1) * (line[0] * odds + line[1])).mean())

    return float(minimize(loss, np.asarray([1.0, 0.0])).x[0])


def measured(likely: NDArray[np.float64], truth: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Return the slope that is wanted, the error of calibration and log-loss in hundredths, and accuracy."""
    likely = np.clip(likely, 1e-6, 1 - 1e-6)
    tenth = np.searchsorted(np.quantile(likely, np.linspace(0, 1, 11)[1:-1]), likely)
    groups = [tenth == each for each in range(10) if (tenth == each).any()]
    error = sum(abs(likely[one].mean() - truth[one].mean()) * one.mean() for one in groups)
    return (
        slope_wanted(logit(likely), truth),
        100 * error,
        100 * log_loss(truth, likely),
        np.mean((likely > 0.5) == truth),
    )


def on_tables(fits: int) -> None:
    """Print a line for each table and epsilon."""
    print(f"{'table':18} epsilon  slope: without with   error: without with   log-loss: without change")
    for name in TABLES:
        data = load(name)
        schema, labels = data.schema.all_private(), np.asarray(data.target.to_list())
        truth = labels == sorted(schema.label.classes)[1]
        for epsilon in EPSILONS:
            if len(labels) * 0.75 * epsilon / len(schema.names) < 30 or len(labels) < 4_000:
                continue
            pairs = []
            for seed in range(fits):
                order = np.random.default_rng(seed).permutation(len(labels))
                train, test = order[len(order) // 4 :].tolist(), order[: len(order) // 4].tolist()
                pairs.append([
                    measured(
                        AutoClassifier(schema, epsilon=epsilon, calibration=share, random_state=seed)
                        .fit(data.frame[train], data.target[train]).predict_proba(data.frame[test])[:, 1],
                        truth[test],
                    )
                    for share in (0.0, TINY_SHARE)
                ])  # fmt: skip
            (before, after), change = np.mean(pairs, axis=0), np.diff(pairs, axis=1)[:, 0, 2]
            error = change.std(ddof=1) / len(change) ** 0.5 if fits > 1 else np.nan
            print(
                f"{name:18} {epsilon:7}  {before[0]:14.2f} {after[0]:4.2f}  {before[1]:15.2f} {after[1]:4.2f}  "
                f"{before[2]:17.2f} {change.mean():+.2f} ± {error:.2f}",
                flush=True,
            )


def on_rare_classes(fits: int) -> None:
    """Print a line for each learner, delta and epsilon."""
    schema = Schema([Numeric(f"x{at}", 0, 1) for at in range(5)], label=Label("y", [0, 1]))
    print("learner, delta, epsilon: mean probability over the share, of shares", *SHARES)
    for name in LEARNERS:
        for delta in (0.0, 1e-6):
            for epsilon in (1.0, 100.0):
                found = []
                for share in SHARES:
                    ratios = []
                    for seed in range(fits):
                        draw = np.random.default_rng(seed)
                        rows = draw.random((ROWS, 5))
                        classes = (draw.random(ROWS) < 2 * share * rows[:, 0]).astype(int)
                        frame = pl.DataFrame(rows, schema=schema.names)
                        model = getattr(tacit, name)(schema, epsilon=epsilon, delta=delta, random_state=seed)
                        ratios.append(model.fit(frame, classes).predict_proba(frame)[:, 1].mean() / classes.mean())
                    found.append(f"{np.mean(ratios):.2f} ± {np.std(ratios) / fits**0.5:.2f}")
                print(f"{name:24} {delta:6g} {epsilon:5g}  ", *found, flush=True)


def main() -> None:
    """Print what is asked for."""
    warnings.simplefilter("ignore")
    what = sys.argv[1] if len(sys.argv) > 1 else "both"
    fits = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    if what in ("tables", "both"):
        on_tables(fits)
    if what in ("rare", "both"):
        on_rare_classes(fits)


if __name__ == "__main__":
    main()
