"""Past studies made by hand: few settings, round numbers."""

from __future__ import annotations

import polars as pl

from tacit.study.advice import PastStudies
from tacit.study.advice.past_studies import DESCRIPTION

SETTING = {
    "table": "a",
    "source": "a",
    "privacy": "all-private",
    "columns": 10,
    "private_columns": 10,
    "protected_columns": 10,
    "public_label": False,
    "classes": 2,
    "categorical_columns": 5,
    "width": 100,
    "literals": 200,
    "rows": 1000,
    "epsilon": 1.0,
    "delta": 0.0,
    "repeats": 1,
    "majority": 0.5,
    "ceiling": 0.9,
    "good": 0.8,
    "poor": 0.5,
}
"""Strength 100, "good" loses 0.1 and is useful, "poor" loses 0.4 and is not."""


def past_studies(*changes: dict) -> PastStudies:
    """Return past studies with one setting for each change of SETTING."""
    frame = pl.DataFrame([SETTING | change for change in changes])
    learners = pl.col([name for name in frame.columns if name not in DESCRIPTION]).cast(pl.Float32)
    return PastStudies(frame.select(*(pl.col(name).cast(kind) for name, kind in DESCRIPTION.items()), learners))


def asked(**changes) -> pl.DataFrame:
    """Return a setting to ask about."""
    return past_studies(changes).frame
