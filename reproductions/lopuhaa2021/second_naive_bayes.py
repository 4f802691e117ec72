"""Algorithm 1 of Lopuhaä-Zwakenberg and others (2021) with a quarter of its noise: a second reading, not private."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reproductions.lopuhaa2021.settings import SMALLEST

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

NOISE = 0.25
"""Of the published scale: of one, a half, a quarter and an eighth what three averages need. No cause is known."""


@dataclass(frozen=True)
class Mixed:
    """Rows of both kinds of columns.

    Attributes
    ----------
    codes : array of shape (n_rows, n_categorical)
    numbers : array of shape (n_rows, n_numeric)
    """

    codes: Codes
    numbers: Array

    def __getitem__(self, rows: NDArray[np.integer]) -> Mixed:
        return Mixed(self.codes[rows], self.numbers[rows])

    @property
    def n_queries(self) -> int:
        """How often Algorithm 1 asks for a row: equation 15."""
        return 1 + self.codes.shape[1] + 2 * self.numbers.shape[1]


@dataclass(frozen=True)
class Counted:
    """What a table's rows say, without noise: made once, noised at each level."""

    classes: Array
    counts: tuple[Array, ...]
    means: Array
    deviations: Array
    ranges: Array


def counted(rows: Mixed, labels: Codes, n_categories: list[int], ranges: Array) -> Counted:
    """Return counts, means and deviations by class; ``ranges`` are the public ones of the numbers."""
    n_classes = int(labels.max()) + 1
    # A table without numbers may lack a class in training rows, which has no mean then, and needs none.
    by_class = [rows.numbers[labels == label] if rows.numbers.size else rows.numbers for label in range(n_classes)]
    counts = [
        np.bincount(codes * n_classes + labels, minlength=size * n_classes).reshape(size, n_classes).astype(float)
        for codes, size in zip(rows.codes.T, n_categories, strict=True)
    ]
    return Counted(
        np.bincount(labels).astype(float),
        tuple(counts),
        np.asarray([each.mean(axis=0) for each in by_class]),
        np.asarray([each.std(axis=0, ddof=1) for each in by_class]),
        ranges,
    )


def predicted(exact: Counted, test: Mixed, epsilon: float | None, noise: np.random.Generator) -> NDArray[np.integer]:
    """Return the classes of rows by noisy answers; None is no noise.

    Counts, deviations and densities are floored at the paper's 1e-5.
    """
    scale = 0.0 if epsilon is None else NOISE * test.n_queries / epsilon
    sizes = np.maximum(_noisy(exact.classes, scale, noise), SMALLEST)
    scores = np.tile(np.log(sizes), (len(test.numbers), 1))
    for codes, counts in zip(test.codes.T, exact.counts, strict=True):
        scores += np.log(np.maximum(_noisy(counts, scale, noise), SMALLEST) / sizes)[codes]
    of_mean = exact.ranges / exact.classes[:, None]
    of_deviation = exact.ranges / np.sqrt(exact.classes)[:, None]
    means = _noisy(exact.means, scale * of_mean, noise)
    deviations = np.maximum(_noisy(exact.deviations, scale * of_deviation, noise), SMALLEST)
    for label, (mean, deviation) in enumerate(zip(means, deviations, strict=True)):
        density = np.exp(-(((test.numbers - mean) / deviation) ** 2) / 2) / (deviation * np.sqrt(2 * np.pi))
        scores[:, label] += np.log(np.maximum(density, SMALLEST)).sum(axis=1)
    return np.asarray(scores.argmax(axis=1))


def _noisy(exact: Array, scale: float | Array, noise: np.random.Generator) -> Array:
    return exact + noise.laplace(size=exact.shape) * scale
