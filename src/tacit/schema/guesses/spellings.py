"""Texts that are one category written in several ways: in another case, with other blanks, or by their first letter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tacit.schema.same_values import once_by_value

CHAPTERED = re.compile("[A-Za-z][0-9][0-9A-Za-z][0-9A-Za-z.]{0,7}[-+*!\u2020]?")
"""A code such as I21.4, i21.4 and N02BE01; a mark behind it, as of ICD-10, and a dash for what is not coded further."""

_SHORT_WORDS = frozenset(("no", "ja", "si", "da", "ne", "ya"))
"""Words of two letters that people write as one; others are codes, as of blood groups and directions."""


def synonyms(rows: Mapping[str, int]) -> dict[str, str]:
    """Return which texts are read as which others: as the most frequent of those alike, or as the word of a letter.

    Parameters
    ----------
    rows : mapping of str to int
        Texts, and in how many rows each is.

    Examples
    --------
    >>> synonyms({"F": 30, "f": 5, "female": 90, "Female": 8, "M": 20, "male": 80})
    {'F': 'female', 'f': 'female', 'Female': 'female', 'M': 'male'}
    >>> synonyms({"A": 30, "B": 20, "AB": 10}), synonyms({"N": 3, "NE": 3, "S": 4})
    ({}, {})
    >>> synonyms({"E11.9": 30, "e11.9": 5, "I10": 2})
    {'e11.9': 'E11.9'}
    """
    # Blanks around a text are a matter of the file, and texts that spell numbers go by their value.
    listed = [text for text in once_by_value(rows) if isinstance(text, str)]
    texts = [text for text in listed if _is_word(text) or CHAPTERED.fullmatch(text)]
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(_folded(text), []).append(text)
    kept = {folded: max(sorted(found), key=lambda text: rows[text]) for folded, found in alike.items()}
    spelled_out = _spelled_out([folded for folded in kept if _is_word(kept[folded])])
    read_as = {text: kept[spelled_out.get(_folded(text), _folded(text))] for text in texts}
    return {text: meant for text, meant in read_as.items() if text != meant}


def _spelled_out(words: Sequence[str]) -> dict[str, str]:
    """Return the word of each letter, if each letter is the first of one word and of no other."""
    letters = [folded for folded in words if len(folded) == 1]
    long = [folded for folded in words if len(folded) > 1]
    if not letters or not all(folded in _SHORT_WORDS or _is_long(folded) for folded in long):
        return {}
    begun = {letter: [folded for folded in long if folded[0] == letter] for letter in letters}
    if any(len(found) != 1 for found in begun.values()):
        return {}
    return {letter: found[0] for letter, found in begun.items()}


def _is_word(text: str) -> bool:
    return text == text.strip() and bool(text) and not any(sign.isdigit() for sign in text) and text.lower() != "nan"


def _is_long(folded: str) -> bool:
    return len(folded) > 2 and len(set(folded)) > 1


def _folded(text: str) -> str:
    return " ".join(text.rstrip(".").casefold().replace("_", " ").split()) or text
