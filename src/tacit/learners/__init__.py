"""Private learners that stand alone or serve a booster."""

from tacit.learners.naive_bayes import NaiveBayes
from tacit.learners.tree import Tree

__all__ = ["NaiveBayes", "Tree"]
