"""Columns of thousands of codes: python -m benchmarks.many_codes [--rows N] [--seeds N] [--delta D].

Drawn tables of one column of 2,000 codes and two numbers. A code is a letter (20), a digit (10) and another digit (10),
as in a code book of three levels; how frequent codes are follows a power distribution. Log-odds are a planted effect of
the letter, of letter and digit, and of the code itself, and of one number. The column is left out ("none"), or
described as

- listed: the 255 most frequent codes, all others `other`; in truth nobody knows which they are without looking.
- letters, prefixes: the 20 letters, or these and the 200 of letter and digit, by prefix.
- buckets: 64, 256 or 1,020 of a public hash.
- all: the 2,000 codes listed, in two bytes.

Printed is the mean area under the ROC curve on 20,000 further rows of the same distribution, in hundredths, with the
standard error over seeds; "-" where a learner refuses.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.special import expit
from sklearn.metrics import roc_auc_score

from tacit import (
    AutoClassifier,
    BoostedTreesClassifier,
    Categorical,
    Label,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    Schema,
    TreeClassifier,
)
from tacit.errors import ParameterError
from tacit.privacy import Budget

LETTERS = "ABCDEFGHIJKLMNOPQRST"
CODES = [f"{letter}{first}{second}" for letter in LETTERS for first in range(10) for second in range(10)]
STEMS = [f"{letter}{first}" for letter in LETTERS for first in range(10)]

LEARNERS = {
    "auto": AutoClassifier,
    "naive-bayes": NaiveBayesClassifier,
    "boosted-trees": BoostedTreesClassifier,
    "logistic": LogisticClassifier,
    "tree": TreeClassifier,
}


class World:
    """A distribution of rows: frequencies and effects of codes, drawn from a seed."""

    def __init__(self, seed: int):
        draw = np.random.default_rng([seed, 0])
        shares = draw.permutation(1 / np.arange(1, len(CODES) + 1) ** 0.7)
        self.shares = shares / shares.sum()
        self.effects = np.repeat(draw.normal(0, 1.0, len(LETTERS)), 100)
        self.effects += np.repeat(draw.normal(0, 0.7, len(STEMS)), 10) + draw.normal(0, 0.4, len(CODES))

    def rows(self, n_rows: int, draw: np.random.Generator) -> tuple[pl.DataFrame, np.ndarray]:
        """Return rows and labels."""
        at = draw.choice(len(CODES), n_rows, p=self.shares)
        frame = {"age": draw.uniform(0, 90, n_rows), "dose": draw.uniform(0, 1, n_rows), "code": np.asarray(CODES)[at]}
        ill = draw.random(n_rows) < expit(self.effects[at] + (frame["age"] - 45) / 30)
        return pl.DataFrame(frame), np.where(ill, "yes", "no")

    def schemas(self) -> Iterator[tuple[str, Schema]]:
        """Yield the schema of each description."""
        frequent = [CODES[at] for at in np.argsort(-self.shares)[:255]]
        described = {
            "none": None,
            "listed": Categorical("code", frequent, other=True),
            "letters": Categorical("code", list(LETTERS), match="prefix"),
            "prefixes": Categorical("code", [*LETTERS, *STEMS], match="prefix"),
            "buckets 64": Categorical("code", buckets=64),
            "buckets 256": Categorical("code", buckets=256),
            "buckets 1,020": Categorical("code", buckets=1_020),
            "all": Categorical("code", CODES),
        }
        numbers = [Numeric("age", 0, 90), Numeric("dose", 0, 1)]
        for name, column in described.items():
            yield name, Schema([*numbers, *([column] if column else [])], label=Label("ill", ["no", "yes"]))


Rows = tuple[pl.DataFrame, np.ndarray]


def area(learner: str, schema: Schema, budget: Budget, seed: int, rows: Rows, further: Rows) -> float:
    """Return the area under the curve on further rows, NaN where the learner refuses the schema."""
    try:
        delta = 0.0 if learner == "tree" else budget.delta
        model = LEARNERS[learner](schema, epsilon=budget.epsilon, delta=delta, random_state=seed).fit(*rows)
    except ParameterError:
        return float("nan")
    scores = model.predict_proba(further[0])[:, 1]
    return float(roc_auc_score(further[1] == "yes", scores))


def main() -> None:
    """Print a table for each epsilon."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--delta", type=float, default=0.0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # seeded noise is no guarantee
    found = []
    for seed in range(given.seeds):
        world = World(seed)
        rows = world.rows(given.rows, np.random.default_rng([seed, 1]))
        further = world.rows(20_000, np.random.default_rng([seed, 2]))
        for described, schema in world.schemas():
            for learner in LEARNERS:
                for epsilon in (0.1, 1.0):
                    value = area(learner, schema, Budget(epsilon, given.delta), seed, rows, further)
                    found.append((described, learner, epsilon, value))
    table = pl.DataFrame(found, schema=["column", "learner", "epsilon", "area"], orient="row")
    for epsilon in (0.1, 1.0):
        print(
            f"\n{given.rows:,} rows, epsilon {epsilon}, delta {given.delta:g}\n\n| column | {' | '.join(LEARNERS)} |\n"
            f"|{'---|' * (len(LEARNERS) + 1)}"
        )
        for described, _ in World(0).schemas():
            cells = []
            for learner in LEARNERS:
                own = table.filter(column=described, learner=learner, epsilon=epsilon)["area"].to_numpy()
                error = own.std(ddof=1) / np.sqrt(len(own)) if len(own) > 1 else 0.0
                cells.append("-" if np.isnan(own).any() else f"{100 * own.mean():.1f} ± {100 * error:.1f}")
            print(f"| {described} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
