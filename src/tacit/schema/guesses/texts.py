"""Texts about people: e-mails, telephone numbers, names, remarks. No list, no bucket: there is nothing to learn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from tacit.schema.guesses.observed import ObservedColumn

About = Literal["contacts", "people", "prose", "words", "codes"]
"""E-mails, telephone numbers or web addresses; names of people; remarks; other words; marks with digits or of one
letter case, as codes have."""

_CONTACT = re.compile(r"[^@\s]+@[^@\s]+\.[a-z]{2,}|https?://|www\.", re.IGNORECASE)
# At least seven digits, that begin with a plus, a zero or a bracket, or have marks between groups of them.
_PHONE = re.compile(
    r"(?<![\w.,/-])(\+|00|\(?0|\()[0-9](?:[ ()/.-]{0,2}[0-9]){5,}(?![\w.,/-]*\w)"
    r"|(?<![\w.,/-])[0-9]{3}[ .-][0-9]{3}[ .-][0-9]{4}(?!\w)"
)
_DATED = re.compile(r"[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}")
_NAME = re.compile(r"[^\W\d_]+(['.\u2019-][^\W\d_]*)*")
MAX_ROWS_OF_NAME = 20
"""On average: people share names, but not as often as rows share a place."""
_MIN_NAMES = 10
_MAX_PLACES = 50


def about(observed: ObservedColumn) -> About:
    """Return what texts are about."""
    cells, counts = observed.texts, observed.counts
    if any(_CONTACT.search(cell) for cell in cells) or _hold_telephones(cells):
        return "contacts"
    blank = np.asarray([" " in cell.strip() for cell in cells])
    once = counts == 1
    # Answers to choose from come back; what people write in their own words does not.
    if len(cells) >= _MIN_NAMES and 2 * (blank & once).sum() > len(cells):
        return "people" if _are_people(cells) else "prose"
    if blank.mean() > 1 / 2:
        # Few places of two capitalized words are answers to choose from; many such texts are names, however frequent.
        are_names = observed.mean_rows < MAX_ROWS_OF_NAME or len(cells) > _MAX_PLACES
        return "people" if len(cells) >= _MIN_NAMES and are_names and _are_people(cells) else "words"
    return "codes" if _are_codes(cells) else "words"


def _hold_telephones(cells: Sequence[str]) -> bool:
    """Return whether cells are telephone numbers, or one is written among words."""
    found = [bool(_PHONE.search(cell)) and not _DATED.fullmatch(cell.strip()) for cell in cells]
    within = any(phone and re.search(r"[^\W\d_]{2}", cell) for phone, cell in zip(found, cells, strict=True))
    return within or 2 * sum(found) > len(cells)


def _are_people(cells: Sequence[str]) -> bool:
    """Return whether most are two to five words of letters with capitals, but for short ones such as "de"."""
    fitting = 0
    for cell in cells:
        parts = cell.replace(",", " ").split()
        are_words = all(_NAME.fullmatch(part) and (part[0].isupper() or len(part) < 4) for part in parts)
        fitting += 2 <= len(parts) <= 5 and parts[0][0].isupper() and are_words
    return 5 * fitting > 4 * len(cells)


def _are_codes(cells: Sequence[str]) -> bool:
    """Return whether most have a digit, or are of capitals: a surname and a town are not."""
    marked = sum(any(sign.isdigit() for sign in cell) or cell.isupper() for cell in cells)
    return 2 * marked > len(cells)
