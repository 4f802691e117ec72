"""Wilcoxon's test and the comparisons made of it: by hand, and equal to scipy's on the same rows."""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np
import pytest
from scipy.stats import wilcoxon

from harness.study_rows import baseline, failed, fit, frame
from tacit.errors import ParameterError
from tacit.study.summary import comparisons, p_values, signed_rank

HAND = [0.5, -0.25, 0.0, 0.25, 0.75, 1.0]
"""Ranks of the sizes: 4, 2.5, 1, 2.5, 5, 6; the sum of negative ones is 2.5 and half of the zero's 1."""


def two_sided(z):
    return erfc(abs(z) / sqrt(2))


def test_by_hand():
    found = signed_rank(HAND, np.zeros(6))
    # Mean 6*7/4, variance (6*7*13 - (2**3 - 2)/2)/24: the tie of two takes something off.
    z = (3.0 - 10.5) / sqrt((546 - 3) / 24)
    assert (found.pairs, found.statistic) == (6, 3.0)
    assert found.z == pytest.approx(z)
    assert found.p == pytest.approx(two_sided(z))


def test_the_variance_has_a_24th():
    """With 1/4 in its place, as formula (22) of Lopuhaä-Zwakenberg and others (2021) has it, 0.003 is out of reach."""
    pairs = 60
    most_extreme = signed_rank(np.arange(1.0, pairs + 1), np.zeros(pairs))
    root = sqrt(pairs * (pairs + 1) * (2 * pairs + 1))
    assert most_extreme.statistic == 0.0
    assert most_extreme.z == pytest.approx(-915 / (root / sqrt(24)))
    assert most_extreme.p < 1e-10
    assert two_sided(915 / (root / 2)) == pytest.approx(0.00596, abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_equal_to_scipy(seed):
    generator = np.random.default_rng(seed)
    first, second = generator.random((2, 10 + 11 * seed))
    expected = wilcoxon(first, second, zero_method="zsplit", method="approx", correction=False)
    found = signed_rank(first, second)
    assert (found.statistic, found.p) == (expected.statistic, expected.pvalue)


def test_differences_that_only_rounding_tells_apart_tie():
    assert 0.9 - 0.8 != 0.8 - 0.7
    found = signed_rank([0.9, 0.8, 0.1], [0.8, 0.7, 0.9])
    assert (found.statistic, found.z) == (3.0, pytest.approx(0.0))


def test_no_difference_is_no_evidence():
    assert signed_rank([0.5, 0.5], [0.5, 0.5]).p == 1.0


@pytest.mark.parametrize("pairs", [0, 1])
def test_few_pairs_have_no_p(pairs):
    assert vars(signed_rank([0.5] * pairs, [0.4] * pairs)) == {"pairs": pairs, "statistic": None, "z": None, "p": None}


def rows_of(differences):
    """Learner A less learner B is each of the differences; other rows have no partner."""
    rows = [fit("A", 0.0 + d, repeat=i) for i, d in enumerate(differences)]
    rows += [fit("B", 0.0, repeat=i) for i in range(len(differences))]
    return [*rows, fit("B", 0.9, repeat=77), failed("A", repeat=77), fit("A", 0.9, epsilon=9.0), baseline(0.9)]


def test_comparisons_are_made_on_what_both_have():
    (found,) = comparisons(frame(*rows_of(HAND))).to_dicts()
    assert (found["first"], found["second"], found["pairs"]) == ("A", "B", 6)
    assert (found["better"], found["equal"], found["worse"]) == (4, 1, 1)
    assert found["difference"] == pytest.approx(2.25 / 6)
    assert (found["statistic"], found["p"]) == (3.0, signed_rank(HAND, np.zeros(6)).p)


def test_pairs_share_table_privacy_split_epsilon_and_delta():
    rows = [fit("A")]
    for other in ({"data": "x"}, {"privacy": "x"}, {"repeat": 1}, {"fold": 0}, {"epsilon": 2.0}, {"delta": 1e-6}):
        rows.append(fit("B", **other))
    (found,) = comparisons(frame(*rows)).to_dicts()
    assert (found["pairs"], found["difference"], found["p"]) == (0, None, None)


def test_means_are_compared_setting_by_setting():
    rows = [fit("A", a, repeat=i, epsilon=e) for i, a in enumerate((0.5, 0.7)) for e in (1.0, 2.0)]
    rows += [fit("B", b, repeat=i, epsilon=e) for i, b in enumerate((0.2, 0.6, 0.0)) for e in (1.0, 2.0)]
    (found,) = comparisons(frame(*rows), "setting").to_dicts()
    # The third split of B has no partner.
    assert (found["pairs"], found["difference"]) == (2, pytest.approx(0.2))


def test_the_matrix_is_symmetric_with_an_empty_diagonal():
    rows = [*rows_of(HAND), failed("C"), *(fit("D", 0.3, repeat=i) for i in range(3)), fit("E", repeat=99)]
    found = p_values(frame(*rows))
    assert found["name"].to_list() == ["A", "B", "D", "E"] == found.columns[1:]
    matrix = found.drop("name").to_numpy()
    assert np.array_equal(matrix, matrix.T, equal_nan=True)
    assert np.isnan(matrix.diagonal()).all()
    assert matrix[0, 1] == signed_rank(HAND, np.zeros(6)).p
    assert found["E"].null_count() == 4


def test_nothing_to_compare():
    assert comparisons(frame()).height == comparisons(frame(baseline())).height == 0
    assert p_values(frame()).shape == (0, 1)
    assert p_values(frame(fit("A"))).rows() == [("A", None)]


def test_fits_that_could_be_paired_twice_are_refused():
    rows = [fit("A"), fit("A", parameters='{"rounds":3}'), fit("B")]
    with pytest.raises(ParameterError, match="different names"):
        comparisons(frame(*rows))
    with pytest.raises(ParameterError, match="unit="):
        comparisons(frame(*rows), "runs")
