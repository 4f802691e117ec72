"""Sentences of `tacit advise`."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from study.advice.hand_made import past_studies
from tacit import Label, Numeric, Schema
from tacit.cli import advise_output as words
from tacit.privacy import zcdp_rho
from tacit.study.advice import Forecast, Loss, MetaFeatures, Query, RowsNeeded, advise

TEN = Schema([Numeric(f"x{at}", 0, 1) for at in range(10)], label=Label("y", [0, 1]))
SIZES = {name: getattr(MetaFeatures.of(TEN), name) for name in ("width", "literals")}
TWO = past_studies({"source": "a"} | SIZES, {"source": "b"} | SIZES)


def forecast(loss=0.02, low=0.01, high=0.05, useful=1.0):
    return Forecast("lazybb", loss, low, high, useful)


@pytest.mark.parametrize(
    ("loss", "size"), [(0.004, "hardly anything"), (0.02, "small"), (0.05, "moderate"), (0.3, "large")]
)
def test_losses_have_a_size(loss, size):
    said = words.expected_loss(forecast(loss=loss, high=0.4))
    assert said.endswith(f"{size}.")
    assert f"{100 * loss:.1f} points" in said


def test_intervals_end_at_nothing():
    assert words.interval(forecast()) == "1.0 to 5.0"
    assert words.interval(forecast(low=-0.03)) == "0 to 5.0"
    assert words.interval(forecast(low=-0.03, high=-0.01)) == "none"


def test_other_measures_are_said_where_they_are_known():
    assert words.other_losses(forecast()) == ""
    found = replace(forecast(), auc=Loss(0.021, -0.01, 0.05), log_loss=Loss(0.123, -0.2, 0.456))
    assert words.other_losses(found) == ("Likewise: 2.1 points of AUC, 0 to 5.0; 0.12 nats of log-loss, 0.00 to 0.46.")
    others = replace(forecast(), balanced_accuracy=Loss(0.03, 0.02, 0.04), brier=Loss(0.01, 0.0, 0.02))
    assert words.other_losses(others) == (
        "Likewise: 3.0 points of balanced accuracy, 2.0 to 4.0; 1.0 points of the Brier score, 0 to 2.0."
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "takes about 3,000 rows, 700 to 20,000 in 4 of 5 cases."),
        ({"most": None}, "takes about 3,000 rows, 700 to more than the 200,000 that were tried in 4 of 5 cases."),
        ({"rows": None, "most": None}, "is not expected with any number of rows that was tried, up to 200,000: 84.0%"),
        ({"rows": None, "most": None, "fewest": None}, "is not reached with any number of rows that was tried"),
    ],
)
def test_rows_that_are_not_known_are_not_named(changes, said):
    known = {"rows": 3000, "fewest": 700, "most": 20_000, "tried": 200_000, "reached": 0.84, "low": 0.8, "high": 0.9}
    needed = RowsNeeded(accuracy=0.85, best=0.9, **(known | changes))
    assert said in words.rows_sentence(needed)
    assert "None" not in words.rows_sentence(needed)


def test_another_learner_is_named_where_past_studies_favor_it():
    advice = advise(Query.of(TEN, rows=1000, epsilon=1.0), TWO)
    assert words.favored(advice) == ""
    behind = replace(advice, advised=forecast(loss=advice.forecasts[0].loss + 0.02))
    assert words.favored(behind) == "In similar experiments good lost 2.0 points less: --learner good takes it."


def test_usefulness_is_said_plainly():
    assert words.usefulness(forecast(useful=0.93), majority=0.6).startswith("It was better")
    assert "9 of 10" in words.usefulness(forecast(useful=0.93), majority=0.6)
    said = words.usefulness(forecast(useful=0.93), majority=None)
    assert said.startswith("Prevalence unknown") and "of 10" not in said
    # Similar experiments of other shares of the classes say nothing of such a label.
    assert "of 10" not in words.usefulness(forecast(useful=0.93), majority=0.95)
    for known in (None, 0.6, 0.95):
        assert words.usefulness(forecast(useful=0.5), majority=known).startswith("It may learn nothing")
        assert words.usefulness(forecast(useful=0.1), majority=known).startswith("Do not expect")


def declared(*prevalence):
    label = Label("y", [0, 1], prevalence=prevalence or None)
    return Schema([Numeric(f"x{at}", 0, 1) for at in range(10)], label=label)


@pytest.mark.parametrize(
    ("prevalence", "lead"), [((), "accuracy"), ((0.21, 0.79), "accuracy"), ((0.2, 0.8), "auc"), ((0.99, 0.01), "auc")]
)
def test_what_is_declared_of_the_classes_decides_what_leads(prevalence, lead):
    advice = advise(Query.of(declared(*prevalence), rows=1000, epsilon=1.0), TWO)
    known = replace(advice, advised=replace(advice.advised, auc=Loss(0.04, 0.0, 0.1)))
    assert words.leading(known) == lead
    assert bool(words.why_leading(known, lead)) == (lead == "auc")


def test_without_a_forecast_of_auc_balanced_accuracy_leads():
    advice = advise(Query.of(declared(0.1, 0.9), rows=1000, epsilon=1.0), TWO)
    assert words.leading(replace(advice, advised=forecast())) == "accuracy"
    balanced = replace(forecast(), balanced_accuracy=Loss(0.04, 0.0, 0.1))
    assert words.leading(replace(advice, advised=balanced)) == "balanced_accuracy"


def test_a_loss_of_the_leading_measure_comes_first_and_has_no_verdict():
    found = replace(forecast(), auc=Loss(0.04, 0.0, 0.1))
    assert words.expected_loss(found, "auc") == (
        "Expected loss: 4.0 points of AUC against the best without privacy, 0 to 10.0 in 4 of 5 cases."
    )
    assert words.other_losses(found, "auc") == "Likewise: 2.0 points of accuracy, 1.0 to 5.0."


def test_a_delta_that_was_not_tried_is_said_in_one_that_was():
    query = Query.of(TEN, rows=1000, epsilon=1.0, delta=1e-6)
    assert words.other_delta(query, [1e-6, 1e-5]) == words.other_delta(replace(query, delta=0.0), [1e-5]) == ""
    said = words.other_delta(query, [1e-5])
    epsilon = float(re.search(r"counts as epsilon ([0-9.]+) at delta 1e-05", said)[1])
    assert zcdp_rho(epsilon, 1e-5) == pytest.approx(zcdp_rho(1.0, 1e-6), rel=0.01)


def test_outside_is_said_with_the_quantity():
    query = Query.of(TEN, rows=1000, epsilon=1.0)
    assert words.warning(advise(query, TWO)) is None
    assert words.basis(advise(query, TWO)).startswith("This rests on about 2 public tables")
    said = words.warning(advise(replace(query, rows=10**6, epsilon=1.0), TWO))
    assert re.match(r"OUTSIDE WHAT WAS TRIED: rows = 1,000,000 is above 1,000; rows x epsilon", said)
