"""Thresholds: classes by hand, and what each needs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import BRCClassifier, Label, Numeric, Schema
from tacit.errors import ParameterError
from tacit.features.literals import Literal
from tacit.models import BoostedTreesModel, LinearForm, LogisticModel, Model, ObliviousTree
from tacit.privacy import Guarantee

FREE = Guarantee("public", (), False, 100, 0.0, 0.0, "pure", None, (), "none", (), (), ())


def schema(**label):
    return Schema([Numeric("x", -1, 1)], label=Label("y", ["no", "yes"], **label)).with_private([], label=False)


def logistic(**label):
    """Log-odds 2x - 2: at x = -1, 0 and 1 probabilities of yes of .018, .119 and .5."""
    scorer = LogisticModel((LinearForm(("x",), (2.0,), "ordinal"),), -2.0)
    return Model("logistic", schema(**label), (scorer,), FREE)


ROWS = np.asarray([[-1.0], [0.0], [1.0]])


@pytest.mark.parametrize(
    ("threshold", "said"),
    [("majority", "no no no"), (0.11, "no yes yes"), (0.13, "no no yes"), (0.01, "yes yes yes"), (0.9, "no no no")],
)
def test_classes_by_threshold(threshold, said):
    assert " ".join(logistic().predict(ROWS, threshold=threshold)) == said


def test_a_balanced_threshold_is_the_share_of_the_second_class():
    assert " ".join(logistic(prevalence=[0.9, 0.1]).predict(ROWS, threshold="balanced")) == "no yes yes"
    assert " ".join(logistic(prevalence=[0.88, 0.12]).predict(ROWS, threshold="balanced")) == "no no yes"


def test_shares_follow_the_sorted_classes():
    label = Label("y", ["yes", "no"], prevalence=[0.25, 0.75])
    model = Model("logistic", Schema([Numeric("x", -1, 1, private=False)], label=label).with_private([], label=False),
                  logistic().scorers, FREE)  # fmt: skip
    assert model.class_shares.tolist() == [0.75, 0.25]


def test_boosted_trees_release_the_shares_they_start_from():
    tree = ObliviousTree((Literal("x", 0, 0),), ((0, 0),))
    start = round(np.log(1 / 3) * 2**20)
    model = Model("boosted-trees", schema(), (BoostedTreesModel((start,), (tree,)),), FREE)
    assert model.class_shares == pytest.approx([0.75, 0.25], abs=1e-5)


def test_what_a_threshold_needs():
    with pytest.raises(ParameterError, match="prevalence"):
        logistic().predict(ROWS, threshold="balanced")
    for wrong in (0.0, 1.0, True, "most", None):
        with pytest.raises(ParameterError, match="'majority', 'balanced' or a number between 0 and 1"):
            logistic().predict(ROWS, threshold=wrong)


def test_a_number_is_refused_for_three_classes():
    three = Schema([Numeric("x", 0, 1)], label=Label("y", ["a", "b", "c"]))
    frame = pl.DataFrame({"x": np.linspace(0, 1, 90)})
    model = BRCClassifier(three, epsilon=1.0, rounds=2).fit(frame, np.repeat(["a", "b", "c"], 30))
    with pytest.raises(ParameterError, match="more than two classes"):
        model.predict(frame, threshold=0.5)


@pytest.mark.parametrize("shares", [[0.5], [0.5, 0.6], [1.0, 0.0], "ab", ["a", "b"]])
def test_a_prevalence_is_shares_of_sum_one(shares):
    with pytest.raises(ValueError, match="prevalence of label 'y'"):
        Label("y", ["no", "yes"], prevalence=shares)


def test_a_prevalence_is_written_and_read():
    written = schema(prevalence=[0.9, 0.1])
    assert Schema.from_toml(written.to_toml()) == written
    assert "prevalence = [0.9, 0.1]" in written.to_toml()
