"""How learners and tables are spread at each epsilon."""

from __future__ import annotations

from typing import Any, Self

import polars as pl

from tacit.errors import ParameterError
from tacit.report.axes import axes_to_draw_on, dress, plain
from tacit.report.palette import INK
from tacit.report.rows import METRICS, Metric, measured, study_rows
from tacit.study.summary import accuracies, distribution, ratios


class AccuracyDistributionDisplay:
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
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    """

    def __init__(self, boxes: pl.DataFrame, *, label: str = "accuracy"):
        self.boxes = boxes
        self.label = label

    @classmethod
    def from_study(
        cls,
        frame: pl.DataFrame,
        *,
        data: str | None = None,
        privacy: str | None = None,
        reference: str | None = None,
        metric: Metric = "accuracy",
        ax: Any = None,
        **style: Any,
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
        ax : matplotlib Axes, optional
        **style
            As `plot` takes it.

        Raises
        ------
        ParameterError
            If the study has no such fits.
        MissingExtra
            If matplotlib is not installed.
        """
        rows = measured(study_rows(frame), metric)
        for column, value in (("data", data), ("privacy", privacy)):
            rows = rows if value is None else rows.filter(pl.col(column) == value)
        value, label = (
            ("mean", METRICS[metric]) if reference is None else ("ratio", f"{metric}, as a share of {reference}")
        )
        boxes = distribution(accuracies(rows) if reference is None else ratios(rows, reference), value)
        boxes = boxes.filter(pl.col("points") > 0)
        if not len(boxes):
            raise ParameterError("Expected finished fits with an epsilon, got none. Ask for less, or run more.")
        return cls(boxes, label=label).plot(ax, **style)

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw, on these axes or new ones; further arguments are for ``Axes.bxp``."""
        self.ax_ = axes_to_draw_on(ax)
        self.figure_ = self.ax_.figure
        names = {"whislo": "least", "q1": "lower", "med": "median", "q3": "upper", "whishi": "most"}
        boxes = [{ours: row[theirs] for ours, theirs in names.items()} for row in self.boxes.iter_rows(named=True)]
        drawn = {"showfliers": False, "patch_artist": True, "widths": 0.6, "boxprops": {"facecolor": "#a9cfe4"}}
        self.ax_.bxp(boxes, **(drawn | {"medianprops": {"color": INK, "linewidth": 2}} | style))
        ticks = [f"{epsilon:g}\n{points}" for epsilon, points in self.boxes.select("epsilon", "points").iter_rows()]
        self.ax_.set_xticks(range(1, len(ticks) + 1), ticks)
        dress(self.ax_)
        self.ax_.set_xlabel("epsilon, and the number of learners and tables in its box")
        self.ax_.set_ylabel(plain(self.label))
        return self
