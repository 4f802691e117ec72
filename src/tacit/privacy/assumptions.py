"""The assumptions of certificates: of their unit, of a search, of slices, of floating-point draws."""

from __future__ import annotations

import re

from tacit.privacy.random_runs import UNSEEN_RUNS
from tacit.privacy.unit import Persons, PrivacyUnit, RowWeight, listed_names

ONE_ROW = "each person is in one row only"
"""What a certificate takes for granted whose unit is a row."""

CHOSEN_UNSEEN = "settings were chosen without looking at these rows"
"""What every certificate says of settings, but those of a search and of a model saved after other fits."""

ASSUMPTIONS = (
    ONE_ROW,
    "the number of rows, the schema and all cells that are not protected are public",
    CHOSEN_UNSEEN,
    "only this fit's releases leave; other fits, and transformers fitted on the same rows, cost extra",
    "nothing else computed from these rows leaves: no predictions of them, and no scores, calibration or thresholds",
    "running time and memory are not observed",
)
"""What every certificate takes for granted."""

IDEAL_DRAWS = (
    "where a release names a floating-point rounding, its draw stays within a norm that it exceeds with a "
    "probability below exp(-190), or else the exact noise that masks its rounding is too small"
)
"""What a certificate with such a release takes for granted besides."""


SIDE_TABLES = (
    "a row of a side table is of the person of its key, and of no other; all rows of a person there, how many and "
    "whether any, are protected with that person's row"
)
"""What a certificate takes for granted, and says of its unit, where columns are computed of side tables."""

OWN_WEIGHT = (
    "no row's weight follows from other rows: none was fitted to the table, to its labels, or to errors of a model"
)
"""What a certificate takes for granted where rows have weights."""

_WEIGHED, _PROTECTED_WEIGHT = "each row counts as its ", "; that weight is protected"


def weighed_rows(weight: RowWeight) -> str:
    """Return how much rows count, as a certificate says it.

    Examples
    --------
    >>> weighed_rows(RowWeight("wgt", 500, private=True))
    "each row counts as its 'wgt' over 500, at most one; that weight is protected"
    """
    known = _PROTECTED_WEIGHT if weight.private else "; that weight is public"
    return f"{_WEIGHED}{weight.name!r} over {weight.cap:g}, at most one{known}"


def weighs_rows(assumptions: tuple[str, ...]) -> bool:
    """Return whether a certificate says that rows have a weight."""
    return any(each.startswith(_WEIGHED) for each in assumptions)


def protects_weight(assumptions: tuple[str, ...]) -> bool:
    """Return whether a certificate says that rows have a weight, and that it is protected."""
    return any(each.startswith(_WEIGHED) and each.endswith(_PROTECTED_WEIGHT) for each in assumptions)


def of_cells(unit: PrivacyUnit) -> tuple[str, ...]:
    """Return what a certificate takes for granted of side tables and of weights, where there are some."""
    weighed = (weighed_rows(unit.weight), OWN_WEIGHT) if unit.weight else ()
    return (*((SIDE_TABLES,) if unit.side_tables else ()), *weighed)


SEARCHED = (
    "the candidates of the search and their order were listed without looking at these rows; the choice among them is "
    "released above"
)
"""What the certificate of a search takes for granted in place of settings that were chosen without looking."""


_FITTED_BEFORE = re.compile(
    r"\A[1-9][0-9]* fits? of these columns (was|were) made before in this process; "
    r"a choice by their scores is not covered\Z"
)
"""What a saved certificate says where other fits might have chosen the model's settings."""


