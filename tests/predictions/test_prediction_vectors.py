"""Models of every kind predict what the test vectors say: the R package is checked by the same files."""

from __future__ import annotations

import importlib.util
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from tacit import load_model
from tacit.models import to_json

HERE = Path(__file__).parent
VECTORS = HERE / "vectors"
EXPECTED = json.loads((VECTORS / "expected.json").read_text(encoding="utf-8"))
CHOSEN = ("chosen", "chosen calibrated")
ROWS = json.loads((VECTORS / "rows.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def script():
    found = importlib.util.spec_from_file_location("make_predictions", HERE / "make_predictions.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def model_path(name):
    golden = name.removeprefix("golden ")
    return VECTORS / f"{name}.model.json" if golden == name else HERE.parent / f"golden/format-1/{golden}.model.json"


@pytest.mark.parametrize("name", EXPECTED)
def test_a_model_predicts_what_the_vectors_say(name, script):
    wanted = EXPECTED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = load_model(model_path(name))
    found = script.predictions(model, script.table(ROWS[wanted["rows"]]))
    assert found.keys() == wanted.keys() - {"rows"}
    for each in found.keys() & {"scores", "probabilities", "calibrated", "numbers", "quantiles", "learned"}:
        np.testing.assert_allclose(found[each], wanted[each], rtol=1e-12, atol=1e-12)
    for asked, intervals in wanted.get("intervals", {}).items():
        np.testing.assert_allclose(found["intervals"][asked], intervals, rtol=1e-12, atol=1e-12)
    assert [found.get(each) for each in CHOSEN] == [wanted.get(each) for each in CHOSEN]
    assert found.get("classes") == wanted.get("classes") and found.get("sets") == wanted.get("sets")


@pytest.mark.parametrize("path", sorted(VECTORS.glob("merged*.model.json")), ids=lambda path: path.name)
def test_parts_of_a_merged_file_stay_as_they_were_written(path):
    """Whatever later versions write of a single model: digests are of what is in the file."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    again = json.loads(to_json(load_model(path), allow="simulated"))
    assert again["digest"] == stored["digest"]


def test_there_are_vectors_of_every_kind_of_scorer_and_rule():
    models = [json.loads(model_path(name).read_text(encoding="utf-8"))["model"] for name in EXPECTED]
    assert sum("parts" in model for model in models) == 3
    models = [part for model in models for part in model.get("parts", [model])]
    scorers = [scorer for model in models for scorer in model["scorers"]]
    assert {scorer["kind"] for scorer in scorers} == {
        "vote", "literal-votes", "naive-bayes", "literal-tree", "boosted-trees", "linear-model", "logistic-model",
        "rado-form", "ranked",
    }  # fmt: skip
    assert any(scorer.get("first") for scorer in scorers) and any(scorer.get("public") for scorer in scorers)
    assert any(scorer.get("link") for scorer in scorers) and any(scorer.get("start") for scorer in scorers)
    assert {form["encoding"] for scorer in scorers for form in scorer.get("forms", ())} >= {"binned", "ordinal"}
    assert any(scorer.get("curved") for scorer in scorers) and any("quantiles" in model for model in models)
    assert {len(each["calibrated"][0]) for each in EXPECTED.values() if "calibrated" in each} == {2, 3}
    assert any(model.get("scale", {}).get("link") for model in models)
    assert any("scale" in model for model in models) and any("sets" in each for each in EXPECTED.values())


def test_rows_hold_a_missing_cell_and_one_that_is_read_in_its_own_way_of_most_columns():
    columns = ROWS["rows"]
    assert {len(cells) for cells in columns.values()} == {12}
    assert sum(None in cells for cells in columns.values()) >= 9
