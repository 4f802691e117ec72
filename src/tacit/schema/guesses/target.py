"""Whether the column to predict holds classes or numbers, and the entry of a number, guessed from its values."""

from __future__ import annotations

from dataclasses import fields

from tacit.schema.columns import Numeric
from tacit.schema.guesses import reasons
from tacit.schema.guesses.conventions import Conventions
from tacit.schema.guesses.label import guess_label
from tacit.schema.guesses.numbers import MAX_CODES, guessed_number, reason_for_codes
from tacit.schema.guesses.observed import ObservedColumn
from tacit.schema.guesses.written import Written, read_texts
from tacit.schema.label import DROP, Label
from tacit.schema.target import Target


def guess_outcome(name: str, observed: ObservedColumn, conventions: Conventions) -> tuple[Label | Target, str]:
    """Return what is predicted, a label with its classes or a number between bounds, and why it is the one.

    Privacy: reads rows without noise; see `Schema.from_data`. The reasons are fixed texts.
    """
    found = read_texts(observed, conventions) if observed.kind == "text" else None
    numbers = found.numbers if found else observed if observed.kind == "number" else None
    if numbers is None:
        return guess_label(name, observed), reasons.CLASSES
    why, is_number = _kind_of(name, numbers)
    if not is_number:
        return guess_label(name, observed), why
    return _guess_target(name, numbers, found or Written()), why


def _kind_of(name: str, numbers: ObservedColumn) -> tuple[str, bool]:
    """Return why numbers are classes or numbers to predict, and whether they are the latter."""
    if numbers.n_values <= 2:
        return reasons.TWO_CLASSES, False
    if not numbers.is_whole:
        return reasons.FRACTIONS, True
    if reason_for_codes(name, numbers):
        return reasons.CODES_TO_PREDICT, False
    # A few numbers that come back are as likely grades as amounts: a person says which.
    if numbers.n_values <= MAX_CODES and numbers.n_present > numbers.n_values:
        return reasons.FEW_TO_PREDICT, False
    return reasons.MANY_TO_PREDICT, True


def _guess_target(name: str, numbers: ObservedColumn, written: Written) -> Target:
    """Return a target with the bounds that a column of such numbers would have."""
    column, _ = guessed_number(name, numbers, written.words, written.fields)
    missing = DROP if numbers.missing or column.missing_codes else None
    kept = {field.name: getattr(column, field.name) for field in fields(Numeric)}
    return Target(**{key: value for key, value in kept.items() if key in _KEPT} | {"missing": missing})


_KEPT = ("name", "low", "high", "whole", "missing_codes", "decimal", "thousands", "signs", "negatives", "below")
