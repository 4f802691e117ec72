"""Attempts to refute a guarantee, each with what it would have seen."""

from tacit.audit.certificate import audit_certificate, read_certificate
from tacit.audit.findings import AuditReport, Claim, Control, Finding, ReleaseLoss
from tacit.audit.neighbors import Pair, random_pairs
from tacit.audit.replay import Replayed, Step, replay, replay_pair

__all__ = [
    "AuditReport",
    "Claim",
    "Control",
    "Finding",
    "Pair",
    "ReleaseLoss",
    "Replayed",
    "Step",
    "audit_certificate",
    "random_pairs",
    "read_certificate",
    "replay",
    "replay_pair",
]
