"""Small linear problems, and the losses that they are tried with."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.convex import HuberLoss, LogisticLoss
from tacit.features import LinearEncoding
from tacit.queries import Design, LinearProblem
from tacit.schema import Label, Numeric, Schema
from tacit.table import Table

LABEL = Label("y", [0, 1], private=False)
LOSSES = pytest.mark.parametrize("loss", [LogisticLoss(), HuberLoss(0.05), HuberLoss(1.0)], ids=["logistic", "h", "1"])


def problem_of(n_rows=300, numbers=3, seed=0, block_rows=65_536, label=LABEL, offset=None):
    generator = np.random.default_rng(seed)
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(numbers)], label=label)
    X = generator.uniform(-1, 1, (n_rows, numbers))
    y = (X.sum(axis=1) + generator.normal(0, 0.5, n_rows) > 0).astype(int)
    table = Table.from_frame(X, y, schema, block_rows=block_rows)
    design = Design(LinearEncoding(schema, schema.names))
    return LinearProblem(table, design, offset), X, y
