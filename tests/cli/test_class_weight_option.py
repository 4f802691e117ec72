"""`--class-weight`: what Python takes as "balanced" or by class, with classes as the schema lists them."""

from __future__ import annotations

import json

import pytest

from tacit import Label, Numeric, Schema
from tacit.cli.settings import read_class_weight
from tacit.errors import ParameterError


def described(classes):
    return Schema([Numeric("age", 0, 90)], label=Label("ill", classes))


@pytest.mark.parametrize(
    ("classes", "texts", "weights"),
    [
        (["no", "yes"], ["yes=10", "no = 0.5"], {"yes": 10.0, "no": 0.5}),
        (["a=b", "balanced"], ["a=b=2", "balanced=3"], {"a=b": 2.0, "balanced": 3.0}),
        ([False, True], ["true=4"], {True: 4.0}),
        ([-1, 1], ["-1=4"], {-1: 4.0}),
        (["no", "yes"], ["balanced"], "balanced"),
    ],
)
def test_texts_give_the_weights_of_python(classes, texts, weights):
    found = read_class_weight(texts, described(classes))
    assert found == weights
    assert isinstance(found, str) or [type(each) for each in found] == [type(each) for each in weights]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["yes"], "CLASS=NUMBER"),
        (["balanced", "yes=2"], "CLASS=NUMBER"),
        (["yes=2", "yes=3"], "once for a class"),
        (["yes=much"], "a number"),
        (["yes=0"], "above 0"),
        (["yes=nan"], "above 0"),
        (["maybe=2"], "It has 'no', 'yes'"),
    ],
)
def test_others_are_refused(texts, said):
    with pytest.raises(ParameterError, match=said):
        read_class_weight(texts, described(["no", "yes"]))


def test_a_fit_takes_them_and_names_the_option_where_it_is_missed(table, schema, tmp_path, run):
    out = tmp_path / "m.json"

    def fit(*options, code=0):
        return run("fit", table, "-s", schema, "-e", 1, "-o", out, "--learner", "tree", "--force", *options, code=code)

    fit("--class-weight", "high=4", "--class-weight", "low=1")
    # Of the sorted classes, divided by the largest.
    assert json.loads(run("inspect", out, "--json").stdout)["class_weights"] == [1.0, 0.25]
    said = fit("--set", "class_weight=equal", code=1).stderr
    assert "'balanced'" in said and "--class-weight CLASS=NUMBER" in said
    assert "Drop one" in fit("--set", "class_weight=balanced", "--class-weight", "balanced", code=1).stderr
