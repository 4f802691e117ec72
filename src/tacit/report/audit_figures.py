"""Each picture of an audit, described once in plotly's terms: bounds over the claim, and losses over their shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.audit import Finding, ReleaseLoss
from tacit.audit.findings import REACHED
from tacit.audit.membership import allowed_power
from tacit.audit.verdict import release_words
from tacit.report.layout import INK, QUIET, Figure, above, axis, cut, layout, plain

if TYPE_CHECKING:
    from tacit.audit.membership import MembershipReport

MAX_BARS = 40
"""Of one picture; those above their share come first, then those furthest below."""

_FOUND, _ABOVE, _COMPARED, _SHORT = "#0072B2", "#D55E00", "#818b95", "#E69F00"


def bounds(finding: Finding) -> Figure:
    """Describe what was reached, what half the noise reached, and the controls, each as a bar beside the claim."""
    claim = finding.claim.epsilon
    bars = [("reached", finding.bound, _ABOVE if finding.is_exceeded else _FOUND, "the claim's own audit")]
    if finding.half_noise is not None:
        said = "seen: above the claim" if finding.half_noise > claim else "not seen: within the claim"
        bars.append(("half the noise", finding.half_noise, _COMPARED, said))
    # Half the noise is there already, under the same name.
    known = {"half the noise"} if finding.half_noise is not None else set()
    # Those of one release alone are in the table: their names go on with the release.
    controls = [each for each in finding.controls if each.name not in known and ": " not in each.name]
    for control in controls:
        said = ("broken" if control.broken else "exact") + (", caught" if control.caught else ", not caught")
        bars.append((control.name, control.bound, _COMPARED, said))
    drawn = [bar for bar in bars if isfinite(bar[1])]
    x = axis("epsilon found", rangemode="tozero", range=[0, 1.08 * max([claim, *(bar[1] for bar in drawn)]) or 1])
    figure = _bars([bar[0] for bar in drawn], [bar[1] for bar in drawn], [bar[2] for bar in drawn], x)
    figure["data"][0]["text"] = [
        f"<b>{plain(name)}</b><br>epsilon {bound:.4g}<br>{said}" for name, bound, _, said in drawn
    ]
    figure["layout"]["shapes"] = [_line(claim, "solid")]
    figure["layout"]["annotations"] = [_label(claim, f"claimed {claim:g}")]
    return figure


def shares(releases: Sequence[ReleaseLoss]) -> Figure:
    """Describe the largest loss of each release over its share: above 1 is a violation."""
    drawn = picked(releases)
    colors = [_ABOVE if each.is_violated else _FOUND if each.reached >= REACHED else _SHORT for each in drawn]
    most = max([1.0, *(each.reached for each in drawn if isfinite(each.reached))])
    x = axis("largest loss over its share", range=[0, 1.08 * most])
    figure = _bars([each.query for each in drawn], [min(each.reached, most) for each in drawn], colors, x)
    figure["data"][0]["text"] = [
        f"<b>{plain(each.query)}</b><br>{plain(each.mechanism)}<br>"
        f"{each.largest:.4g} of {each.share:.4g} {each.currency}: {each.reached:.3f}<br>{plain(release_words(each))}"
        for each in drawn
    ]
    figure["layout"]["shapes"] = [_line(1.0, "solid"), _line(REACHED, "dot")]
    return figure


def membership(report: MembershipReport) -> Figure:
    """Describe the best attack's ROC curves with and without noise, below the largest that the claim allows.

    Both axes are logarithmic: what counts is who is found with few false alarms.
    """
    least = 1 / (2 * report.n_fits * report.n_targets)
    places = np.geomspace(least, 1.0, 200).tolist()
    curves: dict[str, Sequence[tuple[float, float]]] = {
        "at most, by the claim": [(each, allowed_power(report.claim, each)) for each in places],
        "without noise": max(report.exposed, key=lambda one: one.auc.value).curve,
        "with noise": max(report.private, key=lambda one: one.auc.value).curve,
        "guessing": [(each, each) for each in places],
    }
    colors = {"at most, by the claim": INK, "without noise": _ABOVE, "with noise": _FOUND}
    traces = []
    for name, curve in curves.items():
        sides = {side: [max(point[at], least) for point in curve] for at, side in enumerate("xy")}
        line = {"color": colors.get(name, QUIET), "dash": "solid" if name in colors else "dot", "width": 2}
        traces.append({"type": "scatter", "mode": "lines", "name": name, "line": line, **sides})
    ticks = {"type": "log", "range": [log10(least), 0], "dtick": 1}
    x_axis, y_axis = axis("share of the others called members", **ticks), axis("share of the members found", **ticks)
    legend = {"orientation": "h", "y": 1.12}
    return {"data": traces, "layout": layout(x_axis, y_axis, "", showlegend=True, legend=legend)}


def picked(releases: Iterable[ReleaseLoss]) -> list[ReleaseLoss]:
    """Return the releases that a picture shows."""
    ordered = sorted(releases, key=lambda each: (not each.is_violated, each.reached))
    return ordered[:MAX_BARS]


def _bars(names: list[str], values: list[float], colors: list[str], x: Figure) -> Figure:
    places = list(range(len(names)))
    # By place and not by name, as several releases may ask the same.
    ticks = {"tickvals": places, "ticktext": [cut(name) for name in names], "range": [len(names) - 0.4, -0.6]}
    trace: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "x": values,
        "y": places,
        "width": 0.62,
        "marker": {"color": colors, "line": {"color": INK, "width": 0.6}},
        "hoverinfo": "text",
        "textposition": "none",
    }
    y = axis("", automargin=True, showgrid=False, **ticks)
    size = {"height": above("") + 62 + 27 * max(len(names), 2), "margin": {"l": 20, "r": 20, "t": 26, "b": 48}}
    return {"data": [trace], "layout": layout(x, y, "", showlegend=False, bargap=0.3, **size)}


def _line(at: float, dash: str) -> Figure:
    line = {"color": INK if dash == "solid" else QUIET, "width": 1.6, "dash": dash}
    return {"type": "line", "yref": "paper", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": line}


def _label(at: float, text: str) -> Figure:
    look = {"showarrow": False, "yanchor": "bottom", "font": {"size": 12, "color": INK}}
    return {"x": at, "y": 1, "yref": "paper", "text": plain(text), **look}
