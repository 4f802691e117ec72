"""Covariance of one-vs-rest AUCs: each row's influence on their mean, from released counts."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.checks import check_bounded
from tacit.errors import ModelFileError
from tacit.rules.measures import USUAL_SHARE_OF_SQUARES

_TRIALS = 256
"""Of where to clip: finer steps hardly change the interval."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Squares:
    """The sum over rows of the squared influence on the mean area, with noise.

    Parameters
    ----------
    total : float
        With noise.
    scale : float
        Of the noise.
    clip : float
        What a class added at most to a row's influence.
    """

    total: float
    scale: float
    clip: float

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        if not (self.scale >= 0 and self.clip > 0):
            raise ModelFileError("Expected squares with a scale of noise and a clip, got others. The file is damaged.")
        check_bounded(self.total, self.scale, self.clip)

    def together(self, counts: Floats, distribution: Literal["exact", "Laplace", "Gaussian"]) -> float:
        """Return the standard deviation of the mean area by sampling, as a share of what it is if all go together.

        What clipping leaves out goes together at most: by Minkowski's inequality its deviations add up. The
        noise is taken to have made the squares smaller by one standard deviation. Areas of rows of other people would
        not go against each other.
        """
        deviation = self.scale * (sqrt(2) if distribution == "Laplace" else 1.0)
        adds = influences(counts)
        alone = _lengths(counts, adds)
        beyond = _lengths(counts, adds - np.clip(adds, -self.clip, self.clip)).sum()
        found = (sqrt(max(self.total + deviation, 0.0)) + beyond) / alone.sum()
        return float(np.clip(found, np.sqrt((alone**2).sum()) / alone.sum(), 1.0))


def influences(counts: Floats) -> Floats:
    """Return what each class adds to a row's influence on the mean area, shape (n_classes, 2, n_levels).

    To first order the error of an area A is the mean over rows of (F - A) / p for a row of the class, and of
    (S - A) / (1 - p) for another one, where F is the share of others' scores below its own, S that of the class's
    scores above it, ties half, and p the share of the class.

    Parameters
    ----------
    counts : array of shape (n_classes, 2, n_levels)
        Of rows of other classes and of its own by level of the class's score, with noise.

    Examples
    --------
    >>> influences(np.asarray([[[30.0, 10.0], [10.0, 30.0]]])).round(3).tolist()  # an area of 3/4
    [[[0.25, -0.75], [-0.75, 0.25]]]
    """
    n_levels = counts.shape[-1]
    kernel = np.tril(np.ones((n_levels, n_levels)), -1) + np.eye(n_levels) / 2
    rest, own = counts[:, 0], counts[:, 1]
    n_rest, n_own = (np.maximum(each.sum(axis=1, keepdims=True), 1.0) for each in (rest, own))
    # Noise makes shares that are none, and not in order.
    below = np.maximum.accumulate(np.clip(rest @ kernel.T / n_rest, 0, 1), axis=1)
    above = np.minimum.accumulate(np.clip(own @ kernel / n_own, 0, 1), axis=1)
    area = np.clip((own * (rest @ kernel.T)).sum(axis=1, keepdims=True) / (n_rest * n_own), 0, 1)
    weights = (n_rest + n_own) / len(counts)
    return np.stack([(above - area) * weights / n_rest, (below - area) * weights / n_own], axis=1)


def clipped(counts: Floats, deviation: float) -> tuple[Floats, float, float]:
    """Return influences by class, clipped for the noise, where they were clipped, and the largest of a row's sums.

    Parameters
    ----------
    counts : array of shape (n_classes, 2, n_levels)
        With noise.
    deviation : float
        Of the noise on a sum over rows of values from 0 to 1.
    """
    adds = influences(counts)
    largest = np.abs(adds).max(axis=2)
    trials = np.maximum(largest.max() * np.arange(1, _TRIALS + 1) / _TRIALS, _TINY)
    most = np.asarray([max(_most(np.minimum(largest, clip)), _TINY) for clip in trials])

    def reach(clip: float, most: float) -> float:
        """Return about how long the interval will be."""
        kept = np.clip(adds, -clip, clip)
        squares = USUAL_SHARE_OF_SQUARES * _lengths(counts, kept).sum() ** 2 + deviation * most**2
        return float(sqrt(squares) + _lengths(counts, adds - kept).sum())

    at = int(np.argmin([reach(*each) for each in zip(trials, most, strict=True)]))
    clip = float(trials[at])
    return np.clip(adds, -clip, clip), clip, float(most[at])


_TINY = 1e-9
"""Above zero, where noise has left no rows in any level."""


def _most(largest: Floats) -> float:
    """Return the most that a row's influence is: of its own class, and of one other, as probabilities add up to one."""
    of_rest = np.where(np.eye(len(largest), dtype=bool), 0.0, largest[:, 0])
    return float((largest[:, 1] + of_rest.max(axis=1)).max())


def _lengths(counts: Floats, adds: Floats) -> Floats:
    """Return the root of the sum over rows of what each class adds, squared, (n_classes,)."""
    return np.asarray(np.sqrt(np.maximum((counts * adds**2).sum(axis=(1, 2)), _TINY**2)))
