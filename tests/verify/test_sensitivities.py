"""Sensitivities are computed again from bases; a lower one is refused, and what cannot be computed is named."""

from __future__ import annotations

from dataclasses import replace
from math import exp, sqrt

import numpy as np
import pytest

import tacit
import tacit.sensitivities as steps
from tacit import Categorical, Label, Numeric, Schema
from tacit.features import GRID_STEPS
from tacit.features.ranked_rows import FEATURE_STEPS
from tacit.models.document import as_plain
from tacit.privacy import Persons, PrivacyUnit
from tacit.privacy.basis import Basis, basis_of
from tacit.queries import column_scores, held_out, leaf_sums, platt_sums, predicted_classes
from tacit.queries import gradients as bins
from tacit.queries import ranked_gradients as ranked
from tacit.sensitivities.gradients import GradientsBasis, MomentsBasis
from tacit.sensitivities.linear import WeightedErrorBasis
from tacit.sensitivities.masses import OneRulesBasis
from tacit.verify import recomputed
from tacit.verify.sensitivities import is_as_stated, sensitivity_faults
from tests.verify.test_claim import KINDS

BOTH = PrivacyUnit(("a", "b"), label=True)


def kinds(kind=Basis):
    return [found for each in kind.__subclasses__() for found in (*([each] if each.query else []), *kinds(each))]


def test_every_query_of_a_basis_is_found_by_its_name_alone(certificates):
    assert recomputed(certificates["pure"]).holds  # imports all queries
    named = [kind for kind in kinds() if kind.__module__.startswith("tacit.")]
    assert len(named) >= 25 and len({kind.query for kind in named}) == len(named)
    assert all(basis_of(kind.query) is kind for kind in named)
    assert basis_of("") is None and basis_of("the weather") is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_lower_sensitivity_with_less_noise_is_refused(certificates, kind):
    one = certificates[kind]
    assert recomputed(one).holds and not recomputed(one).as_stated
    for at, line in enumerate(one.releases):
        less = replace(line, sensitivity=line.sensitivity / 2, noise_scale=line.noise_scale / 2)
        changed = replace(one, releases=(*one.releases[:at], less, *one.releases[at + 1 :]))
        assert any("its basis gives" in fault for fault in recomputed(changed).faults), line.query


LESS = [
    ({"query": "oblivious trees", "most": 0.05, "n_classes": 1, "label": True, "leaf": True, "margin": True,
      "weighs_classes": False, "weight": 1, "rounding": 0.0}, "range", 0.2),
    ({"query": "residuals by leaf", "most": 0.05, "n_classes": 2, "label": False, "leaf": True, "margin": True,
      "weighs_classes": False, "weight": 1}, "l1", 0.1),
    ({"query": "held-out rows by level", "n_scores": 0, "weight": 1}, "l1", 0.0),
    ({"query": "rows by cell, class and predicted class", "n_columns": 0, "weight": 1}, "l1", 0.0),
]  # fmt: skip
"""Bases of which sensitivities would follow that no table has: residuals reach one half, and rows are counted."""


@pytest.mark.parametrize(
    ("basis", "kind", "stated"), LESS, ids=lambda value: value["query"] if isinstance(value, dict) else ""
)
def test_no_basis_makes_sensitivities_lower_than_they_are(certificates, standalone, basis, kind, stated):
    one = certificates["pure"]
    unit = PrivacyUnit(one.columns, label=True)
    line = replace(one.releases[0], basis=basis, sensitivity_kind=kind, sensitivity=stated * GRID_STEPS)
    assert sensitivity_faults(line, unit, one.n_rows)
    faults = []
    standalone._check_sensitivity(as_plain(line), as_plain(one), one.n_rows, "it", faults, [])
    assert faults
    # As they are: 4 and 2 halves of a step, and two rows of the most that one may count.
    for changed, right in (
        (basis | {"most": 0.5}, None),
        (basis | {"n_scores": 1}, 2.0),
        (basis | {"n_columns": 1}, 2048.0),
    ):
        if set(changed) == set(basis) and changed != basis:
            found = basis_of(basis["query"])(**{name: value for name, value in changed.items() if name != "query"})
            moves = found.sensitivity(unit, one.n_rows)[kind]
            true = replace(line, basis=changed, sensitivity=moves)
            assert right in (None, moves) and not sensitivity_faults(true, unit, one.n_rows)


def test_without_a_basis_a_sensitivity_is_taken_as_stated(certificates):
    one = certificates["delta"]
    lines = [replace(line, basis=None) for line in one.releases[:1]]
    lines += [replace(line, basis={"query": "of another program"}) for line in one.releases[1:2]]
    found = recomputed(replace(one, releases=(*lines, *one.releases[2:])))
    assert found.holds and found.as_stated == tuple(lines)


