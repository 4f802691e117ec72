"""A schema learned from rows whose columns have names and kinds alone."""

from tacit.learners.schema.learner import LearnedSchema, SchemaLearner

__all__ = ["LearnedSchema", "SchemaLearner"]
