"""Private learners that are no boosters: trees, which may also serve a booster, naive Bayes, and linear ones."""

from tacit.learners.naive_bayes import NaiveBayes
from tacit.learners.tree import Tree

__all__ = ["NaiveBayes", "Tree"]
