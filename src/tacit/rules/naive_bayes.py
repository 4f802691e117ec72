"""What naive Bayes assumes of evidence, and pays for its calibration."""

from typing import Annotated

from tacit.rules.rule import Rule

_ALL = "none: the same for all tables"

DEFAULT_CALIBRATION: Annotated[float, Rule("share of the budget for counts of scores", _ALL, "probabilities.py")] = 0.03

SCORE_BINS: Annotated[int, Rule("levels of the score that are counted", _ALL, "probabilities.py")] = 16
"""Few, as a line has two parameters and each bin has noise of its own."""

USUAL_SLOPE: Annotated[float, Rule("slope of the log-odds before counting", _ALL, "probabilities.py")] = 0.5
"""Evidence is counted once or several times over."""

SLOPE_DEVIATION: Annotated[float, Rule("how far the slope may be from that", _ALL, "probabilities.py")] = 0.35

INTERCEPT_DEVIATION: Annotated[
    float, Rule("how far log-odds midway between both classes are off", _ALL, "probabilities.py")
] = 0.3

FAIR: Annotated[float, Rule("part of the way to a rare class's fair intercept", "class shares", "probabilities.py")] = (
    0.6
)
"""For a class of at most an eighth of the rows; of at least a quarter, none of it."""

MIN_PRIOR_DEVIATION: Annotated[float, Rule("least deviation of a bin's share by class", _ALL, "probabilities.py")] = (
    0.05
)

MAX_PRIOR_DEVIATION: Annotated[float, Rule("largest deviation of a bin's share by class", _ALL, "probabilities.py")] = (
    1.6
)

MIN_CORRELATION: Annotated[float, Rule("shortest reach of a deviation over bins", _ALL, "probabilities.py")] = 1 / 32

MAX_CORRELATION: Annotated[float, Rule("longest reach of a deviation over bins", _ALL, "probabilities.py")] = 1 / 2
