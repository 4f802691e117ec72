"""Do intervals by group hold the value of further rows in 95 of 100 fits? `python benchmarks/holdout_groups.py [FITS]`.

The counting is simulated, not the fits: rows of groups with known distributions of classes and log-odds, levels
between private quantiles of all rows' scores, and noise, by a fit's own mechanisms and numbers. The truth is that of
all such people; of 10^6 further rows the value is within a thousandth of it. Of differences an interval counts where
all pairs of groups hold together. Coverage of sets is of the edges that each fit chose.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from holdout_coverage import UNIT, edges_between, noisy, told_apart
from scipy.special import logit
from scipy.stats import norm

from tacit.estimators.holdout import HoldoutQuestions, asked_of
from tacit.measures.group_counts import GroupCounts
from tacit.measures.group_measures import AREA, GroupMeasures, Measure
from tacit.measures.held_out import HeldOut
from tacit.measures.prediction_sets import set_bounds
from tacit.measures.score_cells import MIDDLE, cells_of_odds, odds_of_edges
from tacit.measures.set_measures import kept_cells
from tacit.mechanisms import SimulatedNoise
from tacit.privacy import Budget

Group = tuple[float, float, float]
"""Share of all rows, share of the second class in it, and deviations between its classes' mean scores."""

TWO: tuple[Group, ...] = ((0.6, 0.3, 1.5), (0.4, 0.2, 1.0))
RARE: tuple[Group, ...] = ((0.95, 0.3, 1.5), (0.05, 0.4, 1.0))
FIVE: tuple[Group, ...] = ((0.5, 0.3, 1.5), (0.25, 0.2, 1.5), (0.1, 0.5, 1.0), (0.1, 0.4, 2.0), (0.05, 0.3, 1.0))

CASES = [
    (rows, epsilon, groups)
    for rows, epsilon in ((4_000, 1.0), (10_000, 1.0), (10_000, 3.0), (40_000, 1.0))
    for groups in (TWO, RARE, FIVE)
]

CALIBRATION, SETS = "calibration at the largest level", "coverage of sets of 'yes'"


@dataclass(frozen=True)
class Case:
    """Rows kept back, what they cost, and the groups that they are of."""

    n_rows: int
    epsilon: float
    groups: tuple[Group, ...]

    def below(self, odds: np.ndarray | float) -> np.ndarray:
        """Return the share of each group and class, of all rows, at these log-odds and below, (groups, 2, ...)."""
        return np.stack([_below(group, np.asarray(odds, dtype=float)) for group in self.groups])

    def measured(self, asked: HoldoutQuestions, generator: np.random.Generator, noise: SimulatedNoise) -> GroupMeasures:
        """Return what a fit has."""
        shares, prevalences, apart = (np.asarray(each) for each in zip(*self.groups, strict=True))
        group = generator.choice(len(shares), self.n_rows, p=shares)
        labels = generator.random(self.n_rows) < prevalences[group]
        means = np.where(labels, 1, -1) * apart[group] ** 2 / 2 + logit(prevalences[group])
        odds = means + apart[group] * generator.normal(size=self.n_rows)
        cells = told_apart(cells_of_odds(odds), generator)
        edges = np.union1d(edges_between(cells, asked, Budget(self.epsilon), noise), [MIDDLE])
        level, n_levels = np.searchsorted(edges, cells, side="right"), len(edges) + 1
        shape = (len(shares), 2, n_levels)
        counts = np.bincount((group * 2 + labels) * n_levels + level, minlength=int(np.prod(shape))).reshape(shape)
        scale = asked.deviation / 2**0.5
        found = noisy(counts, scale, generator).astype(float)
        each = tuple(tuple(map(tuple, of_group)) for of_group in found.tolist())
        names = tuple(f"group {at}" for at in range(len(shares)))
        summed = tuple(map(tuple, found.sum(axis=0).tolist()))
        given = {"by_group": GroupCounts("group", names, each)}
        held = HeldOut(summed, odds_of_edges(edges), self.n_rows, scale, "Laplace", **given)
        return GroupMeasures(held, ("no", "yes"))

    def truths(self, measure: Measure) -> np.ndarray:
        """Return the true value of a measure in each group."""
        shares, prevalences, apart = (np.asarray(each) for each in zip(*self.groups, strict=True))
        below = self.below(0.0) / shares[:, None]
        missed, found = below[:, 1], prevalences - below[:, 1]
        selected = 1 - below.sum(axis=1)
        return {
            "share of all rows": shares,
            "prevalence": prevalences,
            "selection rate": selected,
            "recall": below[:, 0] / (1 - prevalences) if measure.of == "no" else found / prevalences,
            "precision": found / selected,
            "accuracy": 1 - missed - (selected - found),
            AREA: norm.cdf(apart / 2**0.5),
        }[measure.name]

    def held(self, found: GroupMeasures) -> Iterator[tuple[str, int, bool, float]]:
        """Yield each measure and group (of differences -1), whether the interval holds the truth, and its width."""
        for measure in found.measures:
            truths = self.truths(measure)
            for at, (_, low, high) in enumerate(found._bands(measure, found._cells)):
                yield str(measure), at, bool(low <= truths[at] <= high), float(high - low)
            if measure != found.measures[0]:
                pairs = [(int(one[-1]), int(other[-1]), each) for one, other, each in found._differences(measure)]
                inside = [each.low <= truths[one] - truths[other] <= each.high for one, other, each in pairs]
                yield str(measure), -1, all(inside), float(np.mean([each.high - each.low for *_, each in pairs]))
        yield from self._levels(found)

    def _levels(self, found: GroupMeasures) -> Iterator[tuple[str, int, bool, float]]:
        edges = np.asarray([-np.inf, *found.held_out.edges, np.inf])
        shares = np.diff(self.below(edges), axis=2)
        kept = kept_cells(set_bounds(found.held_out, 0.1, None), found._at)[1][
            found._at.groups[0] & found._at.classes[1]
        ]
        busiest = int(shares.sum(axis=(0, 1)).argmax())
        for at, group in enumerate(found._at.groups):
            own = group & found._at.between(busiest, busiest)
            _, low, high = found._cells.ratio(own & found._at.hits, own)
            truth = shares[at, 1, busiest] / shares[at, :, busiest].sum()
            yield CALIBRATION, at, bool(low <= truth <= high), float(high - low)
            own = group & found._at.classes[1]
            inside = np.zeros(len(own), dtype=bool)
            inside[own] = kept
            _, low, high = found._cells.ratio(inside, own)
            truth = shares[at, 1, kept].sum() / shares[at, 1].sum()
            yield SETS, at, bool(low <= truth <= high), float(high - low)


