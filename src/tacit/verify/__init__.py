"""Verification: what a certificate claims, recomputed from its JSON by docs/certificate-format.md; fits nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.on_demand import on_demand

if TYPE_CHECKING:
    from tacit.verify.claim import RecomputedClaim, recomputed
    from tacit.verify.written import certificate_of, certificate_schema, program, read_certificate
else:
    __getattr__, __dir__ = on_demand(
        __name__,
        {
            "claim": "RecomputedClaim recomputed",
            "written": "certificate_of certificate_schema program read_certificate",
        },
    )

__all__ = ["RecomputedClaim", "certificate_of", "certificate_schema", "program", "read_certificate", "recomputed"]
