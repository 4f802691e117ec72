"""What each field of a schema's entries is typed as in a review, and what publishing it tells everybody.

The one table of the terminal and the page, which gets it as data: a field that a person can say in one can be said in
the other, and a sentence on what is published is the same in both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

EntryKind = Literal["identifier", "label", "target", "numeric", "categorical", "side table", "left out", "table"]

Editor = Literal[
    "bound",
    "bounds",
    "shares",
    "count",
    "choice",
    "flag",
    "text",
    "texts",
    "codes",
    "pairs",
    "values",
    "one",
    "some",
    "kept",
]
"""How a value is typed.

``bound`` is a number or a date, or one of the field's words; ``bounds`` are several, ``shares`` numbers that add to 1,
``count`` is a whole number or a word, ``choice`` one of the field's words, ``flag`` yes or no, ``text`` a text and
``texts`` several, ``codes`` texts and numbers, ``pairs`` texts and what each is read as, ``values`` the list of what a
column may hold, ``one`` of these and ``some`` of these. What is ``kept`` is not typed.
"""


@dataclass(frozen=True)
class Field:
    """A field of an entry, named as in a schema file.

    Parameters
    ----------
    name : str
    editor : Editor
    label, hint : str
        What it is called where it is typed, and what to know for that.
    tells : str
        What publishing it tells, in an enumeration: ``{}`` is the value, ``{n}`` how many there are. Nothing if empty.
    words : mapping of str to str
        Of a ``choice``, and of words in the place of a number: what each means, as it is offered.
    told : mapping of str to str
        What publishing one of the words tells, where it is another sentence than ``tells``.
    unset : str
        The word for leaving the field out, where it may be.
    always : bool
        Whether every entry of its kind has it.
    main : bool
        Whether the terminal asks for it with every change, and not only where it is named.
    beside : bool
        Whether the page shows its box beside the main ones, and not among those to open.
    of_cells : bool
        Whether values of it are cells, or may be.
    """

    name: str
    editor: Editor
    label: str
    hint: str = ""
    tells: str = ""
    words: tuple[tuple[str, str], ...] = ()
    told: tuple[tuple[str, str], ...] = ()
    unset: str = "none"
    always: bool = False
    main: bool = False
    beside: bool = False
    of_cells: bool = False


_PRIVATE = Field(
    "private",
    "choice",
    "Protection",
    words=(("true", "private"), ("false", "public: everybody may know it of every person")),
    told=(("true", ""), ("false", "that everybody may know it of every single person")),
    always=True,
)
_LEARNED = Field("learned", "kept", "Learned", tells="that it was learned from rows, with the certificate of that")
_FEATURE = Field("feature", "kept", "For groups", tells="that rows are counted by it, and that no model reads it")
_REPLACE = Field(
    "replace",
    "pairs",
    "Replaced texts",
    "what is read as something else, as f = female",
    tells="the texts that are replaced ({n}), and by what",
    of_cells=True,
)
_FROM = Field("from", "kept", "Computed", tells="that it is computed of a person's rows in a side table, and how")

_NUMERIC = (
    Field("low", "bound", "Low", "smaller cells count as this", "its low bound {}", always=True, main=True),
    Field("high", "bound", "High", "larger cells count as this", "its high bound {}", always=True, main=True),
    Field(
        "missing",
        "bound",
        "Missing",
        "an empty cell counts as this; indicator: as a category of its own; none: refused",
        "that an empty cell counts as {}",
        words=(("indicator", "a category of its own"),),
        told=(("indicator", "that an empty cell is a category of its own"),),
        main=True,
    ),
    Field(
        "missing_codes",
        "codes",
        "Codes",
        "cells that stand for a missing one, as N, ?, -99",
        "the codes of a missing cell ({n})",
        beside=True,
        of_cells=True,
    ),
    Field("whole", "flag", "Its numbers are whole, as it counts something", tells="that its numbers are whole"),
    Field("center", "bound", "Center", "a public guess at a typical value", "its center {}"),
    Field("cuts", "bounds", "Cut points", "between the bounds, as 18, 30, 65", "the cut points ({n})"),
    Field(
        "scale",
        "choice",
        "Scale",
        words=(("linear", "linear"), ("log", "logarithmic")),
        told=(("log", "that its scale is logarithmic"),),
        unset="linear",
    ),
    Field(
        "decimal",
        "choice",
        "Decimal mark",
        "of numbers that are texts",
        words=((".", "point"), (",", "comma")),
        told=((",", "that its decimal mark is a comma"),),
        unset=".",
    ),
    Field(
        "thousands",
        "choice",
        "Mark of thousands",
        "before every three digits",
        told=tuple(
            (mark, f"that its mark of thousands is {name}")
            for mark, name in ((".", "a point"), (",", "a comma"), ("'", "an apostrophe"), (" ", "a blank"))
        ),
        words=((".", "point"), (",", "comma"), ("'", "apostrophe"), (" ", "blank")),
    ),
    Field("signs", "texts", "Signs", "texts next to a number, as €, %", "the signs next to numbers ({n})"),
    Field(
        "negatives",
        "choice",
        "Negative numbers",
        "as well as a minus in front",
        words=(("brackets", "(5)"), ("behind", "5-")),
        told=(("brackets", "that negative numbers may be in brackets"), ("behind", "that a minus may be behind")),
    ),
    Field(
        "below",
        "text",
        "Mark of a limit",
        "in front of a number that others are below, as <",
        "its mark of a limit, {}",
    ),
    Field(
        "below_counts",
        "bound",
        "Below a limit",
        "what such a cell counts as: limit, half, or a number",
        "what a cell below a limit counts as, {}",
        words=(("limit", "the limit"), ("half", "half of the limit")),
        unset="limit",
    ),
    Field(
        "dates",
        "text",
        "Dates",
        "how they are written, as %d.%m.%Y or %Y-%m-%d; none: 2020-12-31",
        "how its dates are written, {}",
    ),
    Field(
        "date_part",
        "choice",
        "Part of the date",
        "in place of the day; bounds are numbers then",
        "that it is the {} of a date",
        words=tuple((part, part) for part in ("year", "month", "day", "weekday", "hour")),
    ),
    _REPLACE,
    _FROM,
    _PRIVATE,
    _LEARNED,
)

_OF_COLUMNS = ("cuts", "dates", "date_part", "from")

_CATEGORICAL = (
    Field("categories", "values", "Categories", "", "each category listed ({n})", main=True, of_cells=True),
    Field(
        "other",
        "flag",
        "What is not listed counts as one more category, other",
        tells="that what is not listed counts as one more",
        main=True,
    ),
    Field(
        "match",
        "choice",
        "These are",
        words=(("value", "whole cells"), ("prefix", "beginnings of cells, of which the longest counts")),
        told=(("prefix", "that these are beginnings of cells"),),
        unset="value",
        beside=True,
    ),
    Field(
        "missing",
        "one",
        "An empty cell counts as",
        tells="that an empty cell counts as {}",
        main=True,
        of_cells=True,
    ),
    Field(
        "buckets",
        "count",
        "Buckets",
        "in place of a list, for texts of very many values: a public hash puts each into one of so many, as 256",
        "the number of its buckets, {}, and no value of it",
        beside=True,
    ),
    Field("salt", "text", "Salt of the buckets", "public; another one puts other texts together", "its salt {}"),
    Field(
        "center",
        "one",
        "Typical category",
        "where ordinal codes have their zero",
        "its typical category {}",
        of_cells=True,
    ),
    _REPLACE,
    _FEATURE,
    _FROM,
    _PRIVATE,
    _LEARNED,
)

_LABEL = (
    Field("classes", "values", "Classes", "", "each class listed ({n})", always=True, main=True, of_cells=True),
    Field(
        "positive",
        "some",
        "One class made of several",
        "all others are the other class",
        "which of them are one class together ({n})",
        main=True,
        of_cells=True,
    ),
    Field(
        "missing",
        "one",
        "A row without a label counts as",
        "drop: it is left out, and everybody may know which rows have one",
        "that a row without a label counts as {}",
        words=(("drop", "left out"),),
        told=(("drop", "that which rows have one is public, as rows without are left out"),),
        beside=True,
        of_cells=True,
    ),
    Field(
        "prevalence",
        "shares",
        "Share of each class",
        "in their order, where that is public, as 0.9, 0.1",
        "the share of each class ({n})",
    ),
    _REPLACE,
    _PRIVATE,
    _LEARNED,
)

_MISSING_TARGET = replace(
    next(field for field in _LABEL if field.name == "missing"),
    editor="choice",
    label="A row without a number",
    hint="",
    words=(("drop", "left out, and everybody may know which rows have one"),),
    tells="",
    main=True,
    of_cells=False,
)
_TARGET = tuple(
    _MISSING_TARGET if field.name == "missing" else field for field in _NUMERIC if field.name not in _OF_COLUMNS
)
"""A number to predict is read as a column of numbers is."""

_IDENTIFIER = (
    Field("columns", "texts", "Columns", "one, or those that name a person together", always=True, beside=True),
    Field(
        "rows",
        "count",
        "Rows",
        "mean: each person has weight one; a number: at most so many rows of a person count, so many times the noise",
        "that at most {} rows of a person are read",
        words=(("mean", "each person has weight one"),),
        told=(("mean", "that each person has weight one"),),
        unset="mean",
        always=True,
        main=True,
    ),
)

_TABLE = (
    Field(
        "rows_per_person",
        "count",
        "Rows of a person",
        "the most that one person has, where no column says who it is; noise is so many times as much",
        "the most rows that one person has, {}",
        unset="1",
        main=True,
    ),
    Field(
        "file.encoding",
        "text",
        "Encoding of its files",
        "such as cp1252; none: UTF-8, or as a byte order mark says",
        "the encoding of its files, {}",
        main=True,
    ),
    Field("file.sheet", "text", "Sheet", "of a spreadsheet with several", "the sheet of its files, {}", main=True),
    Field(
        "privacy.delta",
        "count",
        "Delta of fits that name none",
        "0: none, pure epsilon",
        "that fits which name no delta have {}",
        unset="by the number of rows",
        main=True,
    ),
)

FIELDS: dict[EntryKind, tuple[Field, ...]] = {
    "numeric": _NUMERIC,
    "categorical": _CATEGORICAL,
    "label": _LABEL,
    "target": _TARGET,
    "identifier": _IDENTIFIER,
    "table": _TABLE,
}
"""Of each kind of entry, in the order in which they are asked for."""
