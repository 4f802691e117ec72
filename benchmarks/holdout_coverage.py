"""Do intervals of a holdout hold the truth in 95 of 100 fits? `python benchmarks/holdout_coverage.py [PART OF PARTS]`.

Rows are drawn from a distribution that is known; levels are private quantiles of their scores and counts have noise, as
a fit has them, by its own mechanisms. Scores are calibrated log-odds of two normal classes, and the same three times
too far out, as an overconfident model's are, and five times too near; and the probabilities of three to seven normal
classes, as many times too far out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import logit, softmax
from scipy.stats import norm, rankdata

from tacit.cut_points import halved
from tacit.estimators.holdout import HoldoutQuestions, asked_of
from tacit.measures.auc_covariance import Squares, clipped
from tacit.measures.class_scores import ClassScores
from tacit.measures.held_out import HeldOut
from tacit.measures.intervals import Estimate
from tacit.measures.score_cells import MIDDLE, N_CELLS, TIE_BITS, cells_of_odds, class_cells, odds_of_edges
from tacit.mechanisms import SimulatedNoise
from tacit.mechanisms.cell_selection import CellSelection
from tacit.privacy import Budget, PrivacyUnit, PureDP
from tacit.privacy.cell_selection import CellSelectionStatistic
from tacit.privacy.plan import divide
from tacit.queries import RowCells
from tacit.queries.held_out import STEPS

FITS = 2_000

UNIT = PrivacyUnit(("x",), label=True)

CASES = [
    (rows, epsilon, prevalence, apart, stretched)
    for rows, epsilon in ((1_000, 0.3), (1_000, 3.0), (10_000, 1.0), (10_000, 3.0))
    for prevalence in (0.5, 0.1, 0.03)
    for apart in (0.0, 1.0, 2.5)
    for stretched in (0.2, 3.0)
]

EVEN, RARE, SEVEN = (1 / 3,) * 3, (0.7, 0.2, 0.1), (0.4, 0.3, 0.1, 0.05, 0.05, 0.05, 0.05)

CLASS_CASES = [
    (rows, 1.0, prevalences, apart, stretched)
    for rows in (5_000, 20_000)
    for prevalences in (EVEN, RARE, SEVEN)
    for apart in (0.3, 1.5, 3.0)
    for stretched in (0.3, 3.0)
]


@dataclass(frozen=True)
class Selections:
    """Cells at what each selection may cost, without an accountant."""

    share: PureDP
    noise: SimulatedNoise

    def cells(self, statistic: CellSelectionStatistic) -> np.ndarray:
        """Return the selected cells."""
        return CellSelection(self.share).sample(statistic, self.noise)


def edges_between(cells: np.ndarray, asked: HoldoutQuestions, budget: Budget, noise: SimulatedNoise) -> np.ndarray:
    """Return private quantiles of one score's cells, as a fit has them."""
    share = divide(budget, asked.plan).shares[0]
    assert isinstance(share, PureDP)
    rows = RowCells("scores", UNIT, N_CELLS, np.sort(cells), 1)
    return halved(rows, asked.halvings, Selections(share, noise))  # type: ignore[arg-type]


