"""Boosting under differential privacy."""

from tacit.boosting.brc import BRC, CappedWeights, random_columns
from tacit.boosting.defaults import Smoothness, smoothness
from tacit.boosting.lazybb import LazyBB, WeakLearner
from tacit.boosting.one_rule import OneRule
from tacit.boosting.random_classifiers import DrawClassifiers, draw_centered, draw_uniform

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
