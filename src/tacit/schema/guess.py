"""What a column may be, guessed from its values: an entry, or no entry, and in either case the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import SchemaError
from tacit.schema import clues
from tacit.schema._checks import Value
from tacit.schema.categorical import Categorical
from tacit.schema.clues import outward_bounds, rounded_midpoint
from tacit.schema.columns import Column, Numeric
from tacit.schema.label import Label
from tacit.schema.missing_codes import found_codes
from tacit.schema.observed import Observed
from tacit.schema.same_values import once_by_value, same_value

MOST_DISTINCT = 50
"""A text, or a label, of more different values than this is not listed."""

MISSING_CATEGORY = "missing"

# Almost any column has a value of its own for each of fewer rows than this.
_FEWEST_ROWS_OF_NAMES = 10
_FEWEST_ROWS_OF_NUMBERS = 50
_ROWS_OF_NAME = 20
# Rows drawn at random from a numbered table still fill this part of the numbers.
_LEAST_FILLED = 0.5
# A column with one value in fewer rows may well have others.
_FEWEST_ROWS_OF_CONSTANT = 50
# Whole numbers of so few values, each with so many rows on average, are codes more often than quantities.
_MOST_CODES = 6
_ROWS_OF_CODE = 50
_ROWS_OF_NAMED_CODE = 10
_ROWS_OF_TRUTH = 20
# Fewer numbers among texts are as likely codes with a word for a further one.
_FEWEST_SPELLED = 8
# At small budgets as good as more, at large ones hardly worse: docs/categories.md.
_BUCKETS = 256


@dataclass(frozen=True, repr=False)
class Guess:
    """An entry, or None where the column is left out, and the reason, a fixed text without a cell."""

    column: Column | None
    reason: str


_IDENTIFIER = "looks like an identifier, which names single people"
PERSONS = "values come back in several rows, as those of an identifier of persons do"
"""Why a column may say which rows are of one person."""
_TIME = "moments in time, which no column describes"
_DAYS = "dates, with whole years as bounds"
_ONE_DAY = "dates, of one day in every row, which says nothing of the label"
_OTHER_DATES = "dates in another form than 2020-12-31"
_GROUPED = "numbers with marks between thousands, as in 16,020"
_UNITS = "numbers with units or signs beside them, as in 5 kg or <3"
_CODES = f"codes or names of more than {MOST_DISTINCT} different values"
_BUCKETED = (
    f"codes or names of more than {MOST_DISTINCT} different values, many in several rows: a public hash puts each into "
    "one of these buckets, and none is listed"
)
_FREE = (
    f"text of more than {MOST_DISTINCT} different values, few of which come back, as notes, names and identifiers do: "
    "there is nothing to learn from, and it may name people"
)
_SPELLED = "numbers written as text"
_MIXED = "values of mixed types, or of a type that no column describes"
_EMPTY = "no value in any row"
_CONSTANT = "one value in every row, which says nothing of the label"

_NUMBERS = "numbers of many different values"
_WITH_CODES = "numbers, but for cells that look like codes for a missing one"
_TRUTHS = "the numbers 0 and 1 alone, taken for no and yes"
_NAMED_CODES = "few different whole numbers under a name of codes: their order was taken to mean nothing"
_FEW_NUMBERS = "few different whole numbers, each in many rows, taken for codes whose order means nothing"
_FEW = f"at most {MOST_DISTINCT} different values"

_LISTING = (
    "rite a [[column]] with buckets = 256, which lists none of them; or list prefixes from their documentation, with "
    'match = "prefix", or those that are possible, and write other = true for the rest.'
)
WAYS = {
    PERSONS: f"If they are codes, w{_LISTING}",
    _CODES: f"W{_LISTING}",
    _TIME: "Write the day alone in the table, as 2020-12-31: then it is a column of dates.",
    _OTHER_DATES: "Write them so in the table: then it is a numeric column with dates as low and high.",
    _GROUPED: "Write 16020 in the table: then it is numeric.",
    _UNITS: "Take those off in the table: then it is numeric.",
    _SPELLED: "Make the column one of numbers.",
    _MIXED: "Make them all text or all numbers.",
    _CONSTANT: "If other values are possible, write a [[column]] that says which.",
    _WITH_CODES: "Check missing_codes.",
}
"""What to do about a reason, where there is more to say than of any entry of its kind. A reason is published with the
schema, so it holds no advice; drafts and reviews show the two beside each other."""


def guess_column(name: str, observed: Observed, *, by_name: bool) -> Guess:
    """Return the guessed column, or why it is left out.

    Privacy: reads rows without noise; see `Schema.from_data`. The reasons are fixed texts.

    Parameters
    ----------
    by_name : bool
        Whether the column goes by its name. An array's go by position: numbers are kept whatever they look like.
    """
    if observed.kind in ("empty", "number") and not by_name:
        return Guess(_numeric(name, observed), _NUMBERS)
    days = clues.days_of([str(value) for value in observed.distinct]) if observed.kind in ("text", "date") else []
    if len(days) > 1:
        return _guessed_days(name, days, observed.missing)
    if _are_long_codes(name, observed):
        return Guess(Categorical(name, buckets=_BUCKETS), _BUCKETED)
    reason = _reason_to_leave_out(name, observed)
    if reason and (by_name or reason != _CONSTANT):
        return Guess(None, reason)
    return _guessed_number(name, observed) if observed.kind == "number" else _guessed_text(name, observed)


def guess_label(name: str, observed: Observed) -> Label:
    """Return the guessed label, with its classes sorted."""
    where = f"label {name!r}"
    if observed.missing or observed.kind == "empty":
        raise SchemaError(f"Expected a class in every row of {where}, got missing ones. Fill them in first.")
    if observed.kind in ("mixed", "date", "time"):
        raise SchemaError(
            f"Expected {where} to be text, numbers or booleans, got values of other or mixed types. Make it text."
        )
    classes = _label_classes(name, observed)
    if len(classes) < 2:
        raise SchemaError(f"Expected at least two classes in {where}, got one class. List every class in a schema.")
    if len(classes) > MOST_DISTINCT:
        raise SchemaError(
            f"Expected at most {MOST_DISTINCT} classes to guess {where} from, got more. List the classes in a schema."
        )
    return Label(name, classes)


def _label_classes(name: str, observed: Observed) -> tuple[Value, ...]:
    if observed.kind == "boolean":
        return False, True
    if observed.kind == "number":
        return tuple(np.unique(_finite(name, observed.numbers)).tolist())
    return once_by_value(observed.distinct)


def _reason_to_leave_out(name: str, observed: Observed) -> str:
    if observed.kind in ("empty", "date", "time", "mixed"):
        return {"empty": _EMPTY, "date": _ONE_DAY, "time": _TIME, "mixed": _MIXED}[observed.kind]
    if _comes_back(name, observed):
        return PERSONS
    if _is_constant(observed):
        return _CONSTANT
    reason = _what_texts_are(observed) if observed.kind == "text" else ""
    return reason or _too_many(observed) or (_IDENTIFIER if _is_identifier(name, observed) else "")


def _what_texts_are(observed: Observed) -> str:
    cells = [value for value in observed.distinct if isinstance(value, str)]
    words = clues.words_for_missing(cells, observed.codes)
    cells = [cell for cell in cells if cell not in words]
    if clues.are_dates(cells):
        return _TIME
    if clues.are_other_dates(cells):
        return _OTHER_DATES
    if clues.numbers_in(cells) and len(clues.numbers_in(cells)) == len(cells):
        return "" if words or len(cells) < _FEWEST_SPELLED else _SPELLED
    if clues.are_grouped_numbers(cells):
        return _GROUPED
    return _UNITS if clues.are_numbers_with_units(cells) else ""


def _too_many(observed: Observed) -> str:
    n_values = len(observed.distinct)
    if n_values <= MOST_DISTINCT or _spells_numbers(observed):
        return ""
    return _CODES if observed.n_present >= 2 * n_values else _FREE


def _are_long_codes(name: str, observed: Observed) -> bool:
    """Return whether there are more codes than a list should have, which by name or number of rows are no persons."""
    is_whole = observed.kind == "number" and observed.numbers.dtype.kind in "iu"
    if not (observed.kind == "text" or is_whole) or (n_values := _n_values(observed)) <= MOST_DISTINCT:
        return False
    rows = observed.n_present / n_values
    if clues.ends_as_long_code(name):
        return rows >= _ROWS_OF_LONG_CODE
    names_people = clues.names_person(name) or clues.names_personal(name)
    if is_whole or names_people or clues.ends_as_identifier(name):
        return False
    return rows > _ROWS_OF_PERSONS[1] and not _what_texts_are(observed) and not _spells_numbers(observed)


_ROWS_OF_LONG_CODE = 2.0
"""On average, below which most codes have one row: there is nothing to learn from them."""
_ROWS_OF_PERSONS = (1.05, 50.0)
"""Between these a column's mean number of rows for each value looks like that of persons: places have more."""
_FEWEST_NAMED = 10
_ROWS_OF_FEW_PERSONS = 5.0
"""So few as could be listed are persons only if they have fewer rows each: more are codes."""


