"""Advice on private learners before a private row is read, from past experiments on public and synthetic tables."""

from tacit.study.advice.advice import Advice, Forecast, Loss, NearestExperiment, advise
from tacit.study.advice.past_studies import PastStudies
from tacit.study.advice.query import MetaFeatures, Query
from tacit.study.advice.rows_needed import RowsNeeded, rows_needed

__all__ = [
    "Advice",
    "Forecast",
    "Loss",
    "MetaFeatures",
    "NearestExperiment",
    "PastStudies",
    "Query",
    "RowsNeeded",
    "advise",
    "rows_needed",
]
