"""What linear learners and naive Bayes assume before any noisy answer, and how noisy answers are read."""

from typing import Annotated

from tacit.rules.rule import Rule

_ALL = "none: the same for all tables"
_SHARES = "the classes' declared or released shares"

SPREAD: Annotated[
    float, Rule("how large coefficients of bins are, and their means", _ALL, "noisy_gradient_rules.py")
] = 0.3

HOPELESS: Annotated[
    float, Rule("noise from which on the prior holds everything", "noise over curvature", "noisy_gradient_rules.py")
] = 100.0

RADIUS: Annotated[float, Rule("length of rows on ranks, over their usual one", _ALL, "ranked_rules.py")] = 0.25
"""A column's noise is paid for with the largest norm of a row."""

CONSTANT: Annotated[float, Rule("the constant feature next to ranks", _ALL, "ranked_rules.py")] = 0.5
"""Models are scored with it and the three below: with other numbers a file that was written before would say something
else. Half of what a number counts, so that it takes little of a row's length. The same for what says that a cell is
empty: most of these tell little, and as long as a number they cost two points of log-loss
(``benchmarks/empty_cells.py``)."""

CENTERED: Annotated[float, Rule("what categories' features are less by, of 1 / K", _ALL, "ranked_rules.py")] = 0.5
"""What all rows have in common, half of two categories, takes length, which noise is paid for. The other half is left
for a base rate."""

QUADRATIC: Annotated[float, Rule("the largest quadratic term, that of both end ranks", _ALL, "ranked_quadratic.py")] = (
    0.6
)

SHORT: Annotated[float, Rule("length of columns that were not chosen", _ALL, "chosen_columns.py")] = 0.2
"""Of a row's squared length, which noise is paid for, they take a twenty-fifth, and still add to what is known."""

CUT_OF_CLASSES: Annotated[
    float, Rule("where residuals of more than two classes are cut", "number of classes", "ranked_classes.py")
] = 0.9
"""Of one where all classes are as likely: noise is less by as much, and most residuals soon are shorter."""

USUAL_MEAN: Annotated[float, Rule("how far a feature's mean is from the assumed one", _ALL, "ranked_quadratic.py")] = (
    0.2
)
"""Cut points are in the middle only as far as noise lets them, and many rows may have one number. Rows are clipped to a
norm, and what of it is the constant's is not the same for all."""

LOG_DEVIATION: Annotated[float, Rule("how far the prior's width may be from one", _ALL, "ranked_rules.py")] = 0.35
"""Deviation of its logarithm."""

DEGREES_OF_FREEDOM: Annotated[float, Rule("how much columns' widths differ", _ALL, "ranked_rules.py")] = 3.0
"""Of the Student distribution that columns' widths make of the normal prior: few columns tell much."""

MAX_MISFIT: Annotated[float, Rule("how far features may go together unseen", _ALL, "ranked_rules.py")] = 0.3
"""With 1 among the deviations a few noisy answers were taken for a wholly different Hessian."""

UNEVEN_WIDER: Annotated[float, Rule("width of the constant's prior where a class is rare", _ALL, "ranked_rules.py")] = (
    4.0
)

CHANCE_OF_UNEVEN: Annotated[float, Rule("how likely that is, before anything is told", _ALL, "ranked_rules.py")] = 0.2
"""Without it base rates far from one half were put down to columns whose features have a mean."""

NOISE_OF_WIDTHS: Annotated[
    float, Rule("how much wider the stated noise is for learned widths", _ALL, "ranked_noise.py")
] = 1.6
"""Coefficients vary so many times as much over fits as they would if the prior and the Hessian had been known, and not
learned from the same noise: 1.0 to 1.6. At least what is needed: explanations list what is beyond two deviations."""

SHARES_ARE_REFUTED: Annotated[
    float, Rule("deviations by which a first gradient refutes declared shares", _SHARES, "declared_shares.py")
] = 3.0

CHANCE_OF_UNLISTED: Annotated[
    float, Rule("how likely a column has rows with none of its categories", _ALL, "category_shares.py")
] = 0.05

UNTOLD_SPREAD: Annotated[
    float, Rule("part of the rows taken to be spread evenly over bins, of one noisy sum", _ALL, "pure_methods.py")
] = 0.1
"""The rest lie as the sums tell."""


NARROW_SLOPE: Annotated[float, Rule("how far slopes of log-odds are from one", _ALL, "calibrated_odds.py")] = 0.3
"""Standard deviation of a slope's logarithm in Platt scaling; and, on held-out rows, of a class's from all
classes'."""

WIDE_SLOPE: Annotated[float, Rule("the same of scores that are no log-odds", _ALL, "paid_links.py")] = 1.0
"""And of log-odds on held-out rows, which nothing has calibrated yet."""

NARROW_INTERCEPT: Annotated[float, Rule("how far intercepts of log-odds are from zero", _ALL, "calibrated_odds.py")] = (
    0.5
)
"""Rare classes of boosted trees, whose residuals are cut, lack 0.5 in log-odds, or more."""

WIDE_INTERCEPT: Annotated[float, Rule("the same of scores that are no log-odds", _ALL, "paid_links.py")] = 1.5
"""Scores that are no log-odds do not know how frequent a class is."""
