"""Codes that stand for a missing cell: words among numbers, and runs of numbers beyond all that is measured."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.schema.guesses.observed import ObservedColumn
from tacit.schema.guesses.vocabulary import MISSING
from tacit.schema.missing_codes import spelled_codes

_STATA = re.compile(r"\.[a-z]")
_MAX_WORDS = 3
"""Of others than those above: more are a category each."""

_MIN_CODED = 2
"""Rows of a code: one alone may be a mistake."""
_MIN_EXPECTED = 5
"""Rows that would lie in a gap if numbers went on as they are beside it: none do by chance once in 150 times.
A code is also as many times as frequent as the numbers next to it."""
_MAX_RUN = 3
"""Of -1, -2, ... without a gap: more are the lower half of a scale."""
_FAR = 4
"""As many times as large as all else, a number of nines is a code however few rows are near the gap."""
_MAX_TOP_CODE = 999
"""Beyond, what is more frequent than all else is often "so much or more"."""


def words_for_missing(texts: Sequence[str], codes: Collection[str] = ()) -> tuple[str, ...]:
    """Return the few texts that say that nothing is known, such as N or ?; those of `codes` are of them, too."""
    known = {code.casefold() for code in codes} | MISSING
    found = tuple(text for text in texts if text.strip().casefold() in known or _STATA.fullmatch(text.strip()))
    stated = [text for text in found if _STATA.fullmatch(text.strip()) or text.strip().casefold() in known - MISSING]
    return found if len(found) <= _MAX_WORDS + len(stated) else ()


def found_codes(observed: ObservedColumn) -> tuple[float, ...]:
    """Return the numbers that are codes for missing ones, as people stated, or as they look.

    So look -9 and -1 where all else is not negative, and 7, 8 and 9, 97 to 99 or 999 behind a gap, however frequent.

    What people state of all columns is one where nothing else is beyond it: 77 is a code of a scale, and an age.

    Notes
    -----
    Privacy: reads rows without noise, as all guessing does.
    """
    values, counts = observed.numbers, observed.counts
    is_stated = np.isin(values, spelled_codes(observed.codes))
    others = values[~is_stated]
    if len(others):
        is_stated &= (values < others[0]) | (values > others[-1]) | np.isin(values, spelled_codes(observed.own_codes))
    left = np.flatnonzero(~is_stated)
    low = _n_low(values[left].astype(np.float64), counts[left])
    is_code = is_stated.copy()
    is_code[left[:low]] = True
    left = left[low:]
    high = _n_high(values[left].astype(np.float64), counts[left])
    is_code[left[len(left) - high :]] = True
    return tuple(int(code) if code % 1 == 0 else code for code in values[is_code].tolist())


def _n_low(values: NDArray[np.float64], counts: NDArray[np.int64]) -> int:
    """Return how many numbers at the low end are codes: all that are negative, but for those of a scale around 0."""
    negative = -values[values < 0][::-1]
    if len(negative) + 1 >= len(values) or not all(_has_form(value, range(1, 10)) for value in negative.tolist()):
        return 0
    run = next((k for k, value in enumerate(negative, start=1) if value != k), len(negative) + 1) - 1
    n = len(negative) - (run if run > _MAX_RUN else 0)
    return n if _is_apart(-values[::-1], counts[::-1], n) else 0


def _n_high(values: NDArray[np.float64], counts: NDArray[np.int64]) -> int:
    """Return how many numbers at the high end are codes: as many as lie together behind a gap."""
    formed = [_has_form(value, range(7, 10)) for value in values[::-1].tolist()]
    most = min(formed.index(False) if False in formed else len(values), len(values) - 2)
    behind_gaps = (n for n in range(most, 0, -1) if values[-n] - values[-n - 1] > np.diff(values[:-n]).min())
    return next((n for n in behind_gaps if _is_apart(values, counts, n)), 0)


def _is_apart(values: NDArray[np.float64], counts: NDArray[np.int64], n: int) -> bool:
    """Return whether the last n numbers, of the form of codes, are no quantities as the others are."""
    if n == 0 or counts[-n:].sum() < _MIN_CODED:
        return False
    measured, rows, coded = values[:-n], counts[:-n], values[-n:]
    if coded[0] > 9 and coded[0] >= _FAR * abs(measured[-1]):
        return True
    most, step = float(counts[-n:].max()), float(np.diff(measured).min())
    if most < _MIN_EXPECTED:
        return False
    if coded[-1] <= _MAX_TOP_CODE and most >= _MIN_EXPECTED * float(rows.max()):
        return True
    n_places = round((coded[-1] - measured[-1]) / step)
    width = max(step, min(n_places * step, (measured[-1] - measured[0]) / 4))
    near = rows[measured > measured[-1] - width]
    # Were both ends of a gap measured, so would be what lies between them.
    between = (n_places - n) * min(float(near.min()), most) if coded[-1] <= _MAX_TOP_CODE else 0.0
    if coded[0] - measured[-1] <= step:  # no gap but among the codes
        return bool(n_places >= 2 * n and between >= _MIN_EXPECTED)
    if np.diff(values[-n - 1 :]).max() < 2 * np.diff(measured[len(measured) // 2 :]).max(initial=0):
        return False  # where numbers have such gaps anyway
    before = rows[(measured > measured[-1] - 2 * width) & (measured <= measured[-1] - width)]
    continued = _continued(near.sum(), before.sum(), n_places * step / width) * (n_places - n) / n_places
    return bool(max(continued, between) >= _MIN_EXPECTED)


def _continued(near: float, before: float, n_ranges: float) -> float:
    """Return how many rows would be in the next ranges, if they went on to thin out as in the last two."""
    thinning = min(1.0, near / before) if before else 1.0
    if thinning == 1:
        return near * n_ranges
    return float(near * thinning * (1 - thinning**n_ranges) / (1 - thinning))


def _has_form(number: float, digits: range) -> bool:
    """Return whether a number is one of these digits, or one of sixes to nines alone, or 95 to 98, 995 to 998, ..."""
    if number % 1 == 0 and 0 < number <= 9:
        return number in digits
    spelled = re.sub(r"\.0$", "", repr(number)).replace(".", "")
    if not spelled.isdecimal() or len(spelled) < 2:
        return False
    is_repeated = len(set(spelled)) == 1 and spelled[0] in "6789"
    return is_repeated or (set(spelled[:-1]) == {"9"} and spelled[-1] in "5678")
