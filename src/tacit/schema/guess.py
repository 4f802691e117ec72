"""Guess one column, or the label, from what was observed of it; or say in words why it is left out."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import SchemaError
from tacit.schema.categorical import Categorical
from tacit.schema.label import Label
from tacit.schema.numeric import Numeric
from tacit.schema.observed import Observed
from tacit.schema.schema import Column
from tacit.schema.steps import outward_bounds, rounded_midpoint
from tacit.schema.validation import Value

MOST_DISTINCT = 50
"""A text, or a label, of more different values than this is not listed."""

MISSING_CATEGORY = "missing"

# Fewer rows than this are told apart by almost any column.
_FEWEST_ROWS_OF_NAMES = 10
_FEWEST_ROWS_OF_NUMBERS = 50
# Rows drawn at random from a numbered table still fill this part of the numbers.
_LEAST_FILLED = 0.5

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IDENTIFIER_WORDS = frozenset(
    (
        "id",
        "ids",
        "uid",
        "guid",
        "uuid",
        "pk",
        "key",
        "idx",
        "index",
        "identifier",
        "ssn",
        "nhs",
        "mrn",
        "passport",
        "iban",
        "email",
        "mail",
        "phone",
        "telephone",
    )
)
_PERSONAL_WORDS = frozenset(
    ("name", "names", "surname", "forename", "firstname", "lastname", "fullname", "nickname", "address", "street")
)
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.,]+(Z|[+-][0-9:]+)?)?")

_IDENTIFIER = "looks like an identifier, which tells people apart"
_TIME = "dates or times; a numeric column may have dates as low and high"
_MANY = f"text of more than {MOST_DISTINCT} different values"
_MIXED = "values of mixed types, or of a type that no column describes"
_EMPTY = "no value in any row"


def guess_column(name: str, observed: Observed, *, keep_numbers: bool) -> Column | str:
    """Return the guessed column, or the reason why it is left out.

    Parameters
    ----------
    name : str
    observed : Observed
    keep_numbers : bool
        Whether numbers are kept whatever they look like, as in an array, whose columns go by position.

    Raises
    ------
    SchemaError
        If a number is infinite.

    Notes
    -----
    Privacy: reads rows without noise; see `Schema.from_data`. The reasons are fixed texts.
    """
    if observed.kind in ("empty", "number") and keep_numbers:
        return _guess_numeric(name, observed)
    reason = _reason_to_leave_out(name, observed)
    if reason:
        return reason
    return _guess_numeric(name, observed) if observed.kind == "number" else _guess_categorical(name, observed)


def guess_label(name: str, observed: Observed) -> Label:
    """Return the guessed label, with its classes sorted.

    Raises
    ------
    SchemaError
        If labels are missing, of mixed types, infinite, all the same, or of more than 50 classes.
    """
    where = f"label {name!r}"
    if observed.missing or observed.kind == "empty":
        raise SchemaError(f"Expected a class in every row of {where}, got missing ones. Fill them in first.")
    if observed.kind in ("mixed", "time"):
        raise SchemaError(f"Expected {where} to be text, numbers or booleans, got {_MIXED}. Make it text.")
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
    return observed.distinct


def _guess_numeric(name: str, observed: Observed) -> Numeric:
    numbers = _finite(name, observed.numbers)
    low, high = outward_bounds(numbers.min().item(), numbers.max().item()) if len(numbers) else (0, 1)
    missing = rounded_midpoint(low, high) if observed.missing else None
    return Numeric(name, low, high, missing=missing)


def _finite(name: str, numbers: NDArray[Any]) -> NDArray[Any]:
    if np.isfinite(numbers).all():
        return numbers
    raise SchemaError(f"Expected finite numbers in column {name!r}, got an infinite one. Replace or empty such cells.")


def _guess_categorical(name: str, observed: Observed) -> Categorical:
    # A boolean column has both categories, whatever occurs: one look less at the rows.
    categories: tuple[Value, ...] = (False, True) if observed.kind == "boolean" else observed.distinct
    if not observed.missing:
        return Categorical(name, categories)
    if isinstance(categories[0], str):
        categories = tuple(dict.fromkeys((*categories, MISSING_CATEGORY)))
        return Categorical(name, categories, missing=MISSING_CATEGORY)
    return Categorical(name, categories, other=True, missing=MISSING_CATEGORY)


def _reason_to_leave_out(name: str, observed: Observed) -> str:
    if observed.kind == "empty":
        return _EMPTY
    if observed.kind == "time" or _are_dates(observed):
        return _TIME
    if observed.kind == "mixed":
        return _MIXED
    if len(observed.distinct) > MOST_DISTINCT:
        return _MANY
    return _IDENTIFIER if _is_identifier(name, observed) else ""


def _are_dates(observed: Observed) -> bool:
    texts = [value for value in observed.distinct if isinstance(value, str)]
    return bool(texts) and all(_ISO_DATE.fullmatch(text) for text in texts)


def _is_identifier(name: str, observed: Observed) -> bool:
    words = {word.lower() for word in _WORDS.findall(name)}
    is_named = not words.isdisjoint(_IDENTIFIER_WORDS)
    if observed.kind == "text":
        if not words.isdisjoint(_PERSONAL_WORDS):
            return True  # two people may have one name
        is_distinct = len(observed.distinct) == observed.n_present
        return is_distinct and (is_named or observed.n_present >= _FEWEST_ROWS_OF_NAMES)
    if observed.numbers.dtype.kind not in "iu":
        return False
    return (is_named or _looks_numbered(observed.numbers)) and len(np.unique(observed.numbers)) == observed.n_present


def _looks_numbered(numbers: NDArray[Any]) -> bool:
    """Whether whole numbers could be the numbers of rows: many, and filling most of a range."""
    if len(numbers) < _FEWEST_ROWS_OF_NUMBERS:
        return False
    span = int(numbers.max()) - int(numbers.min()) + 1
    return _LEAST_FILLED * span <= len(numbers) <= span
