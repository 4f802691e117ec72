"""Secret orders are uniform permutations; numbers of runs are logarithmic."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import factorial, log

import numpy as np
import pytest
from scipy.stats import chisquare

from tacit.mechanisms import noise_source
from tacit.mechanisms.secret_draws import number_of_runs, secret_order


@pytest.mark.parametrize("seed", [None, 3])
def test_each_order_is_equally_likely(seed):
    noise = noise_source(seed)
    counts = Counter(tuple(secret_order(noise, 4).tolist()) for _ in range(4800))
    assert set(map(len, map(set, counts))) == {4}
    assert len(counts) == factorial(4)
    assert chisquare(list(counts.values())).pvalue > 1e-9


class Tied:
    """Keys that tie at first."""

    def __init__(self):
        self.draws = iter([[5, 5, 1], [3, 1, 2]])

    def integers(self, stops):
        assert len(stops) == 3
        return np.asarray(next(self.draws), dtype=np.int64)


def test_equal_keys_are_drawn_again():
    assert secret_order(Tied(), 3).tolist() == [1, 2, 0]


@pytest.mark.parametrize("seed", [None, 5])
def test_runs_follow_the_logarithmic_distribution(seed):
    stop, draws = Fraction(1, 4), 4000
    noise = noise_source(seed)
    counts = Counter(min(number_of_runs(noise, stop), 6) for _ in range(draws))
    distribution = [0.75**k / (k * log(4)) for k in range(1, 6)]
    expected = [draws * p for p in (*distribution, 1 - sum(distribution))]
    assert chisquare([counts[k] for k in range(1, 7)], expected).pvalue > 1e-9
