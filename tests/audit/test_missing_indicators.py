"""Every learner on neighbors in which a number is there or is missing, and its indicator with it."""

from itertools import islice

import pytest

from benchmarks.audits.every_case import SETTINGS
from tacit.audit.neighbors import as_given, random_pairs, worst_pairs
from tacit.audit.reading import reading_pairs
from tacit.audit.replay import replay_pair
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.learners import private_learners

SCHEMA = Schema(
    [Numeric("a", -1, 1, cuts=[-0.5, 0, 0.5], missing="indicator"), Categorical("c", ["x", "y"])],
    label=Label("y", ["no", "yes"]),
)


@pytest.mark.parametrize("learner", sorted(private_learners()))
def test_no_release_is_above_its_share(learner):
    settings = SETTINGS.get(learner, ({},))[0]

    def make():
        given = {"epsilon": 1.0, "delta": 1e-3, "on_invalid": "coerce", "ledger": "none"} | dict(settings)
        return private_learners()[learner](SCHEMA, **given)

    missing = [pair for pair in worst_pairs(SCHEMA, n_rows=6) if "missing" in pair.kind]
    reached = []
    for pair in (next(random_pairs(SCHEMA, n_rows=5, seed=1)), missing[0], missing[-1]):
        found = replay_pair(make, pair, seed=1, delta=1e-3)
        assert found.differences == ()
        reached += [step.reached for step in found.steps]
    assert 0 < max(reached) <= 1 + 1e-9


def test_pairs_are_handed_over_as_a_table_has_them():
    rows = ((0.5, True, "x", "no"), (0.5, False, "x", "no"), (None, None, "y", "yes"))
    assert as_given(rows, SCHEMA) == ((None, "x", "no"), (0.5, "x", "no"), (None, "y", "yes"))


def test_a_cell_of_any_type_decides_about_its_row_alone():
    def make():
        return private_learners()["tree"](SCHEMA, epsilon=1.0, on_invalid="coerce", ledger="none")

    compared = 0
    for pair in islice(reading_pairs(SCHEMA, n_rows=4, seed=2), 8):
        fit = replay_pair(make, pair, seed=2)
        assert fit.differences == (), pair.kind
        compared += bool(fit.steps)
    assert compared
