"""The delta of a fit that leaves it to a rule: by the number of rows, which is known before the fit is charged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from tacit.errors import ParameterError, TableError
from tacit.ledger import NO_LEDGER, Payment, named_ledger
from tacit.privacy.loss import MAX_USUAL_DELTA, usual_delta
from tacit.schema import Identifier, Schema
from tacit.table import Place, count_source, opened_labels
from tacit.table.data_frames import Unread, collected, opened_frame
from tacit.table.files.frames import Query
from tacit.table.files.several import Files
from tacit.table.persons import Members
from tacit.table.rows import read_identifiers_of, read_labeled

Delta = float | Literal["auto"]
"""As estimators take it."""

Count = Callable[[], int | None]
"""Returns the public number of rows or persons of what is fitted, None where it cannot be known beforehand."""

_ONCE = (
    "Expected a delta for rows that can be read only once, got 'auto'. It follows from the number of rows, and a "
    "ledger is charged before they are read. Pass a delta such as 1e-6, or 0."
)


def chosen_delta(delta: Delta, schema: Any, ledger: Any, n_rows: int | None) -> float:
    """Return the delta of a fit: by the rule where it is ``"auto"``, pure where the schema or the account asks for it.

    An account's own delta is of all its fits together: none has a larger one.

    Parameters
    ----------
    delta : float or "auto"
    schema : Schema or "infer"
    ledger : as estimators take it
    n_rows : int or None
        Public. Of rows that could not be counted the largest one is returned, whose charge is the least: the fit then
        refuses them.
    """
    if delta != "auto":
        return delta
    if isinstance(schema, Schema) and schema.delta is not None:
        return schema.delta
    named = named_ledger(ledger)
    most = MAX_USUAL_DELTA if n_rows is None else usual_delta(n_rows)
    # Of an account of pure epsilon it is 0.
    return most if named is None else min(most, named[0].balance(named[1]).account.delta)


def charged_delta(delta: Delta, schema: Any, ledger: Any, count: Count | None) -> float:
    """Return the delta that a fit is charged, whose rows are counted for that where it follows from their number.

    Raises
    ------
    ParameterError
        If it does, and nothing counts them.
    """
    if delta == "auto" and count is None:
        raise ParameterError(
            "Expected a delta, as 'auto' follows from the number of rows, which is not known here, got delta='auto'. "
            "Pass count=, which returns it, or a delta."
        )
    return chosen_delta(delta, schema, ledger, count() if delta == "auto" and count else None)


def paid_delta(delta: Delta, payment: Payment | None, schema: Any, n_rows: int) -> float:
    """Return the delta that a fit was charged, or without a charge that of so many rows."""
    if delta == "auto" and payment is not None:
        return payment.reserved.budget.delta
    return chosen_delta(delta, schema, NO_LEDGER, n_rows)


def largest_delta(delta: Delta) -> float:
    """Return the largest delta that a fit may have, before its rows are counted."""
    return MAX_USUAL_DELTA if delta == "auto" else delta


def count_given(X: Any, y: Any, schema: Any, storage: Place = "auto") -> int | None:
    """Return how many rows, or persons, a fit would read of opened rows and labels; None where it would refuse them.

    Raises
    ------
    ParameterError
        If rows can be read only once.

    Notes
    -----
    Privacy: the number is public, and nothing else leaves: what a cell lets fail is left to the fit, which is paid for.
    """
    if not isinstance(schema, Schema):
        return None
    try:
        if isinstance(X, Query) and X.is_read_once:
            raise ParameterError(_ONCE)
        if isinstance(X, Files | Query):
            return count_source(X, schema, storage)
        return None if y is None else _count_in_memory(X, y, schema)
    except TableError:
        return None


def _count_in_memory(X: Any, y: Any, schema: Schema) -> int:
    labels = opened_labels(y)
    if schema.identifier is None and not schema.label.drops_missing:
        return len(labels)
    # A label that is no class is the paid fit's to refuse: here only whether there is one counts.
    _, kept = read_labeled(labels, schema.label, on_invalid="coerce")
    if schema.identifier is None:
        return len(labels) if kept is None else int(kept.sum())
    return Members.of(_identifiers(X, schema.identifier, kept)).n_persons


def _identifiers(X: Any, identifier: Identifier, kept: Any) -> list[str]:
    frame = opened_frame(X)
    if isinstance(frame, Unread) and frame.is_read_once:
        raise ParameterError(_ONCE)
    return read_identifiers_of(collected(frame, identifier.names), identifier, kept)
