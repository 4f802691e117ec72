"""The largest movement of a statistic over neighboring tables, and which broken releases audits missed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from harness.neighbors import Pair, Row, table_of
from tacit.audit import Finding
from tacit.privacy import NumericStatistic, SelectionStatistic, Statistic
from tacit.privacy.cell_selection import CellSelectionStatistic
from tacit.schema import Schema
from tacit.table import Table


def movement(one: Statistic, two: Statistic) -> dict[str, float]:
    """How far two answers to the same query are apart, in each norm that the statistic states."""
    if isinstance(one, CellSelectionStatistic):
        changes = [after - before for before, after in zip(cell_scores(one), cell_scores(two), strict=True)]
        return {"range": float(sum(change.max() - change.min() for change in changes))}
    change = np.asarray(one.unreleased_value, float) - np.asarray(two.unreleased_value, float)
    if isinstance(one, SelectionStatistic):
        return {"range": float(change.max() - change.min())}
    return {"l1": float(np.abs(change).sum()), "l2": float(np.sqrt((change**2).sum()))}


def cell_scores(statistic: CellSelectionStatistic) -> list[np.ndarray]:
    """The score of each candidate of each interval, by counting."""
    rows = statistic.unreleased_cells.of(slice(None))
    found = []
    for start, last in statistic.intervals.tolist():
        inside = rows[(rows >= start) & (rows <= last)]
        found.append(np.asarray([-abs(2 * (inside <= cell).sum() - len(inside)) for cell in range(start, last)]))
    return found


def stated(statistic: Statistic) -> dict[str, float]:
    if isinstance(statistic, NumericStatistic):
        return {"l1": statistic.l1, "l2": statistic.l2}
    assert isinstance(statistic, SelectionStatistic | CellSelectionStatistic)
    return {"range": statistic.range}


def largest_movement(query: Callable[[Table], Statistic], pairs: Iterable[Pair]) -> dict[str, float]:
    """The largest movement over the pairs, in units of the stated sensitivity; above 1 is a violation.

    Each table is asked once, however many pairs it is in.
    """
    worst: dict[str, float] = {}
    known: dict[tuple[Schema, tuple[Row, ...]], Statistic] = {}
    for pair in pairs:
        for rows in (pair.first, pair.second):
            if (pair.schema, rows) not in known:
                known[pair.schema, rows] = query(table_of(rows, pair.schema))
        one, two = known[pair.schema, pair.first], known[pair.schema, pair.second]
        moved, limits = movement(one, two), stated(one)
        assert limits == stated(two), "a sensitivity must not depend on the rows"
        for norm, limit in limits.items():
            worst[norm] = max(worst.get(norm, 0.0), moved[norm] / limit if limit else (2.0 if moved[norm] else 0.0))
    return worst


def learner_of(finding: Finding) -> str:
    """Return the learner that an audit was of, without settings and case."""
    return finding.subject.split(",")[0].split(" ")[0]


def missed(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """Return learners and releases that were broken alone, and that no audit of the learner caught."""
    caught: dict[tuple[str, str], bool] = {}
    for finding in findings:
        for control in finding.controls:
            if control.broken and ": " in control.name:
                key = learner_of(finding), control.name
                caught[key] = caught.get(key, False) or control.caught
    return [key for key, seen in caught.items() if not seen]
