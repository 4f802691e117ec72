"""Predictions, intervals and advice, worked out by hand on experiments of the same traits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from study.advice.hand_made import asked, past_studies
from tacit.errors import ParameterError
from tacit.estimators.auto import choose
from tacit.privacy import Budget
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.advice import PastStudies, Query, advise
from tacit.study.advice.past_studies import by_measure
from tacit.study.advice.prediction import intervals, left_out_errors, predict, predict_left_out, quantile

ONE = Schema([Numeric("x", 0, 1)], label=Label("y", [0, 1]))

# "good" loses 0.1, 0.2, 0.4 and "poor" 0.4, 0.3, 0.2.
THREE = past_studies(
    {"table": "a", "source": "a", "good": 0.8, "poor": 0.5},
    {"table": "b", "source": "b", "good": 0.7, "poor": 0.6},
    {"table": "c", "source": "c", "good": 0.5, "poor": 0.7},
)


def test_like_settings_are_averaged():
    prediction = predict(THREE, asked())
    assert prediction.loss[0] == pytest.approx([0.7 / 3, 0.9 / 3])
    assert prediction.best.tolist() == [0]
    assert prediction.weights[0] == pytest.approx([1 / 3] * 3)


def test_settings_of_one_source_count_once():
    twice = past_studies({"source": "a", "good": 0.8}, {"source": "a", "good": 0.8}, {"source": "b", "good": 0.5})
    assert predict(twice, asked()).loss[0, 0] == pytest.approx((0.1 + 0.4) / 2)


def test_the_nearer_counts_more():
    past = past_studies({"source": "a", "good": 0.8}, {"source": "b", "good": 0.5, "epsilon": 10**0.35})
    far = np.exp(-0.5)
    assert predict(past, asked()).loss[0, 0] == pytest.approx((0.1 + 0.4 * far) / (1 + far))


def test_useful_is_asked_only_where_there_was_something_to_learn():
    past = past_studies(
        {"source": "a", "good": 0.8, "poor": 0.5},
        {"source": "b", "good": 0.5, "poor": 0.8},
        {"source": "c", "ceiling": 0.51, "good": 0.9, "poor": 0.9},
        {"source": "d", "good": 0.9, "poor": 0.504},
    )
    assert predict(past, asked()).useful[0] == pytest.approx([2 / 3, 1 / 3])


def test_errors_come_from_other_sources_alone():
    errors, chosen = left_out_errors(THREE)
    assert errors[:, 0] == pytest.approx([0.1 - 0.3, 0.2 - 0.25, 0.4 - 0.15])
    assert errors[:, 1] == pytest.approx([0.4 - 0.25, 0.3 - 0.3, 0.2 - 0.35], abs=1e-6)
    # Without a, poor is chosen (0.25 < 0.3); without b, good (0.25 < 0.3); without c, good (0.15 < 0.35).
    assert chosen == pytest.approx([0.15, -0.05, 0.25])


def test_no_setting_of_the_same_source_tells_of_another():
    past = past_studies({"source": "a", "good": 0.8}, {"source": "a", "good": 0.6}, {"source": "b", "good": 0.5})
    errors, _ = left_out_errors(past)
    assert errors[:, 0] == pytest.approx([0.1 - 0.4, 0.3 - 0.4, 0.4 - 0.2])


def test_a_tenth_lies_beyond_either_end():
    """Losses of 1 to 20 hundredths: the error of each is 20/19 of what it is off the mean of 0.105."""
    losses = [at / 100 for at in range(1, 21)]
    past = past_studies(*({"source": f"s{at}", "good": 0.9 - loss, "poor": 0.1} for at, loss in enumerate(losses)))
    low, high = intervals(past, predict(past, asked()))
    assert low[0, 0] == pytest.approx(0.105 + (0.03 - 0.105) * 20 / 19, abs=1e-6)
    assert high[0, 0] == pytest.approx(0.105 + (0.18 - 0.105) * 20 / 19, abs=1e-6)


def test_intervals_are_the_prediction_and_the_ends_of_errors():
    prediction = predict(THREE, asked())
    low, high = intervals(THREE, prediction)
    assert (low[0, 0], high[0, 0]) == pytest.approx((0.7 / 3 - 0.05, 0.7 / 3 + 0.25))  # the chosen one: chosen errors
    assert (low[0, 1], high[0, 1]) == pytest.approx((0.3 - 0.15, 0.3 + 0.15))


def test_an_interval_holds_its_prediction():
    past = past_studies(
        {"source": "a", "good": 0.8, "poor": 0.1}, {"source": "b", "good": 0.5, "poor": 0.1, "epsilon": 100.0}
    )
    prediction = predict(past, asked())
    low, high = intervals(past, prediction)
    assert (low <= prediction.loss).all()
    assert (high >= prediction.loss).all()


def test_quantiles_count_weights():
    values, weights = np.array([5.0, 1.0, 3.0]), np.array([0.2, 0.7, 0.1])
    assert [quantile(values, weights, level) for level in (0.1, 0.7, 0.75, 0.8, 0.9, 1.0)] == [1, 1, 3, 3, 5, 5]


def test_one_source_says_nothing_about_others():
    with pytest.raises(ParameterError, match="two sources"):
        predict_left_out(past_studies({}, {"rows": 2000}))


def test_advice_names_the_least_predicted_loss_first(query):
    advice = advise(query, THREE)
    assert [forecast.learner for forecast in advice.forecasts] == ["good", "poor"]
    assert advice.advised.loss == pytest.approx(0.7 / 3)
    assert advice.sources == pytest.approx(3)
    assert advice.covered
    assert not advise(replace(query, rows=2000), THREE).covered


def test_the_nearest_experiment_of_each_source_is_named(query):
    past = past_studies(
        {"table": "a, x", "source": "a", "epsilon": 3.0, "good": 0.8},
        {"table": "a, y", "source": "a", "epsilon": 1.1, "good": 0.85, "poor": 0.6},
        {"table": "b", "source": "b", "epsilon": 10**0.35, "good": 0.4, "poor": 0.5},
    )
    first, second = advise(query, past).nearest
    assert (first.table, first.epsilon, first.learner, first.best) == ("a, y", 1.1, "good", "good")
    assert (first.loss, first.least_loss) == pytest.approx((0.05, 0.05))
    assert (second.table, second.best) == ("b", "poor")
    assert (second.loss, second.least_loss) == pytest.approx((0.5, 0.4))
    assert first.weight + second.weight == pytest.approx(1)
    assert first.weight > second.weight


def test_what_a_fit_takes_by_itself_is_advised_though_another_lost_less():
    small = {"epsilon": 0.005, "protected_columns": 1, "columns": 1, "tree": 0.6, "logistic": 0.7}
    past = past_studies(
        *({"source": at} | small for at in "ab"), *({"source": at, "delta": 1e-5} | small for at in "cd")
    )
    coded = Schema([Categorical("x", ["u", "v"])], label=ONE.label)
    for schema, delta, learner in ((coded, 0.0, "tree"), (ONE, 1e-5, "logistic")):
        query = Query.of(schema, rows=1000, epsilon=0.005, delta=delta)  # five rows times epsilon for one column
        advice = advise(query, past)
        assert advice.advised.learner == learner
        assert advice.why == choose(schema, Budget(0.005, delta), 1000).why
        assert advice.forecasts[0].learner == "good"
        assert {each.delta for each in advice.nearest} == {delta}
        assert {each.learner for each in advice.nearest} == {learner}
        unknown = advise(query, PastStudies(past.frame.drop(learner)))
        assert (unknown.advised.learner, unknown.why) == ("good", "")


def measured(**changes):
    """Return two experiments with a second measure, both of which it was taken in, and one without."""
    frame = past_studies({"source": "a"}, {"source": "b"}, {"source": "c"}).frame
    given = {"auc of ceiling": 0.9, "auc of good": 0.8, "log-loss of ceiling": 0.2, "log-loss of good": 0.7}
    given |= {"balanced accuracy of ceiling": 0.8, "balanced accuracy of good": 0.6} | changes
    given |= {"Brier score of ceiling": 0.1, "Brier score of good": 0.25}
    known = pl.col("source") != "c"
    return PastStudies(
        frame.with_columns(pl.when(known).then(pl.lit(value, pl.Float32)).alias(name) for name, value in given.items())
    )


def test_other_measures_are_predicted_where_they_were_taken(query):
    past = measured()
    assert past.learners == ("good", "poor")
    good, poor = advise(query, past).forecasts
    assert (good.auc.loss, good.log_loss.loss) == pytest.approx((0.1, 0.5), abs=1e-6)
    assert (good.auc.low, good.log_loss.high) == pytest.approx((0.1, 0.5), abs=1e-6)
    assert (good.balanced_accuracy.loss, good.brier.loss) == pytest.approx((0.2, 0.15), abs=1e-6)
    assert (poor.auc, poor.log_loss, poor.balanced_accuracy, poor.brier) == (None,) * 4
    assert by_measure(past, "auc").frame.height == 2
    assert advise(query, past, measures=()).forecasts[0].auc is None
    three = replace(query, meta_features=replace(query.meta_features, classes=3))
    assert advise(three, past).forecasts[0].auc is None
    more = PastStudies(past.frame.with_columns(classes=pl.lit(3, past.frame.schema["classes"])))
    assert advise(three, more).forecasts[0].auc.loss == pytest.approx(0.1, abs=1e-6)


def test_a_measure_beyond_its_range_is_refused():
    for name, value in (("auc of good", 1.2), ("log-loss of good", -0.1), ("log-loss of ceiling", 8.0)):
        with pytest.raises(ParameterError, match="past studies"):
            measured(**{name: value}) if not name.startswith("auc") else measured(**{name: -value})


def test_no_row_is_read(query, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a row was read")

    monkeypatch.setattr("tacit.datasets.catalog.load", refuse)
    monkeypatch.setattr("tacit.table.rows.read_rows", refuse)
    assert advise(query).advised.loss < 1


def test_packaged_advice_gets_better_with_budget(query):
    losses = [advise(replace(query, rows=10_000, epsilon=epsilon)).advised.loss for epsilon in (0.01, 0.1, 1.0)]
    assert losses[0] > losses[1] > losses[2]


def test_labels_alone_are_advised_on():
    schema = Schema([Numeric("age", 0, 90, private=False)], label=Label("ill", ["no", "yes"]))
    assert advise(Query.of(schema, rows=5000, epsilon=1.0)).advised.loss < 0.5
