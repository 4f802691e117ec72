"""A share of the budget for explanations: what it releases, what that is off by, and that it costs what it says."""

from __future__ import annotations

from itertools import islice

import numpy as np
import polars as pl
import pytest

import tacit
from harness.messy_tables import messy_table
from tacit import Categorical, Label, LazyBBClassifier, Numeric, Schema
from tacit.audit.every_case import CASES
from tacit.audit.mutants import half_sensitivity
from tacit.audit.neighbors import worst_pairs
from tacit.audit.person_pairs import person_pairs, with_identifier
from tacit.audit.replay import replay_pair
from tacit.cell_shares import CellShares
from tacit.mechanisms import SimulatedNoise, announce
from tacit.models.cells import ColumnCells, Law
from tacit.models.noise import ColumnNoise
from tacit.privacy import Accountant, Budget
from tacit.table import Table

pytestmark = pytest.mark.filterwarnings("ignore::tacit.errors.PrivacyWarning")

SKY = Schema(
    [Categorical("sky", ["clear", "gray", "dark"]), Numeric("age", 0, 90, cuts=[30])], label=Label("y", [0, 1])
)
ROWS = [("clear", 20)] * 3000 + [("gray", 50)] * 1000


def law(epsilon, schema=SKY):
    table = Table.from_frame(ROWS, [0, 1] * 2000, schema)
    accountant = Accountant(Budget(epsilon), table.unit, SimulatedNoise(1), n_rows=table.n_rows)
    releases = announce(accountant, CellShares(0.5).before([tacit.privacy.Planned("selection")], table.unit))
    return CellShares(0.5).law(table, [ColumnCells(column) for column in schema.columns], releases.part("shares"))


def test_shares_are_those_of_the_rows_and_what_noise_may_have_made_is_nobody():
    found = law(2.0)
    assert found.shares["sky"] == pytest.approx([0.75, 0.25, 0.0], abs=0.01) and found.shares["sky"][2] == 0
    assert found.shares["age"] == pytest.approx([0.75, 0.25], abs=0.01)
    # Half of an epsilon of 2 for two columns: a Laplace scale of 4 rows, and the fifth of 100 such is beyond 4 log 50.
    assert found.deviation == pytest.approx(4 * 2**0.5 / 4000)
    assert found.least == pytest.approx(4 * np.log(50) / 4000)


def test_a_public_column_is_counted_exactly_and_costs_nothing():
    public = SKY.with_private([], label=True)
    table = Table.from_frame(ROWS, [0, 1] * 2000, public)
    assert len(CellShares(0.5).before([tacit.privacy.Planned("selection")], table.unit)) == 1
    found = law(1.0, public)
    assert found.shares["sky"].tolist() == [0.75, 0.25, 0.0] and found.deviation == found.least == 0


def test_effects_are_as_unsure_as_their_shares_by_hand():
    cells = ColumnCells(Categorical("sky", ["clear", "gray"]))
    both = {"sky": np.asarray([0.9, 0.1])}
    [noise] = Law({"sky": cells}, both, deviation=0.1, least=0.2).doubted(
        (ColumnNoise("sky", (0.9, 0.1), ((0.3, 0.4),), released=True),), {"sky": np.asarray([[-0.2, 1.8]])}
    )
    # The mean is off by 0.1 of each effect, 0.01 * (0.04 + 3.24); that anybody is in the second cell is not sure.
    assert noise.deviations == (
        (pytest.approx(0.35, abs=1e-3), pytest.approx((0.16 + 0.0328 + 3.24) ** 0.5, abs=1e-3)),
    )


def test_the_plan_gives_the_share_of_the_budget_and_the_certificate_names_it():
    schema = SKY.all_private()
    model = LazyBBClassifier(schema, epsilon=1.0, rounds=4, explain_share=0.2, random_state=1).fit(ROWS, [0, 1] * 2000)
    releases = [one for one in model.privacy_.releases if one.query == "rows by bin"]
    assert [one.loss for one in releases] == [pytest.approx(0.2)]
    assert model.model_.explain()["share_released"].all()


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_a_constant_column_is_never_a_finding(share):
    messy = messy_table(10_000, seed=1)
    for seed in range(2):
        learner = LazyBBClassifier(messy.schema, epsilon=1.0, random_state=seed, explain_share=share)
        said = learner.fit(messy.frame, messy.labels).model_.explain().filter(pl.col("verdict") == "finding")
        assert "always one" not in said["column"].to_list()


def test_with_a_share_lazybb_lists_what_decides():
    generator = np.random.default_rng(0)
    rows = pl.DataFrame({"sky": generator.choice(["clear", "gray"], 8000), "age": generator.uniform(0, 90, 8000)})
    labels = (rows["sky"] == "gray").cast(int) ^ pl.Series(generator.random(8000) < 0.1).cast(int)
    found = [
        LazyBBClassifier(SKY, epsilon=1.0, random_state=1, explain_share=share).fit(rows, labels).model_
        for share in (0.0, 0.1)
    ]
    listed = [model.explain().filter(pl.col("verdict") == "finding") for model in found]
    assert not len(listed[0]) and set(listed[1]["column"]) == {"sky"}


def test_of_a_cell_that_noise_may_have_filled_nothing_is_sure():
    generator = np.random.default_rng(0)
    sky = np.where(np.arange(8000) < 150, "dark", generator.choice(["clear", "gray"], 8000))
    labels = np.where(sky == "dark", 1, generator.random(8000) < 0.3).astype(int)
    rows = pl.DataFrame({"sky": sky, "age": np.full(8000, 20.0)})
    learner = LazyBBClassifier(SKY, epsilon=1.0, random_state=4, explain_share=0.1)
    [dark] = learner.fit(rows, labels).model_.explain().filter(pl.col("cell") == "dark").to_dicts()
    # A scale of 40 rows: beyond two deviations, 113, but not beyond what the largest of five noises may be, 156.
    assert 113 / 8000 < dark["share"] < 156 / 8000 and dark["effect"] > 0
    assert dark["deviation"] > dark["effect"] and dark["verdict"] != "finding"


@pytest.mark.parametrize("delta", [0.0, 1e-3])
@pytest.mark.parametrize("case", ["everything private", "a public column and label", "persons"])
def test_no_release_costs_more_than_its_share(case, delta):
    schema = with_identifier(CASES["everything private"]) if case == "persons" else CASES[case]
    pairs = person_pairs(schema, seed=1) if case == "persons" else worst_pairs(schema, n_rows=6)

    def make():
        given = {"epsilon": 1.0, "delta": delta, "on_invalid": "coerce"}
        return LazyBBClassifier(schema, rounds=2, explain_share=0.3, **given)

    found = [replay_pair(make, pair, seed=at, delta=delta) for at, pair in enumerate(islice(pairs, 4))]
    assert not any(each.differences for each in found)
    reached = [step.reached for each in found for step in each.steps if step.line.query == "rows by bin"]
    assert 0.2 < max(reached) <= 1 + 1e-9
    pair = next(iter(person_pairs(schema, seed=1) if case == "persons" else worst_pairs(schema, n_rows=6)))
    broken = replay_pair(make, pair, delta=delta, mutant=half_sensitivity)
    assert any(step.reached > 1 for step in broken.steps if step.line.query == "rows by bin")
