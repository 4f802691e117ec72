"""Whether a column's values name single people or single rows: by its name, or by how values come back."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import pdtr

from tacit.schema.guesses.names import Name
from tacit.schema.guesses.observed import ObservedColumn
from tacit.schema.guesses.texts import about

MAX_ROWS_OF_PERSON = 50
"""On average: places and codes have more."""

MIN_PERSONS = 10
"""Fewer values are codes, whatever they are called."""

MAX_LISTED = 50
"""A text, or a label, of more different values than this is not listed."""

_CHANCE = np.exp(-5)
"""That numbers drawn at random come back so rarely, below which they were numbered: five pairs expected, none seen."""
_MIN_ROWS_OF_TEXTS = 10
"""Almost any text has a value of its own for each of fewer rows than this."""
_MIN_DIGITS = 8
"""Of a whole number: what is measured has fewer, or not all of one length."""
_MIN_MEAN_ROWS = 1.05
"""On average: below, texts under any name come back by chance."""
_MAX_ROWS_OF_FEW = 5.0
"""On average: so few values as could be listed are persons only if they have fewer rows each."""

Identified = Literal["rows", "persons"]


def identified(name: Name, observed: ObservedColumn) -> Identified | None:
    """Return whether the values name rows, one each, or persons who may have several; None if they do neither."""
    if not (observed.is_whole or observed.kind == "text"):
        return None
    if observed.is_whole and _may_be_negative(observed) and not (name.numbers or name.is_person):
        return None
    if observed.n_values == observed.n_present:
        return "rows" if _name_rows(name, observed) else None
    return "persons" if _name_persons(name, observed) else None


def _name_rows(name: Name, observed: ObservedColumn) -> bool:
    if name.numbers or name.is_person:
        return True
    if observed.kind == "text":
        return observed.n_present >= _MIN_ROWS_OF_TEXTS
    return _differ(observed) or _are_long(observed)


def _name_persons(name: Name, observed: ObservedColumn) -> bool:
    if observed.n_values < MIN_PERSONS or name.numbers == "thing" or (name.is_count and not name.numbers):
        return False
    if name.numbers == "person":
        return True
    if observed.mean_rows > MAX_ROWS_OF_PERSON or (
        observed.n_values <= MAX_LISTED and observed.mean_rows > _MAX_ROWS_OF_FEW
    ):
        return False
    if name.numbers or name.is_person:
        return True
    if observed.kind == "text":
        return observed.n_values > MAX_LISTED and observed.mean_rows >= _MIN_MEAN_ROWS and about(observed) == "codes"
    return observed.n_values > MAX_LISTED and (
        _differ(observed) or _are_long(observed) if observed.mean_rows < _MIN_MEAN_ROWS else _come_back_evenly(observed)
    )


def _may_be_negative(observed: ObservedColumn) -> bool:
    """Return whether some whole numbers are below zero, as no identifiers are; single ones may be missing codes."""
    return len(observed.numbers) > MIN_PERSONS and bool(observed.numbers[MIN_PERSONS] < 0)


def _differ(observed: ObservedColumn) -> bool:
    """Return whether whole numbers come back more rarely than numbers drawn from their range.

    Of n numbers drawn from R, about n^2 / (2 R) pairs are equal, a Poisson number; where some numbers are likelier than
    others, more are.
    """
    rows = float(observed.n_present)
    expected = rows * (rows - 1) / 2 / (float(observed.numbers[-1]) - float(observed.numbers[0]) + 1)
    return bool(pdtr(_equal_pairs(observed), expected) < _CHANCE)


def _are_long(observed: ObservedColumn) -> bool:
    """Return whether whole numbers have one length that no quantity has, as numbers of telephones and citizens do."""
    shortest, longest = (len(str(int(end))) for end in (observed.numbers[0], observed.numbers[-1]))
    is_long = observed.numbers[0] > 0 and shortest == longest >= _MIN_DIGITS
    return bool(is_long) and observed.n_present >= _MIN_ROWS_OF_TEXTS


def _come_back_evenly(observed: ObservedColumn) -> bool:
    """Return whether whole numbers come back as persons do, and not as quantities.

    Quantities are near each other: as many pairs of rows are one apart as are equal, and twice as many. They crowd
    around some values, which come back more often, or are round. Numbers of persons are anywhere in their range.
    """
    values, counts = observed.numbers.astype(np.float64), observed.counts.astype(np.float64)
    beside = float((counts[1:] * counts[:-1])[np.diff(values) == 1].sum())
    if beside >= _equal_pairs(observed) or counts[values % 5 == 0].sum() > counts.sum() / 2:
        return False
    upper = float((values > (values[0] + values[-1]) / 2).mean())
    thirds = [float(part.mean()) for part in np.array_split(counts, 3)]
    return 0.1 < upper < 0.9 and max(thirds) < 2 * min(thirds)


def _equal_pairs(observed: ObservedColumn) -> float:
    counts = observed.counts.astype(np.float64)
    return float((counts * (counts - 1)).sum() / 2)
