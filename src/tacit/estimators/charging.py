"""How a fit is charged to a ledger: before a row is read, once, and with the certificate that it ended with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit.errors import ParameterError, PrivacyError, SchemaError, TableError
from tacit.ledger import AccountUnit, Payment, named_ledger
from tacit.models.document import certificate_digest
from tacit.models.released_schema import schema_guarantee
from tacit.privacy import Budget, Guarantee, interposed
from tacit.privacy.parameters import NONE, Kind, Requirement
from tacit.schema import Schema
from tacit.schema.columns import open_bounds
from tacit.table import OnInvalid, column_names, is_named
from tacit.table.unread import check_types

LEDGER: Requirement = NONE | Kind(
    "the path of a ledger, 'path#account', or 'none'",
    lambda value: isinstance(value, Path) or (isinstance(value, str) and bool(value.strip()) and "\0" not in value),
    "Make a ledger with `tacit ledger new --schema`.",
)

_open: ContextVar[Payment | None] = ContextVar("open", default=None)


@contextmanager
def charged(
    ledger: str | Path | None,
    schema: Any,
    budget: Budget,
    *,
    fitted: str,
    random_state: Any = None,
    void: Sequence[str] = (),
    has_rho: bool = True,
    thresholds: Fraction = Fraction(0),
    refuse: Callable[[int | None], None] | None = None,
) -> Iterator[Payment | None]:
    """Charge a ledger for the one fit in the body, which says when it reads rows; None where there is no ledger.

    A fit in the body of another ``charged`` is the one that it paid for.

    Parameters
    ----------
    ledger : str, Path or None
        As estimators take it.
    schema : Schema or "infer"
    budget : Budget
        What the fit may cost.
    fitted : str
        Name of the learner.
    random_state : None or other
        Other than None, noise could be repeated.
    void : sequence of str
        Why its certificate would promise nothing.
    has_rho : bool
        Whether its releases compose in rho under a delta; else an account of rho charges all of the delta beside.
    thresholds : Fraction
        The part of delta that an account of rho charges beside where they do.
    refuse : callable, optional
        Refuses what the schema and the number of rows show, before these are read; gets None for a number that is not
        public or not known.

    Raises
    ------
    AccountExceeded, LedgerError
        If it is refused; nothing is charged.
    SchemaError
        If bounds are open; nothing is charged.
    ParameterError
        If no certificate would cover what is charged.
    """
    if isinstance(schema, Schema) and schema.open:
        raise SchemaError(open_bounds(schema.open))
    outer = _open.get()
    # What an audit answers is no release: its certificate is void, and the tally does not count it either.
    named = None if outer or interposed() is not None else named_ledger(ledger)
    if outer is not None or named is None:
        yield outer
        return
    _check_covered(schema, random_state, void)
    book, account = named
    unit = AccountUnit.of(schema)
    if not schema.full.private_columns and not schema.label.private:
        book.balance(account).account.unit.check(unit)
        yield None
        return
    beside = thresholds if has_rho else Fraction(budget.delta)
    with book.charged(budget, unit, account=account, fitted=fitted, beside=beside) as payment:
        _check_same_account(schema, payment)
        payment.refuse = refuse
        token = _open.set(payment)
        try:
            yield payment
        finally:
            _open.reset(token)


def is_charged(ledger: str | Path | None) -> bool:
    """Tell whether ``charged`` would charge a ledger, as no charge around it pays for the fit."""
    return _open.get() is None and interposed() is None and named_ledger(ledger) is not None


def commit(payment: Payment | None, guarantee: Guarantee) -> None:
    """Note the certificate that a fit ended with, before anything of the fit is handed over."""
    if payment is None:
        return
    if guarantee.charge != payment.reserved.charge:
        raise PrivacyError("Expected a certificate of what was charged, got another. Report this as a bug.")
    payment.commit(certificate_digest(guarantee))


def check_unread(X: Any, y: Any, schema: Schema, on_invalid: OnInvalid, weights: Any = None) -> int | None:
    """Refuse what shapes, types and names of opened rows and labels show; looks at no cell.

    Returns
    -------
    int or None
        The number of rows that are read, where it is public: None under an identifier or where rows without a label are
        left out, and of a query, which was not asked yet.
    """
    present = column_names(X) if is_named(X) else []
    for name in schema.identifier.names if schema.identifier else ():
        if name not in present:
            raise TableError(f"Expected a data frame with a column named {name!r}, got none. Add the identifier.")
    n_rows = check_types(X, y, schema, on_invalid, weights)
    return None if schema.identifier or schema.label.drops_missing else n_rows


def _check_same_account(schema: Schema, payment: Payment) -> None:
    """Refuse a schema whose learning was charged elsewhere: no account would hold the sum."""
    learned = schema_guarantee(schema)
    mine = payment.reserved.charge
    its = learned.charge if learned else None
    if its and (its.ledger, its.account) != (mine.ledger, mine.account):
        raise ParameterError(
            "Expected a schema whose learning was charged to this account, got one of another. Charge the fit there, "
            "or learn the schema with this one."
        )


def _check_covered(schema: Any, random_state: Any, void: Sequence[str]) -> None:
    """Refuse a fit whose certificate could promise nothing, so that no charge would cover it."""
    if not isinstance(schema, Schema) or schema.guessed:
        raise ParameterError(
            "Expected a schema without guesses with a ledger, as those are read off the rows, which no charge covers, "
            "got another. Declare the schema, or pass ledger='none'."
        )
    if schema.learned and (learned := schema_guarantee(schema)) and learned.charge is None:
        raise ParameterError(
            "Expected a schema whose learning was charged to a ledger, as its cost adds to the fit's, got one that was "
            "learned without. Learn it with ledger=, or pass ledger='none'."
        )
    if random_state is not None:
        raise ParameterError(
            "Expected random_state=None with a ledger, got a seed, as BaggingClassifier sets one. Noise that can be "
            "repeated is no private release, so no charge covers it. Leave the seed out, or pass ledger='none'."
        )
    if void:
        raise ParameterError(
            f"Expected a fit with a certificate with a ledger, got one that promises nothing: {' '.join(void)} "
            "Choose another protection, or pass ledger='none'."
        )
