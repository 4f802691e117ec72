"""The rule of auto on public tables, each left out when its own result is counted: python -m benchmarks.auto_left_out.

    python -m benchmarks.auto_left_out [ROWS.parquet, of `python benchmarks/auto_rules.py ROWS.parquet`]

Nothing is fitted: past studies hold what the rule's learners reach in each experiment on public tables, and the rule is
arithmetic on them. Of two classes, its two bounds on rows times epsilon to a column are fitted to all sources, to all
but the one whose result is counted, and with ROWS to synthetic tables alone. Printed is what these rules, the one that
is shipped, and each learner always lose to the best of the learners in hindsight, as means in which every source counts
the same: accuracy and area under the ROC curve in points, logarithmic loss in hundredths.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.advice.public_tables import public_tables
from tacit.estimators.auto import choose
from tacit.privacy import Budget
from tacit.study.advice.past_studies import PREFIXES, PastStudies

MEASURES = ("accuracy", "auc", "log-loss")
"""That the rule was fitted to."""

LEARNERS = ("tree", "logistic", "boosted-trees", "naive-bayes")
"""Of which the rule of two classes takes the first three, in this order as rows times epsilon to a column grow; a tree
without its delta, as it gains nothing by one."""

GRID = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0, np.inf)
"""Bounds to choose from."""

_CELL = ("table", "privacy", "rows", "epsilon")


@dataclass(frozen=True, eq=False)
class Cells:
    """Experiments of one kind of budget, and what each of the learners loses there to the best of them."""

    sources: NDArray[np.str_]
    signals: NDArray[np.float64]
    """Rows times epsilon to a column that costs privacy."""
    lost: NDArray[np.float64]
    """Of shape (n_cells, n_learners, 3 measures); nan where a measure is not defined."""
    shipped: NDArray[np.intp]
    """What ``choose`` takes; -1 of synthetic tables."""

    def taken(self, linear: float, boosting: float) -> NDArray[np.intp]:
        """Return which learner the rule with these bounds takes."""
        return np.searchsorted([linear, boosting], self.signals, side="right")

    def means(self, taken: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return mean losses by measure, of shape (3,), in which every source counts the same."""
        own = self.lost[np.arange(len(taken)), taken]
        return _means(np.asarray([_means(own[self.sources == each]) for each in np.unique(self.sources)]))

    def where(self, kept: NDArray[np.bool_]) -> Cells:
        """Return some of the cells."""
        return Cells(self.sources[kept], self.signals[kept], self.lost[kept], self.shipped[kept])

    def bounds(self) -> tuple[float, float]:
        """Return the bounds of least summed loss of accuracy and area under the curve."""
        pairs = [(one, other) for one in GRID for other in GRID if one <= other]
        return min(pairs, key=lambda pair: float(np.nansum(self.means(self.taken(*pair))[:2])))


def of_past_studies(past: PastStudies, *, with_delta: bool, many: bool = False) -> Cells:
    """Return the experiments of past studies with a delta, or without; of two classes, or of more."""
    schemas = {
        (each.name, kind): each.schema(kind) for each in public_tables() for kind in past.frame["privacy"].unique()
    }
    kind = past.frame.filter((pl.col("delta") > 0) == with_delta, (pl.col("classes") > 2) == many)
    pure = past.frame.filter(delta=0.0)
    names = [prefix + one for prefix in (PREFIXES[each] for each in MEASURES) for one in LEARNERS]
    trees = [name for name in names if name.endswith("tree")]
    cells = kind.drop(trees).join(pure.select(*_CELL, *trees), on=_CELL, nulls_equal=True)
    shipped = []
    for table, privacy, rows, epsilon, delta in cells.select(*_CELL, "delta").iter_rows():
        choice = choose(schemas[table, privacy], Budget(epsilon, delta), rows)
        shipped.append(LEARNERS.index(choice.learner))
    signals = cells["rows"] * cells["epsilon"] / cells["protected_columns"]
    scores = cells.select(names).to_numpy().astype(float).reshape(len(cells), 3, -1).transpose(0, 2, 1)
    return _cells(cells["source"].to_numpy().astype(str), signals.to_numpy(), scores, np.asarray(shipped))


