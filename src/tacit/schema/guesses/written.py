"""Columns of texts that are numbers or dates: what each text is, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import numpy as np

from tacit.schema.dates import OR
from tacit.schema.guesses import dates, notation, reasons
from tacit.schema.guesses.codes import words_for_missing
from tacit.schema.guesses.conventions import Conventions
from tacit.schema.guesses.observed import ObservedColumn
from tacit.schema.guesses.persons import MAX_LISTED

_MIN_NUMBERS = 8
"""Of different ones among texts: fewer are as likely categories with a word or a sign."""
_MAX_WORDS = 3
"""That say nothing that is known, among more numbers than could be listed: more are categories of their own."""


@dataclass(frozen=True)
class Written:
    """What texts are: numbers, or days, or a reason why it is not known which.

    Parameters
    ----------
    numbers : ObservedColumn, optional
        The numbers as a column of them.
    fields : mapping of str to Any
        How numbers are written, as fields of an entry.
    days : sequence of date
        Ascending.
    format : str, optional
        How days are written, if not as 2020-12-31.
    words : tuple of str
        Texts that stand for a missing cell.
    reason : str
        Why the column is left out, if it is.
    """

    numbers: ObservedColumn | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    days: Sequence[date] = ()
    format: str | None = None
    words: tuple[str, ...] = ()
    reason: str = ""


def read_texts(observed: ObservedColumn, conventions: Conventions) -> Written | None:
    """Return what texts are that are all numbers or all dates, but for words for a missing one; None of others."""
    words = words_for_missing(observed.texts, observed.codes)
    left = [text for text in observed.texts if text not in words]
    codes = dates.codes_among(left)
    days = [text for text in left if text not in codes]
    if len(days) >= _MIN_NUMBERS and (found := _days(days, (*words, *codes), conventions)):
        return found
    if len(days) < _MIN_NUMBERS and (found := _days(left, words, conventions)):
        return found
    ways = notation.ways_to_read(left)
    if not ways:
        unknown = tuple(text for text in left if not any(sign.isdigit() for sign in text))
        numbers = [text for text in left if text not in unknown]
        if len(unknown) <= _MAX_WORDS and len(numbers) > MAX_LISTED:
            words, left, ways = (*words, *unknown), numbers, notation.ways_to_read(numbers)
    if ways:
        return _numbers(observed, left, ways, words, conventions)
    are_numbers = len(left) >= _MIN_NUMBERS and notation.look_like_numbers(left)
    return Written(reason=reasons.UNITS) if are_numbers else None


def _days(left: Sequence[str], words: tuple[str, ...], conventions: Conventions) -> Written | None:
    if days := dates.iso_days(left):
        return Written(days=sorted(days), words=words)
    formats = dates.formats_of(left)
    if formats == (dates.DIGITS,) and len(left) < _MIN_NUMBERS:
        return None
    chosen = dates.written_so(formats, conventions.order)
    if chosen is None and formats:
        return Written(reason=reasons.AMBIGUOUS_DAYS)
    if chosen is None:
        reason = dates.reason_of(left)
        forms = dates.forms_of(left, conventions.order) if reason == reasons.OTHER_DATES else ()
        if not forms:
            return Written(reason=reason) if reason else None
        chosen = OR.join(forms)
    if "%y" in chosen:
        return Written(reason=reasons.SHORT_YEARS)
    return Written(days=sorted(dates.days_in(left, chosen)), format=chosen, words=words)


def _numbers(
    observed: ObservedColumn,
    left: Sequence[str],
    ways: Sequence[notation.Way],
    words: tuple[str, ...],
    conventions: Conventions,
) -> Written | None:
    is_plain = len(ways) == 1 and not ways[0].fields
    has_signs = any({"signs", "negatives", "below"} & set(way.fields) for way in ways)
    is_stated = bool(words) and bool(observed.codes)
    if len(left) < (2 if is_stated or not (is_plain or has_signs) else _MIN_NUMBERS):
        return None
    if is_plain and not words:
        return Written(reason=reasons.SPELLED)
    way = notation.written_so(ways, conventions.decimal)
    if way is None:
        return Written(reason=reasons.AMBIGUOUS)
    rows = dict(zip(observed.texts, observed.counts.tolist(), strict=True))
    counted: dict[float, int] = {}
    for text, number in zip(left, way.numbers, strict=True):
        counted[number] = counted.get(number, 0) + rows[text]
    numbers = np.asarray(sorted(counted))
    counts = np.asarray([counted[number] for number in numbers.tolist()], dtype=np.int64)
    column = replace(observed, kind="number", numbers=numbers, counts=counts, distinct=())
    return Written(column, way.fields, words=words)
