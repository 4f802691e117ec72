"""The exponential mechanism over cells: draws have the exact distribution, and rounding is within its bound."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.search import cell_scores
from tacit.errors import ParameterError, PrivacyError
from tacit.mechanisms import CellSelection, SecureNoise, SimulatedNoise, cell_selection
from tacit.mechanisms.cell_selection import ERROR, exact_cells
from tacit.privacy import ZCDP, PrivacyUnit, PureDP, bucketed_cells
from tacit.privacy.bucketed_cells import BucketedCells, UnorderedCells
from tacit.privacy.cell_selection import CellSelectionStatistic

UNIT = PrivacyUnit(("x",), label=False)
CELLS = np.asarray([2, 3, 3, 3, 7, 8, 9, 9, 9, 10, 11, 11, 12, 13, 13, 13, 13, 14])
INTERVALS = np.asarray([[0, 7], [8, 16]])


def statistic(cells=CELLS, intervals=INTERVALS, unit=UNIT):
    return CellSelectionStatistic("medians", unit, np.asarray(cells), range=4.0, moved=2, intervals=intervals)


def distribution(asked, scale):
    """Probabilities of each cell, by the definition."""
    return [np.exp(each / scale) / np.exp(each / scale).sum() for each in cell_scores(asked)]


@pytest.mark.parametrize("places", [cell_selection._BLOCKS, [0, 0.6], [0]], ids=["fine", "coarse", "coarsest"])
@pytest.mark.parametrize("share", [PureDP(2.0), ZCDP(0.02)], ids=str)
@pytest.mark.parametrize("noise", [SecureNoise(), SimulatedNoise(3)], ids=["secure", "simulated"])
def test_the_drawn_distribution_is_the_exact_one(share, noise, places, monkeypatch):
    # Blocks of any size give the same distribution: what differs is how often a cell is rejected.
    monkeypatch.setattr(cell_selection, "_BLOCKS", np.asarray(places))
    mechanism = CellSelection(share)
    drawn = np.asarray([mechanism.sample(statistic(), noise) for _ in range(1_000)])
    for at, exact in enumerate(distribution(statistic(), mechanism.noise_scale(statistic()))):
        counts = np.bincount(drawn[:, at] - INTERVALS[at, 0], minlength=len(exact))
        # Cells of few draws together: the chi-square distribution is not that of rare ones.
        rare = 1_000 * exact < 10
        found, expected = (np.append(each[~rare], each[rare].sum()) for each in (counts, 1_000 * exact))
        kept = expected > 0
        assert stats.chisquare(found[kept], expected[kept]).pvalue > 1e-6
    # The test tells that distribution from one of a third of the scale.
    wrong = distribution(statistic(), mechanism.noise_scale(statistic()) / 3)[1]
    assert stats.chisquare(counts, 1_000 * wrong).pvalue < 1e-6


def test_the_density_is_the_exact_one():
    mechanism = CellSelection(PureDP(2.0))
    first, second = distribution(statistic(), mechanism.noise_scale(statistic()))
    for one in range(7):
        for two in range(8):
            found = mechanism.log_density(statistic(), np.asarray([one, 8 + two]))
            assert found == pytest.approx(np.log(first[one] * second[two]))
    assert mechanism.log_density(statistic(), np.asarray([7, 8])) == -np.inf


def test_scores_by_hand():
    # Five rows: none in cells 0 and 1, one up to cell 2, four up to cells 3 to 6; a cut after cell 7 would cut nothing.
    first, length, scores = next(cell_selection._runs(statistic()))
    assert [first.tolist(), length.tolist(), scores.tolist()] == [[0, 2, 3], [2, 1, 4], [-5, -3, -3]]
    found = blocks(statistic(), 0).scores(np.repeat([0, 1], [7, 8]), np.zeros(15, dtype=int), np.r_[0:7, 8:16])
    assert found.tolist() == np.concatenate(cell_scores(statistic())).tolist()


def blocks(asked, *apart):
    return cell_selection._Blocks(asked.unreleased_cells, asked.intervals, np.asarray(apart))


@given(
    st.lists(st.integers(0, 40), max_size=60),
    st.sets(st.integers(0, 40), min_size=2, max_size=6),
    st.sets(st.integers(1, 30)),
)
def test_blocks_fill_the_candidates_and_bound_their_scores(cells, ends, apart):
    ends = sorted(ends)
    intervals = np.asarray([*zip(ends[::2], ends[1::2], strict=False)])
    asked = statistic(np.sort(np.asarray(cells, dtype=np.int64)), intervals)
    apart = [0, *sorted(apart)]
    found = blocks(asked, *apart)
    parts = zip(intervals.tolist(), cell_scores(asked), found.first, found.length, found.bounds, strict=True)
    for (start, last), scores, first, length, bounds in parts:
        assert first[0] == start
        assert (first + length).tolist() == [*first[1:], last]
        assert (length >= 0).all()
        assert bounds[length == 0].max(initial=-100) < scores.min()
        some = np.flatnonzero(length)
        gaps = [bounds[at] - scores[first[at] - start :][: length[at]] for at in some]
        assert min(gap.min() for gap in gaps) >= 0
        # All but the two outer ones have the rows of a step, so that few draws are rejected.
        assert max((gap.max() for gap in gaps[1:-1]), default=0) <= 2 * (np.diff(apart, append=31).max() - 1)


def whole(numbers):
    return np.floor(numbers).astype(np.int64)


@given(
    st.lists(st.floats(0, 40, width=32), min_size=2, max_size=60, unique=True).map(np.asarray),
    st.sets(st.integers(0, 40), min_size=2, max_size=6),
    st.sets(st.integers(1, 30)),
    st.integers(0, 60),
)
def test_blocks_that_begin_at_landmarks_fill_the_candidates_and_bound_their_scores(numbers, ends, apart, spare):
    ends = sorted(ends)
    intervals = np.asarray([*zip(ends[::2], ends[1::2], strict=False)])
    scores = cell_scores(statistic(np.sort(whole(numbers)), intervals))
    rows = BucketedCells(numbers, whole, float(numbers.min()), float(numbers.max()))
    found = cell_selection._Blocks(rows, intervals, np.asarray([0, *sorted(apart)]))
    for at, (start, last) in enumerate(intervals.tolist()):
        assert found.first[at, 0] == start
        assert (found.first[at] + found.length[at]).tolist() == [*found.first[at, 1:], last]
        block = np.repeat(np.arange(found.length.shape[1]), found.length[at])
        missed = found.bounds[at, block] - scores[at]
        assert (missed >= 0).all()
        # Whatever is known of a cell without counting rows, it is kept just where its score says so.
        tries = (np.repeat(each, 8) for each in (np.full(len(block), at), block, np.arange(start, last)))
        kept = found.kept(*tries, np.full(8 * len(block), float(spare)))
        assert kept[::8].tolist() == (spare >= missed).tolist()


def test_the_distribution_drawn_from_landmarks_is_the_exact_one(monkeypatch):
    for name, value in {"MIN_ROWS": 1, "_SAMPLE": 40, "_MAX_SEARCHED": 1_000}.items():
        monkeypatch.setattr(bucketed_cells, name, value)
    numbers = np.random.default_rng(0).permutation(np.linspace(0.1, 15.9, 40))
    rows = UnorderedCells(numbers, whole, 1e-9)
    asked = CellSelectionStatistic("medians", UNIT, numbers, 4.0, 2, INTERVALS, cells_of=whole, unordered=rows)
    mechanism, noise = CellSelection(PureDP(1.0)), SimulatedNoise(0)
    drawn = np.asarray([mechanism.sample(asked, noise) for _ in range(1_000)])
    assert isinstance(asked.unreleased_landmarks(2.0), BucketedCells)
    for at, exact in enumerate(distribution(asked, mechanism.noise_scale(asked))):
        counts = np.bincount(drawn[:, at] - INTERVALS[at, 0], minlength=len(exact))
        # Cells of few draws together: the chi-square distribution is not that of rare ones.
        rare = 1_000 * exact < 10
        found, expected = (np.append(each[~rare], each[rare].sum()) for each in (counts, 1_000 * exact))
        kept = expected > 0
        assert stats.chisquare(found[kept], expected[kept]).pvalue > 1e-6


def test_blocks_are_fine_near_the_middle():
    asked = statistic(np.arange(100_000), [[0, 100_000]])
    found = blocks(asked, *np.unique((cell_selection._BLOCKS * 800.0 / 2).astype(np.int64)))
    first, bounds = found.first[0], found.bounds[0]
    steps = np.abs(np.diff(bounds)) / 800.0
    near = np.abs(first[1:] - 50_000) < 800
    assert steps[near].max() <= 0.26
    assert steps[1:-1].max() <= 2.01
    # Beyond the last ones lie two blocks of forty scales and more.
    assert bounds[[0, -1]] == pytest.approx(-40 * 800.0, rel=0.01)


@pytest.mark.parametrize("scale", [1.0, 800.0, 2.0**20])
def test_rounding_of_weights_stays_within_its_bound(scale):
    generator = np.random.default_rng(0)
    cells = np.cumsum(np.exp(generator.uniform(0, 30, 2_500)).astype(np.int64))
    asked = statistic(cells, [[0, int(cells[-1]) + 1]])
    found = blocks(asked, *np.unique((cell_selection._BLOCKS * scale / 2).astype(np.int64)))
    some = np.flatnonzero(found.length[0])
    bounds, length = found.bounds[0, some].tolist(), found.length[0, some].tolist()
    shares, lighter = (each[0] for each in found.shares(scale))
    assert shares.max() == 2**16
    assert (np.flatnonzero(shares) == some).all()
    exact = [
        bound / Decimal(scale) + Decimal(cells).ln() - Decimal(share).ln()
        for bound, cells, share in zip(bounds, length, shares[some].tolist(), strict=True)
    ]
    assert np.isinf(np.delete(lighter, some)).all()
    for mine, weight in zip(lighter[some].tolist(), exact, strict=True):
        assert abs(Decimal(mine) - (max(exact) - weight)) * Decimal(scale) <= ERROR / 4


class Offered:
    """Draws these blocks, places in them, and exponential numbers; what is not named is rejected."""

    def __init__(self, ends, *drawn):
        # The last share of a block draws it.
        self.drawn, self.turn = [(ends[block] - 1, place, number) for block, place, number in drawn], 0

    def integers(self, stops):
        self.turn += 1
        own = [each[(self.turn - 1) % 2] for each in self.drawn]
        return np.asarray([*own, *[0] * (len(stops) - len(own))])

    def exponential(self, size):
        numbers = np.full(size, -1.0)
        numbers[: len(self.drawn)] = [each[2] for each in self.drawn]
        return numbers


def test_a_cell_is_kept_with_the_probability_that_its_score_and_its_block_leave():
    # Eight rows in cells 1 to 8, the middle one in cell 5; a cell c before the last has the score -|2 c - 8|.
    scale, found = 1.0, blocks(statistic(np.arange(1, 9), [[0, 9]]), 0, 3)
    assert [found.first[0].tolist(), found.length[0].tolist()] == [[0, 1, 4, 5, 6, 8], [1, 3, 1, 1, 2, 1]]
    assert found.bounds[0].tolist() == [-8, -2, 0, -2, -4, -8]
    # The third block is the heaviest, one cell of 0. The second has three cells of -2 at best, of which cell 1 has -6.
    shares = [22, round(2**16 * 3 * np.exp(-2)), 2**16, round(2**16 * np.exp(-2)), round(2**17 * np.exp(-4)), 22]
    assert found.shares(scale)[0].tolist() == [shares]
    ends = np.cumsum(shares)
    weights = np.log([1, 3, 1, 1, 2, 1]) + found.bounds[0] - np.log(shares)
    for block, place, score in [(1, 0, -6), (1, 2, -2), (4, 1, -6), (2, 0, 0), (0, 0, -8)]:
        number = weights.max() - weights[block] + found.bounds[0, block] - score
        kept = [int(found.first[0, block]) + place]
        assert cell_selection._drawn(found, scale, Offered(ends, (block, place, number + 1e-12))).tolist() == kept
        below = (block, place, number - 1e-12), (3, 0, np.inf)
        assert cell_selection._drawn(found, scale, Offered(ends, *below)).tolist() == [5]


def test_the_first_cell_that_is_kept_is_drawn():
    found = blocks(statistic(np.arange(1, 9), [[0, 9]]), 0, 3)
    offered = Offered(found.shares(4.0)[0][0].cumsum(), (1, 0, 0.0), (4, 1, np.inf), (2, 0, np.inf))
    assert cell_selection._drawn(found, 4.0, offered).tolist() == [7]


def test_scale_and_range_by_hand():
    range_ = 4 + 2 * 4 * ERROR
    assert ERROR == 2**-14
    assert CellSelection(PureDP(0.5)).sensitivity(statistic()) == (range_, "range")
    assert CellSelection(PureDP(0.5)).noise_scale(statistic()) == 2 * range_
    assert CellSelection(ZCDP(0.125)).noise_scale(statistic()) == pytest.approx(range_)
    assert CellSelection(ZCDP(0.125)).loss(statistic()) == ZCDP(0.125)


def test_public_cells_are_the_middle_of_the_best_run():
    # Cell 2 and cells 3 to 6 are as good; up to cell 11 are six of thirteen rows, up to cell 12 seven.
    assert exact_cells(statistic(unit=PrivacyUnit((), label=False))).tolist() == [2, 11]
    with pytest.raises(PrivacyError):
        exact_cells(statistic())


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(0, 20), st.integers(22, 40))
def test_public_cells_are_the_best_of_all(cells, start, last):
    public = statistic(np.sort(np.asarray(cells, dtype=np.int64)), [[start, last]], PrivacyUnit((), label=False))
    (scores,), (cell,) = cell_scores(public), exact_cells(public)
    assert scores[cell - start] == scores.max()


def test_what_is_refused():
    with pytest.raises(ParameterError, match="noise scale"):
        CellSelection(PureDP(1e-9)).sample(statistic(), SecureNoise())
    for cells in (CELLS[None], CELLS.astype(float)):
        with pytest.raises(ParameterError, match="each row"):
            statistic(cells)
    for intervals in ([[0, 0]], [[0, 7], [7, 9]], [[8, 16], [0, 7]], [0, 7], np.empty((0, 2))):
        with pytest.raises(ParameterError, match="ascending intervals"):
            statistic(intervals=np.asarray(intervals))
    with pytest.raises(ParameterError, match="range"):
        CellSelectionStatistic("medians", UNIT, CELLS, range=0.0, moved=2, intervals=INTERVALS)
    assert "12" not in repr(statistic())
    assert "intervals" not in repr(statistic())
