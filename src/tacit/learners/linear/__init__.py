"""Private ways to learn a linear form: one file each, joined by ``LinearMethod``."""

from tacit.learners.linear.method import LinearMethod

__all__ = ["LinearMethod"]
