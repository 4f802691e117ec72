"""Attempts to refute a guarantee, each with what it would have seen."""

from tacit.audit.findings import AuditReport, Claim, Control, Finding, ReleaseLoss

__all__ = ["AuditReport", "Claim", "Control", "Finding", "ReleaseLoss"]
