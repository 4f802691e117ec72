"""A ledger does what a list of numbers does, over any sequence of calls."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from tacit.errors import AccountExceeded, LedgerError
from tacit.ledger import UNIT, Account, AccountUnit, Ledger
from tacit.ledger.lines import faults
from tacit.privacy import Budget

LIMITS = {"small": 0.3, "large": 2.0}


class Ledgers(RuleBasedStateMachine):
    """Two accounts of one file, against a list of amounts for each."""

    charges, ended = Bundle("charges"), Bundle("ended")

    def __init__(self):
        super().__init__()
        self.folder = TemporaryDirectory()
        self.ledger = Ledger(Path(self.folder.name) / "x.ledger")
        for name, limit in LIMITS.items():
            self.ledger.open(Account.of(name, Budget(limit)))
        self.spent = {name: [] for name in LIMITS}

    @rule(target=charges, name=st.sampled_from(sorted(LIMITS)), epsilon=st.floats(1e-9, 0.7))
    def reserve(self, name, epsilon):
        amount, limit = ceil(Fraction(epsilon) * UNIT), int(Fraction(LIMITS[name]) * UNIT)
        if sum(self.spent[name]) + amount > limit:
            with pytest.raises(AccountExceeded) as caught:
                self.ledger.reserve(Budget(epsilon), AccountUnit(), account=name)
            assert caught.value.remaining * UNIT == limit - sum(self.spent[name])
            return None
        self.spent[name].append(amount)
        return self.ledger.reserve(Budget(epsilon), AccountUnit(), account=name).charge, amount

    @rule(target=ended, charge=consumes(charges))
    def give_back(self, charge):
        if charge:
            self.ledger.give_back(charge[0])
            self.spent[charge[0].account].remove(charge[1])
        return charge

    @rule(target=ended, charge=consumes(charges))
    def commit(self, charge):
        if charge:
            self.ledger.commit(charge[0], "ab" * 32)
        return charge

    @rule(charge=ended)
    def end_again(self, charge):
        if charge:
            with pytest.raises(LedgerError):
                self.ledger.give_back(charge[0])

    @rule(name=st.sampled_from(sorted(LIMITS)))
    def note(self, name):
        self.ledger.note_uncovered("study", account=name)

    @invariant()
    def agrees_with_the_list(self):
        assert [each.spent for each in self.ledger.balances()] == [sum(self.spent[name]) for name in LIMITS]

    def teardown(self):
        assert list(faults(self.ledger.lines())) == []
        self.folder.cleanup()


Ledgers.TestCase.settings = settings(max_examples=8, stateful_step_count=12, deadline=None)
TestLedgers = Ledgers.TestCase