def _below(group: Group, odds: np.ndarray) -> np.ndarray:
    share, prevalence, apart = group
    limits = odds - logit(prevalence)
    parts = [norm.cdf(limits, sign * apart**2 / 2, apart) for sign in (-1, 1)]
    return share * np.stack([(1 - prevalence) * parts[0], prevalence * parts[1]])


def coverage(case: Case, generator: np.random.Generator, fits: int) -> dict[tuple[str, int], tuple[float, float]]:
    """Return of each measure and group how many per cent of intervals hold the truth, and their mean width."""
    asked = asked_of(case.n_rows, 2, UNIT, Budget(case.epsilon), len(case.groups))
    noise = SimulatedNoise(np.random.default_rng(generator.integers(2**32)))
    held: dict[tuple[str, int], list[tuple[bool, float]]] = {}
    for _ in range(fits):
        for name, at, inside, width in case.held(case.measured(asked, generator, noise)):
            held.setdefault((name, at), []).append((inside, width))
    return {
        key: (100 * float(np.mean([h for h, _ in each])), float(np.mean([w for _, w in each])))
        for key, each in held.items()
    }


def main(fits: int = 2_000) -> None:
    """Print the coverage of each measure in each case, and the lowest and highest of all where groups can be told."""
    generator = np.random.default_rng(51)
    told: dict[str, list[float]] = {}
    for case in (Case(*each) for each in CASES):
        print(f"{case.n_rows:,} rows, epsilon {case.epsilon:g}, groups of {[each[0] for each in case.groups]}")
        found = coverage(case, generator, fits)
        for name in dict.fromkeys(name for name, _ in found):
            each = [(at, *found[name, at]) for at in (*range(len(case.groups)), -1) if (name, at) in found]
            print(f"  {name:34}", "; ".join(f"{'all' if at < 0 else at}: {h:.1f} ({w:.3f})" for at, h, w in each))
            for at, h, w in each:
                told.setdefault(f"{name}{', differences' * (at < 0)}", []).append(h if w <= 0.4 else np.nan)
        sys.stdout.flush()
    for name, shares in told.items():
        print(f"{name:48} lowest {np.nanmin(shares):.1f}, highest {np.nanmax(shares):.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