@pytest.mark.parametrize(
    "changed",
    [
        {"columns": ["age"]}, {"columns": "age"}, {"columns": [1]}, {"weight": 0}, {"weight": -1}, {"weight": 0.5},
        {"weight": 1e400}, {"weight": None}, {"more": 1}, {"query": "rows of each class at each leaf"},
        {"query": "weighted error of a linear rule"}, {"weight": 2},
    ],
)  # fmt: skip
def test_a_basis_that_gives_another_sensitivity_or_none_is_refused(certificates, changed):
    one = certificates["learned schema"]
    line = next(line for line in one.releases if line.query == "rows by bin")
    unit = PrivacyUnit(one.columns, one.label)
    assert sensitivity_faults(line, unit, 12_000) == []
    [fault] = sensitivity_faults(replace(line, basis={**line.basis, **changed}), unit, 12_000)
    assert "basis" in fault


def test_what_is_protected_and_how_many_rows_there_are_decide(certificates):
    one = certificates["pure"]
    for changed in ({"columns": ("age",), "label": False}, {"label": False}, {"persons": Persons(None, 3)}):
        assert any("its basis gives" in fault for fault in recomputed(replace(one, **changed)).faults), changed
    more = replace(one, limits=(replace(one.limits[0], n_rows=601),))
    assert any("more rows together" in fault for fault in recomputed(more).faults)
    halves = certificates["holdout"]
    assert [limit.n_rows for limit in halves.limits] == [300, 300]


def test_boosters_sensitivities_follow_from_the_number_of_rows():
    schema = Schema([Numeric("a", 0, 1, cuts=[0.5]), Categorical("b", ["u", "v"])], label=Label("y", ["0", "1"]))
    rows = [[0.2, "u"], [0.8, "v"]] * 50
    for learner, stated in ((tacit.LazyBBClassifier, 0), (tacit.BRCClassifier, 3)):
        model = learner(schema, epsilon=3.0, rounds=3, calibration=0, random_state=0).fit(rows, ["0", "1"] * 50).model_
        one = model.guarantee
        found = recomputed(one)
        assert found.holds and len(found.as_stated) == stated
        fewer = replace(one, n_rows=99, limits=tuple(replace(limit, n_rows=99) for limit in one.limits))
        assert any("its basis gives" in fault for fault in recomputed(fewer).faults)


def test_grids_are_those_that_sums_are_on():
    assert (steps.GRID_STEPS, steps.FEATURE_STEPS) == (GRID_STEPS, FEATURE_STEPS)
    assert {bins.RESIDUAL_STEPS, leaf_sums.STEPS, platt_sums.STEPS} == {steps.GRID_STEPS}
    assert ranked.RESIDUAL_STEPS == steps.RANKED_RESIDUAL_STEPS
    assert {held_out.STEPS, predicted_classes.STEPS, column_scores.WEIGHT_STEPS} == {steps.PART_STEPS}


def test_bases_by_hand():
    one_rule = OneRulesBasis(density=0.125, rate=0.5, spread=4, n_positions=0, n_bins=0).sensitivity(BOTH, 101)
    rounding = (16 / 0.125 + 8) * 2.0**-50  # of one error
    assert one_rule["range"] == pytest.approx(2 * exp(2) / (100 + exp(2)) + 4 * rounding, rel=1e-11)
    capped = OneRulesBasis(density=0.125, rate=0.5, spread=40, n_positions=0, n_bins=0).sensitivity(BOTH, 101)
    assert capped["range"] == pytest.approx(2 / (0.125 * 101), rel=1e-9)
    gradients = GradientsBasis(("b",), 2, 0.25, None)
    assert gradients.in_residuals(BOTH)[1] == pytest.approx(sqrt(4 * 3) * 0.25)  # 4 (a + b) c^2, of one and two
    assert gradients.in_residuals(replace(BOTH, label=False))[1] == pytest.approx(sqrt(3) * 0.25)
    moments = MomentsBasis(("a",), ("b", "c"), (), bends=False)
    assert moments.in_squares(BOTH) == pytest.approx((3.5625, sqrt(3.28616)))
    assert WeightedErrorBasis(2.0).sensitivity(BOTH, 99)["l1"] == pytest.approx(2 / 100)
    assert np.isfinite(WeightedErrorBasis(1.0).sensitivity(BOTH, 1)["range"])


def test_only_bounds_by_earlier_answers_are_taken_as_stated(certificates):
    stated = replace(certificates["pure"].releases[0], basis=WeightedErrorBasis(1.5).written())
    assert is_as_stated(stated)
    assert is_as_stated(replace(stated, basis=GradientsBasis((), 0, 1.0, 3.0).written()))
    assert not is_as_stated(replace(stated, basis=GradientsBasis((), 0, 0.5, None).written()))
