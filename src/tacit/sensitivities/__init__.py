"""How far answers of queries move between neighbors: formulas of public numbers alone, which certificates hold."""

GRID_STEPS = 2**20
"""In one unit of features, log-odds, margins and residuals of bins."""

FEATURE_STEPS = 2**14
"""In one unit of a ranked feature."""

RANKED_RESIDUAL_STEPS = 2**12
"""In one unit of a residual of ranked rows."""

PART_STEPS = 2**10
"""In a row's largest loss, and in a row that is divided among predicted classes or weighs as its class."""

ROUNDED_UP = 1 + 2.0**-40
"""Factor that covers the rounding of a stated sensitivity, which takes far fewer operations than 2^13."""
