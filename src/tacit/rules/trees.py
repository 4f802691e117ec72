"""Sizes and shares of decision trees."""

from typing import Annotated

from tacit.rules.rule import Rule

_ROWS = "rows x epsilon"
_ALL = "none: the same for all tables"

ROWS_FOR_A_SPLIT: Annotated[
    float, Rule("one more split", "rows x epsilon of a split over log(questions)", "tree.py")
] = 24.0

ROWS_FOR_THE_FIRST: Annotated[
    float, Rule("a first split, best leaf first", "rows x epsilon over log(questions)", "smallest_budgets.py")
] = 12.0
"""A question drawn from noise says nothing, and leaves less for the classes, whose rows it divides."""

SHARE_OF_SPLITS: Annotated[float, Rule("share of a tree's cost for its splits", _ALL, "tree.py")] = 0.7
"""A wrong label at a large leaf loses more than a poor last split."""

MIN_PUBLIC_GAIN: Annotated[
    float, Rule("part of the rows that a public question must gain", "public columns", "tree.py")
] = 0.01
"""More of them would leave thin leaves."""

POWER_OF_SHARES: Annotated[
    float, Rule("how much more a mistake about a rarer class counts", "the classes' shares", "weighted_errors.py")
] = 0.5
"""Of how much rarer it is: with 0 questions see the frequent class alone, and with 1 hardly."""
