"""Sensitivities a second time, written from docs/certificate-format.md alone: it shares no code with the package."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

S, MASSES = 2.0**20, "weight ~density? ~rate ~spread n_positions "
LOG_ODDS = {
    0.25: (1.21, 1.01, 0.37, 0.2), 0.5: (1.41, 1.03, 0.66, 0.35), 1.0: (1.76, 1.08, 1.07, 0.56),
    2.0: (2.26, 1.21, 1.57, 0.81), None: (2.86, 1.53, 2.26, 1.25),
}  # fmt: skip
NORMS = ("l1", "l2", "range", "gauge")
"""In the order in which a formula gives them; one that it does not give is 0."""


def _counts(m: float, f: float) -> tuple:
    return 2.0 * m * f, math.sqrt(2.0 * m) * f


def _log_odds(v: SimpleNamespace) -> tuple:
    found = LOG_ODDS[v.largest][0 if v.L else 2 :][:2] if v.K == 2 else (0.75, 0.638)
    return found[0] * S * v.f, found[1] * S * v.f


def _class_sums(v: SimpleNamespace) -> tuple:
    a, b, c = 2 * v.counted + 2.25 * v.summed, 2 * v.counted + 4 * v.summed, 2 * (v.counted_ + v.with_classes)
    if v.L:
        a = max(a, c + 2 * max(2 - v.offset, v.offset + 0.25) * v.summed_)
        b = max(b, c + 2 * max(v.offset**2, 1 + (1 - v.offset) ** 2) * v.summed_)
    elif not v.counted + v.summed:
        return ()
    e, times = v.summed_ / S, v.f * (S if v.summed_ else 1)
    return (a + e) * times, (math.sqrt(b) + e) * times


def _bin_gradients(v: SimpleNamespace) -> tuple:
    a, c = v.protected - v.unread, v.clip
    q = v.squares if v.squares is not None else max(2 * a, a + v.public) * c * c * (a > 0)
    q = max(q, 4 * (a + v.public) * c * c) if v.L and v.squares is None else q
    return (2 * c * (a + v.public) * S * v.f, math.sqrt(q) * S * v.f) if q else ()


def _ranked_gradients(v: SimpleNamespace) -> tuple:
    rest = math.sqrt(1 - 1 / v.K)
    l2 = 2 * (0.5 if v.K == 2 else 0.9 * rest) * v.radius * 2**26 * v.f * v.reads_protected
    return math.sqrt(v.n_nonzero) * l2 * (1 if v.K == 2 else 2 * rest), l2


def _moments(v: SimpleNamespace) -> tuple:
    e, rest = 5 / 2**14, 2 * v.categories + v.marks
    a, b = (1.87686 + e, (math.sqrt(1.3796) + e) ** 2) if v.bends else (1.5625, 1.28616)
    return (a * v.numbers + rest) * 2**28 * v.f, math.sqrt(b * v.numbers + rest) * 2**28 * v.f


def _residuals(v: SimpleNamespace) -> tuple:
    f, two = S * v.f, v.K == 2
    C, t = (v.most, 0) if two else (math.sqrt(0.5), v.K / S)
    c = C if two else 2 * C * math.sqrt(1 - 1 / v.K)
    if v.L and two:
        return 2 * C * f if v.leaf else f, f
    if v.L:
        return (2 * c if v.leaf or v.margin else min(2 * c, 2 + t)) * f, 2 * C * f
    if v.leaf:
        return 2 * c * f, math.sqrt(2) * C * f
    return ((c + t) * f, (C + math.sqrt(t / S)) * f) if v.margin else ()


def _curvatures(v: SimpleNamespace) -> tuple:
    f, moves = S * v.f, v.margin or (v.weighs_classes and v.L)
    if v.K == 2:
        return (f / 2, math.sqrt(1 / 8) * f) if v.leaf else (f / 4, f / 4) if moves else ()
    return (2 * (1 - 1 / v.K) * f, math.sqrt(8 / 27) * f) if v.leaf or moves else ()


def _trees(v: SimpleNamespace) -> tuple:
    f, C = S * v.f, v.most if v.K == 2 else math.sqrt(0.5)
    if not (v.L or v.leaf or v.margin):
        return ()
    return 0, 0, (2 * f if v.L and v.K == 2 and not v.leaf else 4 * C * f) + (2 + 4 * v.rounding) * (v.K > 2)


def _masses(v: SimpleNamespace) -> tuple[float, float, float]:
    """Return I, T and R."""
    if v.density is None:
        return v.f, v.n * v.f, 0.0
    r = math.exp(min(v.rate * v.spread, 700.0))
    return min(1 / (v.density * v.n), r / (v.n - 1 + r)), 1.0, (v.n_positions + 16) * 2.0**-50 / v.density


def _weighted_error(v: SimpleNamespace) -> tuple:
    others, r = (max(v.n - v.k, 0) if v.persons and not v.persons["identifier"] else v.n - 1), v.ratio
    e = v.k * r / (others + v.k * r)
    far = v.L or v.persons or (v.n - 1) ** 2 < r
    move = 2 * e if far else e + (v.n - 1) * (r - 1) / ((v.n - 1 + r) * v.n)
    return e + 2.0**-49, e + 2.0**-49, move + 2.0**-38


def _edges(v: SimpleNamespace, f: float) -> tuple:
    m = v.numbers_ + v.categories_ + v.constant
    if v.L:
        return 2 * m * f, 2 * math.sqrt(m) * f, 0, 2 * v.k
    return 2 * (v.numbers + v.categories) * f, math.sqrt(4 * v.numbers + 2 * v.categories) * f, 0, 2 * v.k


def _held_out_loss(v: SimpleNamespace) -> tuple:
    bound = {"log-loss": 1024, "brier": 1024, "accuracy": 1}[v.score]
    return bound * v.f, bound * v.f, 2 * bound * v.f


def _splits(v: SimpleNamespace) -> tuple:
    moved, mass, rounded = _masses(v)
    times = {"gini": 4, "error": 2}[v.criterion]
    return 0, 0, times * moved + 64 * (v.K + 4) * 2.0**-53 * mass + 64 * v.K * rounded


def _rules(v: SimpleNamespace) -> tuple:
    moved, _, rounded = _masses(v)
    return 0, 0, 2 * moved + 4 * rounded + (v.n_bins + 8) * 2.0**-48


def _lead(v: SimpleNamespace) -> tuple:
    moved, _, rounded = _masses(v)
    return (2 * moved + 6 * rounded * v.leads,) * 2


def _mean_score(v: SimpleNamespace) -> tuple:
    return ((min(2, 2 * v.norm) * S + 1) * v.f,) * 2 if v.protected else ()


FORMULAS: dict[str, Callable[[SimpleNamespace], tuple]] = {
    "rows by bin": lambda v: _counts(v.columns, v.f),
    "rows by place of numbers": lambda v: _counts(v.columns, v.f),
    "rows by leaf, class and bin of each column": lambda v: _counts(v.asked, v.f),
    "rows of each class at each leaf": lambda v: _counts(1, v.f),
    "rows by value of a column": lambda v: _counts(1, v.f),
    "held-out rows by level": lambda v: _counts(v.n_scores, v.f),
    "rows by cell, class and predicted class": lambda v: _counts(v.n_columns, 1024 * v.f),
    "held-out loss": _held_out_loss,
    "held-out rows' squared influence on the mean area": lambda v: (1024 * v.f, 1024 * v.f),
    "cells that halve intervals": lambda v: (0, 0, 4 * max(v.rows_read, v.k)),
    "rows that a column alone tells the class of": lambda v: (0, 0, 2048 * v.f),
    "residuals and curvatures of log-odds": _log_odds,
    "counts and sums by class": _class_sums,
    "summed gradients of bins": _bin_gradients,
    "summed gradients of ranked rows": _ranked_gradients,
    "moments of ranked rows": _moments,
    "oblivious trees": _trees,
    "residuals by leaf": _residuals,
    "curvatures by leaf": _curvatures,
    "lead of the second class at each leaf": _lead,
    "splits of leaves": _splits,
    "weighted errors of one-rules": _rules,
    "weighted error of a linear rule": _weighted_error,
    "all edges": lambda v: _edges(v, 1)[:2],
    "sums of edges": lambda v: _edges(v, S * v.f),
    "mean score": _mean_score,
    "minimizer of a linear objective": lambda v: (0, 2 * math.sqrt(v.columns), 0, 2),
    "sum of residuals times features": lambda v: (0, 0, 0, 2 * v.largest * v.k),
}


def second_sensitivity(release: dict[str, Any], certificate: dict[str, Any], n_rows: int) -> float | None:
    """Return the sensitivity that follows from a release's basis; None where it has none that is in the tables."""
    basis, persons = release["basis"], certificate["persons"]
    if basis is None or basis["query"] not in FORMULAS:
        return None
    k = persons["rows"] if persons and persons["rows"] != "mean" else 1
    v = SimpleNamespace(L=certificate["label"], protected=len(certificate["columns"]), n=n_rows, k=k, persons=persons)
    for name, value in basis.items():
        if isinstance(value, list):
            setattr(v, name, sum(each in certificate["columns"] for each in value))
            setattr(v, f"{name}_", len(value))
        else:
            setattr(v, name, value)
    v.f, v.K = basis.get("weight", 1) * k, basis.get("n_classes")
    found = dict(zip(NORMS, FORMULAS[basis["query"]](v), strict=False)).get(release["sensitivity_kind"], 0.0)
    return found * (1 + 2.0**-13 if release["mechanism"] == "exponential mechanism over cells" else 1)
