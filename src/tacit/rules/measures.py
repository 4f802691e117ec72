"""Held-out measures and calibration by them, and public links of scores that are no log-odds."""

from typing import Annotated

from tacit.rules.rule import Rule

_ALL = "none: the same for all tables"

WIDTH_OF_INTERVAL: Annotated[float, Rule("standard deviations on either side", _ALL, "holdout_coverage.py")] = 2.04
"""1.96 of a normal distribution hold 95 %, and a little more is taken, so that the approximations do not bring the
coverage below that."""

SKEWED: Annotated[
    float, Rule("width from which an area's errors are skewed", "the interval", "holdout_coverage.py")
] = 0.5

SURE_BESIDE: Annotated[float, Rule("deviations of rows next to a level", "released counts", "holdout_coverage.py")] = (
    4.0
)
"""That there must be, for the classes' ratio among them to be known."""

USUAL_SHARE_OF_SQUARES: Annotated[float, Rule("how far areas go together", "classes", "holdout_coverage.py")] = 0.5
"""As a share of what the squares are if all go together: 0.2 to 0.6 where classes are three to seven."""

ROWS_A_DEVIATION: Annotated[float, Rule("squares are asked for", "rows over their noise", "holdout_coverage.py")] = 60.0
"""Of fewer, noise would hide how far areas go together, and what the squares cost makes all intervals wider."""

WIDEST_LEVEL: Annotated[
    float, Rule("width of a level, in log-odds, beyond which they stay", "released edges", "calibration_harm.py")
] = 3.0
"""Where noise hides the medians of the scores most rows are in one wider level, and nobody knows where in it."""

MAX_LOG_ODDS: Annotated[float, Rule("log-odds that a public link never passes", _ALL, "probabilities.py")] = 3.0
"""A probability of 0.95: where all votes deny a rare class, they say no more."""

LOG_ODDS_OF_VOTES: Annotated[float, Rule("log-odds of a vote's score, of BRC", _ALL, "probabilities.py")] = 0.8

LOG_ODDS_OF_LITERAL_VOTES: Annotated[float, Rule("the same of LazyBB", _ALL, "probabilities.py")] = 0.4

LOG_ODDS_OF_MARGINS: Annotated[float, Rule("the same of an SVM's margin", _ALL, "probabilities.py")] = 1.6

LOG_ODDS_OF_RADOS: Annotated[float, Rule("the same of RadoBoost", _ALL, "probabilities.py")] = 0.3
