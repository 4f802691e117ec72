"""Which learner ``AutoClassifier`` takes.

Under pure epsilon noise grows with the number of releases and not with its root, so that learners of many releases come
later. At first no column can be told from noise, and a tree asks no question, but of very many columns: all of the
budget says how frequent the classes are (``benchmarks/smallest_budgets.py``).
"""

from typing import Annotated

from tacit.rules.rule import Rule

_BY = "rows x epsilon to a column that costs privacy"

LOGISTIC_FROM: Annotated[float, Rule("logistic regression, not a tree", _BY, "smallest_budgets.py")] = 2.0

LOGISTIC_FROM_OF_CATEGORIES: Annotated[
    float, Rule("the same where all columns are categories", _BY, "smallest_budgets.py")
] = 1.0

BOOSTED_TREES_FROM: Annotated[float, Rule("boosted trees, under a delta", _BY, "auto_rules.py")] = 500.0

BOOSTED_TREES_FROM_OF_CLASSES: Annotated[float, Rule("the same of more than two classes", _BY, "auto_rules.py")] = (
    1_000.0
)

BOOSTED_TREES_FROM_PURE: Annotated[float, Rule("boosted trees, under pure epsilon", _BY, "auto_rules.py")] = 3_000.0

PURE_TREE_FROM: Annotated[
    float, Rule("a tree again, under pure epsilon where all columns are categories", _BY, "auto_rules.py")
] = 2.5
"""Of categories alone each coefficient has noise of its own, where a number has one on ranks; one sum of all rows,
which logistic regression asks for where there are fewest, orders them before a tree can ask its first question."""

PURE_TREE_TO: Annotated[
    float, Rule("how far that tree goes, and one of more than two classes", _BY, "auto_rules.py")
] = 150.0
"""Logistic regression comes after the former. After the latter comes naive Bayes, as one regression for each class
divides a pure budget, where naive Bayes asks for the counts of all classes at once. With a delta one softmax on ranks
divides nothing."""

MAX_PURE_CATEGORIES: Annotated[
    int, Rule("logistic regression, under pure epsilon", "categories of a column", "many_codes.py")
] = 64
"""With more, noise takes it below a model without the column where naive Bayes loses nothing."""
