"""Numbers that several rules have in common."""

from typing import Annotated

from tacit.rules.rule import Rule

SURE_DEVIATIONS: Annotated[
    float, Rule("how much of its noise a released number is lowered by to be sure", "noise", "noisy_gradient_rules.py")
] = 2.0
"""A bin without rows has no curvature, and noise alone makes no class rare."""

MAX_LEVELS: Annotated[int, Rule("levels of private cut points: 32 bins", "rows x epsilon", "cut_points.py")] = 5
"""More bins would have fewer rows than the noise of learners moves."""

SHARE_OF_CUTS: Annotated[
    float, Rule("share of the budget for cut points or quartiles", "none: the same for all", "quartiles.py")
] = 0.1
"""More takes from the learner what finer bins do not give back."""

MIN_SHARE_OF_COUNTS: Annotated[
    float, Rule("least share of the budget for counts of the classes", "rows x epsilon", "class_counts.py")
] = 0.02

MAX_SHARE_OF_COUNTS: Annotated[float, Rule("most of that share", "rows x epsilon", "class_counts.py")] = 0.1

ROWS_FOR_SHARES: Annotated[
    float, Rule("that share: this / signal, between both", "rows x epsilon", "weighted_errors.py")
] = 60.0
"""With so many rows times epsilon shares are known within five hundredths."""

GRADIENTS: Annotated[
    int, Rule("how many noisy gradients are released", "none: the same for all", "noisy_gradient_rules.py")
] = 16
"""On bins and on ranks: of more, each has less of the budget, and fewer do not come to the minimum.

Trees that come after ranks leave these half as many.
"""
