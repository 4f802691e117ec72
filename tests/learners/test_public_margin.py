"""The margin from public columns: finite, regularized as much as the solver needs, and of public cells alone."""

from __future__ import annotations

import numpy as np
import pytest

from harness.linear_problems import LABEL, LOSSES, problem_of
from tacit.convex import HuberLoss, LogisticLoss
from tacit.errors import PrivacyError
from tacit.features import LinearEncoding
from tacit.learners.linear.public_margin import public_margin
from tacit.queries import Design, LinearObjective, LinearProblem
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table


@LOSSES
def test_separable_rows_and_constant_columns_have_a_finite_optimum(loss):
    schema = Schema([Numeric("x", -1, 1, private=False), Numeric("same", -1, 1, private=False)], label=LABEL)
    X = np.column_stack([np.repeat([-1.0, 1.0], 500), np.full(1000, 0.7)])
    table = Table.from_frame(X, np.repeat([0, 1], 500), schema)
    offset = public_margin(table, LinearEncoding(schema, schema.names), loss)
    assert 0.5 < offset.weights[0] < 20
    assert abs(offset.weights[1]) < 1 and abs(offset.intercept) < 1
    assert offset.reach == pytest.approx(
        np.abs(
            [s * offset.weights[0] + t * offset.weights[1] + offset.intercept for s in (1, -1) for t in (1, -1)]
        ).max()
    )


def test_a_public_model_is_regularized_as_much_as_the_solver_needs():
    """2000 rows, three columns with the intercept, curvature 5000: 3 in place of 1."""
    schema = Schema([Numeric("x", -1, 1, private=False), Numeric("z", -1, 1, private=False)], label=LABEL)
    X = np.random.default_rng(0).uniform(-1, 1, (2000, 2))
    table, loss = Table.from_frame(X, (X[:, 0] > 0).astype(int), schema), HuberLoss(1e-4)
    encoding = LinearEncoding(schema, schema.names)
    offset = public_margin(table, encoding, loss)
    three = LinearObjective(LinearProblem(table, Design(encoding)), loss, 3.0).minimizer(np.zeros(3))
    assert [*offset.weights, offset.intercept] == three.tolist()


def test_a_public_model_refuses_protected_cells():
    problem, _, _ = problem_of()
    with pytest.raises(PrivacyError, match="public"):
        public_margin(problem.table, problem.design.encoding, LogisticLoss())
    private_label, _, _ = problem_of(label=Label("y", [0, 1]))
    with pytest.raises(PrivacyError, match="public"):
        public_margin(private_label.table, LinearEncoding(private_label.table.schema, ()), LogisticLoss())
