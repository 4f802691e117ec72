"""Accuracy against epsilon."""

from __future__ import annotations

from typing import Any, Self

import polars as pl

from tacit.report.axes import axes_to_draw_on, dress, epsilon_axis, key, title
from tacit.report.displays.curves import draw_curves
from tacit.report.rows import METRICS, Metric, measured, rows_of_case
from tacit.study.summary import accuracies


class PrivacyCurveDisplay:
    """Accuracy of each private learner against epsilon, with a level line for each learner without privacy.

    Best made by `from_study`.

    Parameters
    ----------
    points : polars.DataFrame
        As `tacit.study.summary.accuracies` returns them, of one data set under one privacy.
    metric : {"accuracy", "auc"}
        What the points are means of.
    caption : str
        What stands above.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes

    Notes
    -----
    What a study shows is not private: it holds scores on the rows as they are.

    Examples
    --------
    >>> from tacit.study.summary.fits import COLUMNS
    >>> row = dict.fromkeys(COLUMNS) | {"data": "toy", "privacy": "all-private", "name": "BRC", "status": "done"}
    >>> rows = [row | {"epsilon": 0.1, "accuracy": 0.6}, row | {"epsilon": 1.0, "accuracy": 0.8}]
    >>> from matplotlib.figure import Figure
    >>> PrivacyCurveDisplay.from_study(pl.DataFrame(rows), ax=Figure().add_subplot()).ax_.get_xscale()
    'log'
    """

    def __init__(self, points: pl.DataFrame, *, metric: Metric = "accuracy", caption: str = ""):
        self.points = points
        self.metric = metric
        self.caption = caption

    @classmethod
    def from_study(
        cls,
        frame: pl.DataFrame,
        *,
        data: str | None = None,
        privacy: str | None = None,
        metric: Metric = "accuracy",
        ax: Any = None,
        **style: Any,
    ) -> Self:
        """Draw what ``Study.run`` returned.

        Parameters
        ----------
        frame : polars.DataFrame
        data, privacy : str, optional
            Which to draw; may be left out where the study has one.
        metric : {"accuracy", "auc"}
        ax : matplotlib Axes, optional
        **style
            As `plot` takes it.

        Raises
        ------
        ParameterError
            If the study has no such rows, or several data sets and none was named.
        MissingExtra
            If matplotlib is not installed.
        """
        rows = rows_of_case(frame, data, privacy)
        points = accuracies(measured(rows, metric))
        caption = f"{rows['data'][0]}, {rows['privacy'][0]}"
        return cls(points, metric=metric, caption=caption).plot(ax, **style)

    def plot(self, ax: Any = None, *, bands: bool = True, **style: Any) -> Self:
        """Draw, on these axes or new ones.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        bands : bool
            Whether to shade one deviation over repetitions to either side.
        **style
            Arguments for each curve's ``Axes.plot``.
        """
        self.ax_ = axes_to_draw_on(ax)
        self.figure_ = self.ax_.figure
        draw_curves(self.ax_, self.points, "mean", bands=bands, style=style)
        dress(self.ax_)
        epsilon_axis(self.ax_, self.points["epsilon"].drop_nulls().unique().sort().to_list())
        self.ax_.set_ylabel(f"{METRICS[self.metric]} on rows not learned from")
        title(self.ax_, self.caption)
        key(self.ax_)
        return self
