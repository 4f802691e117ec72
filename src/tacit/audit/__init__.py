"""Attempts to refute a guarantee, each with what it would have seen."""

from tacit.audit.auditor import Auditor, audit
from tacit.audit.certificate import audit_certificate, read_certificate
from tacit.audit.findings import AuditReport, Claim, Control, Finding, ReleaseLoss
from tacit.audit.learners import audit_learner
from tacit.audit.neighbors import Pair, random_pairs
from tacit.audit.objects import audit_object, load_maker
from tacit.audit.one_run import Canaries, audit_in_one_run
from tacit.audit.redraws import redraw
from tacit.audit.release_sampler import Redraws
from tacit.audit.replay import ReplayResult, Step, replay_pair
from tacit.audit.runs import RunStore
from tacit.audit.samplers import Sampler
from tacit.audit.sampling import Effort, Evidence, Progress, lower_bound
from tacit.audit.search import replay
from tacit.audit.table_pairs import TablePair, pairs_of_schema, pairs_of_table

__all__ = [
    "AuditReport",
    "Auditor",
    "Canaries",
    "Claim",
    "Control",
    "Effort",
    "Evidence",
    "Finding",
    "Pair",
    "Progress",
    "Redraws",
    "ReleaseLoss",
    "ReplayResult",
    "RunStore",
    "Sampler",
    "Step",
    "TablePair",
    "audit",
    "audit_certificate",
    "audit_in_one_run",
    "audit_learner",
    "audit_object",
    "load_maker",
    "lower_bound",
    "pairs_of_schema",
    "pairs_of_table",
    "random_pairs",
    "read_certificate",
    "redraw",
    "replay",
    "replay_pair",
]
