"""DP-Feat by rejection: the same distribution as by the window's own, for as many signatures as Theorem 7 admits."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest

from harness.noise import frequency_p_value
from reproductions.nock2015.rejection import bit_divergence, draw_by_rejection, rejection_bound
from tacit.errors import ParameterError
from tacit.mechanisms.rado_signatures import RandomBits
from tacit.privacy.marginal import Window

LEVEL = 1e-6


def parts_of(found, n_rows):
    return np.concatenate([found.parts.strip(0, n_rows)]).astype(int)


def test_all_signatures_in_the_window_are_equally_frequent():
    """Five rows, epsilon 2: 2 or 3 rows agree, which 20 of the 32 signatures do."""
    window, signs = Window(5, 2.0), np.asarray([1, -1, -1, 1, 1])
    assert (window.low, window.high) == (2, 3)
    found = draw_by_rejection(signs, window, 8000, RandomBits(1))
    seen = [tuple(row) for row in parts_of(found, 5)]
    inside = [
        parts
        for parts in product((0, 1), repeat=5)
        if 2 <= sum(part == (sign > 0) for part, sign in zip(parts, signs, strict=True)) <= 3
    ]
    assert len(inside) == 20
    counts = [seen.count(parts) for parts in inside]
    assert sum(counts) == 8000
    assert frequency_p_value(counts, np.full(20, 1 / 20)) > LEVEL
    # A signature is kept with probability 20/32: 12,800 are drawn, give or take 88.
    assert abs(found.drawn - 12_800) < 5 * 88


@pytest.mark.parametrize(("n_rows", "epsilon"), [(100, 1.0), (81, 0.1), (1003, 0.1)])
def test_counts_follow_the_distribution_that_is_drawn_directly(n_rows, epsilon):
    window, signs = Window(n_rows, epsilon), np.where(np.arange(n_rows) % 3, 1, -1)
    found = draw_by_rejection(signs, window, 4000, RandomBits(2))
    agree = (parts_of(found, n_rows) == (signs > 0)).sum(axis=1)
    observed = [int((agree == k).sum()) for k in range(window.low, window.high + 1)]
    assert sum(observed) == 4000
    distribution = np.exp(window.log_distribution)
    assert len(distribution) == 1 or frequency_p_value(observed, distribution / distribution.sum()) > LEVEL
    kept = 1 - window.outside
    deviation = np.sqrt(4000 * (1 - kept)) / kept
    assert abs(found.drawn - 4000 / kept) < 5 * max(deviation, 1)


@pytest.mark.parametrize(("n_rows", "epsilon"), [(40, 0.1), (100, 1.0), (300, 0.5)])
def test_theorem_7_bounds_what_is_drawn(n_rows, epsilon):
    window, signs = Window(n_rows, epsilon), np.ones(n_rows)
    drawn = [draw_by_rejection(signs, window, 10, RandomBits(seed)).drawn for seed in range(200)]
    assert np.mean(np.asarray(drawn) <= rejection_bound(n_rows, epsilon, 10, 0.05)) >= 0.95
    assert min(drawn) >= 10


def test_the_number_drawn_depends_on_no_row():
    """The same bits against all edges turned, or one: other parts are kept, as many are drawn on average."""
    window = Window(64, 0.7)
    one = draw_by_rejection(np.ones(64), window, 3000, RandomBits(3)).drawn
    two = draw_by_rejection(-np.ones(64), window, 3000, RandomBits(3)).drawn
    assert one == two  # as many rows disagree as agreed, and the window is symmetric
    mixed = draw_by_rejection(np.repeat([1, -1], [1, 63]), window, 3000, RandomBits(3)).drawn
    kept = 1 - window.outside
    assert abs(one - mixed) < 6 * np.sqrt(2 * 3000 * (1 - kept)) / kept


def test_few_bytes_at_a_time_change_nothing_but_the_bits_read(monkeypatch):
    monkeypatch.setattr("reproductions.nock2015.rejection._TOGETHER", 16)
    window, signs = Window(30, 1.0), np.ones(30)
    found = draw_by_rejection(signs, window, 50, RandomBits(4))
    agree = parts_of(found, 30).sum(axis=1)
    assert found.parts.count == 50 and window.low <= agree.min() and agree.max() <= window.high


@pytest.mark.parametrize("signs", [np.ones(9), np.zeros(10), np.ones((10, 1)), np.full(10, np.nan)])
def test_other_edges_are_refused(signs):
    with pytest.raises(ParameterError, match="edge of -1 or 1"):
        draw_by_rejection(signs, Window(10, 1.0), 3, RandomBits(0))


def test_the_rejection_bound_by_hand():
    assert bit_divergence(0.75, 0.5) == pytest.approx(0.75 * log(1.5) + 0.25 * log(0.5))
    beta = 1 / (1 + exp(0.5))
    few = 0.1 * (1 - exp(2 * beta - 1)) / (4 * beta)
    tries = log(50 / few) / (10 * bit_divergence(1 - beta, 0.5))
    assert rejection_bound(10, 1.0, 50, 0.1) == 50 * np.ceil(tries)


def test_a_rejection_sampler_keeps_to_theorem_7():
    window, generator = Window(200, 1.0), np.random.default_rng(0)
    drawn = kept = 0
    while kept < 200:
        drawn += 1
        kept += window.low <= generator.binomial(200, 0.5) <= window.high
    assert drawn <= rejection_bound(200, 1.0, 200, 0.05)
