"""Advice on private learners before a private row is read, from past experiments on public tables."""

from tacit.study.advice.advice import Advice, Forecast, NearestExperiment, advise
from tacit.study.advice.past_studies import PastStudies
from tacit.study.advice.query import MetaFeatures, Query

__all__ = ["Advice", "Forecast", "MetaFeatures", "NearestExperiment", "PastStudies", "Query", "advise"]
