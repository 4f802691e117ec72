"""Whole searches, run many times on neighbors: below their claim and above half of it, and half the noise is caught."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import BRCClassifier, Categorical, Label, PaidSearch, Schema
from tacit.audit import Claim, Effort
from tacit.audit.objects import audit_object
from tacit.audit.table_pairs import TablePair
from tacit.estimators.search import by_epsilon, by_rows, price

SCHEMA = Schema([Categorical("x", ["a", "b"])], label=Label("y", ["no", "yes"]))


def pair(at):
    """Return six rows of which one has another label; positions 0 and 1 train, 2 compares, and the others are final."""
    X = pl.DataFrame({"x": ["a"] * 6})
    first = ["no"] * 6
    return TablePair((X, first), (X, [*first[:at], "yes", *first[at + 1 :]]), pl.DataFrame({"x": ["a", "b"]}))


def maker(pay):
    def make(*, epsilon, seed):
        estimator = BRCClassifier(SCHEMA, rounds=1)
        given = {"pay": pay, "rows": 0.5, "scoring": "accuracy", "epsilon": epsilon, "random_state": seed}
        return PaidSearch(estimator, {"intercept": ["uniform"]}, **given)

    return make


@pytest.fixture(autouse=True)
def _an_order_that_the_audit_knows(monkeypatch):
    """A secret order hides which slice the row is in, and so hides more than is claimed."""
    for name in ("MIN_SIGNAL", "MIN_SIGNAL_OF_RUN"):
        monkeypatch.setattr(price, name, 1e-6)
    monkeypatch.setattr(price, "MIN_ROWS", 1)
    for module in (by_rows, by_epsilon):
        monkeypatch.setattr(module, "secret_order", lambda noise, size: np.arange(size))


@pytest.mark.audit
def test_the_final_fit_is_found_above_half_the_claim_and_half_the_noise_is_refuted():
    finding = audit_object(maker("rows"), Claim(1.0), [pair(5)], effort=Effort(minutes=5, most=3_900))
    assert 0.5 < finding.bound <= 1 < finding.half_noise
    assert finding.verdict == "not refuted"


@pytest.mark.audit
@pytest.mark.parametrize(("pay", "at"), [("rows", 0), ("rows", 2), ("epsilon", 0), ("epsilon", 5)])
def test_a_row_of_the_other_slices_is_not_found_above_the_claim(pay, at):
    finding = audit_object(maker(pay), Claim(1.0), [pair(at)], effort=Effort(minutes=2, most=510))
    assert finding.bound <= 1 and finding.verdict != "refuted"
