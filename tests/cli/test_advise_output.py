"""Sentences of `tacit advise`."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from study.advice.hand_made import past_studies
from tacit import Label, Numeric, Schema
from tacit.cli import advise_output as words
from tacit.study.advice import Forecast, Query, advise


def forecast(loss=0.02, low=0.01, high=0.05, useful=1.0):
    return Forecast("lazybb", loss, low, high, useful)


@pytest.mark.parametrize(
    ("loss", "size"), [(0.004, "hardly anything"), (0.02, "little"), (0.05, "a good deal"), (0.3, "a lot")]
)
def test_losses_have_a_size(loss, size):
    said = words.expected_loss(forecast(loss=loss, high=0.4))
    assert said.endswith(f"{size}.")
    assert f"{100 * loss:.1f} points" in said


def test_intervals_end_at_nothing():
    assert words.interval(forecast()) == "1.0 to 5.0"
    assert words.interval(forecast(low=-0.03)) == "0 to 5.0"
    assert words.interval(forecast(low=-0.03, high=-0.01)) == "none"


def test_usefulness_is_said_plainly():
    assert words.usefulness(forecast(useful=0.93)).startswith("It was better")
    assert "9 of 10" in words.usefulness(forecast(useful=0.93))
    assert words.usefulness(forecast(useful=0.5)).startswith("It may learn nothing")
    assert words.usefulness(forecast(useful=0.1)).startswith("Do not expect")


def test_outside_is_said_with_the_quantity():
    schema = Schema([Numeric(f"x{at}", 0, 1) for at in range(10)], label=Label("y", [0, 1]))
    query = Query.of(schema, rows=1000, epsilon=1.0)
    sizes = {"width": query.meta_features.width, "literals": query.meta_features.literals}
    past = past_studies({"source": "a"} | sizes, {"source": "b"} | sizes)
    assert words.warning(advise(query, past)) is None
    assert words.basis(advise(query, past)).startswith("This rests on about 2 public tables")
    said = words.warning(advise(replace(query, rows=10**6, epsilon=1.0), past))
    assert re.match(r"OUTSIDE WHAT WAS TRIED: rows = 1,000,000 is above 1,000; rows x epsilon", said)
