"""Rounds, rates, densities and clips of the boosters of the papers: LazyBB, BRC, RadoBoost."""

from typing import Annotated

from tacit.rules.rule import Rule

_STRENGTH = "rows x epsilon over log(rules)"
_ROWS = "rows x epsilon"
_ALL = "none: the same for all tables"
_NOISE = "noise in a feature's mean square"

MAX_ROUNDS: Annotated[int, Rule("most rounds of LazyBB", _STRENGTH, "lazybb_rules.py")] = 99

POWER_OF_ROUNDS: Annotated[float, Rule("rounds of LazyBB: this power of it", _STRENGTH, "lazybb_rules.py")] = 0.6

STRENGTH_OF_A_ROUND: Annotated[float, Rule("rounds: that power over this", _STRENGTH, "lazybb_rules.py")] = 4.0

MIN_DENSITY: Annotated[float, Rule("density of LazyBB where rows are many", _STRENGTH, "lazybb_rules.py")] = 0.3

MAX_DENSITY: Annotated[float, Rule("density of LazyBB where rows are few", _STRENGTH, "lazybb_rules.py")] = 0.5
"""The higher, the less a row can weigh and the less noise is needed; the lower, the more hard rows can weigh."""

FALL_OF_DENSITY: Annotated[float, Rule("density: less by this, times log(signal)", _STRENGTH, "lazybb_rules.py")] = 0.08

STRENGTH_OF_FALL: Annotated[float, Rule("where the density begins to fall", _STRENGTH, "lazybb_rules.py")] = 100.0

LEARNING_RATE: Annotated[float, Rule("learning rate of LazyBB", _STRENGTH, "lazybb_rules.py")] = 0.45

MAX_LEARNING_RATE: Annotated[float, Rule("the same of trees on few rows", _STRENGTH, "lazybb_rules.py")] = 0.8
"""Their few rounds must move the weights further."""

RETREAT_OF_RATE: Annotated[
    float, Rule("rate after a rule that undoes the one before", "released rules", "lazybb_long.py")
] = 0.7
"""0.5 does as well."""

MIN_START: Annotated[float, Rule("share of a public start's log-odds", _STRENGTH, "lazybb_rules.py")] = 0.25

STRENGTH_FOR_MIN_START: Annotated[float, Rule("below it, the start counts more", _STRENGTH, "lazybb_rules.py")] = 400.0

LEVELS_OF_ONE_RULES: Annotated[int, Rule("levels of cut points of one-rules", _ALL, "lazybb_levels.py")] = 4
"""Votes on 32 bins in place of 16 are no more accurate, and take longer. Trees gain by 32 at the largest budgets
(``docs/measurements.md``)."""

MAX_BRC_ROUNDS: Annotated[int, Rule("most rounds of BRC where all is learned with noise", _ROWS, "brc_rounds.py")] = 300
"""More classifiers put together what each alone says by chance, so that accuracy grows, and other fits say the same of
columns."""

SIGNAL_OF_BRC_ROUND: Annotated[float, Rule("rounds of BRC, pure epsilon", _ROWS, "brc_rounds.py")] = 75.0

SHARE_OF_MOMENTS: Annotated[
    float, Rule("share of rados' moments; the rest is a mean score's", _ALL, "rado_rules.py")
] = 0.9

SQUARES_DEVIATION: Annotated[float, Rule("how far mean squares are from the expected", _ALL, "rado_rules.py")] = 0.3

MAX_NOISE_OF_SQUARES: Annotated[float, Rule("squares are asked for", _NOISE, "rado_rules.py")] = 0.05

MAX_NOISE_OF_WIDE: Annotated[float, Rule("numbers are not clipped", _NOISE, "rado_rules.py")] = 0.025

CLIP_OF_FEW: Annotated[float, Rule("clip of numbers where squares are not asked for", _NOISE, "rado_rules.py")] = 0.25

CLIP_BETWEEN: Annotated[float, Rule("clip of numbers between", _NOISE, "rado_rules.py")] = 0.5

PRIOR_SCALE: Annotated[float, Rule("scale of a mean edge's prior, over its mean square", _ALL, "rado_rules.py")] = 0.6

EXPECTED_EFFECT: Annotated[float, Rule("how far a mean edge is from zero, in deviations", _ALL, "rado_rules.py")] = 0.2

MIN_DEVIATIONS_OF_LABELS: Annotated[float, Rule("the label's sum counts", "its noise", "rado_rules.py")] = 3.0