def of_synthetic_tables(path: str, *, with_delta: bool) -> Cells:
    """Return the rows that ``auto_rules.py`` wrote."""
    rows = pl.read_parquet(path)
    key = ["table", "rows", "epsilon"]
    kind = rows.filter(((pl.col("delta") > 0) == with_delta) & pl.col("learner").is_in(LEARNERS[1:]))
    both = pl.concat([kind, rows.filter(pl.col("learner") == "tree", pl.col("delta") == 0)])
    wide = both.pivot("learner", index=[*key, "columns"], values=["accuracy", "auc", "log_loss"]).sort(key)
    names = [f"{measure}_{one}" for measure in ("accuracy", "auc", "log_loss") for one in LEARNERS]
    scores = wide.select(names).to_numpy().reshape(len(wide), 3, -1).transpose(0, 2, 1)
    signals = (wide["rows"] * wide["epsilon"] / wide["columns"]).to_numpy()
    return _cells(wide["table"].to_numpy().astype(str), signals, scores, np.full(len(wide), -1))


def _cells(sources: NDArray, signals: NDArray, scores: NDArray, shipped: NDArray) -> Cells:
    better = scores * (1, 1, -1)  # of the logarithmic loss less is better
    return Cells(sources, signals, 100 * (better.max(axis=1, keepdims=True) - better), shipped)


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return means by column of what is known; nan where nothing is."""
    with np.errstate(invalid="ignore"):
        return np.nansum(values, axis=0) / (~np.isnan(values)).sum(axis=0)


def left_out(cells: Cells) -> tuple[NDArray[np.intp], list[tuple[float, float]]]:
    """Return what the rule takes in each cell with bounds fitted to the other sources, and these bounds."""
    taken, found = np.empty(len(cells.signals), dtype=np.intp), []
    for source in np.unique(cells.sources):
        own = cells.sources == source
        found.append(cells.where(~own).bounds())
        taken[own] = cells.where(own).taken(*found[-1])
    return taken, found


def report(cells: Cells, synthetic: Cells | None, *, many: bool) -> None:
    """Print the mean losses of each rule."""

    def line(name: str, taken: NDArray[np.intp]) -> None:
        print(f"  {name:44s}", *(f"{each:6.2f}" for each in cells.means(taken)))

    line("shipped", cells.shipped)
    if not many:
        own = cells.bounds()
        line(f"bounds of all sources ({own[0]:g}, {own[1]:g})", cells.taken(*own))
        taken, found = left_out(cells)
        line("bounds of the other sources", taken)
        print("    which are", *(f"({a:g}, {b:g}) x {found.count((a, b))}" for a, b in sorted(set(found))))
    if synthetic and not many:
        alone = synthetic.bounds()
        line(f"bounds of synthetic tables ({alone[0]:g}, {alone[1]:g})", cells.taken(*alone))
    for at, name in enumerate(LEARNERS):
        line(f"{name} always", np.full(len(cells.signals), at))


def main(rows: str | None) -> None:
    past = PastStudies.packaged()
    for public, many, with_delta in product((False, True), (False, True), (True, False)):
        kind = PastStudies(past.frame.filter(public_label=public))
        cells = of_past_studies(kind, with_delta=with_delta, many=many)
        said = f"{'public' if public else 'private'} label, {'more' if many else 'two'} classes"
        print(f"\n{said}, {'delta 1e-5' if with_delta else 'pure'}: {len(cells.signals)} experiments")
        synthetic = of_synthetic_tables(rows, with_delta=with_delta) if rows else None
        report(cells, synthetic, many=many)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
