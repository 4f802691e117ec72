"""How well rows are ordered where an outcome is rare: `python benchmarks/rare_outcomes.py [tables]`.

Tables as a hospital has them, 20,000 persons and 20,000 others to test: 17 columns of which six tell, lists, numbers
with codes for missing cells far off or among the others, and an outcome of 3 in 100, drawn so that logistic regression
without privacy has an area under the ROC curve of 0.83. Prints the means of the area and of the mean probability over
the share, of ``AutoClassifier`` and of logistic regression that takes both classes for even, everything private, the
default delta, simulated noise.
"""

from __future__ import annotations

import sys
import warnings
from unittest.mock import patch

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.metrics import roc_auc_score

import tacit.estimators.logistic as logistic
from tacit import AutoClassifier, Categorical, Label, LogisticClassifier, Numeric, Schema

ROWS, SHARE, EPSILONS = 20_000, 0.03, (0.1, 0.3, 1.0)
STEEP = 1.3
"""What the log-odds are multiplied by, so that the area without privacy is 0.83."""


def hospital(seed: int, n_rows: int = 2 * ROWS, share: float = SHARE) -> tuple[pl.DataFrame, NDArray[np.str_], Schema]:
    """Return rows, outcomes and their schema."""
    draw = np.random.default_rng(1_000 + seed)
    age = draw.normal(58, 18, n_rows).clip(0, 105)
    days = draw.lognormal(1.2, 0.8, n_rows).clip(0, 120)
    before = draw.poisson(np.exp(draw.normal(-0.5, 1, n_rows)))
    odds = 0.045 * age + 0.56 * np.log(np.maximum(days, 1e-3)) + 0.5 * np.log1p(before)
    frequent = np.asarray([20, 16, 13, 11, 9, 8, 7, 5, 4, 3, 2, 2]) / 100
    code = draw.choice(12, n_rows, p=frequent)
    odds += draw.normal(0, 0.6, 12)[code]
    sodium, creatinine = draw.normal(0, 1, n_rows) + 0.3 * (age - 58) / 18, draw.normal(0, 0.5, n_rows)
    unknown, unmeasured = draw.random((2, n_rows)) < np.asarray([[0.25], [0.15]])
    odds += 0.4 * sodium * ~unknown + creatinine * ~unmeasured
    columns = {
        "age": age, "days": days, "before": before.clip(0, 40).astype(float),
        "code": np.char.add("D", code.astype(str)),
        "sodium": np.where(unknown, -9.0, 140 + 4 * sodium),
        "creatinine": np.where(unmeasured, 999.0, (80 * np.exp(creatinine)).clip(20, 900)),
    }  # fmt: skip
    schema = [
        Numeric("age", 0, 110), Numeric("days", 0, 150), Numeric("before", 0, 50),
        Categorical("code", [f"D{each}" for each in range(12)]), Numeric("sodium", -10, 180),
        Numeric("creatinine", 0, 1_000),
    ]  # fmt: skip
    for at in range(5):
        columns[f"n{at}"] = np.where(draw.random(n_rows) < 0.1, -1.0, draw.normal(50, 15, n_rows).clip(0, 100))
        schema.append(Numeric(f"n{at}", -1, 100))
    for at in range(6):
        listed = [f"v{each}" for each in range(int(draw.integers(2, 9)))]
        columns[f"c{at}"] = draw.choice(listed, n_rows)
        schema.append(Categorical(f"c{at}", listed))
    odds = STEEP * (odds - odds.mean())
    low, high = -12.0, 4.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if expit(odds + middle).mean() > share else (middle, high)
    outcome = np.where(draw.random(n_rows) < expit(odds + low), "yes", "no")
    return pl.DataFrame(columns), outcome, Schema(schema, label=Label("died", ["no", "yes"]))


def main() -> None:
    """Print a line for each budget."""
    warnings.simplefilter("ignore")
    seeds = range(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
    tables = [hospital(seed) for seed in seeds]
    for epsilon in EPSILONS:
        for kind, counts in ((AutoClassifier, True), (LogisticClassifier, True), (LogisticClassifier, False)):
            found = []
            for seed, (frame, outcome, schema) in zip(seeds, tables, strict=True):
                delta = {} if kind is AutoClassifier else {"delta": 1e-6}
                rule = logistic.share_of_classes if counts else lambda *_: 0.0
                with patch.object(logistic, "share_of_classes", rule):
                    model = kind(schema, epsilon=epsilon, random_state=seed, **delta).fit(frame[:ROWS], outcome[:ROWS])
                truth, others = outcome[ROWS:] == "yes", frame[ROWS:]
                area = roc_auc_score(truth, model.decision_function(others))
                found.append((area, model.predict_proba(others)[:, 1].mean() / truth.mean()))
            (area, ratio), error = np.mean(found, axis=0), np.std(found, axis=0)[0] / len(found) ** 0.5
            name = kind.__name__ + ("" if counts else ", even classes")
            print(f"epsilon {epsilon}: {name:34} area {area:.3f} ± {error:.3f}, probability {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
