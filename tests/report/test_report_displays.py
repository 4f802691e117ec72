"""Pictures of a study show the study's numbers, and are described as plotly takes them."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from report.frames import EPSILONS, PEERS, PRIVATE, REFERENCES, study_frame
from tacit.errors import MissingExtra, ParameterError
from tacit.report import (
    AccuracyDistributionDisplay,
    CalibrationDisplay,
    PrivacyCostDisplay,
    PrivacyCurveDisplay,
    PValueHeatMapDisplay,
    RunTimeDisplay,
)
from tacit.report.layout import ON_DARK, looks, plain, spread
from tacit.study.summary.accuracies import COLUMNS

DISPLAYS = [
    AccuracyDistributionDisplay,
    PrivacyCostDisplay,
    PrivacyCurveDisplay,
    PValueHeatMapDisplay,
    RunTimeDisplay,
]


@pytest.fixture(scope="module")
def many():
    return study_frame(repeats=3)


def curves(display):
    """Return the curves and level lines by name."""
    return {each.meta: each for each in display.figure_.data if each.text is not None and "lines" in each.mode}


def mean(frame, name, epsilon):
    return frame.filter(pl.col("name") == name, pl.col("epsilon") == epsilon)["accuracy"].to_numpy().mean()


@pytest.mark.parametrize("display", DISPLAYS)
def test_each_is_a_figure_of_plotly_and_is_drawn_again_otherwise(display, many):
    found = display.from_study(many)  # plotly refuses what is no part of a figure
    assert len(found.figure_.data) == len(found.description["data"])
    again = found.plot(width=300, title_text="mine")
    assert again is found
    assert (again.figure_.layout.width, again.figure_.layout.title.text) == (300, "mine")


@pytest.mark.parametrize("display", DISPLAYS)
def test_each_is_described_in_plain_values(display, many):
    import json

    assert json.loads(json.dumps(display.from_study(many).description, allow_nan=False))


def test_a_curve_goes_through_the_means(many):
    display = PrivacyCurveDisplay.from_study(many)
    curve = curves(display)["BRC"]
    assert display.figure_.layout.xaxis.type == "log"
    assert curve.x == EPSILONS
    assert curve.y == pytest.approx([mean(many, "BRC", epsilon) for epsilon in EPSILONS])
    assert "epsilon 0.04" in curve.text[1] and f"{curve.y[1]:.4f} ± " in curve.text[1] and "3 fits" in curve.text[1]


def test_bands_reach_one_standard_deviation(many):
    display = PrivacyCurveDisplay.from_study(many.filter(pl.col("name") == "BRC"))
    at = many.filter(pl.col("name") == "BRC", pl.col("epsilon") == 0.1)["accuracy"].to_numpy()
    (band,) = (each for each in display.figure_.data if each.fill == "toself")
    heights = [y for x, y in zip(band.x, band.y, strict=True) if x == 0.1]
    assert (min(heights), max(heights)) == pytest.approx((at.mean() - at.std(ddof=1), at.mean() + at.std(ddof=1)))
    crowd = PrivacyCurveDisplay.from_study(many).figure_.data
    assert not any(each.fill == "toself" for each in crowd)  # of more than three they would be one grey
    brc = next(each for each in crowd if each.meta == "BRC")
    assert brc.error_y.visible and brc.error_y.array[EPSILONS.index(0.1)] == pytest.approx(at.std(ddof=1))
    single = PrivacyCurveDisplay.from_study(many.filter(pl.col("name") == "BRC", pl.col("epsilon") == 0.1))
    (point,) = single.figure_.data
    assert point.error_y.visible
    assert point.error_y.array == pytest.approx((at.std(ddof=1),))


def test_learners_without_privacy_are_level_lines_with_their_names(many):
    display = PrivacyCurveDisplay.from_study(many)
    expected = many.filter(pl.col("name") == "logistic")["accuracy"].to_numpy().mean()
    line = curves(display)["logistic"]
    assert line.y == pytest.approx([expected] * len(line.y))
    low, high = display.figure_.layout.xaxis.range
    assert (np.log10(line.x[0]), np.log10(line.x[-1])) == pytest.approx((low, high))  # from side to side
    assert low < np.log10(EPSILONS[0]) < np.log10(EPSILONS[-1]) < high
    assert set(REFERENCES) | set(PRIVATE) | set(PEERS) == set(curves(display))
    named = {each.text[0]: each.y[0] for each in display.figure_.data if each.mode == "text"}
    assert set(named) == set(REFERENCES)
    heights = sorted(named.values())
    assert min(np.diff(heights)) > 0.01  # of a height of 0.25


def test_names_of_level_lines_are_apart():
    assert spread([0.9, 0.89, 0.1], 0.05) == pytest.approx([0.94, 0.89, 0.1])


def test_every_learner_has_a_look_of_its_own():
    drawn = looks([f"learner {place}" for place in range(20)], [f"level {place}" for place in range(5)])
    assert len({(look.color, look.symbol) for look in list(drawn.values())[:20]}) == 20
    assert len({look.stroke for look in list(drawn.values())[20:]}) == 5
    # In grey: a marker or a dash of its own.
    assert len({(look.symbol, look.stroke) for look in list(drawn.values())[:20]}) == 20


def test_every_color_of_a_picture_is_known_on_a_dark_ground(many):
    """What is not changed there is what stands out on both."""
    unchanged = {"#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"}

    def colors(part):
        if isinstance(part, str):
            return {part} if part.startswith("#") else set()
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else []
        return set().union(*map(colors, inner))

    found = set().union(*(colors(each.from_study(many).description) for each in DISPLAYS))
    assert found - unchanged <= set(ON_DARK)
    assert len(found) > 10


def test_the_other_metric():
    frame = study_frame(repeats=2).with_columns(auc=pl.lit(0.75))
    display = PrivacyCurveDisplay.from_study(frame, metric="auc")
    assert curves(display)["BRC"].y == pytest.approx([0.75] * len(EPSILONS))
    assert "ROC" in display.figure_.layout.yaxis.title.text
    with pytest.raises(ParameterError, match="metric"):
        PrivacyCurveDisplay.from_study(frame, metric="f1")


def test_one_of_several_data_sets_must_be_named():
    frame = study_frame(data=("adult", "nursery"), privacy=("as-declared", "all-private"), repeats=2)
    with pytest.raises(ParameterError, match=r"data.*'adult', 'nursery'"):
        PrivacyCurveDisplay.from_study(frame)
    with pytest.raises(ParameterError, match="privacy"):
        PrivacyCurveDisplay.from_study(frame, data="adult")
    with pytest.raises(ParameterError, match="data='iris'"):
        PrivacyCurveDisplay.from_study(frame, data="iris")
    display = PrivacyCurveDisplay.from_study(frame, data="adult", privacy="all-private")
    own = frame.filter(pl.col("data") == "adult", pl.col("privacy") == "all-private")
    assert curves(display)["Tree"].y[-1] == pytest.approx(mean(own, "Tree", 10.0))


def test_one_name_at_two_deltas_becomes_two_curves(many):
    loose = many.filter(pl.col("name") == "BRC").with_columns(delta=pl.lit(1e-6), accuracy=pl.lit(0.9))
    display = PrivacyCurveDisplay.from_study(pl.concat([many, loose]))
    both = [name for name in curves(display) if name.startswith("BRC")]
    assert len(both) == 2
    assert any("1e-6" in name for name in both)


def test_costs_are_means_of_ratios():
    rows = study_frame(repeats=2, epsilons=(1.0,), learners={"BRC": ("brc", 0.8, 0.1)}, references={"logistic": 0.9})
    accuracies = {("BRC", 0): 0.5, ("BRC", 1): 0.6, ("logistic", 0): 1.0, ("logistic", 1): 0.8}
    exact = [accuracies[name, repeat] for name, repeat in rows.select("name", "repeat").iter_rows()]
    display = PrivacyCostDisplay.from_study(rows.with_columns(accuracy=pl.Series(exact)))
    assert curves(display)["BRC"].y == pytest.approx([(0.5 + 0.75) / 2])
    (one,) = display.figure_.layout.shapes
    assert (one.y0, one.y1) == (1, 1)


def test_costs_are_relative_to_the_best_unless_said(many):
    best = PrivacyCostDisplay.from_study(many)
    assert best.points["baseline"].unique().to_list() == ["hist-gradient-boosting"]
    assert "hist-gradient-boosting" in best.figure_.layout.title.text
    other = PrivacyCostDisplay.from_study(many, baseline="majority")
    assert curves(other)["BRC"].y[-1] > 1 > curves(best)["BRC"].y[-1]
    with pytest.raises(ParameterError, match="non-private baseline"):
        PrivacyCostDisplay.from_study(many, baseline="BRC")
    with pytest.raises(ParameterError, match="non-private baseline"):
        PrivacyCostDisplay.from_study(many.filter(pl.col("kind") != "baseline"))


def test_the_heat_map_says_its_p_values(many):
    display = PValueHeatMapDisplay.from_study(many, epsilon=1.0)
    (trace,) = display.figure_.data
    names = list(trace.meta)
    assert set(names) == set(PRIVATE | PEERS)
    from scipy.stats import wilcoxon

    pair = [many.filter(pl.col("name") == name, pl.col("epsilon") == 1.0)["accuracy"] for name in ("BRC", "Tree")]
    expected = wilcoxon(*pair, zero_method="zsplit", method="approx").pvalue
    at, other = names.index("BRC"), names.index("Tree")
    assert trace.text[at][other] == f"{expected:.2f}".removeprefix("0") + " ▼"  # BRC's mean is the lower
    assert trace.text[other][at] == f"{expected:.2f}".removeprefix("0") + " ▲"
    assert (trace.z[at][other], trace.z[at][at]) == (3, None)  # from 0.05 to 0.2
    assert f"p {expected:.3g}" in trace.hovertext[at][other]
    with pytest.raises(ParameterError, match="two private learners"):
        PValueHeatMapDisplay.from_study(many, epsilon=0.5)


def test_a_box_spreads_over_learners(many):
    display = AccuracyDistributionDisplay.from_study(many)
    means = sorted(mean(many, name, 0.1) for name in PRIVATE | PEERS)
    (trace,) = display.figure_.data
    at = list(trace.x).index("0.1<br>11")
    drawn = (trace.lowerfence[at], trace.median[at], trace.upperfence[at])
    assert drawn == pytest.approx((means[0], means[5], means[-1]))
    assert len(trace.q1) == len(EPSILONS)
    ratios = AccuracyDistributionDisplay.from_study(many, baseline="majority")
    assert "majority" in ratios.figure_.layout.yaxis.title.text


def test_run_times_are_medians_between_extremes(many):
    display = RunTimeDisplay.from_study(many)
    own = many.filter(pl.col("name") == "Tree")["fit_seconds"].to_numpy()
    (trace,) = (each for each in display.figure_.data if each.meta == "Tree")
    reach = (trace.x[0] - trace.error_x.arrayminus[0], trace.x[0], trace.x[0] + trace.error_x.array[0])
    assert reach == pytest.approx((own.min(), np.median(own), own.max()))
    assert display.figure_.layout.xaxis.type == "log"


@pytest.mark.parametrize(
    ("times", "ticks"), [((0.3, 4.0), (0.5, 1, 2, 5)), ((0.0002, 20.0), (0.001, 0.01, 0.1, 1, 10))]
)
def test_seconds_have_few_ticks(many, times, ticks):
    seconds = pl.when(pl.int_range(pl.len()) % 2 == 0).then(times[0]).otherwise(times[1])
    axis = RunTimeDisplay.from_study(many.with_columns(fit_seconds=seconds)).figure_.layout.xaxis
    assert axis.tickvals == ticks
    assert axis.ticktext == tuple(f"{tick:g}" for tick in ticks)


def test_failed_fits_are_left_out(many):
    failed = many.with_columns(status=pl.lit("failed"), accuracy=pl.lit(None), fit_seconds=pl.lit(None))
    with pytest.raises(ParameterError, match="finished"):
        RunTimeDisplay.from_study(failed)
    with pytest.raises(ParameterError, match="finished"):
        AccuracyDistributionDisplay.from_study(failed)
    assert curves(PrivacyCurveDisplay.from_study(failed)) == {}


def test_frames_that_are_no_study_are_refused(many):
    with pytest.raises(ParameterError, match="got none"):
        PrivacyCurveDisplay.from_study(many.clear())
    with pytest.raises(ParameterError, match="delta"):
        PrivacyCurveDisplay.from_study(many.drop("delta"))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        (r"$\frac$", r"&#36;\frac&#36;"),
        ("a&lt;b", "a&amp;lt;b"),
        ("\u202eevil\u2028", "\ufffdevil\ufffd"),
        ('"quoted"', '"quoted"'),
        ("\u05e9\u05dc\u05d5\u05dd", "\u05e9\u05dc\u05d5\u05dd"),
    ],
)
def test_names_are_shown_letter_by_letter(many, name, shown):
    """Tags are no tags, dollars make no formula, and nothing turns what follows around."""
    assert plain(name) == shown
    odd = many.with_columns(pl.col("name").replace({"BRC": name, "majority": name + "2"}))
    for kind in DISPLAYS[1:]:
        for trace in kind.from_study(odd).description["data"]:
            said = [trace.get("name", ""), *np.ravel(trace.get("text", "")), *np.ravel(trace.get("hovertext", ""))]
            assert not any(name in each for each in said) or shown == name


def test_calibration_at_one_epsilon_by_hand():
    row = {"data": "d", "privacy": "p", "kind": "private", "learner": "tree", "parameters": "{}", "status": "done"}
    row |= dict.fromkeys(COLUMNS, None) | row | {"delta": 0.0, "repeat": 0, "accuracy": 0.5}
    tenths = json.dumps([[40, 0.05, 0.25], [40, 0.15, 0.5], *[[0, 0.0, 0.0]] * 8])
    rows = [row | {"name": "50 %{x}", "epsilon": epsilon, "calibration": tenths} for epsilon in (0.1, 1.0)]
    display = CalibrationDisplay.from_study(pl.DataFrame(rows))
    [trace] = display.description["data"]
    assert (trace["x"], trace["y"], trace["text"]) == ([0.05, 0.15], [0.25, 0.5], ["40", "40"])
    # A name is no field of the template.
    assert "epsilon 1" in trace["hovertemplate"] and "50 &#37;{x}" in trace["hovertemplate"]
    assert (
        "epsilon 0.1"
        in CalibrationDisplay.from_study(pl.DataFrame(rows), epsilon=0.1).description["data"][0]["hovertemplate"]
    )
    # One point without a symbol, as of the majority class, would be no line.
    base = row | {"kind": "baseline", "name": "majority", "epsilon": None, "delta": None}
    one = json.dumps([[40, 0.05, 0.25], *[[0, 0.0, 0.0]] * 9])
    drawn = CalibrationDisplay.from_study(pl.DataFrame([*rows, base | {"calibration": one}], infer_schema_length=None))
    assert [each["mode"] for each in drawn.description["data"]] == ["lines+markers", "markers"]
    with pytest.raises(ParameterError, match="probabilities"):
        CalibrationDisplay.from_study(pl.DataFrame(rows).drop("calibration"))


def test_a_share_of_a_loss_is_refused(many):
    with pytest.raises(ParameterError, match="more is better"):
        PrivacyCostDisplay.from_study(many, metric="log_loss")
    points = PrivacyCurveDisplay.from_study(many, metric="brier").points
    assert points["mean"].is_not_null().all()


def test_the_missing_extra_is_named(many, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(MissingExtra, match=r"tacit\[report\]"):
        PrivacyCurveDisplay.from_study(many)


def test_importing_the_room_loads_no_library():
    loaded = "'plotly' in sys.modules or 'matplotlib' in sys.modules or 'sklearn' in sys.modules"
    code = f"import sys, tacit.report, tacit.cli.app; sys.exit({loaded})"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
