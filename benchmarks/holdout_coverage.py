"""Do intervals of a holdout hold the truth in 95 of 100 fits? `python benchmarks/holdout_coverage.py`.

The query itself is simulated: rows fall into (class, level) by a law that is known, and the counts get the query's
noise. Scores are calibrated log-odds of two normal classes, and the same three times too far out, as an overconfident
model's are; and the probabilities of three to seven normal classes, as many times too far out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import logit, softmax
from scipy.stats import norm, rankdata

from tacit.models.area_influence import ROWS_A_DEVIATION, Squares, clipped
from tacit.models.class_areas import ClassScores, class_edges, levels_of
from tacit.models.held_out import HeldOut, edges_of
from tacit.models.intervals import Band, NoisyCells, mean_of
from tacit.queries.held_out import SQUARES_WEIGHT, STEPS

FITS = 2_000

CASES = [
    (rows, epsilon, prevalence, apart, stretched)
    for rows in (2_000, 10_000, 45_000, 200_000)
    for epsilon in (0.1, 0.3, 1.0, 3.0)
    for prevalence in (0.5, 0.1)
    for apart in (0.0, 1.0, 2.5)
    for stretched in (1.0, 3.0)
]

EVEN, RARE, SEVEN = (1 / 3,) * 3, (0.7, 0.2, 0.1), (0.4, 0.3, 0.1, 0.05, 0.05, 0.05, 0.05)

CLASS_CASES = [
    (rows, epsilon, prevalences, apart, stretched)
    for rows, epsilon in ((2_000, 3.0), (5_000, 1.0), (20_000, 1.0), (20_000, 3.0))
    for prevalences in (EVEN, RARE, SEVEN)
    for apart in (0.3, 1.5, 3.0)
    for stretched in (1.0, 3.0)
]


@dataclass(frozen=True)
class Case:
    """Rows kept back, what they cost, and the law of their classes and scores."""

    n_rows: int
    epsilon: float
    prevalence: float
    apart: float
    """Deviations between the classes' mean scores."""
    stretched: float

    @property
    def scale(self) -> float:
        """Of Laplace noise for an L1 sensitivity of 2."""
        return 2 / self.epsilon

    @property
    def edges(self) -> tuple[float, ...]:
        """Of the levels, as a fit has them."""
        return edges_of(2, self.n_rows, self.scale * 2**0.5)

    @property
    def chances(self) -> np.ndarray:
        """Of each (class, level), shape (2, n_levels)."""
        # Two normal laws this far apart, of this deviation, are calibrated log-odds.
        spread = max(self.apart, 1e-3)
        limits = np.concatenate([[-np.inf], self.edges, [np.inf]]) / self.stretched - logit(self.prevalence)
        parts = [np.diff(norm.cdf(limits, sign * spread**2 / 2, spread)) for sign in (-1, 1)]
        return np.stack([(1 - self.prevalence) * parts[0], self.prevalence * parts[1]])

    @property
    def auc(self) -> float:
        """Of the score itself, without levels."""
        return float(norm.cdf(max(self.apart, 1e-3) / 2**0.5))


def drawn(case: Case, generator: np.random.Generator, fits: int) -> np.ndarray:
    """Return noisy counts, shape (fits, n_cells): discrete Laplace noise as the difference of two geometric draws."""
    counts = generator.multinomial(case.n_rows, case.chances.ravel() / case.chances.sum(), size=fits)
    stop = 1 - np.exp(-1 / case.scale)
    return counts + generator.geometric(stop, counts.shape) - generator.geometric(stop, counts.shape)


def bands(case: Case, counts: np.ndarray) -> Iterator[tuple[str, Band, float]]:
    """Yield each measure with its intervals, and its true value: of the law's cells, which have no noise."""
    one = HeldOut(((0.0,) * (len(case.edges) + 1),) * 2, case.edges, case.n_rows, case.scale, "Laplace")
    noisy = NoisyCells(counts, one.deviation**2, 3.0, case.n_rows)
    true = NoisyCells(case.chances.ravel()[None] * 1e9, 0.0, 0.0, None)
    everything, right, classes = one._all, one._right, one._classes
    busiest = one._level == int(case.chances.sum(axis=0).argmax())
    for name, measure in {
        "accuracy": lambda cells: cells.ratio(right, everything),
        "balanced accuracy": lambda cells: mean_of([cells.ratio(right & own, own) for own in classes]),
        "recall": lambda cells: cells.ratio(right & classes[1], classes[1]),
        "prevalence": lambda cells: cells.ratio(classes[1], everything),
        "gain": lambda cells: gain(cells, right, classes),
        "calibration": lambda cells: cells.ratio(classes[1] & busiest, busiest),
    }.items():
        yield name, measure(noisy), float(measure(true)[0][0])
    yield "area", noisy.area(classes[0], classes[1], one._hidden), case.auc


