"""Number, depth, rates and shares of boosted trees."""

from typing import Annotated

from tacit.rules.rule import Rule

_NOISE = "rows over the noise in a leaf's gradient"
_ALL = "none: the same for all tables"
_EXPLAINED = "released curvatures"

MAX_TREES: Annotated[int, Rule("most trees, of which fewer are taken by halves", _NOISE, "boosted_trees_rules.py")] = 80

MIN_TREES: Annotated[int, Rule("fewest trees", _NOISE, "boosted_trees_rules.py")] = 10

WORTH: Annotated[float, Rule("so many trees, under a delta", _NOISE, "boosted_trees_rules.py")] = 35.0

WORTH_PURE: Annotated[float, Rule("so many trees, under pure epsilon", _NOISE, "boosted_trees_rules.py")] = 200.0
"""The noise grows in proportion to their number, and fewer are better."""

FEW_COLUMNS: Annotated[int, Rule("columns up to which fewer trees have asked all", "columns", "tree_numbers.py")] = 7

WORTH_OF_FEW: Annotated[float, Rule("times as many rows for most trees then", _NOISE, "tree_numbers.py")] = 10.0

ROWS_OVER_NOISE: Annotated[float, Rule("depth of trees, under a delta", _NOISE, "boosted_trees_rules.py")] = 18.5
"""How many times the noise in its gradient a leaf should have rows, two levels before the last."""

ROWS_OVER_PURE_NOISE: Annotated[float, Rule("depth, under pure epsilon", _NOISE, "boosted_trees_rules.py")] = 16.0

MIN_ROWS_OF_LEAF: Annotated[float, Rule("depth where there is little noise", "rows", "boosted_trees_rules.py")] = 64.0

N_CANDIDATES: Annotated[int, Rule("trees drawn for each that is kept", _ALL, "boosted_trees_rules.py")] = 8

ONE_COLUMN_EVERY: Annotated[int, Rule("every so many-th tree has one column", _ALL, "boosted_trees_rules.py")] = 4

SELECTION: Annotated[float, Rule("share of a tree's budget for its choice, delta", _ALL, "tree_shares.py")] = 0.15

SELECTION_PURE: Annotated[float, Rule("the same, pure epsilon", _ALL, "tree_shares.py")] = 0.25

CURVATURE: Annotated[float, Rule("share of a tree's budget for curvatures, delta", _ALL, "tree_shares.py")] = 0.05

CURVATURE_PURE: Annotated[float, Rule("the same, pure epsilon", _ALL, "tree_shares.py")] = 0.15

RANKS: Annotated[float, Rule("share of the budget for ranks that come first", _ALL, "auto_bound.py")] = 0.2

MAX_STEP: Annotated[float, Rule("longest step of a leaf, in units of score", _ALL, "boosted_trees_rules.py")] = 2.0

MIN_OF_TESTS: Annotated[float, Rule("least deviation of what tests add", _ALL, "boosted_trees_rules.py")] = 0.004

MAX_OF_TESTS: Annotated[float, Rule("largest deviation of what tests add", _ALL, "boosted_trees_rules.py")] = 0.7

MIN_OF_LEAVES: Annotated[float, Rule("least deviation of what leaves add", _ALL, "boosted_trees_rules.py")] = 0.4
"""Never small: what many trees say of a few rows adds up while their noise cancels, and if each tree alone were
believed as far as it is sure, none would begin."""

MAX_OF_LEAVES: Annotated[float, Rule("largest deviation of what leaves add", _ALL, "boosted_trees_rules.py")] = 1.0

MIN_RATE: Annotated[float, Rule("learning rate where nothing is explained", _EXPLAINED, "learning_rates.py")] = 0.3

MAX_RATE: Annotated[float, Rule("learning rate where all is explained", _EXPLAINED, "learning_rates.py")] = 0.7
"""Where classes follow from columns, scores have far to go, and where they hardly do, longer steps would add up
noise."""

POWER_OF_RATE: Annotated[float, Rule("how the rate rises between", _EXPLAINED, "learning_rates.py")] = 3.0

UNSURE: Annotated[float, Rule("noise at which half of what is explained counts", _EXPLAINED, "learning_rates.py")] = (
    0.25
)
"""One deviation alone is passed by chance."""
