"""From a budget between tables that differ in one row to the one that an external learner's own neighbors ask for."""

from __future__ import annotations

from math import exp
from typing import Literal, get_args

from tacit.errors import ParameterError

Relation = Literal["ours", "theirs"]
"""Whose neighbors the budget is for."""

Neighbors = Literal["add-remove", "replace-one"]
"""How the tables differ that an external learner's noise is made for: one row more, or one row changed."""


def external_budget(epsilon: float, delta: float, relation: Relation, neighbors: Neighbors) -> tuple[float, float]:
    """Return the epsilon and delta to ask an external learner for.

    Parameters
    ----------
    epsilon, delta : float
        What the row of the study says.
    relation : {"ours", "theirs"}
        ``"ours"``: the row's budget is to hold between tables that differ in one changed row. ``"theirs"``: it is
        passed on unchanged, which promises less where the learner's neighbors have one row more or less.
    neighbors : {"add-remove", "replace-one"}
        Of the learner.

    Notes
    -----
    Privacy: to change a row is to remove one and to add one. Let M be (e, d)-DP for each of the two steps, A, B, C
    the tables before, between and after. Then P[M(A) in S] <= exp(e) P[M(B) in S] + d <= exp(2e) P[M(C) in S] +
    (1 + exp(e)) d, so that e = epsilon / 2 and d = delta / (1 + exp(epsilon / 2)) give (epsilon, delta) for a changed
    row. Of Gaussian noise this asks at most 0.3 % more than twice the deviation, from epsilon 0.01 to 1 at delta
    1e-5, and no less can do.

    Examples
    --------
    >>> external_budget(1.0, 0.0, "ours", "add-remove"), external_budget(1.0, 0.0, "theirs", "add-remove")
    ((0.5, 0.0), (1.0, 0.0))
    """
    if relation not in get_args(Relation):
        raise ParameterError(f"Expected relation 'ours' or 'theirs', got relation={relation!r}. Choose one.")
    if relation == "theirs" or neighbors == "replace-one":
        return epsilon, delta
    return epsilon / 2, delta / (1 + exp(epsilon / 2))
