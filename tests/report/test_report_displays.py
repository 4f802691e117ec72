"""Pictures of a study show the study's numbers."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

from report.frames import EPSILONS, PEERS, PRIVATE, REFERENCES, study_frame
from tacit.errors import ParameterError
from tacit.report import (
    AccuracyDistributionDisplay,
    PrivacyCostDisplay,
    PrivacyCurveDisplay,
    PValueHeatMapDisplay,
    RunTimeDisplay,
)
from tacit.report.palette import looks

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
    assert lines(display)["logistic"].get_ydata() == pytest.approx([expected, expected])
    assert set(REFERENCES) | set(PRIVATE) | set(PEERS) <= set(lines(display))


def test_every_learner_has_a_look_of_its_own():
    drawn = looks([f"learner {place}" for place in range(20)], [f"ceiling {place}" for place in range(5)])
    assert len({(look.color, look.marker) for look in list(drawn.values())[:20]}) == 20
    assert len({look.dash for look in list(drawn.values())[20:]}) == 5
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
