"""Private learners that stand alone or serve a booster."""

from tacit.learners.naive_bayes import NaiveBayes
from tacit.learners.published_naive_bayes import PublishedNaiveBayes

__all__ = ["NaiveBayes", "PublishedNaiveBayes"]
