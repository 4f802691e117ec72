"""What `tacit fit` says where nearly all rows are of one class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from tacit import Label, LogisticClassifier, NaiveBayesClassifier, Numeric, Schema
from tacit.cli.fit_command import _protected
from tacit.cli.rare_words import rare_words

OUT = Path("my model.json")


def fitted(share, *, holdout=0.0, **label):
    draw = np.random.default_rng(0)
    X = draw.uniform(-1, 1, (20_000, 4))
    odds = np.log(share / (1 - share)) - 0.6 + 1.5 * X[:, 0]
    y = np.where(draw.random(len(X)) < expit(odds), "yes", "no")
    schema = Schema([Numeric(name, -1, 1) for name in "abcd"], label=Label("died", ["no", "yes"], **label))
    frame = pl.DataFrame(X, schema=list("abcd"))
    return LogisticClassifier(schema, epsilon=0.3, delta=1e-6, holdout=holdout, random_state=0).fit(frame, y).model_


@pytest.mark.filterwarnings("ignore")
def test_a_rare_class_is_named_with_what_measures_and_finds_it():
    model = fitted(0.03)
    first, second = rare_words(model, OUT)
    assert first.startswith("About 9") and "'no', as released: accuracy says little" in first
    assert "`--holdout 0.1` measures the AUC and how much is found of each class." in first
    assert second == "`tacit predict 'my model.json' --threshold balanced` finds more of 'yes'."
    # What it names is what it does.
    rows = pl.DataFrame(np.random.default_rng(1).uniform(-1, 1, (2_000, 4)), schema=list("abcd"))
    assert (
        (model.predict(rows, threshold="balanced") == "yes").mean() > 0.2 > 0.02 > (model.predict(rows) == "yes").mean()
    )


@pytest.mark.filterwarnings("ignore")
def test_shares_may_be_declared_or_public_and_even_ones_say_nothing():
    assert "as declared" in rare_words(fitted(0.1, prevalence=[0.9, 0.1]), OUT)[0]
    assert "as is public" in rare_words(fitted(0.1, private=False), OUT)[0]
    assert rare_words(fitted(0.4), OUT) == []


@pytest.mark.filterwarnings("ignore")
def test_measures_of_an_uneven_model_begin_with_its_area():
    model = fitted(0.1, holdout=0.3)
    assert "--holdout" not in rare_words(model, OUT)[0]
    lines = model.held_out.lines(("no", "yes"))
    starts = [line.split(":")[0] for line in lines]
    assert starts.index("Area under the ROC curve") < starts.index("Found of each class") < starts.index("Accuracy")
    even = fitted(0.4, holdout=0.3).held_out.lines(("no", "yes"))
    assert [line.split(":")[0] for line in even][2:5] == ["Accuracy", "Found of each class", "Area under the ROC curve"]


def test_columns_are_counted_as_the_table_has_them():
    columns = [Numeric("a", 0, 9, missing="indicator"), Numeric("b", 0, 9, private=False)]
    schema = Schema(columns, label=Label("died", ["no", "yes"]))
    rows = pl.DataFrame({"a": [1.0, None, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0]})
    model = NaiveBayesClassifier(schema, epsilon=1.0).fit(rows, ["no", "yes", "no", "yes"]).model_
    assert _protected(model) == "Protected: 1 of 2 columns, and the label 'died'."
