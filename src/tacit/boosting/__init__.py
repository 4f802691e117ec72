"""Boosting under differential privacy."""

from tacit.boosting.brc import BRC, random_columns
from tacit.boosting.random_classifiers import DrawClassifiers, draw_centered, draw_uniform

__all__ = ["BRC", "DrawClassifiers", "draw_centered", "draw_uniform", "random_columns"]
