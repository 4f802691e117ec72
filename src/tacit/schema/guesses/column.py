"""What a column may be, guessed from its name and values: an entry, or no entry, and in either case the reason."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.schema._checks import Value
from tacit.schema.categorical import Categorical
from tacit.schema.columns import Column
from tacit.schema.guesses import reasons
from tacit.schema.guesses.codes import words_for_missing
from tacit.schema.guesses.names import Name
from tacit.schema.guesses.numbers import guessed_days, guessed_number, guessed_spelled, kept_number, spells_numbers
from tacit.schema.guesses.observed import Observed
from tacit.schema.guesses.persons import MAX_LISTED, MAX_ROWS_OF_PERSON, identified
from tacit.schema.guesses.spelled import days_of, written_otherwise
from tacit.schema.guesses.texts import MAX_ROWS_OF_NAME, about
from tacit.schema.same_values import once_by_value, same_value

MISSING_CATEGORY = "missing"

_MIN_ROWS_OF_CONSTANT = 50
"""A column with one value in fewer rows may well have others."""
_MIN_ROWS_OF_LONG_CODE = 2.0
"""On average, below which most codes have one row: there is nothing to learn from them."""
_BUCKETS = 256
"""At small budgets as good as more, at large ones hardly worse: docs/categories.md."""


@dataclass(frozen=True, repr=False)
class Guess:
    """An entry, or None where the column is left out, and the reason, a fixed text without a cell."""

    column: Column | None
    reason: str


def guess_column(name: str, observed: Observed, *, by_name: bool) -> Guess:
    """Return the guessed column, or why it is left out.

    Privacy: reads rows without noise; see `Schema.from_data`. The reasons are fixed texts.

    Parameters
    ----------
    by_name : bool
        Whether the column goes by its name. An array's go by position: numbers are kept whatever they look like.
    """
    if observed.kind in ("empty", "number") and not by_name:
        return Guess(*kept_number(name, observed))
    if observed.kind in ("empty", "time", "mixed"):
        return Guess(None, {"empty": reasons.EMPTY, "time": reasons.TIME, "mixed": reasons.MIXED}[observed.kind])
    days = days_of([str(value) for value in observed.distinct]) if observed.kind in ("text", "date") else []
    if len(days) > 1:
        return Guess(*guessed_days(name, days, observed.missing))
    if observed.kind == "date":
        return Guess(None, reasons.ONE_DAY)
    if by_name and _is_constant(observed):
        return Guess(None, reasons.CONSTANT)
    if observed.kind == "boolean":
        # Both, whatever occurs: one look less at the rows.
        return Guess(_listing(name, (False, True), observed.missing), reasons.FEW)
    return _guess_number(name, observed) if observed.kind == "number" else _guess_text(name, observed)


def _guess_number(name: str, observed: Observed) -> Guess:
    words = Name.of(name)
    if words.is_personal and observed.n_values > MAX_LISTED:
        return Guess(None, reasons.CONTACTS)
    if _are_long_codes(words, observed):
        return Guess(Categorical(name, buckets=_BUCKETS), reasons.BUCKETED)
    if reason := _reason_of_persons(words, observed):
        return Guess(None, reason)
    found, reason = guessed_number(name, observed)
    if isinstance(found, tuple):
        return Guess(_listing(name, found, observed.missing), reason)
    return Guess(found, reason)


def _guess_text(name: str, observed: Observed) -> Guess:
    words = Name.of(name)
    if reason := _reason_to_leave_out(words, observed):
        return Guess(None, reason)
    if observed.kind == "text" and spells_numbers(observed):
        return Guess(*guessed_spelled(name, observed))
    if observed.n_values <= MAX_LISTED:
        return Guess(_categorical(name, observed), reasons.FEW)
    if _are_long_codes(words, observed):
        return Guess(Categorical(name, buckets=_BUCKETS), reasons.BUCKETED)
    is_code = about(observed) == "codes" and observed.mean_rows >= _MIN_ROWS_OF_LONG_CODE
    return Guess(None, reasons.CODES if is_code else reasons.FREE)


def _reason_to_leave_out(name: Name, observed: Observed) -> str:
    """Return why texts are left out that are neither numbers nor codes; nothing where they may be used."""
    if observed.kind == "text":
        words = words_for_missing(observed.texts, observed.codes)
        if reason := written_otherwise([cell for cell in observed.texts if cell not in words], has_words=bool(words)):
            return reason
        if spells_numbers(observed):
            return ""
    if observed.kind == "category" and not observed.texts:
        return ""
    subject = about(observed)
    if name.is_personal and (observed.n_values > 2 or observed.mean_rows < MAX_ROWS_OF_NAME):
        return reasons.CONTACTS
    if name.is_name and observed.mean_rows < MAX_ROWS_OF_NAME:
        return reasons.PEOPLE
    if subject in ("contacts", "people", "prose"):
        return {"contacts": reasons.CONTACTS, "people": reasons.PEOPLE, "prose": reasons.PROSE}[subject]
    return "" if _are_long_codes(name, observed) else _reason_of_persons(name, observed)


def _reason_of_persons(name: Name, observed: Observed) -> str:
    names = identified(name, observed)
    if names == "persons" and observed.missing:
        return reasons.LACKING_PERSONS
    if names == "persons" and observed.numbers.dtype.kind == "f" and len(observed.numbers):
        return reasons.BROKEN_PERSONS
    if names == "persons":
        return reasons.PERSONS if name.numbers or name.is_person or not observed.texts else reasons.CODES_OR_PERSONS
    return reasons.IDENTIFIER if names else ""


def _are_long_codes(name: Name, observed: Observed) -> bool:
    """Return whether there are more codes than a list should have, which by name or number of rows are no persons."""
    if observed.n_values <= MAX_LISTED or not (observed.is_whole or observed.texts):
        return False
    if name.is_long_code:
        return observed.mean_rows >= _MIN_ROWS_OF_LONG_CODE
    if observed.kind == "number" or name.numbers in ("person", "record", "unknown") or name.is_person:
        return False
    return observed.mean_rows > MAX_ROWS_OF_PERSON and not spells_numbers(observed)


def _is_constant(observed: Observed) -> bool:
    if observed.missing or observed.n_present < _MIN_ROWS_OF_CONSTANT or observed.kind == "category":
        return False
    return observed.n_values == 1


def _categorical(name: str, observed: Observed) -> Categorical:
    coded = [value for value in observed.distinct if value in observed.codes]
    listed = once_by_value(observed.distinct)
    if coded:
        return Categorical(name, listed, missing=next(value for value in listed if same_value(value, coded[0])))
    return _listing(name, listed, observed.missing)


def _listing(name: str, categories: tuple[Value, ...], missing: bool) -> Categorical:
    if not missing:
        return Categorical(name, categories)
    if isinstance(categories[0], str):
        categories = tuple(dict.fromkeys((*categories, MISSING_CATEGORY)))
        return Categorical(name, categories, missing=MISSING_CATEGORY)
    return Categorical(name, categories, other=True, missing=MISSING_CATEGORY)
