"""Mean predictions by cell: effects and their noise by hand and by simulation, and damaged files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tacit.errors import ModelFileError
from tacit.models.explanation import Explanation
from tacit.models.profile import ColumnProfile, Profile, _least_agreement, cell_codes, profile_cells
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table.rows import read_rows

SKY = Schema(
    [Categorical("sky", ["clear", "gray", "dark"]), Categorical("day", ["no", "yes"])],
    label=Label("rain", ["no", "yes"]),
)
COUNTS = {
    "sky": np.asarray([[[500.0, 100], [100, 100]], [[50, 50], [50, 50]], [[0, 0], [0, 0]]]),
    "day": np.asarray([[[275.0, 75], [75, 75]], [[275, 75], [75, 75]]]),
}
"""By cell, class and predicted class: 1,000 rows, of which 300 are predicted to be of the second class, and 300 are."""


def profile(deviation=0.0, generator=None):
    counts = np.concatenate(list(COUNTS.values()))
    noise = 0 if generator is None else generator.normal(0, deviation, counts.shape)
    return Profile.of(counts + noise, profile_cells(SKY, ()), deviation)


def test_effects_are_what_is_predicted_beyond_the_mean_by_hand():
    sky, day = profile().effects(SKY, ())
    assert sky.towards == "yes" and sky.effects == pytest.approx([-0.05, 0.2, 0.0])
    assert day.effects == pytest.approx([0, 0]) and sky.shares == pytest.approx([0.8, 0.2, 0])
    assert Explanation((sky, day)).verdicts == (
        ("finding", "finding", "indistinguishable from noise"),
        ("indistinguishable from noise",) * 2,
    )


def test_what_the_rows_classes_deny_is_no_finding():
    counts = np.concatenate([COUNTS["sky"], COUNTS["day"]])
    # The second class is predicted more often in gray rows, of which fewer are of it.
    counts[:3] = [[[500, 50], [130, 120]], [[60, 120], [10, 10]], [[0, 0], [0, 0]]]
    [denied, _] = Profile.of(counts, profile_cells(SKY, ()), 1.0).effects(SKY, ())
    assert denied.effects[1] > 0.3 and denied.deviations_off[1] == 0


def test_an_effect_is_no_surer_than_the_difference_of_the_rows_classes():
    [sky, _] = profile(5.0).effects(SKY, ())
    # 60 of 200 rows are expected and 100 are there. Columns weigh 1/3 and 1/2 of 833 rows in the mean, so that the
    # variance is 50 (0.49 + 0.09) (1 - 2 200/2500 + 200^2 (3/2500^2 + 2/1667^2)).
    assert sky.agreed is not None and sky.agreed[1] == pytest.approx(40 / (29 * 0.888) ** 0.5, rel=1e-3)
    assert sky.deviations_off[1] <= sky.agreed[1]


@pytest.mark.parametrize(
    ("agreed", "least"),
    [
        ([3.0] * 20 + [2.5] * 5, 2.5),
        ([5.0] * 20 + [3.0, -3.0, 2.5], 2.5),  # two of 22
        ([5.0] * 10 + [3.0, -3.0, 2.5] + [1.0] * 10, 5.0),
        ([5.0] * 9 + [1.9] * 20, np.inf),  # nine could be luck
        ([5.0] * 9, 5.0),  # in so few cells nine are all there are
        ([5.0] * 9 + [-4.0], 5.0),
        ([5.0] * 9 + [-6.0], np.inf),
        ([4.0, -4.0] * 50, np.inf),
        ([], np.inf),
    ],
)
def test_as_many_agree_by_chance_as_disagree(agreed, least):
    assert _least_agreement(np.asarray(agreed)) == least


def test_chance_alone_lists_next_to_nothing():
    generator = np.random.default_rng(0)
    drawn = [generator.normal(size=200) * 5 for _ in range(400)]
    assert np.mean([np.isfinite(_least_agreement(each)) for each in drawn]) < 0.05


def test_stated_deviations_are_those_of_the_noise():
    generator = np.random.default_rng(1)
    drawn = [list(profile(4.0, generator=generator).effects(SKY, ())) for _ in range(2000)]
    for at, cell in ((0, 0), (0, 1), (1, 0)):
        found = np.std([each[at].effects[cell] for each in drawn])
        stated = np.mean([each[at].deviations[cell] for each in drawn])
        assert found / stated == pytest.approx(1, abs=0.06)


def test_a_cell_that_noise_may_have_filled_has_no_share():
    [sky, _] = profile(30.0, generator=np.random.default_rng(0)).effects(SKY, ())
    assert sky.shares[2] == 0 and sky.shares[0] > 0.5


def test_cells_of_numbers_are_few_and_released_cuts_are_thinned():
    class Cut:
        cuts = (("age", tuple(float(at) for at in range(3, 90, 3))),)

    schema = Schema([Numeric("age", 0, 90), Numeric("pay", 0, 8)], label=Label("y", [0, 1]))
    age, pay = profile_cells(schema, [Cut()])
    assert age.n_cells == 8 and set(age.cuts) < set(dict(Cut.cuts)["age"]) and pay.n_cells == 8
    assert profile_cells(schema, [Cut(), Cut()])[0].cuts != age.cuts
    codes = cell_codes([age, pay], read_rows([[0.0, 8.0], [90.0, 0.5]], schema))
    assert codes.tolist() == [[0, 7], [7, 0]]


@pytest.mark.parametrize(
    "damage",
    [
        lambda one: replace(one, columns=one.columns[:1]),
        lambda one: replace(one, columns=one.columns[::-1]),
        lambda one: replace(one, columns=(replace(one.columns[0], labels=((1.0, 2.0),)), one.columns[1])),
        lambda one: replace(one, columns=(ColumnProfile("sky", ((1.0,),) * 3, ((1.0,),) * 3), one.columns[1])),
        lambda one: replace(one, deviation=-1.0),
        lambda one: replace(one, deviation=float("nan")),
    ],
)
def test_a_damaged_profile_is_refused(damage):
    profile().check(SKY, ())
    with pytest.raises(ModelFileError):
        damage(profile()).check(SKY, ())
