"""A schema learned from rows whose columns have names and kinds alone, or bounds of entries that have none."""

from tacit.learners.schema.bounds import BoundsLearner
from tacit.learners.schema.learner import LearnedSchema, SchemaLearner

__all__ = ["BoundsLearner", "LearnedSchema", "SchemaLearner"]
