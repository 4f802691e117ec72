"""What every reproduction uses: artefacts, comparisons with published numbers, pages."""

from reproductions.framework.artefact import COMPARISON, Artefact, Axis, Paper, compared

__all__ = ["COMPARISON", "Artefact", "Axis", "Paper", "compared"]
