"""Writes test vectors of predictions: `python tests/predictions/make_predictions.py`, from the repository's top.

Models of every kind of scorer, rows as JSON texts, and what this package predicts for them: another program that reads
model files, such as the R package in ``r/tacitr``, is checked by the same.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.tree import DecisionTreeClassifier

from tacit import (
    AutoRegressor,
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    BRCClassifier,
    Categorical,
    Identifier,
    Label,
    LazyBBClassifier,
    LinearRegressor,
    LogisticClassifier,
    Model,
    NaiveBayesClassifier,
    Numeric,
    RadoBoostClassifier,
    RegressionModel,
    Schema,
    SVMClassifier,
    Target,
    TreeClassifier,
    Weight,
    load_model,
    merge,
)
from tacit.models import write_model
from tacit.study.simulate import simulate

HERE = Path(__file__).parent
VECTORS = HERE / "vectors"
GOLDEN = HERE.parent / "golden/format-1"

COLUMNS = [
    Numeric("age", 17, 90, center=38, whole=True),
    Numeric("gain", 0, 99_999, center=0, missing=0, missing_codes=[-1, "none"]),
    Numeric("debt", -1000.5, 1e6, scale="log", private=False),
    Numeric("weight", 2, 200, missing="indicator"),
    Numeric("since", "1999-12-31", "2020-02-29", missing="2010-01-01"),
    Numeric("born", 1, 7, date_part="weekday", missing=1),
    Numeric("pay", -5000, 5000, decimal=",", thousands=".", signs=["€"], negatives="brackets", below="<", missing=0),
    Numeric("seen", "2000-01-01", "2030-01-01", dates="%d.%m.%y or %Y%m%d", missing="2015-01-01"),
    Categorical("sky", ["clear", "gray", "雨"], other=True, missing="clear", center="gray", replace={"x": "gray"}),
    Categorical("rooms", [1, 2, 3], private=False),
    Categorical("owns", [False, True], missing=False),
    Categorical("zip", buckets=7, salt="größer"),
    Categorical("code", ["I", "I21", "J"], match="prefix", other=True),
]
TWO = Schema(COLUMNS, label=Label("works", ["no", "yes"]))
OPEN = Schema(COLUMNS, label=Label("works", ["no", "yes"], private=False))
THREE = Schema(COLUMNS, label=Label("level", [2, 0, 1]))
MERGED = Schema(COLUMNS, label=Label("end", ["well", "ill", "dead"], positive=["ill", "dead"]))
GROUPED = Schema([*COLUMNS[:3], COLUMNS[9]], label=Label("employed", ["no", "yes"]))
SHARES = Schema(COLUMNS, label=Label("paid", ["yes", "no"], prevalence=[0.2, 0.8]))
NUMBER = Schema(COLUMNS, label=Target("rings", 1, 29))
FEW = Schema(COLUMNS[1:6], label=Label("moved", ["no", "yes"]))
FEW_OF_THREE = Schema(COLUMNS[1:6], label=Label("stage", [1, 2, 3]))
VISITS = Schema(COLUMNS[1:6], label=Label("came", ["no", "yes"]), identifier=Identifier("person"))
SURVEY = Schema(COLUMNS[:2], label=Label("owes", ["no", "yes"]), weight=Weight("w", 3))
PERSONS = Schema(COLUMNS[:2], label=Label("ill", ["no", "yes"]), identifier=Identifier("person"))
ASKED = Schema(COLUMNS[:2], label=Target("cost", 1, 29), weight=Weight("w", 3))
PATIENTS = Schema(COLUMNS[:2], label=Target("days", 1, 29), identifier=Identifier("person"))

QUANTILES = [0.9, 0.05, 0.5]

MERGED_OF = {
    "merged": ("ranked", "naive-bayes", "brc", "lazybb-trees"),
    "merged-three": ("ranked-three", "tree", "svm-three", "naive-bayes-three"),
    "merged-numbers": ("number-linear", "number-trees"),
}

# Each column's cells are of one type of JSON and null; each row is a case of its own.
ROWS: dict[str, list[Any]] = {
    "age": [17, 25, 30.5, 38, 44, 90, 120, -3, 61, 52, 19, 70],
    "gain": [0, 1, -1, 99_999, 1e9, None, 500.25, 7000, 0, 3, 12_345.678, 0],
    "debt": [-2000, -1000.5, -1, 0, 1e-9, 1, 1e3, 1e6, 5e6, 250_000.5, -0.0, 42],
    "weight": [80, None, 2, 200, 55.5, 70.1, None, 250, 66, 90, 1, 75.25],
    "since": ["1999-12-31", "2004-02-29", None, "2020-02-29", "2031-01-01", "2010-06-15T12:30:00", "2001-01-01",
              "2015-05-05 23:59:59.5", "1970-01-01", "2012-12-12T00:00:00+02:00", "2018-08-08", "2007-07-07"],
    "born": ["2024-01-01", "2024-01-07", "1969-12-31", None, "2000-02-29", "1950-06-01", "1999-09-09", "2011-11-11",
             "2012-01-02", "1900-01-01", "2023-03-03", "1980-10-10"],
    "pay": ["1.250,50 €", "-17", "(300)", "<1", None, "€ 4000", "9.999.999", "2,5e2", " 12 ", "-4.999,5", "+3",
            "0,001"],
    "seen": ["01.02.03", "20240615", None, "31.12.99", "1.1.29", "20000101", "29.02.04", "9.9.09", "15.06.15",
             "20291231", "1.12.20", "20100510"],
    "sky": ["clear", "gray", "雨", "snow", None, "x", " gray ", "", "clear", "雨", "gray", "clear"],
    "rooms": [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3],
    "owns": [True, False, None, True, True, False, False, True, None, True, False, True],
    "zip": ["02139", "2139", "abc", "  abc", None, "", "0.5", "1e-7", "Zürich", "x" * 300, "12345678901234567890",
            "true"],
    "code": ["I21.4", "I63", "J45", "K", None, "I", " I21", "nan", "J", "i21", "I2", "I219"],
}  # fmt: skip


def table(rows: dict[str, list[Any]]) -> pl.DataFrame:
    """Return rows as a frame, each column of the type that its cells have in JSON."""
    return pl.DataFrame({name: pl.Series(name, cells, strict=False) for name, cells in rows.items()})


def fitted() -> dict[str, Model | RegressionModel]:
    """Return small models of each kind, by name: those of files that are there, as they were written."""
    seeded: dict[str, Any] = {"epsilon": 2.0, "random_state": 3, "on_invalid": "coerce"}
    usual = seeded | {"delta": 1e-5}
    measured = seeded | {"epsilon": 20.0, "holdout": 0.5}
    stump = DecisionTreeClassifier(max_depth=2, random_state=0)
    made = {
        "ranked": (TWO, LogisticClassifier(TWO, **usual)),
        "ranked-public": (OPEN, LogisticClassifier(OPEN, encoding="ranked", **usual)),
        "ranked-three": (THREE, LogisticClassifier(THREE, **usual)),
        "logistic-binned": (TWO, LogisticClassifier(TWO, encoding="binned", **seeded)),
        "logistic-ordinal": (OPEN, LogisticClassifier(OPEN, encoding="ordinal", **seeded)),
        "logistic-one-hot": (MERGED, LogisticClassifier(MERGED, encoding="one-hot", **seeded)),
        "svm": (TWO, SVMClassifier(TWO, **seeded)),
        "svm-three": (THREE, SVMClassifier(THREE, **seeded)),
        "brc": (TWO, BRCClassifier(TWO, rounds=8, **seeded)),
        "brc-public-tree": (OPEN, BRCClassifier(OPEN, rounds=4, public_learner=stump, **seeded)),
        "brc-three": (THREE, BRCClassifier(THREE, rounds=4, encoding="one-hot", **seeded)),
        "lazybb": (OPEN, LazyBBClassifier(OPEN, rounds=8, public_start=True, **seeded)),
        "lazybb-trees": (TWO, LazyBBClassifier(TWO, rounds=4, weak_learner="tree", **seeded)),
        "lazybb-three": (THREE, LazyBBClassifier(THREE, rounds=6, **seeded)),
        "radoboost": (TWO, RadoBoostClassifier(TWO, count=40, rounds=20, clip=0.5, **seeded)),
        "naive-bayes": (TWO, NaiveBayesClassifier(TWO, holdout=0.3, **seeded)),
        "naive-bayes-three": (THREE, NaiveBayesClassifier(THREE, numeric="gaussian", holdout=0.3, **usual)),
        "tree": (THREE, TreeClassifier(THREE, **seeded)),
        "boosted-trees": (TWO, BoostedTreesClassifier(TWO, n_trees=5, holdout=0.3, **usual)),
        "boosted-trees-three": (THREE, BoostedTreesClassifier(THREE, n_trees=4, **usual)),
        "number-linear": (NUMBER, LinearRegressor(NUMBER, **usual)),
        "number-trees": (NUMBER, BoostedTreesRegressor(NUMBER, n_trees=5, **usual)),
        "number-auto": (NUMBER, AutoRegressor(NUMBER, **seeded)),
        "number-held-out": (NUMBER, LinearRegressor(NUMBER, holdout=0.4, **usual)),
        "number-held-out-pure": (NUMBER, LinearRegressor(NUMBER, holdout=0.4, **seeded)),
        "by-group": (GROUPED, NaiveBayesClassifier(GROUPED, holdout=0.4, holdout_by="rooms", **seeded)),
        "public-shares": (SHARES, LogisticClassifier(SHARES, **usual)),
        "calibrated": (FEW, TreeClassifier(FEW, class_weight="balanced", **measured)),
        "calibrated-votes": (FEW, LazyBBClassifier(FEW, rounds=6, **measured)),
        "calibrated-three": (FEW_OF_THREE, NaiveBayesClassifier(FEW_OF_THREE, **measured)),
        "calibrated-persons": (VISITS, LazyBBClassifier(VISITS, rounds=6, **measured)),
        "monotone": (TWO, LogisticClassifier(TWO, monotone={"age": 1, "gain": -1}, **usual)),
        "monotone-trees": (TWO, BoostedTreesClassifier(TWO, n_trees=5, monotone={"age": 1}, **usual)),
        "number-quantiles": (NUMBER, LinearRegressor(NUMBER, loss="quantile", quantiles=[0.1, 0.5, 0.9], **usual)),
        "number-poisson": (NUMBER, LinearRegressor(NUMBER, loss="poisson", holdout=0.4, **usual)),
        "number-gamma": (NUMBER, BoostedTreesRegressor(NUMBER, n_trees=5, loss="gamma", **usual)),
        "weighed": (SURVEY, NaiveBayesClassifier(SURVEY, holdout=0.4, **seeded)),
        "persons": (PERSONS, NaiveBayesClassifier(PERSONS, holdout=0.4, **usual)),
        "number-weighed": (ASKED, LinearRegressor(ASKED, holdout=0.4, **seeded)),
        "number-persons": (PATIENTS, LinearRegressor(PATIENTS, holdout=0.4, **usual)),
    }
    found: dict[str, Model | RegressionModel] = {}
    for name, (schema, each) in made.items():
        path = VECTORS / f"{name}.model.json"
        found[name] = load_model(path) if path.exists() else each.fit(*drawn(schema)).model_
    return found


def drawn(schema: Schema) -> tuple[pl.DataFrame, pl.Series]:
    """Return made-up rows and labels, three rows of each person where the schema has an identifier, and weights."""
    frame, labels = simulate(schema, 3000, seed=11)
    at = pl.int_range(3000, eager=True)
    frame = frame.with_columns((at % 4).cast(pl.Float64).alias("w")) if schema.weight else frame
    return (frame.with_columns(person=at // 3) if schema.identifier else frame), labels


def merged() -> dict[str, Model | RegressionModel]:
    """Return models that are made of those in files, as of the same people; those of files as they were written."""
    found: dict[str, Model | RegressionModel] = {}
    for name, parts in MERGED_OF.items():
        path, of = VECTORS / f"{name}.model.json", [VECTORS / f"{part}.model.json" for part in parts]
        found[name] = load_model(path) if path.exists() else merge(of, people="the same")
    return found


def predictions(model: Model | RegressionModel, frame: pl.DataFrame) -> dict[str, Any]:
    """Return all that a model says of some rows."""
    if isinstance(model, RegressionModel):
        learned = {"learned": model.predict_quantiles(frame).tolist()} if model.quantiles else {}
        return {"numbers": model.predict(frame).tolist()} | learned | _about(model, frame)
    said = {
        "scores": model.decision_function(frame).tolist(),
        "probabilities": model.predict_proba(frame).tolist(),
        "classes": model.predict(frame).tolist(),
    }
    thresholds: list[Any] = [0.3] * (len(model.classes) == 2) + ["balanced"] * (model.class_shares is not None)
    said["chosen"] = {str(each): model.predict(frame, threshold=each).tolist() for each in thresholds}
    if model.held_out is not None and model.held_out.calibrates:
        said["calibrated"] = model.predict_proba(frame, calibrated=True).tolist()
        said["chosen calibrated"] = {
            str(each): model.predict(frame, threshold=each, calibrated=True).tolist() for each in thresholds
        }
    if model.held_out is not None and model.held_out.rows_of_person == 1:
        said["sets"] = {
            "0.9": model.predict_set(frame, 0.9).tolist(),
            "0.6": model.predict_set(frame, 0.6).tolist(),
            "0.6, confidence 0.8": model.predict_set(frame, 0.6, confidence=0.8).tolist(),
            "0.6, marginal": model.predict_set(frame, 0.6, by_class=False).tolist(),
            "0.5, marginal, confidence 0.8": model.predict_set(frame, 0.5, confidence=0.8, by_class=False).tolist(),
        }
    return said


def _about(model: RegressionModel, frame: pl.DataFrame) -> dict[str, Any]:
    """Return intervals and quantiles, of a model with held-out rows; ends without a bound are the target's."""
    if model.held_out is None:
        return {}
    return {
        "intervals": {
            "0.8": model.predict_interval(frame, 0.8).tolist(),
            "0.6, confidence 0.9": model.predict_interval(frame, 0.6, confidence=0.9).tolist(),
        },
        "quantiles": model.predict_quantiles(frame, QUANTILES).tolist(),
    }


def golden_rows() -> dict[str, list[Any]]:
    """Return the rows of the golden files, and such as are missing or beyond bounds."""
    frame = pl.read_csv(GOLDEN / "rows.csv")
    return {name: [*frame[name].to_list()[:9]] for name in frame.columns}


def write() -> None:
    """Write models, rows, and what the models say of the rows."""
    VECTORS.mkdir(exist_ok=True)
    rows = {"rows": ROWS, "golden": golden_rows()}
    (VECTORS / "rows.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    expected: dict[str, Any] = {}
    for made in (fitted, merged):
        for name, model in made().items():
            path = VECTORS / f"{name}.model.json"
            if not path.exists():
                write_model(model, path, allow="simulated")
            expected[name] = {"rows": "rows", **predictions(model, table(ROWS))}
    for path in sorted(GOLDEN.glob("*.model.json")):
        name = path.name.removesuffix(".model.json")
        expected[f"golden {name}"] = {"rows": "golden", **predictions(load_model(path), table(rows["golden"]))}
    (VECTORS / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    write()