def _comes_back(name: str, observed: Observed) -> bool:
    """Return whether the column may name persons, of whom some have several rows."""
    if observed.missing or observed.kind not in ("text", "number"):
        return False
    if observed.kind == "number" and observed.numbers.dtype.kind not in "iu":
        return False
    n_values = _n_values(observed)
    least, most = _ROWS_OF_PERSONS
    rows = observed.n_present / n_values
    if not least <= rows <= most or (n_values <= MOST_DISTINCT and rows > _ROWS_OF_FEW_PERSONS):
        return False
    if clues.ends_as_identifier(name):
        return n_values >= _FEWEST_NAMED
    return (
        observed.kind == "text"
        and n_values > MOST_DISTINCT
        and not _what_texts_are(observed)
        and not (_spells_numbers(observed))
    )


def _n_values(observed: Observed) -> int:
    return len(np.unique(observed.numbers)) if observed.kind == "number" else len(observed.distinct)


def _is_constant(observed: Observed) -> bool:
    if observed.missing or observed.n_present < _FEWEST_ROWS_OF_CONSTANT or observed.kind == "category":
        return False
    return bool(np.ptp(observed.numbers) == 0) if observed.kind == "number" else len(observed.distinct) == 1


def _is_identifier(name: str, observed: Observed) -> bool:
    is_named = clues.names_identifier(name)
    if observed.kind == "text":
        if clues.names_personal(name):  # two people may have one name, but not twenty
            return observed.n_present < _ROWS_OF_NAME * len(observed.distinct)
        is_distinct = len(observed.distinct) == observed.n_present and not _spells_numbers(observed)
        return is_distinct and (is_named or observed.n_present >= _FEWEST_ROWS_OF_NAMES)
    if observed.kind != "number" or observed.numbers.dtype.kind not in "iu":
        return False
    return (is_named or _looks_numbered(observed.numbers)) and _n_values(observed) == observed.n_present


