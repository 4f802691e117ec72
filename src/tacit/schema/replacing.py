"""Texts of cells that a schema entry replaces before anything else is read: synonyms, and words for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tacit.errors import SchemaError
from tacit.schema._checks import Value, as_tuple, kind_of
from tacit.schema.missing_codes import spelled_codes

Pairs = tuple[tuple[str, str], ...]
"""Texts, and what each is read as, in the order in which they were written."""

_ABSENT = frozenset(("nan", "NaN"))
"""What is in arrays of texts where nothing was: always a missing cell."""

MAX_REPLACED = 10_000
"""Texts of one column."""


def checked_pairs(given: object, where: str) -> Pairs | None:
    """Return what is replaced by what: different texts without blanks around them, none of which is put in a place."""
    if given is None:
        return None
    listed = tuple(given.items()) if isinstance(given, Mapping) else as_tuple(given, "replace", where)
    pairs = tuple(tuple(pair) if isinstance(pair, list | tuple) else () for pair in listed)
    fits = 0 < len(pairs) <= MAX_REPLACED and all(
        len(pair) == 2 and all(isinstance(text, str) and text == text.strip() for text in pair) and pair[0]
        for pair in pairs
    )
    if not fits or len({pair[0] for pair in pairs}) < len(pairs):
        raise SchemaError(
            f"Expected different texts without blanks around them, and what each is read as, in replace of {where}, "
            'got something else. Write replace = {"f" = "female"}: both in quotes, an empty cell as "".'
        )
    if {pair[0] for pair in pairs} & {pair[1] for pair in pairs}:
        raise SchemaError(
            f"Expected replace of {where} in one step, got a text that is replaced and put in a place. Write for each "
            "text what it is read as in the end."
        )
    return pairs


def check_replaced_numbers(pairs: Pairs | None, read: Callable[[str], float | None], where: str) -> None:
    """Refuse to replace what a column of numbers or dates reads anyway, or by what it does not read.

    Numbers are not replaced, as it would depend on the type that a library gave to the column whether they are texts.
    """
    for text, by in pairs or ():
        if read(text) is not None:
            raise SchemaError(
                f"Expected texts that are no numbers, dates or missing cells in replace of {where}, got one that is. "
                "Write missing_codes for numbers that stand for a missing one, and correct others in the table."
            )
        if read(by) is None:
            raise SchemaError(
                f"Expected replace of {where} to put numbers or dates as the column has them, or an empty text, got "
                "another text. Write it as a cell would have it."
            )


def check_replaced_values(
    pairs: Pairs | None, listed: tuple[Value, ...], where: str, *, prefixes: bool = False, missing: bool = False
) -> None:
    """Refuse to replace a listed value, or by one that is not listed: any may be where none is listed.

    ``prefixes``: by what begins with a listed text, too. ``missing``: by an empty text, too.
    """
    if not pairs:
        return
    texts = {text for text, _ in pairs}
    numbers, is_listed = spelled_codes(tuple(texts)), listing(listed)
    if len(set(numbers)) < len(numbers) or texts & _ABSENT or any(map(is_listed, texts)):
        raise SchemaError(
            f"Expected texts that are none of the listed values in replace of {where}, no nan, and different numbers "
            "where they spell some, got others. Leave out what goes by its value anyway."
        )
    begun = tuple(map(str, listed)) if prefixes else ()
    for _, by in pairs:
        if not (not listed or is_listed(by) or by.startswith(begun) or (missing and not by)):
            raise SchemaError(
                f"Expected listed values in the places of texts in replace of {where}, got another one. Add it to the "
                "list, or write what is meant as the list has it."
            )


def listing(listed: Sequence[Value]) -> Callable[[str], bool]:
    """Return what tells whether a text is a listed value, letter by letter or by the number that it spells."""
    names = {_named(value) for value in listed}
    numbers = {float(value) for value in listed if kind_of(value) == "number"}
    numbers |= set(spelled_codes([value for value in listed if isinstance(value, str)]))
    return lambda text: text in names or bool(numbers.intersection(spelled_codes([text])))


def _named(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
