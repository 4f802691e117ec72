"""How numbers to predict are scaled, and where residuals are clipped."""

from typing import Annotated

from tacit.rules.rule import Rule

_ALL = "none: the same for all tables"

SPARED: Annotated[int, Rule("halvings that would find a distance, and are not made", _ALL, "regression_rules.py")] = 2
"""Clipping fewer numbers costs more noise than it spares error."""

UNITS_OF_TREES: Annotated[
    float, Rule("scores of boosted trees in a standard deviation", _ALL, "regression_rules.py")
] = 2.0
"""What trees add to their tests' steps is expected in such units; linear regression has one."""
