"""Disjoint slices cost the largest of them; nothing else passes for a slice."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from harness.neighbors import Pair
from harness.scripted import largest_log_ratio
from tacit.errors import BudgetExceeded, ParameterError, PrivacyError
from tacit.mechanisms import Laplace, SimulatedNoise, additive
from tacit.privacy import Accountant, Budget, NumericStatistic, PrivacyUnit
from tacit.schema import Label, Numeric, Schema

UNIT = PrivacyUnit(("age",), label=False)


def accountant(epsilon=1.0, delta=0.0, unit=UNIT):
    return Accountant(Budget(epsilon, delta), unit, SimulatedNoise(0), n_rows=1000)


def count(unit):
    return NumericStatistic("rows above 30", unit, np.asarray(17), l1=1.0, l2=1.0)


def test_each_slice_spends_the_whole_budget_and_together_they_cost_it_once():
    door, units = accountant(), UNIT.divided(2)
    for part, unit in zip(door.in_parallel(units, n_rows=[400, 600]), units, strict=True):
        [share] = part.split(1)
        assert share.epsilon == 1.0
        part.release(Laplace(share), count(unit))
        assert part.remaining == 0
        with pytest.raises(BudgetExceeded):
            part.release(Laplace(share), count(unit))
    guarantee = door.guarantee()
    assert guarantee.epsilon == 1.0
    assert [line.asked for line in guarantee.releases] == [
        "rows above 30 (slice 1 of 2)",
        "rows above 30 (slice 2 of 2)",
    ]
    assert "Rows were divided into slices" in str(guarantee).replace("\n    ", " ")


def test_a_slice_takes_statistics_of_its_own_rows_alone():
    door, units = accountant(), UNIT.divided(2)
    first, _ = door.in_parallel(units, n_rows=[400, 600])
    [share] = first.split(1)
    for other in (UNIT, units[1], *UNIT.divided(1)):
        with pytest.raises(PrivacyError, match="unit"):
            first.release(Laplace(share), count(other))


def test_the_whole_releases_nothing_beside_its_slices():
    door, units = accountant(), UNIT.divided(2)
    _, [share] = door.in_parallel(units, n_rows=[400, 600]), accountant().split(1)
    with pytest.raises(PrivacyError, match="split"):
        door.split(1)
    with pytest.raises(BudgetExceeded):
        door.release(Laplace(share), count(UNIT))
    with pytest.raises(PrivacyError, match="slices before"):
        door.in_parallel(UNIT.divided(2), n_rows=[400, 600])


def test_rows_are_divided_before_anything_is_announced():
    door = accountant()
    door.split(1)
    with pytest.raises(PrivacyError, match="slices before"):
        door.in_parallel(UNIT.divided(2), n_rows=[400, 600])


def test_only_different_slices_of_one_division_are_parallel():
    """Slices of two divisions may overlap: a person in both would pay twice."""
    one, two, others = UNIT.divided(2), UNIT.divided(2), PrivacyUnit(("sex",), label=False).divided(2)
    [inner, *_] = one[0].divided(2)
    for units in ([one[0], one[0]], [one[0], two[1]], [*one, two[0]], [UNIT, one[0]], others, [inner, one[1]], []):
        with pytest.raises(PrivacyError, match="one division"):
            accountant().in_parallel(units, n_rows=[100] * len(units))


def test_slices_may_be_divided_again():
    unit = UNIT.divided(2)[0]
    door, units = accountant(unit=unit), unit.divided(3)
    parts = door.in_parallel(units, n_rows=[10, 10, 10])
    [share] = parts[2].split(1)
    parts[2].release(Laplace(share), count(units[2]))
    assert door.releases[0].asked == "rows above 30 (slice 3 of 3 of slice 1 of 2)"


def test_delta_must_be_below_one_over_the_rows_of_each_slice():
    with pytest.raises(ParameterError, match="delta"):
        accountant(delta=1e-2 / 2).in_parallel(UNIT.divided(2), n_rows=[100, 200])


def test_a_rho_is_stated_only_where_it_holds_for_every_slice():
    def stated(*compositions):
        door, units = accountant(delta=1e-6), UNIT.divided(2)
        for part, unit, composition in zip(door.in_parallel(units, n_rows=[10, 10]), units, compositions, strict=True):
            [share] = part.split(1, composition=composition)
            part.release(additive(share), count(unit))
        return door.guarantee()

    assert stated("zcdp", "zcdp").composition == "zcdp"
    assert stated("zcdp", "zcdp").rho == pytest.approx(2.4356e-2, rel=1e-3)
    mixed = stated("zcdp", "pure")
    assert (mixed.composition, mixed.rho, mixed.epsilon, mixed.delta) == ("pure", None, 1.0, 1e-6)


def test_the_answers_of_both_slices_together_are_as_private_as_those_of_one():
    """Exact output densities on neighbors: released from the same rows twice, the log ratio would be two epsilon."""
    schema = Schema([Numeric("age", 0, 1)], label=Label("y", [0, 1], private=False))
    rows = [(0.0, 0), (1.0, 1), (0.0, 0), (1.0, 0)]
    pairs = [
        Pair(schema, tuple(rows), (*rows[:at], (1 - rows[at][0], rows[at][1]), *rows[at + 1 :])) for at in range(4)
    ]

    def run(table, noise, repeat=False):
        door = Accountant(Budget(0.5), table.unit, noise, n_rows=4)
        parts = table.slices([2, 2], order=np.asarray([3, 0, 1, 2]))
        for at, part in enumerate(door.in_parallel([each.unit for each in parts], n_rows=[2, 2])):
            own = parts[0] if repeat else parts[at]
            above = own.sum(lambda block: np.asarray(block._rows.columns["age"].sum()))
            [share] = part.split(1)
            part.release(Laplace(share), NumericStatistic("sum", parts[at].unit, above, l1=1.0, l2=1.0))

    scripts = [[-5.0, -5.0], [7.0, 7.0], [7.0, -5.0]]
    assert largest_log_ratio(run, pairs, scripts) == pytest.approx(0.5)
    overlapping = largest_log_ratio(lambda table, noise: run(table, noise, repeat=True), pairs, scripts)
    assert exp(overlapping) == pytest.approx(exp(1.0))
