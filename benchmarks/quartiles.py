"""Cut points of numbers on ranks: noisy quartiles, medians that are selected, or none, by what they may spend.

    python benchmarks/quartiles.py [tables of each kind, 4] [rows to fit, 2,000]
    python benchmarks/quartiles.py columns

Where the share of ``NoisyQuartiles`` comes from, and from how many rows on it pays. Tables of ``auto_bound`` with
numbers; everything private, delta 1e-5, simulated noise. By rows times epsilon a column: what
each way adds to places within the bounds in accuracy, area under the ROC curve and minus the logarithmic loss, in
points (hundredths), and the standard error over tables.

With "columns", how well single columns are told, by rounds of counts and constants of ``mixture_posterior``:
distributions of several shapes anywhere within bounds 1 to 100,000 times as wide, and such as fill their bounds. Of
ranks between the quartiles: their covariance with true ranks over that of these with themselves, and their correlation.
By the rows of a column over the noise of a count if there were one round.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial

import auto_bound
import auto_rules
import numpy as np

from tacit import LogisticClassifier
from tacit.cut_points import NoisyQuartiles, PrivateCuts, RankCuts, mixture_posterior
from tacit.cut_points.quartiles import QUARTILES, ROUNDS
from tacit.features import GridEncoding, GridWindow
from tacit.features.number_scale import rank_of
from tacit.learners.linear import RankedLogistic
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table

SIGNALS = (2, 5, 10, 20, 40, 80, 160, 320)
SHARES = (0.05, 0.1, 0.15, 0.2, 0.3)
RATIOS = (3, 5, 7, 10, 15, 25, 50)
LABEL = Label("y", [0, 1])


@dataclass(kw_only=True, eq=False, repr=False)
class Cutting(LogisticClassifier):
    """Logistic regression on ranks between cut points of one kind: what ``selects`` or else counts, of this share."""

    share: float = 0.0
    selects: bool = False

    def _ranked(self, table: Table) -> RankedLogistic:
        return replace(super()._ranked(table), cuts=self._kind(table.schema))

    def _kind(self, schema: Schema) -> RankCuts | None:
        if self.selects:
            return PrivateCuts(schema, 2, self.share, symmetric=True)
        return NoisyQuartiles(schema, self.share) if self.share else None


def fits(seeds: int = 4, n_rows: int = 2_000) -> None:
    """Print what each way adds."""
    ways = {"selected, 0.2": partial(Cutting, share=0.2, selects=True)}
    ways |= {f"counted, {share:g}": partial(Cutting, share=share) for share in SHARES}
    auto_rules.LEARNERS.update({name: partial(way, encoding="ranked") for name, way in ways.items()})
    auto_rules.LEARNERS["bounds"] = partial(Cutting, encoding="ranked")
    found = []
    for _, frame, labels, schema in auto_bound.tables(seeds, n_rows):
        if not any(isinstance(column, Numeric) for column in schema.columns):
            continue
        truth = np.searchsorted(sorted(schema.label.classes), labels[-auto_rules.N_SCORED :])
        given, held_out = (frame[:n_rows], labels[:n_rows]), (frame[-auto_rules.N_SCORED :], truth)
        budgets = [(signal * len(schema.names) / n_rows, 1e-5) for signal in SIGNALS]
        base, *others = (
            np.asarray([auto_rules.scores_of(name, schema, given, held_out, budget) for budget in budgets])
            for name in ("bounds", *ways)
        )
        found.append(np.asarray(others) - base)
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / len(found) ** 0.5
    print(f"{len(found):3d} tables      ", *(f"{signal:>17,}" for signal in SIGNALS))
    for name, own in [*zip(ways, mean, strict=True), ("standard error", error.mean(axis=0))]:
        print(f"{name:18s}", *("/".join(f"{each:+5.1f}" for each in cell) for cell in own))


Column = tuple[Numeric, np.ndarray]


def columns(seeds: int = 8) -> Iterator[Column]:
    """Draw columns and their sorted rows."""
    for seed in range(seeds):
        generator = np.random.default_rng(seed)
        for shape in ("normal", "exponential", "logarithmic", "two crowds", "uniform"):
            rows = {
                "normal": generator.normal(size=2_000),
                "exponential": generator.exponential(size=2_000),
                "logarithmic": np.exp(generator.normal(size=2_000)),
                "two crowds": generator.normal(4 * (generator.random(2_000) < 0.5), 1.0),
                "uniform": generator.uniform(-1, 1, 2_000),
            }[shape]
            rows = np.sort(rows + (generator.normal(0, 2) if seed % 2 else 0.0))
            reach = 4 * 10 ** generator.uniform(0, 5) if seed % 4 > 1 else 4 + 4 * generator.random()
            low = 0.0 if shape in ("exponential", "logarithmic") and seed % 2 == 0 else -reach
            yield Numeric("x", low, reach), rows.clip(low, reach)
        for _ in range(2):
            yield Numeric("x", 0, 1), np.sort(generator.beta(*generator.uniform(0.7, 3, 2), 2_000))


def told(column: Numeric, rows: np.ndarray, ratio: float, rounds: int, seed: int) -> np.ndarray:
    """Return how much of the true ranks is told by ranks between noisy quartiles."""
    grid, generator = GridEncoding(Schema([column], label=LABEL), "x"), np.random.default_rng(seed)
    cells, distribution, deviation = (
        grid.cells(rows),
        mixture_posterior.MixturePosterior(GridWindow(grid)),
        rounds**0.5 / ratio,
    )
    for _ in range(rounds):
        distribution.narrowed()
        edges = distribution.quarters()
        counts = np.diff(np.searchsorted(cells, distribution.window.places(edges))) / len(rows)
        distribution.learn(edges, counts + generator.normal(0, deviation, len(counts)), deviation)
    cuts = grid.cuts_at(distribution.quantiles(np.asarray(QUARTILES)))
    found = rank_of(rows, replace(column, cuts=cuts or None))
    true = (np.searchsorted(rows, rows) + np.searchsorted(rows, rows, side="right")) / len(rows) - 1
    return np.asarray([found @ true / (true @ true), found @ true / np.sqrt(found @ found * (true @ true) + 1e-12)])


def of_columns() -> None:
    """Print how well columns are told."""
    usual: dict[str, float] = {name: getattr(mixture_posterior, name) for name in ("_MISFIT", "PARTS")}
    tries: list[tuple[int, dict[str, float]]] = [
        *((rounds, {}) for rounds in (ROUNDS, 1, 2, 4, 16)),
        *((ROUNDS, {"PARTS": parts}) for parts in (3, 8)),
        (ROUNDS, {"_MISFIT": 0.0}),
    ]
    drawn = list(columns())
    print(f"{len(drawn)} columns, rounds{'':40s}", *(f"{ratio:>10g}" for ratio in RATIOS))
    for rounds, changed in tries:
        for name, value in (usual | changed).items():
            setattr(mixture_posterior, name, value)
        mixture_posterior._log_chances.cache_clear()
        line = [
            np.mean([told(*one, ratio, rounds, 99 * seed + at) for seed in range(2) for at, one in enumerate(drawn)], 0)
            for ratio in RATIOS
        ]
        words = " ".join(f"{name.lower()} {value:g}" for name, value in changed.items())
        print(f"{f'{rounds} {words}':58s}", *(f"{cell[0]:5.2f}/{cell[1]:4.2f}" for cell in line), flush=True)


def main(words: Collection[str]) -> None:
    """Run what is asked for."""
    warnings.simplefilter("ignore")
    if "columns" in words:
        return of_columns()
    return fits(*(int(word) for word in words if word.isdecimal()))


if __name__ == "__main__":
    main(sys.argv[1:])
