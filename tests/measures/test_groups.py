"""Measures by group: hand-worked values, differences, weights for other libraries, sets, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from tacit.errors import ModelFileError, ParameterError
from tacit.measures.group_counts import GroupCounts, not_negative
from tacit.measures.group_measures import AREA, GroupMeasures
from tacit.measures.held_out import HeldOut
from tacit.measures.intervals import difference_of, group_error, width_of_several
from tacit.measures.prediction_sets import set_bounds

COUNTS = (((60.0, 30.0, 10.0), (10.0, 30.0, 60.0)), ((20.0, 20.0, 10.0), (0.0, 20.0, 30.0)))
"""Of groups a and b, classes no and yes, three levels with edges -1 and 0: the last is predicted yes."""


def held(counts=COUNTS, scale=0.0, distribution="exact", n_rows=None, **others):
    each = tuple(tuple(map(tuple, of_group)) for of_group in np.asarray(counts).tolist())
    summed = tuple(map(tuple, np.asarray(counts).sum(axis=0).tolist()))
    by_group = GroupCounts("g", ("a", "b"), each)
    n_rows = n_rows or int(np.sum(counts))
    return HeldOut(summed, (-1.0, 0.0), n_rows, scale, distribution, by_group=by_group, **others)


EXACT = GroupMeasures(held(), ("no", "yes"))


def value(frame, measure, group, of=None):
    of_class = frame["class"].is_null() if of is None else frame["class"] == of
    [found] = frame.filter((frame["measure"] == measure) & (frame["group"] == group) & of_class)["value"]
    return found


@pytest.mark.parametrize(
    ("measure", "of", "a", "b"),
    [
        ("share of all rows", None, 200 / 300, 100 / 300),
        ("prevalence", "yes", 0.5, 0.5),
        ("selection rate", "yes", 70 / 200, 40 / 100),
        ("recall", "no", 90 / 100, 40 / 50),
        ("recall", "yes", 60 / 100, 30 / 50),
        ("precision", "yes", 60 / 70, 30 / 40),
        ("accuracy", None, 150 / 200, 70 / 100),
    ],
)
def test_measures_by_hand(measure, of, a, b):
    frame = EXACT.frame()
    assert [value(frame, measure, group, of) for group in "ab"] == pytest.approx([a, b])
    if measure != "share of all rows":
        rows = EXACT.differences().filter(measure=measure)
        assert (a - b) in [pytest.approx(each) for each in rows["value"]]
    inside = (frame["low"] <= frame["value"] + 1e-12) & (frame["value"] <= frame["high"] + 1e-12)
    assert inside.all()


def test_the_area_of_a_group_counts_its_pairs():
    # Of b: pairs of no and yes with yes above 20*50 + 20*30 = 1600, ties 20*20 + 10*30 = 700, of 50*50; what levels
    # hide is added at most by an eighth of each.
    assert value(EXACT.frame(), AREA, "b") == pytest.approx((1600 + 350) / 2500, abs=0.08)


def test_calibration_is_of_each_groups_own_rows():
    found = EXACT.calibration().filter(group="b")
    assert found["value"].to_list() == pytest.approx([0 / 20, 20 / 40, 30 / 40], abs=1e-9)
    assert found["up_to"].to_list() == pytest.approx([1 / (1 + np.e), 0.5, 1.0])


def test_the_whole_is_the_sum_and_as_much_noisier():
    noisy = held(scale=3.0, distribution="Laplace")
    assert noisy.deviation == pytest.approx(3 * 2**0.5 * 2**0.5) and noisy.n_summed == 2
    plain = replace(noisy, by_group=None)
    assert plain.deviation == pytest.approx(3 * 2**0.5)
    assert noisy.accuracy.value == plain.accuracy.value
    assert noisy.accuracy.high - noisy.accuracy.low > plain.accuracy.high - plain.accuracy.low


def test_sets_count_the_noise_of_both_groups():
    """A margin for one noise only would leave out a class that the sum of two does not allow."""
    rows = np.asarray([[[400.0, 300.0, 40.0], [44.0, 60.0, 500.0]]] * 2)
    grouped = held(rows, scale=6.0, distribution="Gaussian")
    alone = replace(grouped, by_group=None)
    bounds = [set_bounds(each, 0.1, None)[1][2] for each in (grouped, alone)]
    assert bounds[0] is None and bounds[1] is not None


def test_coverage_by_group_follows_from_the_edges_that_sets_have():
    rows = np.asarray([[[400.0, 300.0, 40.0], [10.0, 60.0, 500.0]], [[400.0, 300.0, 40.0], [30.0, 60.0, 500.0]]])
    found = GroupMeasures(held(rows), ("no", "yes")).coverage(0.9)
    own = found.filter(found["class"] == "yes")["value"].to_list()
    assert own == pytest.approx([560 / 570, 560 / 590])  # below the first edge yes is left out
    assert GroupMeasures(held(rows), ("no", "yes"), of_persons=True).coverage(0.9).equals(found)
    with pytest.raises(ParameterError, match="two classes and persons who count one each"):
        GroupMeasures(replace(held(), rows_of_person=2), ("no", "yes"), of_persons=True).coverage()


def test_rows_are_counts_with_weights_that_are_not_negative():
    noisy = np.asarray(COUNTS) + np.asarray([[[0, -40, -80], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]])
    found = GroupMeasures(held(noisy, n_rows=300), ("no", "yes")).rows()
    assert found.columns == ["label", "predicted", "g", "weight"] and found["weight"].min() >= 0
    of_a = found.filter(g="a")
    # The cells move alike, so that they add up to the 300 rows: by 10 each, of which the group has six.
    assert of_a["weight"].sum() == pytest.approx(80 + 6 * 10)


def test_fairlearn_takes_the_rows():
    fairlearn = pytest.importorskip("fairlearn.metrics")
    from sklearn.metrics import recall_score

    rows = EXACT.rows()
    found = fairlearn.MetricFrame(
        metrics=lambda truth, said, sample_weight: recall_score(
            truth, said, pos_label="yes", sample_weight=sample_weight
        ),
        y_true=rows["label"].to_list(),
        y_pred=rows["predicted"].to_list(),
        sensitive_features=rows["g"].to_list(),
        sample_params={"sample_weight": rows["weight"].to_list()},
    )
    assert found.by_group.to_dict() == pytest.approx({"a": 0.6, "b": 0.6})


def test_rows_with_weights_give_scikit_learns_measures():
    from sklearn.metrics import precision_score

    rows = EXACT.rows().filter(g="b")
    given = {"pos_label": "yes", "sample_weight": rows["weight"].to_numpy()}
    assert precision_score(rows["label"].to_numpy(), rows["predicted"].to_numpy(), **given) == pytest.approx(0.75)


@pytest.mark.parametrize("seed", range(20))
def test_counts_that_are_not_negative_are_the_nearest_of_their_sum(seed):
    draw = np.random.default_rng(seed)
    counts = draw.normal(3, 5, 6)
    found = not_negative(counts)
    if counts.sum() <= 0:
        assert not found.any()
        return
    assert found.min() >= 0 and found.sum() == pytest.approx(counts.sum())
    others = draw.dirichlet(np.ones(6), 2000) * counts.sum()
    assert ((found - counts) ** 2).sum() <= ((others - counts) ** 2).sum(axis=1).min() + 1e-9


def test_several_intervals_are_wider_by_bonferroni():
    assert width_of_several(3) / width_of_several(1) == pytest.approx(norm.ppf(1 - 0.025 / 3) / norm.ppf(0.975))
    bands = [tuple(map(np.asarray, each)) for each in ((0.6, 0.5, 0.7), (0.4, 0.1, 0.5))]
    value, low, high = difference_of(*bands)
    # As far as the root of 0.1^2 + 0.1^2 down, and of 0.1^2 + 0.3^2 up.
    assert (value, low, high) == pytest.approx((0.2, 0.2 - 0.02**0.5, 0.2 + 0.1**0.5))


def test_three_groups_have_three_pairs_and_wider_intervals_than_two():
    three = np.concatenate([COUNTS, COUNTS[:1]])
    each = tuple(tuple(map(tuple, of_group)) for of_group in three.tolist())
    found = HeldOut(
        tuple(map(tuple, three.sum(axis=0).tolist())), (-1.0, 0.0), 500, 0.0, "exact",
        by_group=GroupCounts("g", ("a", "b", "c"), each),
    )  # fmt: skip
    rows = GroupMeasures(found, ("no", "yes")).differences().filter(measure="accuracy")
    assert rows.select("group", "other").rows() == [("a", "b"), ("a", "c"), ("b", "c")]
    [pair] = EXACT.differences().filter(measure="accuracy").rows(named=True)
    assert rows["high"][0] - rows["low"][0] > 1.1 * (pair["high"] - pair["low"])


def test_groups_that_noise_hides_are_named():
    tiny = np.asarray(COUNTS)
    tiny[1] = tiny[1] / 50
    found = GroupMeasures(held(tiny * 10, scale=3.0, distribution="Laplace"), ("no", "yes"))
    assert found.hidden == ("b",)
    assert any("Too small to tell for the noise: 'b'" in line for line in found.lines())
    assert not found.frame().filter(group="a")["hidden"].any()


def test_what_an_interval_will_be_is_known_beforehand():
    # 2.04 deviations of (500 / 4 + 8 cells of noise 16 each / 4) rows, of 500.
    assert group_error(0.05, 10_000, 4.0, 1, 8) == pytest.approx(2.04 * (125 + 32) ** 0.5 / 500)
    assert group_error(0.0001, 10_000, 4.0, 1, 8) == 0.5


def test_more_than_two_classes_have_rates_of_each():
    counts = np.arange(1, 1 + 2 * 3 * 6, dtype=float).reshape(2, 3, 6)  # classes, predicted class and two levels
    each = tuple(tuple(map(tuple, of_group)) for of_group in counts.tolist())
    summed = tuple(map(tuple, counts.sum(axis=0).tolist()))
    edges, total = (2 / 3,), int(counts.sum())
    found = HeldOut(summed, edges, total, 0.0, "exact", by_group=GroupCounts("g", ("a", "b"), each))
    frame = GroupMeasures(found, ("x", "y", "z")).frame()
    assert value(frame, "recall", "a", "y") == pytest.approx((9 + 10) / sum(range(7, 13)))
    assert value(frame, "selection rate", "b", "z") == pytest.approx(counts[1, :, 4:].sum() / counts[1].sum())
    assert AREA not in frame["measure"]


def test_damaged_counts_are_refused():
    with pytest.raises(ModelFileError, match="sums of those by group"):
        replace(held(), counts=((81.0, 50.0, 20.0), (10.0, 50.0, 90.0)))
    with pytest.raises(ModelFileError, match="counts by group"):
        GroupCounts("g", ("a", "a"), COUNTS)
    with pytest.raises(ParameterError, match="Fit with holdout_by"):
        GroupMeasures(replace(held(), by_group=None), ("no", "yes"))
