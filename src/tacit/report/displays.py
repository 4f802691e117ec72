"""Pictures of a study in a notebook, after scikit-learn's displays; they need the extra `report`."""

from __future__ import annotations

from typing import Any, Self

import polars as pl

from tacit.errors import MissingExtra, ParameterError
from tacit.report import figures
from tacit.report.layout import Figure
from tacit.report.rows import (
    METRICS,
    Metric,
    best_reference,
    known_reference,
    measured,
    rows_of_case,
    run_times,
    study_rows,
)
from tacit.study.summary import accuracies, comparisons, distribution, ratios
from tacit.study.summary.comparisons import Unit


class _Display:
    """What all displays share.

    Attributes
    ----------
    description : dict
        The picture in plotly's terms: ``data`` and ``layout``; needs no extra.
    figure_ : plotly.graph_objects.Figure
        After `plot`, or from the start if made by ``from_study``.
    """

    def __init__(self, description: Figure):
        self.description = description

    def plot(self, **layout: Any) -> Self:
        """Draw; arguments change the layout, as plotly's ``Figure.update_layout`` takes them.

        Raises
        ------
        MissingExtra
            If plotly is not installed.
        """
        self.figure_ = drawn(self.description).update_layout(**layout)
        return self


class PrivacyCurveDisplay(_Display):
    """Accuracy of each private learner against epsilon, with a level line for each learner without privacy.

    Best made by `from_study`.

    Parameters
    ----------
    points : polars.DataFrame
        As `tacit.study.summary.accuracies` returns them, of one data set under one privacy.
    metric : {"accuracy", "auc"}
        What the points are means of.
    caption : str
        Above the picture.

    Attributes
    ----------
    figure_ : plotly.graph_objects.Figure

    Notes
    -----
    What a study shows is not private: it holds scores on the rows without noise.

    Examples
    --------
    >>> from tacit.study.summary.accuracies import COLUMNS
    >>> row = dict.fromkeys(COLUMNS) | {"data": "toy", "privacy": "all-private", "name": "BRC", "status": "done"}
    >>> rows = [row | {"epsilon": 0.1, "accuracy": 0.6}, row | {"epsilon": 1.0, "accuracy": 0.8}]
    >>> PrivacyCurveDisplay.from_study(pl.DataFrame(rows)).figure_.layout.xaxis.type
    'log'
    """

    def __init__(self, points: pl.DataFrame, *, metric: Metric = "accuracy", caption: str = ""):
        self.points = points
        super().__init__(figures.privacy_curve(points, metric=metric, caption=caption))

    @classmethod
    def from_study(
        cls, frame: pl.DataFrame, *, data: str | None = None, privacy: str | None = None, metric: Metric = "accuracy"
    ) -> Self:
        """Draw what ``Study.run`` returned.

        Parameters
        ----------
        frame : polars.DataFrame
        data, privacy : str, optional
            Which to draw; may be left out where the study has one.
        metric : {"accuracy", "auc"}

        Raises
        ------
        ParameterError
            If the study has no such rows, or several data sets and none was named.
        MissingExtra
            If plotly is not installed.
        """
        rows = rows_of_case(frame, data, privacy)
        return cls(accuracies(measured(rows, metric)), metric=metric, caption=_case(rows)).plot()


class PrivacyCostDisplay(_Display):
    """The ratio of each private learner's accuracy to that of a learner without privacy, against epsilon.

    Best made by `from_study`. Each split is measured against what was possible on it: the mean of the ratios.

    Parameters
    ----------
    points : polars.DataFrame
        As `tacit.study.summary.ratios` returns them, of one data set under one privacy.
    reference : str
        The learner without privacy.
    metric : {"accuracy", "auc"}
    caption : str
        Above the picture.

    Attributes
    ----------
    figure_ : plotly.graph_objects.Figure
    """

    def __init__(self, points: pl.DataFrame, *, reference: str, metric: Metric = "accuracy", caption: str = ""):
        self.points = points
        self.reference = reference
        super().__init__(figures.privacy_cost(points, reference=reference, metric=metric, caption=caption))

    @classmethod
    def from_study(
        cls,
        frame: pl.DataFrame,
        *,
        data: str | None = None,
        privacy: str | None = None,
        reference: str | None = None,
        metric: Metric = "accuracy",
    ) -> Self:
        """Draw what ``Study.run`` returned.

        Parameters
        ----------
        frame : polars.DataFrame
        data, privacy : str, optional
            Which to draw; may be left out where the study has one.
        reference : str, optional
            Name of the learner without privacy; the best by default.
        metric : {"accuracy", "auc"}

        Raises
        ------
        ParameterError
            If the study has no such rows, or no learner without privacy.
        MissingExtra
            If plotly is not installed.
        """
        rows = measured(rows_of_case(frame, data, privacy), metric)
        chosen = best_reference(rows) if reference is None else known_reference(rows, reference)
        caption = f"{_case(rows)}: share of {chosen}"
        return cls(ratios(rows, chosen), reference=chosen, metric=metric, caption=caption).plot()


