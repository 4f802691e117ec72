"""Differentially private classifiers that may be published, with a certificate of what they protect."""

__version__ = "0.1.0"
