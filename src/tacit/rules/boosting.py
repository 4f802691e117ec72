"""Rounds, rates, densities and clips of the boosters of the papers: LazyBB, BRC, RadoBoost."""

from typing import Annotated

from tacit.rules.rule import Rule

_STRENGTH = "rows x epsilon over log(rules)"
_ROWS = "rows x epsilon"
_ALL = "none: the same for all tables"

MAX_ROUNDS: Annotated[int, Rule("most rounds of LazyBB", _STRENGTH, "lazybb_rules.py")] = 99

POWER_OF_ROUNDS: Annotated[float, Rule("rounds of LazyBB: this power of it", _STRENGTH, "lazybb_rules.py")] = 0.6

STRENGTH_OF_A_ROUND: Annotated[float, Rule("rounds: that power over this", _STRENGTH, "lazybb_rules.py")] = 4.0

MIN_DENSITY: Annotated[float, Rule("density of LazyBB where rows are many", _STRENGTH, "lazybb_rules.py")] = 0.3

MAX_DENSITY: Annotated[float, Rule("density of LazyBB where rows are few", _STRENGTH, "lazybb_rules.py")] = 0.5
"""The higher, the less a row can weigh and the less noise is needed; the lower, the more hard rows can weigh."""

FALL_OF_DENSITY: Annotated[float, Rule("density: less by this, times log(signal)", _STRENGTH, "lazybb_rules.py")] = 0.08

STRENGTH_OF_FALL: Annotated[float, Rule("where the density begins to fall", _STRENGTH, "lazybb_rules.py")] = 100.0

LEARNING_RATE: Annotated[float, Rule("learning rate of LazyBB", _ALL, "lazybb_rules.py")] = 0.5

MIN_START: Annotated[float, Rule("share of a public start's log-odds", _STRENGTH, "lazybb_rules.py")] = 0.25

MAX_BRC_ROUNDS: Annotated[int, Rule("most rounds of BRC where all is learned with noise", _ROWS, "brc_rounds.py")] = 300
"""More classifiers put together what each alone says by chance, so that accuracy grows, and other fits say the same of
columns."""

SIGNAL_OF_BRC_ROUND: Annotated[float, Rule("rounds of BRC, pure epsilon", _ROWS, "brc_rounds.py")] = 75.0

CLIP_OF_NUMBERS: Annotated[float, Rule("share of their reach to which numbers are clipped", _ALL, "rado_rules.py")] = (
    0.25
)

EXPECTED_EFFECT: Annotated[float, Rule("how far a mean edge is from zero, in deviations", _ALL, "rado_rules.py")] = 0.2
