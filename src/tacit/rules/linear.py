"""Method, encoding, bins, regularization and shares of the budget of linear learners."""

from typing import Annotated

from tacit.rules.rule import Rule

_ROWS = "rows x epsilon"
_TO_A_COLUMN = "rows x epsilon to a column"
_NONE = "none: the same for all tables"

MIN_SIGNAL_PER_COEFFICIENT: Annotated[
    float, Rule("objective perturbation, not one noisy sum", "rows x epsilon to a coefficient", "pure_methods.py")
] = 12.0
"""The area under the ROC curve is larger from about 12 on, accuracy from about 20."""


SIGNAL_FOR_USUAL_BINS: Annotated[
    float, Rule("more bins than usual, of objective perturbation", _ROWS, "linear_rules.py")
] = 12_500.0

RATIO_FOR_USUAL_BINS: Annotated[
    float, Rule("more bins than usual, of noisy gradients", "rows over a count's noise", "noisy_gradient_rules.py")
] = 900.0

SHRINKAGE_OF_LOGISTIC: Annotated[
    float, Rule("lambda over the least: 1 + this / signal", "rows x epsilon to a coefficient", "linear_rules.py")
] = 64.0

SHRINKAGE_OF_HINGES: Annotated[
    float, Rule("the same of hinges, whose least is large", "rows x epsilon to a coefficient", "linear_rules.py")
] = 4.0

SIGNAL_FOR_BINS: Annotated[float, Rule("bins, not ranks with quadratic terms", _TO_A_COLUMN, "ranked_quadratic.py")] = (
    2_000.0
)

SIGNAL_FOR_PURE_BINS: Annotated[float, Rule("the same under pure epsilon", _TO_A_COLUMN, "pure_ranks.py")] = 800.0
"""A sum's noise grows with the number of features, and a number has one on ranks: there synthetic tables are level, as
a tenth of the budget pays for cut points of bins."""

SIGNAL_FOR_QUADRATIC: Annotated[float, Rule("ranks with quadratic terms", _TO_A_COLUMN, "ranked_quadratic.py")] = 70.0
"""Below, the noise of quadratic terms costs more than they gain."""

SIGNAL_OF_CHOSEN: Annotated[
    float, Rule("number of columns chosen where all are categories", _ROWS, "chosen_columns.py")
] = 90.0

RARE: Annotated[
    float, Rule("of two classes gradients begin at the base rate", "a class's released share", "rare_outcomes.py")
] = 0.05
"""Of classes less uneven that would cut residuals where most is to be learned."""

SIGNAL_OF_MANY: Annotated[float, Rule("more than two classes are counted", _ROWS, "class_counts.py")] = 50.0
