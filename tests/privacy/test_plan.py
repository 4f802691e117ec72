"""Shares fit the budget exactly, and the currency is the one that needs less noise."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import BudgetExceeded, ParameterError, PrivacyError
from tacit.mechanisms import SimulatedNoise, additive
from tacit.privacy import (
    ZCDP,
    Accountant,
    ApproximateDP,
    Budget,
    NumericStatistic,
    PlanEntry,
    PrivacyUnit,
    PureDP,
    UpToDelta,
    in_part,
    zcdp_rho,
)
from tacit.privacy.plan import PrivacyFilter, divide
from tacit.privacy.rounding import down

UNIT = PrivacyUnit(("age",), label=False)
AWKWARD = [0.1 / 3, 0.1, 1 / 7, 1e-3 / 9, 3.3]


def accountant(epsilon=1.0, delta=0.0):
    return Accountant(Budget(epsilon, delta), UNIT, SimulatedNoise(0), n_rows=1000)


def amount(share):
    return share.epsilon if isinstance(share, PureDP) else share.rho


@given(st.floats(1e-6, 100), st.lists(st.tuples(st.floats(0.01, 100), st.integers(1, 20)), min_size=1, max_size=6))
def test_shares_sum_within_the_budget_exactly(epsilon, kinds):
    plan = [PlanEntry("noise", count, weight) for weight, count in kinds]
    shares = accountant(epsilon).split(plan)
    total = sum(Fraction(share.epsilon) for share in shares)
    assert Fraction(epsilon) * (1 - Fraction(1, 10**12)) <= total <= Fraction(epsilon)


@pytest.mark.parametrize("epsilon", AWKWARD)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("rounds", [1, 3, 7, 99, 1000])
def test_all_shares_can_be_released(epsilon, delta, rounds):
    door = accountant(epsilon, delta)
    for share in door.split(rounds):
        door.release(additive(share), NumericStatistic("q", UNIT, np.asarray(1.0), 1.0, 1.0))
    assert len(door.releases) == rounds
    assert 0 <= door.remaining < epsilon * 1e-12


def test_shares_follow_weights_and_order():
    shares = accountant().split([PlanEntry("selection", 3, 0.3), PlanEntry("noise", 1, 0.1)])
    assert [share.epsilon for share in shares] == pytest.approx([0.3, 0.3, 0.3, 0.1])


def test_no_delta_is_pure():
    assert all(isinstance(share, PureDP) for share in accountant().split(10_000))


@pytest.mark.parametrize("kind", ["noise", "selection"])
def test_many_releases_take_zcdp_and_few_take_pure(kind):
    assert isinstance(accountant(1.0, 1e-6).split([PlanEntry(kind)])[0], PureDP)
    shares = accountant(1.0, 1e-6).split([PlanEntry(kind, 1000)])
    assert isinstance(shares[0], ZCDP)
    total = sum(Fraction(share.rho) for share in shares)
    assert total <= Fraction(zcdp_rho(1.0, 1e-6))
    assert float(total) == pytest.approx(zcdp_rho(1.0, 1e-6))


@given(st.floats(0.05, 5), st.integers(1, 200), st.sampled_from(["noise", "selection"]), st.floats(1, 50))
def test_the_chosen_currency_has_less_noise(epsilon, count, kind, l1):
    delta = 1e-5
    share = accountant(epsilon, delta).split([PlanEntry(kind, count, l1=l1, l2=1.0)])[0]
    rho = zcdp_rho(epsilon, delta) / count
    if kind == "noise":
        pure, zcdp = sqrt(2) * l1 * count / epsilon, 1 / sqrt(2 * rho)
    else:
        pure, zcdp = count / epsilon, 1 / sqrt(8 * rho)
    if abs(pure / zcdp - 1) > 1e-9:
        assert isinstance(share, ZCDP if zcdp < pure else PureDP)


@pytest.mark.parametrize(("excess", "kind"), [(1.01, ZCDP), (0.99, PureDP)])
def test_the_currency_changes_where_the_noise_is_equal(excess, kind):
    epsilon, delta = 1.0, 1e-5
    l1 = excess * epsilon / (2 * sqrt(zcdp_rho(epsilon, delta)))  # sqrt(2) l1 / epsilon = excess / sqrt(2 rho)
    assert isinstance(accountant(epsilon, delta).split([PlanEntry("noise", l1=l1)])[0], kind)


def test_wide_vectors_prefer_gaussian_noise():
    assert isinstance(accountant(1.0, 1e-6).split([PlanEntry("noise", l1=100.0, l2=10.0)])[0], ZCDP)


def test_a_currency_may_be_asked_for():
    assert isinstance(accountant(1.0, 1e-6).split(1000, composition="pure")[0], PureDP)
    assert isinstance(accountant(1.0, 1e-6).split(1, composition="zcdp")[0], ZCDP)
    with pytest.raises(ParameterError, match="delta above zero"):
        accountant(1.0).split(1, composition="zcdp")


def test_approximate_releases_are_set_aside():
    door = accountant(1.0, 1e-6)
    shares = door.split([PlanEntry.approximate(0.25, 4e-7, count=2), PlanEntry("noise", 2)], composition="zcdp")
    assert sum(share.rho for share in shares) == pytest.approx(zcdp_rho(0.5, 2e-7), rel=1e-9)
    assert len(shares) == 2


def test_approximate_releases_may_be_all():
    door = accountant(1.0, 1e-6)
    assert door.split([PlanEntry.approximate(1.0, 1e-6)]) == []
    assert door.remaining == 0.0


@pytest.mark.parametrize(
    "plan",
    [
        [PlanEntry.approximate(2.0, 1e-7)],
        [PlanEntry.approximate(0.5, 1e-7, count=3)],
        [PlanEntry.approximate(0.5, 2e-6)],
        [PlanEntry.approximate(1.0, 1e-7), PlanEntry("noise")],
    ],
)
def test_a_plan_beyond_the_budget_is_refused(plan):
    with pytest.raises(ParameterError, match="within the budget"):
        accountant(1.0, 1e-6).split(plan)


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "gossip"},
        {"kind": "noise", "count": 0},
        {"kind": "noise", "count": 1.5},
        {"kind": "noise", "weight": 0},
        {"kind": "noise", "l1": -1.0},
        {"kind": "noise", "epsilon": 0.5},
        {"kind": "selection", "delta": 0.5},
    ],
)
def test_planned_refuses(given):
    with pytest.raises(ParameterError):
        PlanEntry(**given)


@pytest.mark.parametrize("plan", [0, -1, True, 1.5, "3", [3], None])
def test_split_refuses(plan):
    with pytest.raises(ParameterError, match="plan="):
        accountant().split(plan)


def test_an_empty_plan_has_no_shares():
    assert accountant().split([]) == []


def test_split_only_once():
    door = accountant()
    door.split(2)
    with pytest.raises(PrivacyError, match="one split"):
        door.split(2)


def test_an_epsilon_too_small_to_divide_is_refused():
    with pytest.raises(ParameterError):
        accountant(5e-324).split(10)


def test_approximate_loss_is_kept_in_the_plan():
    planned = PlanEntry.approximate(0.5, 1e-7)
    assert ApproximateDP(planned.epsilon, planned.delta) == ApproximateDP(0.5, 1e-7)


def test_noise_without_a_gaussian_form_keeps_the_whole_plan_pure():
    budget, many = Budget(1.0, 1e-6), PlanEntry("noise", count=100)
    assert divide(budget, [many]).composition == "zcdp"
    division = divide(budget, [many, PlanEntry("pure")])
    assert division.composition == "pure"
    assert division.limit == 1
    with pytest.raises(ParameterError, match="Gaussian form"):
        divide(budget, [PlanEntry("pure")], "zcdp")


def test_parts_change_nothing_but_names():
    plan = [PlanEntry("noise", count=2), PlanEntry("selection", weight=0.3)]
    named = [*in_part("a", plan[:1]), *in_part("b", plan[1:])]
    assert [one.part for one in named] == [("a",), ("b",)]
    assert divide(Budget(1.0, 1e-6), named) == divide(Budget(1.0, 1e-6), plan)


def test_a_thresholded_release_spends_its_share_and_its_delta():
    plan = [PlanEntry("thresholded", delta=4e-4), PlanEntry("noise")]
    division = divide(Budget(1.0, 1e-3), plan, "pure")
    assert (division.shares, division.delta) == ((PureDP(0.5), PureDP(0.5)), Fraction(4e-4))
    spending = PrivacyFilter(division)
    with pytest.raises(BudgetExceeded):
        spending.charge(UpToDelta(PureDP(0.25), 5e-4))
    spending.charge(UpToDelta(PureDP(0.5), 4e-4))  # the refused one spent nothing
    with pytest.raises(BudgetExceeded):
        spending.charge(UpToDelta(PureDP(0.25), 1e-9))
    spending.charge(PureDP(0.5))
    # What is left of delta converts rho.
    assert divide(Budget(1.0, 1e-3), plan, "zcdp").limit == Fraction(
        zcdp_rho(1.0, down(Fraction(1e-3) - Fraction(4e-4)))
    )
