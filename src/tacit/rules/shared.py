"""Numbers that several rules have in common."""

from typing import Annotated

from tacit.rules.rule import Rule

_ALL = "none: the same for all tables"

SURE_DEVIATIONS: Annotated[
    float, Rule("how much of its noise a released number is lowered by to be sure", "noise", "noisy_gradient_rules.py")
] = 2.0
"""A bin without rows has no curvature, and noise alone makes no class rare."""

MAX_LEVELS: Annotated[int, Rule("levels of private cut points: 32 bins", "rows x epsilon", "cut_points.py")] = 5
"""More bins would have fewer rows than the noise of learners moves."""

TINY_SHARE: Annotated[
    float, Rule("share of the budget for sums over all rows: classes' counts, calibration", _ALL, "shares.py")
] = 0.05
"""Two or six numbers, each of all rows."""

SMALL_SHARE: Annotated[
    float, Rule("share for what a learner measures with: cut points, moments, curvatures", _ALL, "shares.py")
] = 0.1
"""More takes from the learner what finer bins do not give back. Of rados, the share of the mean score; of a
search, the share of the rows."""

LARGE_SHARE: Annotated[
    float, Rule("share for what it looks for: columns, questions, ranks before trees, levels", _ALL, "shares.py")
] = 0.2

GRADIENTS: Annotated[int, Rule("how many noisy gradients are released", _ALL, "noisy_gradient_rules.py")] = 16
"""On bins and on ranks: of more, each has less of the budget, and fewer do not come to the minimum.

Trees that come after ranks leave these half as many.
"""
