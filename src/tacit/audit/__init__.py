"""Attempts to refute a guarantee, each with what it would have seen."""

from tacit.audit.certificate import audit_certificate, read_certificate
from tacit.audit.findings import AuditReport, Claim, Control, Finding, ReleaseLoss

__all__ = [
    "AuditReport",
    "Claim",
    "Control",
    "Finding",
    "ReleaseLoss",
    "audit_certificate",
    "read_certificate",
]
