"""The one door: check, charge, sample, in that order; nothing gets through another way."""

import copy
import errno
import logging
import pickle
import traceback
from dataclasses import dataclass, fields

import numpy as np
import pytest
from pydantic import TypeAdapter
from sklearn.base import clone

from tacit.errors import BudgetExceeded, ParameterError, PrivacyError
from tacit.mechanisms import Gaussian, Laplace, PermuteAndFlip, SecureNoise, SimulatedNoise
from tacit.privacy import (
    ZCDP,
    Accountant,
    ApproximateDP,
    Budget,
    Guarantee,
    NumericStatistic,
    PlanEntry,
    PrivacyUnit,
    PureDP,
    ReleaseRecord,
    SelectionStatistic,
)

UNIT = PrivacyUnit(("age",), label=False)
SENTINEL = 987654321.25
"""Its inner digits, 87654, show in any notation."""


def accountant(epsilon=1.0, delta=0.0, unit=UNIT, noise=None):
    return Accountant(Budget(epsilon, delta), unit, noise or SimulatedNoise(0), n_rows=1000)


def count(value=SENTINEL, unit=UNIT):
    return NumericStatistic("rows above 30", unit, np.asarray(value), l1=1.0, l2=1.0)


@dataclass
class Probe:
    """A mechanism that says what it is told to and remembers when it was sampled."""

    cost: object
    door: Accountant = None
    fails: Exception = None
    name = "probe"

    def loss(self, statistic):
        return self.cost

    def noise_scale(self, statistic):
        return 1.0

    def sensitivity(self, statistic):
        return 1.0, "l1"

    def sample(self, statistic, noise):
        self.left_at_sampling = self.door.remaining
        self.lines_at_sampling = len(self.door.releases)
        if self.fails:
            raise self.fails
        return 42.0


def test_charge_comes_before_the_sample_and_the_line_after():
    door = accountant()
    door.split(2)
    probe = Probe(PureDP(0.25), door)
    assert door.release(probe, count()) == 42.0
    assert probe.left_at_sampling == 0.75
    assert probe.lines_at_sampling == 0
    assert door.remaining == 0.75
    assert len(door.releases) == 1


def test_a_failing_sampler_costs_its_share():
    door = accountant()
    door.split(2)
    with pytest.raises(PrivacyError, match="ValueError"):
        door.release(Probe(PureDP(0.25), door, ValueError(f"bad {SENTINEL}")), count())
    assert door.remaining == 0.75
    assert door.releases == ()


def test_foreign_errors_carry_nothing_along():
    door = accountant()
    door.split(1)
    with pytest.raises(PrivacyError) as raised:
        door.release(Probe(PureDP(0.25), door, ValueError(f"bad {SENTINEL}")), count())
    assert raised.value.__context__ is None
    assert raised.value.__cause__ is None
    assert "87654" not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    "lacking",
    [
        MemoryError(f"{SENTINEL}"),
        OSError(errno.ENOMEM, f"{SENTINEL}"),
        ImportError(f"failed to map segment {SENTINEL}"),
    ],
    ids=["array", "mapping", "library"],
)
def test_a_lack_of_memory_is_no_defect(lacking):
    door = accountant()
    door.split(1)
    with pytest.raises(MemoryError, match="enough memory") as raised:
        door.release(Probe(PureDP(0.25), door, lacking), count())
    assert raised.value.__context__ is None
    assert "87654" not in "".join(traceback.format_exception(raised.value))
    assert door.remaining == 0.75
    with pytest.raises(PrivacyError, match="report this as a bug"):
        door.release(Probe(PureDP(0.25), door, OSError(errno.ENOENT, "")), count())


def test_an_overrun_leaves_everything_as_it_was():
    door = accountant(1.0)
    door.split(2)
    door.release(Probe(PureDP(0.625), door), count())
    probe = Probe(PureDP(0.5), door)
    with pytest.raises(BudgetExceeded) as refusal:
        door.release(probe, count())
    assert (refusal.value.requested, refusal.value.remaining) == (0.5, 0.375)
    assert refusal.value.currency == "epsilon"
    assert not hasattr(probe, "left_at_sampling")
    assert door.remaining == 0.375
    assert len(door.releases) == 1
    door.release(Probe(PureDP(0.375), door), count())
    assert door.remaining == 0.0


def test_the_smallest_overrun_is_refused():
    door = accountant(1.0)
    door.split(1)
    with pytest.raises(BudgetExceeded):
        door.release(Probe(PureDP(np.nextafter(1.0, 2)), door), count())
    door.release(Probe(PureDP(1.0), door), count())
    with pytest.raises(BudgetExceeded):
        door.release(Probe(PureDP(5e-324), door), count())


def test_rho_is_spent_under_zcdp():
    door = accountant(1.0, 1e-6)
    shares = door.split(50)
    assert isinstance(shares[0], ZCDP)
    before = door.remaining
    door.release(Gaussian(shares[0]), count())
    assert door.remaining == pytest.approx(before * 49 / 50)
    assert door.releases[0].currency == "rho"
    with pytest.raises(BudgetExceeded) as refusal:
        door.release(Probe(ZCDP(before), door), count())
    assert refusal.value.currency == "rho"


def test_a_pure_mechanism_under_zcdp_is_charged_its_rho():
    door = accountant(1.0, 1e-6)
    door.split(50)
    before = door.remaining
    door.release(Laplace(PureDP(0.01)), count())
    assert before - door.remaining == pytest.approx(0.01 * np.tanh(0.005))
    assert door.releases[0].loss == PureDP(0.01).in_zcdp()


