"""The exponential mechanism over cells: the drawn law is the exact one, and rounding stays within its bound."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tacit.errors import ParameterError, PrivacyError
from tacit.mechanisms import CellSelection, SecureNoise, SimulatedNoise, cell_selection
from tacit.mechanisms.cell_selection import ERROR, exact_cells
from tacit.privacy import ZCDP, PrivacyUnit, PureDP
from tacit.privacy.cell_selection import CellSelectionStatistic

UNIT = PrivacyUnit(("x",), label=False)
RUNS = np.asarray([[0, 0, 0, 1, 1], [0, 2, 3, 8, 12], [-4, 0, -6, -1, -3]])
INTERVALS = np.asarray([[0, 7], [8, 16]])


def statistic(runs=RUNS, intervals=INTERVALS, unit=UNIT):
    return CellSelectionStatistic("medians", unit, runs, range=4.0, moved=2, intervals=intervals)


def law(scale):
    """Probabilities of each cell, by the definition."""
    scores = [np.repeat([-4, 0, -6], [2, 1, 4]), np.repeat([-1, -3], [4, 4])]
    return [np.exp(each / scale) / np.exp(each / scale).sum() for each in scores]


@pytest.mark.parametrize(("share", "single"), [(PureDP(2.0), 1_024), (ZCDP(0.5), 1)])
@pytest.mark.parametrize("noise", [SecureNoise(), SimulatedNoise(3)], ids=["secure", "simulated"])
def test_the_drawn_law_is_the_exact_one(share, noise, single, monkeypatch):
    monkeypatch.setattr(cell_selection, "_SINGLE_BLOCK", single)
    mechanism = CellSelection(share)
    drawn = np.asarray([mechanism.sample(statistic(), noise) for _ in range(1_000)])
    for at, exact in enumerate(law(mechanism.noise_scale(statistic()))):
        counts = np.bincount(drawn[:, at] - INTERVALS[at, 0], minlength=len(exact))
        assert stats.chisquare(counts, 1_000 * exact).pvalue > 1e-6
    # The test tells that law from one of half the scale.
    wrong = law(mechanism.noise_scale(statistic()) / 2)[0]
    assert stats.chisquare(np.bincount(drawn[:, 0], minlength=7), 1_000 * wrong).pvalue < 1e-6


def test_the_density_is_the_exact_one():
    mechanism = CellSelection(PureDP(2.0))
    first, second = law(mechanism.noise_scale(statistic()))
    for one in range(7):
        for two in range(8):
            found = mechanism.log_density(statistic(), np.asarray([one, 8 + two]))
            assert found == pytest.approx(np.log(first[one] * second[two]))
    assert mechanism.log_density(statistic(), np.asarray([7, 8])) == -np.inf


class Chooser:
    """Picks by script, and keeps the logarithm of the probability of its picks."""

    def __init__(self, *picks):
        self.picks, self.log_probability = iter(picks), 0.0

    def exponential_mechanism(self, values, scale):
        pick = next(self.picks)
        self.log_probability += values[pick] / scale - np.logaddexp.reduce(values / scale)
        return pick


@pytest.mark.parametrize("scale", [1.0, 800.0, 2.0**20])
def test_rounding_stays_within_its_bound(scale):
    generator = np.random.default_rng(0)
    n_runs = 2_500  # 50 blocks of 50
    length = np.exp(generator.uniform(0, 30, n_runs)).astype(np.int64)
    scores = -np.abs(np.arange(n_runs) - 900)
    exact = scores / scale + np.log(length)
    exact -= np.logaddexp.reduce(exact)
    values = cell_selection._weighed(scores, length, scale)
    for run in (0, 49, 50, 880, 900, 2_499):
        noise = Chooser(*divmod(run, 50))
        assert cell_selection._drawn(values, cell_selection.STEPS * scale, noise) == run
        # A probability is a weight over a sum of weights: two errors, and what float64 loses in this test.
        assert abs(noise.log_probability - exact[run]) <= 2 * ERROR / scale + 1e-9


def test_scale_and_range_by_hand():
    range_ = 4 + 2 * 4 * ERROR
    assert ERROR == 2**-14
    assert CellSelection(PureDP(0.5)).sensitivity(statistic()) == (range_, "range")
    assert CellSelection(PureDP(0.5)).noise_scale(statistic()) == 2 * range_
    assert CellSelection(ZCDP(0.125)).noise_scale(statistic()) == pytest.approx(range_)
    assert CellSelection(ZCDP(0.125)).loss(statistic()) == ZCDP(0.125)


def test_public_cells_are_the_middle_of_the_best_run():
    public = statistic(unit=PrivacyUnit((), label=False))
    assert exact_cells(public).tolist() == [2, 9]
    with pytest.raises(PrivacyError):
        exact_cells(statistic())


def test_what_is_refused():
    with pytest.raises(ParameterError, match="noise scale"):
        CellSelection(PureDP(1e-9)).sample(statistic(), SecureNoise())
    with pytest.raises(ParameterError, match="fill"):
        statistic(runs=RUNS[:, 1:])
    with pytest.raises(ParameterError, match="fill"):
        statistic(runs=RUNS[:, :3])
    with pytest.raises(ParameterError, match="fill"):
        statistic(intervals=np.asarray([[0, 3], [8, 16]]))
    with pytest.raises(ParameterError, match="each run"):
        statistic(runs=RUNS[:2])
    with pytest.raises(ParameterError, match="range"):
        CellSelectionStatistic("medians", UNIT, RUNS, range=0.0, moved=2, intervals=INTERVALS)
    assert "12" not in repr(statistic())
    assert "intervals" not in repr(statistic())
