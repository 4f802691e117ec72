"""Evidence for those who must approve that a model leaves: pages and JSON that follow from its file alone."""

from tacit.report.evidence.folder import KINDS, write_evidence

__all__ = ["KINDS", "write_evidence"]
