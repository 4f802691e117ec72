"""How long fits take."""

from __future__ import annotations

from math import ceil, floor, log10
from typing import Any, Self

import polars as pl

from tacit.errors import ParameterError
from tacit.report.axes import axes_to_draw_on, dress, plain, title
from tacit.report.palette import INK, QUIET, looks
from tacit.report.rows import rows_of_case

_PER_LEARNER = 0.28
_MARGIN = 1.3
# Decades, and the ticks of each up to so many.
_STEPS = ((3, (1, 2, 5)), (5, (1, 3)))


class RunTimeDisplay:
    """Seconds for each learner's fits: the median, and a line from the fastest to the slowest.

    Best made by `from_study`.

    Parameters
    ----------
    seconds : polars.DataFrame
        As `run_times` returns it.
    caption : str
        What stands above.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    """

    def __init__(self, seconds: pl.DataFrame, *, caption: str = ""):
        self.seconds = seconds
        self.caption = caption

    @classmethod
    def from_study(
        cls, frame: pl.DataFrame, *, data: str | None = None, privacy: str | None = None, ax: Any = None, **style: Any
    ) -> Self:
        """Draw what ``Study.run`` returned.

        Parameters
        ----------
        frame : polars.DataFrame
        data, privacy : str, optional
            Which to draw; may be left out where the study has one.
        ax : matplotlib Axes, optional
        **style
            As `plot` takes it.

        Raises
        ------
        ParameterError
            If the study has no such finished fits.
        MissingExtra
            If matplotlib is not installed.
        """
        rows = rows_of_case(frame, data, privacy)
        seconds = run_times(rows)
        if not len(seconds):
            raise ParameterError("Expected finished fits, got none. Ask for less, or run more.")
        return cls(seconds, caption=f"{rows['data'][0]}, {rows['privacy'][0]}").plot(ax, **style)

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw, on these axes or new ones; further arguments are for the markers' ``Axes.plot``."""
        self.ax_ = axes_to_draw_on(ax, (7.6, 1.4 + _PER_LEARNER * len(self.seconds)))
        self.figure_ = self.ax_.figure
        drawn = looks(
            self.seconds.filter(~pl.col("level"))["name"].to_list(), self.seconds.filter("level")["name"].to_list()
        )
        for place, row in enumerate(self.seconds.iter_rows(named=True)):
            look = drawn[row["name"]]
            self.ax_.hlines(place, row["least"], row["most"], color=look.color, alpha=0.5, linewidth=3)
            marks = {"color": look.color, "marker": look.marker, "markersize": 7, "markeredgecolor": INK}
            self.ax_.plot(row["median"], place, **(marks | style))
        _seconds_axis(self.ax_, self.seconds["least"].min(), self.seconds["most"].max())
        self.ax_.set_yticks(range(len(self.seconds)), map(plain, self.seconds["name"]))
        self.ax_.invert_yaxis()
        dress(self.ax_, "x")
        self.ax_.set_xlabel("seconds for a fit: median, fastest to slowest", color=QUIET)
        title(self.ax_, self.caption)
        return self


def _seconds_axis(ax: Any, least: Any, most: Any) -> None:
    """Make x logarithmic, with ticks at 1, 2 and 5 of each decade, or at fewer where these would touch."""
    ax.set_xscale("log")
    ax.minorticks_off()
    first, last = floor(log10(least)), ceil(log10(most))
    steps = next((steps for most, steps in _STEPS if last - first <= most), (1,))
    ticks = [step * 10.0**decade for decade in range(first, last + 1) for step in steps]
    shown = [tick for tick in ticks if least / _MARGIN <= tick <= most * _MARGIN]
    ax.set_xticks(shown, [f"{tick:g}" for tick in shown])
    ax.set_xlim(least / _MARGIN, most * _MARGIN)


def run_times(rows: pl.DataFrame) -> pl.DataFrame:
    """Return, of finished fits, each learner's ``median``, ``least`` and ``most`` seconds, its ``fits``, and ``level``.

    The last says whether it has no epsilon. Learners stand in order of appearance.
    """
    seconds = pl.col("fit_seconds")
    return (
        rows.filter(pl.col("status") == "done", seconds > 0)
        .group_by("name", maintain_order=True)
        .agg(
            median=seconds.median(),
            least=seconds.min(),
            most=seconds.max(),
            fits=seconds.count().cast(pl.Int64),
            level=pl.col("epsilon").is_null().all(),
        )
    )
