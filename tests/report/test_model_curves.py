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
from tacit.models.noise import ColumnNoise
from tacit.report import ModelCurvesDisplay
from tacit.report.curves import model_curves
from tacit.report.page.document import picture_page

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


def model(promise, trees=TREES, noise=()) -> Model:
    return Model("boosted-trees", SCHEMA, (BoostedTreesModel((0,), trees, noise=noise),), promise)


def test_the_picture_has_the_models_numbers(promise):
    """Effects are less their mean over cells: 1, 1/2, 1 and 1/4, 0 and 0, -1/8, 0."""
    age, since, job = model_curves(model(promise))["data"]
    assert age["x"] == [13.3, 18.0, 18.0, 65.0, 65.0, 69.7]
    assert age["y"] == pytest.approx([1 / 6, 1 / 6, -1 / 3, -1 / 3, 1 / 6, 1 / 6])
    assert age["text"][2] == "above 18 and at most 65: -0.33"
    assert since["x"][1:3] == ["2010-01-01"] * 2
    assert since["y"] == pytest.approx([1 / 8, 1 / 8, -1 / 8, -1 / 8])
    assert since["x"][0] > "2000-01-01"
    assert job["y"] == pytest.approx([1 / 24, -1 / 12, 1 / 24])
    assert "another value: +0.04" in job["text"]


def test_a_band_is_two_deviations_of_the_noise_wide(promise):
    noise = (
        ColumnNoise("age", (0.5, 0.25, 0.25), ((0.01, 0.02, 0.03),), released=True),
        ColumnNoise("job", (0.5, 0.25, 0.25), ((0.01, 0.02, 0.03),), released=True),
    )
    band, age, job, since = model_curves(model(promise, noise=noise))["data"]
    assert age["y"][::2] == pytest.approx([1 / 8, -3 / 8, 1 / 8])
    assert band["x"] == [*age["x"], *reversed(age["x"])]
    assert band["y"][:6:2] == pytest.approx([1 / 8 + 0.02, -3 / 8 + 0.04, 1 / 8 + 0.06])
    assert band["y"][-1:5:-2] == pytest.approx([1 / 8 - 0.02, -3 / 8 - 0.04, 1 / 8 - 0.06])
    assert job["error_y"]["array"] == pytest.approx([0.02, 0.04, 0.06])
    assert "error_y" not in since


def test_columns_that_move_nothing_are_left_out_and_the_strongest_comes_first(promise):
    layout = model_curves(model(promise))["layout"]
    assert [each["text"] for each in layout["annotations"]] == ["<b>age</b>", "<b>since</b>", "<b>job</b>"]
    assert [each["y"] for each in layout["annotations"]] == [layout[f"yaxis{at}"]["domain"][1] for at in ("", 2, 3)]
    assert "xaxis4" not in layout
    assert layout["xaxis"]["domain"][1] < layout["xaxis2"]["domain"][0]
    assert layout["yaxis3"]["domain"][1] < layout["yaxis"]["domain"][0]


def test_each_class_of_many_has_a_curve():
    schema = Schema([Numeric("a", -1, 1)], label=Label("y", [0, 1, 2]))
    a = np.random.default_rng(0).uniform(-1, 1, (3000, 1))
    fitted = BoostedTreesClassifier(schema, epsilon=1.0, structure="additive").fit(a, np.digitize(a[:, 0], [-0.3, 0.3]))
    traces = model_curves(fitted.model_)["data"]
    traces = [each for each in traces if "text" in each]
    assert [each["meta"] for each in traces] == ["0", "1", "2"]
    assert np.sum([each["y"] for each in traces], axis=0) == pytest.approx(0)
    assert traces[0]["y"][0] > 0 > traces[0]["y"][-1]


def test_a_model_without_columns_is_refused(promise):
    with pytest.raises(ParameterError, match="class balance"):
        model_curves(model(promise, ()))


def test_a_tree_of_two_columns_is_drawn_by_mean_effects(promise):
    both = ObliviousTree((Literal("age", 0, 0), Literal("since", 0, 0)), ((0, 0, 0, ONE),))
    age, since = model_curves(model(promise, (both,)))["data"]
    # The leaf of 1 is for ages of the first bin and days of the first: 1/3 of the ages, 1/2 of the days.
    assert age["y"][::2] == pytest.approx([1 / 2 - 1 / 6, -1 / 6, -1 / 6])
    assert since["y"][::2] == pytest.approx([1 / 3 - 1 / 6, -1 / 6])


def test_a_notebook_draws_it(promise):
    display = ModelCurvesDisplay.from_model(model(promise))  # plotly refuses what is no part of a figure
    assert len(display.figure_.data) == 3
    assert display.points.height == 6 + 4 + 3


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
