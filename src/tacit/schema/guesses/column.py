"""What a column may be, guessed from its name and values: an entry, or no entry, and in either case the reason."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.schema.columns import Column
from tacit.schema.guesses import reasons
from tacit.schema.guesses.conventions import Conventions
from tacit.schema.guesses.dates import DIGITS, days_of_digits
from tacit.schema.guesses.lists import BOTH, declared_list, guessed_list, have_chapters, listing, many_codes
from tacit.schema.guesses.names import Name
from tacit.schema.guesses.numbers import guessed_days, guessed_number, kept_number, reason_for_codes
from tacit.schema.guesses.observed import ObservedColumn
from tacit.schema.guesses.persons import MAX_LISTED, MAX_ROWS_OF_PERSON, identified
from tacit.schema.guesses.texts import MAX_ROWS_OF_NAME, about
from tacit.schema.guesses.written import Written, read_texts

_MIN_ROWS_OF_CONSTANT = 50
"""A column with one value in fewer rows may well have others."""
_MIN_ROWS_OF_LONG_CODE = 2.0
"""On average, below which most codes have one row: there is nothing to learn from them."""


@dataclass(frozen=True, repr=False)
class Guess:
    """An entry, or None where the column is left out, and the reason, a fixed text without a cell.

    Parameters
    ----------
    column : Column or None
    reason : str
    declared : bool
        Whether the entry follows from what the table declares, and not from its rows: then it is no guess.
    """

    column: Column | None
    reason: str
    declared: bool = False


def guess_column(name: str, observed: ObservedColumn, conventions: Conventions, *, by_name: bool) -> Guess:
    """Return the guessed column, or why it is left out.

    Privacy: reads rows without noise; see `Schema.from_data`. The reasons are fixed texts.

    Parameters
    ----------
    by_name : bool
        Whether the column goes by its name. An array's go by position: numbers are kept whatever they look like.
    """
    if observed.kind in ("empty", "number") and not by_name:
        return Guess(*kept_number(name, observed))
    if observed.declared and not _names_people(Name.of(name)):
        return Guess(declared_list(name, observed), reasons.DECLARED, declared=True)
    if observed.kind in ("empty", "time", "mixed"):
        return Guess(None, {"empty": reasons.EMPTY, "time": reasons.TIME, "mixed": reasons.MIXED}[observed.kind])
    if observed.kind == "date":
        several = observed.days[0] < observed.days[-1]
        return Guess(*guessed_days(name, observed.days, missing=observed.missing)) if several else _ONE_DAY
    if by_name and _is_constant(observed):
        return Guess(None, reasons.CONSTANT)
    if observed.kind == "boolean":
        return Guess(listing(name, BOTH, missing=observed.missing), reasons.FEW)
    if observed.kind == "number":
        return _guess_number(name, observed)
    written = read_texts(observed, conventions) if observed.kind == "text" else None
    return _guess_text(name, observed) if written is None else _guess_written(name, observed, written)


_ONE_DAY = Guess(None, reasons.ONE_DAY)


def _guess_number(name: str, observed: ObservedColumn) -> Guess:
    words = Name.of(name)
    if words.is_personal and observed.n_values > MAX_LISTED:
        return Guess(None, reasons.CONTACTS)
    if _are_long_codes(words, observed):
        return Guess(*many_codes(name, observed))
    days, codes = days_of_digits(observed)
    if days:
        return Guess(*guessed_days(name, days, missing=observed.missing, codes=codes, written=DIGITS))
    if reason := _reason_of_persons(words, observed):
        return Guess(None, reason)
    if reason := reason_for_codes(name, observed):
        categories = tuple(int(value) for value in observed.numbers.tolist())
        return Guess(listing(name, categories, missing=observed.missing), reason)
    return Guess(*guessed_number(name, observed))


def _guess_written(name: str, observed: ObservedColumn, written: Written) -> Guess:
    """Return the guess at a column whose texts are numbers or dates."""
    if written.days:
        if written.days[0] == written.days[-1]:
            return _ONE_DAY
        days, missing = written.days, observed.missing
        return Guess(*guessed_days(name, days, missing=missing, codes=written.words, written=written.format))
    if written.numbers is None:
        return Guess(None, reasons.CONTACTS if about(observed) == "contacts" else written.reason)
    if Name.of(name).is_personal and observed.n_values > MAX_LISTED:
        return Guess(None, reasons.CONTACTS)
    if reason := _reason_of_persons(Name.of(name), written.numbers):
        return Guess(None, reason)
    return Guess(*guessed_number(name, written.numbers, written.words, written.fields))


def _guess_text(name: str, observed: ObservedColumn) -> Guess:
    words = Name.of(name)
    if reason := _reason_to_leave_out(words, observed):
        return Guess(None, reason)
    if observed.n_values <= MAX_LISTED:
        return Guess(*guessed_list(name, observed))
    if _are_long_codes(words, observed):
        return Guess(*many_codes(name, observed))
    is_code = about(observed) == "codes" and observed.mean_rows >= _MIN_ROWS_OF_LONG_CODE
    return Guess(None, reasons.CODES if is_code else reasons.FREE)


def _reason_to_leave_out(name: Name, observed: ObservedColumn) -> str:
    """Return why texts are left out that are neither numbers nor codes; nothing where they may be used."""
    if not observed.texts:  # categories that are numbers
        return ""
    subject = about(observed)
    if name.is_personal and (observed.n_values > 2 or observed.mean_rows < MAX_ROWS_OF_NAME):
        return reasons.CONTACTS
    if name.is_name and (observed.mean_rows < MAX_ROWS_OF_NAME or observed.n_values > MAX_LISTED):
        return reasons.PEOPLE
    if subject in ("contacts", "people", "prose"):
        return {"contacts": reasons.CONTACTS, "people": reasons.PEOPLE, "prose": reasons.PROSE}[subject]
    return "" if _are_long_codes(name, observed) else _reason_of_persons(name, observed)


def _names_people(name: Name) -> bool:
    return name.is_personal or name.is_name or name.is_person or name.numbers in ("person", "record")


def _reason_of_persons(name: Name, observed: ObservedColumn) -> str:
    names = identified(name, observed)
    if names == "persons" and observed.missing:
        return reasons.LACKING_PERSONS
    if names == "persons" and observed.numbers.dtype.kind == "f" and len(observed.numbers):
        return reasons.BROKEN_PERSONS
    if names == "persons":
        return reasons.PERSONS if name.numbers or name.is_person or not observed.texts else reasons.CODES_OR_PERSONS
    return reasons.IDENTIFIER if names else ""


def _are_long_codes(name: Name, observed: ObservedColumn) -> bool:
    """Return whether there are more codes than a list should have, which by name or number of rows are no persons."""
    if observed.n_values <= MAX_LISTED or not (observed.is_whole or observed.texts):
        return False
    if name.is_long_code:
        return observed.mean_rows >= _MIN_ROWS_OF_LONG_CODE or have_chapters(observed)
    if observed.kind == "number" or name.numbers in ("person", "record", "unknown") or name.is_person:
        return False
    return observed.mean_rows > MAX_ROWS_OF_PERSON


def _is_constant(observed: ObservedColumn) -> bool:
    if observed.missing or observed.n_present < _MIN_ROWS_OF_CONSTANT or observed.kind == "category":
        return False
    return observed.n_values == 1
