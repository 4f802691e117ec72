"""The margin of a linear model of public columns and a public label: exact, at no privacy cost."""

from __future__ import annotations

import numpy as np

from tacit.convex.losses import Loss
from tacit.errors import PrivacyError
from tacit.features.feature_encoding import FeatureEncoding
from tacit.queries.linear_objective import LinearObjective, solvable_regularization
from tacit.queries.linear_rows import Design, LinearProblem, Offset
from tacit.schema import Schema
from tacit.table import Table

PUBLIC_REGULARIZATION = 1.0
"""Lambda of the public model: a constant, so that separable classes and constant columns have a finite optimum."""


def has_public_margin(schema: Schema) -> bool:
    """Return whether public columns say something of a public label: exactly, and for nothing.

    Without any, to begin at the label's base rate would cut residuals where most is to be learned: under a delta it is
    learned as if the label were private.
    """
    return not schema.label.private and bool(schema.public_columns)


def suits_public_trees(schema: Schema) -> bool:
    """Return whether trees of public columns come before all else: they tell many public classes better than ranks."""
    return has_public_margin(schema) and schema.n_classes > 2


def public_margin(
    table: Table, encoding: FeatureEncoding, loss: Loss, regularization: float = PUBLIC_REGULARIZATION
) -> Offset:
    """Return the linear form of public columns, and an intercept, that fits the public label best.

    The regularization is raised to ``solvable_regularization``, which is above one for a million rows of some columns.

    Privacy: reads public cells alone, so it does not change with protected ones.
    """
    if table.unit.label or set(encoding.columns) & set(table.unit.columns):
        raise PrivacyError("Expected a public label and public columns, got protected ones. Query them instead.")
    problem = LinearProblem(table, Design(encoding, intercept=True))
    solvable = solvable_regularization(table.n_persons, problem.design, loss)
    objective = LinearObjective(problem, loss, max(regularization, solvable))
    weights = objective.minimizer(np.zeros(problem.design.n_features))
    return Offset(encoding, weights[:-1], float(weights[-1]))