def test_a_zcdp_mechanism_under_pure_is_refused():
    door = accountant(1.0)
    door.split(1)
    with pytest.raises(PrivacyError, match="pure loss"):
        door.release(Gaussian(ZCDP(0.01)), count())
    assert door.remaining == 1.0


def test_approximate_losses_have_limits_of_their_own():
    door = accountant(1.0, 1e-6)
    [share] = door.split([PlanEntry.approximate(0.25, 4e-7), PlanEntry("noise")], composition="pure")
    assert share.epsilon == 0.75
    with pytest.raises(BudgetExceeded) as refusal:
        door.release(Probe(ApproximateDP(0.25, 5e-7), door), count())
    assert refusal.value.currency == "delta"
    with pytest.raises(BudgetExceeded):
        door.release(Probe(ApproximateDP(0.26, 4e-7), door), count())
    door.release(Probe(ApproximateDP(0.25, 4e-7), door), count())
    assert (door.releases[0].loss, door.releases[0].delta, door.releases[0].currency) == (0.25, 4e-7, "epsilon")
    assert door.remaining == 0.75


def test_an_unannounced_approximate_loss_is_refused():
    door = accountant(1.0, 1e-6)
    door.split(1)
    with pytest.raises(BudgetExceeded):
        door.release(Probe(ApproximateDP(0.1, 1e-7), door), count())


def test_another_unit_is_refused():
    door = accountant()
    [share] = door.split(1)
    for other in (PrivacyUnit(("age", "sex"), label=False), PrivacyUnit(("age",), label=True)):
        with pytest.raises(PrivacyError, match="of another"):
            door.release(Laplace(share), count(unit=other))
    assert door.remaining == 1.0


def test_public_cells_have_nothing_to_release():
    public = PrivacyUnit((), label=False)
    door = accountant(unit=public)
    [share] = door.split(1)
    with pytest.raises(PrivacyError, match="public cells only"):
        door.release(Laplace(share), count(unit=public))


def test_nothing_is_released_before_the_plan():
    with pytest.raises(PrivacyError, match="Call split first"):
        accountant().release(Laplace(PureDP(0.1)), count())


def test_delta_of_one_row_is_refused():
    with pytest.raises(ParameterError, match="1/n_rows"):
        accountant(1.0, 1e-3)


@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy, lambda a: clone(a, safe=False)])
def test_it_cannot_be_copied(take):
    door = accountant()
    with pytest.raises(PrivacyError, match="one accountant"):
        take(door)


def test_records_have_a_fixed_list_of_fields():
    names = (
        "query mechanism sensitivity sensitivity_kind noise_scale loss currency sampler delta slice counted order basis"
    )
    assert [field.name for field in fields(ReleaseRecord)] == names.split()


def test_a_record_describes_each_release():
    door = accountant(1.0)
    noise, choice = door.split([PlanEntry("noise"), PlanEntry("selection")])
    door.release(Laplace(noise), count())
    scores = SelectionStatistic("best cut", UNIT, np.array([1.0, 2.0]), range=2.0)
    door.release(PermuteAndFlip(choice), scores)
    assert door.releases == (
        ReleaseRecord("rows above 30", "Laplace", 1.0, "l1", 2.0, 0.5, "epsilon", "simulated", counted="pure"),
        ReleaseRecord("best cut", "permute-and-flip", 2.0, "range", 4.0, 0.5, "epsilon", "simulated", counted="pure"),
    )
    assert [line.order for line in door.releases] == [1, 2]


def test_integers_are_marked_by_their_discrete_distribution():
    door = accountant()
    [share] = door.split(1)
    answer = door.release(Laplace(share), count(np.asarray(7)))
    assert answer.dtype == np.int64
    assert door.releases[0].mechanism == "discrete Laplace"


def test_a_mechanism_may_name_its_own_sampler():
    door = accountant()
    door.split(1)
    probe = Probe(PureDP(0.5), door)
    probe.sampler = "floating-point sampler, masked"
    door.release(probe, count())
    assert door.releases[0].sampler == "floating-point sampler, masked"


@pytest.mark.parametrize("noise", [SimulatedNoise(0), SecureNoise()], ids=["simulated", "secure"])
def test_a_sentinel_gets_out_nowhere(noise, caplog, capsys):
    caplog.set_level(logging.DEBUG)
    door = accountant(1e-6, noise=noise)
    statistic = count(SENTINEL)
    shares = door.split(2)
    door.release(Laplace(shares[0]), statistic)
    texts = [repr(statistic), str(statistic), repr(door), str(door), repr(door.releases), repr(door.__dict__)]
    guarantee = door.guarantee()
    texts += [str(guarantee), repr(guarantee), TypeAdapter(Guarantee).dump_json(guarantee).decode()]
    for attempt in (
        lambda: door.release(Laplace(PureDP(5.0)), statistic),
        lambda: door.release(Gaussian(ZCDP(1e-9)), statistic),
        lambda: door.release(Probe(PureDP(1e-7), door, RuntimeError(str(SENTINEL))), statistic),
        lambda: door.release(Laplace(shares[0]), count(unit=PrivacyUnit(("x",), label=True))),
        lambda: pickle.dumps(statistic),
        lambda: pickle.dumps(door),
    ):
        with pytest.raises(PrivacyError) as raised:
            attempt()
        texts.append("".join(traceback.format_exception(raised.value)))
    texts += [caplog.text, *capsys.readouterr()]
    assert not any("87654" in text for text in texts)
