"""How many rows a wanted accuracy needs, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from study.advice.hand_made import past_studies
from tacit import Label, Numeric, Schema
from tacit.errors import ParameterError
from tacit.study.advice import PastStudies, Query, advise, rows_needed

LOST = {1_000: 0.3, 10_000: 0.2, 100_000: 0.1}
"""By "good", in two sources, so far apart in rows that the nearest experiments alone count."""
PAST = past_studies(*({"source": at, "rows": rows, "good": 0.9 - lost} for at in "ab" for rows, lost in LOST.items()))


def test_the_first_number_of_rows_that_is_enough_as_all_larger_ones_are(query):
    found = rows_needed(query, 0.65, PAST)
    # Between 1,000 and 10,000 rows the prediction goes from 0.6 to 0.7.
    assert 1_000 < found.rows < 10_000
    assert found.fewest == found.most == found.rows  # both sources agree: the interval is a point
    assert (found.tried, found.reached) == (100_000, pytest.approx(0.8, abs=0.01))
    assert rows_needed(query, 0.75, PAST).rows > 10_000
    assert rows_needed(query, 0.1, PAST).rows == 1_000


def test_a_number_is_not_enough_where_a_larger_one_is_not(query):
    lost = {1_000: 0.1, 10_000: 0.3, 100_000: 0.1}
    dip = past_studies(*({"source": at, "rows": rows, "good": 0.9 - by} for at in "ab" for rows, by in lost.items()))
    assert rows_needed(query, 0.75, dip).rows > 10_000


def test_where_no_number_is_enough_none_is_named(query):
    found = rows_needed(query, 0.95, PAST)
    assert (found.rows, found.fewest, found.most) == (None, None, None)


def test_sources_that_differ_leave_an_interval(query):
    past = past_studies(
        *({"source": "a", "rows": rows, "good": 0.9 - lost} for rows, lost in LOST.items()),
        *({"source": "b", "rows": rows, "good": 0.85 - lost} for rows, lost in LOST.items()),
    )
    found = rows_needed(query, 0.7, past)
    assert found.fewest < found.rows < (found.most or np.inf)
    assert found.low < found.reached < found.high


def test_what_is_reached_without_privacy_replaces_other_tables(query):
    # "good" loses 0.2 at 10,000 rows: of 1.0 that leaves 0.8, of other tables' 0.9 it leaves 0.7.
    assert rows_needed(query, 0.75, PAST, best=1.0).rows < rows_needed(query, 0.75, PAST).rows
    with pytest.raises(ParameterError, match="without privacy"):
        rows_needed(query, 0.95, PAST, best=0.9)


@pytest.mark.parametrize("wrong", [0.0, 1.5, -1.0, float("nan")])
def test_an_accuracy_is_a_share(query, wrong):
    with pytest.raises(ParameterError, match="accuracy"):
        rows_needed(query, wrong, PAST)
    with pytest.raises(ParameterError, match="best"):
        rows_needed(query, 0.5, PAST, best=wrong)


def test_what_was_not_tried_has_no_answer(query):
    with pytest.raises(ParameterError, match="not tried"):
        rows_needed(replace(query, epsilon=1e-4), 0.8, PAST)


def test_a_delta_never_reaches_one_over_the_rows_that_are_asked_about(query):
    with_delta = PastStudies(PAST.frame.with_columns(delta=1e-4))
    assert rows_needed(replace(query, delta=1e-4, rows=100), 0.1, with_delta).tried < 10_000


def test_the_answer_is_that_of_advice_on_so_many_rows(packaged):
    schema = Schema([Numeric(name, 0, 1) for name in "abcd"], label=Label("y", [0, 1]))
    query = Query.of(schema, rows=500, epsilon=1.0, delta=1e-6)
    found = rows_needed(query, 0.8, packaged, best=0.9)
    losses = [advise(replace(query, rows=rows), packaged).advised.loss for rows in (found.rows, found.tried)]
    assert 0.9 - losses[0] >= 0.8
    assert found.reached == pytest.approx(0.9 - losses[1])