def gain(cells: NoisyCells, right: np.ndarray, classes: list[np.ndarray]) -> Band:
    """Return the gain over the class that is the more frequent one in the noisy counts of each fit."""
    first = cells.counts[:, classes[0]].sum(axis=1) >= cells.counts[:, classes[1]].sum(axis=1)
    both = [cells.difference(right, own) for own in classes]
    return tuple(np.where(first, one, other) for one, other in zip(*both, strict=True))  # type: ignore[return-value]


def coverage(case: Case, generator: np.random.Generator, fits: int = FITS) -> dict[str, tuple[float, float]]:
    """Return of each measure the share of intervals that hold the truth, in per cent, and their mean width."""
    counts = drawn(case, generator, fits)
    return {
        name: (100 * float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low)))
        for name, (_, low, high), truth in bands(case, counts)
    }


@dataclass(frozen=True)
class ClassCase:
    """Rows of several classes, what they cost, and the law of their probabilities."""

    n_rows: int
    epsilon: float
    prevalences: tuple[float, ...]
    apart: float
    stretched: float

    @property
    def squares_scale(self) -> float:
        """Of Laplace noise on a sum of values from 0 to 1; 0 where there are too few rows to ask for it."""
        scale = (3 + SQUARES_WEIGHT) / (SQUARES_WEIGHT * self.epsilon)
        return scale if ROWS_A_DEVIATION * scale * 2**0.5 <= self.n_rows else 0.0

    @property
    def scale(self) -> float:
        """Of Laplace noise for an L1 sensitivity of 2 a class, at two thirds of the budget or a little less."""
        return 2 * len(self.prevalences) * (3 + SQUARES_WEIGHT * bool(self.squares_scale)) / (2 * self.epsilon)

    def measured(self, counts: np.ndarray, own: np.ndarray, levels: np.ndarray, noise: float) -> ClassScores:
        """Return what a fit has from noisy counts, whether rows are a class's own, their levels, and noise."""
        edges, squares = class_edges(len(self.prevalences), self.n_rows, self.scale * 2**0.5), None
        if self.squares_scale:
            influence, clip, most = clipped(counts, self.squares_scale * 2**0.5)
            sums = influence[np.arange(own.shape[1]), own.astype(int), levels].sum(axis=1)
            steps = np.rint(np.minimum(np.abs(sums) / most, 1.0) ** 2 * STEPS).sum() / STEPS
            squares = Squares((steps + self.squares_scale * noise) * most**2, self.squares_scale * most**2, clip)
        each = tuple((tuple(rest), tuple(found)) for rest, found in counts.tolist())
        return ClassScores(each, edges, self.scale, "Laplace", squares)


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
    edges = class_edges(n_classes, case.n_rows, case.scale * 2**0.5)
    own = labels[:, None] == np.arange(n_classes)
    n_levels, levels = len(edges) + 1, levels_of(likely, edges)
    cells = (2 * np.arange(n_classes) + own) * n_levels + levels
    size = (n_classes, 2, n_levels)
    stop = 1 - np.exp(-1 / case.scale)
    found = []
    for _ in range(fits):
        rows = generator.integers(0, people, case.n_rows)
        counts = np.bincount(cells[rows].ravel(), minlength=int(np.prod(size))).reshape(size).astype(float)
        counts += generator.geometric(stop, size) - generator.geometric(stop, size)
        measured = case.measured(counts, own[rows], levels[rows], generator.laplace())
        found.append(measured.mean_area(case.n_rows, 1))
    truth = float(np.mean([_area(likely[:, at], own[:, at]) for at in range(n_classes)]))
    low, high = (np.asarray([each[at] for each in found]) for at in (1, 2))
    return 100 * float(np.mean((low <= truth) & (truth <= high))), float(np.mean(high - low))


def _area(scores: np.ndarray, own: np.ndarray) -> float:
    n_own = int(own.sum())
    return float((rankdata(scores)[own].sum() - n_own * (n_own + 1) / 2) / (n_own * (len(own) - n_own)))


def main() -> None:
    """Print the coverage of each measure in each case, and the lowest and highest of all."""
    generator = np.random.default_rng(20)
    found: dict[str, list[tuple[float, bool]]] = {}
    for case in (Case(*each) for each in CASES):
        measured = coverage(case, generator)
        print(case, len(case.edges) + 1, {name: f"{c:.1f} ({w:.3f})" for name, (c, w) in measured.items()}, flush=True)
        for name, (held, _) in measured.items():
            # Of all rows, of which a tenth is kept back.
            found.setdefault(name, []).append((held, case.n_rows * case.epsilon > 1_000))
    for case in (ClassCase(*each) for each in CLASS_CASES):
        held, width = class_coverage(case, generator)
        print(case, f"mean area: {held:.1f} ({width:.3f})", flush=True)
        found.setdefault("mean area", []).append((held, case.stretched == 1))
    for name, shares in found.items():
        large = [share for share, many in shares if many]
        print(f"{name:20} lowest {min(s for s, _ in shares):.1f}, highest with many rows {max(large):.1f}")


if __name__ == "__main__":
    main()