def told_apart(cells: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return cells with a coin of each row and score."""
    return cells + generator.integers(0, 1 << TIE_BITS, cells.shape)


def noisy(counts: np.ndarray, scale: float, generator: np.random.Generator) -> np.ndarray:
    """Return counts with discrete Laplace noise, as the difference of two geometric draws."""
    stop = 1 - np.exp(-1 / scale)
    return counts + generator.geometric(stop, counts.shape) - generator.geometric(stop, counts.shape)


@dataclass(frozen=True)
class Case:
    """Rows kept back, what they cost, and the distribution of their classes and scores."""

    n_rows: int
    epsilon: float
    prevalence: float
    apart: float
    """Deviations between the classes' mean scores."""
    stretched: float

    @property
    def spread(self) -> float:
        """Of each class's log-odds: two normal distributions this far apart, of this deviation, are calibrated."""
        return max(self.apart, 1e-3)

    def below(self, odds: np.ndarray | float) -> np.ndarray:
        """Return the share of each class, of all rows, at these log-odds and below, shape (2, ...)."""
        limits = np.asarray(odds) / self.stretched - logit(self.prevalence)
        parts = [norm.cdf(limits, sign * self.spread**2 / 2, self.spread) for sign in (-1, 1)]
        return np.stack([(1 - self.prevalence) * parts[0], self.prevalence * parts[1]])

    def measured(self, asked: HoldoutQuestions, generator: np.random.Generator, noise: SimulatedNoise) -> HeldOut:
        """Return what a fit has."""
        labels = generator.random(self.n_rows) < self.prevalence
        means = np.where(labels, 1, -1) * self.spread**2 / 2 + logit(self.prevalence)
        odds = self.stretched * (means + self.spread * generator.normal(size=self.n_rows))
        cells, budget = told_apart(cells_of_odds(odds), generator), Budget(self.epsilon)
        edges = np.union1d(edges_between(cells, asked, budget, noise), [MIDDLE])
        level = np.searchsorted(edges, cells, side="right")
        counts = np.bincount(labels * (len(edges) + 1) + level, minlength=2 * (len(edges) + 1))
        scale = asked.deviation / 2**0.5
        rows = noisy(counts, scale, generator).astype(float).reshape(2, -1).tolist()
        return HeldOut(tuple(map(tuple, rows)), odds_of_edges(edges), self.n_rows, scale, "Laplace")

    def truths(self, found: HeldOut) -> Iterator[tuple[str, Estimate, float]]:
        """Yield each measure with its interval, and its true value."""
        (low_below, high_below), p = self.below(0.0), self.prevalence
        high_above = p - high_below
        right = low_below + high_above
        yield "accuracy", found.accuracy, float(right)
        balanced = (low_below / (1 - p) + high_above / p) / 2
        yield "balanced accuracy", found.balanced_accuracy, float(balanced)
        yield "recall", found.recalls[1], float(high_above / p)
        yield "prevalence", found.prevalence[1], p
        frequent = np.argmax([each.value for each in found.prevalence])
        yield "gain", found.gain, float(right - (1 - p, p)[frequent])
        shares = np.diff(self.below(np.asarray([-np.inf, *found.edges, np.inf])), axis=1)
        busiest = int(shares.sum(axis=0).argmax())
        yield "calibration", found.calibration[busiest].share, float(shares[1, busiest] / shares[:, busiest].sum())
        assert found.auc is not None
        yield "area", found.auc, float(norm.cdf(self.spread / 2**0.5))


def coverage(case: Case, generator: np.random.Generator, fits: int = FITS) -> dict[str, tuple[float, float]]:
    """Return of each measure the share of intervals that hold the truth, in per cent, and their mean width."""
    asked = asked_of(case.n_rows, 2, UNIT, Budget(case.epsilon))
    noise = SimulatedNoise(np.random.default_rng(generator.integers(2**32)))
    held: dict[str, list[tuple[bool, float]]] = {}
    for _ in range(fits):
        for name, found, truth in case.truths(case.measured(asked, generator, noise)):
            held.setdefault(name, []).append((found.low <= truth <= found.high, found.high - found.low))
    return {
        name: (100 * float(np.mean([h for h, _ in each])), float(np.mean([w for _, w in each])))
        for name, each in held.items()
    }


@dataclass(frozen=True)
class ClassCase:
    """Rows of several classes, what they cost, and the distribution of their probabilities."""

    n_rows: int
    epsilon: float
    prevalences: tuple[float, ...]
    apart: float
    stretched: float

    @property
    def asked(self) -> HoldoutQuestions:
        """What a fit asks for."""
        return asked_of(self.n_rows, len(self.prevalences), UNIT, Budget(self.epsilon))

    def measured(
        self,
        cells: np.ndarray,
        own: np.ndarray,
        asked: HoldoutQuestions,
        generator: np.random.Generator,
        noise: SimulatedNoise,
    ) -> ClassScores:
        """Return what a fit has from rows' cells and whether they are a class's own, (n_rows, n_classes) each."""
        budget = Budget(self.epsilon)
        edges = [edges_between(each, asked, budget, noise) for each in cells.T]
        n_levels, n_classes = len(edges[0]) + 1, len(edges)
        assert all(len(each) + 1 == n_levels for each in edges)
        levels = np.column_stack(
            [np.searchsorted(each, row, side="right") for each, row in zip(edges, cells.T, strict=True)]
        )
        size = (n_classes, 2, n_levels)
        at = (2 * np.arange(n_classes) + own) * n_levels + levels
        shares = divide(budget, asked.plan).shares[-2 - (asked.squares is not None) :][:2]
        # Of a class's own rows each is counted once, of others by each class but one; announced in this order.
        own_scale, scale = (each / share.epsilon for each, share in zip((2, 2 * n_classes - 2), shares, strict=True))  # type: ignore[union-attr]
        exact = np.bincount(at.ravel(), minlength=int(np.prod(size))).reshape(size)
        both = zip(exact.swapaxes(0, 1), (scale, own_scale), strict=True)
        counts = np.stack([noisy(side, each, generator) for side, each in both], axis=1).astype(float)
        squares = None
        if asked.squares is not None:
            influence, clip, most = clipped(counts, asked.squares)
            sums = influence[np.arange(n_classes), own.astype(int), levels].sum(axis=1)
            steps = np.rint(np.minimum(np.abs(sums) / most, 1.0) ** 2 * STEPS).sum() / STEPS
            of_squares = asked.squares / 2**0.5
            squares = Squares((steps + of_squares * generator.laplace()) * most**2, of_squares * most**2, clip)
        each = tuple((tuple(rest), tuple(found)) for rest, found in counts.tolist())
        return ClassScores(each, tuple(map(odds_of_edges, edges)), scale, own_scale, "Laplace", squares)


def class_coverage(
    case: ClassCase, generator: np.random.Generator, fits: int = FITS, people: int = 200_000
) -> tuple[float, float]:
    """Return the share of intervals of a mean area that hold the truth, in per cent, and their mean width.

    Rows are drawn from so many people, whose area is the truth.
    """
    n_classes = len(case.prevalences)
    labels = generator.choice(n_classes, people, p=case.prevalences)
    means = np.eye(n_classes) * case.apart / np.sqrt(2)
    seen = means[labels] + generator.normal(size=(people, n_classes))
    odds = seen @ means.T - (means**2).sum(axis=1) / 2 + np.log(case.prevalences)
    likely = softmax(case.stretched * odds, axis=1)
    own, cells = labels[:, None] == np.arange(n_classes), class_cells(likely)
    asked, noise = case.asked, SimulatedNoise(np.random.default_rng(generator.integers(2**32)))
    found = []
    for _ in range(fits):
        rows = generator.integers(0, people, case.n_rows)
        measured = case.measured(told_apart(cells[rows], generator), own[rows], asked, generator, noise)
        found.append(measured.mean_area(case.n_rows, 1))
    truth = float(np.mean([_area(likely[:, at], own[:, at]) for at in range(n_classes)]))
    low, high = (np.asarray([each[at] for each in found]) for at in (1, 2))
    return 100 * float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low))


