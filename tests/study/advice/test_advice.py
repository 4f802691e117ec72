"""Expectations, intervals and advice, worked out by hand on settings that are all alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from study.advice.hand_made import asked, past_studies
from tacit.errors import ParameterError
from tacit.study.advice import Situation, advise
from tacit.study.advice.expectation import expected, expected_without_own
from tacit.study.advice.interval import intervals, leave_one_out_errors, quantile
from tacit.study.advice.validation import by_strength, summary, validated

# "good" loses 0.1, 0.2, 0.4 and "poor" 0.4, 0.3, 0.2.
THREE = past_studies(
    {"table": "a", "source": "a", "good": 0.8, "poor": 0.5},
    {"table": "b", "source": "b", "good": 0.7, "poor": 0.6},
    {"table": "c", "source": "c", "good": 0.5, "poor": 0.7},
)


def test_like_settings_are_averaged():
    expectation = expected(THREE, asked())
    assert expectation.loss[0] == pytest.approx([0.7 / 3, 0.9 / 3])
    assert expectation.best.tolist() == [0]
    assert expectation.shares[0] == pytest.approx([1 / 3] * 3)


def test_settings_of_one_source_count_once():
    twice = past_studies({"source": "a", "good": 0.8}, {"source": "a", "good": 0.8}, {"source": "b", "good": 0.5})
    assert expected(twice, asked()).loss[0, 0] == pytest.approx((0.1 + 0.4) / 2)


def test_the_nearer_counts_more():
    past = past_studies({"source": "a", "good": 0.8}, {"source": "b", "good": 0.5, "epsilon": 10**0.35})
    far = np.exp(-0.5)
    assert expected(past, asked()).loss[0, 0] == pytest.approx((0.1 + 0.4 * far) / (1 + far))


def test_useful_is_asked_only_where_there_was_something_to_learn():
    past = past_studies(
        {"source": "a", "good": 0.8, "poor": 0.5},
        {"source": "b", "good": 0.5, "poor": 0.8},
        {"source": "c", "ceiling": 0.51, "good": 0.9, "poor": 0.9},
        {"source": "d", "good": 0.9, "poor": 0.504},
    )
    assert expected(past, asked()).useful[0] == pytest.approx([2 / 3, 1 / 3])


def test_errors_come_from_other_sources_alone():
    errors, chosen = leave_one_out_errors(THREE)
    assert errors[:, 0] == pytest.approx([0.1 - 0.3, 0.2 - 0.25, 0.4 - 0.15])
    assert errors[:, 1] == pytest.approx([0.4 - 0.25, 0.3 - 0.3, 0.2 - 0.35], abs=1e-6)
    # Without a, poor is chosen (0.25 < 0.3); without b, good (0.25 < 0.3); without c, good (0.15 < 0.35).
    assert chosen == pytest.approx([0.15, -0.05, 0.25])


def test_no_setting_of_the_same_source_tells_of_another():
    past = past_studies({"source": "a", "good": 0.8}, {"source": "a", "good": 0.6}, {"source": "b", "good": 0.5})
    errors, _ = leave_one_out_errors(past)
    assert errors[:, 0] == pytest.approx([0.1 - 0.4, 0.3 - 0.4, 0.4 - 0.2])


def test_a_tenth_lies_beyond_either_end():
    """Losses of 1 to 20 hundredths: the error of each is 20/19 of what it is off the mean of 0.105."""
    losses = [at / 100 for at in range(1, 21)]
    past = past_studies(*({"source": f"s{at}", "good": 0.9 - loss, "poor": 0.1} for at, loss in enumerate(losses)))
    low, high = intervals(past, expected(past, asked()))
    assert low[0, 0] == pytest.approx(0.105 + (0.03 - 0.105) * 20 / 19, abs=1e-6)
    assert high[0, 0] == pytest.approx(0.105 + (0.18 - 0.105) * 20 / 19, abs=1e-6)


def test_intervals_are_the_expectation_and_the_ends_of_errors():
    expectation = expected(THREE, asked())
    low, high = intervals(THREE, expectation)
    assert (low[0, 0], high[0, 0]) == pytest.approx((0.7 / 3 - 0.05, 0.7 / 3 + 0.25))  # the chosen one: chosen errors
    assert (low[0, 1], high[0, 1]) == pytest.approx((0.3 - 0.15, 0.3 + 0.15))


def test_an_interval_holds_its_expectation():
    past = past_studies(
        {"source": "a", "good": 0.8, "poor": 0.1}, {"source": "b", "good": 0.5, "poor": 0.1, "epsilon": 100.0}
    )
    expectation = expected(past, asked())
    low, high = intervals(past, expectation)
    assert (low <= expectation.loss).all()
    assert (high >= expectation.loss).all()


def test_quantiles_count_weights():
    values, weights = np.array([5.0, 1.0, 3.0]), np.array([0.2, 0.7, 0.1])
    assert [quantile(values, weights, level) for level in (0.1, 0.7, 0.75, 0.8, 0.9, 1.0)] == [1, 1, 3, 3, 5, 5]


def test_one_source_says_nothing_about_others():
    with pytest.raises(ParameterError, match="two sources"):
        expected_without_own(past_studies({}, {"rows": 2000}))


def test_advice_names_the_least_expected_loss_first(situation):
    advice = advise(situation, THREE)
    assert [forecast.learner for forecast in advice.forecasts] == ["good", "poor"]
    assert advice.advised.loss == pytest.approx(0.7 / 3)
    assert advice.sources == pytest.approx(3)
    assert advice.inside
    assert not advise(replace(situation, rows=2000), THREE).inside


def test_precedents_say_what_happened_in_the_nearest_setting_of_each_source(situation):
    past = past_studies(
        {"table": "a, x", "source": "a", "epsilon": 3.0, "good": 0.8},
        {"table": "a, y", "source": "a", "epsilon": 1.1, "good": 0.85, "poor": 0.6},
        {"table": "b", "source": "b", "epsilon": 10**0.35, "good": 0.4, "poor": 0.5},
    )
    first, second = advise(situation, past).precedents
    assert (first.table, first.epsilon, first.learner, first.best) == ("a, y", 1.1, "good", "good")
    assert (first.loss, first.least_loss) == pytest.approx((0.05, 0.05))
    assert (second.table, second.best) == ("b", "poor")
    assert (second.loss, second.least_loss) == pytest.approx((0.5, 0.4))
    assert first.share + second.share == pytest.approx(1)
    assert first.share > second.share


def test_validation_leaves_the_whole_source_out():
    checked = validated(THREE)
    assert checked["advised"].to_list() == ["poor", "good", "good"]
    assert checked["loss"].to_list() == pytest.approx([0.4, 0.2, 0.4])
    assert checked["regret"].to_list() == pytest.approx([0.3, 0.0, 0.2])
    assert checked["regret of good"].to_list() == pytest.approx([0, 0, 0.2])
    # Without a: poor is expected to lose 0.25, b alone expects 0.3 of c's poor and 0.2 of b's, chosen by it.
    changed = THREE.frame.with_columns(
        good=pl.when(pl.col("source") == "a").then(0.0).otherwise("good").cast(pl.Float32)
    )
    again = validated(type(THREE)(changed))
    assert again["expected"][0] == checked["expected"][0]
    assert (again["low"][0], again["high"][0]) == (checked["low"][0], checked["high"][0])
    assert again["expected"][2] != checked["expected"][2]


def test_summary_counts_every_source_the_same():
    checked = pl.DataFrame(
        {"source": ["a", "a", "a", "b"], "held": [True, True, True, False], "regret": [0.0, 0, 0, 1]}
    )
    assert summary(checked) == {"held": 0.5, "regret": 0.5}


def test_strengths_are_powers_of_ten_with_open_ends():
    at = [
        {"source": f"s{each}", "epsilon": epsilon, "good": 0.8}
        for each, epsilon in enumerate((1e-4, 0.05, 0.5, 1.0, 1e6))
    ]
    checked = validated(past_studies(*at))  # 1,000 rows and 10 columns: strengths of 0.01, 5, 50, 100 and 1e8
    found = by_strength(checked)
    assert found["power"].to_list() == [-1, 0, 1, 2, 3]
    assert found["loss"].to_list() == pytest.approx([0.1] * 5, abs=1e-6)
    assert found["regret of poor"].to_list() == pytest.approx([0.3] * 5, abs=1e-6)


def test_packaged_intervals_hold_for_tables_left_out(packaged):
    """A third of the sources, each left out: the promise of the intervals, on what ships."""
    some = np.unique(packaged.sources)[::3]
    known = packaged.frame.filter(pl.col("delta") == 0)
    checked = validated(type(packaged)(known.filter(pl.col("source").is_in(some.tolist()))))
    assert summary(checked)["held"] > 0.6


def test_no_row_is_read(situation, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a row was read")

    monkeypatch.setattr("tacit.datasets.catalog.load", refuse)
    monkeypatch.setattr("tacit.table.rows.read_rows", refuse)
    assert advise(situation).advised.loss < 1


def test_packaged_advice_gets_better_with_budget(situation):
    losses = [advise(replace(situation, rows=10_000, epsilon=epsilon)).advised.loss for epsilon in (0.01, 0.1, 1.0)]
    assert losses[0] > losses[1] > losses[2]


def test_labels_alone_are_advised_on():
    from tacit import Label, Numeric, Schema

    schema = Schema([Numeric("age", 0, 90, private=False)], label=Label("ill", ["no", "yes"]))
    assert advise(Situation.of(schema, rows=5000, epsilon=1.0)).advised.loss < 0.5