def after_fits(assumptions: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return the assumptions of a model that is saved after so many other fits of its columns.

    The scores of those fits may have chosen its settings, so the sentence takes the place of ``CHOSEN_UNSEEN``. A paid
    search does not assume that; the sentence is then added.

    Examples
    --------
    >>> after_fits(ASSUMPTIONS, 12)[2]
    '12 fits of these columns were made before in this process; a choice by their scores is not covered'
    """
    made = "1 fit of these columns was" if count == 1 else f"{count} fits of these columns were"
    said = f"{made} made before in this process; a choice by their scores is not covered"
    found = tuple(said if words == CHOSEN_UNSEEN else words for words in assumptions)
    return found if said in found else (*found, said)


def as_fitted(assumptions: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the certificate of the fit itself took for granted: the same without what ``after_fits`` said."""
    others = tuple(words for words in assumptions if not _FITTED_BEFORE.match(words))
    if len(others) == len(assumptions) or SEARCHED in others:
        return others
    return tuple(CHOSEN_UNSEEN if _FITTED_BEFORE.match(words) else words for words in assumptions)


def assumptions_for(
    persons: Persons | None, *, searched: bool = False, labeled_public: bool = False
) -> tuple[str, ...]:
    """Return what every certificate of such a unit takes for granted, or every one of a search."""
    found = _assumptions_for(persons)
    if labeled_public:
        found = (*found[:2], _labeled(persons), *found[2:])
    return tuple(SEARCHED if words == CHOSEN_UNSEEN else words for words in found) if searched else found


def _labeled(persons: Persons | None) -> str:
    """Return what a certificate takes for granted of a table whose rows without a label were left out."""
    if persons is None or persons.identifier is None:
        return "which rows have a label is public; rows without one were left out, and are not counted"
    which = "rows have a label" if persons.same_rows else "persons have rows with a label"
    return f"which {which} is public; rows without one were left out, and persons without any other are not counted"


def _assumptions_for(persons: Persons | None) -> tuple[str, ...]:
    if persons is None:
        return ASSUMPTIONS
    if persons.identifier is None:
        first = f"no person is in more than {persons.rows} rows"
        return (first, *ASSUMPTIONS[1:])
    same = f"rows of one person, and of no other, have the same {listed_names(persons.identifier)}"
    if not persons.same_rows:
        return (same, "the number of persons and the schema are public; the number of rows is not", *ASSUMPTIONS[2:])
    public = (
        "the number of persons, how many rows each has and where they are, the schema and all cells that are not "
        "protected are public"
    )
    return (same, public, *ASSUMPTIONS[2:])


PARALLEL = (
    "rows were divided into slices without looking at them, each row into one: losses of different slices do not add "
    "up, as each slice is within the budget by itself"
)
"""What a certificate with slices takes for granted besides."""

_IN_SENTENCES = {
    ASSUMPTIONS[3]: (
        "Only this fit's releases are published. Other fits, and transformers fitted on the same rows, cost extra."
    ),
    ASSUMPTIONS[4]: (
        "Apart from the listed releases, nothing computed from these rows is published: no predictions of them, and "
        "no exact scores or thresholds."
    ),
    ASSUMPTIONS[5]: "Nobody who sees the model knows the running time and memory use of the fit.",
    IDEAL_DRAWS: (
        "Where a release names a floating-point sampler, its draw stays within a norm. "
        "The exact noise that masks its rounding is large enough. "
        "Either fails with a probability below exp(-190)."
    ),
    SIDE_TABLES: (
        "A row of a side table is of the person of its key, and of no other. "
        "All rows of a person there are protected with that person's row, and so is how many there are."
    ),
    OWN_WEIGHT: (
        "No row's weight follows from other rows. None was fitted to the table, to its labels, or to errors of a model."
    ),
    SEARCHED: (
        "The candidates of the search and their order were listed without looking at these rows. "
        "The choice among them is released above."
    ),
    PARALLEL: (
        "Rows were divided into slices without looking at them, each row into one. "
        "Losses of different slices do not add up: each slice is within the budget by itself."
    ),
    UNSEEN_RUNS: (
        "The released model is the best of a secret number of runs, by a noisy score among the releases of each. "
        "Nobody observes the number, the other runs, or how long all of them took."
    ),
}
"""Assumptions that take more than one short sentence. Files keep the first form, which audits compare."""


def said_plainly(assumptions: tuple[str, ...]) -> tuple[str, ...]:
    """Return assumptions as sentences to be read, of at most 25 words each.

    Examples
    --------
    >>> said_plainly((ONE_ROW,))
    ('Each person is in one row only.',)
    """
    return tuple(_IN_SENTENCES.get(words, f"{words[:1].upper()}{words[1:]}.") for words in assumptions)


def said_exactly(exact: tuple[str, ...]) -> tuple[str, ...]:
    """Return what was computed exactly as sentences to be read; files keep their first form.

    Examples
    --------
    >>> said_exactly(("What depends on nothing but the public label y.",))
    ('What depends only on the public label y.',)
    """
    return tuple(words.replace("depends on nothing but", "depends only on", 1) for words in exact)
