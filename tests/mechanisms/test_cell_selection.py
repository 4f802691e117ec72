"""The exponential mechanism over cells: the drawn law is the exact one, and rounding stays within its bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.search import cell_scores
from tacit.errors import ParameterError, PrivacyError
from tacit.mechanisms import CellSelection, SecureNoise, SimulatedNoise, cell_selection
from tacit.mechanisms.cell_selection import ERROR, STEPS, exact_cells
from tacit.privacy import ZCDP, PrivacyUnit, PureDP
from tacit.privacy.cell_selection import CellSelectionStatistic

UNIT = PrivacyUnit(("x",), label=False)
CELLS = np.asarray([2, 3, 3, 3, 7, 8, 9, 9, 9, 10, 11, 11, 12, 13, 13, 13, 13, 14])
INTERVALS = np.asarray([[0, 7], [8, 16]])


def statistic(cells=CELLS, intervals=INTERVALS, unit=UNIT):
    return CellSelectionStatistic("medians", unit, np.asarray(cells), range=4.0, moved=2, intervals=intervals)


def law(asked, scale):
    """Probabilities of each cell, by the definition."""
    return [np.exp(each / scale) / np.exp(each / scale).sum() for each in cell_scores(asked)]


@pytest.mark.parametrize("places", [cell_selection._BLOCKS, [0, 0.6], [0]], ids=["fine", "coarse", "coarsest"])
@pytest.mark.parametrize("share", [PureDP(2.0), ZCDP(0.02)], ids=str)
@pytest.mark.parametrize("noise", [SecureNoise(), SimulatedNoise(3)], ids=["secure", "simulated"])
def test_the_drawn_law_is_the_exact_one(share, noise, places, monkeypatch):
    # Blocks of any size give the same law: what differs is how often a cell is rejected.
    monkeypatch.setattr(cell_selection, "_BLOCKS", np.asarray(places))
    mechanism = CellSelection(share)
    drawn = np.asarray([mechanism.sample(statistic(), noise) for _ in range(1_000)])
    for at, exact in enumerate(law(statistic(), mechanism.noise_scale(statistic()))):
        counts = np.bincount(drawn[:, at] - INTERVALS[at, 0], minlength=len(exact))
        assert stats.chisquare(counts, 1_000 * exact).pvalue > 1e-6
    # The test tells that law from one of a third of the scale.
    wrong = law(statistic(), mechanism.noise_scale(statistic()) / 3)[1]
    assert stats.chisquare(counts, 1_000 * wrong).pvalue < 1e-6


def test_the_density_is_the_exact_one():
    mechanism = CellSelection(PureDP(2.0))
    first, second = law(statistic(), mechanism.noise_scale(statistic()))
    for one in range(7):
        for two in range(8):
            found = mechanism.log_density(statistic(), np.asarray([one, 8 + two]))
            assert found == pytest.approx(np.log(first[one] * second[two]))
    assert mechanism.log_density(statistic(), np.asarray([7, 8])) == -np.inf


def test_scores_by_hand():
    # Five rows: none in cells 0 and 1, one up to cell 2, four up to cells 3 to 6; a cut after cell 7 would cut nothing.
    halves, _ = cell_selection._halves(statistic())
    first, length, scores = halves.runs()
    assert [first.tolist(), length.tolist(), scores.tolist()] == [[0, 2, 3], [2, 1, 4], [-5, -3, -3]]
    assert [halves.score(cell) for cell in range(7)] == cell_scores(statistic())[0].tolist()


@given(
    st.lists(st.integers(0, 40), max_size=60),
    st.integers(0, 20),
    st.integers(22, 40),
    st.sets(st.integers(1, 30)),
)
def test_blocks_fill_the_candidates_and_bound_their_scores(cells, start, last, apart):
    asked = statistic(np.sort(np.asarray(cells, dtype=np.int64)), np.asarray([[start, last]]))
    (halves,), (scores,) = cell_selection._halves(asked), cell_scores(asked)
    apart = np.asarray([0, *sorted(apart)])
    first, length, bounds = halves.blocks(apart)
    assert first[0] == start
    assert (first + length).tolist() == [*first[1:], last]
    assert (length > 0).all()
    gaps = [bound - scores[at : at + size] for bound, at, size in zip(bounds, first - start, length, strict=True)]
    assert min(gap.min() for gap in gaps) >= 0
    # All but the two outer ones have the rows of a step, so that few draws are rejected.
    assert max((gap.max() for gap in gaps[1:-1]), default=0) <= 2 * (np.diff(apart, append=31).max() - 1)


def test_blocks_are_fine_near_the_middle():
    first, _, bounds = cell_selection._Halves(np.arange(100_000), 0, 100_000).blocks(
        np.unique((cell_selection._BLOCKS * 800.0 / 2).astype(np.int64))
    )
    steps = np.abs(np.diff(bounds)) / 800.0
    near = np.abs(first[1:] - 50_000) < 800
    assert steps[near].max() <= 0.26
    assert steps[1:-1].max() <= 2.01
    # Beyond the last ones lie two blocks of forty scales and more.
    assert bounds[[0, -1]] == pytest.approx(-40 * 800.0, rel=0.01)


class Chooser:
    """Picks a block by script and keeps it, and the logarithm of the block's probability."""

    def __init__(self, pick):
        self.pick = pick

    def exponential_mechanism(self, values, scale):
        self.log_probability = values[self.pick] / scale - np.logaddexp.reduce(values / scale)
        return self.pick

    def integers(self, stops):
        return np.asarray([0])

    def exponential(self, size):
        return np.asarray([np.inf])


@pytest.mark.parametrize("scale", [1.0, 800.0, 2.0**20])
def test_rounding_stays_within_its_bound(scale):
    generator = np.random.default_rng(0)
    cells = np.cumsum(np.exp(generator.uniform(0, 30, 2_500)).astype(np.int64))
    halves = cell_selection._Halves(cells, 0, int(cells[-1]) + 1)
    apart = np.unique((cell_selection._BLOCKS * scale / 2).astype(np.int64))
    first, length, bounds = halves.blocks(apart)
    exact = bounds / scale + np.log(length)
    exact -= np.logaddexp.reduce(exact)
    for block in {0, len(first) // 3, len(first) // 2, len(first) - 1}:
        noise = Chooser(block)
        assert cell_selection._drawn(halves, apart, scale, noise) == first[block]
        # A probability is a weight over a sum of weights: two errors, and what float64 loses in this test.
        assert abs(noise.log_probability - exact[block]) <= 2 * ERROR / scale + 1e-9


class Offered(Chooser):
    """Draws the first cell of a block, and these exponential numbers."""

    def __init__(self, pick, *numbers):
        super().__init__(pick)
        self.numbers = list(numbers)

    def exponential(self, size):
        return np.asarray([self.numbers.pop(0)])


def test_a_cell_is_kept_with_the_probability_that_its_score_leaves():
    # Eight rows, of which none is in cell 0 and three are up to cell 3: a block of scores from -8 to -2, its bound.
    halves, scale, apart = cell_selection._Halves(np.arange(1, 9), 0, 9), 2.0**20, np.arange(0, 2**20, 2**18)
    noise = Offered(0, np.nextafter(6 / scale, 0), 6 / scale, np.inf)
    assert cell_selection._drawn(halves, apart, scale, noise) == 0
    assert noise.numbers == [np.inf]


def test_scale_and_range_by_hand():
    range_ = 4 + 2 * 4 * ERROR
    assert ERROR == 2**-14 == 4 / STEPS
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
