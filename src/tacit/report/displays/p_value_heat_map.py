"""Which learners can be told apart."""

from __future__ import annotations

from typing import Any, Self

import polars as pl

from tacit.errors import ParameterError
from tacit.report.axes import axes_to_draw_on, plain, title
from tacit.report.rows import Metric, measured, study_rows
from tacit.study.summary import p_values

_PER_LEARNER = 0.52


class PValueHeatMapDisplay:
    """A heat map of the p-values of Wilcoxon's signed-rank test between any two private learners.

    Best made by `from_study`.

    Parameters
    ----------
    p : polars.DataFrame
        As `tacit.study.summary.p_values` returns it.
    caption : str
        What stands above.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes

    Notes
    -----
    Splits of one table share rows, so these p are too small; they are not adjusted for their number either.
    """

    def __init__(self, p: pl.DataFrame, *, caption: str = ""):
        self.p = p
        self.caption = caption

    @classmethod
    def from_study(
        cls,
        frame: pl.DataFrame,
        *,
        data: str | None = None,
        privacy: str | None = None,
        epsilon: float | None = None,
        unit: Any = "fit",
        metric: Metric = "accuracy",
        ax: Any = None,
        **style: Any,
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
        ax : matplotlib Axes, optional
        **style
            As `plot` takes it.

        Raises
        ------
        ParameterError
            If the study has no such fits of two private learners.
        MissingExtra
            If matplotlib is not installed.
        """
        wanted = {"data": data, "privacy": privacy, "epsilon": epsilon}
        rows = measured(study_rows(frame), metric)
        for column, value in wanted.items():
            rows = rows if value is None else rows.filter(pl.col(column) == value)
        said = [f"{column} {value}" for column, value in wanted.items() if value is not None]
        found = p_values(rows, unit)
        if len(found) < 2:
            raise ParameterError("Expected two private learners to compare, got fewer. Ask for less, or run more.")
        return cls(found, caption=", ".join(said) or "all tables and epsilons").plot(ax, **style)

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw, on these axes or new ones; further arguments are for ``Axes.imshow``."""
        names = [plain(name) for name in self.p["name"]]
        side = 2.6 + _PER_LEARNER * len(names)
        self.ax_ = axes_to_draw_on(ax, (side + 1.0, side))
        self.figure_ = self.ax_.figure
        values = self.p.drop("name").to_numpy()
        shown = self.ax_.imshow(values, **({"cmap": "cividis", "vmin": 0.0, "vmax": 1.0} | style))
        self.ax_.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor", fontsize=8.5)
        self.ax_.set_yticks(range(len(names)), names, fontsize=8.5)
        self.ax_.tick_params(length=0)
        _write(self.ax_, values, shown)
        self.figure_.colorbar(shown, ax=self.ax_, label="p", shrink=0.7)
        title(self.ax_, self.caption)
        return self


def _write(ax: Any, values: Any, shown: Any) -> None:
    for row, line in enumerate(values):
        for column, p in enumerate(line):
            if p is not None and p == p:
                bright = sum(shown.cmap(shown.norm(p))[:3]) / 3 > 0.5
                ink, weight = "black" if bright else "white", "bold" if p < 0.05 else "normal"
                ax.text(column, row, short_p(p), color=ink, weight=weight, fontsize=7, ha="center", va="center")


def short_p(p: float) -> str:
    """Return p with two digits that count.

    Examples
    --------
    >>> short_p(0.0004), short_p(0.0123), short_p(0.5)
    ('<.001', '.012', '.50')
    """
    if p < 0.001:
        return "<.001"
    return f"{p:.3f}"[1:] if p < 0.1 else f"{p:.2f}".removeprefix("0")
