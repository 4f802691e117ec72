"""The papers' tables and figures: what is run for each, and their numbers beside ours."""

from tacit.study.papers.artefact import COMPARISON, Artefact, Axis, Paper, compared

__all__ = ["COMPARISON", "Artefact", "Axis", "Paper", "compared"]
