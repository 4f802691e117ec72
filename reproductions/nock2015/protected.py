"""Learning from protected rados: table 2 of Nock, Patrini and Friedman (2015).

As in ``nock2015``, rows are read without privacy where the paper does so: for choosing the protected column, for
standardizing, for the iterate with the least training error.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reproductions.nock2015.adaboost import TrainingError, boost_examples
from reproductions.nock2015.settings import ROUNDS, Fold, edges_of
from tacit.boosting.radoboost import RoundSettings, boost_rados
from tacit.datasets import load
from tacit.errors import ParameterError
from tacit.mechanisms.rado_signatures import (
    DrawnSignatures,
    FreeSignatures,
    RandomBits,
    draw_subsets,
    draw_window_counts,
)
from tacit.privacy.marginal import Window
from tacit.queries.rademacher_sums import sum_parts


def most_balanced_binary(name: str) -> tuple[int, str]:
    """Return place and name of the column of two values whose rarer value is the least rare.

    The paper protects a binary feature "at random"; which one its text does not say.

    Raises
    ------
    ParameterError
        If no column has just two values.
    """
    features, _ = edges_of(name)
    shares = {
        place: float(np.mean(column > column.min()))
        for place, column in enumerate(features.T)
        if len(np.unique(column)) == 2
    }
    if not shares:
        raise ParameterError(f"Expected a column of two values, got none in {name!r}. Choose another data set.")
    place = min(shares, key=lambda each: abs(shares[each] - 0.5))
    return place, load(name).schema.names[place]


def windowed_error(fold: Fold, protected: int, epsilon: float, *, rounds: int = ROUNDS) -> float:
    """Return RadoBoost's test error in percent over rados of DP-Feat: table 2, left.

    Parameters
    ----------
    fold : Fold
        With the protected feature coded -1 and 1.
    protected : int
        Place of that feature.
    epsilon : float
        Of one rado's entry.
    rounds : int

    Raises
    ------
    ParameterError
        If the window is empty: too few rows for so small an epsilon.
    """
    bits = RandomBits(fold.generator())
    rados = windowed_rados(fold.train, protected, epsilon, fold.n_rados, bits)
    return fold.error(boost_rados(rados, RoundSettings(rounds), reached=TrainingError(fold.train)).theta)


def windowed_rados(edges: np.ndarray, protected: int, epsilon: float, count: int, bits: RandomBits) -> np.ndarray:
    """Return rados whose entry of the protected feature stays within DP-Feat's window.

    A row agrees if it takes part and its edge is 1, or does not and its edge is -1. The number that agree is drawn from
    the cut-off binomial distribution; no rado is rejected.
    """
    n_rows = len(edges)
    window = Window(n_rows, epsilon)
    agree = draw_subsets(draw_window_counts(window, count, bits), n_rows, bits)
    negative = np.packbits(edges[:, protected] < 0, bitorder="little")
    return sum_parts(edges, DrawnSignatures(agree ^ negative))


def noisy_errors(
    fold: Fold, deviation: float, *, supports: Sequence[float] = (0.5,), rounds: int = ROUNDS
) -> dict[str, float]:
    """Return test errors in percent with Gaussian noise on each standardized training edge: table 2, center and right.

    Parameters
    ----------
    fold : Fold
    deviation : float
        Of the noise.
    supports : sequence of float
        Shares of the training rows that each rado of fixed support sums.
    rounds : int

    Returns
    -------
    dict
        ``adaboost`` on the noisy edges; ``radoboost`` with the strongest learner on plain rados; for each support s
        ``fixed s`` with the strongest and ``prudential s`` with the median learner on rados of that support.
    """
    generator = fold.generator()
    noisy = fold.train + deviation * generator.standard_normal(fold.train.shape)
    bits, reached = RandomBits(generator), lambda: TrainingError(noisy)
    strong, median = RoundSettings(rounds), RoundSettings(rounds, "median")
    plain = sum_parts(noisy, FreeSignatures(fold.n_rados, bits))
    rules = {
        "adaboost": boost_examples(noisy, strong),
        "radoboost": boost_rados(plain, strong, reached=reached()),
    }
    for support in supports:
        sizes = np.full(fold.n_rados, max(1, int(support * len(noisy))))
        fixed = sum_parts(noisy, DrawnSignatures(draw_subsets(sizes, len(noisy), bits)))
        rules[f"fixed {support:g}"] = boost_rados(fixed, strong, reached=reached())
        rules[f"prudential {support:g}"] = boost_rados(fixed, median, reached=reached())
    return {name: fold.error(rule.theta) for name, rule in rules.items()}
