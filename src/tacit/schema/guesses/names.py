"""What a column's name suggests, in several languages: numbers of people or things, names of people, codes, counts."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from tacit.schema.guesses import vocabulary

Numbered = Literal["person", "record", "thing", "unknown"]
"""What a column's values number."""


@dataclass(frozen=True)
class Name:
    """A name as words in lower case without accents.

    Parameters
    ----------
    words : tuple of str
        Of ``patientNbr`` and ``Patient_nbr`` the same two. Numbers at the end and words such as "of" are left out.

    Examples
    --------
    >>> [Name.of(text).numbers for text in ("id_student", "Kundennr", "no_dossier", "zip_code", "num_visits", "paid")]
    ['person', 'person', 'record', 'thing', None, None]
    """

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Name:
        """Return the words of a column's name."""
        found = [word for word in _words(text) if word not in vocabulary.LINKING]
        while len(found) > 1 and found[-1].isdigit():
            found.pop()
        return cls(tuple(found))

    @cached_property
    def numbers(self) -> Numbered | None:
        """What the values number, by the word beside one for numbers or run together with it; None if they do not."""
        found, joined = self.words, "".join(self.words)
        if not found:
            return None
        if not vocabulary.NATIONAL.isdisjoint(found) or any(stem in joined for stem in vocabulary.NATIONAL_STEMS):
            return "person"
        if _says_numbered(found[-1]):
            return _numbered(found[-2:-1], found[-1])
        if len(found) > 1 and _says_numbered(found[0]):
            numbered = _numbered(found[1:2], found[0])
            # What counts speaks of many: a word that is neither a person nor a record.
            return numbered if found[0] in vocabulary.IDENTIFIERS or numbered in ("person", "record") else None
        return next((numbered for numbered in map(_run_together, found) if numbered), None)

    @cached_property
    def is_person(self) -> bool:
        """Whether the name is that of a person alone, as ``patient``."""
        return bool(self.words) and vocabulary.PERSONS.issuperset(self.words)

    @cached_property
    def is_personal(self) -> bool:
        """Whether the values are names, addresses or telephone numbers of people, whatever else the name says."""
        found = (*self.words, "".join(self.words[-2:]))
        return any(word in vocabulary.PERSONAL or _without_number(word) in vocabulary.PERSONAL for word in found)

    @cached_property
    def is_name(self) -> bool:
        """Whether the values are names that may be those of people; of things, as ``school_name``, they are not."""
        return not vocabulary.NAMES.isdisjoint(self.words) and vocabulary.THINGS.isdisjoint(self.words)

    @cached_property
    def is_count(self) -> bool:
        """Whether values are in an order, however few: of counts, sizes and numbers, as ``number_of_visits``."""
        if not self.words or self.numbers == "thing":
            return False
        if self.words[-1] in ("number", "num") or self.words[0] in vocabulary.COUNTING:
            return True
        return not vocabulary.COUNTS.isdisjoint(self.words)

    @cached_property
    def is_code(self) -> bool:
        """Whether the last word is one of codes, as in ``admission_type_id``."""
        return bool(self.words) and self.words[-1] in vocabulary.CODES and not self.is_count

    @cached_property
    def is_long_code(self) -> bool:
        """Whether the values are codes of which there may be thousands, and not people."""
        if not self.words or self.is_person or self.numbers in ("person", "record"):
            return False
        return self.words[-1] in vocabulary.LONG_CODES or not vocabulary.CODE_SYSTEMS.isdisjoint(self.words)


def _words(text: str) -> list[str]:
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    found = [""]
    for before, sign, after in zip(f" {bare}", bare, f"{bare[1:]} ", strict=False):
        if not (sign.isalnum() or sign == "#") or _begins_word(before, sign, after):
            found.append("")
        found[-1] += sign if sign.isalnum() or sign == "#" else ""
    return [word.casefold() for word in found if word]


def _begins_word(before: str, sign: str, after: str) -> bool:
    if _script(before) != _script(sign):
        return True
    return sign.isupper() and (before.islower() or (before.isupper() and after.islower()))


def _script(sign: str) -> str:
    if sign.isdigit() or sign == "#":
        return "#" if sign == "#" else "digit"
    return "Han" if sign >= "\u2e80" else "letter"


def _without_number(word: str) -> str:
    """Return the first part of a word such as ``Telefonnummer``."""
    ending = max((end for end in vocabulary.NUMBERS if word.endswith(end)), key=len, default="")
    return word.removesuffix(ending)


def _says_numbered(word: str) -> bool:
    return word in vocabulary.IDENTIFIERS | vocabulary.NUMBERS | vocabulary.KEYS


def _numbered(heads: tuple[str, ...], word: str) -> Numbered | None:
    """Return what a word for numbers numbers: the head beside it, if there is one."""
    head = next(iter(heads), "")
    if head in vocabulary.PERSONS or _run_together(head) == "person":
        return "person"
    if head in vocabulary.RECORDS:
        return "record"
    if head in vocabulary.THINGS:
        return "thing"
    # A key, a code, or an "n" alone, numbers nothing by itself.
    return None if word in vocabulary.KEYS | {"n"} else "unknown"


def _run_together(word: str) -> Numbered | None:
    """Return what a word numbers that is two without a gap, such as ``caseid``, ``idpers`` and ``kundennr``."""
    for cut in range(1, len(word)):
        for head, numbering in ((word[:cut], word[cut:]), (word[cut:], word[:cut])):
            if _says_numbered(numbering) and numbering != "n":
                numbered = _numbered((head,), numbering)
                if numbered in ("person", "record"):
                    return numbered
    if word.startswith("id") and _says_numbered(word[2:]):
        return "unknown"
    if word.endswith(("nummer", "nbr")) or (word.endswith("nr") and len(word) > 3):
        return "thing" if any(word.startswith(thing) for thing in vocabulary.THINGS) else "unknown"
    if word.endswith("ident"):
        return None if word in vocabulary.NO_IDENT else "unknown"
    is_word = word in vocabulary.NO_ID or word.endswith(vocabulary.NO_ID_ENDINGS) or len(word) < 4
    return "unknown" if word.endswith("id") and not is_word else None
