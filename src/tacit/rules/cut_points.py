"""How many levels of private cut points a budget pays for, what quartiles assume of numbers, and learned bounds."""

from typing import Annotated

from tacit.rules.rule import Rule

_ROWS = "rows of an interval x eta of its median"
_ALL = "none: the same for all tables"

ROWS_PER_SCALE: Annotated[float, Rule("one more level, of learners that smooth", _ROWS, "cut_points.py")] = 8.0
"""From there on a median is found well enough to be worth its budget."""

MIN_LEVELS: Annotated[int, Rule("fewest levels of learners that take bins as they are", _ROWS, "cut_points.py")] = 3
"""Eight bins, unless a learner wants fewer: fewer lose what their better places gain."""

ROWS_TO_START: Annotated[
    float, Rule("one more level, and private cut points at all, of these", _ROWS, "cut_points.py")
] = 2.0
"""From there on none of them loses where bounds are tight, and all gain much where they are wide."""

PURE_SHARE_OF_NUMBERS: Annotated[
    float, Rule("share for cut points of ranks, pure epsilon", "part of the columns that are numbers", "pure_ranks.py")
] = 0.3
"""A tenth does not pay for two levels, of which the second says how far apart numbers are; the coefficients of
categories want the rest."""

ROWS_OF_PURE_RANKS: Annotated[float, Rule("medians for ranks, pure epsilon", _ROWS, "pure_ranks.py")] = 3.0
"""With fewer rows medians are missed, and ranks say less than places within the bounds."""

ROUNDS: Annotated[int, Rule("rounds of counts for quartiles", _ALL, "quartiles.py")] = 8
"""Each asks where the ones before point to."""

CHANCE_OF_FILLED: Annotated[float, Rule("how likely rows fill the bounds evenly", _ALL, "quartiles.py")] = 0.5

CHANCE_OF_ANCHORED: Annotated[
    float, Rule("how likely the values are near the grid's finest cells", _ALL, "quartiles.py")
] = 0.1
"""As zero or the declared center."""

CHANCE_OF_SCALE: Annotated[float, Rule("how likely about any place on the column's scale", _ALL, "quartiles.py")] = 0.3
"""The rest are about places on the grid."""

LABEL_WEIGHT: Annotated[float, Rule("the label's share, where a column has one", _ALL, "learned_schema.py")] = 4.0
"""Rows of a class that is missed are lost for all columns."""