class RunTimeDisplay(_Display):
    """Seconds for each learner's fits: the median, and a line from the fastest to the slowest.

    Best made by `from_study`.

    Parameters
    ----------
    seconds : polars.DataFrame
        As `tacit.report.rows.run_times` returns them.
    caption : str
        Above the picture.

    Attributes
    ----------
    figure_ : plotly.graph_objects.Figure
    """

    def __init__(self, seconds: pl.DataFrame, *, caption: str = ""):
        self.seconds = seconds
        super().__init__(figures.run_time(seconds, caption=caption))

    @classmethod
    def from_study(cls, frame: pl.DataFrame, *, data: str | None = None, privacy: str | None = None) -> Self:
        """Draw what ``Study.run`` returned.

        Parameters
        ----------
        frame : polars.DataFrame
        data, privacy : str, optional
            Which to draw; may be left out where the study has one.

        Raises
        ------
        ParameterError
            If the study has no such finished fits.
        MissingExtra
            If plotly is not installed.
        """
        rows = rows_of_case(frame, data, privacy)
        seconds = run_times(rows)
        if not len(seconds):
            raise ParameterError("Expected finished fits, got none. Ask for less, or run more.")
        return cls(seconds, caption=_case(rows)).plot()


class AccuracyDistributionDisplay(_Display):
    """A box for each epsilon: how mean accuracies of learners and data sets are spread there.

    Best made by `from_study`. Figure 5 of Lopuhaä-Zwakenberg and others (2021). A box goes from a quarter to three
    quarters, with a line at the median; the whiskers go from the least to the most.

    Parameters
    ----------
    boxes : polars.DataFrame
        As `tacit.study.summary.distribution` returns them.
    label : str
        What is spread.

    Attributes
    ----------
    figure_ : plotly.graph_objects.Figure
    """

    def __init__(self, boxes: pl.DataFrame, *, label: str = "accuracy"):
        self.boxes = boxes
        super().__init__(figures.accuracy_distribution(boxes, label=label))

    @classmethod
    def from_study(
        cls,
        frame: pl.DataFrame,
        *,
        data: str | None = None,
        privacy: str | None = None,
        reference: str | None = None,
        metric: Metric = "accuracy",
    ) -> Self:
        """Draw what ``Study.run`` returned.

        Parameters
        ----------
        frame : polars.DataFrame
        data, privacy : str, optional
            Which to draw; all by default.
        reference : str, optional
            A learner without privacy: draws ratios to it in place of accuracies.
        metric : {"accuracy", "auc"}

        Raises
        ------
        ParameterError
            If the study has no such fits.
        MissingExtra
            If plotly is not installed.
        """
        rows = _only(measured(study_rows(frame), metric), data=data, privacy=privacy)
        if reference is None:
            boxes, label = distribution(accuracies(rows), "mean"), METRICS[metric]
        else:
            boxes, label = distribution(ratios(rows, reference), "ratio"), f"{metric}, as a share of {reference}"
        boxes = boxes.filter(pl.col("points") > 0)
        if not len(boxes):
            raise ParameterError("Expected finished fits with an epsilon, got none. Ask for less, or run more.")
        return cls(boxes, label=label).plot()


class PValueHeatMapDisplay(_Display):
    """A heat map of the p-values of Wilcoxon's signed-rank test between any two private learners.

    Best made by `from_study`.

    Parameters
    ----------
    pairs : polars.DataFrame
        As `tacit.study.summary.comparisons` returns them.
    caption : str
        Above the picture.

    Attributes
    ----------
    figure_ : plotly.graph_objects.Figure

    Notes
    -----
    Splits of one table share rows, so these p are too small; they are not adjusted for their number either.
    """

    def __init__(self, pairs: pl.DataFrame, *, caption: str = ""):
        self.pairs = pairs
        super().__init__(figures.p_value_heat_map(pairs, caption=caption))

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
        """Draw what ``Study.run`` returned.

        Parameters
        ----------
        frame : polars.DataFrame
        data, privacy, epsilon : optional
            Which fits to compare; all by default.
        unit : {"fit", "setting"}
            As `tacit.study.summary.comparisons` takes it.
        metric : {"accuracy", "auc"}

        Raises
        ------
        ParameterError
            If the study has no such fits of two private learners.
        MissingExtra
            If plotly is not installed.
        """
        wanted = {"data": data, "privacy": privacy, "epsilon": epsilon}
        pairs = comparisons(_only(measured(study_rows(frame), metric), **wanted), unit)
        if not len(pairs):
            raise ParameterError("Expected two private learners to compare, got fewer. Ask for less, or run more.")
        said = [f"{column} {value}" for column, value in wanted.items() if value is not None]
        return cls(pairs, caption=", ".join(said) or "all tables and epsilons").plot()


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
