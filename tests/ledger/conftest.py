"""A ledger with one account of epsilon 3."""

import pytest

from tacit.ledger import Account, Ledger
from tacit.privacy import Budget


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(tmp_path / "people.ledger")
    made.open(Account.of("people", Budget(3.0)))
    return made
