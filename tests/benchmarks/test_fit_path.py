"""A fit can be followed: from a call of ``fit`` no chain of calls is longer than a person keeps in mind."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tacit
from benchmarks.fit_path import traced
from tacit import Categorical, Label, Numeric, Schema

MAX_DEPTH = 24


@pytest.mark.filterwarnings("ignore")
def test_a_fit_is_at_most_so_many_calls_deep():
    rng = np.random.default_rng(0)
    numbers = [Numeric(name, 0, 100) for name in "abcdef"]
    others = [Categorical(name, ["x", "y", "z"]) for name in "ghijklmn"]
    schema = Schema([*numbers, *others], label=Label("label", [0, 1]))
    drawn = {each.name: rng.uniform(0, 100, 2000) for each in numbers}
    drawn |= {each.name: rng.choice(["x", "y", "z"], 2000) for each in others}
    estimator = tacit.AutoClassifier(schema, epsilon=1.0, delta=1e-5, random_state=0)
    rows, labels = pl.DataFrame(drawn), rng.integers(0, 2, 2000)
    estimator.fit(rows, labels)  # imports what only a fit needs
    _, path = traced(lambda: estimator.fit(rows, labels))
    chain = [f"{code.co_filename.rpartition('tacit/')[2]}: {code.co_qualname}" for code in path.chain]
    assert 10 < len(chain) <= MAX_DEPTH, "\n".join(chain)
