"""Private ways to learn a linear form: one file each, joined by ``LinearMethod``."""

from tacit.learners.linear.design import Design, LinearProblem, Offset
from tacit.learners.linear.method import LinearMethod

__all__ = ["Design", "LinearMethod", "LinearProblem", "Offset"]
