"""The label, guessed from the values that it has."""

from __future__ import annotations

from tacit.errors import SchemaError
from tacit.schema._checks import Value
from tacit.schema.guesses.lists import BOTH, listed_once
from tacit.schema.guesses.numbers import finite
from tacit.schema.guesses.observed import ObservedColumn
from tacit.schema.guesses.persons import MAX_LISTED
from tacit.schema.label import DROP, Label
from tacit.schema.missing_codes import spelled_codes
from tacit.schema.notation import MISSING

_WORDS_FOR_NONE = frozenset(MISSING) - {"", "None"}
"""Texts that mean that a row has no label; None may be a class, as in none, mild and severe."""


def guess_label(name: str, observed: ObservedColumn) -> Label:
    """Return the guessed label, with its classes sorted; one that leaves out rows without a label where there are some.

    Texts that stand for a missing label count as one where two classes are left.
    """
    where = f"label {name!r}"
    if observed.kind == "empty":
        raise SchemaError(f"Expected a class in some row of {where}, got none. Check the column of labels.")
    if observed.kind in ("mixed", "date", "time"):
        raise SchemaError(
            f"Expected {where} to be text, numbers or booleans, got values of other or mixed types. Make it text."
        )
    classes, replace = _classes(name, observed)
    if len(classes) < 2:
        raise SchemaError(f"Expected at least two classes in {where}, got one class. List every class in a schema.")
    if len(classes) > MAX_LISTED:
        raise SchemaError(
            f"Expected at most {MAX_LISTED} classes to guess {where} from, got more. "
            "List the classes in a schema, or predict the number itself: name it as its target, with bounds."
        )
    words = [value for value in classes if _stands_for_none(value, observed.codes)]
    if len(classes) - len(words) < 2:
        words = []
    if not (words or observed.missing):
        return Label(name, classes, replace=replace or None)
    # Blanks and nan are no label in any column.
    replace = {text: "" if meant in words else meant for text, meant in replace.items()}
    replace |= {text: "" for text in (str(word).strip() for word in words) if text not in ("", "nan", "NaN")}
    return Label(name, [value for value in classes if value not in words], missing=DROP, replace=replace or None)


def _stands_for_none(value: Value, codes: tuple[str, ...]) -> bool:
    """Return whether a class is a word for none, or a code that people say stands for a missing cell."""
    if isinstance(value, str):
        return not value.strip() or value.strip() in _WORDS_FOR_NONE or value.strip() in codes
    return not isinstance(value, bool) and float(value) in spelled_codes(codes)


def _classes(name: str, observed: ObservedColumn) -> tuple[tuple[Value, ...], dict[str, str]]:
    """Return the classes, and what other ways to write them are read as."""
    if observed.kind == "boolean":
        return BOTH, {}
    if observed.kind == "number":
        return tuple(finite(name, observed.numbers).tolist()), {}
    return (observed.levels, {}) if observed.declared else listed_once(observed)
