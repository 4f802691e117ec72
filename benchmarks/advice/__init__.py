"""Builds and validates the past studies on which `tacit advise` rests: python -m benchmarks.advice FILE."""
