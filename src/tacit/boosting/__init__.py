"""Boosting under differential privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.boosting.brc import BRC, CappedWeights, random_columns
    from tacit.boosting.defaults import Smoothness, smoothness
    from tacit.boosting.lazybb import LazyBB, WeakLearner
    from tacit.boosting.one_rule import OneRule
    from tacit.boosting.random_classifiers import DrawClassifiers, draw_centered, draw_uniform
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "brc": "BRC CappedWeights random_columns",
            "defaults": "Smoothness smoothness",
            "lazybb": "LazyBB WeakLearner",
            "one_rule": "OneRule",
            "random_classifiers": "DrawClassifiers draw_centered draw_uniform",
        },
    )

__all__ = [
    "BRC",
    "CappedWeights",
    "DrawClassifiers",
    "LazyBB",
    "OneRule",
    "Smoothness",
    "WeakLearner",
    "draw_centered",
    "draw_uniform",
    "random_columns",
    "smoothness",
]
