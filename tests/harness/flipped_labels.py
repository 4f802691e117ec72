"""Pairs of tables that differ in one label, where two bins of a column and eight predict different classes."""

from __future__ import annotations

import numpy as np

from tacit import Label, Numeric, Schema
from tacit.audit import Pair

SCHEMA = Schema([Numeric("x", 0, 1)], label=Label("y", ["no", "yes"]))
N_ROWS = 200


def pair(seed):
    """Return two tables that differ in a label where two bins and eight predict different classes."""
    generator = np.random.default_rng(seed)
    rows = [(float(x), "yes" if x > 0.3 else "no") for x in generator.random(N_ROWS)]
    at = int(generator.integers(N_ROWS))
    return Pair(SCHEMA, *((*rows[:at], (0.45, label), *rows[at + 1 :]) for label in ("yes", "no")))


PAIRS = [pair(seed) for seed in range(12)]
