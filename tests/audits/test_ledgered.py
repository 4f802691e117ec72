"""Replay of fits that a ledger charged in rho, so that every learner composes as rho: tight, half the noise is seen."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import pytest

from tacit import Categorical, Label, NaiveBayesClassifier, Schema
from tacit.audit import Claim
from tacit.audit.reading import audit_pairs
from tacit.audit.search import replay
from tacit.ledger import UNIT, Account
from tacit.privacy import Budget, Charge, ReservedCharge, paying

SCHEMA = Schema([Categorical("vote", ["no", "yes"])], label=Label("ward", ["east", "west"], private=False))
CLAIM = Claim(1.0, 1e-3)


class Charged:
    """Every fit is charged, as an audit's own fits are not: their answers are forced."""

    def fit(self, X, y):
        budget = Budget(CLAIM.epsilon, CLAIM.delta)
        amount = Fraction(Account.of("people", Budget(3.0, 1e-6)).cost(budget), UNIT)
        charge = Charge("a" * 32, "people", 1, "b" * 64)
        with paying(ReservedCharge(charge, budget, "rho", amount)):
            super().fit(X, y)
        assert self.privacy_.composition == "zcdp"
        assert Fraction(self.privacy_.rho) <= amount
        return self


class ChargedNaiveBayes(Charged, NaiveBayesClassifier):
    """Counts."""


@pytest.mark.filterwarnings("ignore")
def test_a_charged_fit_is_within_its_claim_and_half_its_noise_is_not():
    def make():
        return ChargedNaiveBayes(SCHEMA, epsilon=CLAIM.epsilon, delta=CLAIM.delta, on_invalid="coerce")

    found = replay(make, islice(audit_pairs(SCHEMA, seed=1), 6), claim=CLAIM)
    assert found.verdict == "not refuted"
    assert 0.5 * CLAIM.epsilon < found.bound <= CLAIM.epsilon * (1 + 1e-9)
    assert found.half_noise > CLAIM.epsilon