def _looks_numbered(numbers: NDArray[Any]) -> bool:
    """Whether whole numbers could be the numbers of rows: many, and filling most of a range."""
    if len(numbers) < _FEWEST_ROWS_OF_NUMBERS:
        return False
    span = int(numbers.max()) - int(numbers.min()) + 1
    return _LEAST_FILLED * span <= len(numbers) <= span


def _spells_numbers(observed: Observed) -> bool:
    """Return whether texts are numbers but for a few words that say that nothing is known."""
    if observed.kind != "text":
        return False
    cells = [str(value) for value in observed.distinct]
    spelled, words = clues.numbers_in(cells), clues.words_for_missing(cells, observed.codes)
    fewest = 2 if observed.codes and words else _FEWEST_SPELLED
    return len(spelled) >= fewest and len(spelled) + len(words) == len(cells)


def _guessed_text(name: str, observed: Observed) -> Guess:
    if _spells_numbers(observed):
        cells = [str(value) for value in observed.distinct]
        numbers = np.asarray(clues.numbers_in(cells))
        coded = found_codes(numbers, observed.codes, fewest=1)  # how often each occurs is not known
        codes = clues.words_for_missing(cells, observed.codes)
        return _with_codes(name, numbers[~np.isin(numbers, coded)], (*codes, *coded), observed.missing)
    return Guess(_categorical(name, observed), _FEW)


