"""Pictures of a study show the study's numbers."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from report.frames import EPSILONS, PEERS, PRIVATE, REFERENCES, study_frame
from tacit.errors import ParameterError
from tacit.report import (
    AccuracyDistributionDisplay,
    PrivacyCostDisplay,
    PrivacyCurveDisplay,
    PValueHeatMapDisplay,
    RunTimeDisplay,
)
from tacit.report.artefact import draw
from tacit.report.palette import looks
from tacit.study.papers import Artefact, Axis, Paper, compared

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


def ax():
    return Figure().add_subplot()


def lines(display):
    return {line.get_label(): line for line in display.ax_.lines}


def mean(frame, name, epsilon):
    return frame.filter(pl.col("name") == name, pl.col("epsilon") == epsilon)["accuracy"].to_numpy().mean()


@pytest.mark.parametrize("display", DISPLAYS)
def test_each_draws_on_axes_of_its_own_or_on_those_given(display, many):
    own = display.from_study(many)
    assert own.figure_ is own.ax_.figure
    given = ax()
    drawn = display.from_study(many, ax=given)
    assert drawn.ax_ is given
    again = ax()
    assert drawn.plot(again).ax_ is again


def test_a_curve_goes_through_the_means(many):
    display = PrivacyCurveDisplay.from_study(many, ax=ax())
    curve = lines(display)["BRC"]
    assert display.ax_.get_xscale() == "log"
    assert tuple(curve.get_xdata()) == EPSILONS
    assert curve.get_ydata() == pytest.approx([mean(many, "BRC", epsilon) for epsilon in EPSILONS])


def test_bands_reach_one_deviation(many):
    display = PrivacyCurveDisplay.from_study(many.filter(pl.col("name") == "BRC"), ax=ax())
    at = many.filter(pl.col("name") == "BRC", pl.col("epsilon") == 0.1)["accuracy"].to_numpy()
    (band,) = display.ax_.collections
    corners = band.get_paths()[0].vertices
    heights = corners[np.isclose(corners[:, 0], 0.1), 1]
    assert (min(heights), max(heights)) == pytest.approx((at.mean() - at.std(ddof=1), at.mean() + at.std(ddof=1)))
    bare = PrivacyCurveDisplay.from_study(many, ax=ax(), bands=False)
    assert len(bare.ax_.collections) == 0


def test_learners_without_privacy_are_level_lines(many):
    display = PrivacyCurveDisplay.from_study(many, ax=ax())
    expected = many.filter(pl.col("name") == "logistic")["accuracy"].to_numpy().mean()
    line = lines(display)["logistic"]
    assert line.get_ydata() == pytest.approx([expected] * 4)
    assert (line.get_xdata()[0], line.get_xdata()[-1]) == (0, 1)  # from side to side
    assert display.ax_.get_xlim()[0] > 0
    assert set(REFERENCES) | set(PRIVATE) | set(PEERS) <= set(lines(display))


def test_every_learner_has_a_look_of_its_own():
    drawn = looks([f"learner {place}" for place in range(20)], [f"ceiling {place}" for place in range(5)])
    assert len({(look.color, look.marker) for look in list(drawn.values())[:20]}) == 20
    assert len({look.dash for look in list(drawn.values())[20:]}) == 5
    # In pictures level lines have markers as well, and none that a curve has.
    ends = {str(look.marker) for look in list(drawn.values())[20:]}
    assert len(ends) == 5
    assert not ends & {look.marker for look in list(drawn.values())[:20]}
    # In grey: a marker or a dash of its own.
    assert len({(look.marker, str(look.dash)) for look in list(drawn.values())[:20]}) == 20


def test_the_other_metric():
    frame = study_frame(repeats=2).with_columns(auc=pl.lit(0.75))
    display = PrivacyCurveDisplay.from_study(frame, metric="auc", ax=ax())
    assert lines(display)["BRC"].get_ydata() == pytest.approx([0.75] * len(EPSILONS))
    assert "ROC" in display.ax_.get_ylabel()
    with pytest.raises(ParameterError, match="metric"):
        PrivacyCurveDisplay.from_study(frame, metric="f1", ax=ax())


def test_one_of_several_data_sets_must_be_named():
    frame = study_frame(data=("adult", "nursery"), privacy=("packaged", "all-private"), repeats=2)
    with pytest.raises(ParameterError, match=r"data.*'adult', 'nursery'"):
        PrivacyCurveDisplay.from_study(frame, ax=ax())
    with pytest.raises(ParameterError, match="privacy"):
        PrivacyCurveDisplay.from_study(frame, data="adult", ax=ax())
    with pytest.raises(ParameterError, match="data='iris'"):
        PrivacyCurveDisplay.from_study(frame, data="iris", ax=ax())
    display = PrivacyCurveDisplay.from_study(frame, data="adult", privacy="all-private", ax=ax())
    own = frame.filter(pl.col("data") == "adult", pl.col("privacy") == "all-private")
    assert lines(display)["Tree"].get_ydata()[-1] == pytest.approx(mean(own, "Tree", 10.0))


def test_one_name_at_two_deltas_becomes_two_curves(many):
    loose = many.filter(pl.col("name") == "BRC").with_columns(delta=pl.lit(1e-6), accuracy=pl.lit(0.9))
    display = PrivacyCurveDisplay.from_study(pl.concat([many, loose]), ax=ax())
    both = [name for name in lines(display) if name.startswith("BRC")]
    assert len(both) == 2
    assert any("1e-6" in name for name in both)


def test_costs_are_means_of_ratios():
    rows = study_frame(repeats=2, epsilons=(1.0,), learners={"BRC": ("brc", 0.8, 0.1)}, references={"logistic": 0.9})
    accuracies = {("BRC", 0): 0.5, ("BRC", 1): 0.6, ("logistic", 0): 1.0, ("logistic", 1): 0.8}
    exact = [accuracies[name, repeat] for name, repeat in rows.select("name", "repeat").iter_rows()]
    display = PrivacyCostDisplay.from_study(rows.with_columns(accuracy=pl.Series(exact)), ax=ax())
    assert lines(display)["BRC"].get_ydata() == pytest.approx([(0.5 + 0.75) / 2])


def test_costs_are_relative_to_the_best_unless_said(many):
    best = PrivacyCostDisplay.from_study(many, ax=ax())
    assert best.reference == "hist-gradient-boosting"
    other = PrivacyCostDisplay.from_study(many, reference="majority", ax=ax())
    assert lines(other)["BRC"].get_ydata()[-1] > 1 > lines(best)["BRC"].get_ydata()[-1]
    with pytest.raises(ParameterError, match="without privacy"):
        PrivacyCostDisplay.from_study(many, reference="BRC", ax=ax())
    with pytest.raises(ParameterError, match="without privacy"):
        PrivacyCostDisplay.from_study(many.filter(pl.col("kind") != "reference"), ax=ax())


def test_the_heat_map_says_its_p_values(many):
    display = PValueHeatMapDisplay.from_study(many, epsilon=1.0, ax=ax())
    names = display.p["name"].to_list()
    assert len(names) == len(PRIVATE | PEERS)
    from scipy.stats import wilcoxon

    pair = [many.filter(pl.col("name") == name, pl.col("epsilon") == 1.0)["accuracy"] for name in ("BRC", "Tree")]
    expected = wilcoxon(*pair, zero_method="zsplit", method="approx").pvalue
    assert display.p["Tree"][names.index("BRC")] == pytest.approx(expected)
    assert f"{expected:.2f}".removeprefix("0") in {text.get_text() for text in display.ax_.texts}
    with pytest.raises(ParameterError, match="two private learners"):
        PValueHeatMapDisplay.from_study(many, epsilon=0.5, ax=ax())


def test_a_box_spreads_over_learners(many):
    display = AccuracyDistributionDisplay.from_study(many, ax=ax())
    means = sorted(mean(many, name, 0.1) for name in PRIVATE | PEERS)
    row = display.boxes.filter(pl.col("epsilon") == 0.1)
    assert row.select("least", "median", "most").row(0) == pytest.approx((means[0], means[5], means[-1]))
    assert len(display.ax_.patches) == len(EPSILONS)
    ratios = AccuracyDistributionDisplay.from_study(many, reference="majority", ax=ax())
    assert "majority" in ratios.ax_.get_ylabel()


def test_run_times_are_medians_between_extremes(many):
    display = RunTimeDisplay.from_study(many, ax=ax())
    own = many.filter(pl.col("name") == "Tree")["fit_seconds"].to_numpy()
    row = display.seconds.filter(pl.col("name") == "Tree")
    assert row.select("median", "least", "most").row(0) == pytest.approx((np.median(own), own.min(), own.max()))
    assert display.ax_.get_xscale() == "log"


def test_failed_fits_are_left_out(many):
    failed = many.with_columns(status=pl.lit("failed"), accuracy=pl.lit(None), fit_seconds=pl.lit(None))
    with pytest.raises(ParameterError, match="finished"):
        RunTimeDisplay.from_study(failed, ax=ax())
    with pytest.raises(ParameterError, match="finished"):
        AccuracyDistributionDisplay.from_study(failed, ax=ax())
    assert lines(PrivacyCurveDisplay.from_study(failed, ax=ax())) == {}


def test_frames_that_are_no_study_are_refused(many):
    with pytest.raises(ParameterError, match="got none"):
        PrivacyCurveDisplay.from_study(many.clear())
    with pytest.raises(ParameterError, match="delta"):
        PrivacyCurveDisplay.from_study(many.drop("delta"))


def test_names_are_shown_letter_by_letter(many):
    """Dollars make no formula and an underscore hides nothing."""
    odd = many.with_columns(pl.col("name").replace({"BRC": r"$\frac$", "Tree": "_hidden"}))
    for kind in DISPLAYS:
        kind.from_study(odd, ax=(given := ax()))
        given.figure.canvas.draw()
    shown = PrivacyCurveDisplay.from_study(odd, ax=ax()).ax_.get_legend().get_texts()
    assert {r"\$\frac\$", " _hidden"} <= {text.get_text() for text in shown}


LONG = "people of a census with a name as long as a line, simulated, of thirteen columns, in ten folds"


def box_of_title(ax):
    (title,) = (
        each for each in ax.get_children() if isinstance(each, Text) and each.get_text() == ax.get_title("left")
    )
    return title.get_window_extent()


@pytest.mark.parametrize("kind", [PrivacyCostDisplay, PrivacyCurveDisplay, PValueHeatMapDisplay, RunTimeDisplay])
def test_long_titles_stay_above_their_picture(many, kind):
    display = kind.from_study(many.with_columns(data=pl.lit(LONG)), data=LONG)
    display.figure_.canvas.draw()
    above, figure = box_of_title(display.ax_), display.figure_.bbox
    assert figure.x0 <= above.x0 < above.x1 <= figure.x1
    assert above.y1 <= figure.y1
    if legend := display.ax_.get_legend():
        assert not legend.get_window_extent().overlaps(above)


def test_level_lines_have_a_marker_at_each_end_in_the_key_too(many):
    display = PrivacyCurveDisplay.from_study(many, ax=ax())
    line = lines(display)["majority"]
    assert [line.get_xdata()[at] for at in line.get_markevery()] == [0.015, 0.985]
    legend = display.ax_.get_legend()
    handles = dict(zip([text.get_text() for text in legend.get_texts()], legend.legend_handles, strict=True))
    assert handles["majority"].get_marker() == line.get_marker() != handles["one-rule"].get_marker()


@pytest.mark.parametrize(
    ("times", "ticks"), [((0.3, 4.0), [0.5, 1, 2, 5]), ((0.0002, 20.0), [0.001, 0.01, 0.1, 1, 10])]
)
def test_seconds_have_few_ticks(many, times, ticks):
    seconds = pl.when(pl.int_range(pl.len()) % 2 == 0).then(times[0]).otherwise(times[1])
    display = RunTimeDisplay.from_study(many.with_columns(fit_seconds=seconds), ax=ax())
    assert display.ax_.get_xticks().tolist() == ticks
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == [f"{tick:g}" for tick in ticks]


def test_titles_of_figures_leave_room_for_the_key(monkeypatch):
    drawn, save = [], Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *to, **how: (drawn.append(figure), save(figure, *to, **how)))
    rows = [
        {"panel": panel, "series": series + LONG, "x": x, "ours": 0.8, "published": 0.7}
        for panel in (LONG, "bank", "credit")
        for series, xs in (("curve, ", (0.1, 1.0)), ("level, ", (None,)))
        for x in xs
    ]
    for panels in (1, 3):
        own = [row for row in rows if row["panel"] in (LONG, "bank", "credit")[:panels]]
        draw(ARTEFACT, compared(own))
        figure = drawn.pop()
        (legend,) = figure.legends
        boxes = [each.get_window_extent() for each in (*figure.texts, legend)] + [*map(box_of_title, figure.axes)]
        assert len(boxes) == 2 + panels
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
        assert all(figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1 for box in boxes)


ARTEFACT = Artefact(
    name="someone2020-figure1",
    title="Figure 1: " + LONG,
    paper=Paper("someone2020", "Someone: A paper. 2020."),
    setting="",
    differences=(),
    hours=0.1,
    quick="",
    axis=Axis("epsilon", "accuracy", "curve", log=True),
    tasks=lambda quick: [],
    compare=lambda rows: rows,
)
