"""Number, depth, rates and shares of boosted trees."""

from typing import Annotated

from tacit.rules.rule import Rule

_NOISE = "rows over the noise in a leaf's gradient"
_ALL = "none: the same for all tables"
_EXPLAINED = "released curvatures"

MAX_TREES: Annotated[
    int, Rule("most trees; fewer are a half, a quarter and so on", _NOISE, "boosted_trees_rules.py")
] = 80

MIN_TREES: Annotated[int, Rule("fewest trees", _NOISE, "boosted_trees_rules.py")] = 10

MIN_SNR_FOR_TREES: Annotated[float, Rule("so many trees", _NOISE, "boosted_trees_rules.py")] = 200.0
"""Noise grows with their number, most under pure epsilon, and a delta loses nothing by fewer."""

ROWS_OVER_NOISE: Annotated[float, Rule("depth of trees", _NOISE, "boosted_trees_rules.py")] = 18.5
"""How many times the noise in its gradient a leaf should have rows, two levels before the last."""

ONE_COLUMN_EVERY: Annotated[int, Rule("every so many-th tree has one column", _ALL, "boosted_trees_rules.py")] = 4

N_CANDIDATES: Annotated[int, Rule("trees drawn for each that is kept", _ALL, "boosted_trees_rules.py")] = 8

LEAF_DEVIATION: Annotated[
    float, Rule("deviation of what leaves add to their tests", _ALL, "boosted_trees_rules.py")
] = 0.5
"""Never small: what many trees say of a few rows adds up while their noise cancels, and if each tree alone were
believed as far as it is sure, none would begin."""

MIN_RATE: Annotated[
    float, Rule("least learning rate; else the square of what is explained", _EXPLAINED, "learning_rates.py")
] = 0.3
"""Where classes follow from columns, scores have far to go, and where they hardly do, longer steps would add up
noise."""
