"""Pictures of a study in a notebook, after scikit-learn's displays; they need the extra `report`."""

from __future__ import annotations

from typing import Any, Self

import polars as pl

from tacit.errors import MissingExtra, ParameterError
from tacit.models import Model
from tacit.report import figures
from tacit.report.curves import model_curves
from tacit.report.effect_figures import contributions_figure, effects_figure, importance_figure
from tacit.report.layout import Figure
from tacit.report.rows import (
    METRICS,
    Metric,
    check_share,
    chosen_baseline,
    measured,
    rows_of_case,
    run_times,
    study_rows,
)
from tacit.study.summary import accuracies, calibrations, comparisons, distribution, ratios
from tacit.study.summary.comparisons import Unit


class Display:
    """A picture of a study, drawn by the ``from_study`` of one of the classes below, or of a model.

    ``from_study`` takes ``frame``, what ``Study.run`` returned; ``data`` and ``privacy``, which of its tables and cases
    to draw, as far as the study has several; and ``metric``, "accuracy", "auc", "balanced_accuracy", "log_loss" or
    "brier"; of a number to predict "rmse", "mae" or "r2". It raises ParameterError if the study has no such rows, and
    MissingExtra if plotly is not installed.

    Attributes
    ----------
    description : dict
        The picture in plotly's terms: ``data`` and ``layout``; needs no extra.
    points : polars.DataFrame
        What is drawn, as `tacit.study.summary` returns it.
    figure_ : plotly.graph_objects.Figure

    Notes
    -----
    Privacy: what a study shows is not private: it holds scores on the rows without noise.
    """

    def __init__(self, points: pl.DataFrame, description: Figure):
        self.points, self.description = points, description
        self.plot()

    def plot(self, **layout: Any) -> Self:
        """Draw; arguments change the layout, as plotly's ``Figure.update_layout`` takes them."""
        self.figure_ = drawn(self.description).update_layout(**layout)
        return self


class ModelCurvesDisplay(Display):
    """What each column adds to a model's score; computed from the released model alone."""

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """Draw a model of any learner; of a fitted estimator it is ``model_``."""
        description = model_curves(model)
        points = [
            {"class": each["meta"], "place": str(x), "score": y}
            for each in description["data"]
            for x, y in zip(each["x"], each["y"], strict=True)
        ]
        return cls(pl.DataFrame(points), description)


class ImportanceDisplay(Display):
    """How far each column moves the scores of a model, with intervals of 95 % that hold the noise."""

    @classmethod
    def from_model(cls, model: Model) -> Self:
        """Draw a model of any learner; of a fitted estimator it is ``model_``."""
        return cls(model.importances(), importance_figure(model))


class EffectsDisplay(Display):
    """What each cell of a column adds to the scores of a model, with two standard deviations of its noise."""

    @classmethod
    def from_model(cls, model: Model, column: str | None = None) -> Self:
        """Draw one column, the most important if none is named: a curve for a number, bars for categories."""
        return cls(model.explain(), effects_figure(model, column))


class ContributionsDisplay(Display):
    """What each column adds to the scores of one row, two standard deviations of the noise about it.

    Privacy: as private as the row.
    """

    @classmethod
    def from_model(cls, model: Model, frame: Any) -> Self:
        """Draw one row for a model of any learner; of a fitted estimator it is ``model_``."""
        return cls(model.explain(frame), contributions_figure(model, frame))


class PrivacyCurveDisplay(Display):
    """Accuracy of each private learner against epsilon, with a horizontal line for each non-private baseline.

    Examples
    --------
    >>> from tacit.study.summary.accuracies import COLUMNS
    >>> row = dict.fromkeys(COLUMNS) | {"data": "toy", "privacy": "all-private", "name": "BRC", "status": "done"}
    >>> rows = [row | {"epsilon": 0.1, "accuracy": 0.6}, row | {"epsilon": 1.0, "accuracy": 0.8}]
    >>> PrivacyCurveDisplay.from_study(pl.DataFrame(rows)).figure_.layout.xaxis.type
    'log'
    """

    @classmethod
    def from_study(
        cls, frame: pl.DataFrame, *, data: str | None = None, privacy: str | None = None, metric: Metric = "accuracy"
    ) -> Self:
        """Draw one data set under one privacy."""
        rows = rows_of_case(frame, data, privacy)
        points = accuracies(measured(rows, metric))
        return cls(points, figures.privacy_curve(points, metric=metric, caption=_case(rows)))


