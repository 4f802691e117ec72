"""A schema learned from rows whose columns have names and kinds alone, or bounds of entries that have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.learners.schema.bounds import BoundsLearner
    from tacit.learners.schema.learner import LearnedSchema, SchemaLearner
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "bounds": "BoundsLearner",
            "learner": "LearnedSchema SchemaLearner",
        },
    )

__all__ = ["BoundsLearner", "LearnedSchema", "SchemaLearner"]
