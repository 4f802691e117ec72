"""When a search pays, and what is held against others than our defaults."""

from typing import Annotated

from tacit.rules.rule import Rule

_SIGNAL = "rows x epsilon of a candidate's training, for each class but one"

MIN_SIGNAL: Annotated[float, Rule("a search paid in rows", _SIGNAL, "paid_search_rules.py")] = 200.0
"""Below, settings that suit more noise look better than they are, and the rows that a search takes cost the final fit
more than it gains."""

MIN_SIGNAL_OF_RUN: Annotated[float, Rule("a search paid in epsilon", _SIGNAL, "paid_search_rules.py")] = 450.0
"""A run's model is the model that is returned."""

TRAINING: Annotated[float, Rule("part of a search's rows for training", "rows", "paid_search_rules.py")] = 2 / 3
"""Training divides the budget, and the comparison needs fewer than that."""

RUNS_OF_EACH: Annotated[float, Rule("mean number of runs for each candidate", "candidates", "paid_search_rules.py")] = (
    2.0
)
"""More cost no noise without a delta, and little with one, but time."""

HANDICAP: Annotated[float, Rule("by how much others must be better", "rows compared", "paid_search_rules.py")] = 0.7
"""About twice the standard deviation of a difference of two candidates' losses of a row, in units of the largest loss:
others must be better than our own defaults by more than the best of equals is by chance."""

MISMATCH: Annotated[
    float, Rule("the same by each doubling of the noise", "noise for a row", "paid_search_rules.py")
] = 0.008
"""What settings that suit more noise may gain, in units of the largest loss, from the final fit to a candidate's
training."""
