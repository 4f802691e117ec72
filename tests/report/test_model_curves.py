"""The picture of an additive model: its released curves, one for each column, and nothing else."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from report.browser import browser, opened
from tacit import BoostedTreesClassifier, Categorical, Label, Numeric, Schema
from tacit.errors import ParameterError
from tacit.features.literals import Literal
from tacit.features.oblivious import Subset
from tacit.models import BoostedTreesModel, Model, ObliviousTree
from tacit.report import ModelCurvesDisplay
from tacit.report.curves import model_curves
from tacit.report.page import picture_page

HALF, ONE = 2**19, 2**20
"""Steps of a score."""

HOSTILE = "</script><img src=x onerror=alert(1)>"
SCHEMA = Schema(
    [
        Numeric("age", 0, 100, cuts=[18, 65]),
        Numeric("since", "2000-01-01", "2020-12-31", cuts=["2010-01-01"]),
        Categorical("job", ["a", HOSTILE], other=True),
        Numeric("idle", 0, 1),
    ],
    label=Label("works", ["no", "yes"]),
)
TREES = (
    # 1 above 65; 1/2 from 19 to 65; 0 at most 18: a bit a level, 1 where the test holds.
    ObliviousTree((Literal("age", 0, 0), Literal("age", 0, 1)), ((ONE, HALF, 0, 0),)),
    ObliviousTree((Literal("since", 0, 0),), ((0, ONE // 4),)),
    ObliviousTree((Subset("job", (1,)),), ((0, -ONE // 8),)),
    ObliviousTree((Literal("age", 0, 0),), ((0, ONE),)),
)


@pytest.fixture(scope="module")
def running():
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def promise():
    frame = pl.DataFrame({"age": [1.0, 2.0], "since": ["2001-01-01"] * 2, "job": ["a"] * 2, "idle": [0.5] * 2})
    return BoostedTreesClassifier(SCHEMA, epsilon=1.0).fit(frame, ["no", "yes"]).privacy_


def model(promise, trees=TREES) -> Model:
    return Model("boosted-trees", SCHEMA, (BoostedTreesModel((0,), trees),), promise)


def test_the_picture_has_the_models_numbers(promise):
    age, since, job = model_curves(model(promise))["data"]
    assert (age["x"], age["y"]) == ([13.3, 18.0, 65.0, 69.7], [1.0, 0.5, 1.0, 1.0])
    assert age["text"][1] == "age above 18 and at most 65: +0.50"
    assert age["line"]["shape"] == "hv"
    assert (since["x"][1], since["y"]) == ("2010-01-01", [0.25, 0.0, 0.0])
    assert since["x"][0] > "2000-01-01"
    assert job["y"] == [0.0, -0.125, 0.0]
    assert "another value: +0.00" in job["text"]


def test_columns_that_move_nothing_are_left_out_and_the_strongest_comes_first(promise):
    layout = model_curves(model(promise))["layout"]
    titles = [layout[f"xaxis{at}"]["title"]["text"] for at in ("", 2, 3)]
    assert titles == ["age", "since", "job"]
    assert "xaxis4" not in layout
    assert layout["xaxis"]["domain"][1] < layout["xaxis2"]["domain"][0]
    assert layout["yaxis3"]["domain"][1] < layout["yaxis"]["domain"][0]


def test_each_class_of_many_has_a_curve():
    schema = Schema([Numeric("a", -1, 1)], label=Label("y", [0, 1, 2]))
    a = np.random.default_rng(0).uniform(-1, 1, (3000, 1))
    fitted = BoostedTreesClassifier(schema, epsilon=1.0, structure="additive").fit(a, np.digitize(a[:, 0], [-0.3, 0.3]))
    traces = model_curves(fitted.model_)["data"]
    assert [each["meta"] for each in traces] == ["0", "1", "2"]
    assert np.sum([each["y"] for each in traces], axis=0) == pytest.approx(0)
    assert traces[0]["y"][0] > 0 > traces[0]["y"][-1]


def test_what_is_no_sum_of_curves_is_refused(promise):
    both = ObliviousTree((Literal("age", 0, 0), Literal("since", 0, 0)), ((0, 0, 0, ONE),))
    with pytest.raises(ParameterError, match="one column each"):
        model_curves(model(promise, (both,)))
    with pytest.raises(ParameterError, match="class balance"):
        model_curves(model(promise, ()))


def test_a_notebook_draws_it(promise):
    display = ModelCurvesDisplay.from_model(model(promise))  # plotly refuses what is no part of a figure
    assert len(display.figure_.data) == 3
    assert display.points.height == 4 + 3 + 3


@pytest.mark.browser
def test_the_page_has_room_for_it_and_shows_hostile_names_letter_by_letter(running, promise, tmp_path):
    path = tmp_path / "curves.html"
    page = picture_page(model_curves(model(promise)), title=HOSTILE, caption="what it promises")
    path.write_text(page, encoding="utf-8", newline="\n")
    with opened(running, path, viewport={"width": 900, "height": 700}) as watched:
        assert watched.page.locator("#picture .trace.scatter").count() == 3
        drawn, caption = (
            watched.page.locator(each).bounding_box() for each in ("#picture .main-svg >> nth=0", "figcaption")
        )
        assert caption["y"] >= drawn["y"] + drawn["height"] - 1
        assert watched.complaints == []
        assert watched.requests == [path.as_uri()]
