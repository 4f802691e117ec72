"""What a learner sees of budget and noise: releases in the order of its plan, exact where nothing is protected."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import PrivacyError
from tacit.mechanisms import Laplace, PermuteAndFlip, ReleasedValue, Releases, SimulatedNoise, announce
from tacit.privacy import (
    ZCDP,
    Accountant,
    ApproximateDP,
    Budget,
    NumericStatistic,
    PlanEntry,
    PrivacyUnit,
    PureDP,
    SelectionStatistic,
    in_part,
)
from tacit.privacy.statistic import JointSelectionStatistic

UNIT = PrivacyUnit(("age",), label=False)
PUBLIC = PrivacyUnit((), label=False)
PLAN = [
    PlanEntry("noise", weight=2),
    PlanEntry("selection", weight=1),
    *in_part("end", [PlanEntry("noise", weight=1)]),
]


def accountant(epsilon=1.0, delta=0.0):
    return Accountant(Budget(epsilon, delta), UNIT, SimulatedNoise(0), n_rows=1000)


def numbers(unit=UNIT, l1=1.0):
    return NumericStatistic("rows above 30", unit, np.asarray([17, 4]), l1=l1, l2=l1)


def scores(unit=UNIT):
    return SelectionStatistic("cut", unit, np.asarray([0.0, 900.0, 1.0]), range=1.0)


def joint(unit=UNIT):
    value, admitted = np.asarray([[900.0, 0.0], [0.0, 1.0]]), np.asarray([[True, True], [True, False]])
    return JointSelectionStatistic("cuts", unit, value, range=1.0, admitted=admitted)


def test_each_release_pays_with_its_own_share_in_order():
    door = accountant()
    releases = announce(door, PLAN)
    released = releases.noisy(numbers())
    assert released.scale == 2.0
    assert released.distribution == "Laplace"
    assert releases.best(scores()) == 1
    assert releases.part("end").noisy(numbers()).scale == 4.0
    assert [line.loss for line in door.releases] == [0.5, 0.25, 0.25]
    assert door.remaining == 0


def test_the_noise_says_how_large_it_is_under_either_distribution():
    laplace = announce(accountant(), [PlanEntry("noise")]).noisy(numbers())
    assert (laplace.scale, laplace.variance, laplace.deviation) == (1.0, 2.0, 2**0.5)
    door = accountant(delta=1e-6)
    gauss = announce(door, [PlanEntry("noise")], composition="zcdp").noisy(numbers())
    assert gauss.distribution == "Gaussian"
    assert gauss.variance == pytest.approx(1 / (2 * door.releases[0].loss))
    assert gauss.deviation == gauss.scale == door.releases[0].noise_scale


def test_what_is_public_is_exact_and_takes_no_release():
    releases = announce(accountant(), PLAN)
    for statistic in (numbers(PUBLIC), numbers(l1=0.0)):
        released = releases.noisy(statistic)
        assert (released.value.tolist(), released.scale, released.variance, released.distribution) == (
            [17, 4],
            0,
            0,
            "exact",
        )
    assert releases.best(scores(PUBLIC)) == 1
    assert releases.best_of_each(joint(PUBLIC)).tolist() == [0, 0]  # of the second choice one candidate is admitted
    assert releases.share == PureDP(0.5)


def test_scores_of_range_zero_are_no_public_numbers():
    """All of them may still move together."""
    still = SelectionStatistic("cut", UNIT, np.asarray([1.0, 2.0]), range=0.0)
    with pytest.raises(PrivacyError):
        _ = still.public_value


def test_releases_of_public_rows_refuse_protected_ones():
    for ask in (
        lambda none: none.noisy(numbers()),
        lambda none: none.best(scores()),
        lambda none: none.part("x").share,
    ):
        with pytest.raises(PrivacyError, match="announced"):
            ask(Releases.none())
    assert Releases.none().best(scores(PUBLIC)) == 1


def test_one_release_more_than_announced_is_refused_and_costs_nothing():
    door = accountant()
    releases = announce(door, [PlanEntry("noise")])
    releases.noisy(numbers())
    with pytest.raises(PrivacyError, match="one more"):
        releases.noisy(numbers())
    assert len(door.releases) == 1


def test_kinds_are_taken_in_the_order_of_the_plan():
    door = accountant()
    releases = announce(door, PLAN)
    for ask in (lambda: releases.best(scores()), lambda: releases.best_of_each(joint())):
        with pytest.raises(PrivacyError, match="order"):
            ask()
    assert door.releases == ()
    with pytest.raises(PrivacyError, match="order"):
        announce(accountant(), [PlanEntry("pure")]).noisy(numbers())


def test_parts_may_end_early_and_be_taken_in_any_order():
    door = accountant()
    rounds = [one for at in range(3) for one in in_part(f"round {at}", [PlanEntry("noise", count=2)])]
    releases = announce(door, rounds)
    releases.part("round 2").noisy(numbers())
    first = releases.part("round 0")
    first.noisy(numbers())
    first.noisy(numbers())
    with pytest.raises(PrivacyError, match="one more"):
        first.noisy(numbers())
    assert door.remaining == pytest.approx(0.5)


def test_parts_of_parts_are_found_by_their_names():
    plan = in_part("class 1", [*in_part("splits", [PlanEntry("selection", weight=3)]), PlanEntry("noise")])
    releases = announce(accountant(), [*in_part("class 0", [PlanEntry("noise", weight=4)]), *plan]).part("class 1")
    assert releases.part("splits").share == PureDP(0.375)
    assert releases.share == PureDP(0.125)
    with pytest.raises(PrivacyError):
        _ = releases.part("class 0").share


def test_a_part_is_taken_once():
    door = accountant()
    releases = announce(door, [*in_part("end", [PlanEntry("noise", count=2)]), *in_part("other", [PlanEntry("noise")])])
    releases.part("end").noisy(numbers())
    with pytest.raises(PrivacyError, match="part='end' twice"):
        releases.part("end")
    releases.part("other").noisy(numbers())
    assert len(door.releases) == 2


def test_a_part_that_a_plan_lacks_has_no_release_however_often_it_is_taken():
    releases = Releases.none()
    for _ in range(2):
        with pytest.raises(PrivacyError, match="one more"):
            _ = releases.part("end").share


def test_another_mechanism_must_cost_what_was_announced():
    releases = announce(accountant(), PLAN)
    with pytest.raises(PrivacyError, match="announced loss"):
        releases.by(Laplace(PureDP(0.25)), numbers())
    assert releases.by(Laplace(PureDP(0.5)), numbers()).shape == (2,)
    assert releases.by(PermuteAndFlip(PureDP(0.25)), scores()) == 1


def test_approximate_releases_carry_their_own_loss():
    door = accountant(delta=1e-5)
    releases = announce(door, [PlanEntry.approximate(0.25, 1e-6, count=2), PlanEntry("noise")], composition="zcdp")
    assert releases.share == ApproximateDP(0.25, 1e-6)
    assert [type(one.share) for one in releases.announced] == [ApproximateDP, ApproximateDP, ZCDP]
    with pytest.raises(PrivacyError, match="order"):
        releases.noisy(numbers())


def test_a_release_that_is_written_down_by_hand_is_exact_by_default():
    assert ReleasedValue(np.asarray([1.0])).deviation == 0
