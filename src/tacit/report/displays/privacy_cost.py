"""What privacy costs: accuracy relative to a learner without it."""

from __future__ import annotations

from typing import Any, Self

import polars as pl

from tacit.errors import ParameterError
from tacit.report.axes import axes_to_draw_on, dress, epsilon_axis, key, plain, title
from tacit.report.displays.curves import draw_curves
from tacit.report.palette import QUIET
from tacit.report.rows import METRICS, Metric, measured, rows_of_case
from tacit.study.summary import accuracies, ratios


class PrivacyCostDisplay:
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
        What stands above.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    """

    def __init__(self, points: pl.DataFrame, *, reference: str, metric: Metric = "accuracy", caption: str = ""):
        self.points = points
        self.reference = reference
        self.metric = metric
        self.caption = caption

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
            Which to draw; may be left out where the study has one.
        reference : str, optional
            Name of the learner without privacy; the best by default.
        metric : {"accuracy", "auc"}
        ax : matplotlib Axes, optional
        **style
            As `plot` takes it.

        Raises
        ------
        ParameterError
            If the study has no such rows, or no learner without privacy.
        MissingExtra
            If matplotlib is not installed.
        """
        rows = measured(rows_of_case(frame, data, privacy), metric)
        chosen = best_reference(rows) if reference is None else _known(rows, reference)
        caption = f"{rows['data'][0]}, {rows['privacy'][0]}"
        return cls(ratios(rows, chosen), reference=chosen, metric=metric, caption=caption).plot(ax, **style)

    def plot(self, ax: Any = None, *, bands: bool = True, **style: Any) -> Self:
        """Draw, on these axes or new ones; as `PrivacyCurveDisplay.plot`."""
        self.ax_ = axes_to_draw_on(ax)
        self.figure_ = self.ax_.figure
        curves = self.points.filter(pl.col("epsilon").is_not_null())
        draw_curves(self.ax_, curves, "ratio", bands=bands, style=style)
        self.ax_.axhline(1.0, color=QUIET, linestyle=(0, (7, 3)), linewidth=1.3, zorder=1)
        dress(self.ax_)
        epsilon_axis(self.ax_, curves["epsilon"].unique().sort().to_list())
        self.ax_.set_ylabel(f"{METRICS[self.metric]}, as a share of\n{plain(self.reference)} without privacy")
        title(self.ax_, self.caption)
        key(self.ax_)
        return self


def references(rows: pl.DataFrame) -> list[str]:
    """Return the names of learners without privacy that finished a fit, the best first."""
    means = accuracies(rows).filter(pl.col("kind") == "reference", pl.col("mean") > 0)
    return means.sort("mean", descending=True, maintain_order=True)["name"].unique(maintain_order=True).to_list()


def best_reference(rows: pl.DataFrame) -> str:
    """Return the name of the best learner without privacy.

    Raises
    ------
    ParameterError
        If none finished a fit.
    """
    if found := references(rows):
        return found[0]
    raise ParameterError("Expected a learner without privacy in the study, got none. Add one, as 'reference:logistic'.")


def _known(rows: pl.DataFrame, reference: str) -> str:
    found = rows.filter(pl.col("kind") == "reference").select("name", "learner").unique(maintain_order=True)
    if reference in found["name"] or reference in found["learner"]:
        return reference
    listed = ", ".join(found["name"]) or "none"
    raise ParameterError(f"Expected a learner without privacy, got reference={reference!r}. The study has: {listed}.")
