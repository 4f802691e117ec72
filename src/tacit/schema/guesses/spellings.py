"""Texts that are one category written in several ways: in another case, with other blanks, or by their first letter."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.schema.same_values import once_by_value

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
    """
    # Blanks around a text are a matter of the file, and texts that spell numbers go by their value.
    words = [text for text in once_by_value(rows) if isinstance(text, str) and _is_word(text)]
    alike: dict[str, list[str]] = {}
    for word in words:
        alike.setdefault(_folded(word), []).append(word)
    kept = {folded: max(sorted(found), key=lambda text: rows[text]) for folded, found in alike.items()}
    spelled_out = _spelled_out(kept)
    read_as = {word: kept[spelled_out.get(_folded(word), _folded(word))] for word in words}
    return {word: meant for word, meant in read_as.items() if word != meant}


def _spelled_out(kept: Mapping[str, str]) -> dict[str, str]:
    """Return the word of each letter, if each letter is the first of one word and of no other."""
    letters = [folded for folded in kept if len(folded) == 1]
    long = [folded for folded in kept if len(folded) > 1]
    if not letters or not all(folded in _SHORT_WORDS or _is_long(folded) for folded in long):
        return {}
    words = {letter: [folded for folded in long if folded[0] == letter] for letter in letters}
    if any(len(found) != 1 for found in words.values()):
        return {}
    return {letter: found[0] for letter, found in words.items()}


def _is_word(text: str) -> bool:
    return text == text.strip() and bool(text) and not any(sign.isdigit() for sign in text) and text.lower() != "nan"


def _is_long(folded: str) -> bool:
    return len(folded) > 2 and len(set(folded)) > 1


def _folded(text: str) -> str:
    return " ".join(text.rstrip(".").casefold().replace("_", " ").split()) or text
