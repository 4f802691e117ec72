"""`--monotone`: what Python takes by column, and what the model says of it."""

from __future__ import annotations

import json

import pytest

from tacit.cli.settings import learner_class, read_monotone, regression_fit
from tacit.errors import ParameterError


def test_texts_give_the_signs_of_python():
    assert read_monotone(learner_class("auto"), ["age=+1", "a=b=-1", "x=1"]) == {"age": 1, "a=b": -1, "x": 1}
    assert read_monotone(regression_fit("linear"), ["age=+1"]) == {"age": 1}


@pytest.mark.parametrize("texts", [["age"], ["age=2"], ["age=up"], ["=1"], ["age=1", "age=-1"], ["age=+"]])
def test_others_are_refused(texts):
    with pytest.raises(ParameterError, match=r"COLUMN=[+]1 or COLUMN=-1, once for a column"):
        read_monotone(learner_class("auto"), texts)


def test_a_learner_without_says_which_have_it():
    with pytest.raises(ParameterError, match=r"got tree with --monotone.*auto, boosted-trees, logistic, svm"):
        read_monotone(learner_class("tree"), ["age=1"])


def test_a_fit_takes_them_and_the_model_says_so(table, schema, tmp_path, run):
    out, page = tmp_path / "m.json", tmp_path / "card.html"

    def fit(*options, code=0):
        return run("fit", table, "-s", schema, "-e", 1, "-o", out, "--force", *options, code=code)

    fit("--monotone", "age=+1")
    assert json.loads(run("inspect", out, "--json").stdout)["monotone"] == {"age": 1}
    said = " ".join(run("inspect", out, "--html", page).stdout.split())
    assert "never falls as age rises." in said and "the noise is stated as it was before" in said
    assert "never falls as age rises." in page.read_text(encoding="utf-8")
    assert run("verify", out).stdout.startswith("Yes")
    before = out.read_bytes()
    assert "numeric columns of the schema" in fit("--monotone", "height=1", code=1).stderr
    assert "--monotone" in fit("--set", "monotone=1", code=1).stderr
    assert "made monotone" in fit("--learner", "tree", "--monotone", "age=1", code=1).stderr
    assert out.read_bytes() == before
