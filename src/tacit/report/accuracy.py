"""Accuracy over epsilon: a curve for each private model, a line for each model without privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from statistics import fmean
from typing import Any

from tacit.report.extra import drawing

# Okabe and Ito (2008): told apart with every kind of color vision; markers and dashes tell the same in grey.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_MARKERS = ("o", "s", "^", "D")
_DASHES = ((0, (6, 2)), (0, (2, 2)), (0, (1, 3)))
_BESIDE = 1.07
_INK, _QUIET = "#222222", "#6b6b6b"


@dataclass(frozen=True)
class Curve:
    """A private model's accuracies on the same test rows.

    Attributes
    ----------
    name : str
    epsilons : tuple of float
        Increasing.
    accuracies : tuple of tuple of float
        One for each repetition, for each epsilon.
    """

    name: str
    epsilons: tuple[float, ...]
    accuracies: tuple[tuple[float, ...], ...]

    @property
    def means(self) -> tuple[float, ...]:
        """The mean accuracy at each epsilon."""
        return tuple(fmean(runs) for runs in self.accuracies)


@dataclass(frozen=True)
class Reference:
    """A model without privacy and its accuracy on the test rows."""

    name: str
    accuracy: float


def draw_accuracy(curves: Sequence[Curve], references: Sequence[Reference], *, title: str, caption: str) -> bytes:
    """Return a picture of accuracy over epsilon, as the content of a PNG file.

    Parameters
    ----------
    curves : sequence of Curve
        At most four; a thin line goes from the worst to the best repetition.
    references : sequence of Reference
        At most three.
    title, caption : str
        What it shows, and how it was measured.

    Raises
    ------
    MissingExtra
        If matplotlib is not installed.
    """
    figure = drawing("matplotlib.figure").Figure(figsize=(8.4, 5.2), dpi=160, facecolor="white")
    axes = figure.add_axes((0.085, 0.2, 0.645, 0.66))
    labels = [_draw_curve(axes, curve, place) for place, curve in enumerate(curves)]
    labels += [_draw_reference(axes, reference, place) for place, reference in enumerate(references)]
    _dress(axes, curves)
    _label(axes, labels)
    figure.text(0.02, 0.945, title, fontsize=13, fontweight="bold", color=_INK, va="center")
    figure.text(0.02, 0.065, caption, fontsize=8.5, color=_QUIET, va="center", linespacing=1.5)
    content = BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()


def _draw_curve(axes: Any, curve: Curve, place: int) -> tuple[float, str, str]:
    color = _COLORS[place]
    low, high = [min(runs) for runs in curve.accuracies], [max(runs) for runs in curve.accuracies]
    # Beside each other, so that no range hides another.
    beside = [epsilon * _BESIDE**place for epsilon in curve.epsilons]
    axes.vlines(beside, low, high, color=color, alpha=0.35, linewidth=2.6, zorder=2)
    axes.plot(beside, curve.means, color=color, marker=_MARKERS[place], linewidth=2.2, markersize=6.5, zorder=3)
    return curve.means[-1], curve.name, color


def _draw_reference(axes: Any, reference: Reference, place: int) -> tuple[float, str, str]:
    axes.axhline(reference.accuracy, color=_QUIET, linestyle=_DASHES[place], linewidth=1.4, zorder=1)
    return reference.accuracy, reference.name, _QUIET


def _dress(axes: Any, curves: Sequence[Curve]) -> None:
    epsilons = sorted({epsilon for curve in curves for epsilon in curve.epsilons})
    axes.set_xscale("log")
    axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(drawing("matplotlib.ticker").PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("epsilon: privacy spent, less is more private", color=_INK)
    axes.set_title("accuracy on people the model has not seen", loc="left", fontsize=10, color=_INK)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=_INK, length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _label(axes: Any, labels: list[tuple[float, str, str]]) -> None:
    """Write each name beside its line, moved apart where two would touch."""
    low, high = axes.get_ylim()
    step = 0.075 * (high - low)
    places = spread([height for height, _, _ in labels], step)
    for place, (_, name, color) in zip(places, labels, strict=True):
        height = (place - low) / (high - low)
        axes.text(1.025, height, name, color=color, fontsize=9.5, transform=axes.transAxes, va="center")


def spread(heights: Sequence[float], step: float) -> list[float]:
    """Return heights in the same order, moved as little upward as keeps them `step` apart.

    Examples
    --------
    >>> spread([0.0, 5.0, 1.0], 2.0)
    [0.0, 5.0, 2.0]
    """
    placed = [0.0] * len(heights)
    floor = float("-inf")
    for at in sorted(range(len(heights)), key=lambda each: heights[each]):
        placed[at] = floor = max(heights[at], floor)
        floor += step
    return placed