class PrivacyCostDisplay(Display):
    """The ratio of each private learner's accuracy to that of a non-private baseline, against epsilon.

    Each split is measured against what was possible on it: the mean of the ratios.
    """

    @classmethod
    def from_study(
        cls,
        frame: pl.DataFrame,
        *,
        data: str | None = None,
        privacy: str | None = None,
        baseline: str | None = None,
        metric: Metric = "accuracy",
    ) -> Self:
        """Draw one data set under one privacy, against the baseline of this name, or the best."""
        check_share(metric)
        rows = measured(rows_of_case(frame, data, privacy), metric)
        chosen = chosen_baseline(rows, baseline)
        points, caption = ratios(rows, chosen), f"{_case(rows)}: share of {chosen}"
        return cls(points, figures.privacy_cost(points, baseline=chosen, metric=metric, caption=caption))


class CalibrationDisplay(Display):
    """How often the second of two classes came, by how probable it was said to be; all splits together."""

    @classmethod
    def from_study(
        cls, frame: pl.DataFrame, *, data: str | None = None, privacy: str | None = None, epsilon: float | None = None
    ) -> Self:
        """Draw one data set under one privacy at one epsilon, by default the largest; learners without one as well."""
        rows = rows_of_case(frame, data, privacy)
        points = _not_empty(calibrations(rows), "probabilities of two classes")
        points = figures.at_epsilon(points, points["epsilon"].max() if epsilon is None else epsilon)
        return cls(points, figures.calibration(points, caption=_case(rows)))


class RunTimeDisplay(Display):
    """Seconds for each learner's fits: the median, and a line from the fastest to the slowest."""

    @classmethod
    def from_study(cls, frame: pl.DataFrame, *, data: str | None = None, privacy: str | None = None) -> Self:
        """Draw one data set under one privacy."""
        rows = rows_of_case(frame, data, privacy)
        points = _not_empty(run_times(rows), "finished fits")
        return cls(points, figures.run_time(points, caption=_case(rows)))


class AccuracyDistributionDisplay(Display):
    """A box for each epsilon: how mean accuracies of learners and data sets are distributed there.

    Figure 5 of Lopuhaä-Zwakenberg and others (2021). A box goes from the first to the third quartile, with a line at
    the median; the whiskers go from the least to the most.
    """

    @classmethod
    def from_study(
        cls,
        frame: pl.DataFrame,
        *,
        data: str | None = None,
        privacy: str | None = None,
        baseline: str | None = None,
        metric: Metric = "accuracy",
    ) -> Self:
        """Draw all data sets and cases, or the named ones; ratios to a baseline if one is named."""
        rows = _only(measured(study_rows(frame), metric), data=data, privacy=privacy)
        if baseline is None:
            points, label = distribution(accuracies(rows), "mean"), METRICS[metric]
        else:
            check_share(metric)
            points, label = distribution(ratios(rows, baseline), "ratio"), f"{metric}, as a share of {baseline}"
        points = _not_empty(points.filter(pl.col("points") > 0), "finished fits with an epsilon")
        return cls(points, figures.accuracy_distribution(points, label=label))


class PValueHeatMapDisplay(Display):
    """A heat map of the p-values of Wilcoxon's signed-rank test between any two private learners.

    Splits of one table share rows, so these p are too small; they are not adjusted for their number either.
    """

    @classmethod
    def from_study(
        cls,
        frame: pl.DataFrame,
        *,
        data: str | None = None,
        privacy: str | None = None,
        epsilon: float | None = None,
        unit: Unit = "fit",
        metric: Metric = "accuracy",
    ) -> Self:
        """Draw all fits, or those named, paired by ``unit`` as `tacit.study.summary.comparisons` does."""
        wanted = {"data": data, "privacy": privacy, "epsilon": epsilon}
        points = comparisons(_only(measured(study_rows(frame), metric), **wanted), unit)
        said = ", ".join(f"{column} {value}" for column, value in wanted.items() if value is not None)
        points = _not_empty(points, "two private learners to compare")
        return cls(points, figures.p_value_heat_map(points, caption=said or "all tables and epsilons"))


def drawn(description: Figure) -> Any:
    """Return a description as a figure of plotly.

    Raises
    ------
    MissingExtra
        If plotly is not installed; the message names the extra.
    """
    try:
        from plotly.graph_objects import Figure
    except ImportError:
        raise MissingExtra("Expected plotly for pictures, got none. Run: pip install 'tacit[report]'.") from None
    return Figure(description)


def _case(rows: pl.DataFrame) -> str:
    return f"{rows['data'][0]}, {rows['privacy'][0]}"


def _only(rows: pl.DataFrame, **wanted: Any) -> pl.DataFrame:
    for column, value in wanted.items():
        rows = rows if value is None else rows.filter(pl.col(column) == value)
    return rows


def _not_empty(points: pl.DataFrame, what: str) -> pl.DataFrame:
    if len(points):
        return points
    raise ParameterError(f"Expected {what}, got none. Ask for less, or run more.")
