"""A search paid in rows: replayed on neighbors as a whole, and what it would show if its slices were not disjoint."""

from __future__ import annotations

import pytest

from harness.flipped_labels import PAIRS, SCHEMA
from tacit import NaiveBayesClassifier, PaidSearch
from tacit.audit import Claim, replay, replay_pair
from tacit.audit.replay import press
from tacit.estimators.search import price
from tacit.table import Table


@pytest.fixture(autouse=True)
def _a_search_that_few_rows_pay_for(monkeypatch):
    monkeypatch.setattr(price, "MIN_SIGNAL", 1.0)
    monkeypatch.setattr(price, "MIN_ROWS", 10)
    monkeypatch.setattr(price, "_keeps_cuts", lambda *given: True)


def search(**given):
    estimator = NaiveBayesClassifier(SCHEMA, cut_points="grid", calibration=0.0, n_bins=2)
    return PaidSearch(estimator, {"n_bins": [8]}, **{"epsilon": 8.0, "rows": 0.5, "scoring": "accuracy", **given})


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_every_release_is_within_its_share_and_half_the_noise_is_not(delta):
    found = replay(lambda: search(delta=delta), PAIRS, claim=Claim(8.0, delta))
    assert found.verdict == "not refuted"
    assert len(found.releases) == 2 and all(0.9 < release.reached <= 1 + 1e-9 for release in found.releases)
    assert 4.0 < found.bound <= 8.0 * (1 + 1e-9)
    assert [control.name for control in found.controls if control.caught != control.broken] == []


def test_a_row_that_is_replaced_pays_in_one_slice_alone():
    slices = set()
    for at, each in enumerate(PAIRS):
        found = replay_pair(search, each, seed=at)
        paid = {step.line.slice for step in found.steps if step.loss > 0}
        assert len(paid) <= 1 and found.epsilon <= 8.0 * (1 + 1e-9) and found.differences == ()
        slices |= paid
    assert len(slices) == 3


def test_slices_that_share_rows_would_pay_twice(monkeypatch):
    """The choice and the final fit read the rows that candidates were trained on."""
    whole = Table.slices

    def overlapping(table, sizes, order=None):
        parts = whole(table, sizes, order)
        return [Table(table.schema, parts[0]._shards, slice=part.unit.slice) for part in parts]

    monkeypatch.setattr(Table, "slices", overlapping)
    assert max(press(replay_pair(search, each, seed=at), search).epsilon for at, each in enumerate(PAIRS)) > 12.0