def _area(scores: np.ndarray, own: np.ndarray) -> float:
    n_own = int(own.sum())
    return float((rankdata(scores)[own].sum() - n_own * (n_own + 1) / 2) / (n_own * (len(own) - n_own)))


def main(part: int = 0, parts: int = 1) -> None:
    """Print the coverage of each measure in each case, and the lowest and highest of all."""
    generator = np.random.default_rng(20 + part)
    found: dict[str, list[tuple[float, bool]]] = {}
    for case in (Case(*each) for each in CASES[part::parts]):
        measured = coverage(case, generator)
        print(case, {name: f"{c:.1f} ({w:.3f})" for name, (c, w) in measured.items()}, flush=True)
        for name, (held, _) in measured.items():
            # Of all rows, of which a tenth is kept back.
            found.setdefault(name, []).append((held, case.n_rows * case.epsilon > 1_000))
    for case in (ClassCase(*each) for each in CLASS_CASES[part::parts]):
        if not case.asked.halvings:
            continue
        held, width = class_coverage(case, generator)
        print(case, f"mean area: {held:.1f} ({width:.3f})", flush=True)
        found.setdefault("mean area", []).append((held, case.n_rows * case.epsilon > 1_000))
    for name, shares in found.items():
        large = [share for share, many in shares if many]
        print(f"{name:20} lowest {min(s for s, _ in shares):.1f}, highest with many rows {max(large):.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
