"""Private learners that are no boosters: trees, which may also serve a booster, naive Bayes, and linear ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.learners.naive_bayes import NaiveBayes
    from tacit.learners.tree import Tree
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "naive_bayes": "NaiveBayes",
            "tree": "Tree",
        },
    )

__all__ = ["NaiveBayes", "Tree"]
