"""Private learners that stand alone or serve a booster."""

from tacit.learners.naive_bayes import NaiveBayes

__all__ = ["NaiveBayes"]
