"""Statistics keep their value to themselves."""

import copy
import pickle

import numpy as np
import pytest

from tacit.errors import ParameterError, PrivacyError
from tacit.privacy import NumericStatistic, PrivacyUnit, SelectionStatistic, Statistic

UNIT = PrivacyUnit(("age",), label=False)
SENTINEL = 987654321.0
"""Its inner digits, 87654, show in any notation."""


def numeric(value=SENTINEL, l1=1.0, l2=1.0):
    return NumericStatistic("the query", UNIT, np.asarray(value), l1, l2)


def selecting(value=(SENTINEL, 2.0), range=1.0):
    return SelectionStatistic("the query", UNIT, np.asarray(value), range)


BOTH = pytest.mark.parametrize("statistic", [numeric(), selecting()], ids=["numeric", "selection"])


@BOTH
def test_repr_shows_no_value(statistic):
    for text in (repr(statistic), str(statistic), f"{statistic}"):
        assert "87654" not in text
        assert "the query" in text


@BOTH
@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy, lambda s: s.__reduce_ex__(4)])
def test_it_cannot_be_taken_along(statistic, take):
    with pytest.raises(PrivacyError) as refusal:
        take(statistic)
    assert "87654" not in str(refusal.value)


@BOTH
def test_it_cannot_be_changed(statistic):
    with pytest.raises(AttributeError):
        statistic.unit = UNIT
    with pytest.raises(ValueError, match="read-only"):
        statistic.unreleased_value[...] = 0


def test_the_callers_array_stays_writable():
    value = np.zeros(3)
    numeric(value)
    value[0] = 1.0


def test_statistics_are_not_compared_by_value():
    assert numeric() != numeric()


def test_the_base_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        Statistic("q", UNIT, np.zeros(1))


@pytest.mark.parametrize("l1", [-1.0, float("inf"), float("nan"), "1", True])
def test_sensitivities_are_checked(l1):
    with pytest.raises(ParameterError):
        numeric(l1=l1, l2=0.0)
    with pytest.raises(ParameterError):
        selecting(range=l1)


def test_swapped_sensitivities_are_noticed():
    with pytest.raises(ParameterError, match="l2 of at most l1"):
        numeric(l1=1.0, l2=2.0)
    numeric(l1=1.0, l2=1.0 + 1e-15)


def test_numbers_that_move_in_one_norm_move_in_the_other():
    with pytest.raises(ParameterError, match="both sensitivities"):
        numeric(l1=1.0, l2=0.0)
    assert numeric(l1=0.0, l2=0.0).is_public
    assert not numeric(l1=5e-324, l2=5e-324).is_public


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8, bool, object])
def test_other_types_are_refused(dtype):
    with pytest.raises(ParameterError, match="int64 or float64"):
        numeric(np.zeros(2, dtype=dtype))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_must_be_finite(bad):
    with pytest.raises(PrivacyError) as refusal:
        numeric([SENTINEL, bad])
    assert "87654" not in str(refusal.value)


@pytest.mark.parametrize("scores", [np.zeros(0), np.zeros((2, 2)), np.float64(1.0)])
def test_scores_are_one_row(scores):
    with pytest.raises(ParameterError, match="a row of scores"):
        selecting(scores)


@pytest.mark.parametrize("value", [np.int64(3), np.zeros((2, 3)), np.zeros(0), 4, 4.0])
def test_numbers_have_any_shape(value):
    assert numeric(value).unreleased_value.shape == np.shape(value)


def test_only_statistics_of_public_cells_show_their_value():
    public = NumericStatistic("rows", PrivacyUnit((), label=False), np.asarray(3.0), l1=1.0, l2=1.0)
    assert public.public_value == 3.0
    for unit in (PrivacyUnit(("age",), label=False), PrivacyUnit((), label=True)):
        with pytest.raises(PrivacyError, match="'rows'"):
            _ = NumericStatistic("rows", unit, np.asarray(3.0), l1=1.0, l2=1.0).public_value
