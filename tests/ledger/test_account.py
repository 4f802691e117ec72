"""Accounts: whole amounts rounded up, limits rounded down, units that a fit may not fall short of."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, nan

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from tacit.errors import AccountExceeded, LedgerError, ParameterError
from tacit.ledger import DELTA_UNIT, UNIT, Account, AccountUnit
from tacit.ledger.lines import Line, as_detail, read_account
from tacit.mechanisms.gaussian import gaussian_delta
from tacit.privacy import Budget, pure_to_zcdp, zcdp_rho
from tacit.schema import Categorical, Label, Numeric, Schema

EPSILONS = st.floats(1e-9, 1e6)


@given(EPSILONS, EPSILONS)
def test_amounts_are_rounded_up_and_limits_down(limit, epsilon):
    account = Account.of("people", Budget(limit))
    assert Fraction(account.limit, UNIT) <= Fraction(limit) < Fraction(account.limit + 1, UNIT)
    cost = account.cost(Budget(epsilon))
    assert Fraction(cost - 1, UNIT) < Fraction(epsilon) <= Fraction(cost, UNIT)


def test_an_account_of_rho_charges_what_the_budget_allows():
    account = Account.of("people", Budget(3.0, 1e-6))
    assert (account.currency, account.delta) == ("rho", 1e-6)
    assert account.epsilon == pytest.approx(3.0, rel=1e-9)
    assert account.cost(Budget(0.5, 1e-7)) == ceil(Fraction(zcdp_rho(0.5, 1e-7)) * UNIT)
    # Without a delta a fit is pure, whose rho is epsilon tanh(epsilon / 2).
    assert account.cost(Budget(0.5)) == ceil(Fraction(pure_to_zcdp(0.5)) * UNIT)
    assert account.cost(Budget(0.5)) > 20 * account.cost(Budget(0.5, 1e-7))


@given(st.lists(st.floats(1e-9, 10), min_size=1, max_size=20))
def test_pure_losses_cost_no_more_rho_one_by_one_than_together(losses):
    """What a pure fit is charged in rho bounds its releases, however they are divided."""
    assert sum(map(pure_to_zcdp, losses)) <= pure_to_zcdp(sum(losses)) * (1 + 1e-12)


def test_a_pure_account_refuses_a_delta():
    with pytest.raises(LedgerError, match="delta=0, as account 'people' counts pure epsilon, got delta=1e-09"):
        Account.of("people", Budget(3.0)).cost(Budget(0.5, 1e-9))


def test_a_refusal_says_asked_spent_left_and_what_would_fit():
    account = Account.of("people", Budget(3.0))
    with pytest.raises(AccountExceeded) as caught:
        account.check(Budget(1.0), 5 * UNIT // 2)
    assert str(caught.value) == (
        "Expected a fit within account 'people', got asked epsilon 1, spent 2.5, left 0.5. "
        "A fit of epsilon 0.5 would fit."
    )
    handed_over = pickle.loads(pickle.dumps(caught.value))
    assert str(handed_over) == str(caught.value)
    assert (handed_over.requested, handed_over.spent, handed_over.remaining, handed_over.fits) == (1.0, 2.5, 0.5, 0.5)
    with pytest.raises(AccountExceeded, match=r"left 0\. No fit would fit"):
        account.check(Budget(1e-9), account.limit)


def test_the_last_unit_may_be_spent_and_not_one_more():
    account = Account.of("people", Budget(3.0))
    assert account.check(Budget(0.5), account.limit - UNIT // 2) == UNIT // 2
    with pytest.raises(AccountExceeded):
        account.check(Budget(0.5), account.limit - UNIT // 2 + 1)


@settings(max_examples=20)
@given(st.integers(0, 3 * UNIT), st.sampled_from([0.0, 1e-6]), st.sampled_from([0.0, 1e-6]))
def test_what_would_fit_does(spent, own, delta):
    account = Account.of("people", Budget(3.0, own))
    if not own and delta:
        return
    spent = min(spent, account.limit)
    fits = account.fitting(spent, delta)
    if fits:
        account.check(Budget(fits, delta), spent)
    with pytest.raises(AccountExceeded):
        account.check(Budget(max(fits * 1.0001, 1.1e-9), delta), spent)


SCHEMA = Schema(
    [Numeric("age", 0, 90), Categorical("sex", ["f", "m"], private=False)], label=Label("ill", ["no", "yes"])
)


def test_the_unit_of_a_schema_names_what_is_public():
    assert AccountUnit.of(SCHEMA) == AccountUnit(public=("sex",))
    assert AccountUnit.of(SCHEMA.with_private(["sex"], label=False)) == AccountUnit(public=("age", "ill"))
    assert AccountUnit.of(SCHEMA.all_private()) == AccountUnit()


def test_a_fit_may_protect_more_than_its_account_and_not_less():
    unit = AccountUnit(public=("sex", "town"))
    unit.check(AccountUnit.of(SCHEMA))
    unit.check(AccountUnit())
    with pytest.raises(LedgerError, match="got 'age', 'ill' declared public"):
        unit.check(AccountUnit(public=("age", "ill", "sex")))


@pytest.mark.parametrize(
    ("account", "fit", "way"),
    [
        (AccountUnit(identifier="person"), AccountUnit(), "`tacit ledger new --rows`"),
        (AccountUnit(identifier="person"), AccountUnit(rows_per_person=2), "`tacit ledger new --schema SCHEMA`"),
        (AccountUnit(), AccountUnit(identifier="person"), "`tacit ledger new --identifier person`"),
        (AccountUnit(), AccountUnit(identifier=("nr", "a b")), "`tacit ledger new --identifier 'a b' --identifier nr`"),
        (AccountUnit(identifier="person"), AccountUnit(identifier="household"), "--identifier household`"),
        (AccountUnit(rows_per_person=3), AccountUnit(rows_per_person=2), "Declare rows_per_person=3"),
    ],
)
def test_a_fit_of_another_unit_is_refused(account, fit, way):
    with pytest.raises(LedgerError, match="Expected a fit that protects") as refused:
        account.check(fit)
    assert way in str(refused.value)


def test_rows_without_a_label_are_left_out_where_the_account_says_so():
    dropped = AccountUnit.of(Schema(SCHEMA.columns, label=Label("ill", ["no", "yes"], missing="drop")))
    assert dropped == AccountUnit(public=("sex",), labeled=("ill",))
    for account in (dropped, AccountUnit(public=("sex",), labeled=("dead", "ill")), AccountUnit(public=("ill", "sex"))):
        account.check(dropped)
        account.check(AccountUnit(public=("sex",)))  # which needs less to be public
    for account in (AccountUnit(public=("sex",)), AccountUnit(public=("sex",), labeled=("dead",))):
        with pytest.raises(LedgerError, match=r"got label 'ill' with missing = 'drop'.*--labeled ill"):
            account.check(dropped)
    assert str(dropped) == "one row; public: 'sex'; which rows have 'ill' is public"


def test_accounts_of_earlier_ledgers_leave_out_no_rows():
    line = Line.after(
        None, day="2026-01-31", kind="account", account="a", detail=as_detail(Account.of("a", Budget(1.0)))
    )
    known = json.loads(line.detail)
    assert known.pop("labeled") == []
    assert read_account(replace(line, detail=json.dumps(known))) == Account.of("a", Budget(1.0))
    unit = AccountUnit(("sex",), ("a", "b"), labeled=("ill",))
    told = replace(line, detail=as_detail(Account.of("a", Budget(1.0), unit)))
    assert read_account(told).unit == unit


def test_more_rows_of_a_person_than_the_account_has_are_admitted():
    AccountUnit(rows_per_person=2).check(AccountUnit(rows_per_person=3))


@pytest.mark.parametrize("epsilon", [0, -1.0, 5e-324, 1e-12, nan, float("inf"), 1e7, True, "3"])
def test_an_absurd_amount_is_refused(epsilon):
    with pytest.raises(ParameterError):
        Account.of("people", Budget(epsilon))


@pytest.mark.parametrize("name", ["", " ", "a#b", "line\nbreak", "x" * 81, 3, None])
def test_an_absurd_name_is_refused(name):
    with pytest.raises(ParameterError, match="Expected a name"):
        Account.of(name, Budget(1.0))


@pytest.mark.parametrize(("limit", "delta"), [(0, 0.0), (-UNIT, 0.0), (2**63, 0.0), (UNIT, 1e-6)])
def test_an_account_does_not_contradict_itself(limit, delta):
    with pytest.raises(ParameterError):
        Account("people", "epsilon", limit, delta)


def test_an_account_that_sets_deltas_aside_converts_rho_at_the_rest():
    account = Account.of("people", Budget(2.0, 1e-6), approximate_delta=4e-7)
    assert account.limit == floor(Fraction(zcdp_rho(2.0, account.converting_delta)) * UNIT)
    assert 0 < 6e-7 - account.converting_delta < 1e-20
    assert account.epsilon == pytest.approx(2.0)
    assert account.cost(Budget(0.5, 1e-7), beside=Fraction(1e-7)) == account.cost(Budget(0.5))
    half = account.cost(Budget(0.5, 1e-7), beside=Fraction(1e-7) / 2)
    assert half == ceil(Fraction(zcdp_rho(0.5, 5e-8)) * UNIT) < account.cost(Budget(0.5)) / 10
    assert account.check_delta(Fraction(1e-7), 0) == ceil(Fraction(1e-7) * DELTA_UNIT)
    with pytest.raises(LedgerError, match="with 5e-08 of 4e-07 left"):
        account.check_delta(Fraction(1e-7), floor(Fraction(3.5e-7) * DELTA_UNIT))
    for refused in (1e-6, -1e-9, float("nan")):
        with pytest.raises(ParameterError, match="approximate_delta"):
            Account.of("people", Budget(2.0, 1e-6), approximate_delta=refused)
    with pytest.raises(ParameterError, match="approximate_delta"):
        Account.of("people", Budget(2.0), approximate_delta=1e-9)


@given(st.floats(0.2, 3.0), st.integers(1, 6), st.floats(0.05, 0.5), st.floats(0.1, 0.9))
def test_gaussian_and_worst_approximate_releases_stay_within_the_whole_budget(epsilon, count, each, part):
    """Exactly: (e, d) randomized response, telling all with probability d, count times, and one Gaussian release."""
    whole, beside = 1e-3, 5e-4
    account = Account.of("people", Budget(epsilon, whole), approximate_delta=beside)
    left = account.limit - count * account.cost(Budget(each, beside / count), beside=Fraction(beside / count))
    assume(left > 0)
    rho, told = part * left / UNIT, 1 - (1 - beside / count) ** count
    right = 1 / (1 + np.exp(-each))
    failure = told
    for wins in range(count + 1):
        loss = each * (2 * wins - count)
        distribution = stats.binom.pmf(wins, count, right)
        failure += (1 - told) * distribution * gaussian_delta(epsilon - loss, 1 / np.sqrt(2 * rho))
    assert failure <= whole
