"""Signatures: every subset as likely as it should be, by both ways of drawing one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import tacit.mechanisms.rado_signatures as signatures
from harness.noise import frequency_p_value
from tacit.errors import ParameterError
from tacit.mechanisms.rado_signatures import (
    DrawnSignatures,
    FreeSignatures,
    RandomBits,
    draw_subsets,
    draw_window_counts,
    random_signs,
)
from tacit.privacy.marginal import Window


def unpacked(packed, n_rows):
    return np.unpackbits(packed, axis=1, count=n_rows, bitorder="little").astype(bool)


@pytest.mark.parametrize("turning", [True, False])
def test_subsets_of_a_size_are_equally_frequent(turning):
    bits, n_rows, size, draws = RandomBits(3), 6, 3, 6000
    if turning:
        rows = []
        for _ in range(draws):
            coins = bits.uniforms(n_rows) < 0.5
            surplus = int(coins.sum()) - size
            signatures._turn(coins, surplus > 0, abs(surplus), bits)
            rows.append(coins)
    else:
        rows = unpacked(draw_subsets(np.full(draws, size), n_rows, bits), n_rows)
    codes = [tuple(np.flatnonzero(row)) for row in rows]
    counts = [codes.count(each) for each in combinations(range(n_rows), size)]
    assert sum(counts) == draws
    assert frequency_p_value(counts, np.full(20, 1 / 20)) > 1e-6


@pytest.mark.parametrize("n_rows", [5, 64, 1000, 1003])
def test_subsets_have_their_size(n_rows):
    sizes = np.asarray([0, 1, n_rows // 3, n_rows // 2, n_rows])
    packed = draw_subsets(sizes, n_rows, RandomBits(None))
    assert unpacked(packed, n_rows).sum(axis=1).tolist() == sizes.tolist()
    assert np.bitwise_count(packed).sum(axis=1).tolist() == sizes.tolist()  # no bit beyond the last row
    with pytest.raises(ParameterError, match="support"):
        draw_subsets(np.asarray([n_rows + 1]), n_rows, RandomBits(0))


def test_window_counts_follow_their_distribution():
    window = Window(30, 1.0)
    counts = draw_window_counts(window, 20_000, RandomBits(1))
    observed = [int((counts == k).sum()) for k in range(window.low, window.high + 1)]
    assert sum(observed) == 20_000
    assert frequency_p_value(observed, np.exp(window.log_distribution)) > 1e-6
    assert frequency_p_value(observed[::-1], np.roll(np.exp(window.log_distribution), 1)) < 1e-6


def test_signs_have_their_mean():
    signs = random_signs(np.full(40_000, 0.5), RandomBits(2))
    assert set(np.unique(signs)) == {-1, 1}
    assert abs(signs.mean() - 0.5) < 0.03
    assert (random_signs(np.asarray([-1.0, 1.0] * 50), RandomBits(2)) == [-1, 1] * 50).all()


def test_free_signatures_are_fair_and_independent():
    free = FreeSignatures(64, RandomBits(5))
    parts = np.concatenate([free.strip(at, 1000).copy() for at in range(0, 4000, 1000)], axis=1)
    assert set(np.unique(parts)) == {0.0, 1.0}
    assert abs(parts.mean() - 0.5) < 0.01
    correlations = np.corrcoef(parts)[np.triu_indices(64, 1)]
    assert np.abs(correlations).max() < 0.09


def test_a_strip_of_drawn_signatures_starts_anywhere():
    rows = np.random.default_rng(0).integers(0, 2, (3, 37)).astype(bool)
    drawn = DrawnSignatures(np.packbits(rows, axis=1, bitorder="little"))
    for start, size in ((0, 37), (3, 11), (8, 8), (30, 7)):
        assert (drawn.strip(start, size) == rows[:, start : start + size]).all()


def test_a_seed_repeats_and_the_system_does_not():
    assert (RandomBits(1).words(9) == RandomBits(1).words(9)).all()
    assert (RandomBits(None).words(9) != RandomBits(None).words(9)).any()
