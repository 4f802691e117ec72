"""Writes golden files of the format that this code writes: `python tests/golden/make_golden.py tests/golden/format-N`.

Run once, by the last commit that writes a format, and never again: the tests read what earlier code has written.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.tree import DecisionTreeClassifier

from tacit import (
    BRCClassifier,
    Categorical,
    Label,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    RadoBoostClassifier,
    Schema,
    SVMClassifier,
    TreeClassifier,
    make_rados,
)
from tacit.models import write_model

COLUMNS = [
    Numeric("age", 17, 90, center=38, cuts=[25, 45, 65]),
    Numeric("gain", 0, 99_999, center=0, missing=0),
    Numeric("debt", -1000.5, 1e6, scale="log", private=False),
    Numeric("since", "1999-12-31", "2020-02-29", missing="2010-01-01"),
    Categorical("sky", ["clear", "gray", "雨"], other=True, missing="clear", center="gray"),
    Categorical("rooms", [1, 2, 3], private=False),
    Categorical("owns", [False, True]),
]
TWO = Schema(COLUMNS, label=Label("works", ["no", "yes"]), ignored={"id": "an identifier"})
OPEN = Schema(COLUMNS, label=Label("works", ["no", "yes"], private=False))
THREE = Schema(COLUMNS, label=Label("level", [0, 1, 2]))
FREE = TWO.with_private([], label=False)
GUESSED = Schema(COLUMNS, label=Label("works", ["no", "yes"]), guessed=["rooms"])


def rows(count: int) -> pl.DataFrame:
    """Return rows that the schemas admit, drawn at random."""
    draw = np.random.default_rng(5)
    days = np.datetime64("2000-01-01") + draw.integers(0, 7000, count)
    return pl.DataFrame(
        {
            "age": draw.integers(17, 91, count),
            "gain": np.where(draw.random(count) < 0.8, 0, draw.integers(0, 99_999, count)),
            "debt": draw.uniform(-1000, 1e6, count),
            "since": pl.Series(days.astype("datetime64[D]")),
            "sky": draw.choice(["clear", "gray", "雨", "snow"], count),
            "rooms": draw.integers(1, 4, count),
            "owns": draw.random(count) < 0.5,
        }
    )


def fitted(frame: pl.DataFrame) -> dict[str, object]:
    """Return a small model of each kind, by name."""
    two = pl.Series(np.where(frame["age"] > 40, "yes", "no"))
    three = frame["rooms"] - 1
    seeded = {"epsilon": 1.0, "random_state": 3}
    stump = DecisionTreeClassifier(max_depth=2, random_state=0)
    made = {
        "brc": BRCClassifier(TWO, rounds=6, **seeded).fit(frame, two),
        "brc-three-classes": BRCClassifier(THREE, rounds=3, encoding="one-hot", **seeded).fit(frame, three),
        "brc-public-tree": BRCClassifier(OPEN, rounds=6, public_learner=stump, **seeded).fit(frame, two),
        "lazybb-rules": LazyBBClassifier(TWO, rounds=6, **seeded).fit(frame, two),
        "lazybb-trees": LazyBBClassifier(OPEN, rounds=4, weak_learner="tree", **seeded).fit(frame, two),
        "lazybb-cuts": LazyBBClassifier(OPEN, rounds=4, cut_points="private", **seeded).fit(frame, two),
        "naive-bayes": NaiveBayesClassifier(TWO, epsilon=1.0).fit(frame, two),
        "naive-bayes-normal": NaiveBayesClassifier(THREE, numeric="gaussian", **seeded).fit(frame, three),
        "tree": TreeClassifier(TWO, **seeded).fit(frame, two),
        "tree-three-classes": TreeClassifier(THREE, **seeded).fit(frame, three),
        "tree-public": TreeClassifier(FREE, epsilon=1.0).fit(frame, two),
        "logistic": LogisticClassifier(OPEN, epsilon=1.0, delta=1e-6, on_invalid="coerce").fit(frame, two),
        "logistic-void": LogisticClassifier(GUESSED, **seeded).fit(frame, two),
        "svm-three-classes": SVMClassifier(THREE, encoding="ordinal", **seeded).fit(frame, three),
        "radoboost": RadoBoostClassifier(TWO, count=40, rounds=20, **seeded).fit(frame, two),
    }
    return {name: classifier.model_ for name, classifier in made.items()}


def write(folder: Path) -> None:
    """Write models, schemas, rados, rows, and what the models say of the rows."""
    folder.mkdir(parents=True)
    frame, few = rows(600), rows(12)
    few.write_csv(folder / "rows.csv")
    said = {}
    for name, model in fitted(frame).items():
        status = model.guarantee.status
        model_file = folder / f"{name}.model.json"
        write_model(model, model_file, allow=status if status in ("simulated", "void") else None)
        said[name] = {"scores": model.decision_function(few).tolist(), "classes": model.predict(few).tolist()}
    (folder / "said.json").write_text(json.dumps(said, indent=1) + "\n")
    for name, schema in {"two": TWO, "open": OPEN, "three": THREE, "free": FREE, "guessed": GUESSED}.items():
        (folder / f"{name}.schema.toml").write_text(schema.to_toml(), encoding="utf-8")
    labels = np.where(frame["age"] > 40, "yes", "no")
    make_rados(frame, labels, TWO, epsilon=1.0, count=20).write(folder / "rados.parquet")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write(Path(sys.argv[1]))
