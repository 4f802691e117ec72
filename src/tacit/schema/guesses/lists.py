"""Entries of categories: what is listed, what texts are read as, and what a missing or another cell counts as."""

from __future__ import annotations

from collections import Counter
from string import ascii_lowercase, ascii_uppercase

from tacit.schema._checks import Value
from tacit.schema.categorical import Categorical
from tacit.schema.guesses import reasons
from tacit.schema.guesses.observed import ObservedColumn
from tacit.schema.guesses.persons import MAX_LISTED
from tacit.schema.guesses.spellings import CHAPTERED, synonyms
from tacit.schema.same_values import once_by_value, same_value

MISSING_CATEGORY = "missing"
BOTH = (False, True)
"""Of a column of truth values, whatever occurs: one look less at the rows."""

_BUCKETS = 256
"""At small budgets as good as more, at large ones hardly worse: docs/categories.md."""


def guessed_list(name: str, observed: ObservedColumn) -> tuple[Categorical, str]:
    """Return a column of the values that occur, or that its type lists, and the reason."""
    if 0 < len(observed.levels) <= MAX_LISTED:
        return listing(name, observed.levels, missing=observed.missing), reasons.LEVELS
    coded = [value for value in observed.distinct if value in observed.codes]
    listed, replace = listed_once(observed)
    if coded:
        missing = next(value for value in listed if same_value(value, replace.get(str(coded[0]), coded[0])))
        column = Categorical(name, listed, other=True, missing=missing, replace=replace or None)
    else:
        column = listing(name, listed, missing=observed.missing, replace=replace)
    return column, reasons.SYNONYMS if replace else reasons.FEW


def listed_once(observed: ObservedColumn) -> tuple[tuple[Value, ...], dict[str, str]]:
    """Return the values, each in one way of writing it, and what other ways are read as."""
    rows = dict(zip(observed.texts, observed.counts.tolist(), strict=True)) if observed.texts else {}
    replace = synonyms(rows)
    return tuple(value for value in once_by_value(observed.distinct) if value not in replace), replace


def declared_list(name: str, observed: ObservedColumn) -> Categorical:
    """Return a column of the values that its type lists, whether or not a row has them."""
    return Categorical(name, observed.levels, other=True)


def listing(
    name: str, categories: tuple[Value, ...], *, missing: bool, replace: dict[str, str] | None = None
) -> Categorical:
    """Return a column of these categories; where cells are missing, they are a category of their own.

    Every list takes other values, too, whatever the rows hold: those of later tables, and their missing cells.
    """
    if not missing:
        return Categorical(name, categories, other=True, replace=replace or None)
    if isinstance(categories[0], str):
        categories = tuple(dict.fromkeys((*categories, MISSING_CATEGORY)))
    return Categorical(name, categories, other=True, missing=MISSING_CATEGORY, replace=replace or None)


def many_codes(name: str, observed: ObservedColumn) -> tuple[Categorical, str]:
    """Return a column of more codes than a list should have, none of which it lists, and the reason."""
    if have_chapters(observed):
        first = {text.strip()[0] for text in observed.texts}
        letters = [sign for case in (ascii_uppercase, ascii_lowercase) if first & set(case) for sign in case]
        return Categorical(name, letters, match="prefix", other=True), reasons.CHAPTERS
    return Categorical(name, buckets=_BUCKETS), reasons.BUCKETED


def have_chapters(observed: ObservedColumn) -> bool:
    """Return whether all are codes such as I21.4, as of ICD-10 and ATC, and no letter begins most cells' codes."""
    if not observed.texts or not all(CHAPTERED.fullmatch(text.strip()) for text in observed.texts):
        return False
    rows: Counter[str] = Counter()
    for text, count in zip(observed.texts, observed.counts.tolist(), strict=True):
        rows[text.strip()[0].upper()] += count
    return 2 * max(rows.values()) <= observed.n_present