def _guessed_days(name: str, days: Sequence[date], missing: bool) -> Guess:
    low, high = date(min(days).year, 1, 1), date(max(days).year, 12, 31)
    return Guess(Numeric(name, low, high, missing="indicator" if missing else None), _DAYS)


def _guessed_number(name: str, observed: Observed) -> Guess:
    numbers = _finite(name, observed.numbers)
    codes = found_codes(numbers, observed.codes)
    if codes:
        return _with_codes(name, numbers[~np.isin(numbers, codes)], codes, observed.missing)
    reason = _reason_for_codes(name, numbers)
    if not reason:
        return _with_codes(name, numbers, (), observed.missing)
    listed = tuple(np.unique(numbers).tolist())
    whole = tuple(int(value) for value in listed)
    return Guess(_listing(name, whole, observed.missing), reason)


def _reason_for_codes(name: str, numbers: NDArray[Any]) -> str:
    """Return why whole numbers are taken for codes; nothing where they are quantities."""
    values = np.unique(numbers)
    rows = len(numbers) / len(values)
    if len(values) < 2 or len(values) > MOST_DISTINCT or (values % 1 != 0).any():
        return ""
    if values.tolist() == [0, 1] and rows >= _ROWS_OF_TRUTH / 2:
        return _TRUTHS
    if clues.ends_as_code(name) and rows >= _ROWS_OF_NAMED_CODE:
        return _NAMED_CODES
    is_few = len(values) <= _MOST_CODES and rows >= _ROWS_OF_CODE
    return _FEW_NUMBERS if is_few and not clues.is_count(name) else ""


def _with_codes(name: str, numbers: NDArray[Any], codes: tuple[str | float, ...], missing: bool) -> Guess:
    low, high = outward_bounds(numbers.min().item(), numbers.max().item())
    column = Numeric(name, low, high, missing="indicator" if codes or missing else None, missing_codes=codes or None)
    return Guess(column, _WITH_CODES if codes else _NUMBERS)


def _numeric(name: str, observed: Observed) -> Numeric:
    numbers = _finite(name, observed.numbers)
    low, high = outward_bounds(numbers.min().item(), numbers.max().item()) if len(numbers) else (0, 1)
    missing = rounded_midpoint(low, high) if observed.missing else None
    return Numeric(name, low, high, missing=missing)


def _finite(name: str, numbers: NDArray[Any]) -> NDArray[Any]:
    if np.isfinite(numbers).all():
        return numbers
    raise SchemaError(f"Expected finite numbers in column {name!r}, got an infinite one. Replace or empty such cells.")


def _categorical(name: str, observed: Observed) -> Categorical:
    coded = [value for value in observed.distinct if value in observed.codes]
    listed = once_by_value(observed.distinct)
    if coded:
        return Categorical(name, listed, missing=next(value for value in listed if same_value(value, coded[0])))
    # A boolean column has both categories, whatever occurs: one look less at the rows.
    return _listing(name, (False, True) if observed.kind == "boolean" else listed, observed.missing)


def _listing(name: str, categories: tuple[Value, ...], missing: bool) -> Categorical:
    if not missing:
        return Categorical(name, categories)
    if isinstance(categories[0], str):
        categories = tuple(dict.fromkeys((*categories, MISSING_CATEGORY)))
        return Categorical(name, categories, missing=MISSING_CATEGORY)
    return Categorical(name, categories, other=True, missing=MISSING_CATEGORY)
